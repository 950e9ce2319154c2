// Neighbour Discovery for IPv6: RFC 4861, 4862 (duplicate detection), 4191 (routes), 8106 (resolvers), 8781 (NAT64 prefix).
//
//      0      1      2          4
//      ┌──────┬──────┬──────────┬──────────────────────────────────────────────────────────────────────────────┬──────────┐
//      │ type │ code │ checksum │ 133 reserved 4                                                                │ options… │
//      │      │      │          │ 134 hop limit 1, flags 1, router lifetime 2, reachable 4, retransmission 4    │          │
//      │      │      │          │ 135 reserved 4, target 16      136 flags 1, reserved 3, target 16             │          │
//      │      │      │          │ 137 reserved 4, better next hop 16, destination 16                            │          │
//      └──────┴──────┴──────────┴──────────────────────────────────────────────────────────────────────────────┴──────────┘
//      option: type 1, length 1 in units of 8 bytes with these two, body
//
// Hop limit 255 is proof that no router lies between: all of it is about this wire.

public enum NDP {
  public static let routerSolicitation: UInt8 = 133
  public static let routerAdvertisement: UInt8 = 134
  public static let neighbourSolicitation: UInt8 = 135
  public static let neighbourAdvertisement: UInt8 = 136
  public static let redirect: UInt8 = 137

  /// A message with more is one that floods.
  static let optionLimit = 128

  static func observe(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    let start = reader.offset
    // RFC 4861, 6.1 and 7.1: anything else was forwarded or is none of ours, and must be ignored.
    guard frame.hopLimit == 255, frame.icmpCode == 0, frame.sourceAddress.isIPv6 else { throw WireFault(.malformed, at: start) }
    try reader.skip(4)
    switch frame.icmpType {
    case routerSolicitation:
      try reader.skip(4)
      let holder = try holder(reader, sourceLinkLayer, frame, &out)
      if frame.sourceAddress.isHost { out.note(holder, .holds(frame.sourceAddress, .request), "source address") }
      out.note(holder, .solicitsRouters, "type", grade: .b)
    case routerAdvertisement: try routerAdvertisement(&reader, frame, &out)
    case neighbourSolicitation: try solicitation(&reader, frame, &out)
    case neighbourAdvertisement: try advertisement(&reader, frame, &out)
    case redirect: try redirect(&reader, frame, &out)
    default: return
    }
  }

  private static func solicitation(
    _ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations
  ) throws(WireFault) {
    try reader.skip(4)
    let target = IPAddress(try reader.ipv6())
    let holder = try holder(reader, sourceLinkLayer, frame, &out)
    guard target.isHost, target.isIPv6 else { return }
    guard frame.sourceAddress.isHost else {
      // Duplicate detection: about to be taken, not held.
      out.note(holder, .wants(target), "target address", grade: .b)
      return
    }
    out.note(holder, .holds(frame.sourceAddress, .request), "source address")
    if target != frame.sourceAddress {
      out.note(holder, .seeks(target, from: frame.sourceAddress), "target address", grade: .b)
    }
  }

  private static func advertisement(
    _ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations
  ) throws(WireFault) {
    let flags = try reader.u8()
    try reader.skip(3)
    let target = IPAddress(try reader.ipv6())
    let holder = try holder(reader, targetLinkLayer, frame, &out)
    guard target.isHost, target.isIPv6 else { return }
    out.note(holder, .holds(target, flags & 0x40 != 0 ? .reply : .announcement), "target address")
    if flags & 0x80 != 0 { out.note(holder, .forwards, "router flag") }
    // The sender's own address, unless the frame was rewritten on its way and nobody can say whose it is.
    let source = frame.station
    if frame.sourceAddress != target, frame.sourceAddress.isHost, holder == source {
      out.note(holder, .holds(frame.sourceAddress, .statement), "source address", grade: .b)
    }
  }

