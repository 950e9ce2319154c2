import Wire

/// Which source addresses can only be the sender's own, judged by its packets alone: those that nobody can have forwarded
/// (`inference.md` 3 and 4). What somebody states comes first, and is another's matter (`AddressRules`).
struct SourceRules {
  /// An address with the station whose frames carry it.
  private typealias End = PairRow.End

  /// What the pairs say of one such end.
  private struct Use {
    /// Spoke to a group of this link, which no router forwards to (RFC 5771, 4; RFC 4291, 2.7; RFC 919, 7).
    var staysOnLink = false
    /// Spoke to one station, not only to groups.
    var isUnicast = false
    /// Spoke with a private address: then a public one lies beyond a router.
    var meetsPrivate = false
  }

  private let picture: Picture
  private let exact: Set<Prefix>
  private let stated: [MACAddress: [IPAddress: Evidence?]]
  /// Candidates: nobody stated whose they are.
  private let sources: [MACAddress: [BindingRow]]
  private let uses: [End: Use]

  init(_ picture: Picture, exact: Set<Prefix>, stated: [MACAddress: [IPAddress: Evidence?]]) {
    self.picture = picture
    self.exact = exact
    self.stated = stated
    var holders: [IPAddress: MACAddress] = [:]
    for mac in picture.order where picture.station(mac)?.sends ?? false {
      for address in (stated[mac] ?? [:]).keys { holders[address] = mac }
    }
    var sources: [MACAddress: [BindingRow]] = [:]
    for mac in picture.order where !mac.isVirtualRouter {
      guard let station = picture.station(mac), station.row != nil else { continue }
      let isKnown = SourceRules.hasAddress(stated[mac])
      // Of who has an address, and may be a router, only what starts here.
      let rows = station.bindings.filter {
        $0.framesFrom > 0 && $0.address.isHost && holders[$0.address] == nil
          && (!isKnown || SourceRules.startsHere($0) || $0.address.isLinkLocal)
      }
      if !rows.isEmpty { sources[mac] = rows }
    }
    self.sources = sources
    uses = SourceRules.uses(sources, picture)
  }

  /// Whether somebody states all there is.
  var isIdle: Bool { sources.isEmpty }

  private static func uses(_ sources: [MACAddress: [BindingRow]], _ picture: Picture) -> [End: Use] {
    guard !sources.isEmpty else { return [:] }
    var out: [End: Use] = [:]
    for (mac, rows) in sources { for row in rows { out[End(mac: mac, address: row.address)] = Use() } }
    for row in picture.pairs {
      for (from, to, bytes) in [(row.a, row.b, row.bytesFromA), (row.b, row.a, row.bytesFromB)] where bytes > 0 && sources[from.mac] != nil
      {
        guard var use = out[from] else { continue }
        if row.toGroup, to.address.staysOnLink { use.staysOnLink = true }
        if !row.toGroup {
          use.isUnicast = true
          if to.address.isInternal, !to.address.isLinkLocal { use.meetsPrivate = true }
        }
        out[from] = use
      }
    }
    return out
  }

  // MARK: What packets alone prove

  /// Addresses that a station needs no subnet for: link-local ones, those of stated prefixes, and where no address of the station is known
  /// that from which it spoke to this link alone, or the one private address from which its packets start.
  func alone(_ mac: MACAddress) -> [IPAddress] {
    guard let rows = sources[mac] else { return [] }
    var own: [IPAddress] = []
    let isDialled = isDialled(mac)
    for row in rows {
      if row.address.isLinkLocal {
        own.append(row.address)
      } else if !isDialled, exact.contains(where: { $0.contains(row.address) }), SourceRules.startsHere(row) {
        own.append(row.address)
      }
    }
    guard !isDialled, !SourceRules.hasAddress(stated[mac]), own.allSatisfy({ !$0.isIPv4 || $0.isLinkLocal }) else { return own }
    let inner = rows.filter { $0.address.isIPv4 && $0.address.isInternal && !$0.address.isLinkLocal }
    let bound = inner.filter { isBoundToLink($0, mac) }
    let fresh = inner.filter(SourceRules.startsHere)
    own += bound.map(\.address)
    if fresh.count == 1, let only = fresh.first, !bound.contains(where: { $0.address == only.address }) { own.append(only.address) }
    return own
  }

