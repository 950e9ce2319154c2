import Wire

/// What is odd: one rule for each id of `report.md`, each with its false friends kept out (`inference.md` 9).
struct FindingRules {
  let picture: Picture
  let boxes: Boxes
  let devices: Set<MACAddress>
  let owned: [MACAddress: [IPAddress: Evidence?]]
  let snapshot: Snapshot
  let health: Health

  func judge() -> [Finding] {
    var out: [Finding] = []
    let rules: [(FindingRules) -> () -> [Finding]] = [
      FindingRules.rogueServers, FindingRules.spoofing, FindingRules.rogueAdvertisements, FindingRules.starvation, FindingRules.conflicts,
      FindingRules.doubleTranslation, FindingRules.secondRouters, FindingRules.proxies, FindingRules.translators,
      FindingRules.linkLocalOnly,
      FindingRules.twoSubnets, FindingRules.bridgedDevices, FindingRules.tags, FindingRules.visibility, FindingRules.losses,
    ]
    for rule in rules { out += rule(self)() }
    return out.sorted { ($1.severity, $0.id.rawValue) < ($0.severity, $1.id.rawValue) }
  }

  private func host(_ mac: MACAddress) -> Host? { snapshot.host(mac) }

  private func name(_ mac: MACAddress) -> String {
    guard let host = host(mac) else { return mac.description }
    if let name = host.name?.display, !name.isEmpty { return "\(name) (\(mac))" }
    return mac.description
  }

  // MARK: DHCP

  /// Who answered requests on this wire himself, by server address.
  private func servers() -> [(address: IPAddress, host: MACAddress, items: [Evidence], leases: [Lease])] {
    var found: [IPAddress: (host: MACAddress, items: [Evidence], leases: [Lease])] = [:]
    picture.each { _, item in
      guard case .leased(let lease) = item.claim, let server = lease.server, lease.relay == nil else { return }
      let address = IPAddress(server)
      found[address, default: (lease.carriedBy, [], [])].items.append(item)
      found[address]?.leases.append(lease)
    }
    return found.sorted { $0.key < $1.key }.map { ($0.key, $0.value.host, $0.value.items, $0.value.leases) }
  }

  private func rogueServers() -> [Finding] {
    // Only servers that answer for themselves on this wire: relayed ones serve another class of device, and that is normal.
    let local = servers().filter { entry in owned[entry.host]?[entry.address] != nil || devices.contains(entry.host) }
    let here = local.filter { boxes.box(of: $0.host) != .zero }
    let hosts = here.map { boxes.box(of: $0.host) }.deduplicated()
    guard hosts.count >= 2 else { return [] }
    // The same VLAN, or none: two wires may each have their own.
    let wires = Set(here.map { wire($0.host) })
    guard wires.count == 1 else { return [] }
    let reasons = here.compactMap { $0.items.first?.reason(25, value: $0.address.description) }
    var out = [
      Finding(
        .severalDHCPServers,
        "Several DHCP servers answer on this wire: \(here.map { "\($0.address) at \($0.host)" }.joined(separator: ", ")).",
        hosts: hosts, reasons: reasons)
    ]
    // The intruder: not the way to the internet, or else whoever serves fewer or came later.
    func rank(_ entry: (address: IPAddress, host: MACAddress, items: [Evidence], leases: [Lease])) -> (Int, Int, Int) {
      (reachesInternet(entry.host) ? 0 : 1, -members(of: entry.leases), entry.items.map(\.firstFrame).min() ?? 0)
    }
    let ranked = here.sorted { rank($0) < rank($1) }
    for intruder in ranked.dropFirst() where boxes.box(of: intruder.host) != boxes.box(of: ranked[0].host) {
      let sets = Set(intruder.leases.flatMap(\.routers))
      guard sets.isDisjoint(with: ranked[0].leases.flatMap(\.routers)) || sets.isEmpty else { continue }
      guard !isOperator(intruder.host), !isOperator(ranked[0].host) else { continue }
      out.append(
        Finding(
          .rogueDHCPServer,
          "\(intruder.address) (\(intruder.host)) hands out addresses beside \(ranked[0].address): devices that take them use another way out. Unplug it, or switch its DHCP server off.",
          hosts: [boxes.box(of: intruder.host)],
          reasons: intruder.items.prefix(3).map { $0.reason(25, value: intruder.address.description) }))
    }
    return out
  }

