/// A TCP or UDP port (IANA service names). Open: unknown values keep their number.
public struct Port: Hashable, Sendable, BitwiseCopyable, CustomStringConvertible {
  public let rawValue: UInt16

  @inlinable public init(_ rawValue: UInt16) { self.rawValue = rawValue }

  public static let dns = Port(53)
  public static let dhcpServer = Port(67)
  public static let dhcpClient = Port(68)
  public static let netBIOSName = Port(137)
  public static let netBIOSDatagram = Port(138)
  public static let dhcpv6Client = Port(546)
  public static let dhcpv6Server = Port(547)
  public static let hsrp = Port(1985)
  public static let ssdp = Port(1900)
  public static let wsDiscovery = Port(3702)
  public static let vxlan = Port(4789)
  public static let mdns = Port(5353)
  public static let llmnr = Port(5355)
  public static let mndp = Port(5678)
  public static let ubiquiti = Port(10001)
  public static let https = Port(443)

  public var description: String { String(rawValue) }
}
