// Link-layer headers: IEEE 802.3 and 802.1Q, LLC (802.2) and SNAP, Linux cooked v1 and v2, BSD null and loop, PPP and PPPoE session,
// raw IP, and the wrappers that some systems put around them. Layouts: tcpdump.org/linktypes.html.

/// The walk over a frame's headers. Each step tests its header's length once, reads, and goes on to the next; a header that is
/// short or lies ends the walk, and what was read stays in the summary.
///
/// `limit` is where the present layer ends on the wire, `bytes` what was captured of it: a header beyond the first contradicts the
/// packet, one beyond the second was merely cut.
enum HeaderWalk {
  @inline(__always)
  static func start(_ bytes: RawSpan, _ s: inout FrameSummary) {
    let limit = s.wireLength
    if s.link == .ethernet {
      ethernet(bytes, 0, limit, &s)
    } else {
      other(bytes, limit, &s)
    }
  }

  /// Ends the walk: short of `count` bytes at `at`.
  @inline(never)
  static func stopShort(_ bytes: RawSpan, _ at: Int, _ count: Int, _ limit: Int, _ s: inout FrameSummary) {
    let cut = at &+ count <= limit
    s.stop = WireFault(cut ? .cutByCapture : .shorterThanItSays, at: at)
    endPayload(bytes, at, limit, &s)
  }

  @inline(never)
  static func stop(_ reason: WireFault.Reason, _ bytes: RawSpan, _ at: Int, _ limit: Int, _ s: inout FrameSummary) {
    if s.stop == nil { s.stop = WireFault(reason, at: at) }
    endPayload(bytes, at, limit, &s)
  }

  /// Nothing is left for a dissector where the walk ended early: what is there are pieces of a header, not what its ports or its
  /// protocol number promise.
  private static func endPayload(_ bytes: RawSpan, _ at: Int, _ limit: Int, _ s: inout FrameSummary) {
    setPayload(bytes, at, limit, &s)
    s.payloadOffset = s.payloadEnd
  }

  @inline(__always)
  static func setPayload(_ bytes: RawSpan, _ at: Int, _ limit: Int, _ s: inout FrameSummary) {
    let end = min(limit, bytes.byteCount)
    s.payloadOffset = min(at, end)
    s.payloadEnd = end
    s.payloadIsCut = s.payloadIsCut || limit > bytes.byteCount
  }

  @inline(__always)
  static func ethernet(_ bytes: RawSpan, _ at: Int, _ limit: Int, _ s: inout FrameSummary) {
    guard bytes.byteCount >= at &+ 14 else { return shortEthernet(bytes, at, limit, &s) }
    // Two loads for the three fields.
    let source = bytes.u64(at &+ 6)
    s.destination = MACAddress(bits: bytes.u64(at) >> 16)
    s.source = MACAddress(bits: source >> 16)
    s.flags.insert([.hasSource, .hasDestination])
    let type = EtherType(UInt16(truncatingIfNeeded: source))
    s.etherType = type
    if type == .ipv4 { return Self.ipv4(bytes, at &+ 14, limit, &s) }
    if type == .ipv6 { return Self.ipv6(bytes, at &+ 14, limit, &s) }
    payload(type, bytes, at &+ 14, limit, &s)
  }

  /// A frame too short for its header still names whom it can.
  private static func shortEthernet(_ bytes: RawSpan, _ at: Int, _ limit: Int, _ s: inout FrameSummary) {
    if bytes.byteCount >= at &+ 6 {
      s.destination = bytes.mac(at)
      s.flags.insert(.hasDestination)
    }
    if bytes.byteCount >= at &+ 12 {
      s.source = bytes.mac(at &+ 6)
      s.flags.insert(.hasSource)
    }
    stopShort(bytes, at, 14, limit, &s)
  }

