// Internet Control Message Protocol, the few messages that tell of the network: RFC 792 (redirect, time exceeded), 950 (address mask),
// 4443 (time exceeded of IPv6). Echo is traffic and not read.
//
//      0      1      2          4                                          8
//      ┌──────┬──────┬──────────┬──────────────────────────────────────────┬─────────────────────────────┐
//      │ type │ code │ checksum │ 5 better gateway 4   11 unused 4          │ 5, 11 the packet's IP header │
//      │      │      │          │ 18 identifier 2, sequence 2               │ 18 mask 4                   │
//      └──────┴──────┴──────────┴──────────────────────────────────────────┴─────────────────────────────┘

public enum ICMP {
  static let redirect: UInt8 = 5
  static let timeExceeded: UInt8 = 11
  static let maskReply: UInt8 = 18
  /// ICMPv6.
  static let timeExceeded6: UInt8 = 3

  static func observe(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    guard frame.sourceAddress.isHost else { return }
    let is4 = frame.ipProtocol == .icmp
    switch frame.icmpType {
    case redirect where is4: try readRedirect(&reader, frame, &out)
    case timeExceeded where is4, timeExceeded6 where !is4:
      // Code 1 comes from the receiver, whose reassembly took too long. The frame's source is merely the last hop.
      guard frame.icmpCode == 0 else { return }
      out.note(.address(frame.sourceAddress), .playsRole(.router), "time exceeded", grade: .b, kind: .inferred)
    case maskReply where is4: try readMask(&reader, frame, &out)
    default: return
    }
  }

  /// Only a router on the receiver's own link may send one (RFC 1122, 3.2.2.2): one that was routed is forged.
  private static func readRedirect(
    _ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations
  ) throws(WireFault) {
    guard frame.icmpCode <= 3, DHCPv4.isFresh(frame.hopLimit) else { return }
    try reader.skip(4)
    let gateway = IPAddress(try reader.ipv4())
    let start = reader.offset
    guard try reader.u8() >> 4 == 4 else { throw WireFault(.malformed, at: start) }
    try reader.skip(15)
    let destination = IPAddress(try reader.ipv4())
    guard gateway.isHost, destination.isHost, gateway != frame.sourceAddress else { return }
    out.note(frame.station, .redirects(to: gateway, for: destination), "gateway internet address", grade: .b)
    out.note(frame.station, .playsRole(.router), "redirect", grade: .b, kind: .inferred)
  }

  private static func readMask(
    _ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations
  ) throws(WireFault) {
    guard frame.icmpCode == 0, DHCPv4.isFresh(frame.hopLimit), let source = frame.sourceAddress.v4 else { return }
    try reader.skip(8)
    let start = reader.offset
    let mask = try reader.ipv4()
    guard let prefix = Prefix(source, mask: mask) else { throw WireFault(.malformed, at: start) }
    // All zeros and all ones are no subnet.
    guard (1...31).contains(prefix.length) else { return }
    out.note(frame.station, .advertisesPrefix(prefix, onLink: true), "address mask", grade: .b)
  }

  public static let dissector = Dissector(
    "icmp", standard: "RFC 792, 950, 4443", keys: [.icmp(redirect), .icmp(timeExceeded), .icmp(maskReply), .icmpv6(timeExceeded6)]
  ) { (reader, frame, out) throws(WireFault) in
    try observe(&reader, frame, &out)
  }
}
