// Dynamic Host Configuration Protocol: RFC 2131, 2132, 3046 (relay information), 3396 (long options), 3442 (classless routes),
// 3925 (vendor-identifying), 4361 (client identifiers), 4702 (FQDN); CableLabs CL-SP-CANN-DHCP-Reg for option 43.
// The picture of a message is in `DHCPv4Message.swift`.
//
// A client's broadcasts tell every host on the wire which server it chose and which address it takes; answers are often unicast.
// The client is `chaddr`, not the Ethernet source: bridges that translate, relays and routers forward in its name.

public enum DHCPv4 {
  /// Option 53.
  enum Kind: UInt8 {
    case discover = 1
    case offer, request, decline, ack, nak, release, inform
  }

  /// Hop limits with which a packet can leave its sender: one less and it was routed. 16 and 32 are those of old servers.
  static func isFresh(_ hopLimit: UInt8) -> Bool {
    switch hopLimit {
    case 16, 32, 64, 128, 255: true
    default: false
    }
  }

  static func observe(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    let whole = reader.whole()
    let header = try header(&reader, whole)
    noteForwarder(header, frame, &out)

    var slots: [Slot] = []
    slots.reserveCapacity(24)
    let isComplete = scan(&reader, from: 0, &slots, &out)
    // Option 52 counts in the main area alone; other values than 1 to 3 mean nothing.
    if let overload = slots.first(where: { $0.code == 52 && $0.length == 1 }).map({ whole.u8($0.start) }), (1...3).contains(overload) {
      let base = reader.offset - reader.position
      if overload & 1 != 0 {
        var file = reader.over(whole.part(108, 128), base: base + 108)
        _ = scan(&file, from: 108, &slots, &out)
      }
      if overload & 2 != 0 {
        var sname = reader.over(whole.part(44, 64), base: base + 44)
        _ = scan(&sname, from: 44, &slots, &out)
      }
    }
    // In a cut message a full piece may be the first of several.
    if !isComplete { slots.removeAll { $0.length == 255 } }

    if hasRepeats(slots) {
      let joined = joined(whole, slots)
      read(header, Options(reader.over(joined.bytes.span.raw, base: 0), joined.slots, isComplete: isComplete), frame, &out)
    } else {
      read(header, Options(reader, slots, isComplete: isComplete), frame, &out)
    }
  }

  /// Who sends a client's request under another source address bridges for it (a Wi-Fi client bridge, a repeater). A relay does so
  /// by its trade, and a router forwards a renewal: neither bridges.
  static func noteForwarder(_ header: Header, _ frame: borrowing FrameSummary, _ out: inout Observations) {
    let source = frame.station
    guard header.isRequest, header.giaddr.isAny, header.client.isStation, source.isStation, source != header.client else { return }
    if !frame.isGroupDestination, !isFresh(frame.hopLimit) { return }
    out.note(source, .speaksFor(header.client), "chaddr", grade: .b, kind: .inferred)
  }

  private static func read(_ header: Header, _ options: borrowing Options, _ frame: borrowing FrameSummary, _ out: inout Observations) {
    guard let kind = options.u8(53).flatMap(Kind.init(rawValue:)) else { return }
    switch kind {
    case .discover, .request, .decline, .release, .inform:
      if header.isRequest { readRequest(kind, header, options, &out) }
    case .offer, .ack, .nak:
      if !header.isRequest { readReply(kind, header, options, frame, &out) }
    }
  }

  // MARK: What a client says

