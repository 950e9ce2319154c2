// HomePlug AV, AV2 and Green PHY (IEEE 1901): management messages (MMEs) in EtherType 88e1. Public messages: HomePlug AV
// Specification 2.1, 11; vendor messages of Qualcomm (Intellon), OUI 00:b0:52.
//
//      0       1            3                    5
//      ┌───────┬────────────┬────────────────────┬─────────────────────────────┐
//      │version│ type, LE   │ fragments          │ payload                     │   public messages, and vendor messages
//      └───────┴────────────┴────────────────────┴─────────────────────────────┘   of version 1 and above
//      ┌───────┬────────────┬───────────┬──────────────────────────────────────┐
//      │   0   │ type, LE   │ OUI       │ payload                              │   vendor messages of version 0
//      └───────┴────────────┴───────────┴──────────────────────────────────────┘
//
// The low two bits of the type tell a request from a confirm, an indication and a response. Who confirms or indicates is a
// powerline modem; who asks may be any PC with a tool. The exception is the signal-level matching of electric cars (SLAC): its
// messages are written by hosts behind the modem, with their own addresses.

public enum HomePlugAV {
  /// Reaches the modem on this very Ethernet segment, whatever its address: nobody's own.
  public static let localAddress = MACAddress(bits: 0x00b0_5200_0001)
  static let qualcomm: UInt32 = 0x00_b0_52

  /// Message types with their low two bits zero.
  enum Base {
    static let discoverList: UInt16 = 0x0014
    static let bridgeInfo: UInt16 = 0x6020
    static let networkInfo: UInt16 = 0x6038
    static let humanFriendlyID: UInt16 = 0x6040
    static let networkStatistics: UInt16 = 0x6048
    /// SLAC, from CM_SLAC_PARM to CM_SLAC_USER_DATA: sent by hosts.
    static let matching: ClosedRange<UInt16> = 0x6064...0x6080
    static let softwareVersion: UInt16 = 0xa000
    static let vendorNetworkInfo: UInt16 = 0xa038
    static let firstVendor: UInt16 = 0x8000
  }

  static let confirm: UInt16 = 1
  static let indication: UInt16 = 2

  public struct Header: Sendable {
    public var version: UInt8
    /// The type without its low two bits.
    public var base: UInt16
    /// 0 request, 1 confirm, 2 indication, 3 response.
    public var operation: UInt16
    public var fragments = 0
    public var fragment = 0
    /// Of vendor messages.
    public var oui: UInt32 = 0
  }

  static func parse(_ reader: inout ByteReader) throws(WireFault) -> Header {
    let version = try reader.u8()
    let type = try reader.u16LE()
    var header = Header(version: version, base: type & 0xfffc, operation: type & 3)
    let isVendor = header.base >= Base.firstVendor
    if !isVendor || version > 0 {
      let fragmentation = try reader.u8()
      header.fragments = Int(fragmentation >> 4)
      header.fragment = Int(fragmentation & 15)
      try reader.skip(1)
    }
    if isVendor { header.oui = try reader.u24() }
    return header
  }

  static func observe(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    let source = frame.station
    if frame.flags.contains(.hasDestination), frame.destination == localAddress {
      out.note(localAddress, .isFictitious, "destination", kind: .inferred)
    }
    let header = try parse(&reader)
    guard header.operation == confirm || header.operation == indication, source != localAddress else { return }
    if Base.matching.contains(header.base) { return }
    // A confirm answers in the modem's own name; an indication might have been forwarded for somebody.
    Powerline.noteAdapter(source, "source", grade: header.operation == confirm ? .a : .b, &out)
    guard header.operation == confirm, header.fragment == 0 else { return }
    do throws(WireFault) {
      try observeConfirm(header, source, &reader, &out)
    } catch {
      // The rest stands in the next fragment.
      if header.fragments == 0 { throw error }
    }
  }

  private static func observeConfirm(
    _ header: Header, _ source: MACAddress, _ reader: inout ByteReader, _ out: inout Observations
  ) throws(WireFault) {
    switch header.base {
    case Base.discoverList: try discoverList(source, &reader, &out)
    case Base.bridgeInfo: try bridgeInfo(source, &reader, &out)
    case Base.networkInfo: try networkInfo(source, &reader, &out)
    case Base.networkStatistics: try networkStatistics(header, source, &reader, &out)
    case Base.humanFriendlyID: try humanFriendlyID(source, &reader, &out)
    case Base.softwareVersion where header.oui == qualcomm: try softwareVersion(source, &reader, &out)
    case Base.vendorNetworkInfo where header.oui == qualcomm:
      if header.version == 0 {
        try vendorNetworkInfo0(source, &reader, &out)
      } else {
        try vendorNetworkInfo1(source, &reader, &out)
      }
    default: return
    }
  }

