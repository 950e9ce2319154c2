/// What an IP packet carries (IANA protocol numbers). Open: unknown values keep their number.
public struct IPProtocol: Hashable, Sendable, BitwiseCopyable, CustomStringConvertible {
  public let rawValue: UInt8

  @inlinable public init(_ rawValue: UInt8) { self.rawValue = rawValue }

  public static let hopByHop = IPProtocol(0)
  public static let icmp = IPProtocol(1)
  public static let igmp = IPProtocol(2)
  public static let ipv4 = IPProtocol(4)
  public static let tcp = IPProtocol(6)
  public static let udp = IPProtocol(17)
  public static let ipv6 = IPProtocol(41)
  public static let routing = IPProtocol(43)
  public static let fragment = IPProtocol(44)
  public static let gre = IPProtocol(47)
  public static let esp = IPProtocol(50)
  public static let authentication = IPProtocol(51)
  public static let icmpv6 = IPProtocol(58)
  public static let none = IPProtocol(59)
  public static let destinationOptions = IPProtocol(60)
  public static let vrrp = IPProtocol(112)
  public static let mobility = IPProtocol(135)

  public var description: String { String(rawValue) }
}
