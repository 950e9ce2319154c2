// Cisco's Hot Standby Router Protocol: RFC 2281 (version 1); version 2 as its maker documents it.
//
//      0         1        2       3       4      5          6       7          8                16           20
//      ┌─────────┬────────┬───────┬───────┬──────┬──────────┬───────┬──────────┬────────────────┬────────────┐
//      │ version │ opcode │ state │ hello │ hold │ priority │ group │ reserved │ authentication │ virtual IP │   1: version 0
//      └─────────┴────────┴───────┴───────┴──────┴──────────┴───────┴──────────┴────────────────┴────────────┘
//      2: records of type 1, length 1; type 1 (40 bytes): version 1, opcode 1, state 1, IP version 1, group 2, identifier 6 (the
//      member's own MAC), priority 4, hello 4, hold 4, virtual IP 16
//
// The active router sends from the virtual MAC, the others from their own.

public enum HSRP {
  /// Version 2 over IPv6.
  static let port6 = Port(2029)
  static let hello: UInt8 = 0
  static let resign: UInt8 = 2

  static func observe(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    guard frame.destinationAddress.isMulticast else { return }
    let start = reader.offset
    guard let first = reader.peek() else { throw reader.short() }
    switch first {
    case 0: try readFirst(&reader, frame, &out)
    case 1...4: try readSecond(&reader, frame, &out)
    default: throw WireFault(.unsupported, at: start)
    }
  }

  private static func readFirst(
    _ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations
  ) throws(WireFault) {
    try reader.skip(1)
    // Opcode 3 advertises interfaces, with another body.
    guard try reader.u8() <= resign else { return }
    try reader.skip(4)
    let group = try reader.u8()
    try reader.skip(9)
    let address = IPAddress(try reader.ipv4())
    let source = frame.station
    note(
      MACAddress(bits: 0x0000_0c07_ac00 | UInt64(group)), real: source.isVirtualRouter || !source.isStation ? nil : source, address, frame,
      &out)
  }

  private static func readSecond(
    _ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations
  ) throws(WireFault) {
    var turns = 0
    while reader.remaining >= 2, turns < 16 {
      turns += 1
      let type = try reader.u8()
      var body = try reader.take(Int(try reader.u8()))
      guard type == 1 else { continue }
      do throws(WireFault) {
        guard try body.u8() == 2, try body.u8() <= resign else { continue }
        try body.skip(1)
        let family = try body.u8()
        let group = UInt64(try body.u16() & 0x0fff)
        let identifier = try body.mac()
        try body.skip(12)
        let isIPv6 = family == 6
        let address = isIPv6 ? IPAddress(try body.ipv6()) : IPAddress(try body.ipv4())
        let virtual = MACAddress(bits: (isIPv6 ? 0x0005_73a0_0000 : 0x0000_0c9f_f000) | group)
        note(virtual, real: identifier.isStation && !identifier.isVirtualRouter ? identifier : nil, address, frame, &out)
      } catch {
        out.tally(error)
      }
    }
  }

  private static func note(
    _ virtual: MACAddress, real: MACAddress?, _ address: IPAddress, _ frame: borrowing FrameSummary, _ out: inout Observations
  ) {
    let source = frame.sourceAddress
    if source.isHost {
      if let real {
        out.note(real, .holds(source, .statement), "source address", grade: .b)
        out.note(real, .playsRole(.router), "group", grade: .b)
      } else {
        out.note(.address(source), .playsRole(.router), "group", grade: .b)
      }
    }
    // Before it has learnt it, a member sends zero.
    out.note(virtual, .isVirtualRouter(real: real, address: address.isHost ? address : nil), "virtual IP address")
  }

  public static let dissector = Dissector("hsrp", standard: "RFC 2281", keys: [.udp(.hsrp), .udp(port6)]) {
    (reader, frame, out) throws(WireFault) in
    try observe(&reader, frame, &out)
  }
}
