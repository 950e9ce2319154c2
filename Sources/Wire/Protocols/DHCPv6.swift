// Dynamic Host Configuration Protocol for IPv6: RFC 8415; 4704 (names), 6334 (AFTR), 6939 (client address at relays), 3646 (DNS);
// CableLabs CL-SP-CANN-DHCP-Reg for enterprise 4491.
//
//      0      1             4                                        option: code 2, length 2, value
//      ┌──────┬─────────────┬──────────┐                             IA (3, 25): identifier 4, T1 4, T2 4, options
//      │ type │ transaction │ options… │                             address (5): address 16, preferred 4, valid 4, options
//      ├──────┼─────┬───────┴──────────┼──────────┬──────────┐       prefix (26): preferred 4, valid 4, length 1, prefix 16, options
//      │12, 13│ hop │ link address 16  │ peer 16  │ options… │       relayed message (9): a whole message, perhaps relayed again
//      └──────┴─────┴──────────────────┴──────────┴──────────┘
//
// Between client and server (or relay) all of it is link-local. A relay's own talk with its server names the client by the peer address.

public enum DHCPv6 {
  enum Kind: UInt8 {
    case solicit = 1
    case advertise, request, confirm, renew, rebind, reply, release, decline, reconfigure, information
    case relayForward = 12
    case relayReply

    var isServers: Bool {
      switch self {
      case .advertise, .reply, .reconfigure: true
      default: false
      }
    }
  }

  /// RFC 8415, 7.6 allows more hops; nobody builds them.
  static let depthLimit = 4
  static let optionLimit = 256
  static let cableLabs: UInt32 = 4491

  /// Whom a message is about.
  struct Parties {
    /// Who asks.
    var client: MACAddress
    /// Who answers; zero where nobody on this wire does.
    var server: MACAddress
    /// Concluded from an address where the client did not send the frame.
    var grade: Grade
  }

  static func observe(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    let start = reader.offset
    guard let kind = Kind(rawValue: try reader.u8()) else { throw WireFault(.unsupported, at: start) }
    if kind == .relayForward || kind == .relayReply { return try relayed(&reader, kind, frame, &out) }
    try reader.skip(3)
    var parties = Parties(client: .zero, server: .zero, grade: .a)
    let source = frame.sourceAddress
    let destination = frame.destinationAddress
    guard source.isIPv6 else { throw WireFault(.malformed, at: start) }
    // Without a link-local address at either end, both ends of the frame may be routers on the way.
    guard source.isLinkLocal || destination.isLinkLocal || destination.isMulticast else { return }
    if kind.isServers {
      parties.server = frame.station
      if frame.has(.hasDestination) { parties.client = frame.destination }
      out.note(parties.server, .servesDHCPv6, "message type")
    } else {
      parties.client = frame.station
    }
    if source.isLinkLocal { out.note(frame.station, .holds(source, .statement), "source address", grade: .b) }
    readOptions(&reader, kind, parties, &out)
  }

  // MARK: Options of one message

  private static func readOptions(_ reader: inout ByteReader, _ kind: Kind, _ parties: Parties, _ out: inout Observations) {
    do throws(WireFault) {
      var turns = 0
      while !reader.isAtEnd, turns < optionLimit {
        turns += 1
        let code = try reader.u16()
        var body = try reader.take(Int(try reader.u16()))
        do throws(WireFault) {
          if kind.isServers {
            try answer(code, &body, kind, parties, &out)
          } else {
            try question(code, &body, kind, parties, &out)
          }
        } catch {
          out.tally(error)
        }
      }
    } catch {
      out.tally(error)
    }
  }