  private func isOperator(_ mac: MACAddress) -> Bool {
    host(mac)?.behindModem?.answer == .operatorSide || MakerHints.kind(mac) == .operatorGear
  }

  /// Whether answers from the internet come in through a station.
  private func reachesInternet(_ mac: MACAddress) -> Bool {
    picture.station(mac)?.bindings.contains {
      $0.framesFrom > 0 && $0.address.isHost && !$0.address.isInternal && !$0.address.isMulticast && owned[mac]?[$0.address] == nil
    } ?? false
  }

  /// How many devices live in the subnets that a server hands out: the home's own server has most.
  private func members(of leases: [Lease]) -> Int {
    let prefixes = Set(leases.compactMap(\.prefix))
    return snapshot.subnets.filter { prefixes.contains($0.prefix) }.reduce(0) { $0 + $1.hosts.count }
  }

  private func wire(_ mac: MACAddress) -> UInt16 { host(mac)?.vlans.first ?? 0 }

  private func starvation() -> [Finding] {
    // Clients' hardware addresses in requests that came from one and the same station, or from addresses used once.
    var invented: [MACAddress: [Evidence]] = [:]
    var direct: [Evidence] = []
    picture.each { station, item in
      guard case .requestsLease(nil, relay: nil) = item.claim else { return }
      if item.carrier.isStation, item.carrier != station.mac {
        invented[item.carrier, default: []].append(item)
      } else if !station.evidence.contains(where: {
        if case .holds = $0.claim { true } else if case .leased = $0.claim { true } else { false }
      }),
        HostRules.isRandomised(station.mac), (station.row?.sentFrames ?? 0) <= 2
      {
        direct.append(item)
      }
    }
    for (carrier, items) in invented.sorted(by: { $0.key < $1.key }) where items.count >= 16 {
      return [
        Finding(
          .dhcpStarved, "\(name(carrier)) asks for addresses in the name of \(items.count) devices that do not exist, until none are left.",
          hosts: [boxes.box(of: carrier)], reasons: items.prefix(3).map { $0.reason(15) })
      ]
    }
    guard direct.count >= 32 else { return [] }
    return [
      Finding(
        .dhcpStarved, "\(direct.count) made-up devices asked for addresses once and never spoke again: somebody empties the address pool.",
        hosts: [], reasons: direct.prefix(3).map { $0.reason(15) })
    ]
  }

  private func linkLocalOnly() -> [Finding] {
    var out: [Finding] = []
    for host in snapshot.hosts {
      guard let address = host.ipv4.first, host.ipv4.allSatisfy(\.isLinkLocal) else { continue }
      let station = picture.station(host.id)
      let asked = station?.first { if case .requestsLease = $0 { true } else { false } }
      guard let item = asked ?? (owned[host.id]?[IPAddress(address)] ?? nil) else { continue }
      out.append(
        Finding(
          .linkLocalOnly, "\(name(host.id)) found no DHCP server and gave itself \(address): it reaches only devices that did the same.",
          hosts: [host.id], reasons: [item.reason(15, value: address.description)]))
    }
    return out
  }

  // MARK: ARP and addresses

  /// Every station's claims to an address in order of time, those of an answer apart.
  private func claims(of address: IPAddress) -> [(mac: MACAddress, item: Evidence)] {
    var out: [(MACAddress, Evidence)] = []
    picture.each { station, item in
      if case .holds(address, let holding) = item.claim, item.observation.basis == "arp", holding != .lease {
        out.append((station.mac, item))
      }
    }
    return out
  }

