/// What a protocol is to us: where it is found in a frame, and what it states.
///
/// To add one: a file under `Protocols/` with a `static let dissector`, its line in `all`, a test and a sample frame.
public struct Dissector: Sendable {
  /// Where a protocol is found.
  public enum Key: Hashable, Sendable {
    case etherType(EtherType)
    /// Either port of a UDP datagram; the destination's is tried first.
    case udp(Port)
    case ipProtocol(IPProtocol)
    /// ICMP of IPv4, by type.
    case icmp(UInt8)
    case icmpv6(UInt8)
    /// DSAP and SSAP.
    case llc(UInt16)
    /// OUI and protocol identifier behind SNAP: `oui << 16 | pid`.
    case snap(UInt64)
    /// 802.11 frames by type (0 management, 2 data), whole from the MAC header.
    case wireless(UInt8)
    /// A destination address that is a protocol of its own.
    case group(MACAddress)
  }

  /// Reads the payload and notes what it states. A fault ends the dissector, what it noted before stays.
  ///
  /// It goes by payload and headers alone, not by a frame's number, time, interface or direction: what was said before, word for word, is not
  /// read again (`MessageMark`).
  public typealias Observe = @Sendable (inout ByteReader, borrowing FrameSummary, inout Observations) throws(WireFault) -> Void

  /// The name that evidence shows as its protocol: lower case.
  public let name: String
  /// The standard, for people: "RFC 826, 5227".
  public let standard: String
  public let keys: [Key]
  public let observe: Observe

  public init(_ name: String, standard: String, keys: [Key], observe: @escaping Observe) {
    self.name = name
    self.standard = standard
    self.keys = keys
    self.observe = observe
  }

  /// Lets a dissector read the payload that the header walk found, and keeps what it noted whatever becomes of it.
  ///
  /// - Parameters:
  ///   - summary: is not changed; one that is merely lent cannot be captured.
  ///   - steps: how many reads it may make; afterwards, what is left of them.
  public static func run(
    _ observe: Observe, on payload: RawSpan, _ summary: inout FrameSummary, steps: inout Int, into out: inout Observations
  ) {
    do throws(WireFault) {
      try ByteReader.read(payload, base: summary.payloadOffset, isCut: summary.payloadIsCut, steps: &steps) {
        (reader) throws(WireFault) in try observe(&reader, summary, &out)
      }
    } catch {
      out.tally(error)
    }
  }

  /// Every protocol we read, one line each.
  public static let all: [Dissector] = [
    // Addresses, leases and routers
    ARP.dissector,
    DHCPv4.dissector,
    DHCPv6.dissector,
    HSRP.dissector,
    ICMP.dissector,
    IGMP.dissector,
    MLD.dissector,
    NDP.dissector,
    PPPoEDiscovery.dissector,
    VRRP.dissector,
    // Switches and what announces itself to its neighbours
    CDP.dissector,
    DTP.dissector,
    EAPOL.dissector,
    EDP.dissector,
    FDP.dissector,
    GVRP.dissector,
    LACP.dissector,
    LLDP.dissector,
    LoopDetection.dissector,
    MACControl.dissector,
    MNDP.dissector,
    NSDP.dissector,
    Realtek.dissector,
    STP.dissector,
    UDLD.dissector,
    Ubiquiti.dissector,
    VTP.dissector,
    // Media: who is on which radio, power line or cable
    HomePlug1.dissector,
    HomePlugAV.dissector,
    IEEE1905.dissector,
    IEEE80211.dissector,
    LLTD.dissector,
    Mediaxtream.dissector,
    // Names and services
    CoIoT.dissector,
    Consoles.playStation,
    Consoles.smartGlass,
    Consoles.xboxWireless,
    DNS.dissector,
    LLMNR.dissector,
    MDNS.dissector,
    NetBIOS.browserDissector,
    NetBIOS.namesDissector,
    SSDP.dissector,
    VendorBroadcasts.dissector,
    VendorBroadcasts.dropbox,
    WSDiscovery.dissector,
  ]
}
