// MAC control: IEEE 802.3-2018, 31. Most cards keep these frames to themselves; a mirror port and a virtual one show them.
//
//      0        2
//      ┌────────┬────────────────┬ …      opcodes: 1 PAUSE (annex 31B), 0101 priority-based flow control (annex 31D)
//      │ opcode │ parameters     │
//      └────────┴────────────────┴ …
//
// Sent to 01:80:c2:00:00:01, which no bridge forwards: who asks for a pause is at the other end of the cable.

public enum MACControl {
  private static let pause: UInt16 = 0x0001
  private static let priorityPause: UInt16 = 0x0101

  static func observe(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    let opcode = try reader.u16()
    if opcode == pause || opcode == priorityPause { out.noteLinkPartner(frame) }
  }

  public static let dissector = Dissector("mac-control", standard: "IEEE 802.3-2018, 31", keys: [.etherType(.macControl)]) {
    (reader, frame, out) throws(WireFault) in
    try observe(&reader, frame, &out)
  }
}