  private func contested() -> [IPAddress: Set<MACAddress>] {
    var by: [IPAddress: Set<MACAddress>] = [:]
    picture.each { station, item in
      guard case .holds(let address, _) = item.claim, item.observation.basis == "arp", !station.mac.isVirtualRouter else { return }
      by[address, default: []].insert(boxes.box(of: station.mac))
    }
    return by.filter { $0.value.count >= 2 }
  }

  private var gatewayAddresses: Set<IPAddress> { Set(snapshot.subnets.flatMap { $0.gateways.map(\.address) }) }

  /// A station that already has an address of its own says again and again, unasked, that it also has others' — the gateway's above all.
  private func spoofers() -> [MACAddress: [Evidence]] {
    var out: [MACAddress: [Evidence]] = [:]
    let routers = Set(snapshot.subnets.flatMap { $0.gateways.compactMap(\.host) })
    for (address, macs) in contested().sorted(by: { $0.key < $1.key }) {
      for mac in macs.sorted() {
        guard let station = picture.station(mac) else { continue }
        let claims = station.evidence.filter { if case .holds(address, _) = $0.claim { $0.observation.basis == "arp" } else { false } }
        let unasked = claims.filter { if case .holds(_, .request) = $0.claim { false } else { true } }
        guard unasked.reduce(0, { $0 + $1.count }) >= 2 else { continue }
        // Its real address is another one, shown in its own right.
        let hasOwn = station.evidence.contains {
          if case .holds(let own, let how) = $0.claim {
            own != address && own.isIPv4 && (how == .request || how == .announcement || how == .statement)
          } else if case .leased(let lease) = $0.claim {
            IPAddress(lease.address) != address
          } else {
            false
          }
        }
        // The rightful holder shows it by more than answers, or got it from a server.
        let rightful = macs.filter { $0 != mac }.contains { holdsByRight($0, address) }
        guard hasOwn, rightful, !holdsByRight(mac, address) else { continue }
        if gatewayAddresses.contains(address) || !routers.contains(mac) { out[mac, default: []] += unasked }
      }
    }
    return out
  }

  private func holdsByRight(_ mac: MACAddress, _ address: IPAddress) -> Bool {
    guard let station = picture.station(mac) else { return false }
    return station.evidence.contains {
      switch $0.claim {
      case .holds(address, .request), .holds(address, .statement), .holds(address, .announcement): true
      case .leased(let lease): IPAddress(lease.address) == address && !lease.isOffer
      default: false
      }
    }
  }

  private func spoofing() -> [Finding] {
    spoofers().sorted { $0.key < $1.key }.compactMap { mac, items in
      let taken = Set(items.compactMap { item -> IPAddress? in if case .holds(let address, _) = item.claim { address } else { nil } })
      guard !taken.isDisjoint(with: gatewayAddresses) else { return nil }
      return Finding(
        .arpSpoofing,
        "\(name(mac)) tells others that it has \(taken.sorted().map(\.description).joined(separator: " and ")), which belongs to somebody else: it can read or change their traffic.",
        hosts: [mac], reasons: items.prefix(4).map { $0.reason(15) })
    }
  }

  private func conflicts() -> [Finding] {
    let liars = Set(spoofers().keys)
    let proxies = Set(proxyStations().map(\.mac))
    var out: [Finding] = []
    for (address, macs) in contested().sorted(by: { $0.key < $1.key }) {
      let rivals = macs.subtracting(liars).subtracting(proxies).filter { holdsByRight($0, address) || defends($0, address) }
      guard rivals.count >= 2, !isOneHost(rivals) else { continue }
      let items = claims(of: address).filter { rivals.contains(boxes.box(of: $0.mac)) }
      guard alternates(items) else { continue }
      out.append(
        Finding(
          .ipConflict, "\(address) is claimed by \(rivals.count) devices: \(rivals.sorted().map(name).joined(separator: " and ")).",
          hosts: rivals.sorted(), reasons: items.prefix(4).map { $0.item.reason(15, value: "\(address) at \($0.mac)") }))
    }
    return out
  }