  /// What stands behind an EtherType or length field.
  static func payload(_ first: EtherType, _ bytes: RawSpan, _ from: Int, _ wireLimit: Int, _ s: inout FrameSummary) {
    var type = first
    var at = from
    // Four tags are one more than provider networks stack.
    while type == .vlan || type == .providerVLAN || type.rawValue == 0x9100 || type.rawValue == 0x9200 {
      guard s.vlanCount < 4 else { return stop(.tooDeep, bytes, at, wireLimit, &s) }
      guard bytes.byteCount >= at &+ 4 else { return stopShort(bytes, at, 4, wireLimit, &s) }
      push(bytes.u16(at) & 0x0fff, &s)
      type = EtherType(bytes.u16(at &+ 2))
      at &+= 4
    }
    s.etherType = type
    if type.isLength {
      s.etherType = EtherType(0)
      return llc(type.rawValue, bytes, at, wireLimit, &s)
    }
    switch type {
    case .ipv4: Self.ipv4(bytes, at, wireLimit, &s)
    case .ipv6: Self.ipv6(bytes, at, wireLimit, &s)
    case .pppoeSession: pppoe(bytes, at, wireLimit, &s)
    case .mpls, .mplsMulticast: mpls(bytes, at, wireLimit, &s)
    case .jumboLLC: llc(0, bytes, at, wireLimit, &s)
    case .macSec:
      s.flags.insert(.encrypted)
      setPayload(bytes, at, wireLimit, &s)
    default: setPayload(bytes, at, wireLimit, &s)
    }
  }

  static func push(_ vid: UInt16, _ s: inout FrameSummary) {
    switch s.vlanCount {
    case 0: s.vlans.0 = vid
    case 1: s.vlans.1 = vid
    case 2: s.vlans.2 = vid
    default: s.vlans.3 = vid
    }
    s.vlanCount = min(4, s.vlanCount &+ 1)
  }

  /// 802.2 LLC; `length` is the 802.3 length field, 0 where there is none.
  static func llc(_ length: UInt16, _ bytes: RawSpan, _ at: Int, _ wireLimit: Int, _ s: inout FrameSummary) {
    var limit = wireLimit
    if length > 0 {
      if at &+ Int(length) > wireLimit {
        s.stop = WireFault(.shorterThanItSays, at: at &- 2)
      } else {
        limit = at &+ Int(length)
      }
    }
    guard bytes.byteCount >= at &+ 3, limit >= at &+ 3 else { return stopShort(bytes, at, 3, limit, &s) }
    s.flags.insert(.isLLC)
    s.llc = UInt32(bytes.u16(at)) << 8 | UInt32(bytes.u8(at &+ 2))
    guard s.llc == 0xaaaa03 else {
      // Unnumbered control fields are one byte, the others two; a raw IPX frame (ffff) has none.
      return setPayload(bytes, at &+ (s.llc & 3 == 3 ? 3 : 4), limit, &s)
    }
    guard bytes.byteCount >= at &+ 8, limit >= at &+ 8 else { return stopShort(bytes, at, 8, limit, &s) }
    if at == 14, s.destination.bits >> 8 == 0x01_000c_0000 || s.destination.bits >> 8 == 0x03_000c_0000 { return isl(bytes, limit, &s) }
    let oui = UInt64(bytes.u16(at &+ 3)) << 8 | UInt64(bytes.u8(at &+ 5))
    let pid = bytes.u16(at &+ 6)
    // RFC 1042 and, for what some bridges make of it, 0000f8: the identifier is an EtherType.
    if (oui == 0 || oui == 0xf8) && pid >= 0x0600 {
      s.flags.remove(.isLLC)
      return payload(EtherType(pid), bytes, at &+ 8, limit, &s)
    }
    s.snap = oui << 16 | UInt64(pid)
    setPayload(bytes, at &+ 8, limit, &s)
  }

  /// Cisco's trunk wrapper of before 802.1Q. Its first bytes look like an 802.3 header with SNAP, to an address of its own (of 40 bits,
  /// then type and priority); a whole frame with its check sum stands inside. Only the outermost one is looked into.
  ///
  ///      0      5         6      12      14       17             20         22    24        26
  ///     │address│type+user│source│length│aa aa 03│source, 3 bytes│VLAN+BPDU│index│reserved│frame…
  private static func isl(_ bytes: RawSpan, _ limit: Int, _ s: inout FrameSummary) {
    guard bytes.byteCount >= 26, limit >= 26 else { return stopShort(bytes, 14, 12, limit, &s) }
    s.flags.remove(.isLLC)
    s.llc = 0
    let vlan = bytes.u16(20) >> 1 & 0x0fff
    if vlan != 0 { push(vlan, &s) }
    ethernet(bytes, 26, limit, &s)
  }

