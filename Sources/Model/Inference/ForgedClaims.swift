import Wire

/// Who says again and again, unasked, that he has an address that is another box's (`inference.md` 17, rule 8). Found before anybody's
/// addresses are settled, so that no claim of a forger makes him a gateway.
struct ForgedClaims {
  /// By the claimant: the addresses that he claims falsely, with the records.
  private(set) var claims: [MACAddress: [IPAddress: [Evidence]]] = [:]

  /// Fewer may be a mistake, or one who announces himself.
  private static let enough = 3
  /// So often nobody announces himself: of whom no other address was heard.
  private static let many = 10

  func isForged(_ address: IPAddress, by mac: MACAddress) -> Bool { claims[mac]?[address] != nil }
  func isForger(_ mac: MACAddress) -> Bool { claims[mac] != nil }

  init() {}

  init(_ picture: Picture) {
    var claimed: [MACAddress: [IPAddress: [Evidence]]] = [:]
    var asked: [IPAddress: Int] = [:]
    picture.each { station, item in
      switch item.claim {
      case .holds(let address, let how) where how == .reply || how == .announcement:
        if item.basis == "arp", station.mac.isStation, !station.mac.isVirtualRouter, address.isHost {
          claimed[station.mac, default: [:]][address, default: []].append(item)
        }
      case .seeks(let address, _): asked[address, default: 0] += item.count
      case .wants(let address): asked[address, default: 0] += item.count
      default: break
      }
    }
    for (mac, addresses) in claimed.sorted(by: { $0.key < $1.key }) {
      for (address, items) in addresses.sorted(by: { $0.key < $1.key }) {
        let announced = items.filter { $0.claim == .holds(address, .announcement) }.reduce(0) { $0 + $1.count }
        let answered = items.filter { $0.claim == .holds(address, .reply) }.reduce(0) { $0 + $1.count }
        let unasked = announced + max(0, answered - (asked[address] ?? 0))
        guard unasked >= ForgedClaims.enough, let first = items.map(\.first).min(), let station = picture.station(mac) else { continue }
        if picture.routerGroups[address]?.contains(mac) ?? false { continue }
        if AddressRules.guardedAddresses(station, picture).contains(address) { continue }
        guard let hasOther = ForgedClaims.hasOther(station, address), hasOther || unasked >= ForgedClaims.many,
          ForgedClaims.belongsToOther(address, station, since: first, picture)
        else { continue }
        claims[mac, default: [:]][address] = items
      }
    }
  }

  /// Whether a station has another address in its own right; nil where it has this one.
  private static func hasOther(_ station: Picture.Station, _ address: IPAddress) -> Bool? {
    var hasOther = false
    for item in station.evidence {
      switch item.claim {
      case .holds(address, .request), .holds(address, .statement), .holds(address, .lease): return nil
      case .leased(let lease) where !lease.isOffer:
        if IPAddress(lease.address) == address { return nil }
        hasOther = true
      case .holds(let other, let how) where how != .reply && other.isIPv4 == address.isIPv4 && other != address && !other.isLinkLocal:
        hasOther = true
      default: break
      }
    }
    return hasOther
  }

  /// Whether another box has the address and still speaks: it shows so, sends from it, or the claimant himself takes it for his server.
  private static func belongsToOther(_ address: IPAddress, _ station: Picture.Station, since first: Timestamp, _ picture: Picture) -> Bool {
    // He looks for it himself, asked that server for his own address, or was told that it is his way out.
    let isClient = station.evidence.contains {
      switch $0.claim {
      case .seeks(address, _): true
      case .requestsLease(let server?, _): IPAddress(server) == address
      case .leased(let lease) where !lease.isOffer:
        lease.server.map { IPAddress($0) } == address || lease.routers.contains { IPAddress($0) == address }
      default: false
      }
    }
    if isClient { return true }
    let own = Set(ownAddresses(station))
    for mac in picture.order where mac != station.mac && mac.isStation {
      guard let other = picture.station(mac), other.sends, let row = other.row, row.lastSeen > first.nanoseconds else { continue }
      let shows = other.evidence.contains {
        if case .holds(address, let how) = $0.claim { how != .lease } else { false }
      }
      if shows || other.binding(address).map({ $0.framesFrom > 0 && SourceRules.startsHere($0) }) ?? false { return true }
    }
    // What comes to him from the internet comes from another box than himself.
    return picture.pairs.contains { row in
      guard !row.toGroup else { return false }
      return [(row.a, row.b, row.framesFromA), (row.b, row.a, row.framesFromB)].contains { from, to, frames in
        frames > 0 && to.mac == station.mac && own.contains(to.address) && from.mac.isStation && from.address.isHost
          && !from.address.isInternal
      }
    }
  }

  private static func ownAddresses(_ station: Picture.Station) -> [IPAddress] {
    station.evidence.compactMap { item in
      switch item.claim {
      case .holds(let address, let how) where how != .reply: address
      case .leased(let lease) where !lease.isOffer: IPAddress(lease.address)
      default: nil
      }
    }
  }
}