  private func defends(_ mac: MACAddress, _ address: IPAddress) -> Bool {
    picture.station(mac)?.evidence.contains { $0.claim == .holds(address, .reply) } ?? false
  }

  /// Both speak for it in turn: the earlier one is heard again after the later one began, within ten minutes.
  private func alternates(_ items: [(mac: MACAddress, item: Evidence)]) -> Bool {
    for a in items {
      for b in items where boxes.box(of: a.mac) != boxes.box(of: b.mac) {
        if a.item.first <= b.item.first, a.item.last >= b.item.first, a.item.last.since(b.item.first) <= 600 { return true }
        // An answer to the newcomer's announcement is a defence.
        if case .holds(_, .reply) = a.item.claim, abs(a.item.first.since(b.item.first)) <= 600 { return true }
      }
    }
    return false
  }

  /// One laptop with cable and radio moves its address between both: the same name tells.
  private func isOneHost(_ macs: Set<MACAddress>) -> Bool {
    let names = macs.map { mac in Set((host(mac)?.names ?? []).map { $0.text.lowercasedASCII }) }
    guard let first = names.first else { return false }
    return !names.dropFirst().reduce(first) { $0.intersection($1) }.isEmpty
  }

  /// Stations that answer for several addresses that others hold, or that nobody holds.
  private func proxyStations() -> [(mac: MACAddress, items: [Evidence])] {
    var out: [(MACAddress, [Evidence])] = []
    let liars = Set(spoofers().keys)
    for mac in picture.order where devices.contains(mac) && !liars.contains(mac) {
      guard let station = picture.station(mac) else { continue }
      // Guards of sleepers answer for them, and say so.
      if station.evidence.contains(where: { if case .guards = $0.claim { true } else { false } }) { continue }
      if MakerHints.kind(mac) == .operatorGear { continue }
      let own = ownByRight(station)
      let foreign = station.evidence.filter { item in
        guard case .holds(let address, .reply) = item.claim, item.observation.basis == "arp", !own.contains(address) else { return false }
        let inside = snapshot.subnets.filter { $0.prefix.contains(address) }
        // Who was only ever heard answering may have several addresses: nothing shows that one of them is not his.
        let isElsewhere = !own.isEmpty && !inside.contains { subnet in own.contains { subnet.prefix.contains($0) } }
        return isElsewhere || isHeldByOther(address, mac)
      }
      let isRouter = VantageRules.isGateway(station, picture) || !own.isDisjoint(with: gatewayAddresses)
      if foreign.count >= 2 || (foreign.count == 1 && isRouter) { out.append((mac, foreign)) }
    }
    return out
  }

  private func ownByRight(_ station: Picture.Station) -> Set<IPAddress> {
    var out = Set<IPAddress>()
    for item in station.evidence {
      switch item.claim {
      case .holds(let address, let how) where how != .reply: out.insert(address)
      case .leased(let lease) where !lease.isOffer: out.insert(IPAddress(lease.address))
      default: break
      }
    }
    return out
  }

  private func isHeldByOther(_ address: IPAddress, _ mac: MACAddress) -> Bool {
    devices.contains { $0 != mac && holdsByRight($0, address) }
  }

  private func proxies() -> [Finding] {
    proxyStations().map { mac, items in
      Finding(
        .proxyARP,
        "\(name(mac)) answers ARP for addresses that are not its own (\(items.prefix(3).map { $0.claim.valueText.display }.joined(separator: ", "))): devices with a wrong mask still get through, by way of it.",
        hosts: [boxes.box(of: mac)], reasons: items.prefix(4).map { $0.reason(12) })
    }
  }