  private static func mpls(_ bytes: RawSpan, _ from: Int, _ limit: Int, _ s: inout FrameSummary) {
    var at = from
    for _ in 0..<8 {
      guard bytes.byteCount >= at &+ 4 else { return stopShort(bytes, at, 4, limit, &s) }
      let label = bytes.u32(at)
      at &+= 4
      if label & 0x100 != 0 {
        switch bytes.u8(at) >> 4 {
        case 4: return ipv4(bytes, at, limit, &s)
        case 6: return ipv6(bytes, at, limit, &s)
        default:
          s.flags.insert(.tunnel)
          return setPayload(bytes, at, limit, &s)
        }
      }
    }
    stop(.tooDeep, bytes, at, limit, &s)
  }

  /// PPPoE session header (RFC 2516, 4) and PPP.
  private static func pppoe(_ bytes: RawSpan, _ at: Int, _ wireLimit: Int, _ s: inout FrameSummary) {
    guard bytes.byteCount >= at &+ 6 else { return stopShort(bytes, at, 6, wireLimit, &s) }
    var limit = wireLimit
    let length = Int(bytes.u16(at &+ 4))
    if at &+ 6 &+ length > wireLimit {
      s.stop = WireFault(.shorterThanItSays, at: at &+ 4)
    } else {
      limit = at &+ 6 &+ length
    }
    s.flags.insert(.pppoe)
    ppp(bytes, at &+ 6, limit, &s)
  }

  /// The PPP protocol field, one byte when compressed (RFC 1661, 2 and 6.5).
  static func ppp(_ bytes: RawSpan, _ from: Int, _ limit: Int, _ s: inout FrameSummary) {
    var at = from
    guard bytes.byteCount > at, limit > at else { return stopShort(bytes, at, 2, limit, &s) }
    var number = UInt16(bytes.u8(at))
    at &+= 1
    if number & 1 == 0 {
      guard bytes.byteCount > at, limit > at else { return stopShort(bytes, at, 1, limit, &s) }
      number = number << 8 | UInt16(bytes.u8(at))
      at &+= 1
    }
    switch number {
    case 0x0021: ipv4(bytes, at, limit, &s)
    case 0x0057: ipv6(bytes, at, limit, &s)
    default: setPayload(bytes, at, limit, &s)
    }
  }

  private static func rawIP(_ bytes: RawSpan, _ at: Int, _ limit: Int, _ s: inout FrameSummary) {
    switch bytes.u8(at) >> 4 {
    case 4: ipv4(bytes, at, limit, &s)
    case 6: ipv6(bytes, at, limit, &s)
    default: bytes.byteCount > at ? stop(.malformed, bytes, at, limit, &s) : stopShort(bytes, at, 1, limit, &s)
    }
  }

  @inline(never)
  static func other(_ bytes: RawSpan, _ limit: Int, _ s: inout FrameSummary) {
    switch s.link {
    case .linuxSLL: cooked(bytes, limit, &s)
    case .linuxSLL2: cooked2(bytes, limit, &s)
    case .radiotap: radiotap(bytes, 0, limit, &s)
    case .ieee80211: wireless(bytes, 0, limit, &s)
    case .prism: prism(bytes, 0, limit, &s)
    case .avs: avs(bytes, 0, limit, &s)
    case .ppi: ppi(bytes, limit, &s)
    case .pktap, .pktapOld: pktap(bytes, limit, &s)
    case .dsa, .edsa, .dsaBroadcom, .dsaBroadcomPrepend: switchTag(bytes, limit, &s)
    case .nflog: nflog(bytes, limit, &s)
    default:
      s.flags.insert(.pointToPoint)
      pointToPoint(bytes, limit, &s)
    }
  }

