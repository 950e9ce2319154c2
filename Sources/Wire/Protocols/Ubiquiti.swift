// Ubiquiti discovery, UDP 10001 to the broadcast address and 233.89.188.1. No public standard.
//
//      0       1       2      4                       TLV:  0    1      3
//      ┌───────┬───────┬──────┬────────────────┐            ┌────┬──────┬─────────┐   1 MAC, 2 MAC and IPv4, 3 firmware, 11 host name,
//      │version│command│length│ TLVs …         │            │type│length│ value … │   12 product, 13 ESSID, 14 wireless mode, 19 MAC,
//      └───────┴───────┴──────┴────────────────┘            └────┴──────┴─────────┘   20 and 21 model
//
// A request has no TLVs and says nothing. Its senders are controllers and telephones.

public enum Ubiquiti {
  static let wirelessStation = WireText("wireless station")

  static func observe(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    guard var announcer = Announcer(frame) else { return }
    let start = reader.offset
    let version = try reader.u8()
    guard version == 1 || version == 2 else { throw WireFault(.unsupported, at: start) }
    try reader.skip(1)
    let length = Int(try reader.u16())
    // The port is nobody's by registration: the length is what tells this protocol from others there.
    guard length == reader.remaining || reader.isCut && length > reader.remaining else { throw WireFault(.malformed, at: start + 2) }
    for _ in 0..<256 {
      guard reader.remaining >= 3 else { return }
      let type = try reader.u8()
      var value = try reader.take(Int(try reader.u16()))
      let box = announcer.station
      do throws(WireFault) {
        switch type {
        case 1, 19: announcer.states(try value.mac(), "MAC address", &out)
        case 2:
          let address = try value.mac()
          announcer.states(address, "MAC and IP address", &out)
          out.note(address, states: IPAddress(try value.ipv4()), "MAC and IP address")
        case 3: out.note(box, .software, value.paddedText(), "firmware")
        case 11: out.note(box, .system, value.paddedText(), "host name")
        case 12: out.note(box, .model, value.paddedText(), "product")
        case 13:
          if let name = value.paddedText() { out.note(box, .has(.comment, WireText("ESSID ".utf8 + name.bytes)), "ESSID") }
        case 14: try wirelessMode(&value, box, &out)
        case 20, 21: out.note(box, .model, value.paddedText(), "model")
        default: break
        }
      } catch {
        out.tally(error)
      }
    }
  }

  /// The radio's mode: about the box. Which of its addresses the radio has is not said, so no interface is called wireless.
  private static func wirelessMode(_ value: inout ByteReader, _ box: MACAddress, _ out: inout Observations) throws(WireFault) {
    // One byte, four in older firmware.
    var mode = try value.u8()
    while !value.isAtEnd, mode == 0 { mode = try value.u8() }
    switch mode {
    case 2: out.note(box, .has(.comment, wirelessStation), "wireless mode")
    case 3: out.note(box, .playsRole(.accessPoint), "wireless mode")
    default: break
    }
  }

  public static let dissector = Dissector("ubiquiti", standard: "Ubiquiti", keys: [.udp(.ubiquiti)]) {
    (reader, frame, out) throws(WireFault) in
    try observe(&reader, frame, &out)
  }
}
