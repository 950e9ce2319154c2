// Game consoles on the local network.
//
// PlayStation device discovery, UDP 987 (PS4) and 9302 (PS5), text like HTTP. `SRCH * HTTP/1.1` is somebody who looks for a console; the
// console answers:
//
//      HTTP/1.1 200 Ok            (620 Server Standby while it rests)
//      host-id:0A1B2C3D4E5F       its MAC
//      host-type:PS5
//      host-name:PS5-123
//      system-version:…           what runs on it is its player's business and is not read
//
// Xbox SmartGlass, UDP 5050 ([openxbox documentation], simple messages). `dd00` asks, `dd01` is the console's answer:
//
//      0       2        4         6       10      12
//      ┌───────┬────────┬─────────┬───────┬───────┬──────────────────────────┬──────────────────────────┬───────┬─────────────┐
//      │type 2 │length 2│version 2│flags 4│client │name: length 2, bytes, NUL│UUID: length 2, bytes, NUL│error 4│certificate …│
//      └───────┴────────┴─────────┴───────┴───────┴──────────────────────────┴──────────────────────────┴───────┴─────────────┘
//
// Xbox wireless adapter, EtherType 886f, shared with Microsoft's load balancing: magic `XBOX`, version 01 01, size in words 1, type 1
// (odd the console's question, even the adapter's answer), nonce 2, checksum 2. One source only, so hints only.

public enum Consoles {
  private enum Header {
    static let hostID = DNSLabel.pack("host-id")
    static let hostType = DNSLabel.pack("host-type")
    static let hostName = DNSLabel.pack("host-name")
    static let system = DNSLabel.pack("system-version")
  }

  private static let ok = Array("HTTP/1.1 200".utf8)
  private static let standby = Array("HTTP/1.1 620".utf8)

  static let playStation = Dissector("playstation", standard: "PlayStation device discovery", keys: [.udp(Port(987)), .udp(Port(9302))]) {
    (reader, frame, out) throws(WireFault) in
    guard frame.sourcePort == Port(987) || frame.sourcePort == Port(9302) else { return }
    var text = HTTPText(reader, limit: 1024)
    guard let start = text.line() else { throw reader.short() }
    guard text.span(start).begins(with: ok) || text.span(start).begins(with: standby) else { return }
    let subject = frame.speaker
    var isConsole = false
    while let (name, value) = text.header() {
      if value.isEmpty { continue }
      switch name {
      case Header.hostID:
        if let mac = MACAddress(text: text.span(value)), subject != .station(mac) {
          out.note(subject, .isSameBox(as: mac), "host-id", grade: .b)
        }
      case Header.hostType:
        // Nobody else has a `host-type` here.
        if !isConsole { out.note(subject, .playsRole(.console), "host-type") }
        isConsole = true
        out.note(subject, .has(.model, WireText(text.span(value))), "host-type")
      case Header.hostName: out.note(subject, .isNamed(WireText(text.span(value)), .host), "host-name")
      case Header.system: out.note(subject, .has(.software, WireText(text.span(value))), "system-version")
      default: break
      }
    }
    if !text.isComplete, reader.isCut { out.tally(reader.short()) }
  }

  static let smartGlass = Dissector("smartglass", standard: "Xbox SmartGlass simple messages", keys: [.udp(Port(5050))]) {
    (reader, frame, out) throws(WireFault) in
    let presenceResponse: UInt16 = 0xdd01
    guard frame.sourcePort == Port(5050), try reader.u16() == presenceResponse else { return }
    try reader.skip(4 + 4)
    // Phones and computers speak the protocol too: 1 and 2 are consoles.
    let client = try reader.u16()
    guard client == 1 || client == 2 else { return }
    let subject = frame.speaker
    out.note(subject, .playsRole(.console), "presence response")
    let name = try reader.text(Int(try reader.u16())).untilNUL.trimmed
    if !name.isEmpty { out.note(subject, .isNamed(name, .friendly), "console name") }
    try reader.skip(1)
    let uuid = try reader.text(Int(try reader.u16())).untilNUL.trimmed
    if uuid.count == 36 { out.note(subject, .has(.uuid, uuid.lowercasedASCII), "UUID") }
  }

  static let xboxWireless = Dissector("xbox-wireless", standard: "Xbox wireless adapter", keys: [.etherType(.xbox)]) {
    (reader, frame, out) throws(WireFault) in
    guard try reader.u32() == 0x5842_4f58 else { return }
    guard try reader.u16() == 0x0101 else { throw WireFault(.unsupported, at: reader.offset) }
    try reader.skip(1)
    let type = try reader.u8()
    guard type >= 1, type <= 10 else { return }
    if type & 1 == 1 {
      out.note(frame.station, .playsRole(.console), "type", grade: .c)
    } else {
      out.note(frame.station, .offers(WireText("xbox-wireless-adapter")), "type", grade: .c)
    }
  }
}
