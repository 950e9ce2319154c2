// Unidirectional Link Detection: RFC 5171.
//
//      0              1       2          4                       TLV:  0      2      4
//      ┌──────────────┬───────┬──────────┬────────────────┐            ┌──────┬──────┬─────────┐   1 device id, 2 port id, 3 echo,
//      │version 3 b,  │ flags │ checksum │ TLVs …         │            │ type │length│ value … │   4 interval, 5 timeout, 6 device name,
//      │opcode 5 b    │       │          │                │            └──────┴──────┴─────────┘   7 sequence
//      └──────────────┴───────┴──────────┴────────────────┘            the length counts its own four bytes
//
// The device id is the chassis' serial number, which is not kept; the echo holds those of others.

public enum UDLD {
  static func observe(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    let source = frame.station
    let start = reader.offset
    guard try reader.u8() >> 5 == 1 else { throw WireFault(.unsupported, at: start) }
    try reader.skip(3)
    out.note(source, .playsRole(.switch), "UDLD", grade: .c, kind: .inferred)
    for _ in 0..<256 {
      guard reader.remaining >= 4 else { return }
      let type = try reader.u16()
      var value = try reader.takeCounted(header: 4)
      switch type {
      case 2: out.note(source, .portName, value.paddedText(), "port id")
      case 6: out.note(source, .system, value.paddedText(), "device name")
      default: break
      }
    }
  }

  public static let dissector = Dissector("udld", standard: "RFC 5171", keys: [.snap(0x00_000c_0111)]) {
    (reader, frame, out) throws(WireFault) in
    try observe(&reader, frame, &out)
  }
}
