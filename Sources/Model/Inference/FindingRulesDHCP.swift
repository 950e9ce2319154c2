import Wire

/// Who hands out addresses, and who gets none.
extension FindingRules {
  /// A server that hands out addresses on this wire, by his own answers, or by a broadcast request that names him.
  struct LocalServer {
    var address: IPAddress
    /// The box behind the address, where it was heard.
    var box: MACAddress?
    var given: [Picture.LeaseRecord] = []
    var reasons: [Reason] = []
    var first = Int.max
    /// The networks that he serves.
    var prefixes = Set<Prefix>()
    var clients = Set<MACAddress>()
  }

  /// Relayed ones serve another class of device, and an address outside all networks of this wire is a server elsewhere: neither is here.
  func servers() -> [LocalServer] {
    var found: [LocalServer] = []
    func at(_ address: IPAddress, _ box: MACAddress?) -> Int {
      // One box may write two addresses, and number its interfaces in a run.
      let known = found.firstIndex { server in
        if let box, let other = server.box { return other == box || Boxes.isRun(other, box) }
        return server.address == address
      }
      if let known { return known }
      found.append(LocalServer(address: address, box: box))
      return found.count - 1
    }
    for record in picture.leases where record.lease.relay == nil {
      guard let server = record.lease.server else { continue }
      let carrier = record.lease.carriedBy
      guard devices.contains(carrier) else { continue }
      let place = at(IPAddress(server), boxes.box(of: carrier))
      found[place].given.append(record)
      found[place].clients.insert(record.station)
      if let prefix = record.lease.prefix { found[place].prefixes.insert(prefix) }
      found[place].reasons.append(record.item.reason(25, value: server.description))
      found[place].first = min(found[place].first, record.item.firstFrame)
    }
    picture.each { station, item in
      guard case .requestsLease(let server?, relay: nil) = item.claim, item.basis == "dhcp" else { return }
      let address = IPAddress(server)
      guard let subnet = snapshot.subnets.first(where: { $0.prefix.contains(address) }) else { return }
      let place =
        found.firstIndex { $0.address == address } ?? at(address, subnet.servers.first { $0.address == address }?.host.map(boxes.box))
      found[place].clients.insert(station.mac)
      found[place].prefixes.insert(subnet.prefix)
      found[place].reasons.append(item.reason(20, value: server.description))
      found[place].first = min(found[place].first, item.firstFrame)
    }
    return found
  }

  func rogueServers() -> [Finding] {
    guard snapshot.capture.vantage != .router else { return [] }
    // An operator's server for his own class of devices beside the home's own is as it should be.
    let operators = Set(snapshot.subnets.filter { $0.kind == .operator }.map(\.prefix))
    let here = servers().filter { server in
      !(server.box.map(isOperator) ?? false) && (server.prefixes.isEmpty || !server.prefixes.isSubset(of: operators))
        && !operators.contains { $0.contains(server.address) }
    }
    guard here.count >= 2 else { return strayServer(here.first) }
    // The same VLAN, or none: two wires may each have their own.
    let wires = Set(here.compactMap { $0.box.map(wire) })
    guard wires.count <= 1 else { return [] }
    func name(_ server: LocalServer) -> String { "\(server.address)\(server.box.map { " at \($0)" } ?? "")" }
    var out = [
      Finding(
        .severalDHCPServers,
        "Several DHCP servers answer on this wire: \(here.prefix(8).map(name).joined(separator: ", "))\(here.count > 8 ? " and \(here.count - 8) more" : "").",
        hosts: here.compactMap(\.box).deduplicated(), reasons: Array(here.compactMap(\.reasons.first).prefix(8)))
    ]
    // The home's own: the way to the internet, or else whoever serves more, and came first.
    let homes = Set(snapshot.subnets.filter { $0.kind == .home }.flatMap { $0.gateways.map(\.address) })
    func isOnline(_ server: LocalServer) -> Bool { server.box.map(reachesInternet) ?? false || homes.contains(server.address) }
    let ranked = here.sorted { (isOnline($0) ? 0 : 1, -$0.clients.count, $0.first) < (isOnline($1) ? 0 : 1, -$1.clients.count, $1.first) }
    let own = ranked[0]
    for intruder in ranked.dropFirst() {
      // Who sends clients to the same way out helps the home's own.
      let ways = Set(intruder.given.flatMap(\.lease.routers))
      guard ways.isEmpty || ways.isDisjoint(with: own.given.flatMap(\.lease.routers)) else { continue }
      if ways.isEmpty, !intruder.prefixes.isDisjoint(with: own.prefixes), intruder.given.isEmpty { continue }
      let box = intruder.box.map { " (\($0))" } ?? ""
      out.append(
        Finding(
          .rogueDHCPServer,
          "\(intruder.address)\(box) hands out addresses beside \(own.address): devices that take them use another way out. Unplug it, or switch its DHCP server off.",
          hosts: [intruder.box].compactMap(\.self), reasons: Array(intruder.reasons.prefix(3))))
    }
    return out
  }