  private static func question(
    _ code: UInt16, _ body: inout ByteReader, _ kind: Kind, _ parties: Parties, _ out: inout Observations
  ) throws(WireFault) {
    let client = parties.client
    let grade = parties.grade
    switch code {
    case 1:
      // Kept as it is: of types 1 and 3 the last six bytes are the address that some interface of the box has or had.
      if body.remaining > 2 { out.note(client, .has(.clientIdentifier, body.textToEnd()), "option 1", grade: grade) }
    case 3, 4: try association(&body, code, kind, parties, &out)
    case 6: if !body.isAtEnd { out.note(client, .has(.fingerprint, body.textToEnd()), "option 6", grade: .c) }
    case 15:
      let text = try body.text(Int(try body.u16())).untilNUL.trimmed
      if !text.isEmpty { out.note(client, .has(.userClass, text), "option 15", grade: grade) }
    case 16:
      try body.skip(4)
      var turns = 0
      while !body.isAtEnd, turns < 16 {
        turns += 1
        let text = try body.text(Int(try body.u16())).untilNUL.trimmed
        if !text.isEmpty { out.note(client, .has(.vendorClass, text), "option 16", grade: grade) }
      }
    case 17: try vendorOptions(&body, client, grade, &out)
    case 25:
      switch kind {
      case .solicit, .request, .renew, .rebind: out.note(client, .requestsDelegation, "option 25", grade: .b)
      default: break
      }
    case 39:
      try body.skip(1)
      var at = 0
      guard let name = DomainName.read(body.rest(), &at, pointers: false, partial: true) else {
        throw WireFault(.malformed, at: body.offset)
      }
      if !name.isEmpty { out.note(client, .isNamed(name, .host), "option 39", grade: grade) }
    default: return
    }
  }

  private static func answer(
    _ code: UInt16, _ body: inout ByteReader, _ kind: Kind, _ parties: Parties, _ out: inout Observations
  ) throws(WireFault) {
    switch code {
    case 3, 4, 25: try association(&body, code, kind, parties, &out)
    case 23:
      var turns = 0
      while body.remaining >= 16, turns < 8 {
        turns += 1
        let address = IPAddress(try body.ipv6())
        if address.isHost, address.isIPv6 { out.note(parties.server, .namesServer(address), "option 23") }
      }
    case 24: for name in DomainName.list(body.rest()) { out.note(parties.server, .has(.domain, name), "option 24") }
    case 64:
      // The far end of a DS-Lite tunnel: the operator's IPv4 lies behind it.
      var at = 0
      if let name = DomainName.read(body.rest(), &at, pointers: false, partial: false), !name.isEmpty {
        out.note(parties.server, .has(.comment, name), "option 64")
      }
    default: return
    }
  }

  /// IA_NA (3), IA_TA (4) and IA_PD (25): what is asked for, held, or given.
  private static func association(
    _ body: inout ByteReader, _ association: UInt16, _ kind: Kind, _ parties: Parties, _ out: inout Observations
  ) throws(WireFault) {
    // Temporary addresses have no timers.
    try body.skip(association == 4 ? 4 : 12)
    var turns = 0
    while !body.isAtEnd, turns < 64 {
      turns += 1
      let code = try body.u16()
      var item = try body.take(Int(try body.u16()))
      switch code {
      case 5:
        let address = IPAddress(try item.ipv6())
        try item.skip(4)
        let valid = try item.u32()
        guard address.isHost, address.isIPv6 else { continue }
        switch kind {
        case .reply: if valid > 0 { out.note(parties.client, .holds(address, .lease), "option 5", grade: parties.grade) }
        case .renew, .rebind: out.note(parties.client, .holds(address, .statement), "option 5", grade: parties.grade)
        case .solicit, .request: out.note(parties.client, .wants(address), "option 5", grade: .b)
        default: continue
        }
      case 26:
        try item.skip(4)
        let valid = try item.u32()
        let length = Int(try item.u8())
        let address = try item.ipv6()
        guard kind == .reply, valid > 0, !address.isAny, !address.isMappedIPv4 else { continue }
        guard length <= 128 else { throw WireFault(.malformed, at: item.offset) }
        out.note(parties.client, .delegatedPrefix(Prefix(IPAddress(address), length)), "option 26", grade: parties.grade)
      default: continue
      }
    }
  }