  private static func readRequest(_ kind: Kind, _ header: Header, _ options: borrowing Options, _ out: inout Observations) {
    let client = header.client
    let relay = header.giaddr.isHost ? header.giaddr : nil
    let wanted = options.address(50)
    switch kind {
    case .discover, .request:
      let server = kind == .request ? options.address(54).flatMap { $0.isHost ? $0 : nil } : nil
      // Without its end a message may name a server we do not see.
      if server != nil || options.isComplete {
        out.note(client, .requestsLease(server: server, relay: relay), server == nil ? "option 53" : "option 54")
      }
      if let wanted, wanted.isHost { out.note(client, .wants(IPAddress(wanted)), "option 50", grade: .b) }
      // Only who renews has an address to state.
      if kind == .request, header.ciaddr.isHost { out.note(client, .holds(IPAddress(header.ciaddr), .statement), "ciaddr") }
    case .inform:
      if header.ciaddr.isHost { out.note(client, .holds(IPAddress(header.ciaddr), .statement), "ciaddr") }
    case .release:
      if header.ciaddr.isHost { out.note(client, .releasesLease(header.ciaddr), "ciaddr") }
    case .decline:
      // Somebody else has it: the client gives back what it was given.
      if let wanted, wanted.isHost { out.note(client, .releasesLease(wanted), "option 50", text: options.text(56)) }
    case .offer, .ack, .nak: return
    }
    guard client.isStation else { return }
    noteNames(client, options, grade: .a, &out)
    if let text = options.text(60) { out.note(client, .has(.vendorClass, text), "option 60") }
    if let text = userClass(options) { out.note(client, .has(.userClass, text), "option 77") }
    if let text = options.raw(61) { out.note(client, .has(.clientIdentifier, text), "option 61") }
    if let text = options.raw(55) { out.note(client, .has(.fingerprint, text), "option 55", grade: .c) }
    DHCPv4Vendor.noteClasses(client, options, &out)
    DHCPv4Vendor.noteCable(client, options, &out)
    DHCPv4Vendor.noteIdentities(client, options, ofGateway: false, &out)
    noteRelayAgent(client, options, &out)
  }

  /// Options 12 and 81.
  private static func noteNames(_ client: MACAddress, _ options: borrowing Options, grade: Grade, _ out: inout Observations) {
    if let name = options.text(12) { out.note(client, .isNamed(name, .host), "option 12", grade: grade) }
    guard let slot = options.slot(81), slot.length > 3 else { return }
    let body = options.bytes.part(slot.start + 3, slot.length - 3)
    let name: WireText?
    if options.bytes.u8(slot.start) & 0x04 != 0 {
      var at = 0
      name = DomainName.read(body, &at, pointers: false, partial: true)
      if name == nil { out.tally(WireFault(.malformed, at: slot.offset)) }
    } else {
      name = WireText(body).untilNUL.trimmed
    }
    if let name, !name.isEmpty { out.note(client, .isNamed(name, .host), "option 81", grade: grade) }
  }

  /// RFC 3004 puts a length before each of several classes; many senders (iPXE, Windows) put bare text.
  private static func userClass(_ options: borrowing Options) -> WireText? {
    guard let slot = options.slot(77), slot.length > 1 else { return options.text(77) }
    let first = Int(options.bytes.u8(slot.start))
    var at = 0
    while at < slot.length {
      let length = Int(options.bytes.u8(slot.start + at))
      if length == 0 { break }
      at += 1 + length
    }
    guard at == slot.length else { return options.text(77) }
    let text = WireText(options.bytes.part(slot.start + 1, first)).untilNUL.trimmed
    return text.isEmpty ? nil : text
  }

  /// Option 82 names the circuit and the modem that the client is behind; its values are bytes of the relay's own making, a cable
  /// modem's MAC among them.
  private static func noteRelayAgent(_ client: MACAddress, _ options: borrowing Options, _ out: inout Observations) {
    guard let slot = options.slot(82) else { return }
    var circuit: WireText?
    var remote: WireText?
    var reader = options.reader(slot)
    do throws(WireFault) {
      while !reader.isAtEnd {
        let code = try reader.u8()
        let value = try reader.text(Int(try reader.u8()))
        if value.isEmpty { continue }
        if code == 1, circuit == nil { circuit = value }
        if code == 2, remote == nil { remote = value }
      }
    } catch {
      out.tally(error)
    }
    guard circuit != nil || remote != nil else { return }
    out.note(client, .relayAgent(circuit: circuit, remote: remote), "option 82")
  }

  // MARK: What a server says

  private static func readReply(
    _ kind: Kind, _ header: Header, _ options: borrowing Options, _ frame: borrowing FrameSummary, _ out: inout Observations
  ) {
    let client = header.client
    let server = options.address(54).flatMap { $0.isHost ? $0 : nil }
    if kind == .nak {
      if server != nil || options.isComplete {
        out.note(client, .refusedLease(server: server), "option 53", text: options.text(56))
      }
    } else {
      noteLease(kind, header, options, server, frame, &out)
    }
    let isLocal = noteServer(kind, header, server, frame, &out)
    if isLocal { DHCPv4Vendor.noteIdentities(frame.station, options, ofGateway: true, &out) }
    guard client.isStation else { return }
    if kind != .nak {
      // The server's word about the client: what it was told, or what its own table says.
      noteNames(client, options, grade: .b, &out)
      if let domain = options.text(15) { out.note(client, .has(.domain, domain), "option 15") }
      if let slot = options.slot(119) {
        for domain in DomainName.list(options.bytes.part(slot.start, slot.length), pointers: true) {
          out.note(client, .has(.domain, domain), "option 119")
        }
      }
    }
    noteRelayAgent(client, options, &out)
  }

