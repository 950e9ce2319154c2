import Wire

/// Stands in for what tells whose network this is: addresses, names, texts. The same original has the same pseudonym throughout a
/// document, and the same document always the same ones.
///
/// Pseudonyms are numbered, not computed from the original: half of a MAC is 24 bits, and whoever has a fingerprint of it tries them all.
struct Pseudonyms {
  private var stations: [UInt64: MACAddress] = [:]
  private var suffixes = Set<UInt32>()
  private var nextSuffix: UInt32 = 1

  private var hosts4: [UInt32: UInt32] = [:]
  private var blocks4: [(prefix: Prefix, base: UInt32, used: UInt32)] = []
  private var taken4 = Set<UInt32>()
  /// 198.18.0.0/15, the range that RFC 2544 keeps for measurements: nobody's, and large. Single addresses go into its second half.
  private var nextBlock: UInt32 = 0xc612_0000
  private var nextHost: UInt32 = 0xc613_0001

  private var sites6: [UInt64: UInt64] = [:]
  private var nets6: [UInt64: UInt64] = [:]
  private var netCount: [UInt64: UInt64] = [:]
  private var tails6: [UInt64: UInt64] = [:]
  private var taken6 = Set<UInt64>()

  private var texts: [String: [[UInt8]: Int]] = [:]

  /// Everything that must not come out as somebody else's pseudonym.
  init(avoiding macs: some Sequence<MACAddress>, _ addresses: some Sequence<IPAddress>) {
    for mac in macs { suffixes.insert(mac.suffix) }
    for address in addresses {
      if let v4 = address.v4 { taken4.insert(v4.bits) } else { taken6.insert(address.high >> 16) }
    }
  }

  // MARK: Stations

  /// The maker stays, the rest is a number. An address made up at random has no maker to keep.
  mutating func mac(_ mac: MACAddress) -> MACAddress {
    if mac.isZero || mac == .broadcast || mac.isVirtualRouter { return mac }
    let top = mac.bits >> 24
    if mac.isGroup {
      // Of the groups only IPv6's solicited nodes hold a part of somebody's address (RFC 4291, 2.7.1).
      guard mac.bits >> 32 == 0x3333, mac.bits >> 24 & 0xff == 0xff else { return mac }
      return MACAddress(bits: top << 24 | UInt64(suffix(mac.suffix)))
    }
    if let known = stations[mac.bits] { return known }
    while suffixes.contains(nextSuffix) { nextSuffix += 1 }
    // QEMU's prefix is local and yet a maker's.
    let maker = mac.isLocal && top != 0x52_5400 ? 0x02_0000 : top
    let new = MACAddress(bits: maker << 24 | UInt64(nextSuffix))
    nextSuffix += 1
    stations[mac.bits] = new
    return new
  }

  /// For three bytes that stand alone: those of a known station, if it is one's.
  private mutating func suffix(_ suffix: UInt32) -> UInt32 {
    let owner = stations.filter { $0.key & 0xff_ffff == UInt64(suffix) }.min { $0.key < $1.key }
    if let owner { return owner.value.suffix }
    return mac(MACAddress(bits: 0x02_0000 << 24 | UInt64(suffix))).suffix
  }

  // MARK: Addresses

  mutating func address(_ address: IPAddress) -> IPAddress {
    if let v4 = address.v4 { return IPAddress(self.v4(v4)) }
    return IPAddress(v6(IPv6Address(high: address.high, low: address.low)))
  }

  /// Private, shared and multicast addresses tell nobody who it is.
  mutating func v4(_ address: IPv4Address) -> IPv4Address {
    if IPAddress(address).isInternal || address.isMulticast || !address.isHost { return address }
    if let known = hosts4[address.bits] { return IPv4Address(known) }
    var new: UInt32?
    if let at = blocks4.lastIndex(where: { $0.prefix.contains(IPAddress(address)) }) {
      let size = UInt64(1) << UInt64(32 - blocks4[at].prefix.length)
      while UInt64(blocks4[at].used) + 1 < size, new == nil {
        blocks4[at].used += 1
        let candidate = blocks4[at].base + blocks4[at].used
        if !taken4.contains(candidate) { new = candidate }
      }
    }
    if new == nil {
      while taken4.contains(nextHost) { nextHost &+= 1 }
      new = nextHost
      nextHost &+= 1
    }
    hosts4[address.bits] = new
    return IPv4Address(new ?? 0xc613_0001)
  }

