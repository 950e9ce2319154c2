import Wire

/// Networks that share a wire.
extension FindingRules {
  /// Prefixes with devices that share one untagged wire.
  func twoSubnets() -> [Finding] {
    let shared = snapshot.subnets.filter { subnet in
      subnet.prefix.address.isIPv4 && subnet.kind != .linkLocal && subnet.vlan == nil && !isModemPage(subnet)
        && subnet.hosts.contains { speaksOnWire($0, subnet.prefix) }
    }
    guard shared.count >= 2, snapshot.capture.vantage != .router else { return [] }
    // Two scopes of one server that nobody mixes are two subnets all the same, but one of them must have been talked in.
    let reasons = shared.compactMap { $0.reasons.first }
    return [
      Finding(
        .twoSubnetsOneWire,
        "Two networks share one wire: \(shared.map(\.prefix.description).joined(separator: " and ")). See SUBNETS for why.",
        hosts: [], reasons: reasons)
    ]
  }

  /// A cable modem's management page: one address by convention, no network of anybody.
  func isModemPage(_ subnet: Subnet) -> Bool {
    IPAddress("192.168.100.1").map { subnet.prefix.contains($0) && subnet.hosts.count <= 1 } ?? false
  }

  func speaksOnWire(_ mac: MACAddress, _ prefix: Prefix) -> Bool {
    picture.station(mac)?.evidence.contains {
      if case .holds(let address, _) = $0.claim { prefix.contains(address) && $0.observation.basis == "arp" } else { false }
    } ?? false
  }

  func bridgedDevices() -> [Finding] {
    let bridged = snapshot.hosts.filter { $0.behindModem?.answer == .bridged && ($0.behindModem?.confidence ?? 0) >= 0.7 }
    // The home's own router on the modem's wire is bridged by nature.
    let homeGateways = Set(snapshot.subnets.filter { $0.kind == .home }.flatMap { $0.gateways.compactMap(\.host) })
    // Or one of its further interfaces, numbered in a run.
    func isHomeRouters(_ mac: MACAddress) -> Bool {
      homeGateways.contains { boxes.box(of: $0) == mac || Boxes.isRun($0, mac) }
    }
    // A public address alone makes no customer of anybody: offices and schools have them, too.
    let operators = Set(snapshot.subnets.filter { $0.kind == .operator }.map(\.prefix))
    func isOperators(_ host: Host) -> Bool {
      !homeGateways.isEmpty || host.roles.contains(.setTopBox) || host.subnets.contains(where: operators.contains)
    }
    return bridged.filter { isOperators($0) && !isHomeRouters($0.id) && !$0.roles.contains(.router) && !$0.roles.contains(.nat) }.map {
      host in
      Finding(
        .operatorBridgedDevice, "\(name(host.id)) is not behind your router: its frames go straight to the operator's network.",
        hosts: [host.id],
        reasons: host.behindModem?.reasons ?? [])
    }
  }

  /// Networks that the router keeps apart for guests: a scope of its own, or a second radio network that is called so.
  func guests() -> [Finding] {
    var out = snapshot.subnets.filter { $0.kind == .guest }.map { subnet in
      Finding(
        .guestNetwork,
        "\(subnet.prefix) is a network of your router beside the home's own, for guests or for devices that should stay apart.",
        hosts: subnet.hosts.filter { mac in !subnet.gateways.contains { $0.host == mac } },
        reasons: subnet.servers.flatMap(\.reasons).prefix(3).map { $0 })
    }
    var cells: [MACAddress: [(ssid: WireText, item: Evidence)]] = [:]
    picture.each { station, item in
      if case .runsBSS(let bssid, let ssid?) = item.claim, !ssid.isEmpty {
        cells[boxes.box(of: bssid), default: []].append((ssid, item))
        if boxes.box(of: bssid) != boxes.box(of: station.mac) { cells[boxes.box(of: station.mac), default: []].append((ssid, item)) }
      }
    }
    for (box, networks) in cells.sorted(by: { $0.key < $1.key }) {
      guard let guest = networks.first(where: { isForGuests($0.ssid) }) else { continue }
      out.append(
        Finding(
          .guestNetwork, "\(name(box)) runs a radio network that is called \"\(guest.ssid.display)\": one for guests, by its name.",
          hosts: devices.contains(box) ? [box] : [], reasons: [guest.item.reason(7)]))
    }
    return out
  }

  private static let guestWords: Set<String> = [
    "gast", "gaeste", "gaste", "gastnetz", "gastzugang", "invite", "invites", "ospite", "ospiti", "invitado", "invitados", "besucher",
    "visitor", "visitors",
  ]

  /// "guest" anywhere, other languages' words alone: "Gaston" is somebody's name.
  private func isForGuests(_ ssid: WireText) -> Bool {
    let lower = ssid.lowercasedASCII
    if lower.mentions("guest") { return true }
    return lower.bytes.split { !($0 >= 0x61 && $0 <= 0x7a) }.contains { word in
      Self.guestWords.contains { $0.utf8.elementsEqual(word) }
    }
  }

  func tags() -> [Finding] {
    var vlans: [UInt16: [Host]] = [:]
    for host in snapshot.hosts { for vlan in host.vlans where vlan != 0 && vlan != 4095 { vlans[vlan, default: []].append(host) } }
    guard !vlans.isEmpty else { return [] }
    let hosts = Set(vlans.values.joined().map(\.id)).sorted()
    let first = vlans.values.joined().min { $0.id < $1.id }
    let frame = first.flatMap { picture.station($0.id)?.row?.firstTagged }.map { Int($0) }
    return [
      Finding(
        .vlanTagged,
        "Frames carry VLAN labels: \(vlans.keys.sorted().map { "VLAN \($0)" }.joined(separator: ", ")). What is labelled is kept apart from the rest of the wire.",
        hosts: hosts,
        reasons: [
          Reason(
            basis: "802.1q", field: "vlan", value: WireText(vlans.keys.sorted().map(String.init).joined(separator: ", ")), frame: frame,
            time: nil,
            weight: 25, kind: .measured)
        ])
    ]
  }
}
