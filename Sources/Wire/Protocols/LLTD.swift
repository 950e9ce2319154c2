// Link Layer Topology Discovery: [MS-LLTD] and the Windows Rally LLTD specification 1.0.9. EtherType 88d9.
//
//      0       1       2        3        4                 10              16           18
//      ┌───────┬───────┬────────┬────────┬─────────────────┬───────────────┬────────────┬───────────────
//      │version│service│reserved│function│ real destination│ real source   │ sequence   │ body
//      └───────┴───────┴────────┴────────┴─────────────────┴───────────────┴────────────┴───────────────
//
//      Hello: generation 2, current mapper 6, apparent mapper 6, then TLVs: type 1, length 1, value; type 0 alone ends them.
//
// The real source is the device that speaks, whatever a translating bridge made of the Ethernet source. Only Train and Probe
// frames leave with a source that their sender made up, to teach it to switches.

public enum LLTD {
  public enum Service {
    public static let topology: UInt8 = 0
    public static let quickDiscovery: UInt8 = 1
    public static let qualityOfService: UInt8 = 2
  }

  /// Functions of topology discovery; quick discovery uses Discover, Hello and Reset of them.
  public enum Function {
    public static let discover: UInt8 = 0
    public static let hello: UInt8 = 1
    public static let emit: UInt8 = 2
    public static let train: UInt8 = 3
    public static let probe: UInt8 = 4
    public static let queryResponse: UInt8 = 7
    public static let largeTLVResponse: UInt8 = 0x0c
  }

  public struct Header: Sendable {
    public var service: UInt8
    public var function: UInt8
    public var realDestination: MACAddress
    public var realSource: MACAddress
    public var sequence: UInt16
  }

  /// Addresses that a mapper may lend for training (1.0.9, Emit): they belong to no device.
  static func isTraining(_ address: MACAddress) -> Bool {
    address.bits >= 0x000d_3ad7_f140 && address.bits <= 0x000d_3aff_ffff
  }

  static func parse(_ reader: inout ByteReader) throws(WireFault) -> Header {
    let start = reader.offset
    guard try reader.u8() == 1 else { throw WireFault(.unsupported, at: start) }
    let service = try reader.u8()
    try reader.skip(1)
    return Header(
      service: service, function: try reader.u8(), realDestination: try reader.mac(), realSource: try reader.mac(),
      sequence: try reader.u16())
  }

  static func observe(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    let header = try parse(&reader)
    let source = frame.station
    let isTopology = header.service == Service.topology
    if isTopology, header.function == Function.train || header.function == Function.probe {
      noteTrained(source, header.realSource, "Ethernet source", &out)
      return
    }
    if header.realSource.isStation, source != header.realSource {
      // A bridge on the way put its own address on the frame.
      out.note(source, .speaksFor(header.realSource), "real source", grade: .b, kind: .inferred)
    }
    guard isTopology || header.service == Service.quickDiscovery else { return }
    switch header.function {
    case Function.hello: try hello(header.realSource, &reader, &out)
    case Function.emit where isTopology: try emit(&reader, &out)
    case Function.queryResponse where isTopology: try queryResponse(&reader, &out)
    case Function.largeTLVResponse where isTopology: try largeTLV(header.realSource, &reader, &out)
    // A Discover shows somebody who draws a map; what it lists has said so itself. The others are between mapper and responder.
    default: return
    }
  }

  /// The source of a Train or Probe frame. One from outside the range would be a responder that did not keep to it, or a bridge
  /// that put its own address there: a hint at best.
  private static func noteTrained(_ source: MACAddress, _ real: MACAddress, _ field: String, _ out: inout Observations) {
    guard source != real else { return }
    out.note(source, .isFictitious, field, grade: isTraining(source) ? .a : .c, kind: .inferred)
  }

  /// Emit: count 2; each: type 1, pause 1, source 6, destination 6. The sources are about to be seen.
  private static func emit(_ reader: inout ByteReader, _ out: inout Observations) throws(WireFault) {
    let count = min(256, Int(try reader.u16()))
    for _ in 0..<count {
      try reader.skip(2)
      let source = try reader.mac()
      try reader.skip(6)
      if isTraining(source) { out.note(source, .isFictitious, "Emit source", kind: .inferred) }
    }
  }