  // MARK: Routers and bridges

  private func rogueAdvertisements() -> [Finding] {
    var routers: [(mac: MACAddress, item: Evidence)] = []
    picture.each { station, item in
      if case .advertisesRouter(let lifetime) = item.claim, lifetime > 0 { routers.append((boxes.box(of: station.mac), item)) }
    }
    let v4 = Set(snapshot.subnets.filter { $0.prefix.address.isIPv4 }.flatMap { $0.gateways.compactMap(\.host) }.map { boxes.box(of: $0) })
    let sources = routers.map(\.mac).deduplicated()
    guard sources.count >= 2, sources.contains(where: { v4.contains($0) }) else { return [] }
    return sources.filter { !v4.contains($0) }.compactMap { mac in
      guard let item = routers.first(where: { $0.mac == mac })?.item else { return nil }
      let offers = picture.station(mac)?.evidence.contains { if case .advertisesPrefix = $0.claim { true } else { false } } ?? false
      guard offers else { return nil }
      return Finding(
        .rogueRA, "\(name(mac)) advertises itself as IPv6 router beside the one that routes IPv4: devices may send their traffic to it.",
        hosts: [mac],
        reasons: [item.reason(15)])
    }
  }

  private func doubleTranslation() -> [Finding] {
    var reasons: [Reason] = []
    var hosts: [MACAddress] = []
    picture.each { station, item in
      if case .hasOuterAddress(let address) = item.claim, address.isInternal {
        reasons.append(item.reason(15))
        hosts.append(boxes.box(of: station.mac))
      }
    }
    // Routers beyond the gateway that answer from private addresses: a second private network lies behind it.
    for (address, items) in picture.addresses.sorted(by: { $0.key < $1.key }) {
      guard let v4 = address.v4, v4.isPrivate || v4.isShared else { continue }
      guard let item = items.first(where: { $0.claim == .playsRole(.router) && $0.observation.basis == "icmp" }) else { continue }
      guard !snapshot.subnets.contains(where: { $0.prefix.contains(address) }) else { continue }
      guard let gateway = snapshot.host(item.carrier), gateway.behindModem?.answer != .operatorSide else { continue }
      reasons.append(item.reason(15, value: address.description))
      hosts.append(gateway.id)
    }
    guard let first = reasons.first else { return [] }
    return [
      Finding(
        .doubleNAT,
        "Behind the gateway lies another private network (\(first.value.display)): addresses are translated twice, so servers at home are not reachable from outside.",
        hosts: hosts.deduplicated(), reasons: Array(reasons.prefix(4)))
    ]
  }

  private func secondRouters() -> [Finding] {
    let gateways = Set(snapshot.subnets.flatMap { $0.gateways.compactMap(\.host) }.map { boxes.box(of: $0) })
    var out: [Finding] = []
    for host in snapshot.hosts where !gateways.contains(host.id) {
      guard let verdict = host.roleReasons.first(where: { $0.answer == .router || $0.answer == .nat }), verdict.confidence >= 0.9 else {
        continue
      }
      // On the operator's side of things a router is no second one of the home.
      let isOutside = host.behindModem?.answer == .bridged || host.behindModem?.answer == .operatorSide
      guard host.subnets.contains(where: { $0.address.isIPv4 }), !host.roles.contains(.computer), !isOutside else { continue }
      out.append(
        Finding(
          .secondRouter,
          "\(name(host.id)) is a router as well, though no device here uses it as its way out: an old router used as access point or switch, perhaps.",
          hosts: [host.id], reasons: verdict.reasons))
    }
    return out
  }

