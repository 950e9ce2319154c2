/// A network prefix of either family. The host bits are zero.
public struct Prefix: Hashable, Comparable, Sendable, CustomStringConvertible, LosslessStringConvertible {
  public let address: IPAddress
  /// 0 to 32 for IPv4, 0 to 128 for IPv6.
  public let length: Int

  /// The length is clamped to the family's width, the host bits are cleared.
  public init(_ address: IPAddress, _ length: Int) {
    let width = address.width
    let length = min(max(0, length), width)
    let mask = Prefix.mask(length + 128 - width)
    self.address = IPAddress(high: address.high & mask.high, low: address.low & mask.low)
    self.length = length
  }

  /// From an IPv4 mask; nil when its ones are not contiguous.
  public init?(_ address: IPv4Address, mask: IPv4Address) {
    let ones = (~mask.bits).leadingZeroBitCount
    guard mask.bits == (ones == 0 ? 0 : ~UInt32(0) << (32 - UInt32(ones))) else { return nil }
    self.init(IPAddress(address), ones)
  }

  /// `ADDRESS/LENGTH`.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let address = IPAddress(String(parts[0])), !parts[1].isEmpty,
      parts[1].utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
      let length = Int(parts[1]), length <= address.width
    else { return nil }
    self.init(address, length)
  }

  static func mask(_ ones: Int) -> (high: UInt64, low: UInt64) {
    func half(_ n: Int) -> UInt64 { n <= 0 ? 0 : n >= 64 ? ~0 : ~UInt64(0) << UInt64(64 - n) }
    return (half(ones), half(ones - 64))
  }

  public func contains(_ other: IPAddress) -> Bool {
    guard other.isIPv4 == address.isIPv4 else { return false }
    let mask = Prefix.mask(length + 128 - address.width)
    return other.high & mask.high == address.high && other.low & mask.low == address.low
  }

  public func contains(_ other: Prefix) -> Bool { other.length >= length && contains(other.address) }

  /// IPv4: the all-ones address, the broadcast address of prefixes up to /30.
  public var lastAddress: IPAddress {
    let mask = Prefix.mask(length + 128 - address.width)
    return IPAddress(high: address.high | ~mask.high, low: address.low | ~mask.low)
  }

  /// The longest prefix that holds both; nil across families.
  public static func holding(_ a: IPAddress, _ b: IPAddress) -> Prefix? {
    guard a.isIPv4 == b.isIPv4 else { return nil }
    let high = a.high ^ b.high
    let common = high != 0 ? high.leadingZeroBitCount : 64 + (a.low ^ b.low).leadingZeroBitCount
    return Prefix(a, common - (128 - a.width))
  }

  public var description: String { "\(address)/\(length)" }

  public static func < (a: Prefix, b: Prefix) -> Bool { (a.address, a.length) < (b.address, b.length) }
}
