// Link aggregation control: IEEE 802.1AX-2014, 6.4.2, among the slow protocols (802.3 annex 57A).
//
//      0       1       2     3    4        6            12   14       16    18    19         22    23   24       26
//      ┌───────┬───────┬─────┬────┬────────┬────────────┬────┬────────┬─────┬─────┬──────────┬─────┬────┬────────┬────────────┬ …
//      │subtype│version│TLV 1│ 20 │priority│actor system│key │port    │port │state│ reserved │TLV 2│ 20 │priority│partner     │
//      │   1   │       │     │    │        │    MAC     │    │priority│     │     │          │     │    │        │system MAC  │
//      └───────┴───────┴─────┴────┴────────┴────────────┴────┴────────┴─────┴─────┴──────────┴─────┴────┴────────┴────────────┴ …
//
// Its group is forwarded by no bridge that conforms. The other slow protocols (marker, OAM, synchronisation status) tell
// no more than that their sender is at the other end.

public enum LACP {
  static let aggregates = WireText("aggregates links (LACP)")

  static func observe(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    let source = frame.station
    let subtype = try reader.u8()
    // All slow protocols stay on their cable (802.3, annex 57A).
    out.noteLinkPartner(frame)
    guard subtype == 1 else { return }
    try reader.skip(1)
    let place = reader.offset
    guard try reader.u8() == 1, try reader.u8() == 20 else { throw WireFault(.malformed, at: place) }
    let actor = try system(&reader)
    out.note(source, .has(.comment, aggregates), "LACPDU")
    // A pair of switches that act as one shares a system address: then it is neither's own.
    if actor != source, actor.isStation { out.note(source, .isSameBox(as: actor), "actor system", grade: .b) }

    let next = reader.offset
    guard try reader.u8() == 2, try reader.u8() == 20 else { throw WireFault(.malformed, at: next) }
    let partner = try system(&reader)
    // Zero: it has heard nobody.
    if partner.isStation, partner != source, partner != actor {
      out.note(source, .neighbours(partner, over: nil, direct: nil, rate: nil), "partner system", grade: .b)
    }
  }

  /// Priority 2, address 6, key 2, port priority 2, port 2, state 1, reserved 3.
  private static func system(_ reader: inout ByteReader) throws(WireFault) -> MACAddress {
    try reader.skip(2)
    let address = try reader.mac()
    try reader.skip(10)
    return address
  }

  public static let dissector = Dissector("lacp", standard: "IEEE 802.1AX-2014", keys: [.etherType(.slowProtocols)]) {
    (reader, frame, out) throws(WireFault) in
    try observe(&reader, frame, &out)
  }
}