  private func translators() -> [Finding] {
    var out: [Finding] = []
    for mac in picture.order where devices.contains(mac) {
      guard let station = picture.station(mac) else { continue }
      let foreign = station.evidence.filter { item in
        guard case .speaksFor(let other) = item.claim else { return false }
        return !devices.contains(other) && boxes.box(of: other) != boxes.box(of: mac) && other.isStation
      }
      guard !foreign.isEmpty else { continue }
      let own = (owned[mac] ?? [:]).keys.filter { $0.isIPv4 && !$0.isLinkLocal }
      let fromDHCP = foreign.contains { $0.observation.basis == "dhcp" }
      let others = Set(foreign.compactMap { item -> MACAddress? in if case .speaksFor(let other) = item.claim { other } else { nil } })
      guard own.count >= 2 || others.count >= 2, fromDHCP || others.count >= 2 else { continue }
      if others.count >= 16 { continue }
      if station.evidence.contains(where: { if case .requestsLease(_, relay: .some) = $0.claim { true } else { false } }) { continue }
      out.append(
        Finding(
          .macTranslatingBridge,
          "\(name(mac)) puts its own hardware address on the frames of \(others.count) device\(others.count == 1 ? "" : "s") behind it (\(others.sorted().prefix(4).map(\.description).joined(separator: ", "))): a Wi-Fi repeater or client bridge.",
          hosts: [mac], reasons: foreign.prefix(4).map { $0.reason(15) }))
    }
    return out
  }

  // MARK: Subnets and the capture

  /// Prefixes with devices that share one untagged wire.
  private func twoSubnets() -> [Finding] {
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
  private func isModemPage(_ subnet: Subnet) -> Bool {
    IPAddress("192.168.100.1").map { subnet.prefix.contains($0) && subnet.hosts.count <= 1 } ?? false
  }

  private func speaksOnWire(_ mac: MACAddress, _ prefix: Prefix) -> Bool {
    picture.station(mac)?.evidence.contains {
      if case .holds(let address, _) = $0.claim { prefix.contains(address) && $0.observation.basis == "arp" } else { false }
    } ?? false
  }

  private func bridgedDevices() -> [Finding] {
    let bridged = snapshot.hosts.filter { $0.behindModem?.answer == .bridged && ($0.behindModem?.confidence ?? 0) >= 0.7 }
    // The home's own router on the modem's wire is bridged by nature.
    let homeGateways = Set(snapshot.subnets.filter { $0.kind == .home }.flatMap { $0.gateways.compactMap(\.host) })
    return bridged.filter { !homeGateways.contains($0.id) && !$0.roles.contains(.router) && !$0.roles.contains(.nat) }.map { host in
      Finding(
        .operatorBridgedDevice, "\(name(host.id)) is not behind your router: its frames go straight to the operator's network.",
        hosts: [host.id],
        reasons: host.behindModem?.reasons ?? [])
    }
  }

  private func tags() -> [Finding] {
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

  private func visibility() -> [Finding] {
    guard snapshot.capture.vantage == .host else { return [] }
    return [
      Finding(
        .halfVisible,
        "From here only broadcasts and this host's own traffic can be heard: what two other devices say to each other is missing, and their totals are lower bounds.",
        hosts: [], reasons: [])
    ]
  }

  private func losses() -> [Finding] {
    var out: [Finding] = []
    if let dropped = snapshot.capture.dropped, dropped > 0 {
      out.append(
        Finding(.captureLoss, "\(dropped) frames were lost while capturing: totals are at least what is shown.", hosts: [], reasons: []))
    }
    if !health.decodersSetAside.isEmpty {
      out.append(
        Finding(
          .parserDisabled,
          "What frames say in \(health.decodersSetAside.joined(separator: ", ")) is not read: such frames stopped the program twice within an hour.",
          hosts: [], reasons: []))
    }
    let missing = health.stationsEvicted + health.stationsUnlisted
    if missing > 0 {
      out.append(
        Finding(
          .hostFlood, "More stations spoke than can be listed: \(missing) are missing from this report.", hosts: [],
          reasons: []))
    }
    return out
  }
}
