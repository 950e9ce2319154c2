// MikroTik Neighbor Discovery, UDP 5678 to the broadcast address and ff02::1. No public standard.
//
//      0        2          4                       TLV:  0      2      4
//      ┌────────┬──────────┬────────────────┐            ┌──────┬──────┬─────────┐   1 MAC, 5 identity, 7 version, 8 platform, 12 board,
//      │ header │ sequence │ TLVs …         │            │ type │length│ value … │   15 IPv6, 16 interface, 17 IPv4
//      └────────┴──────────┴────────────────┘            └──────┴──────┴─────────┘
//
// A request is the header, alone or with a few zeros: whoever looks for neighbours sends it, and it says nothing.

public enum MNDP {
  static func observe(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    guard reader.remaining > 9, var announcer = Announcer(frame) else { return }
    try reader.skip(4)
    for _ in 0..<256 {
      guard reader.remaining >= 4 else { return }
      let type = try reader.u16()
      var value = try reader.take(Int(try reader.u16()))
      let box = announcer.station
      do throws(WireFault) {
        switch type {
        case 1: announcer.states(try value.mac(), "MAC address", &out)
        case 5: out.note(box, .system, value.paddedText(), "identity")
        case 7: out.note(box, .software, value.paddedText(), "version")
        case 8: out.note(box, .manufacturer, value.paddedText(), "platform")
        // The software id (11) is the licence's number.
        case 12: out.note(box, .model, value.paddedText(), "board")
        case 15: out.note(box, states: IPAddress(try value.ipv6()), "IPv6 address")
        case 16: out.note(box, .portName, value.paddedText(), "interface name")
        case 17: out.note(box, states: IPAddress(try value.ipv4()), "IPv4 address")
        default: break
        }
      } catch {
        out.tally(error)
      }
    }
  }

  public static let dissector = Dissector("mndp", standard: "MikroTik", keys: [.udp(.mndp)]) {
    (reader, frame, out) throws(WireFault) in
    try observe(&reader, frame, &out)
  }
}