  /// Option 17 of CableLabs: enterprise 4, then code 2, length 2, value; numbered as option 43 of DHCPv4.
  private static func vendorOptions(
    _ body: inout ByteReader, _ client: MACAddress, _ grade: Grade, _ out: inout Observations
  ) throws(WireFault) {
    guard try body.u32() == cableLabs else { return }
    var turns = 0
    while !body.isAtEnd, turns < 64 {
      turns += 1
      let code = try body.u16()
      let value = try body.text(Int(try body.u16())).untilNUL.trimmed
      guard !value.isEmpty else { continue }
      switch code {
      case 2:
        out.note(client, .has(.vendorClass, value), "option 17.2", grade: grade)
        if let role = DHCPv4Vendor.role(value) { out.note(client, .playsRole(role), "option 17.2", grade: grade) }
      case 3: out.note(client, .has(.vendorClass, value), "option 17.3", grade: grade)
      case 5: out.note(client, .has(.hardware, value), "option 17.5", grade: grade)
      case 6: out.note(client, .has(.software, value), "option 17.6", grade: grade)
      case 9: out.note(client, .has(.model, value), "option 17.9", grade: grade)
      case 10: out.note(client, .has(.manufacturer, value), "option 17.10", grade: grade)
      default: continue
      }
    }
  }

  // MARK: Relays

  /// Goes inwards relay by relay, without recursion. The relay beside the client knows it best: its peer address is the client's,
  /// option 79 its hardware address, 18 and 37 the circuit it is on.
  private static func relayed(
    _ reader: inout ByteReader, _ outermost: Kind, _ frame: borrowing FrameSummary, _ out: inout Observations
  ) throws(WireFault) {
    // Who is spoken of stands behind the message: with a part alone nothing is certain.
    if reader.isCut { throw reader.short() }
    var level = reader.takeAvailable(reader.remaining)
    var kind = outermost
    for _ in 0..<depthLimit {
      try level.skip(1 + 16)
      let peer = try level.ipv6()
      var client = MACAddress.zero
      var circuit: WireText?
      var remote: WireText?
      var inner: (offset: Int, length: Int)?
      let here = level.position
      var options = level.takeAvailable(level.remaining)
      do throws(WireFault) {
        var turns = 0
        while !options.isAtEnd, turns < optionLimit {
          turns += 1
          let code = try options.u16()
          let length = Int(try options.u16())
          let place = here + options.position
          var body = try options.take(length)
          switch code {
          case 9: if inner == nil { inner = (place, length) }
          case 18: if circuit == nil, length > 0 { circuit = body.textToEnd() }
          case 37:
            if remote == nil, length > 4 {
              try body.skip(4)
              remote = body.textToEnd()
            }
          case 79: if length == 8, try body.u16() == 1 { client = try body.mac() }
          default: continue
          }
        }
      } catch {
        out.tally(error)
      }
      let isStated = client.isStation
      if !isStated, peer.isLinkLocal { client = peer.embeddedMAC ?? .zero }
      guard let inner else { return }
      let base = level.offset - level.position
      var message = level.over(level.whole().part(inner.offset, inner.length), base: base + inner.offset)
      guard let innerKind = Kind(rawValue: try message.u8()) else { throw WireFault(.unsupported, at: base + inner.offset) }
      if innerKind == .relayForward || innerKind == .relayReply {
        level = message
        kind = innerKind
        continue
      }
      guard innerKind.isServers == (kind == .relayReply) else { throw WireFault(.malformed, at: base + inner.offset) }
      if circuit != nil || remote != nil {
        out.note(
          client, .relayAgent(circuit: circuit, remote: remote), circuit == nil ? "option 37" : "option 18", grade: isStated ? .a : .b)
      }
      try message.skip(3)
      readOptions(&message, innerKind, Parties(client: client, server: .zero, grade: isStated ? .a : .b), &out)
      return
    }
    throw WireFault(.tooDeep, at: level.offset)
  }

  public static let dissector = Dissector(
    "dhcpv6", standard: "RFC 8415, 3646, 4704, 6334, 6939", keys: [.udp(.dhcpv6Server), .udp(.dhcpv6Client)]
  ) { (reader, frame, out) throws(WireFault) in
    try observe(&reader, frame, &out)
  }
}