  private static func pointToPoint(_ bytes: RawSpan, _ limit: Int, _ s: inout FrameSummary) {
    switch s.link {
    case .raw: rawIP(bytes, 0, limit, &s)
    case .ipv4: ipv4(bytes, 0, limit, &s)
    case .ipv6: ipv6(bytes, 0, limit, &s)
    case .null, .loop:
      guard bytes.byteCount >= 4 else { return stopShort(bytes, 0, 4, limit, &s) }
      // The family stands in the byte order of whoever captured.
      let family = bytes.u32(0) > 0xffff ? bytes.u32LE(0) : bytes.u32(0)
      switch family {
      case 2: ipv4(bytes, 4, limit, &s)
      case 10, 23, 24, 26, 28, 30: ipv6(bytes, 4, limit, &s)
      // Some systems write an EtherType behind two bytes of their own.
      default:
        let type = EtherType(bytes.u16(2))
        type == .ipv4 || type == .ipv6 ? payload(type, bytes, 4, limit, &s) : setPayload(bytes, 4, limit, &s)
      }
    case .ppp, .pppHDLC: ppp(bytes, bytes.u16(0) == 0xff03 ? 2 : 0, limit, &s)
    case .pppPPPD, .pppWithDirection:
      guard bytes.byteCount >= 1 else { return stopShort(bytes, 0, 1, limit, &s) }
      s.direction = bytes.u8(0) == 0 ? .received : .sent
      // Linux puts the direction in place of the address byte, so that a control byte follows; the other form keeps both.
      if s.link == .pppPPPD {
        ppp(bytes, bytes.u8(1) == 0x03 ? 2 : 1, limit, &s)
      } else {
        ppp(bytes, bytes.u16(1) == 0xff03 ? 3 : 1, limit, &s)
      }
    case .pppEther:
      s.etherType = .pppoeSession
      pppoe(bytes, 0, limit, &s)
    case .ipnet:
      guard bytes.byteCount >= 24 else { return stopShort(bytes, 0, 24, limit, &s) }
      bytes.u8(1) == 26 ? ipv6(bytes, 24, limit, &s) : ipv4(bytes, 24, limit, &s)
    default:
      s.stop = WireFault(.unsupported, at: 0)
      setPayload(bytes, 0, limit, &s)
    }
  }

  // Linux cooked headers: packet type 0 to us, 1 broadcast, 2 multicast, 3 to others, 4 sent by us.

  private static func cookedType(_ type: UInt16, _ s: inout FrameSummary) {
    s.direction = type == 4 ? .sent : .received
    if type == 1 || type == 2 { s.flags.insert(.cookedGroup) }
  }

  /// The source, where the interface has Ethernet-like addresses (ARPHRD 1, 801…803).
  private static func cookedSource(_ hardware: UInt16, _ length: Int, _ bytes: RawSpan, _ at: Int, _ s: inout FrameSummary) {
    if length == 6, hardware == 1 || (801...803).contains(hardware) {
      s.source = bytes.mac(at)
      s.flags.insert(.hasSource)
    } else {
      s.flags.insert(.pointToPoint)
    }
  }

  private static func cookedPayload(
    _ hardware: UInt16, _ type: UInt16, _ bytes: RawSpan, _ at: Int, _ limit: Int, _ s: inout FrameSummary
  ) {
    switch (hardware, type) {
    case (824, _), (778, _), (803, _), (_, 0x0001): setPayload(bytes, at, limit, &s)
    case (_, 0x0004): llc(0, bytes, at, limit, &s)
    default:
      guard type >= 0x0600 else { return setPayload(bytes, at, limit, &s) }
      payload(EtherType(type), bytes, at, limit, &s)
    }
  }

  private static func cooked(_ bytes: RawSpan, _ limit: Int, _ s: inout FrameSummary) {
    guard bytes.byteCount >= 16 else { return stopShort(bytes, 0, 16, limit, &s) }
    let hardware = bytes.u16(2)
    cookedType(bytes.u16(0), &s)
    cookedSource(hardware, Int(bytes.u16(4)), bytes, 6, &s)
    cookedPayload(hardware, bytes.u16(14), bytes, 16, limit, &s)
  }