  private static func redirect(
    _ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations
  ) throws(WireFault) {
    guard frame.sourceAddress.isLinkLocal else { throw WireFault(.malformed, at: reader.offset) }
    try reader.skip(4)
    let target = IPAddress(try reader.ipv6())
    let destination = IPAddress(try reader.ipv6())
    let link = try linkLayer(reader, targetLinkLayer, &out)
    guard target.isHost, target.isIPv6, destination.isHost, destination.isIPv6 else { return }
    let sender = frame.station
    out.note(sender, .holds(frame.sourceAddress, .statement), "source address")
    out.note(sender, .playsRole(.router), "redirect", grade: .b)
    out.note(sender, .redirects(to: target, for: destination), "target address")
    // The router's word about the better next hop.
    if let link { out.note(link, .holds(target, .reply), "target link-layer address", grade: .b) }
  }

  // MARK: Options

  static let sourceLinkLayer: UInt8 = 1
  static let targetLinkLayer: UInt8 = 2

  /// Who the message is about: the address in the link-layer option where it names another than the frame's source. Then a bridge
  /// wrote its own address over the frame's and could not reach the option (a repeater), or somebody answers for another.
  private static func holder(
    _ reader: borrowing ByteReader, _ type: UInt8, _ frame: borrowing FrameSummary, _ out: inout Observations
  ) throws(WireFault) -> MACAddress {
    let source = frame.station
    guard let link = try linkLayer(reader, type, &out), link.isStation, link != source else { return source }
    out.note(
      source, .speaksFor(link), type == sourceLinkLayer ? "source link-layer address" : "target link-layer address", grade: .b,
      kind: .inferred)
    return link
  }

  /// The first link-layer address of a type. Throws for an option of length 0, with which the whole message must be dropped.
  /// So does a cut before it came, since without it nobody can say whom the message is about.
  private static func linkLayer(
    _ options: borrowing ByteReader, _ type: UInt8, _ out: inout Observations
  ) throws(WireFault) -> MACAddress? {
    var reader = copy options
    var found: MACAddress?
    var turns = 0
    while reader.remaining >= 2, turns < optionLimit {
      turns += 1
      let kind = try reader.u8()
      let units = Int(try reader.u8())
      guard units > 0 else { throw WireFault(.malformed, at: reader.offset - 1) }
      let length = units * 8 - 2
      if reader.remaining < length {
        out.tally(reader.short())
        break
      }
      if kind == type, units == 1, found == nil {
        found = try reader.mac()
      } else {
        try reader.skip(length)
      }
    }
    if found == nil, reader.isCut { throw reader.short() }
    return found
  }

  private static func routerAdvertisement(
    _ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations
  ) throws(WireFault) {
    guard frame.sourceAddress.isLinkLocal else { throw WireFault(.malformed, at: reader.offset) }
    try reader.skip(2)
    let lifetime = Int(try reader.u16())
    try reader.skip(8)
    let router = try holder(reader, sourceLinkLayer, frame, &out)
    out.note(router, .advertisesRouter(lifetime: lifetime), "router lifetime")
    out.note(router, .holds(frame.sourceAddress, .statement), "source address")
    // What is on the link of a dial-in is not on this wire.
    let isThisWire = !frame.has(.pppoe)
    var turns = 0
    while !reader.isAtEnd, turns < optionLimit {
      turns += 1
      let type = try reader.u8()
      let units = Int(try reader.u8())
      guard units > 0 else { throw WireFault(.malformed, at: reader.offset - 1) }
      var body = try reader.take(units * 8 - 2)
      do throws(WireFault) {
        switch type {
        case 3: if isThisWire { try prefix(&body, router, &out) }
        case 24: if isThisWire { try route(&body, units, router, &out) }
        case 25: try resolvers(&body, router, &out)
        case 31: try domains(&body, router, &out)
        case 38: try translation(&body, router, &out)
        default: continue
        }
      } catch {
        out.tally(error)
      }
    }
  }