  /// The only server that was heard, where the home's own network has another way out and he serves another network.
  private func strayServer(_ server: LocalServer?) -> [Finding] {
    guard let server, let home = snapshot.subnets.first(where: { $0.kind == .home && $0.prefix.address.isIPv4 }), home.servers.isEmpty,
      !home.prefix.contains(server.address), !server.prefixes.contains(home.prefix)
    else { return [] }
    let doors = home.gateways.compactMap(\.host) + [home.nextHop?.host].compactMap(\.self)
    // Its network is another one, and nothing says that it is the home router's own or the operator's.
    guard let door = doors.first, server.box.map({ boxes.box(of: door) != $0 && !Boxes.isRun(door, $0) }) ?? true,
      server.prefixes.allSatisfy({ prefix in snapshot.subnets.first { $0.prefix == prefix }?.kind == .unknown })
    else { return [] }
    let box = server.box.map { " (\($0))" } ?? ""
    return [
      Finding(
        .rogueDHCPServer,
        "\(server.address)\(box) hands out addresses of another network than your home's, \(home.prefix): devices that take them use another way out. Unplug it, or switch its DHCP server off.",
        hosts: [server.box].compactMap(\.self), reasons: Array(server.reasons.prefix(3)))
    ]
  }

  func isOperator(_ mac: MACAddress) -> Bool {
    host(mac)?.behindModem?.answer == .operatorSide || picture.isOperatorGear(mac)
  }

  func reachesInternet(_ mac: MACAddress) -> Bool { picture.reachesInternet(mac, owned) }

  func wire(_ mac: MACAddress) -> UInt16 { host(mac)?.vlans.first ?? 0 }

  func starvation() -> [Finding] {
    // Clients' hardware addresses in requests that came from one and the same station.
    var posed: [MACAddress: [(client: MACAddress, item: Evidence)]] = [:]
    picture.each { station, item in
      guard case .requestsLease(_, relay: nil) = item.claim, item.carrier.isStation, item.carrier != station.mac else { return }
      if !devices.contains(station.mac), posed[item.carrier]?.last?.client != station.mac {
        posed[item.carrier, default: []].append((station.mac, item))
      }
    }
    for (carrier, asked) in posed.sorted(by: { $0.key < $1.key }) where asked.count >= 16 {
      // Behind a repeater clients use what they get.
      let used = picture.station(carrier).map(HostRules.addressesUsed) ?? []
      let items = asked.filter { !HostRules.isLive($0.client, used, picture) }
      guard items.count >= 16 else { continue }
      return [
        Finding(
          .dhcpStarved,
          "\(name(carrier)) asks for addresses in the name of \(items.count) devices that never used one: it empties the address pool.",
          hosts: [boxes.box(of: carrier)], reasons: items.prefix(3).map { $0.item.reason(15) })
      ]
    }
    // Or from addresses that were used for nothing else.
    let invented = HostRules.invented(picture)
    guard !invented.isEmpty else { return [] }
    let reasons = invented.sorted().compactMap { mac -> Reason? in
      let item = picture.station(mac)?.first { if case .requestsLease = $0 { true } else { false } }
      return item?.reason(15, value: mac.description)
    }
    return [
      Finding(
        .dhcpStarved,
        "\(invented.count) made-up devices asked for addresses and never spoke of anything else: somebody empties the address pool.",
        hosts: [], reasons: Array(reasons.prefix(3)))
    ]
  }

  /// Devices that made up an address and have no other: by its announcement, asked before or not.
  func linkLocalOnly() -> [Finding] {
    var out: [Finding] = []
    for host in snapshot.hosts {
      guard let address = host.ipv4.first, host.ipv4.allSatisfy(\.isLinkLocal), let station = picture.station(host.id) else { continue }
      let asked = station.first(where: { if case .requestsLease = $0 { true } else { false } })
      let shown = station.evidence.contains {
        if case .holds(IPAddress(address), let how) = $0.claim { how != .reply } else { false }
      }
      guard asked != nil || shown else { continue }
      // Who got an address, or is about to take one, has a server.
      let isServed = station.evidence.contains {
        switch $0.claim {
        case .leased(let lease): !lease.isOffer && !IPAddress(lease.address).isLinkLocal
        case .wants(let other): !other.isLinkLocal && $0.basis == "arp"
        default: false
        }
      }
      guard !isServed else { continue }
      // It speaks from an address of another network, whoever gave it that.
      let hasOther = station.bindings.contains {
        $0.framesFrom > 0 && $0.address.isIPv4 && $0.address.isHost && !$0.address.isLinkLocal
          && AddressRules.isFullHopCount($0.highestHops)
      }
      guard !hasOther else { continue }
      out.append(
        Finding(
          .linkLocalOnly,
          "\(name(host.id)) \(asked == nil ? "" : "found no DHCP server and ")gave itself \(address): it reaches only devices that did the same.",
          hosts: [host.id],
          reasons: [asked?.reason(15)].compactMap(\.self)
            + [picture.reason(IPAddress(address), of: host.id, owned[host.id]?[IPAddress(address)] ?? nil, 15)]))
    }
    return out
  }
}