  /// CC_DISCOVER_LIST: every station heard on the power line, those of the neighbours' networks too, which are not ours to tell.
  private static func discoverList(_ source: MACAddress, _ reader: inout ByteReader, _ out: inout Observations) throws(WireFault) {
    let count = Int(try reader.u8())
    for _ in 0..<count {
      var station = try reader.take(12)
      let address = try station.mac()
      try station.skip(1)
      let isSameNetwork = try station.u8() & 1 != 0
      try station.skip(3)
      let rate = averageRate(try station.u8())
      guard isSameNetwork else { continue }
      Powerline.noteStation(address, of: source, rate: rate, "CC_DISCOVER_LIST station", &out)
    }
  }

  /// Average bit-loading estimate: mantissa in the high 5 bits, exponent in the low 3: (m+32)·2^(e–4) + 2^(e–5) Mb/s.
  static func averageRate(_ code: UInt8) -> Rate? {
    guard code != 0 else { return nil }
    let mantissa = Int(code >> 3)
    return Rate(bitsPerSecond: (2 * (mantissa + 32) + 1) << Int(code & 7) * 31_250)
  }

  /// CM_BRG_INFO: the hosts on the adapter's own Ethernet side.
  private static func bridgeInfo(_ source: MACAddress, _ reader: inout ByteReader, _ out: inout Observations) throws(WireFault) {
    guard try reader.u8() != 0 else { return }
    try reader.skip(1)
    let count = Int(try reader.u8())
    for _ in 0..<count {
      let host = try reader.mac()
      guard host.isStation, host != source, host != localAddress else { continue }
      out.note(source, .bridges(host, over: .ethernet, of: count, rate: nil), "CM_BRG_INFO")
    }
  }

  private static func networkInfo(_ source: MACAddress, _ reader: inout ByteReader, _ out: inout Observations) throws(WireFault) {
    let count = Int(try reader.u8())
    for _ in 0..<count {
      var network = try reader.take(18)
      try network.skip(10)
      Powerline.noteStation(try network.mac(), of: source, rate: nil, "CM_NW_INFO coordinator", &out)
    }
  }

  private static func networkStatistics(
    _ header: Header, _ source: MACAddress, _ reader: inout ByteReader, _ out: inout Observations
  ) throws(WireFault) {
    let count = Int(try reader.u8())
    for _ in 0..<count {
      let address = try reader.mac()
      // AV2 outgrew the byte.
      let transmit = header.version >= 2 ? Int(try reader.u16LE()) : Int(try reader.u8())
      let receive = header.version >= 2 ? Int(try reader.u16LE()) : Int(try reader.u8())
      Powerline.noteStation(address, of: source, rate: Powerline.slower(transmit, receive), "CM_NW_STATS", &out)
    }
  }

  private static func humanFriendlyID(_ source: MACAddress, _ reader: inout ByteReader, _ out: inout Observations) throws(WireFault) {
    try reader.skip(1)
    try Powerline.noteName(&reader, atMost: 64, source, "CM_HFID", &out)
  }

  private static func softwareVersion(_ source: MACAddress, _ reader: inout ByteReader, _ out: inout Observations) throws(WireFault) {
    guard try reader.u8() == 0 else { return }
    let chip = try reader.u8()
    let length = Int(try reader.u8())
    if let name = chipName(chip) { out.note(source, .has(.hardware, WireText(name)), "VS_SW_VER device class") }
    let text = try reader.text(length).untilNUL.trimmed
    if !text.isEmpty { out.note(source, .has(.software, text), "VS_SW_VER") }
  }

  private static func chipName(_ code: UInt8) -> String? {
    switch code {
    case 0x01: "INT6000"
    case 0x02: "INT6300"
    case 0x03: "INT6400"
    case 0x04: "AR7400"
    case 0x05: "AR6405"
    case 0x20: "QCA7420"
    case 0x21: "QCA6410"
    case 0x22: "QCA7000"
    case 0x30: "QCA7500"
    default: nil
    }
  }

  /// Networks 1; each: id 7, short id 1, TEI 1, role 1, coordinator 6, its TEI 1, stations 1;
  /// each: MAC 6, TEI 1, first bridged address 6, transmit 1, receive 1.
  private static func vendorNetworkInfo0(
    _ source: MACAddress, _ reader: inout ByteReader, _ out: inout Observations
  ) throws(WireFault) {
    let networks = Int(try reader.u8())
    for _ in 0..<networks {
      try reader.skip(10)
      noteCoordinator(try reader.mac(), source, &out)
      try reader.skip(1)
      let stations = Int(try reader.u8())
      for _ in 0..<stations {
        var station = try reader.take(15)
        let address = try station.mac()
        try station.skip(1)
        let bridged = try station.mac()
        let rate = Powerline.slower(Int(try station.u8()), Int(try station.u8()))
        noteNetworkStation(address, bridged, rate, source, &out)
      }
    }
  }

