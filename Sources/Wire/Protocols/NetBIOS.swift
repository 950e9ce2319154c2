// NetBIOS over UDP: RFC 1001, 1002; browser announcements [MS-BRWS] over SMB mailslots [MS-MAIL].
//
// Name service, port 137: the message is that of DNS. A name is one label of 32 letters, each two of them one byte ('A' + high half,
// 'A' + low half): 15 characters, and a suffix that says what the name is for.
//
//      NB record data:       flags 2 (8000 = group) │ IPv4 4 │ …
//      node status data:     count 1 │ name 15, suffix 1, flags 2 │ … │ unit id 6 = MAC │ statistics
//
// Datagram service, port 138:
//
//      0      1       2    4             8           10       12       14
//      ┌──────┬───────┬────┬─────────────┬───────────┬────────┬────────┬─────────────┬──────────────────┬─────────────────────┐
//      │type 1│flags 1│id 2│source IPv4 4│source port│length 2│offset 2│source name  │ destination name │ SMB transaction     │
//      └──────┴───────┴────┴─────────────┴───────────┴────────┴────────┴─────────────┴──────────────────┴─────────────────────┘
//      mailslot data: command 1 │ update 1 │ period 4 LE │ name 16 │ OS 2 │ server type 4 LE │ browser 2 │ aa55 │ comment
//
// Suffix 03 is the name of whoever is logged in: not noted.

public enum NetBIOS {
  static let namesDissector = Dissector("nbns", standard: "RFC 1002", keys: [.udp(.netBIOSName)]) {
    (reader, frame, out) throws(WireFault) in
    try observeNames(&reader, frame, &out)
  }

  static let browserDissector = Dissector("browser", standard: "RFC 1002, MS-BRWS", keys: [.udp(.netBIOSDatagram)]) {
    (reader, frame, out) throws(WireFault) in
    try observeDatagram(&reader, frame, &out)
  }

  // MARK: Names

  /// A decoded name.
  struct Name {
    var text: WireText
    var suffix: UInt8

    /// Workstation or file server: then a name that is no group's is the host's.
    var isOfHost: Bool { suffix == 0x00 || suffix == 0x20 }
    /// Workgroup, its controllers, its elections.
    var isOfGroup: Bool { suffix == 0x00 || suffix == 0x1c || suffix == 0x1e }
  }

  /// Decodes 32 letters; nil unless all are letters from A to P and the name begins with something visible.
  static func name(_ letters: RawSpan) -> Name? {
    guard letters.byteCount == 32 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(16)
    for i in 0..<16 {
      let high = letters.u8(2 &* i)
      let low = letters.u8(2 &* i &+ 1)
      guard high >= 0x41, high <= 0x50, low >= 0x41, low <= 0x50 else { return nil }
      bytes.append((high &- 0x41) << 4 | (low &- 0x41))
    }
    return name(bytes)
  }

  /// Fifteen characters and the suffix. `*` asks for any name; `\1\2__MSBROWSE__\2` belongs to all masters.
  static func name(_ bytes: [UInt8]) -> Name? {
    guard let suffix = bytes.last, let first = bytes.first, first > 0x20, first != 0x2a else { return nil }
    let text = WireText(bytes.dropLast()).untilNUL.trimmed
    return text.isEmpty ? nil : Name(text: text, suffix: suffix)
  }

  private static func name(_ record: DNSRecord, _ message: inout DNSMessage) -> Name? {
    guard let owner = message.owner(record), owner.count >= 1 else { return nil }
    let (at, length) = owner.label(0)
    return name(message.bytes.part(at, length))
  }

