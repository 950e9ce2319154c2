import Wire

/// Who claims an address that is somebody else's, by right, by mistake or by fraud.
extension FindingRules {
  /// How stations tell who has an address: of IPv4, and of IPv6.
  private static let resolution: Set<String> = ["arp", "ndp"]

  /// Every station's claims to an address in order of time, those of an answer apart.
  func claims(of address: IPAddress) -> [(mac: MACAddress, item: Evidence)] {
    var out: [(MACAddress, Evidence)] = []
    picture.each { station, item in
      if case .holds(address, let holding) = item.claim, Self.resolution.contains(item.basis), holding != .lease {
        out.append((station.mac, item))
      }
    }
    return out
  }

  func findContested() -> [IPAddress: Set<MACAddress>] {
    // Nearly every address has one claimant: a set is for those that have more.
    var first: [IPAddress: MACAddress] = [:]
    var by: [IPAddress: Set<MACAddress>] = [:]
    picture.each { station, item in
      guard case .holds(let address, _) = item.claim, Self.resolution.contains(item.basis), !station.mac.isVirtualRouter else {
        return
      }
      if AddressRules.guardedAddresses(station, picture).contains(address) { return }
      let box = boxes.box(of: station.mac)
      guard let other = first[address] else {
        first[address] = box
        return
      }
      if other != box { by[address, default: [other]].insert(box) }
    }
    return by.filter { address, macs in
      // Routers that stand in for each other hand the address on by their own protocol.
      guard let group = picture.routerGroups[address] else { return true }
      return !macs.isSubset(of: group.map { boxes.box(of: $0) })
    }
  }

  /// A station that already has an address of its own says again and again, unasked, that it also has others' — the gateway's above all.
  func findSpoofers() -> [MACAddress: [Evidence]] {
    var out: [MACAddress: [Evidence]] = [:]
    for (mac, addresses) in picture.forged.claims {
      out[mac] = addresses.sorted { $0.key < $1.key }.flatMap(\.value)
    }
    let routers = Set(snapshot.subnets.flatMap { $0.gateways.compactMap(\.host) })
    for (address, macs) in contested.sorted(by: { $0.key < $1.key }) {
      for mac in macs.sorted() where !picture.forged.isForged(address, by: mac) {
        guard let station = picture.station(mac) else { continue }
        let claims = station.evidence.filter {
          if case .holds(address, _) = $0.claim { Self.resolution.contains($0.basis) } else { false }
        }
        let unasked = claims.filter { if case .holds(_, .request) = $0.claim { false } else { true } }
        guard unasked.reduce(0, { $0 + $1.count }) >= 2 else { continue }
        // Its real address is another one, shown in its own right.
        let hasOwn = station.evidence.contains {
          if case .holds(let own, let how) = $0.claim {
            own != address && own.isIPv4 == address.isIPv4 && (how == .request || how == .announcement || how == .statement)
          } else if case .leased(let lease) = $0.claim {
            IPAddress(lease.address) != address
          } else {
            false
          }
        }
        // The rightful holder shows it by more than answers, or got it from a server.
        let rightful = macs.filter { $0 != mac }.contains { holdsByRight($0, address) }
        guard hasOwn, rightful, !holdsByRight(mac, address) || isForged(address, by: mac, against: macs) else { continue }
        if gatewayAddresses.contains(address) || !routers.contains(mac) { out[mac, default: []] += unasked }
      }
    }
    return out
  }

  func holdsByRight(_ mac: MACAddress, _ address: IPAddress) -> Bool {
    guard let station = picture.station(mac) else { return false }
    return station.evidence.contains {
      switch $0.claim {
      case .holds(address, .request), .holds(address, .statement), .holds(address, .announcement): true
      case .leased(let lease): IPAddress(lease.address) == address && !lease.isOffer
      default: false
      }
    }
  }