  /// Sub-version 1, reserved 1, length 2, reserved 1, networks 1; each: id 7, reserved 2, short id 1, TEI 1, reserved 4, role 1,
  /// coordinator 6, TEI 1, reserved 3, stations 1, reserved 5; each: MAC 6, TEI 1, reserved 3, first bridged address 6,
  /// transmit 2 LE, coupling 1, reserved 1, receive 2 LE, reserved 2.
  private static func vendorNetworkInfo1(
    _ source: MACAddress, _ reader: inout ByteReader, _ out: inout Observations
  ) throws(WireFault) {
    try reader.skip(5)
    let networks = Int(try reader.u8())
    for _ in 0..<networks {
      try reader.skip(16)
      noteCoordinator(try reader.mac(), source, &out)
      try reader.skip(4)
      let stations = Int(try reader.u8())
      try reader.skip(5)
      for _ in 0..<stations {
        var station = try reader.take(24)
        let address = try station.mac()
        try station.skip(4)
        let bridged = try station.mac()
        let transmit = Int(try station.u16LE())
        try station.skip(2)
        noteNetworkStation(address, bridged, Powerline.slower(transmit, Int(try station.u16LE())), source, &out)
      }
    }
  }

  private static func noteCoordinator(_ address: MACAddress, _ source: MACAddress, _ out: inout Observations) {
    guard address != source else { return }
    Powerline.noteAdapter(address, "VS_NW_INFO coordinator", &out)
  }

  private static func noteNetworkStation(
    _ address: MACAddress, _ bridged: MACAddress, _ rate: Rate?, _ source: MACAddress, _ out: inout Observations
  ) {
    Powerline.noteStation(address, of: source, rate: rate, "VS_NW_INFO station", &out)
    // A station that bridges nobody repeats its own address, or says zero, or everybody. One host of perhaps many.
    guard bridged.isStation, bridged != address, bridged != source, bridged != localAddress else { return }
    out.note(address, .bridges(bridged, over: .ethernet, of: 1, rate: nil), "VS_NW_INFO BDA", grade: .b)
  }

  public static let dissector = Dissector(
    "homeplug", standard: "HomePlug AV 2.1, 11; IEEE 1901", keys: [.etherType(.homePlugAV)]
  ) { (reader, frame, out) throws(WireFault) in
    try observe(&reader, frame, &out)
  }
}

/// What the powerline protocols have in common.
enum Powerline {
  /// `address` is a powerline modem.
  static func noteAdapter(_ address: MACAddress, _ field: String, grade: Grade = .a, _ out: inout Observations) {
    guard address != HomePlugAV.localAddress else { return }
    out.note(address, .playsRole(.powerlineAdapter), field, grade: grade)
    out.note(address, .carries(.powerline, rate: nil), field, grade: grade)
  }

  /// `address` is a powerline modem in the network of `reporter`, which hears it.
  static func noteStation(
    _ address: MACAddress, of reporter: MACAddress, rate: Rate?, _ field: String, grade: Grade = .a, _ out: inout Observations
  ) {
    guard address.isStation, address != reporter, address != HomePlugAV.localAddress else { return }
    noteAdapter(address, field, grade: grade, &out)
    out.note(reporter, .neighbours(address, over: .powerline, direct: true, rate: rate), field, grade: grade)
  }

  /// The slower direction, which is what a path through the link can promise; nil when neither is known.
  static func slower(_ transmit: Int, _ receive: Int) -> Rate? {
    let known = transmit == 0 ? receive : receive == 0 ? transmit : min(transmit, receive)
    return known > 0 ? Rate(megabits: known) : nil
  }

  /// A human-friendly identifier: 64 bytes of ASCII padded with NUL, or fewer. Other bytes there are no name.
  static func noteName(
    _ reader: inout ByteReader, atMost limit: Int, _ source: MACAddress, _ field: String, _ out: inout Observations
  ) throws(WireFault) {
    // The half of a name would be another name.
    if reader.remaining < limit, reader.isCut { throw reader.short() }
    let text = try reader.text(min(limit, reader.remaining)).untilNUL.trimmed
    guard !text.isEmpty, text.bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) else { return }
    out.note(source, .isNamed(text, .friendly), field, grade: .b)
  }
}
