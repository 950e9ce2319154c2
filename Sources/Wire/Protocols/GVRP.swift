// VLAN registration. GVRP: IEEE 802.1D-2004 clause 12 (GARP), 802.1Q-2005; MVRP: IEEE 802.1Q-2018 clauses 10.8, 11.2.
//
//      GVRP, LLC 42 42 03               ┌── attribute ──────────┐     MVRP, EtherType 88f5       ┌── vector ─────────────────────┐
//      0        2                       0      1     2                0       1    2             0           2        4
//      ┌────────┬──────┬────────────────┬──────┬─────┬──────┬───┬─┐   ┌───────┬────┬─────────────┬───────────┬────────┬──────────┬────┐
//      │protocol│type 1│ attributes …   │length│event│VLAN 2│ 0 │0│   │version│type│value length │leave 3 b, │first   │events,   │ 00 │
//      │   1    │      │                │      │     │      │   │ │   │   0   │  1 │     2       │count 13 b │VLAN 2  │three a B │ 00 │
//      └────────┴──────┴────────────────┴──────┴─────┴──────┴───┴─┘   └───────┴────┴─────────────┴───────────┴────────┴──────────┴────┘
//
// The sender is a bridge, or a host that knows of VLANs: which of them is not said. What it joins exists on this wire.

public enum GVRP {
  /// One message may declare each of 4094 VLANs; a page of them tells nobody anything.
  static let limit = 32

  static let group = MACAddress(bits: 0x0180_c200_0021)

  static func observe(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    let source = frame.station
    if frame.etherType.rawValue == 0x88f5 {
      try readMVRP(&reader, source, &out)
    } else if frame.llc == 0x424203 {
      try readGVRP(&reader, source, &out)
    }
  }

  private static func readGVRP(_ reader: inout ByteReader, _ source: MACAddress, _ out: inout Observations) throws(WireFault) {
    let start = reader.offset
    guard try reader.u16() == 1 else { throw WireFault(.unsupported, at: start) }
    for _ in 0..<16 {
      guard reader.remaining > 0 else { return }
      let type = try reader.u8()
      if type == 0 { return }
      for _ in 0..<256 {
        guard reader.remaining > 0 else { return }
        let place = reader.offset
        let length = Int(try reader.u8())
        if length == 0 { break }
        guard length >= 2 else { throw WireFault(.malformed, at: place) }
        var attribute = try reader.take(length - 1)
        // Join empty, join in.
        let event = try attribute.u8()
        guard type == 1, event == 1 || event == 2, attribute.remaining == 2 else { continue }
        declare(try attribute.u16(), source, &out)
      }
    }
  }

  private static func readMVRP(_ reader: inout ByteReader, _ source: MACAddress, _ out: inout Observations) throws(WireFault) {
    // Later versions are read by the rules of this one (10.8.3.5).
    try reader.skip(1)
    for _ in 0..<16 {
      guard reader.remaining > 2 else { return }
      let type = try reader.u8()
      let valueLength = Int(try reader.u8())
      if type == 0, valueLength == 0 { return }
      for _ in 0..<256 {
        guard reader.remaining >= 2 else { return }
        let count = Int(try reader.u16())
        if count == 0 { break }
        let values = count & 0x1fff
        var first = try reader.take(valueLength)
        var events = try reader.take((values + 2) / 3)
        guard type == 1, valueLength == 2 else { continue }
        try readVector(Int(try first.u16()), values, &events, source, &out)
      }
    }
  }

  private static func readVector(
    _ first: Int, _ values: Int, _ events: inout ByteReader, _ source: MACAddress, _ out: inout Observations
  ) throws(WireFault) {
    var packed = 0
    for index in 0..<min(values, 4094) {
      if index % 3 == 0 { packed = Int(try events.u8()) }
      let event = index % 3 == 0 ? packed / 36 : index % 3 == 1 ? packed / 6 % 6 : packed % 6
      // New, join in, join empty.
      if event == 0 || event == 1 || event == 3 { declare(UInt16(truncatingIfNeeded: first + index), source, &out) }
    }
  }

  private static func declare(_ vlan: UInt16, _ source: MACAddress, _ out: inout Observations) {
    guard vlan > 0, vlan < 4095, out.items.count < limit else { return }
    out.note(source, .has(.comment, WireText("VLAN " + String(vlan))), "VLAN attribute")
  }

  public static let dissector = Dissector(
    "gvrp", standard: "IEEE 802.1D-2004 12, 802.1Q-2018 11.2", keys: [.group(group), .etherType(EtherType(0x88f5))]
  ) { (reader, frame, out) throws(WireFault) in
    try observe(&reader, frame, &out)
  }
}
