import Wire

/// Who hands out addresses, and who gets none.
extension FindingRules {
  /// Who answered requests on this wire himself, by server address.
  func servers() -> [(address: IPAddress, host: MACAddress, given: [Picture.LeaseRecord])] {
    var found: [IPAddress: (host: MACAddress, given: [Picture.LeaseRecord])] = [:]
    for record in picture.leases where record.lease.relay == nil {
      guard let server = record.lease.server else { continue }
      found[IPAddress(server), default: (record.lease.carriedBy, [])].given.append(record)
    }
    return found.sorted { $0.key < $1.key }.map { ($0.key, $0.value.host, $0.value.given) }
  }

  func rogueServers() -> [Finding] {
    // Only servers that answer for themselves on this wire: relayed ones serve another class of device, and that is normal.
    let local = servers().filter { entry in owned[entry.host]?[entry.address] != nil || devices.contains(entry.host) }
    let here = local.filter { boxes.box(of: $0.host) != .zero }
    // Interfaces of one box are numbered in a run: a router that serves several networks is one server.
    var hosts: [MACAddress] = []
    for box in here.map({ boxes.box(of: $0.host) }) where !hosts.contains(where: { $0 == box || Boxes.isRun($0, box) }) {
      hosts.append(box)
    }
    guard hosts.count >= 2, snapshot.capture.vantage != .router else { return [] }
    // An operator's server for his own class of devices beside the home's own is as it should be, unless both answer the same client.
    guard !here.contains(where: { isOperator($0.host) }) || haveCommonClient(here.map(\.given)) else { return [] }
    // The same VLAN, or none: two wires may each have their own.
    let wires = Set(here.map { wire($0.host) })
    guard wires.count == 1 else { return [] }
    let reasons = here.compactMap { $0.given.first?.item.reason(25, value: $0.address.description) }
    var out = [
      Finding(
        .severalDHCPServers,
        "Several DHCP servers answer on this wire: \(here.prefix(8).map { "\($0.address) at \($0.host)" }.joined(separator: ", "))\(here.count > 8 ? " and \(here.count - 8) more" : "").",
        hosts: hosts, reasons: Array(reasons.prefix(8)))
    ]
    // The intruder: not the way to the internet, or else whoever serves fewer or came later.
    let counts = Dictionary(snapshot.subnets.map { ($0.prefix, $0.hosts.count) }, uniquingKeysWith: +)
    let ranked = here.map { entry in
      let members = Set(entry.given.compactMap(\.lease.prefix)).reduce(0) { $0 + (counts[$1] ?? 0) }
      return (entry, rank: (reachesInternet(entry.host) ? 0 : 1, -members, entry.given.map(\.item.firstFrame).min() ?? 0))
    }.sorted { $0.rank < $1.rank }.map(\.0)
    let rightful = boxes.box(of: ranked[0].host)
    for intruder in ranked.dropFirst()
    where boxes.box(of: intruder.host) != rightful && !Boxes.isRun(boxes.box(of: intruder.host), rightful) {
      let sets = Set(intruder.given.flatMap(\.lease.routers))
      guard sets.isDisjoint(with: ranked[0].given.flatMap(\.lease.routers)) || sets.isEmpty else { continue }
      guard !isOperator(intruder.host), !isOperator(ranked[0].host) else { continue }
      out.append(
        Finding(
          .rogueDHCPServer,
          "\(intruder.address) (\(intruder.host)) hands out addresses beside \(ranked[0].address): devices that take them use another way out. Unplug it, or switch its DHCP server off.",
          hosts: [boxes.box(of: intruder.host)],
          reasons: intruder.given.prefix(3).map { $0.item.reason(25, value: intruder.address.description) }))
    }
    return out
  }

  private func haveCommonClient(_ answers: [[Picture.LeaseRecord]]) -> Bool {
    var seen = Set<MACAddress>()
    for given in answers {
      let clients = Set(given.map(\.station))
      if !seen.isDisjoint(with: clients) { return true }
      seen.formUnion(clients)
    }
    return false
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

  /// Devices that asked for an address and made one up in the end. Who never asked may have found a server elsewhere, or want none.
  func linkLocalOnly() -> [Finding] {
    var out: [Finding] = []
    for host in snapshot.hosts {
      guard let address = host.ipv4.first, host.ipv4.allSatisfy(\.isLinkLocal), let station = picture.station(host.id),
        let asked = station.first(where: { if case .requestsLease = $0 { true } else { false } })
      else { continue }
      // It speaks from an address of another network, whoever gave it that.
      let hasOther = station.bindings.contains {
        $0.framesFrom > 0 && $0.address.isIPv4 && $0.address.isHost && !$0.address.isLinkLocal
          && AddressRules.isFullHopCount($0.highestHops)
      }
      guard !hasOther else { continue }
      out.append(
        Finding(
          .linkLocalOnly, "\(name(host.id)) found no DHCP server and gave itself \(address): it reaches only devices that did the same.",
          hosts: [host.id],
          reasons: [asked.reason(15), picture.reason(IPAddress(address), of: host.id, owned[host.id]?[IPAddress(address)] ?? nil, 15)]))
    }
    return out
  }
}