  /// Addresses inside networks that are known to be on this wire: there a packet that starts here is its sender's, or nobody's.
  func inside(_ networks: [Prefix]) -> [MACAddress: [IPAddress]] {
    var out: [MACAddress: [IPAddress]] = [:]
    for mac in picture.order where !isDialled(mac) {
      for row in sources[mac] ?? [] where SourceRules.startsHere(row) || isBoundToLink(row, mac) {
        if networks.contains(where: { $0.contains(row.address) }) { out[mac, default: []].append(row.address) }
      }
    }
    return out
  }

  /// Addresses that may be anywhere: that of a station which forwards for nobody, has no other, and starts all its packets. They say
  /// nothing of a network on this wire.
  func anywhere(_ mac: MACAddress, known: [IPAddress: Evidence?]?) -> [IPAddress] {
    guard let rows = sources[mac], let station = picture.station(mac), !SourceRules.forwards(station, own: known) else { return [] }
    let others = rows.filter { !$0.address.isLinkLocal && known?[$0.address] == nil }
    guard others.allSatisfy({ startsAsKnown($0) || isBoundToLink($0, mac) }) else { return [] }
    var own: [IPAddress] = []
    let v4 = others.filter(\.address.isIPv4)
    if v4.count == 1, let only = v4.first, !SourceRules.hasAddress(known) { own.append(only.address) }
    // A host makes up several addresses in one prefix (RFC 8981).
    let v6 = others.filter { !$0.address.isIPv4 }
    if Set(v6.map { Prefix($0.address, 64) }).count == 1 { own += v6.map(\.address) }
    return own.filter { address in
      address.isInternal || !(uses[End(mac: mac, address: address)]?.meetsPrivate ?? false)
    }
  }

  private func isDialled(_ mac: MACAddress) -> Bool { picture.station(mac)?.row?.flags.contains(.pppoe) ?? false }

  /// A path in the internet may end in 32 or 60 by chance, hardly in these.
  private func startsAsKnown(_ row: BindingRow) -> Bool { row.highestHops == 64 || row.highestHops == 128 || row.highestHops == 255 }

  /// Whether packets were for this link alone: to its groups, or to any group with no hop to give.
  private func isBoundToLink(_ row: BindingRow, _ mac: MACAddress) -> Bool {
    guard let use = uses[End(mac: mac, address: row.address)] else { return false }
    return use.staysOnLink || (row.highestHops == 1 && !use.isUnicast)
  }

  /// Whether a station has an address that reaches further than its link.
  private static func hasAddress(_ own: [IPAddress: Evidence?]?) -> Bool { own?.keys.contains { $0.isIPv4 && !$0.isLinkLocal } ?? false }

  /// Whether the packets from an address come with a hop limit that systems start with, or that lets them no further.
  static func startsHere(_ row: BindingRow) -> Bool { row.highestHops == 1 || AddressRules.isFullHopCount(row.highestHops) }

  /// Whether all packets from an address have spent some of the hops that systems start with: as many as paths in the internet have.
  static func wasForwarded(_ row: BindingRow) -> Bool {
    let hops = Int(row.highestHops)
    guard row.framesFrom > 0, !startsHere(row) else { return false }
    return [64, 128, 255].contains { hops < $0 && $0 - hops <= 40 }
  }

  /// Whether packets of others come through a station.
  static func forwards(_ station: Picture.Station, own: [IPAddress: Evidence?]?) -> Bool {
    station.bindings.contains { $0.address.isHost && !$0.address.isLinkLocal && own?[$0.address] == nil && wasForwarded($0) }
  }
}

extension Picture.Station {
  /// What its frames carry of one address. They are sorted, and a router has thousands.
  func binding(_ address: IPAddress) -> BindingRow? {
    var (low, high) = (0, bindings.count)
    while low < high {
      let middle = low + (high - low) / 2
      if bindings[middle].address < address { low = middle + 1 } else { high = middle }
    }
    return low < bindings.count && bindings[low].address == address ? bindings[low] : nil
  }
}

extension IPAddress {
  /// Whether packets to it end on the link that they were sent on: its groups and broadcast.
  var staysOnLink: Bool {
    if let v4 { return v4.bits >> 8 == 0xe0_0000 || v4 == .broadcast }
    // Interface-local and link-local scope.
    return high >> 56 == 0xff && (high >> 48 & 15 == 1 || high >> 48 & 15 == 2)
  }
}
