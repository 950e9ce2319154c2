// Cisco's VLAN Trunking Protocol, versions 1 to 3. No public standard.
//
//      0       1    2             3             4                36
//      ┌───────┬────┬─────────────┬─────────────┬────────────────┬ …      codes: 1 summary, 2 subset, 3 request, 4 join
//      │version│code│ followers … │domain length│ domain 32      │        the domain is padded with zeros
//      └───────┴────┴─────────────┴─────────────┴────────────────┴ …
//
// The summary's updater is the switch that changed the list last, not the sender, so its address is left alone.

public enum VTP {
  static func observe(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    let source = frame.station
    let start = reader.offset
    let version = try reader.u8()
    let code = try reader.u8()
    guard (1...3).contains(version), (1...4).contains(code) else { throw WireFault(.unsupported, at: start) }
    try reader.skip(1)
    let length = Int(try reader.u8())
    guard length <= 32 else { throw WireFault(.malformed, at: start + 3) }
    var domain = try reader.take(32)
    var name = try domain.take(length)
    out.note(source, .playsRole(.switch), "VTP", grade: .b, kind: .inferred)
    out.note(source, .domain, name.paddedText(), "management domain")
  }

  public static let dissector = Dissector("vtp", standard: "Cisco", keys: [.snap(0x00_000c_2003)]) {
    (reader, frame, out) throws(WireFault) in
    try observe(&reader, frame, &out)
  }
}