  /// Subnets first, the widest before those inside: then their addresses stay inside theirs.
  mutating func prefix(_ prefix: Prefix) -> Prefix {
    let address = prefix.address
    if let v4 = address.v4 {
      if prefix.length < 8 || address.isInternal || address.isMulticast || !v4.isHost { return prefix }
      if prefix.length == 32 { return Prefix(self.address(address), 32) }
      if let known = blocks4.first(where: { $0.prefix == prefix }) { return Prefix(IPAddress(IPv4Address(known.base)), prefix.length) }
      let size = UInt32(1) << UInt32(min(16, 32 - prefix.length))
      var base = (nextBlock + size - 1) & ~(size - 1)
      // The half is full, or an original stands there: neither happens in a home.
      while taken4.contains(where: { $0 >= base && $0 - base < size }) { base &+= size }
      if base >= 0xc613_0000 { base = 0xc612_0000 }
      nextBlock = base &+ size
      blocks4.append((prefix, base, 0))
      return Prefix(IPAddress(IPv4Address(base)), prefix.length)
    }
    if prefix.length < 16 || address.isMulticast { return prefix }
    let new = v6(IPv6Address(high: address.high, low: address.low))
    return Prefix(IPAddress(high: new.high, low: prefix.length > 64 ? new.low : 0), prefix.length)
  }

  mutating func v6(_ address: IPv6Address) -> IPv6Address {
    if address.isAny || address.isLoopback || address.isMappedIPv4 { return address }
    if address.isMulticast {
      if address.high == 0xff02_0000_0000_0000, address.low >> 24 == 0x1ff {
        return IPv6Address(
          high: address.high, low: address.low & ~0xff_ffff | UInt64(suffix(UInt32(truncatingIfNeeded: address.low) & 0xff_ffff)))
      }
      // Groups made of a unicast prefix (RFC 3306) hold that prefix.
      guard address.high >> 52 & 0x3 == 3 else { return address }
      return IPv6Address(high: (address.high >> 48) << 48, low: tail(address.low, in: address.high))
    }
    var high = address.high
    if address.isGlobal || address.isUniqueLocal {
      high = site(high, start: address.isGlobal ? 0x2001_0db8_0000 : 0xfd00_0000_0000)
    }
    return IPv6Address(high: high, low: tail(address.low, in: address.high))
  }

  private mutating func site(_ high: UInt64, start: UInt64) -> UInt64 {
    let site = high >> 16
    if sites6[site] == nil {
      var number = UInt64(sites6.values.count { $0 >> 16 == start >> 16 }) + 1
      while taken6.contains(start | number) || sites6.values.contains(start | number) { number += 1 }
      sites6[site] = start | (number & 0xffff)
    }
    guard high & 0xffff != 0 else { return (sites6[site] ?? start) << 16 }
    if nets6[high] == nil {
      netCount[site, default: 0] += 1
      nets6[high] = (netCount[site] ?? 1) & 0xffff
    }
    return (sites6[site] ?? start) << 16 | (nets6[high] ?? 1)
  }

  /// Made of a MAC (RFC 4291, appendix A): of its pseudonym then. Small numbers, as people give them to routers, stay.
  private mutating func tail(_ low: UInt64, in high: UInt64) -> UInt64 {
    if low < 0x1_0000 { return low }
    if low >> 24 & 0xffff == 0xfffe {
      let original = MACAddress(bits: ((low >> 40) << 24 | low & 0xff_ffff) ^ 0x0200_0000_0000)
      if original.isStation {
        let bits = mac(original).bits ^ 0x0200_0000_0000
        return (bits >> 24) << 40 | 0xfffe << 24 | bits & 0xff_ffff
      }
    }
    if let known = tails6[low] { return known }
    let new = 0xa_0000_0000 | UInt64(tails6.count + 1)
    tails6[low] = new
    return new
  }

  // MARK: Texts

  /// `name-1`, `text-2`: numbered by kind, in the order in which they are met.
  mutating func text(_ kind: String, _ original: [UInt8]) -> String {
    let number = texts[kind]?[original] ?? (texts[kind]?.count ?? 0) + 1
    texts[kind, default: [:]][original] = number
    return "\(kind)-\(number)"
  }

  func known(_ kind: String, _ original: [UInt8]) -> String? { texts[kind]?[original].map { "\(kind)-\($0)" } }
}
