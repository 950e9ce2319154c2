// Cisco's Dynamic Trunking Protocol. No public standard.
//
//      0       1                       TLV:  0      2      4
//      ┌───────┬────────────────┐            ┌──────┬──────┬─────────┐   1 domain, 2 status, 3 type, 4 sender's address
//      │version│ TLVs …         │            │ type │length│ value … │   the length counts its own four bytes
//      └───────┴────────────────┘            └──────┴──────┴─────────┘

public enum DTP {
  static func observe(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    let source = frame.station
    let start = reader.offset
    guard try reader.u8() == 1 else { throw WireFault(.unsupported, at: start) }
    // Only switches negotiate trunks.
    out.note(source, .playsRole(.switch), "DTP", grade: .b, kind: .inferred)
    for _ in 0..<256 {
      guard reader.remaining >= 4 else { return }
      let type = try reader.u16()
      var value = try reader.takeCounted(header: 4)
      switch type {
      case 1: out.note(source, .domain, value.paddedText(), "domain")
      case 4 where value.remaining == 6:
        let sender = try value.mac()
        if sender != source, sender.isStation { out.note(source, .isSameBox(as: sender), "sender id") }
      default: break
      }
    }
  }

  public static let dissector = Dissector("dtp", standard: "Cisco", keys: [.snap(0x00_000c_2004)]) {
    (reader, frame, out) throws(WireFault) in
    try observe(&reader, frame, &out)
  }
}
