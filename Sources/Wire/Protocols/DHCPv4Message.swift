// The form of a DHCP message; what its options say is in `DHCPv4.swift`.
//
//      0    1      2     3     4    8     10     12      16      20      24      28       44     108   236       240
//      ┌────┬──────┬─────┬─────┬────┬─────┬──────┬───────┬───────┬───────┬───────┬────────┬──────┬─────┬─────────┬─────────┐
//      │ op │htype │hlen │hops │xid │secs │flags │ciaddr │yiaddr │siaddr │giaddr │ chaddr │sname │file │63825363 │options…│
//      └────┴──────┴─────┴─────┴────┴─────┴──────┴───────┴───────┴───────┴───────┴────────┴──────┴─────┴─────────┴─────────┘
//      option: code 1, length 1, value; 0 is padding without length, 255 ends the area
//
// Option 52 lets options go on in `file` and `sname`; the same code more than once is one value (RFC 3396).

extension DHCPv4 {
  /// The fixed part.
  struct Header: Sendable {
    var isRequest: Bool
    /// The client's address where it has one of Ethernet's kind, else zero.
    var client: MACAddress
    var ciaddr: IPv4Address
    var yiaddr: IPv4Address
    var giaddr: IPv4Address
  }

  /// One option's value: where it stands in the bytes that hold it.
  struct Slot: Sendable {
    var code: UInt8
    var start: Int
    var length: Int
    /// Place in the frame, for faults.
    var offset: Int
  }

  /// More than any real message has; 255 codes exist.
  static let slotLimit = 256
  static let magic: UInt32 = 0x6382_5363

  /// The options of one message, each code at most once.
  struct Options: ~Escapable {
    /// Of the message, or of the pieces that were put together.
    private let holder: ByteReader
    let slots: [Slot]
    /// Whether all options were seen: a cut message may hold more than we know.
    let isComplete: Bool

    /// - Parameter holder: a reader of the bytes that the slots point into.
    @_lifetime(copy holder)
    init(_ holder: ByteReader, _ slots: [Slot], isComplete: Bool) {
      self.holder = holder
      self.slots = slots
      self.isComplete = isComplete
    }

    var bytes: RawSpan {
      @_lifetime(copy self)
      get { holder.whole() }
    }

    func slot(_ code: UInt8) -> Slot? { slots.first { $0.code == code } }

    @_lifetime(copy self)
    func reader(_ slot: Slot) -> ByteReader { holder.over(bytes.part(slot.start, slot.length), base: slot.offset) }

    func u8(_ code: UInt8) -> UInt8? {
      guard let slot = slot(code), slot.length >= 1 else { return nil }
      return bytes.u8(slot.start)
    }

    func u32(_ code: UInt8) -> UInt32? {
      guard let slot = slot(code), slot.length >= 4 else { return nil }
      return bytes.u32(slot.start)
    }

    func address(_ code: UInt8) -> IPv4Address? { u32(code).map { IPv4Address($0) } }

    /// The hosts among a list of addresses, each once.
    func hosts(_ code: UInt8, limit: Int = 8) -> [IPv4Address] {
      guard let slot = slot(code) else { return [] }
      var found: [IPv4Address] = []
      var at = 0
      while at &+ 4 <= slot.length, found.count < limit {
        let address = IPv4Address(bytes.u32(slot.start &+ at))
        if address.isHost, !found.contains(address) { found.append(address) }
        at &+= 4
      }
      return found
    }

    /// Text without its padding; nil when nothing is left.
    func text(_ code: UInt8) -> WireText? {
      guard let slot = slot(code), slot.length > 0 else { return nil }
      let text = WireText(bytes.part(slot.start, slot.length)).untilNUL.trimmed
      return text.isEmpty ? nil : text
    }

    /// The value as it is.
    func raw(_ code: UInt8) -> WireText? {
      guard let slot = slot(code), slot.length > 0 else { return nil }
      return WireText(bytes.part(slot.start, slot.length))
    }
  }

  /// Reads the fixed part and leaves the reader at the options; `sname` and `file` are readers of their own because option 52,
  /// which stands behind them, says whether they hold options.
  static func header(_ reader: inout ByteReader, _ whole: RawSpan) throws(WireFault) -> Header {
    let start = reader.offset
    let op = try reader.u8()
    let hardware = try reader.u8()
    let hardwareLength = try reader.u8()
    try reader.skip(9)
    let ciaddr = try reader.ipv4()
    let yiaddr = try reader.ipv4()
    try reader.skip(4)
    let giaddr = try reader.ipv4()
    let client = try reader.mac()
    try reader.skip(10 + 64 + 128)
    guard try reader.u32() == magic else { throw WireFault(.unsupported, at: start + 236) }
    guard op == 1 || op == 2 else { throw WireFault(.malformed, at: start) }
    // A client without hardware address (type 0), or with one that is no MAC, is no station. Length before address.
    let isMAC = (hardware == 1 || hardware == 6) && hardwareLength == 6
    return Header(isRequest: op == 1, client: isMAC ? client : .zero, ciaddr: ciaddr, yiaddr: yiaddr, giaddr: giaddr)
  }

  /// Notes where the options of one area stand; true when its end was reached without anything left open.
  static func scan(
    _ reader: inout ByteReader, from areaStart: Int, _ slots: inout [Slot], _ out: inout Observations
  ) -> Bool {
    do throws(WireFault) {
      while !reader.isAtEnd {
        let offset = reader.offset
        let code = try reader.u8()
        if code == 0 { continue }
        if code == 255 { return true }
        let length = Int(try reader.u8())
        let start = areaStart &+ reader.position
        try reader.skip(length)
        guard slots.count < slotLimit else { throw WireFault(.tooMuch, at: offset) }
        slots.append(Slot(code: code, start: start, length: length, offset: offset))
      }
      // Without an end option: usual in `sname` and `file`, sloppy elsewhere, harmless; but a cut frame ended too early.
      return !reader.isCut
    } catch {
      out.tally(error)
      return !reader.isCut
    }
  }

  /// Whether a code occurs twice, which makes one value of several pieces.
  static func hasRepeats(_ slots: [Slot]) -> Bool {
    var seen: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    for slot in slots {
      let bit = UInt64(1) << UInt64(slot.code & 63)
      switch slot.code >> 6 {
      case 0:
        if seen.0 & bit != 0 { return true }
        seen.0 |= bit
      case 1:
        if seen.1 & bit != 0 { return true }
        seen.1 |= bit
      case 2:
        if seen.2 & bit != 0 { return true }
        seen.2 |= bit
      default:
        if seen.3 & bit != 0 { return true }
        seen.3 |= bit
      }
    }
    return false
  }

  /// Puts the pieces of each code together, in their order (RFC 3396, 7).
  static func joined(_ bytes: RawSpan, _ slots: [Slot]) -> (bytes: [UInt8], slots: [Slot]) {
    var out: [UInt8] = []
    var whole: [Slot] = []
    for (place, slot) in slots.enumerated() where !slots[..<place].contains(where: { $0.code == slot.code }) {
      let start = out.count
      for piece in slots[place...] where piece.code == slot.code {
        for i in 0..<piece.length { out.append(bytes.u8(piece.start &+ i)) }
      }
      whole.append(Slot(code: slot.code, start: start, length: out.count - start, offset: slot.offset))
    }
    return (out, whole)
  }
}
