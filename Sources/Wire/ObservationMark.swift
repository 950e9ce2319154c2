// A short digest of what an observation says, so that the ledger need not compare whole ones to know that they differ.

extension Observation {
  /// The same for equal observations, and mostly different for others: a few multiplications, no hashing of texts.
  public var mark: UInt64 {
    var mark = Mark()
    mark.add(UInt64(truncatingIfNeeded: field.utf8.count) << 8 | UInt64(truncatingIfNeeded: basis.utf8.count))
    mark.add(claim)
    if let text { mark.add(text) }
    return mark.bits
  }
}

private struct Mark {
  private(set) var bits: UInt64 = 0x9e37_79b9_7f4a_7c15

  @inline(__always)
  mutating func add(_ value: UInt64) { bits = mix(bits ^ value, 0) }

  @inline(__always)
  mutating func add(_ address: IPAddress) { add(address.low ^ address.high &* 0x9fb2_1c65_1e98_df25) }

  /// Length and both ends: names that differ in the middle alone are rare.
  @inline(__always)
  mutating func add(_ text: WireText) {
    let bytes = text.bytes.span.raw
    let count = bytes.byteCount
    add(UInt64(truncatingIfNeeded: count))
    if count >= 8 {
      add(bytes.u64(0) ^ bytes.u64(count &- 8) &* 3)
    } else {
      add(UInt64(bytes.u32(0)) << 32 | UInt64(bytes.u16(count &- 2)) << 8 | UInt64(bytes.u8(0)))
    }
  }

  /// The claims that one subject makes many of tell their values; of the others, which fit in one look, the kind will do.
  mutating func add(_ claim: Observation.Claim) {
    switch claim {
    case .holds(let address, let holding):
      add(UInt64(holding.rawValue) | 0x100)
      add(address)
    case .wants(let address): tagged(2, address)
    case .seeks(let address, let from):
      tagged(3, address)
      add(from)
    case .joins(let address): tagged(4, address)
    case .leaves(let address): tagged(5, address)
    case .namesServer(let address): tagged(6, address)
    case .speaksFor(let mac): add(0x700_0000_0000_0000 | mac.bits)
    case .bridges(let mac, _, _, _): add(0x800_0000_0000_0000 | mac.bits)
    case .neighbours(let mac, _, _, _): add(0x900_0000_0000_0000 | mac.bits)
    case .isStation(let mac, _): add(0xa00_0000_0000_0000 | mac.bits)
    case .hears(let mac, _): add(0xb00_0000_0000_0000 | mac.bits)
    case .runsBSS(let mac, _): add(0xc00_0000_0000_0000 | mac.bits)
    case .isSameBox(let mac): add(0xd00_0000_0000_0000 | mac.bits)
    case .isNamed(let text, let kind):
      add(UInt64(kind.rawValue) | 0xe00)
      add(text)
    case .has(let trait, let text):
      add(UInt64(trait.rawValue) | 0xf00)
      add(text)
    case .offers(let text):
      add(0x1000)
      add(text)
    case .leased(let lease): tagged(0x11, IPAddress(lease.address))
    case .advertisesPrefix(let prefix, _), .advertisesRoute(let prefix), .delegatedPrefix(let prefix): tagged(0x12, prefix.address)
    default: add(0x1300)
    }
  }

  @inline(__always)
  private mutating func tagged(_ kind: UInt64, _ address: IPAddress) {
    add(kind << 8)
    add(address)
  }
}
