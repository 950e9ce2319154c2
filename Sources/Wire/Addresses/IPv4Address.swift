/// An IPv4 address, host byte order.
public struct IPv4Address: Hashable, Comparable, Sendable, BitwiseCopyable, CustomStringConvertible, LosslessStringConvertible {
  public var bits: UInt32

  @inlinable public init(_ bits: UInt32) { self.bits = bits }

  /// Four decimal numbers of 0 to 255 with dots.
  public init?(_ text: String) {
    var value: UInt32 = 0
    var parts = 0
    for part in text.utf8.split(separator: 0x2e, omittingEmptySubsequences: false) {
      guard (1...3).contains(part.count), parts < 4, part.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
      let number = part.reduce(0) { $0 * 10 + Int($1 - 0x30) }
      guard number <= 255 else { return nil }
      value = value << 8 | UInt32(number)
      parts += 1
    }
    guard parts == 4 else { return nil }
    bits = value
  }

  public static let any = IPv4Address(0)
  public static let broadcast = IPv4Address(0xffff_ffff)

  public var isAny: Bool { bits == 0 }
  public var isMulticast: Bool { bits >> 28 == 0xe }
  public var isLoopback: Bool { bits >> 24 == 127 }
  /// RFC 3927.
  public var isLinkLocal: Bool { bits >> 16 == 0xa9fe }
  /// RFC 1918.
  public var isPrivate: Bool { bits >> 24 == 10 || bits >> 20 == 0xac1 || bits >> 16 == 0xc0a8 }
  /// 100.64/10, RFC 6598: inside an operator's address translation.
  public var isShared: Bool { bits >> 22 == 0x191 }
  /// Whether a host may have it: not 0/8, loopback, multicast, reserved or broadcast.
  public var isHost: Bool { bits >> 24 != 0 && !isLoopback && bits >> 28 < 0xe }

  public var description: String {
    // Byte by byte: a report names thousands of them.
    var text = InlineArray<15, UInt8>(repeating: 0x2e)
    var count = 0
    for place in 0..<4 {
      let byte = UInt8(truncatingIfNeeded: bits >> UInt32(24 - 8 * place))
      if place > 0 { count += 1 }
      if byte >= 100 {
        text[count] = 0x30 + byte / 100
        count += 1
      }
      if byte >= 10 {
        text[count] = 0x30 + byte / 10 % 10
        count += 1
      }
      text[count] = 0x30 + byte % 10
      count += 1
    }
    return asciiText(text.span.extracting(0..<count))
  }

  public static func < (a: IPv4Address, b: IPv4Address) -> Bool { a.bits < b.bits }
}