  /// length 1, flags 1, valid 4, preferred 4, reserved 4, prefix 16.
  private static func prefix(_ body: inout ByteReader, _ router: MACAddress, _ out: inout Observations) throws(WireFault) {
    let start = body.offset
    let length = Int(try body.u8())
    let flags = try body.u8()
    let valid = try body.u32()
    try body.skip(8)
    let address = try body.ipv6()
    guard length <= 128 else { throw WireFault(.malformed, at: start) }
    // A lifetime of 0 takes the prefix back; the link-local one is everywhere and no subnet (RFC 4861, 4.6.2: to be ignored).
    guard valid > 0, !address.isLinkLocal, !address.isMulticast, !address.isMappedIPv4 else { return }
    out.note(router, .advertisesPrefix(Prefix(IPAddress(address), length), onLink: flags & 0x80 != 0), "prefix information")
  }

  /// length 1, preference 1, lifetime 4, and as much of the prefix as is needed: 0, 8 or 16 bytes.
  private static func route(
    _ body: inout ByteReader, _ units: Int, _ router: MACAddress, _ out: inout Observations
  ) throws(WireFault) {
    let start = body.offset
    let length = Int(try body.u8())
    try body.skip(1)
    let lifetime = try body.u32()
    guard length <= 128, units <= 3, length <= (units - 1) * 64 else { throw WireFault(.malformed, at: start) }
    let high = units > 1 ? try body.u64() : 0
    let low = units > 2 ? try body.u64() : 0
    let address = IPv6Address(high: high, low: low)
    guard lifetime > 0, !address.isLinkLocal, !address.isMulticast, !address.isMappedIPv4 else { return }
    out.note(router, .advertisesRoute(Prefix(IPAddress(address), length)), "route information")
  }

  /// reserved 2, lifetime 4, addresses.
  private static func resolvers(_ body: inout ByteReader, _ router: MACAddress, _ out: inout Observations) throws(WireFault) {
    try body.skip(2)
    guard try body.u32() > 0 else { return }
    var turns = 0
    while body.remaining >= 16, turns < 8 {
      turns += 1
      let server = try body.ipv6()
      if !server.isMappedIPv4, IPAddress(server).isHost {
        out.note(router, .namesServer(IPAddress(server)), "recursive DNS server")
      }
    }
  }

  /// reserved 2, lifetime 4, names padded with zeros.
  private static func domains(_ body: inout ByteReader, _ router: MACAddress, _ out: inout Observations) throws(WireFault) {
    try body.skip(2)
    guard try body.u32() > 0 else { return }
    for name in DomainName.list(body.rest()) { out.note(router, .has(.domain, name), "DNS search list") }
  }

  /// scaled lifetime 13 bits, prefix length code 3 bits, prefix 12: the network behind a NAT64.
  private static func translation(_ body: inout ByteReader, _ router: MACAddress, _ out: inout Observations) throws(WireFault) {
    let start = body.offset
    let field = try body.u16()
    let high = try body.u64()
    let middle = try body.u32()
    guard field >> 3 > 0 else { return }
    let length: Int
    switch field & 7 {
    case 0: length = 96
    case 1: length = 64
    case 2: length = 56
    case 3: length = 48
    case 4: length = 40
    case 5: length = 32
    default: throw WireFault(.malformed, at: start)
    }
    let prefix = Prefix(IPAddress(IPv6Address(high: high, low: UInt64(middle) << 32)), length)
    out.note(router, .has(.comment, WireText("NAT64 " + prefix.description)), "PREF64")
  }

  public static let dissector = Dissector(
    "ndp", standard: "RFC 4861, 4862, 4191, 8106, 8781",
    keys: [
      .icmpv6(routerSolicitation), .icmpv6(routerAdvertisement), .icmpv6(neighbourSolicitation), .icmpv6(neighbourAdvertisement),
      .icmpv6(redirect),
    ]
  ) { (reader, frame, out) throws(WireFault) in
    try observe(&reader, frame, &out)
  }
}