  private static func noteLease(
    _ kind: Kind, _ header: Header, _ options: borrowing Options, _ server: IPv4Address?, _ frame: borrowing FrameSummary,
    _ out: inout Observations
  ) {
    // The answer to an inform leases nothing; the client's own address is in `ciaddr`.
    let address = header.yiaddr.isAny && kind == .ack ? header.ciaddr : header.yiaddr
    guard address.isHost, header.client.isStation else { return }
    var lease = Lease(address: address, carriedBy: frame.station)
    if let mask = options.address(1), !mask.isAny {
      lease.prefix = Prefix(address, mask: mask)
      if lease.prefix == nil, let slot = options.slot(1) { out.tally(WireFault(.malformed, at: slot.offset)) }
    }
    lease.routers = options.hosts(3)
    lease.nameServers = options.hosts(6)
    lease.server = server
    lease.relay = header.giaddr.isHost ? header.giaddr : nil
    lease.duration = options.u32(51)
    lease.routes = routes(options, &out)
    lease.isOffer = kind == .offer
    lease.hopLimit = frame.hopLimit
    out.note(header.client, .leased(lease), header.yiaddr.isAny ? "ciaddr" : "yiaddr")
  }

  /// Whether the sender is a server on this wire, which is then noted. With a relay in between nobody knows who carried it; a
  /// renewal's answer may have been routed here from anywhere.
  private static func noteServer(
    _ kind: Kind, _ header: Header, _ server: IPv4Address?, _ frame: borrowing FrameSummary, _ out: inout Observations
  ) -> Bool {
    guard header.giaddr.isAny, frame.station.isStation else { return false }
    let isFresh = isFresh(frame.hopLimit)
    let isForAll = frame.isGroupDestination
    // Nobody routes to an address that is only being offered, nor a broadcast.
    guard kind == .offer || isFresh || isForAll else { return false }
    out.note(frame.station, .playsRole(.dhcpServer), "option 53")
    if let server, isFresh, frame.hopLimit >= 64, frame.sourceAddress == IPAddress(server) {
      out.note(frame.station, .holds(IPAddress(server), .statement), "option 54")
    }
    return true
  }

  /// Options 121 (and its older number 249) and 33.
  private static func routes(_ options: borrowing Options, _ out: inout Observations) -> [Lease.Route] {
    var found: [Lease.Route] = []
    func add(_ destination: Prefix, _ router: IPv4Address) {
      let route = Lease.Route(destination: destination, router: router)
      if found.count < 64, !found.contains(route) { found.append(route) }
    }
    for code: UInt8 in [121, 249] {
      guard let slot = options.slot(code) else { continue }
      var reader = options.reader(slot)
      do throws(WireFault) {
        while !reader.isAtEnd {
          let offset = reader.offset
          let length = Int(try reader.u8())
          // No way to find the next route behind a length that cannot be.
          guard length <= 32 else { throw WireFault(.malformed, at: offset) }
          var bits: UInt32 = 0
          for i in 0..<((length + 7) / 8) { bits |= UInt32(try reader.u8()) << UInt32(24 - 8 * i) }
          add(Prefix(IPAddress(IPv4Address(bits)), length), try reader.ipv4())
        }
      } catch {
        out.tally(error)
      }
    }
    if let slot = options.slot(33) {
      var reader = options.reader(slot)
      do throws(WireFault) {
        while !reader.isAtEnd {
          let destination = try reader.ipv4()
          add(Prefix(IPAddress(destination), 32), try reader.ipv4())
        }
      } catch {
        out.tally(error)
      }
    }
    return found
  }

  public static let dissector = Dissector(
    "dhcp", standard: "RFC 2131, 2132, 3046, 3396, 3442, 3925, 4702", keys: [.udp(.dhcpServer), .udp(.dhcpClient)]
  ) { (reader, frame, out) throws(WireFault) in
    try observe(&reader, frame, &out)
  }
}
