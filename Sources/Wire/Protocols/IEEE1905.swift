// IEEE 1905.1-2013, 1905.1a-2014, 6.2 (CMDU), 6.4 (TLVs); Wi-Fi EasyMesh 5.0, 17.2. EtherType 893a. Access points, extenders and
// powerline or MoCA adapters of one home tell each other what they are made of and whom they hear.
//
//      0       1        2            4            6        7       8
//      ┌───────┬────────┬────────────┬────────────┬────────┬───────┬──────┬────────┬──────────┬───
//      │version│reserved│message type│ message id │fragment│ flags │type 1│length 2│ value    │ …
//      └───────┴────────┴────────────┴────────────┴────────┴───────┴──────┴────────┴──────────┴───
//
// flags: 80 last fragment, 40 relayed. A TLV of type 0 and length 0 ends the message.
//
// A node is its AL MAC, which is often, but not always, the address of one of its interfaces. Fragments are read one by one: whole
// TLVs count, one that is split over two is dropped.

public enum IEEE1905 {
  public enum MessageType {
    public static let topologyDiscovery: UInt16 = 0
    public static let topologyResponse: UInt16 = 3
  }

  public struct Header: Sendable {
    public var type: UInt16
    public var identifier: UInt16
    public var fragment: UInt8
    public var isLastFragment: Bool
    public var isRelayed: Bool
  }

  enum TLV {
    static let end: UInt8 = 0x00
    static let alMAC: UInt8 = 0x01
    static let interfaceMAC: UInt8 = 0x02
    static let deviceInformation: UInt8 = 0x03
    static let bridgingTuples: UInt8 = 0x04
    static let otherNeighbours: UInt8 = 0x06
    static let neighbours: UInt8 = 0x07
    static let transmitterMetric: UInt8 = 0x09
    static let receiverMetric: UInt8 = 0x0a
    static let genericPHY: UInt8 = 0x14
    static let deviceIdentification: UInt8 = 0x15
    static let controlURL: UInt8 = 0x16
    static let ipv4: UInt8 = 0x17
    static let ipv6: UInt8 = 0x18
    static let l2Neighbours: UInt8 = 0x1e
    static let supportedService: UInt8 = 0x80
    static let operationalBSS: UInt8 = 0x83
    static let associatedClients: UInt8 = 0x84
    static let associationEvent: UInt8 = 0x92
    static let stationMetrics: UInt8 = 0x96
    static let stationTraffic: UInt8 = 0xa2
  }

  /// What earlier TLVs of a message say that later ones lean on.
  struct Context {
    /// Who speaks: the AL MAC once a TLV named it, until then the Ethernet source.
    var node: MACAddress
    var hasDeviceInformation = false
    /// Medium of each interface of the node (TLV 3), and whether it is the station that joins the node to another one.
    var media: [(interface: MACAddress, medium: Medium, isUplink: Bool)] = []

    func medium(of interface: MACAddress) -> Medium? { media.first { $0.interface == interface }?.medium }
    /// The medium of the hosts behind an interface: what is seen through an uplink is not behind the node.
    func mediumBehind(_ interface: MACAddress) -> Medium? {
      media.first { $0.interface == interface && !$0.isUplink }?.medium
    }
  }

  static func parse(_ reader: inout ByteReader) throws(WireFault) -> Header {
    let start = reader.offset
    guard try reader.u8() == 0 else { throw WireFault(.unsupported, at: start) }
    try reader.skip(1)
    let type = try reader.u16()
    let identifier = try reader.u16()
    let fragment = try reader.u8()
    let flags = try reader.u8()
    return Header(
      type: type, identifier: identifier, fragment: fragment, isLastFragment: flags & 0x80 != 0, isRelayed: flags & 0x40 != 0)
  }

  static func observe(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    let header = try parse(&reader)
    let source = frame.station
    // A relaying node may put its own address on the frame.
    var context = Context(node: header.isRelayed ? .zero : source)
    if header.fragment > 0, !isTiled(reader) {
      // Starts inside a TLV: what would be read here is not what was written.
      return
    }
    for _ in 0..<256 {
      if reader.remaining < 3, !reader.isCut, reader.isAtEnd || !header.isLastFragment { return }
      let type = try reader.u8()
      let length = Int(try reader.u16() & 0x3fff)
      if type == TLV.end { return }
      if length > reader.remaining, !reader.isCut, !header.isLastFragment { return }
      if length > reader.remaining, reader.isCut, type != TLV.controlURL {
        var value = reader.takeAvailable(length)
        try observe(type, length, header, source, &value, &context, &out)
        throw reader.short()
      }
      var value = try reader.take(length)
      do throws(WireFault) {
        try observe(type, length, header, source, &value, &context, &out)
      } catch {
        out.tally(error)
      }
    }
  }

