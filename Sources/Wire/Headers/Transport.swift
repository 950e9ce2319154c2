// TCP (RFC 9293), UDP (RFC 768), and the types of ICMP (RFC 792, 4443).

extension HeaderWalk {
  @inline(__always)
  static func transport(_ bytes: RawSpan, _ at: Int, _ limit: Int, _ s: inout FrameSummary) {
    switch s.ipProtocol {
    case .tcp: tcp(bytes, at, limit, &s)
    case .udp: udp(bytes, at, limit, &s)
    default: rest(bytes, at, limit, &s)
    }
  }

  @inline(never)
  private static func rest(_ bytes: RawSpan, _ at: Int, _ limit: Int, _ s: inout FrameSummary) {
    switch s.ipProtocol {
    case .icmp, .icmpv6:
      guard bytes.byteCount >= at &+ 2, limit >= at &+ 2 else { return stopShort(bytes, at, 2, limit, &s) }
      s.icmpType = bytes.u8(at)
      s.icmpCode = bytes.u8(at &+ 1)
      setPayload(bytes, at, limit, &s)
    default:
      tunnelOrOther(bytes, at, limit, &s)
    }
  }

  @inline(__always)
  static func tcp(_ bytes: RawSpan, _ at: Int, _ limit: Int, _ s: inout FrameSummary) {
    guard bytes.byteCount >= at &+ 20, limit >= at &+ 20 else {
      if bytes.byteCount >= at &+ 4, limit >= at &+ 4 { ports(bytes.u32(at), &s) }
      return stopShort(bytes, at, 20, limit, &s)
    }
    let (both, field) = bytes.u32(at, andU16: 12)
    ports(both, &s)
    s.tcpFlags = UInt8(truncatingIfNeeded: field)
    let header = Int(field >> 12) &* 4
    guard header >= 20, at &+ header <= limit else { return stop(.malformed, bytes, at &+ 12, limit, &s) }
    setPayload(bytes, at &+ header, limit, &s)
  }

  @inline(__always)
  static func udp(_ bytes: RawSpan, _ at: Int, _ wireLimit: Int, _ s: inout FrameSummary) {
    guard bytes.byteCount >= at &+ 8, wireLimit >= at &+ 8 else {
      if bytes.byteCount >= at &+ 4, wireLimit >= at &+ 4 { ports(bytes.u32(at), &s) }
      return stopShort(bytes, at, 8, wireLimit, &s)
    }
    let header = bytes.u64(at)
    ports(UInt32(truncatingIfNeeded: header >> 32), &s)
    var limit = wireLimit
    let length = Int(header >> 16 & 0xffff)
    if length != 0 {  // 0: longer than the field can say
      if length < 8 { return stop(.malformed, bytes, at &+ 4, wireLimit, &s) }
      if at &+ length <= wireLimit {
        limit = at &+ length
      } else if !s.payloadIsCut, s.stop == nil {
        // In a first fragment the length is that of the whole datagram: no contradiction.
        s.stop = WireFault(.shorterThanItSays, at: at &+ 4)
      }
    }
    if s.destinationPort == .vxlan { s.flags.insert(.tunnel) }
    setPayload(bytes, at &+ 8, limit, &s)
  }

  @inline(__always)
  static func ports(_ both: UInt32, _ s: inout FrameSummary) {
    s.sourcePort = Port(UInt16(truncatingIfNeeded: both >> 16))
    s.destinationPort = Port(UInt16(truncatingIfNeeded: both))
    s.flags.insert(.hasPorts)
  }
}
