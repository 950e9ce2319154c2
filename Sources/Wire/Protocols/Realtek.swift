// Realtek's switch protocols (data sheets of RTL8305, RTL8306, RTL8326; no public standard), EtherType 8899.
//
//      0        1          2     4        5      6            12      14
//      ┌────────┬──────────┬─────┬────────┬──────┬────────────┬───────┬────────┐
//      │protocol│opcode,   │ key │downlink│uplink│ uplink MAC │ chip  │ vendor │    RRCP hello reply (protocol 1, opcode 80)
//      │        │80 = reply│     │  port  │ port │            │  id   │  id 4  │
//      └────────┴──────────┴─────┴────────┴──────┴────────────┴───────┴────────┘
//      Protocols: 1 RRCP (remote control), 2 REP (echo), 03 and 23 RLDP (loop detection), others: tags between a chip and its processor
//
// Chips of very many unmanaged switches send RLDP, often under the one address that all of them have from the factory. It floods
// through other switches, so it proves that such a switch exists in this layer-2 domain, not where.

public enum Realtek {
  /// The data sheets' default source: any number of switches may use it, so it is no device.
  static let sharedAddress = MACAddress(bits: 0x5254_4c83_05b0)
  static let maker = WireText("Realtek")

  static func observe(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    let source = frame.station
    switch try reader.u8() {
    case 1: try remoteControl(&reader, frame, &out)
    case 2: if try reader.u8() & 0x80 != 0 { out.note(source, .playsRole(.switch), "REP opcode") }
    case 0x03, 0x23:
      out.note(source, .loopDetects(maker), "RLDP", grade: .b)
      if source == sharedAddress { out.note(source, .isFictitious, "source address", grade: .b, kind: .inferred) }
    default: break
    }
  }

  /// Requests prove nothing: they are a tool's.
  private static func remoteControl(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations)
    throws(WireFault)
  {
    let source = frame.station
    let opcode = try reader.u8()
    guard opcode & 0x80 != 0 else { return }
    out.note(source, .playsRole(.switch), "RRCP opcode")
    guard opcode == 0x80 else { return }
    try reader.skip(2)
    try reader.skip(1)
    let port = try reader.u8()
    let uplink = try reader.mac()
    // From whom it heard the hello: the next switch towards the asker, or the asker itself, of which nothing new is said.
    guard uplink.isStation, uplink != source, uplink != frame.destination else { return }
    out.note(
      source, .neighbours(uplink, over: .ethernet, direct: nil, rate: nil), "RRCP uplink MAC", grade: .b,
      text: WireText("port " + String(port)))
  }

  public static let dissector = Dissector("realtek", standard: "Realtek RRCP, REP, RLDP", keys: [.etherType(.realtek)]) {
    (reader, frame, out) throws(WireFault) in
    try observe(&reader, frame, &out)
  }
}
