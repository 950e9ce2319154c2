// Link Layer Discovery Protocol: IEEE 802.1AB-2016; organisation TLVs of IEEE 802.1Q annex D, 802.3 clause 79, ANSI/TIA-1057 (MED).
//
//      0        2                     Types: 1 chassis id, 2 port id, 3 time to live (these three first, in this order),
//      ┌────┬───┬────────────────┐           4 port description, 5 system name, 6 system description, 7 capabilities,
//      │type│len│ value …        │           8 management address, 127 OUI + subtype, 0 end
//      │ 7b │9b │                │
//      └────┴───┴────────────────┘    The length has nine bits: a TLV of more than 255 bytes is legal.
//
// A bridge that conforms forwards none of the three destination groups of LLDP, so the sender is the direct link partner. Many home
// switches forward them all: what is stated here is about the sender, wherever it is.

public enum LLDP {
  static let ieee8021: UInt32 = 0x00_80_c2
  static let ieee8023: UInt32 = 0x00_12_0f
  static let med: UInt32 = 0x00_12_bb

  static func observe(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    let source = frame.station
    for place in 0..<256 {
      // Frames without an end TLV are common, so is padding without one.
      guard reader.remaining >= 2 else { return }
      let start = reader.offset
      let header = Int(try reader.u16())
      let type = header >> 9
      if type == 0 { return }
      var value = try reader.take(header & 0x1ff)
      if place < 3, type != place + 1 { throw WireFault(.malformed, at: start) }
      do throws(WireFault) {
        switch type {
        case 1 where place == 0: try chassis(&value, source, &out)
        case 2 where place == 1: try port(&value, source, &out)
        case 3 where place == 2:
          // Zero: the sender leaves, and what it said before is over (9.1.2.2). Such a message holds nothing else.
          if try value.u16() == 0 { return }
          out.noteLinkPartner(frame)
        case 4: out.note(source, .portName, value.paddedText(), "port description")
        case 5: out.note(source, .system, value.paddedText(), "system name")
        case 6: out.note(source, .software, value.firstLine(), "system description")
        case 7: try capabilities(&value, source, &out)
        case 8: try managementAddress(&value, source, &out)
        case 127: try organisation(&value, source, &out)
        default: break
        }
      } catch {
        out.tally(error)
      }
    }
  }

  /// Chassis id (8.5.2): one of the box's addresses, if it is one at all.
  private static func chassis(_ value: inout ByteReader, _ source: MACAddress, _ out: inout Observations) throws(WireFault) {
    switch try value.u8() {
    case 4: try sameBox(&value, source, "chassis id", &out)
    case 5: try networkAddress(&value, source, "chassis id", &out)
    default: break
    }
  }

  /// Port id (8.5.3).
  private static func port(_ value: inout ByteReader, _ source: MACAddress, _ out: inout Observations) throws(WireFault) {
    switch try value.u8() {
    case 3: try sameBox(&value, source, "port id", &out)
    case 4: try networkAddress(&value, source, "port id", &out)
    case 1, 5, 7:
      // Local identifiers may be any bytes: those that are no text are no name.
      guard let name = value.paddedText(), !name.bytes.contains(where: { $0 < 0x20 }) else { return }
      out.note(source, .has(.portName, name), "port id")
    default: break
    }
  }

  private static func sameBox(_ value: inout ByteReader, _ source: MACAddress, _ field: String, _ out: inout Observations) throws(WireFault)
  {
    guard value.remaining == 6 else { throw WireFault(.malformed, at: value.offset) }
    let address = try value.mac()
    if address != source, address.isStation { out.note(source, .isSameBox(as: address), field) }
  }

  /// Address family (IANA) and address.
  private static func networkAddress(_ value: inout ByteReader, _ source: MACAddress, _ field: String, _ out: inout Observations)
    throws(WireFault)
  {
    switch (try value.u8(), value.remaining) {
    case (1, 4): out.note(source, states: IPAddress(try value.ipv4()), field)
    case (2, 16): out.note(source, states: IPAddress(try value.ipv6()), field)
    case (6, 6): try sameBox(&value, source, field, &out)
    case (1, _), (2, _), (6, _): throw WireFault(.malformed, at: value.offset)
    default: break
    }
  }