  private static func observeNames(
    _ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations
  ) throws(WireFault) {
    var message = try DNSMessage(reader)
    // Registration 5, refresh 8 and 9, registration of one of several addresses 15.
    let claims = !message.isResponse && [5, 8, 9, 15].contains(message.operation)
    // Port 137 of the answering side: what a name server says of others' registrations is skipped with its operation.
    let port = frame.sourcePort
    let answers = message.isResponse && message.operation == 0 && message.responseCode == 0 && port == .netBIOSName
    guard claims || answers else { return }
    let sender = frame.speaker
    let source = frame.sourceAddress
    try message.skipQuestions()
    while let record = try message.next() {
      guard record.isInternet else { continue }
      switch record.type {
      case DNSRecord.nb where claims ? record.section == .additional : record.section == .answer:
        guard let name = name(record, &message) else { continue }
        noteAddresses(record, name, message, sender, source, isClaim: claims, &out)
      case DNSRecord.nbstat where answers && record.section == .answer:
        noteStatus(record, message, sender, source, &out)
      default: continue
      }
    }
  }

  private static func noteAddresses(
    _ record: DNSRecord, _ name: Name, _ message: borrowing DNSMessage, _ sender: Subject, _ source: IPAddress, isClaim: Bool,
    _ out: inout Observations
  ) {
    var named = false
    var at = record.data
    // A name server may list many; 25 fill a datagram of its time.
    for _ in 0..<25 where at &+ 6 <= record.end {
      let isGroup = message.bytes.u16(at) & 0x8000 != 0
      let address = IPAddress(IPv4Address(message.bytes.u32(at &+ 2)))
      at &+= 6
      // Who registers a name has it; who answers for it may be a name server, unless the address is its own.
      let isOwn = address == source
      guard isGroup ? name.isOfGroup : name.isOfHost else { continue }
      if isOwn || isClaim, !named {
        named = true
        out.note(sender, .isNamed(name.text, isGroup ? .group : .host), "NB", grade: isGroup || !isOwn ? .b : .a)
      } else if !isOwn, !isClaim, !isGroup, address.isHost {
        out.note(.address(address), .isNamed(name.text, .host), "NB", grade: .b)
      }
      if isOwn, let station = sender.station { out.note(station, .holds(address, .statement), "NB") }
    }
  }

  private static func noteStatus(
    _ record: DNSRecord, _ message: borrowing DNSMessage, _ sender: Subject, _ source: IPAddress, _ out: inout Observations
  ) {
    guard record.length >= 1 else { return }
    let count = Int(message.bytes.u8(record.data))
    var at = record.data &+ 1
    var host: WireText?
    var group: WireText?
    for _ in 0..<count {
      guard at &+ 18 <= record.end else { return }
      let flags = message.bytes.u16(at &+ 16)
      if let name = name(message.bytes.part(at, 16).copied()) {
        if flags & 0x8000 == 0, name.isOfHost, host == nil {
          host = name.text
          out.note(sender, .isNamed(name.text, .host), "node status")
        } else if flags & 0x8000 != 0, name.isOfGroup, group == nil {
          group = name.text
          out.note(sender, .isNamed(name.text, .group), "node status", grade: .b)
        }
      }
      at &+= 18
    }
    guard at &+ 6 <= record.end else { return }
    let unit = message.bytes.mac(at)
    // Samba leaves it zero.
    guard unit.isStation else { return }
    switch sender {
    case .station(let station) where station != unit:
      out.note(station, .speaksFor(unit), "unit id", grade: .b, kind: .inferred)
    case .station: break
    // From behind a router: the address is the unit's, as it says.
    case .address(let address): out.note(unit, .holds(address, .statement), "unit id", grade: .b)
    }
  }

  // MARK: Datagrams

  private static let browse = DNSLabel.pack("\\MAILSLOT\\BROWSE")

  /// The name in a datagram header: one label of 32 letters, then the scope's labels.
  private static func datagramName(_ reader: inout ByteReader) throws(WireFault) -> Name? {
    var found: Name?
    for turn in 0..<32 {
      let length = Int(try reader.u8())
      if length == 0 { break }
      guard length < 0x40 else { throw WireFault(.malformed, at: reader.offset &- 1) }
      let label = try reader.take(length)
      if turn == 0 { found = name(label.rest()) }
    }
    return found
  }