  /// QueryResp: flags and count 2; each: type 2, real source 6, Ethernet source 6, Ethernet destination 6. That a probe arrived says
  /// where switches are only together with the probes that did not.
  private static func queryResponse(_ reader: inout ByteReader, _ out: inout Observations) throws(WireFault) {
    let count = min(256, Int(try reader.u16() & 0x3fff))
    for _ in 0..<count {
      var record = try reader.take(20)
      try record.skip(8)
      let source = try record.mac()
      if isTraining(source) { out.note(source, .isFictitious, "QueryResp Ethernet source", kind: .inferred) }
    }
  }

  /// QueryLargeTlvResp does not repeat which TLV was asked for. The two tables are known by their shape, which texts and icons do
  /// not have: everything has to fit to the last byte.
  private static func largeTLV(_ source: MACAddress, _ reader: inout ByteReader, _ out: inout Observations) throws(WireFault) {
    let length = Int(try reader.u16() & 0x3fff)
    guard length > 0 else { return }
    var data = try reader.take(length)
    if isComponentTable(data) {
      try componentTable(source, &data, &out)
    } else if isAssociationTable(data) {
      try associationTable(source, &data, &out, grade: .b)
    }
  }

  static func isAssociationTable(_ data: borrowing ByteReader) -> Bool {
    guard data.remaining >= 10, data.remaining % 10 == 0 else { return false }
    let bytes = data.rest()
    for at in stride(from: 0, to: bytes.byteCount, by: 10) {
      let rate = bytes.u16(at + 6)
      guard bytes.mac(at).isStation, bytes.mac(at).oui != 0, rate > 0, bytes.u8(at + 8) <= 8, bytes.u8(at + 9) == 0 else { return false }
    }
    return true
  }

  static func isComponentTable(_ data: borrowing ByteReader) -> Bool {
    let bytes = data.rest()
    guard bytes.byteCount >= 5, bytes.u16(0) == 0x0100 else { return false }
    var at = 2
    while at &+ 2 <= bytes.byteCount {
      let length = Int(bytes.u8(at &+ 1))
      guard length == componentLength(bytes.u8(at)) else { return false }
      at &+= 2 &+ length
    }
    return at == bytes.byteCount
  }

  private static func componentLength(_ type: UInt8) -> Int? {
    switch type {
    case 0: 1
    case 1: 10
    case 2: 4
    default: nil
    }
  }

  /// AP association table: station 6, maximum rate 2 in units of 0.5 Mb/s, PHY 1, reserved 1.
  static func associationTable(
    _ source: MACAddress, _ data: inout ByteReader, _ out: inout Observations, grade: Grade = .a
  ) throws(WireFault) {
    let count = data.remaining / 10
    for _ in 0..<min(count, 256) {
      var record = try data.take(10)
      let station = try record.mac()
      let rate = halfMegabits(try record.u16())
      guard station.isStation else { continue }
      out.note(source, .bridges(station, over: .wifi, of: count, rate: rate), "AP association table", grade: grade)
    }
  }

  /// Component table: version 1, reserved 1; each component: type 1, length 1, value.
  static func componentTable(_ source: MACAddress, _ data: inout ByteReader, _ out: inout Observations) throws(WireFault) {
    guard try data.u8() == 1 else { return }
    try data.skip(1)
    for _ in 0..<64 where !data.isAtEnd {
      let type = try data.u8()
      let length = Int(try data.u8())
      var component = try data.take(length)
      switch type {
      case 1 where length >= 10:
        try component.skip(3)
        let mode = try component.u8()
        let bssid = try component.mac()
        // Ad hoc cells have no access point.
        guard mode != 0, bssid.isStation else { continue }
        out.note(source, .runsBSS(bssid, ssid: nil), "component table: radio")
        out.note(source, .playsRole(.accessPoint), "component table: radio")
      case 2: out.note(source, .playsRole(.switch), "component table: built-in switch")
      default: continue
      }
    }
  }

  static func halfMegabits(_ units: UInt16) -> Rate? { units > 0 ? Rate(bitsPerSecond: Int(units) * 500_000) : nil }

  public static let dissector = Dissector("lltd", standard: "MS-LLTD", keys: [.etherType(.lltd)]) {
    (reader, frame, out) throws(WireFault) in
    try observe(&reader, frame, &out)
  }
}
