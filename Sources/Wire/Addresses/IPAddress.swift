/// An address of either family in 128 bits.
///
/// IPv4 stands in its mapped form `::ffff:a.b.c.d`. That form is never legal in an IPv6 header, and the header walk refuses it
/// there, so no frame can pass one family off as the other.
public struct IPAddress: Hashable, Comparable, Sendable, BitwiseCopyable, CustomStringConvertible, LosslessStringConvertible {
  public var high: UInt64
  public var low: UInt64

  @inlinable public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
  @inlinable public init(_ v4: IPv4Address) { self.init(high: 0, low: 0xffff_0000_0000 | UInt64(v4.bits)) }
  @inlinable public init(_ v6: IPv6Address) { self.init(high: v6.high, low: v6.low) }

  public init?(_ text: String) {
    if let v4 = IPv4Address(text) {
      self.init(v4)
    } else if let v6 = IPv6Address(text) {
      self.init(v6)
    } else {
      return nil
    }
  }

  /// Stands for "no address": `::`, which names nobody.
  @inlinable public static var none: IPAddress { IPAddress(high: 0, low: 0) }

  @inlinable public var isNone: Bool { high == 0 && low == 0 }
  @inlinable public var isIPv4: Bool { high == 0 && low >> 32 == 0xffff }
  @inlinable public var isIPv6: Bool { !isIPv4 }
  @inlinable public var v4: IPv4Address? { isIPv4 ? IPv4Address(UInt32(truncatingIfNeeded: low)) : nil }
  @inlinable public var v6: IPv6Address? { isIPv4 ? nil : IPv6Address(high: high, low: low) }

  public var isMulticast: Bool { isIPv4 ? low >> 28 & 15 == 0xe : high >> 56 == 0xff }
  public var isLinkLocal: Bool { v4.map(\.isLinkLocal) ?? IPv6Address(high: high, low: low).isLinkLocal }
  /// Whether a single host may have it.
  public var isHost: Bool {
    if let v4 { return v4.isHost }
    let v6 = IPv6Address(high: high, low: low)
    return !v6.isAny && !v6.isMulticast && !v6.isLoopback
  }
  /// Private, shared, unique-local or link-local: not routed in the internet.
  public var isInternal: Bool {
    if let v4 { return v4.isPrivate || v4.isLinkLocal || v4.isShared || v4.isLoopback }
    let v6 = IPv6Address(high: high, low: low)
    return v6.isUniqueLocal || v6.isLinkLocal || v6.isLoopback
  }

  /// 32 or 128.
  public var width: Int { isIPv4 ? 32 : 128 }

  public var description: String { v4.map(\.description) ?? IPv6Address(high: high, low: low).description }

  /// IPv4 first, then by value.
  public static func < (a: IPAddress, b: IPAddress) -> Bool {
    if a.isIPv4 != b.isIPv4 { return a.isIPv4 }
    return (a.high, a.low) < (b.high, b.low)
  }
}
