import Wire

/// Networks that share a wire.
extension FindingRules {
  /// Prefixes with devices that share one untagged wire, at the same time.
  func twoSubnets() -> [Finding] {
    guard picture.isOneWire(heardFrom: snapshot.capture.vantage) else { return [] }
    let speaking = snapshot.subnets.compactMap { subnet -> (subnet: Subnet, proof: Evidence)? in
      guard subnet.prefix.address.isIPv4, subnet.kind != .linkLocal, subnet.vlan == nil, !isModemPage(subnet) else { return nil }
      return subnet.hosts.compactMap { speaksOnWire($0, subnet.prefix) }.min { $0.firstFrame < $1.firstFrame }.map { (subnet, $0) }
    }
    let shared = speaking.filter { entry in
      speaking.contains { $0.subnet.prefix != entry.subnet.prefix && Lifespan.meet($0.subnet, entry.subnet, picture, owned) }
    }
    guard shared.count >= 2 else { return [] }
    let names = shared.map(\.subnet.prefix.description)
    return [
      Finding(
        .twoSubnetsOneWire,
        "\(names.count == 2 ? "Two" : "\(names.count)") networks share one wire: \(names.dropLast().joined(separator: ", ")) and \(names.last ?? ""). SUBNETS tells what is known of each.",
        hosts: [], reasons: shared.map { $0.proof.reason(15) })
    ]
  }

  /// A cable modem's management page: one address by convention, no network of anybody.
  func isModemPage(_ subnet: Subnet) -> Bool {
    IPAddress("192.168.100.1").map { subnet.prefix.contains($0) && subnet.hosts.count <= 1 } ?? false
  }

  /// The ARP message with which a station spoke from a prefix itself.
  func speaksOnWire(_ mac: MACAddress, _ prefix: Prefix) -> Evidence? {
    picture.station(mac)?.evidence.first {
      if case .holds(let address, _) = $0.claim { prefix.contains(address) && $0.basis == "arp" } else { false }
    }
  }

  func bridgedDevices() -> [Finding] {
    let bridged = snapshot.hosts.filter { $0.behindModem?.answer == .bridged && ($0.behindModem?.confidence ?? 0) >= 0.7 }
    // The home's own router on the modem's wire is bridged by nature.
    let homeGateways = Set(snapshot.subnets.filter { $0.kind == .home }.flatMap { $0.gateways.compactMap(\.host) })
    // Or one of its further interfaces, numbered in a run.
    func isHomeRouters(_ mac: MACAddress) -> Bool {
      homeGateways.contains { boxes.box(of: $0) == mac || Boxes.isRun($0, mac) }
    }
    // A public address alone makes no customer of anybody: offices and schools have them, too. And where the home's own way out is not known,
    // who is served by the operator may be that: unless it is of a kind that routers are not.
    let operators = Set(snapshot.subnets.filter { $0.kind == .operator }.map(\.prefix))
    func isOperators(_ host: Host) -> Bool {
      !homeGateways.isEmpty || host.roles.contains(.setTopBox)
        || host.subnets.contains(where: operators.contains) && host.roles.contains(where: \.isKind)
    }
    let out = bridged.filter { isOperators($0) && !isHomeRouters($0.id) && !$0.roles.contains(.router) && !$0.roles.contains(.nat) }.map {
      host in
      Finding(
        .operatorBridgedDevice, "\(name(host.id)) is not behind your router: its frames go straight to the operator's network.",
        hosts: [host.id], reasons: place(of: host) + (host.behindModem?.reasons ?? []))
    }
    return out.isEmpty ? operatorsReach() : out
  }

  /// Where no device of it was heard: what the operator's own equipment says on the home's wire came through the modem untouched.
  private func operatorsReach() -> [Finding] {
    guard picture.isOneWire(heardFrom: snapshot.capture.vantage), snapshot.subnets.contains(where: { $0.kind == .home }) else { return [] }
    return snapshot.subnets.filter { $0.kind == .operator && $0.prefix.address.isIPv4 }.compactMap { subnet in
      guard let judged = subnet.judged, judged.confidence >= 0.7 else { return nil }
      let heard = subnet.hosts.lazy.compactMap { speaksOnWire($0, subnet.prefix) }.first
      guard let heard else { return nil }
      return Finding(
        .operatorBridgedDevice,
        "The operator's network \(subnet.prefix) reaches this wire: a device that takes an address of it is not behind your router.",
        hosts: [],
        reasons: [heard.reason(15)] + judged.reasons.prefix(3))
    }
  }

  /// What shows that a device lives where its side was judged.
  private func place(of host: Host) -> [Reason] {
    for mac in [host.id] + host.virtualMACs {
      for (address, item) in (owned[mac] ?? [:]).sorted(by: { $0.key < $1.key }) {
        let isThere = snapshot.subnets.contains {
          $0.prefix.contains(address) && $0.hosts.contains(mac) && ($0.kind == .operator || !address.isInternal)
        }
        if isThere { return [picture.reason(address, of: mac, item, 15)] }
      }
    }
    return []
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
    // Who speaks both ways joins the two, or was heard on both sides of a switch that takes the labels off.
    let isMixed = hosts.contains { mac in
      picture.station(mac)?.row.map { $0.flags.isSuperset(of: [.tagged, .untagged]) } ?? false
    }
    return [
      Finding(
        .vlanTagged,
        "Frames carry VLAN labels: \(vlans.keys.sorted().map { "VLAN \($0)" }.joined(separator: ", ")). "
          + (isMixed
            ? "Some of these devices were heard without a label as well." : "What is labelled is kept apart from the rest of the wire."),
        hosts: hosts, reasons: vlans.keys.sorted().prefix(8).map { label($0, vlans[$0] ?? []) })
    ]
  }

  /// The first frame that was heard with a label, where a table kept it.
  private func label(_ vlan: UInt16, _ hosts: [Host]) -> Reason {
    var frames: [UInt32] = []
    for station in hosts.flatMap({ [$0.id] + $0.virtualMACs }).compactMap(picture.station) {
      if let row = station.row, row.vlans.0 == vlan, row.firstTagged > 0 { frames.append(row.firstTagged) }
      frames += station.bindings.filter { $0.vlan == vlan && $0.framesFrom > 0 }.map(\.firstFrame)
    }
    return Reason(
      basis: "vlan", field: "label", value: WireText("\(vlan)"), frame: frames.min().map { Int($0) }, time: nil, weight: 25,
      kind: .measured)
  }
}