  private static func observeDatagram(
    _ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations
  ) throws(WireFault) {
    let type = try reader.u8()
    // Unique, group, broadcast; the others are errors and questions to a distribution server.
    guard type >= 0x10, type <= 0x12 else { return }
    try reader.skip(3)
    let origin = IPAddress(try reader.ipv4())
    try reader.skip(4)
    let packetOffset = try reader.u16()
    guard packetOffset == 0 else { return }
    // A distribution server passes on datagrams of others.
    let source = frame.sourceAddress
    let sender: Subject = origin == source || !origin.isHost ? frame.speaker : .address(origin)
    let from = try datagramName(&reader)
    let to = try datagramName(&reader)
    if let from, from.isOfHost { out.note(sender, .isNamed(from.text, .host), "source name", grade: .b) }
    if origin == source, let station = sender.station { out.note(station, .holds(origin, .statement), "source IP", grade: .b) }

    // SMB transaction: a header of 32 bytes, 17 words, the mailslot's name.
    let smb = reader.rest()
    guard let first = reader.peek(), first == 0xff else { return }
    try reader.skip(32)
    guard smb.u32(0) == 0xff53_4d42, smb.u8(4) == 0x25, try reader.u8() == 17 else { return }
    try reader.skip(34 + 2)
    let slot = reader.rest()
    try reader.skip(16)
    var packed: UInt128 = 0
    for i in 0..<16 { packed = packed << 8 | UInt128(lower(slot.u8(i))) }
    guard packed == browse else { return }
    let dataLength = Int(smb.u16LE(55))
    let dataOffset = Int(smb.u16LE(57))
    // Counted from the SMB header; 85 bytes of it have been read.
    guard dataOffset >= 85 else { throw WireFault(.malformed, at: reader.offset) }
    try reader.skip(dataOffset &- 85)
    try announcement(reader.takeAvailable(dataLength), sender, to, &out)
  }

  private static func announcement(
    _ body: consuming ByteReader, _ sender: Subject, _ to: Name?, _ out: inout Observations
  ) throws(WireFault) {
    var reader = body
    let command = try reader.u8()
    if command == 12 {
      // A group, announced by its master.
      try reader.skip(5)
      let group = try reader.text(16).untilNUL.trimmed
      if !group.isEmpty { out.note(sender, .isNamed(group, .group), "group name", grade: .b) }
      return
    }
    // 1: a host; 15: the local master of its group.
    guard command == 1 || command == 15 else { return }
    // Announcements go to the group's master (1d), elections to all of it (1e).
    if let to, to.suffix == 0x1d || to.suffix == 0x1e || to.suffix == 0x00 {
      out.note(sender, .isNamed(to.text, .group), "destination name", grade: .b)
    }
    try reader.skip(5)
    let name = try reader.text(16).untilNUL.trimmed
    if !name.isEmpty { out.note(sender, .isNamed(name, .host), "server name") }
    let major = try reader.u8()
    let minor = try reader.u8()
    out.note(sender, .has(.software, WireText("OS version \(major).\(minor)")), "OS version")
    let type = try reader.u32LE()
    for (bit, service) in services where type & bit != 0 { out.note(sender, .offers(WireText(service)), "server type", grade: .b) }
    try reader.skip(4)
    if reader.remaining > 0, !reader.isCut {
      let comment = reader.textToEnd().untilNUL.trimmed
      if !comment.isEmpty { out.note(sender, .has(.comment, comment), "comment") }
    }
  }

  /// Bits of the server type that say what a host does for others, in the words of [MS-BRWS] 2.2.1.
  private static let services: [(UInt32, String)] = [
    (0x2, "smb-server"), (0x18, "domain-controller"), (0x40, "apple-server"), (0x200, "print-server"),
  ]
}
