// Mediaxtream: management messages of Gigle and Broadcom powerline chips, EtherType 8912. No public standard; layout as their own
// tools use it.
//
//      0       1            3                    5           8        9
//      ┌───────┬────────────┬────────────────────┬───────────┬────────┬──────────
//      │version│ type, LE   │ fragments          │ 00:1f:84  │sequence│ payload
//      └───────┴────────────┴────────────────────┴───────────┴────────┴──────────
//
// The low two bits of the type are those of HomePlug AV. The answer to discover says on which of its sides the adapter heard the
// asker: the one direct way to learn which adapter is the asker's own.

public enum Mediaxtream {
  static let oui: UInt32 = 0x00_1f_84

  enum Base {
    static let networkInfo: UInt16 = 0xa028
    static let networkStatistics: UInt16 = 0xa02c
    static let getParameter: UInt16 = 0xa05c
    static let discover: UInt16 = 0xa070
  }

  static func observe(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    let source = frame.station
    let start = reader.offset
    try reader.skip(1)
    let type = try reader.u16LE()
    let fragment = try reader.u8() & 15
    try reader.skip(1)
    guard try reader.u24() == oui else { throw WireFault(.unsupported, at: start + 5) }
    guard type & 3 == HomePlugAV.confirm else { return }
    Powerline.noteAdapter(source, "source", &out)
    guard fragment == 0 else { return }
    try reader.skip(1)
    switch type & 0xfffc {
    case Base.discover:
      let asker = frame.flags.contains(.hasDestination) ? frame.destination : .zero
      try discover(source, asker, &reader, &out)
    case Base.networkStatistics: try networkStatistics(source, &reader, &out)
    case Base.networkInfo: try networkInfo(source, &reader, &out)
    case Base.getParameter:
      // Status 1, length 2 LE, value; only the human-friendly identifiers are of this length.
      try reader.skip(1)
      let length = Int(try reader.u16LE())
      if length == 64 { try Powerline.noteName(&reader, atMost: length, source, "get parameter", &out) }
    default: return
    }
  }

  /// Interface 1: 0 and 1 are its Ethernet ports, 2 and 3 the power line; then the name with its length before it.
  private static func discover(
    _ source: MACAddress, _ asker: MACAddress, _ reader: inout ByteReader, _ out: inout Observations
  ) throws(WireFault) {
    let side: Medium? =
      switch try reader.u8() {
      case 0, 1: .ethernet
      case 2, 3: .powerline
      default: nil
      }
    if let side, asker.isStation { out.note(source, .hears(asker, over: side), "discover interface", kind: .measured) }
    guard !reader.isAtEnd else { return }
    let length = Int(try reader.u8())
    try Powerline.noteName(&reader, atMost: length == 0 ? 64 : length, source, "discover", &out)
  }

  private static func networkStatistics(
    _ source: MACAddress, _ reader: inout ByteReader, _ out: inout Observations
  ) throws(WireFault) {
    let count = Int(try reader.u8())
    for _ in 0..<count {
      let peer = try reader.mac()
      // The rates are the low 11 bits.
      let rate = Powerline.slower(Int(try reader.u16LE() & 0x7ff), Int(try reader.u16LE() & 0x7ff))
      Powerline.noteStation(peer, of: source, rate: rate, "network stats", &out)
    }
  }

  /// Networks 1; each: id 7, short id 1, TEI 1, role 1, coordinator 6, kind 1, networks it coordinates with 1, status 1 (0 joined).
  /// Then the backup coordinator of each.
  private static func networkInfo(_ source: MACAddress, _ reader: inout ByteReader, _ out: inout Observations) throws(WireFault) {
    let count = min(64, Int(try reader.u8()))
    // Networks of the neighbours are listed too: one bit each says which are ours.
    var joined: UInt64 = 0
    for place in 0..<count {
      var network = try reader.take(19)
      try network.skip(10)
      let coordinator = try network.mac()
      try network.skip(2)
      guard try network.u8() == 0 else { continue }
      joined |= 1 << UInt64(place)
      Powerline.noteStation(coordinator, of: source, rate: nil, "network info coordinator", &out)
    }
    for place in 0..<count {
      let backup = try reader.mac()
      guard joined >> UInt64(place) & 1 != 0 else { continue }
      Powerline.noteStation(backup, of: source, rate: nil, "network info backup coordinator", &out)
    }
  }

  public static let dissector = Dissector(
    "mediaxtream", standard: "Broadcom Mediaxtream", keys: [.etherType(.mediaxtream)]
  ) { (reader, frame, out) throws(WireFault) in
    try observe(&reader, frame, &out)
  }
}
