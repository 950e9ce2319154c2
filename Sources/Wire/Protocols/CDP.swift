// Cisco Discovery Protocol, versions 1 and 2. No public standard; the format as many dissectors and open senders agree on it.
//
//      0       1       2          4                       TLV:  0      2      4
//      ┌───────┬───────┬──────────┬────────────────┐            ┌──────┬──────┬─────────┐
//      │version│ TTL   │ checksum │ TLVs …         │            │ type │length│ value … │   the length counts its own four bytes
//      └───────┴───────┴──────────┴────────────────┘            └──────┴──────┴─────────┘
//
// The checksum of an odd number of bytes is summed in its own way, so a mismatch is no sign of anything and is not looked at.
// Sent to 01:00:0c:cc:cc:cc, which only Cisco's own bridges keep to themselves: the sender is somewhere on this wire.

public enum CDP {
  static func observe(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    let source = frame.station
    try reader.skip(4)
    var bssid: MACAddress?
    var ssid: WireText?
    for _ in 0..<256 {
      guard reader.remaining >= 4 else { break }
      let type = try reader.u16()
      var value = try reader.takeCounted(header: 4)
      do throws(WireFault) {
        switch type {
        case 0x0001: out.note(source, .system, value.paddedText(), "device id")
        case 0x0002: try addresses(&value, source, "addresses", &out)
        case 0x0003: out.note(source, .portName, value.paddedText(), "port id")
        case 0x0004: try capabilities(&value, source, &out)
        case 0x0005: out.note(source, .software, value.firstLine(), "software version")
        case 0x0006: out.note(source, .model, value.paddedText(), "platform")
        case 0x0009: out.note(source, .domain, value.paddedText(), "VTP management domain")
        case 0x000a: out.note(source, .has(.comment, WireText("native VLAN " + String(try value.u16()))), "native VLAN")
        case 0x0014: out.note(source, .system, value.paddedText(), "system name")
        case 0x0016: try addresses(&value, source, "management addresses", &out)
        // Small access points.
        case 0x1000 where value.remaining == 6: bssid = try value.mac()
        case 0x1002: ssid = value.paddedText()
        default: break
        }
      } catch {
        out.tally(error)
      }
    }
    // Two TLVs make one statement: of a message that the capture cut it is not known whether the other followed.
    if let bssid, bssid.isStation, !reader.isCut { out.note(source, .runsBSS(bssid, ssid: ssid), "BSSID") }
  }

  /// Count, then of each: protocol type 1 (1 NLPID, 2 802.2), its length 1, protocol, address length 2, address.
  static func addresses(_ value: inout ByteReader, _ source: MACAddress, _ field: String, _ out: inout Observations) throws(WireFault) {
    let count = Int(try value.u32())
    for _ in 0..<min(count, 64) {
      let type = try value.u8()
      var network = try value.take(Int(try value.u8()))
      var address = try value.take(Int(try value.u16()))
      switch (type, network.remaining, address.remaining) {
      case (1, 1, 4):
        if try network.u8() == 0xcc { out.note(source, states: IPAddress(try address.ipv4()), field) }
      case (2, 8, 16):
        if try network.u64() == 0xaaaa_0300_0000_86dd { out.note(source, states: IPAddress(try address.ipv6()), field) }
      default: break
      }
    }
  }

  private static func capabilities(_ value: inout ByteReader, _ source: MACAddress, _ out: inout Observations) throws(WireFault) {
    let bits = try value.u32()
    if bits & 0x01 != 0 { out.note(source, .playsRole(.router), "capabilities") }
    // Transparent bridge, source-route bridge, switch.
    if bits & 0x0e != 0 { out.note(source, .playsRole(.switch), "capabilities") }
    if bits & 0x80 != 0 { out.note(source, .playsRole(.phone), "capabilities") }
  }

  public static let dissector = Dissector("cdp", standard: "Cisco, versions 1 and 2", keys: [.snap(0x00_000c_2000)]) {
    (reader, frame, out) throws(WireFault) in
    try observe(&reader, frame, &out)
  }
}
