// Netgear Switch Discovery, UDP 63321 and 63322 (63323 and 63324 in older switches). No public standard.
//
//      0    2      3        4      6       8           14         20       22       24     28       32
//      ┌────┬──────┬────────┬──────┬───────┬───────────┬──────────┬────────┬────────┬──────┬────────┬────────┐  TLV: type 2, length 2,
//      │type│status│reserved│failed│reserv.│manager MAC│device MAC│reserved│sequence│"NSDP"│reserved│ TLVs … │  ffff ends
//      └────┴──────┴────────┴──────┴───────┴───────────┴──────────┴────────┴────────┴──────┴────────┴────────┘
//
// Port status (0c00): port 1, speed 1 (0 down, 1 and 2 10 Mb/s, 3 and 4 100 Mb/s, 5 1000 Mb/s), flow control 1. Port counters (1000):
// port 1, then of 8 bytes each received, sent, packets, broadcasts, multicasts, CRC errors.
//
// Only a reply to a reading (0102) is read: requests are a tool's, and writing is not ours to look at.

public enum NSDP {
  static let readReply: UInt16 = 0x0102

  static func observe(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    guard var announcer = Announcer(frame) else { return }
    let start = reader.offset
    let type = try reader.u16()
    try reader.skip(12)
    let device = try reader.mac()
    try reader.skip(4)
    guard try reader.u32() == 0x4e53_4450 else { throw WireFault(.unsupported, at: start) }
    guard type == readReply else { return }
    try reader.skip(4)
    announcer.states(device, "device MAC", &out)
    out.note(announcer.station, .playsRole(.switch), "NSDP read reply", grade: .b)
    for _ in 0..<256 {
      guard reader.remaining >= 4 else { return }
      let type = try reader.u16()
      if type == 0xffff { return }
      var value = try reader.take(Int(try reader.u16()))
      // Without a value it repeats the question.
      if value.isAtEnd { continue }
      let box = announcer.station
      do throws(WireFault) {
        switch type {
        case 0x0001: out.note(box, .model, value.paddedText(), "model")
        case 0x0003: out.note(box, .system, value.paddedText(), "name")
        case 0x0004: announcer.states(try value.mac(), "MAC", &out)
        case 0x0005: out.note(box, .comment, value.paddedText(), "location")
        case 0x0006: out.note(box, states: IPAddress(try value.ipv4()), "IP address")
        case 0x000d: out.note(box, .software, value.paddedText(), "firmware version")
        case 0x0c00: try port(&value, box, &out)
        case 0x1000: try counters(&value, box, &out)
        case 0x6000: out.note(box, .has(.comment, WireText(String(try value.u8()) + " ports")), "port count")
        default: break
        }
      } catch {
        out.tally(error)
      }
    }
  }

  /// Which port has a link, and how fast; who is at its other end the switch does not say.
  private static func port(_ value: inout ByteReader, _ box: MACAddress, _ out: inout Observations) throws(WireFault) {
    let number = try value.u8()
    let speed: String
    switch try value.u8() {
    case 1, 2: speed = "10"
    case 3, 4: speed = "100"
    case 5: speed = "1000"
    // Down, or a speed of a later switch.
    default: return
    }
    out.note(box, .has(.comment, WireText("port " + String(number) + " has a link at " + speed + " Mb/s")), "port status")
  }

  /// A port that counts broken frames has a bad cable or plug, or two ends that disagree. How many there were grows with each reply, so
  /// it is not said: one port is one statement.
  private static func counters(_ value: inout ByteReader, _ box: MACAddress, _ out: inout Observations) throws(WireFault) {
    let number = try value.u8()
    try value.skip(5 * 8)
    if try value.u64() > 0 {
      out.note(box, .has(.comment, WireText("port " + String(number) + " has counted CRC errors")), "port counters")
    }
  }

  public static let dissector = Dissector(
    "nsdp", standard: "Netgear", keys: [.udp(Port(63321)), .udp(Port(63322)), .udp(Port(63323)), .udp(Port(63324))]
  ) { (reader, frame, out) throws(WireFault) in
    try observe(&reader, frame, &out)
  }
}
