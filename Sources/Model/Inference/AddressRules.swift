import Wire

/// Which addresses are a station's own. A router's MAC carries the addresses of half the internet; only what somebody states, or what
/// the address's own subnet allows, makes an address his (`inference.md` 3).
enum AddressRules {
  /// On-link prefixes known for certain: leases, advertisements, interfaces.
  static func exactPrefixes(_ picture: Picture) -> Set<Prefix> {
    var out = Set<Prefix>()
    for record in picture.leases { if let prefix = record.lease.prefix, isUsable(prefix) { out.insert(prefix) } }
    picture.each { _, item in
      if case .advertisesPrefix(let prefix, onLink: true) = item.claim, isUsable(prefix) { out.insert(prefix) }
    }
    return out
  }

  /// A prefix that can be somebody's subnet: a mask of a few bits is a mistake, one of all bits no network.
  static func isUsable(_ prefix: Prefix) -> Bool {
    prefix.address.isIPv4 ? (8...31).contains(prefix.length) : (16...127).contains(prefix.length)
  }

  /// The addresses of every station, each with the record that says so; nil where its packets alone show it.
  typealias Owned = [MACAddress: [IPAddress: Evidence?]]

  /// What is owned, and the part of it that shows which networks there are: an address that may be anywhere does not.
  static func owned(_ picture: Picture, hosts: Set<MACAddress>) -> (all: Owned, local: Owned) {
    let exact = exactPrefixes(picture)
    var local = stated(picture, exact: exact)
    let rules = SourceRules(picture, exact: exact, stated: local)
    if rules.isIdle {
      local = withoutPast(local, picture)
      return (local, local)
    }
    func add(_ addresses: [IPAddress], of mac: MACAddress, to owned: inout Owned) {
      for address in addresses where owned[mac]?[address] == nil { owned[mac, default: [:]][address] = .some(nil) }
    }
    for mac in picture.order { add(rules.alone(mac), of: mac, to: &local) }
    // The networks that these show give more addresses their owners.
    let networks = SubnetRules.judge(picture, owned: local, hosts: hosts).subnets.map(\.prefix)
    for (mac, addresses) in rules.inside(networks) { add(addresses, of: mac, to: &local) }
    var all = local
    for mac in picture.order { add(rules.anywhere(mac, known: local[mac]), of: mac, to: &all) }
    return (withoutPast(all, picture), withoutPast(local, picture))
  }

  /// Without what a newer lease took the place of, and without an address left over from elsewhere from which somebody only asked, in vain.
  private static func withoutPast(_ owned: Owned, _ picture: Picture) -> Owned {
    var out = owned
    for (mac, addresses) in owned where addresses.keys.count(where: { $0.isIPv4 && !$0.isLinkLocal }) > 1 {
      guard let station = picture.station(mac) else { continue }
      for address in Tenure.replaced(station, picture).keys { out[mac]?[address] = nil }
      for address in leftOver(station, owned) { out[mac]?[address] = nil }
    }
    return out
  }

  /// Addresses of which a station did no more than ask for others that nobody here has: a network that it was in before (RFC 4436 tells hosts
  /// to look for it). Only where a server gave it another one here.
  private static func leftOver(_ station: Picture.Station, _ owned: Owned) -> [IPAddress] {
    let isServed = station.evidence.contains { if case .leased(let lease) = $0.claim { !lease.isOffer } else { false } }
    guard isServed else { return [] }
    var sought: [IPAddress: [IPAddress]] = [:]
    var shown = Set<IPAddress>()
    for item in station.evidence {
      switch item.claim {
      case .seeks(let target, let from): sought[from, default: []].append(target)
      case .leased(let lease): shown.insert(IPAddress(lease.address))
      case .holds(let address, let how) where how != .request: shown.insert(address)
      default: break
      }
    }
    return sought.filter { from, targets in
      guard !shown.contains(from), station.binding(from).map({ $0.framesFrom == 0 }) ?? true else { return false }
      return targets.allSatisfy { target in !owned.contains { $0.value[target] != nil } }
    }.map(\.key)
  }

