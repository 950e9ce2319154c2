// HomePlug 1.0 (Intellon INT5130, INT51X1), EtherType 887b: management entries, most of them between modems; a PC with a tool asks
// its own modem with the same ones.
//
//      0              1                2       3
//      ┌──────────────┬────────────────┬───────┬──────────────┬───
//      │entries, 7 bit│version 3,type 5│length │ entry        │ …
//      └──────────────┴────────────────┴───────┴──────────────┴───
//
// Network statistics: control 1, three counters of 2 bytes, then for each peer its MAC 6, bytes in 40 symbols 2, fails 2, drops 2.
// Bridging characteristics: control 1 (80 network, 40 return); network form: bridge MAC 6, count 1, MACs; local form: count 1, MACs.

public enum HomePlug1 {
  enum Entry {
    static let statisticsResponse: UInt8 = 0x08
    static let networkStatistics: UInt8 = 0x1a
    static let bridging: UInt8 = 0x1e
  }

  static func observe(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    let source = frame.station
    let count = Int(try reader.u8() & 0x7f)
    for _ in 0..<count {
      let type = try reader.u8() & 0x1f
      let length = Int(try reader.u8())
      if reader.remaining < length, reader.isCut {
        // The head of a cut list counts.
        var entry = reader.takeAvailable(length)
        try observe(type, &entry, source, &out)
        throw reader.short()
      }
      var entry = try reader.take(length)
      do throws(WireFault) {
        try observe(type, &entry, source, &out)
      } catch {
        out.tally(error)
      }
    }
  }

  private static func observe(
    _ type: UInt8, _ entry: inout ByteReader, _ source: MACAddress, _ out: inout Observations
  ) throws(WireFault) {
    switch type {
    case Entry.statisticsResponse:
      // The question (7) is empty, and so may be the buffer of one who copied it.
      if entry.remaining >= 18 { Powerline.noteAdapter(source, "parameters and statistics response", &out) }
    case Entry.networkStatistics: try networkStatistics(&entry, source, &out)
    case Entry.bridging: try bridging(&entry, source, &out)
    default: return
    }
  }

  private static func networkStatistics(
    _ entry: inout ByteReader, _ source: MACAddress, _ out: inout Observations
  ) throws(WireFault) {
    // A host asks with the control byte alone, or with the whole structure empty.
    guard entry.remaining > 7 else { return }
    try entry.skip(7)
    var isAnswer = false
    for _ in 0..<15 where entry.remaining >= 12 {
      let peer = try entry.mac()
      let rate = Self.rate(try entry.u16())
      try entry.skip(4)
      guard peer.isStation, peer != source else { continue }
      if !isAnswer {
        isAnswer = true
        Powerline.noteAdapter(source, "network statistics", &out)
      }
      Powerline.noteStation(peer, of: source, rate: rate, "network statistics", &out)
    }
  }

  /// Bytes in 40 symbols of 8.4 µs. Chips differ in byte order: the reading that no HomePlug 1.0 line can reach (85 Mb/s, 3570
  /// bytes) is the wrong one; when both could be, nobody knows.
  static func rate(_ field: UInt16) -> Rate? {
    let big = Int(field)
    let little = Int(field.byteSwapped)
    let bytes = big <= 3570 ? (little <= 3570 && little != big ? 0 : big) : little <= 3570 ? little : 0
    return bytes > 0 ? Rate(bitsPerSecond: bytes * 8_000_000 / 336) : nil
  }

  private static func bridging(_ entry: inout ByteReader, _ source: MACAddress, _ out: inout Observations) throws(WireFault) {
    let control = try entry.u8()
    // Without the return bit a host sets what the modem shall bridge.
    guard control & 0x40 != 0, !entry.isAtEnd else { return }
    if control & 0x80 == 0 {
      try hosts(of: source, &entry, &out)
      return
    }
    for _ in 0..<16 where entry.remaining >= 7 {
      let bridge = try entry.mac()
      try hosts(of: bridge, &entry, &out)
    }
  }

  private static func hosts(of bridge: MACAddress, _ entry: inout ByteReader, _ out: inout Observations) throws(WireFault) {
    let count = Int(try entry.u8())
    for _ in 0..<count {
      let host = try entry.mac()
      guard host.isStation, host != bridge, bridge.isStation else { continue }
      out.note(bridge, .bridges(host, over: .ethernet, of: count, rate: nil), "bridging characteristics", grade: .b)
    }
  }

  public static let dissector = Dissector("homeplug1", standard: "HomePlug 1.0", keys: [.etherType(.homePlug1)]) {
    (reader, frame, out) throws(WireFault) in
    try observe(&reader, frame, &out)
  }
}
