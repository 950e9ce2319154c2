// Foundry Discovery Protocol (Foundry, Brocade, Ruckus): CDP's body behind Foundry's own SNAP header, with capabilities in words.
//
//      0       1       2          4
//      ┌───────┬───────┬──────────┬────────────────┐   TLVs: type 2, length 2 (counts its own four bytes):
//      │version│ hold  │ checksum │ TLVs …         │   1 device, 2 addresses, 3 interface, 4 capabilities, 5 version, 6 platform
//      └───────┴───────┴──────────┴────────────────┘

public enum FDP {
  private static let router = WireText("Router")
  private static let bridge = WireText("Bridge")
  private static let `switch` = WireText("Switch")

  static func observe(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    let source = frame.station
    try reader.skip(4)
    for _ in 0..<256 {
      guard reader.remaining >= 4 else { return }
      let type = try reader.u16()
      var value = try reader.takeCounted(header: 4)
      do throws(WireFault) {
        switch type {
        case 1: out.note(source, .system, value.paddedText(), "device id")
        case 2: try CDP.addresses(&value, source, "addresses", &out)
        case 3: out.note(source, .portName, value.paddedText(), "interface")
        case 4:
          let word = value.paddedText()
          if word == router { out.note(source, .playsRole(.router), "capabilities") }
          if word == bridge || word == `switch` { out.note(source, .playsRole(.switch), "capabilities") }
        case 5: out.note(source, .software, value.firstLine(), "version")
        case 6: out.note(source, .model, value.paddedText(), "platform")
        default: break
        }
      } catch {
        out.tally(error)
      }
    }
  }

  public static let dissector = Dissector("fdp", standard: "Foundry", keys: [.snap(0x00_e052_2000)]) {
    (reader, frame, out) throws(WireFault) in
    try observe(&reader, frame, &out)
  }
}