  private static func cooked2(_ bytes: RawSpan, _ limit: Int, _ s: inout FrameSummary) {
    guard bytes.byteCount >= 20 else { return stopShort(bytes, 0, 20, limit, &s) }
    let hardware = bytes.u16(8)
    s.interface = Int(bytes.u32(4))
    cookedType(UInt16(bytes.u8(10)), &s)
    cookedSource(hardware, Int(bytes.u8(11)), bytes, 12, &s)
    cookedPayload(hardware, bytes.u16(0), bytes, 20, limit, &s)
  }

  /// Apple's wrapper: its own length, the inner link type, process names that are nobody's business.
  private static func pktap(_ bytes: RawSpan, _ limit: Int, _ s: inout FrameSummary) {
    let length = Int(bytes.u32LE(0))
    guard bytes.byteCount >= 12, length >= 12, length <= limit else { return stopShort(bytes, 0, max(12, length), limit, &s) }
    switch bytes.u32LE(8) {
    case 1: ethernet(bytes, length, limit, &s)
    case 12, 14, 101:
      s.flags.insert(.pointToPoint)
      rawIP(bytes, length, limit, &s)
    case 0, 108:
      s.flags.insert(.pointToPoint)
      let family = bytes.u32(length) > 0xffff ? bytes.u32LE(length) : bytes.u32(length)
      family == 2 ? ipv4(bytes, length &+ 4, limit, &s) : ipv6(bytes, length &+ 4, limit, &s)
    case 105: wireless(bytes, length, limit, &s)
    case 127: radiotap(bytes, length, limit, &s)
    default: stop(.unsupported, bytes, length, limit, &s)
    }
  }

  /// A switch chip's tag behind the addresses (DSA 4 bytes, EDSA 8, Broadcom 4) or before them. It names the port.
  private static func switchTag(_ bytes: RawSpan, _ limit: Int, _ s: inout FrameSummary) {
    let prepended = s.link == .dsaBroadcomPrepend
    let at = prepended ? 4 : 0
    let tag = prepended ? 0 : 12
    let length = s.link == .edsa ? 8 : 4
    guard bytes.byteCount >= 14 &+ length else { return stopShort(bytes, 0, 14 &+ length, limit, &s) }
    s.destination = bytes.mac(at)
    s.source = bytes.mac(at &+ 6)
    s.flags.insert([.hasSource, .hasDestination])
    var next = at &+ (prepended ? 14 : 14 &+ length)
    if s.link == .dsa || s.link == .edsa {
      let word = bytes.u32(tag &+ length &- 4)
      s.switchPort = Int16(word >> 19 & 0x1f)
      if word & 0x2000_0000 != 0 { push(UInt16(truncatingIfNeeded: word & 0xfff), &s) }
    } else {
      s.switchPort = Int16(bytes.u8(tag &+ 3) & 0x1f)
    }
    let type = EtherType(bytes.u16(next &- 2))
    next = min(next, bytes.byteCount)
    payload(type, bytes, next, limit, &s)
  }

  /// Netfilter log: family, version, resource, then TLVs in the host's byte order; 9 is the packet, 8 the source's address.
  private static func nflog(_ bytes: RawSpan, _ limit: Int, _ s: inout FrameSummary) {
    guard bytes.byteCount >= 4 else { return stopShort(bytes, 0, 4, limit, &s) }
    let family = bytes.u8(0)
    var at = 4
    var turns = 0
    while bytes.byteCount >= at &+ 4, turns < 32 {
      turns &+= 1
      let type = bytes.u16LE(at &+ 2) & 0x7fff
      let length = Int(bytes.u16LE(at))
      guard length >= 4 else { return stop(.malformed, bytes, at, limit, &s) }
      if type == 8, length >= 14, bytes.u16(at &+ 4) == 6 {
        s.source = bytes.mac(at &+ 8)
        s.flags.insert(.hasSource)
      }
      if type == 9 {
        let end = min(limit, at &+ length)
        if at &+ length > limit { s.stop = WireFault(.shorterThanItSays, at: at) }
        return family == 10 ? ipv6(bytes, at &+ 4, end, &s) : ipv4(bytes, at &+ 4, end, &s)
      }
      at &+= (length &+ 3) & ~3
    }
    setPayload(bytes, at, limit, &s)
  }
}
