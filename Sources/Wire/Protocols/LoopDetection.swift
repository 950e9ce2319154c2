// Frames by which switches look for loops, known by their address or EtherType alone; and the Ethernet configuration test (DEC, Intel,
// Xerox: Ethernet 2.0, chapter 8), which Cisco's bridges and routers send to themselves.
//
//      MikroTik   EtherType 9003                      Huawei  EtherType 999a
//      H3C, HPE   group 01:0f:e2:00:00:07             Arista  EtherType 88b7, OUI 00:1c:73
//      HP         group 09:00:09:09:13:a6
//
//      Configuration test, EtherType 9000, all little-endian:
//      0            2          4
//      ┌────────────┬──────────┬──────────────────────┐
//      │ skip count │ function │ receipt number or    │    function: 1 reply, 2 forward
//      │            │          │ address to forward to│
//      └────────────┴──────────┴──────────────────────┘
//
// All but the last flood through further switches: such a switch exists in this layer-2 domain, not necessarily next to us.

public enum LoopDetection {
  static let hpGroup = MACAddress(bits: 0x0900_0909_13a6)
  static let h3cGroup = MACAddress(bits: 0x010f_e200_0007)
  static let arista: UInt32 = 0x00_1c_73
  static let mikrotik = EtherType(0x9003)

  private static let makers = (
    hp: WireText("HP"), h3c: WireText("H3C"), huawei: WireText("Huawei"), arista: WireText("Arista"), mikrotik: WireText("MikroTik")
  )
  static let keepalive = WireText("keepalive to itself")

  static func observe(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    let source = frame.station
    switch frame.destination {
    case h3cGroup: return out.note(source, .loopDetects(makers.h3c), "destination address", grade: .b)
    case hpGroup:
      // HP's stack discovery uses the same group behind a SNAP header of its own, and looks for no loops. Of a frame cut before that
      // header it is not known which it was.
      if frame.snap == 0, frame.stop == nil { out.note(source, .loopDetects(makers.hp), "destination address", grade: .b) }
      return
    default: break
    }
    switch frame.etherType {
    case .huaweiLoop: out.note(source, .loopDetects(makers.huawei), "EtherType", grade: .b)
    case mikrotik: out.note(source, .loopDetects(makers.mikrotik), "EtherType", grade: .b)
    case .ouiExtended:
      // Any maker may use this type behind its own identifier.
      if try reader.u24() == arista { out.note(source, .loopDetects(makers.arista), "EtherType", grade: .b) }
    case .loopbackTest: try configurationTest(&reader, frame, &out)
    default: break
    }
  }

  /// A frame to its own source is dropped by the first bridge, which has just learned where that address is: who sends one is on our own
  /// piece of cable (or a hub). Tests to others are anybody's.
  private static func configurationTest(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations)
    throws(WireFault)
  {
    let source = frame.station
    guard source == frame.destination else { return }
    try reader.skip(Int(try reader.u16LE()))
    guard try reader.u16LE() == 1 else { return }
    out.note(source, .isLinkPartner, "destination address", grade: .b, kind: .inferred)
    out.note(source, .has(.comment, keepalive), "function")
  }

  public static let dissector = Dissector(
    "loop-detect", standard: "Ethernet 2.0 8, HP, H3C, Huawei, Arista, MikroTik",
    keys: [
      .group(hpGroup), .group(h3cGroup), .etherType(.huaweiLoop), .etherType(mikrotik), .etherType(.ouiExtended), .etherType(.loopbackTest),
    ]
  ) { (reader, frame, out) throws(WireFault) in
    try observe(&reader, frame, &out)
  }
}