  private static func managementAddress(_ value: inout ByteReader, _ source: MACAddress, _ out: inout Observations) throws(WireFault) {
    var address = try value.take(Int(try value.u8()))
    try networkAddress(&address, source, "management address", &out)
  }

  /// System capabilities (8.5.8): only what the box has and has switched on.
  private static func capabilities(_ value: inout ByteReader, _ source: MACAddress, _ out: inout Observations) throws(WireFault) {
    let enabled = try value.u16() & (try value.u16())
    let field = "enabled capabilities"
    if enabled & 0x0304 != 0 { out.note(source, .playsRole(.switch), field) }
    // An access point is a bridge or router for its stations (802.11, 4.5). Agents on laptops set this bit for any radio.
    if enabled & 0x08 != 0 { out.note(source, .playsRole(.accessPoint), field, grade: enabled & 0x14 != 0 ? .a : .c) }
    if enabled & 0x10 != 0 { out.note(source, .playsRole(.router), field) }
    if enabled & 0x20 != 0 { out.note(source, .playsRole(.phone), field) }
    if enabled & 0x40 != 0 { out.note(source, .playsRole(.modem), field) }
    if enabled & 0xffff == 0x80 { out.note(source, .playsRole(.host), field) }
  }

  private static func organisation(_ value: inout ByteReader, _ source: MACAddress, _ out: inout Observations) throws(WireFault) {
    let oui = try value.u24()
    let subtype = try value.u8()
    switch (oui, subtype) {
    case (ieee8021, 1):
      // Zero: the port has none.
      let vlan = try value.u16()
      if vlan != 0 { out.note(source, .has(.comment, WireText("port VLAN " + String(vlan))), "port VLAN id") }
    case (ieee8021, 3):
      let vlan = try value.u16()
      var text = try value.take(Int(try value.u8()))
      guard let name = text.paddedText() else { return }
      out.note(source, .has(.comment, WireText(Array(("VLAN " + String(vlan) + " ").utf8) + name.bytes)), "VLAN name")
    case (ieee8023, 1):
      // Support, advertised modes (some makers reverse the bits, so these are not used), then what the link runs at.
      try value.skip(3)
      if let rate = LLDP.rate(mauType: try value.u16()) {
        out.note(source, .carries(.ethernet, rate: rate), "operational MAU type")
      }
    case (med, 5): out.note(source, .hardware, value.paddedText(), "hardware revision")
    case (med, 6): out.note(source, .software, value.paddedText(), "firmware revision")
    case (med, 7): out.note(source, .software, value.paddedText(), "software revision")
    // Serial number (8) and asset id (11) are nobody's business here.
    case (med, 9): out.note(source, .manufacturer, value.paddedText(), "manufacturer name")
    case (med, 10): out.note(source, .model, value.paddedText(), "model name")
    default: break
    }
  }

  /// What an Ethernet interface of this kind runs at (dot3MauType of RFC 4836, IANA-MAU-MIB). Nil for "other", for telephone wire and for
  /// passive optical lines, which are no Ethernet of the home.
  static func rate(mauType: UInt16) -> Rate? {
    switch mauType {
    case 1...13: Rate(megabits: 10)
    case 14...20, 44...46: Rate(megabits: 100)
    case 21...30, 47...49, 56: Rate(megabits: 1000)
    case 31...41, 54, 55, 57, 58: Rate(megabits: 10_000)
    case 71...75: Rate(megabits: 40_000)
    case 76...79: Rate(megabits: 100_000)
    default: nil
    }
  }

  public static let dissector = Dissector("lldp", standard: "IEEE 802.1AB-2016, TIA-1057", keys: [.etherType(.lldp)]) {
    (reader, frame, out) throws(WireFault) in
    try observe(&reader, frame, &out)
  }
}