  /// Announcing an address is a right of its holder; a station that has another address in its own right and is contradicted by the
  /// holder again and again only pretends.
  private func isForged(_ address: IPAddress, by mac: MACAddress, against macs: Set<MACAddress>) -> Bool {
    guard let station = picture.station(mac) else { return false }
    var first: Timestamp?
    var count = 0
    var hasOwn = false
    for item in station.evidence {
      switch item.claim {
      case .holds(address, .request), .holds(address, .statement): return false
      case .holds(address, _):
        first = min(first ?? item.first, item.first)
        count += item.count
      case .holds(let own, .request): hasOwn = hasOwn || own.isIPv4
      case .leased(let lease):
        if IPAddress(lease.address) == address { return false }
        hasOwn = hasOwn || !lease.isOffer
      default: break
      }
    }
    guard let first, hasOwn, count >= 3 else { return false }
    return macs.contains { other in
      other != mac
        && picture.station(other)?.evidence.contains {
          switch $0.claim {
          case .holds(address, .request), .holds(address, .statement): $0.last > first
          default: false
          }
        } ?? false
    }
  }

  func spoofing() -> [Finding] {
    spoofers.sorted { $0.key < $1.key }.compactMap { mac, items in
      let taken = Set(items.compactMap { item -> IPAddress? in if case .holds(let address, _) = item.claim { address } else { nil } })
      guard picture.forged.isForger(mac) || !taken.isDisjoint(with: gatewayAddresses) else { return nil }
      return Finding(
        .arpSpoofing,
        "\(name(mac)) tells others that it has \(taken.sorted().map(\.description).joined(separator: " and ")), which belongs to somebody else: it can read or change their traffic.",
        hosts: [mac], reasons: items.prefix(4).map { $0.reason(15) })
    }
  }

  func conflicts() -> [Finding] {
    // Who takes the way out's address is named there; who takes another's is named here.
    let liars = Set(spoofing().flatMap(\.hosts))
    let proxies = Set(proxyStations.map(\.mac))
    var out: [Finding] = []
    for (address, macs) in contested.sorted(by: { $0.key < $1.key }) {
      let rivals = macs.subtracting(liars).subtracting(proxies).filter { holdsByRight($0, address) || defends($0, address) }
      guard rivals.count >= 2, !isOneHost(rivals) else { continue }
      let items = claims(of: address).filter { rivals.contains(boxes.box(of: $0.mac)) }
      guard alternates(items) || overlap(rivals, address) || areMany(items) else { continue }
      out.append(
        Finding(
          .ipConflict, "\(address) is claimed by \(rivals.count) devices: \(rivals.sorted().map(name).joined(separator: " and ")).",
          hosts: rivals.sorted(), reasons: items.prefix(4).map { $0.item.reason(15, value: "\(address) at \($0.mac)") }))
    }
    return out
  }

  func defends(_ mac: MACAddress, _ address: IPAddress) -> Bool {
    picture.station(mac)?.evidence.contains { $0.claim == .holds(address, .reply) } ?? false
  }

  /// Both speak for it in turn: the earlier one is heard again after the later one began, within ten minutes.
  func alternates(_ items: [(mac: MACAddress, item: Evidence)]) -> Bool {
    for a in items {
      for b in items where boxes.box(of: a.mac) != boxes.box(of: b.mac) {
        if a.item.first <= b.item.first, a.item.last >= b.item.first, a.item.last.since(b.item.first) <= 600 { return true }
        // An answer to the newcomer's announcement is a defence.
        if case .holds(_, .reply) = a.item.claim, abs(a.item.first.since(b.item.first)) <= 600 { return true }
      }
    }
    return false
  }

  /// Both used it at the same time: packets count, too.
  private func overlap(_ macs: Set<MACAddress>, _ address: IPAddress) -> Bool {
    let spans = macs.sorted().compactMap { Tenure($0, address, picture) }
    return spans.indices.contains { a in
      spans.indices.contains { b in
        a != b && spans[a].first < spans[b].first && spans[a].last > spans[b].first && spans[a].last.since(spans[b].first) <= 600
      }
    }
  }

