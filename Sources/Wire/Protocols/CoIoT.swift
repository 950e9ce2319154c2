// CoIoT: how the Wi-Fi switches, plugs and sensors of Shelly's first generation show themselves, every 15 s to 224.0.1.187. A CoAP
// message (RFC 7252, 3) of a method of its own, 0.30; the maker publishes the rest.
//
//      0        1    2          4        4 + n                          option: delta of its number from the last one's and length,
//      ┌────────┬────┬──────────┬────────┬───────────┬────┬─────────┐           4 bits each, which 13 lets go on in one byte (+ 13) and
//      │version │code│message id│ token n│ options … │ ff │ payload │           14 in two (+ 269); 15 is the marker before the payload
//      │2 b, n 4│ 1e │          │        │           │    │         │   3332: "type#id#revision", 3412 validity, 3420 serial
//      └────────┴────┴──────────┴────────┴───────────┴────┴─────────┘
//
// The payload is what the sensors read: whether a light is on is nobody's business, and is not looked at.

public enum CoIoT {
  private static let publish: UInt8 = 0x1e
  private static let deviceOption = 3332

  static func observe(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    guard var announcer = Announcer(frame) else { return }
    let start = reader.offset
    let head = try reader.u8()
    guard head >> 6 == 1 else { throw WireFault(.unsupported, at: start) }
    let tokenLength = Int(head & 15)
    guard tokenLength <= 8 else { throw WireFault(.malformed, at: start) }
    // Any other method is somebody's question or answer, and CoAP carries many things.
    guard try reader.u8() == publish else { return }
    try reader.skip(2 + tokenLength)
    var number = 0
    for _ in 0..<64 where reader.isCut || !reader.isAtEnd {
      let place = reader.offset
      let first = try reader.u8()
      if first == 0xff { return }
      number += try extended(first >> 4, &reader, place)
      var value = try reader.take(try extended(first & 15, &reader, place))
      if number == deviceOption { device(&value, &announcer, &out) }
    }
  }

  /// A number of four bits that may go on in the bytes that follow.
  private static func extended(_ bits: UInt8, _ reader: inout ByteReader, _ place: Int) throws(WireFault) -> Int {
    switch bits {
    case 13: 13 + Int(try reader.u8())
    case 14: 269 + Int(try reader.u16())
    case 15: throw WireFault(.malformed, at: place)
    default: Int(bits)
    }
  }

  /// `SHSW-25#A4CF12345678#2`: the kind of device, its hardware address or the end of it, the protocol's revision.
  private static func device(_ value: inout ByteReader, _ announcer: inout Announcer, _ out: inout Observations) {
    let text = value.rest()
    guard let end = index(of: 0x23, in: text, from: 0), end > 0, let next = index(of: 0x23, in: text, from: end + 1) else { return }
    if let address = MACAddress(text: text.part(end + 1, next - end - 1)) { announcer.states(address, "global device id", &out) }
    out.note(announcer.station, .playsRole(.iot), "global device id", grade: .b)
    out.note(announcer.station, .has(.model, WireText(text.part(0, end))), "global device id")
  }

  private static func index(of byte: UInt8, in text: RawSpan, from start: Int) -> Int? {
    for at in start..<max(start, text.byteCount) where text.u8(at) == byte { return at }
    return nil
  }

  public static let dissector = Dissector("coiot", standard: "RFC 7252; Shelly, first generation", keys: [.udp(Port(5683))]) {
    (reader, frame, out) throws(WireFault) in
    try observe(&reader, frame, &out)
  }
}
