// IPv4 (RFC 791) and IPv6 with its extension headers (RFC 8200).

extension HeaderWalk {
  //   0    1    2       4    6        8    9      10      12       16
  //  │v+ihl│tos │length │ id │flags+off│ttl│proto │checksum│source│destination│options…
  @inline(__always)
  static func ipv4(_ bytes: RawSpan, _ at: Int, _ wireLimit: Int, _ s: inout FrameSummary) {
    guard bytes.byteCount >= at &+ 20, wireLimit >= at &+ 20 else { return stopShort(bytes, at, 20, wireLimit, &s) }
    // Three loads for all fields.
    let front = bytes.u64(at)
    let middle = bytes.u64(at &+ 8)
    let header = Int(front >> 56 & 15) &* 4
    guard front >> 60 == 4, header >= 20 else { return stop(.malformed, bytes, at, wireLimit, &s) }
    s.sourceAddress = IPAddress(IPv4Address(UInt32(truncatingIfNeeded: middle)))
    s.destinationAddress = IPAddress(IPv4Address(bytes.u32(at &+ 16)))
    s.hopLimit = UInt8(truncatingIfNeeded: middle >> 56)
    s.ipProtocol = IPProtocol(UInt8(truncatingIfNeeded: middle >> 48))
    s.flags.insert(.hasIP)
    var limit = wireLimit
    let total = Int(front >> 32 & 0xffff)
    if total != 0 {  // 0: offload, the frame's own length is the truth
      if total < header || at &+ total > wireLimit {
        s.stop = WireFault(total < header ? .malformed : .shorterThanItSays, at: at &+ 2)
        if total < header { return setPayload(bytes, at &+ 20, wireLimit, &s) }
      } else {
        limit = at &+ total
      }
    }
    let next = at &+ header
    guard next <= limit else { return stop(.shorterThanItSays, bytes, at &+ 20, limit, &s) }
    let fragment = UInt16(truncatingIfNeeded: front)
    if fragment & 0x1fff != 0 {
      s.flags.insert(.laterFragment)
      return setPayload(bytes, next, limit, &s)
    }
    if fragment & 0x2000 != 0 { s.payloadIsCut = true }
    // Nine frames of ten, without a further call.
    if s.ipProtocol == .tcp { return tcp(bytes, next, limit, &s) }
    transport(bytes, next, limit, &s)
  }

  static func ipv6(_ bytes: RawSpan, _ at: Int, _ wireLimit: Int, _ s: inout FrameSummary) {
    guard bytes.byteCount >= at &+ 40, wireLimit >= at &+ 40 else { return stopShort(bytes, at, 40, wireLimit, &s) }
    let front = bytes.u64(at)
    guard front >> 60 == 6 else { return stop(.malformed, bytes, at, wireLimit, &s) }
    let source = IPv6Address(high: bytes.u64(at &+ 8), low: bytes.u64(at &+ 16))
    let destination = IPv6Address(high: bytes.u64(at &+ 24), low: bytes.u64(at &+ 32))
    // Never legal on the wire, and in our tables the form of the other family.
    guard !source.isMappedIPv4, !destination.isMappedIPv4 else { return stop(.malformed, bytes, at &+ 8, wireLimit, &s) }
    s.sourceAddress = IPAddress(source)
    s.destinationAddress = IPAddress(destination)
    s.hopLimit = UInt8(truncatingIfNeeded: front)
    s.ipProtocol = IPProtocol(UInt8(truncatingIfNeeded: front >> 8))
    s.flags.insert(.hasIP)
    var limit = wireLimit
    let length = Int(front >> 16 & 0xffff)
    if length != 0 {  // 0: jumbogram or offload
      if at &+ 40 &+ length > wireLimit {
        s.stop = WireFault(.shorterThanItSays, at: at &+ 4)
      } else {
        limit = at &+ 40 &+ length
      }
    }
    switch s.ipProtocol {
    case .hopByHop, .routing, .destinationOptions, .fragment, .authentication, .mobility: extensions(bytes, at &+ 40, limit, &s)
    default: transport(bytes, at &+ 40, limit, &s)
    }
  }

  private static func extensions(_ bytes: RawSpan, _ from: Int, _ limit: Int, _ s: inout FrameSummary) {
    var at = from
    for _ in 0..<8 {
      switch s.ipProtocol {
      case .hopByHop, .routing, .destinationOptions, .mobility, .authentication, .fragment: break
      default: return transport(bytes, at, limit, &s)
      }
      guard bytes.byteCount >= at &+ 8, limit >= at &+ 8 else { return stopShort(bytes, at, 8, limit, &s) }
      let length: Int
      switch s.ipProtocol {
      case .fragment: length = 8
      case .authentication: length = (Int(bytes.u8(at &+ 1)) &+ 2) &* 4
      default: length = (Int(bytes.u8(at &+ 1)) &+ 1) &* 8
      }
      let isFragment = s.ipProtocol == .fragment
      s.ipProtocol = IPProtocol(bytes.u8(at))
      if isFragment {
        let field = bytes.u16(at &+ 2)
        if field & 0xfff8 != 0 {
          s.flags.insert(.laterFragment)
          return setPayload(bytes, at &+ 8, limit, &s)
        }
        if field & 1 != 0 { s.payloadIsCut = true }
      }
      guard at &+ length <= limit else { return stop(.shorterThanItSays, bytes, at, limit, &s) }
      at &+= length
    }
    stop(.tooDeep, bytes, at, limit, &s)
  }
}
