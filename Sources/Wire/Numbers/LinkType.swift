/// A link type of capture files (`LINKTYPE_` values, tcpdump.org/linktypes.html). Open: unknown values keep their number.
public struct LinkType: Hashable, Comparable, Sendable, BitwiseCopyable, CustomStringConvertible {
  public let rawValue: UInt32

  @inlinable public init(_ rawValue: UInt32) { self.rawValue = rawValue }

  public static let null = LinkType(0)
  public static let ethernet = LinkType(1)
  public static let tokenRing = LinkType(6)
  public static let ppp = LinkType(9)
  public static let pppHDLC = LinkType(50)
  public static let pppEther = LinkType(51)
  public static let raw = LinkType(101)
  public static let ieee80211 = LinkType(105)
  public static let loop = LinkType(108)
  public static let linuxSLL = LinkType(113)
  public static let prism = LinkType(119)
  public static let radiotap = LinkType(127)
  public static let docsis = LinkType(143)
  public static let pktapOld = LinkType(149)
  public static let avs = LinkType(163)
  public static let pppPPPD = LinkType(166)
  public static let ppi = LinkType(192)
  public static let pppWithDirection = LinkType(204)
  public static let ipnet = LinkType(226)
  public static let ipv4 = LinkType(228)
  public static let ipv6 = LinkType(229)
  public static let nflog = LinkType(239)
  public static let netlink = LinkType(253)
  public static let pktap = LinkType(258)
  public static let linuxSLL2 = LinkType(276)
  public static let dsaBroadcom = LinkType(281)
  public static let dsaBroadcomPrepend = LinkType(282)
  public static let dsa = LinkType(284)
  public static let edsa = LinkType(285)

  static let names: [(LinkType, String)] = [
    (.null, "NULL"), (.ethernet, "EN10MB"), (.tokenRing, "IEEE802"), (.ppp, "PPP"), (.pppHDLC, "PPP_SERIAL"), (.pppEther, "PPP_ETHER"),
    (.raw, "RAW"),
    (.ieee80211, "IEEE802_11"), (.loop, "LOOP"), (.linuxSLL, "LINUX_SLL"), (.prism, "PRISM_HEADER"), (.radiotap, "IEEE802_11_RADIO"),
    (.docsis, "DOCSIS"), (.pktapOld, "PKTAP"), (.avs, "IEEE802_11_RADIO_AVS"), (.pppPPPD, "PPP_PPPD"), (.ppi, "PPI"),
    (.pppWithDirection, "PPP_WITH_DIR"), (.ipnet, "IPNET"), (.ipv4, "IPV4"), (.ipv6, "IPV6"), (.nflog, "NFLOG"), (.netlink, "NETLINK"),
    (.pktap, "PKTAP"), (.linuxSLL2, "LINUX_SLL2"), (.dsaBroadcom, "DSA_TAG_BRCM"), (.dsaBroadcomPrepend, "DSA_TAG_BRCM_PREPEND"),
    (.dsa, "DSA_TAG_DSA"), (.edsa, "DSA_TAG_EDSA"),
  ]

  /// The registry's name as libpcap prints it, or the number.
  public var description: String { LinkType.names.first { $0.0 == self }?.1 ?? "LINKTYPE_\(rawValue)" }

  /// Whether the header walk reads frames of this type; others are counted and no more.
  public var isRead: Bool {
    switch self {
    case .tokenRing, .docsis, .netlink: false
    default: LinkType.names.contains { $0.0 == self }
    }
  }

  /// Whether frames of this type carry link-layer addresses that name stations of one wire.
  public var hasStations: Bool {
    switch self {
    case .ethernet, .ieee80211, .linuxSLL, .linuxSLL2, .prism, .radiotap, .avs, .ppi, .pktap, .pktapOld, .dsaBroadcom, .dsaBroadcomPrepend,
      .dsa,
      .edsa, .nflog:
      true
    default: false
    }
  }

  /// The same link under the number that `DLT_` headers and old files use for it in memory.
  public static func fromFile(_ value: UInt32) -> LinkType {
    switch value {
    case 12, 14: .raw
    default: LinkType(value)
    }
  }

  public static func < (a: LinkType, b: LinkType) -> Bool { a.rawValue < b.rawValue }
}
