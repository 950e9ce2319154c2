// Extreme Discovery Protocol. No public standard.
//
//      0       1        2      4        6        8       10           16
//      ┌───────┬────────┬──────┬────────┬────────┬───────┬────────────┬────────┐    TLV: marker 99, type 1, length 2 (counts its own
//      │version│reserved│length│checksum│sequence│id type│ machine MAC│ TLVs … │         four bytes): 1 display name, 2 slot and port,
//      └───────┴────────┴──────┴────────┴────────┴───────┴────────────┴────────┘         5 VLAN, 0 end

public enum EDP {
  static func observe(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    let source = frame.station
    try reader.skip(8)
    let kind = try reader.u16()
    let machine = try reader.mac()
    if kind == 0, machine != source, machine.isStation { out.note(source, .isSameBox(as: machine), "machine id") }
    for _ in 0..<256 {
      guard reader.remaining >= 4 else { return }
      let start = reader.offset
      let marker = try reader.u8()
      let type = try reader.u8()
      guard marker == 0x99 else { throw WireFault(.malformed, at: start) }
      var value = try reader.takeCounted(header: 4)
      if type == 0 { return }
      do throws(WireFault) {
        switch type {
        case 1: out.note(source, .system, value.paddedText(), "display")
        case 2: try info(&value, source, &out)
        case 5: try vlan(&value, source, &out)
        default: break
        }
      } catch {
        out.tally(error)
      }
    }
  }

  /// Slot 2 and port 2, counted from zero where the maker's own notation counts from one; chassis 2, reserved 6, version 4.
  private static func info(_ value: inout ByteReader, _ source: MACAddress, _ out: inout Observations) throws(WireFault) {
    let slot = Int(try value.u16()) + 1
    let port = Int(try value.u16()) + 1
    out.note(source, .has(.portName, WireText(String(slot) + ":" + String(port))), "slot and port")
    try value.skip(8)
    let version = try value.u32()
    guard version != 0 else { return }
    var text = String(version >> 24)
    for shift: UInt32 in [16, 8, 0] { text += "." + String(version >> shift & 255) }
    out.note(source, .has(.software, WireText(text)), "version")
  }

  /// Flags 1, reserved 1, VLAN 2, reserved 4, the box's own address in that VLAN 4, name.
  private static func vlan(_ value: inout ByteReader, _ source: MACAddress, _ out: inout Observations) throws(WireFault) {
    try value.skip(2)
    let number = try value.u16()
    try value.skip(4)
    let address = IPAddress(try value.ipv4())
    out.note(source, states: address, "VLAN address")
    guard let name = value.paddedText() else { return }
    out.note(source, .has(.comment, WireText(Array(("VLAN " + String(number) + " ").utf8) + name.bytes)), "VLAN name")
  }

  public static let dissector = Dissector("edp", standard: "Extreme Networks", keys: [.snap(0x00_e02b_00bb)]) {
    (reader, frame, out) throws(WireFault) in
    try observe(&reader, frame, &out)
  }
}
