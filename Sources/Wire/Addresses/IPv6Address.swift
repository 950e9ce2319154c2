/// An IPv6 address, as two 64-bit halves in host byte order.
public struct IPv6Address: Hashable, Comparable, Sendable, BitwiseCopyable, CustomStringConvertible, LosslessStringConvertible {
  public var high: UInt64
  public var low: UInt64

  @inlinable public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Any text form of RFC 4291, 2.2, without a zone.
  public init?(_ text: String) {
    var head: [UInt16] = []
    var tail: [UInt16]? = nil
    var parts = text.utf8.split(separator: 0x3a, omittingEmptySubsequences: false).map { String(Substring($0)) }
    guard parts.count >= 3, parts.count <= 9 else { return nil }
    if parts.first == "" {
      guard parts[1] == "" else { return nil }
      parts.removeFirst()
    }
    if parts.last == "" {
      guard parts.count >= 2, parts[parts.count - 2] == "" else { return nil }
      parts.removeLast()
    }
    for (i, part) in parts.enumerated() {
      var groups: [UInt16] = []
      if part.isEmpty {
        guard tail == nil else { return nil }
        tail = []
        continue
      } else if i == parts.count - 1, let v4 = IPv4Address(part) {
        groups = [UInt16(v4.bits >> 16), UInt16(truncatingIfNeeded: v4.bits)]
      } else {
        guard part.utf8.count <= 4 else { return nil }
        var value: UInt16 = 0
        for c in part.utf8 {
          guard let digit = hexDigit(c) else { return nil }
          value = value << 4 | UInt16(digit)
        }
        groups = [value]
      }
      if tail == nil { head += groups } else { tail = (tail ?? []) + groups }
    }
    let rest = tail ?? []
    guard tail == nil ? head.count == 8 : head.count + rest.count < 8 else { return nil }
    let all = head + Array(repeating: 0, count: max(0, 8 - head.count - rest.count)) + rest
    high = all[0..<4].reduce(0) { $0 << 16 | UInt64($1) }
    low = all[4..<8].reduce(0) { $0 << 16 | UInt64($1) }
  }

  public static let any = IPv6Address(high: 0, low: 0)

  public var isAny: Bool { high == 0 && low == 0 }
  public var isMulticast: Bool { high >> 56 == 0xff }
  public var isLoopback: Bool { high == 0 && low == 1 }
  public var isLinkLocal: Bool { high >> 54 == 0xfe80 >> 6 }
  /// fc00::/7, RFC 4193.
  public var isUniqueLocal: Bool { high >> 57 == 0xfc >> 1 }
  public var isGlobal: Bool { high >> 61 == 1 }
  /// `::ffff:a.b.c.d`: legal in sockets, never on the wire.
  @inlinable public var isMappedIPv4: Bool { high == 0 && low >> 32 == 0xffff }

  /// The MAC an EUI-64 interface identifier was made of (RFC 4291, appendix A).
  public var embeddedMAC: MACAddress? {
    guard low >> 24 & 0xffff == 0xfffe else { return nil }
    return MACAddress(bits: ((low >> 40) << 24 | low & 0xff_ffff) ^ 0x0200_0000_0000)
  }

  /// RFC 5952.
  public var description: String {
    let groups = (0..<8).map { i -> UInt16 in
      UInt16(truncatingIfNeeded: (i < 4 ? high : low) >> (48 - 16 * UInt64(i & 3)))
    }
    var best = 0..<0
    var from = 0
    while from < 8 {
      var to = from
      while to < 8, groups[to] == 0 { to += 1 }
      if to - from > best.count, to - from >= 2 { best = from..<to }
      from = max(to, from + 1)
    }
    if isMappedIPv4 { return "::ffff:\(IPv4Address(UInt32(truncatingIfNeeded: low)))" }
    func text(_ part: ArraySlice<UInt16>) -> String { part.map { String($0, radix: 16) }.joined(separator: ":") }
    if best.isEmpty { return text(groups[...]) }
    return text(groups[..<best.lowerBound]) + "::" + text(groups[best.upperBound...])
  }

  public static func < (a: IPv6Address, b: IPv6Address) -> Bool { (a.high, a.low) < (b.high, b.low) }
}