  /// Three boxes and more within a minute, once each: an address that moves does not go through so many.
  private func areMany(_ items: [(mac: MACAddress, item: Evidence)]) -> Bool {
    let starts = Dictionary(items.map { (boxes.box(of: $0.mac), $0.item.first) }, uniquingKeysWith: min).values.sorted()
    return starts.count >= 3 && zip(starts, starts.dropFirst(2)).contains { $1.since($0) <= 60 }
  }

  /// One laptop with cable and radio moves its address between both: the same name tells.
  func isOneHost(_ macs: Set<MACAddress>) -> Bool {
    let names = macs.map { mac in Set((host(mac)?.names ?? []).map { $0.text.lowercasedASCII }) }
    guard let first = names.first else { return false }
    return !names.dropFirst().reduce(first) { $0.intersection($1) }.isEmpty
  }

  /// Stations that answer for several addresses that others hold, or that nobody holds.
  func findProxyStations() -> [(mac: MACAddress, items: [Evidence])] {
    var out: [(MACAddress, [Evidence])] = []
    let liars = Set(spoofers.keys)
    for mac in picture.order where devices.contains(mac) && !liars.contains(mac) {
      guard let station = picture.station(mac) else { continue }
      // Guards of sleepers answer for them, and say so.
      if picture.guardians.contains(mac) { continue }
      if picture.isOperatorGear(mac) { continue }
      guard station.evidence.contains(where: { if case .holds(_, .reply) = $0.claim { true } else { false } }) else { continue }
      let own = ownByRight(station)
      let foreign = station.evidence.filter { item in
        guard case .holds(let address, .reply) = item.claim, item.basis == "arp", !own.contains(address) else { return false }
        // What it had before another one took it over was its own.
        if owned[mac]?[address] != nil, Tenure.past([mac] + holders(of: address), address, picture).contains(mac) { return false }
        // The role of a router group is its members' own.
        if picture.routerGroups[address]?.contains(mac) ?? false { return false }
        let inside = snapshot.subnets.filter { $0.prefix.contains(address) }
        // Who was only ever heard answering may have several addresses: nothing shows that one of them is not his.
        let isElsewhere = own.contains(where: \.isIPv4) && !inside.contains { subnet in own.contains { subnet.prefix.contains($0) } }
        return isElsewhere || isHeldByOther(address, mac) || owned[mac]?[address] == nil
      }
      let isRouter = VantageRules.isGateway(station, picture) || !own.isDisjoint(with: gatewayAddresses)
      // A router may have an address in a network more than was heard of: a single one must be somebody's.
      let isSomebodys = foreign.contains { item in
        if case .holds(let address, _) = item.claim { isHeldByOther(address, mac) } else { false }
      }
      if foreign.count >= 2 || (foreign.count == 1 && isRouter && isSomebodys) { out.append((mac, foreign)) }
    }
    return out
  }

  private func holders(of address: IPAddress) -> [MACAddress] {
    (contested[address] ?? []).flatMap { [$0] + (boxes.aliases[$0] ?? []) }.filter { owned[$0]?[address] != nil }
  }

  func ownByRight(_ station: Picture.Station) -> Set<IPAddress> {
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

  func isHeldByOther(_ address: IPAddress, _ mac: MACAddress) -> Bool {
    devices.contains { $0 != mac && holdsByRight($0, address) }
  }

  func proxies() -> [Finding] {
    proxyStations.map { mac, items in
      Finding(
        .proxyARP,
        "\(name(mac)) answers ARP for addresses that are not its own (\(items.prefix(3).map { $0.claim.valueText.display }.joined(separator: ", "))): devices with a wrong mask still get through, by way of it.",
        hosts: [boxes.box(of: mac)], reasons: items.prefix(4).map { $0.reason(12) })
    }
  }
}