  /// Whether the bytes are whole TLVs to the end: nothing that begins in the middle of one would be.
  private static func isTiled(_ reader: borrowing ByteReader) -> Bool {
    let bytes = reader.rest()
    var at = 0
    while at &+ 3 <= bytes.byteCount {
      let type = bytes.u8(at)
      let length = Int(bytes.u16(at &+ 1))
      if type == TLV.end { return length == 0 }
      at &+= 3 &+ (length & 0x3fff)
    }
    return at == bytes.byteCount
  }

  private static func observe(
    _ type: UInt8, _ length: Int, _ header: Header, _ source: MACAddress, _ value: inout ByteReader, _ context: inout Context,
    _ out: inout Observations
  ) throws(WireFault) {
    switch type {
    case TLV.alMAC:
      name(try value.mac(), header, source, "AL MAC", &context, &out)
    case TLV.interfaceMAC:
      let interface = try value.mac()
      if interface.isStation, interface != context.node { out.note(context.node, .isSameBox(as: interface), "interface MAC") }
    case TLV.deviceInformation:
      name(try value.mac(), header, source, "device information", &context, &out)
      try deviceInformation(&value, &context, &out)
    case TLV.bridgingTuples: try bridgingTuples(&value, context, &out)
    case TLV.otherNeighbours: try otherNeighbours(&value, length, context, &out)
    case TLV.neighbours: try neighbours(&value, context, &out)
    case TLV.transmitterMetric: try linkMetric(&value, recordLength: 29, "transmitter link metric", &out)
    case TLV.receiverMetric: try linkMetric(&value, recordLength: 23, "receiver link metric", &out)
    case TLV.genericPHY: try genericPHY(&value, header, source, &context, &out)
    case TLV.deviceIdentification: try deviceIdentification(&value, context, &out)
    case TLV.controlURL:
      let text = value.textToEnd().untilNUL.trimmed
      if !text.isEmpty { out.note(context.node, .has(.location, text), "control URL") }
    case TLV.ipv4: try addresses4(&value, &out)
    case TLV.ipv6: try addresses6(&value, &out)
    case TLV.l2Neighbours: try l2Neighbours(&value, context, &out)
    case TLV.supportedService: try supportedService(&value, context, &out)
    case TLV.operationalBSS: try operationalBSS(&value, context, &out)
    case TLV.associatedClients: try associatedClients(&value, &out)
    case TLV.associationEvent: try associationEvent(&value, &out)
    case TLV.stationMetrics: try stationMetrics(&value, &out)
    case TLV.stationTraffic:
      // Counters of a station that is associated with the sender.
      let station = try value.mac()
      out.note(station, .carries(.wifi, rate: nil), "STA traffic")
    default: return
    }
  }

  /// A TLV names the node. In what a node says of itself the frame's source is the node too.
  static func name(
    _ al: MACAddress, _ header: Header, _ source: MACAddress, _ field: String, _ context: inout Context, _ out: inout Observations
  ) {
    guard al.isStation else { return }
    let isKnown = context.node == al
    context.node = al
    guard !isKnown, !header.isRelayed, source.isStation, source != al else { return }
    guard header.type == MessageType.topologyDiscovery || header.type == MessageType.topologyResponse else { return }
    out.note(al, .isSameBox(as: source), field, grade: .b, kind: .inferred)
  }

  public static let dissector = Dissector("ieee1905", standard: "IEEE 1905.1a; Wi-Fi EasyMesh", keys: [.etherType(.ieee1905)]) {
    (reader, frame, out) throws(WireFault) in
    try observe(&reader, frame, &out)
  }
}

/// Media types of 1905.1 (table 6-12): the high byte is the family.
extension IEEE1905 {
  static func medium(_ type: UInt16) -> Medium? {
    switch type >> 8 {
    case 0: .ethernet
    case 1: .wifi
    case 2: .powerline
    case 3: .moca
    default: nil
    }
  }
}