  /// What somebody states.
  private static func stated(_ picture: Picture, exact: Set<Prefix>) -> Owned {
    var out: Owned = [:]
    // Who shows an address by more than answering for it: then another's mere answer is a proxy's.
    var shown: [IPAddress: [MACAddress: Timestamp]] = [:]
    picture.each { station, item in
      if case .holds(let address, let holding) = item.claim, holding != .reply, !picture.forged.isForged(address, by: station.mac) {
        let first = shown[address]?[station.mac] ?? item.first
        shown[address, default: [:]][station.mac] = min(first, item.first)
      }
    }
    for mac in picture.order {
      guard let station = picture.station(mac) else { continue }
      var own: [IPAddress: Evidence?] = [:]
      let home = prefixes(of: station, exact)
      let guarded = guardedAddresses(station, picture)
      for item in station.evidence {
        switch item.claim {
        case .holds(let address, _) where guarded.contains(address) || picture.forged.isForged(address, by: mac): continue
        case .holds(let address, let holding) where address.isHost:
          if holding == .reply, isProxied(address, by: mac, until: item.last, home, shown, picture) { continue }
          if own[address] == nil { own[address] = item }
        case .isVirtualRouter(_, let address?) where address.isHost:
          if own[address] == nil { own[address] = item }
        case .leased(let lease) where !lease.isOffer && lease.address.isHost:
          if own[IPAddress(lease.address)] == nil { own[IPAddress(lease.address)] = item }
        default: break
        }
      }
      if !own.isEmpty { out[mac] = own }
    }
    return out
  }

  /// Addresses of sleepers that a station answers for (a sleep proxy says so): they stay theirs.
  static func guardedAddresses(_ station: Picture.Station, _ picture: Picture) -> Set<IPAddress> {
    var out = Set<IPAddress>()
    guard picture.guardians.contains(station.mac) else { return out }
    for item in station.evidence {
      // A proxy that does not name its sleepers: it speaks for an address since its owner fell silent.
      if case .holds(let address, let how) = item.claim, how == .announcement || how == .reply, picture.sleepProxies.contains(station.mac),
        picture.isSilentOwners(address, since: item.first, besides: station.mac)
      {
        out.insert(address)
      }
      guard case .guards(let sleeper) = item.claim, sleeper != station.mac else { continue }
      for said in picture.station(sleeper)?.evidence ?? [] {
        switch said.claim {
        case .holds(let address, _): out.insert(address)
        case .leased(let lease) where !lease.isOffer: out.insert(IPAddress(lease.address))
        default: break
        }
      }
    }
    return out
  }

  /// The stated prefixes in which a station shows an address by more than an answer.
  private static func prefixes(of station: Picture.Station, _ exact: Set<Prefix>) -> [Prefix] {
    exact.filter { prefix in
      prefix.address.isIPv4
        && station.evidence.contains {
          switch $0.claim {
          case .holds(let address, let how): how != .reply && prefix.contains(address)
          case .leased(let lease): !lease.isOffer && prefix.contains(IPAddress(lease.address))
          default: false
          }
        }
    }
  }

  /// Whether an answer for an address is that of a proxy: another station shows the address itself, or it lies outside the subnets in
  /// which the answering station lives.
  private static func isProxied(
    _ address: IPAddress, by mac: MACAddress, until last: Timestamp, _ home: [Prefix], _ shown: [IPAddress: [MACAddress: Timestamp]],
    _ picture: Picture
  ) -> Bool {
    // Who answered before another one began had it then.
    if let others = shown[address], others[mac] == nil,
      others.contains(where: { (picture.station($0.key)?.sends ?? false) && $0.value <= last })
    {
      return true
    }
    // Its packets have spent a hop when they come from there: they were forwarded.
    if let packets = picture.station(mac)?.bindings.first(where: { $0.address == address && $0.framesFrom > 0 }),
      [63, 127, 254].contains(packets.highestHops)
    {
      return true
    }
    return address.isIPv4 && !home.isEmpty && !home.contains { $0.contains(address) }
  }

  /// Whether a hop limit is one that systems start with (`protocols.md` 5).
  static func isFullHopCount(_ hops: UInt8) -> Bool { hops == 64 || hops == 128 || hops == 255 || hops == 32 || hops == 60 || hops == 30 }
}
