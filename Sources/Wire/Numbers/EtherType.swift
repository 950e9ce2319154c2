/// What a frame's payload is (IEEE 802 EtherType registry). Open: unknown values keep their number.
public struct EtherType: Hashable, Sendable, BitwiseCopyable, CustomStringConvertible {
  public let rawValue: UInt16

  @inlinable public init(_ rawValue: UInt16) { self.rawValue = rawValue }

  public static let ipv4 = EtherType(0x0800)
  public static let arp = EtherType(0x0806)
  public static let ipv6 = EtherType(0x86dd)
  public static let vlan = EtherType(0x8100)
  public static let providerVLAN = EtherType(0x88a8)
  public static let mpls = EtherType(0x8847)
  public static let mplsMulticast = EtherType(0x8848)
  public static let pppoeDiscovery = EtherType(0x8863)
  public static let pppoeSession = EtherType(0x8864)
  public static let jumboLLC = EtherType(0x8870)
  public static let homePlug1 = EtherType(0x887b)
  public static let eapol = EtherType(0x888e)
  public static let macControl = EtherType(0x8808)
  public static let realtek = EtherType(0x8899)
  public static let ouiExtended = EtherType(0x88b7)
  public static let lldp = EtherType(0x88cc)
  public static let lltd = EtherType(0x88d9)
  public static let homePlugAV = EtherType(0x88e1)
  public static let macSec = EtherType(0x88e5)
  public static let slowProtocols = EtherType(0x8809)
  public static let mediaxtream = EtherType(0x8912)
  public static let ieee1905 = EtherType(0x893a)
  public static let loopbackTest = EtherType(0x9000)
  public static let bridgedEthernet = EtherType(0x6558)
  public static let xbox = EtherType(0x886f)
  public static let huaweiLoop = EtherType(0x999a)

  /// Below 0x0600 the field is a length (IEEE 802.3, 3.2.6).
  @inlinable public var isLength: Bool { rawValue < 0x0600 }

  public var description: String { "0x" + String(rawValue, radix: 16) }
}
