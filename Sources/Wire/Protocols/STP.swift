// Spanning tree: IEEE 802.1D-2004 clause 9 (STP, RSTP), 802.1Q-2018 clause 14 (MSTP, SPT); Cisco's PVST+ behind SNAP.
//
//      0        2       3    4     5               13              17                25     27
//      ┌────────┬───────┬────┬─────┬───────────────┬───────────────┬─────────────────┬──────┬──────┬─────────┬─────┬───────┐
//      │protocol│version│type│flags│ root          │ cost to root  │ bridge          │ port │ age 2│max age 2│hello│ delay │
//      │   0    │       │    │     │ priority, MAC │               │ priority, MAC   │      │      │         │  2  │   2   │
//      └────────┴───────┴────┴─────┴───────────────┴───────────────┴─────────────────┴──────┴──────┴─────────┴─────┴───────┘
//      From version 3 on what stands at 17 is the root of the sender's region, and there follows
//      35 version 1 length (0), 36 version 3 length 2, 38 configuration id 51, 89 cost to the regional root 4, 93 bridge 8, 101 hops 1, …
//
// Protocol 1 is GARP, whose frames share the LLC header. Bridge and port name the very hole in the wall: bridges do not forward BPDUs.
// Many unmanaged switches do, and speakers and media boxes with two interfaces send them too.

public enum STP {
  public struct Message: Sendable {
    public var root: MACAddress
    public var cost: UInt32
    public var bridge: MACAddress
    public var port: UInt16
    public var isTopologyChange: Bool
  }

  /// Nil for a topology change notification, which has no body.
  static func parse(_ reader: inout ByteReader) throws(WireFault) -> Message? {
    let version = try reader.u8()
    let typeOffset = reader.offset
    let type = try reader.u8()
    if type == 0x80 { return nil }
    guard type == 0 || type == 2 else { throw WireFault(.unsupported, at: typeOffset) }
    let flags = try reader.u8()
    try reader.skip(2)
    let root = try reader.mac()
    let cost = try reader.u32()
    try reader.skip(2)
    let bridge = try reader.mac()
    let port = try reader.u16()
    try reader.skip(8)
    var message = Message(root: root, cost: cost, bridge: bridge, port: port, isTopologyChange: flags & 1 != 0)
    if type == 2, version >= 3 { try readRegion(&reader, &message) }
    return message
  }

  /// The part that only bridges of a region read. By 802.1Q, 14.5 a message without a sound one is an RST BPDU, whose bridge stands
  /// where an MST BPDU has its regional root.
  private static func readRegion(_ reader: inout ByteReader, _ message: inout Message) throws(WireFault) {
    // Of a cut message it is not known which of the two it was.
    if reader.remaining < 67, !reader.isCut { return }
    guard try reader.u8() == 0 else { return }
    let length = Int(try reader.u16())
    guard length >= 64, length <= 64 + 64 * 16, length % 16 == 0 else { return }
    try reader.skip(51)
    // Outside a region the one cost is zero, inside it the other: the way is both.
    let inside = try reader.u32()
    try reader.skip(2)
    message.bridge = try reader.mac()
    let (sum, overflow) = message.cost.addingReportingOverflow(inside)
    message.cost = overflow ? .max : sum
  }

  static let topologyChange = WireText("signals a topology change")

  static func observe(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    let source = frame.station
    let start = reader.offset
    switch try reader.u16() {
    case 0: break
    // GARP to another group than that of its VLANs (`GVRP`): multicast registration, which names no device.
    case 1: return
    default: throw WireFault(.unsupported, at: start)
    }
    let message = try parse(&reader)
    out.noteLinkPartner(frame)
    guard let message else {
      out.note(source, .playsRole(.switch), "BPDU")
      out.note(source, .has(.comment, topologyChange), "BPDU type")
      return
    }
    out.note(source, .playsRole(.switch), "BPDU")
    guard message.bridge.isStation, message.root.isStation else { throw WireFault(.malformed, at: start) }
    out.note(
      source, .bridgePort(bridge: message.bridge, port: message.port, root: message.root, cost: message.cost),
      "root, bridge and port identifier")
    if message.bridge != source { out.note(source, .isSameBox(as: message.bridge), "bridge identifier", grade: .b) }
    if message.isTopologyChange { out.note(source, .has(.comment, topologyChange), "flags") }
    if frame.snap != 0 { try vlan(&reader, source, &out) }
  }

  /// PVST+: one tree for each VLAN, named by a TLV (type 0, length 2) behind the version 1 length, or the byte of padding in its place.
  private static func vlan(_ reader: inout ByteReader, _ source: MACAddress, _ out: inout Observations) throws(WireFault) {
    try reader.skip(1)
    guard try reader.u16() == 0, try reader.u16() == 2 else { return }
    let number = try reader.u16()
    guard number > 0, number < 4095 else { return }
    out.note(source, .has(.comment, WireText("VLAN " + String(number))), "originating VLAN")
  }

  public static let dissector = Dissector(
    "stp", standard: "IEEE 802.1D-2004, 802.1Q-2018, PVST+", keys: [.llc(0x4242), .snap(0x00_000c_010b)]
  ) {
    (reader, frame, out) throws(WireFault) in
    try observe(&reader, frame, &out)
  }
}
