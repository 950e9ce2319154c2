// Internet Group Management Protocol: RFC 1112 (version 1), 2236 (2), 3376 (3), 4541 (snooping switches).
//
//      0      1              2          4       6         8
//      ┌──────┬──────────────┬──────────┬─────────────────┐
//      │ type │ max response │ checksum │ group           │    11 query, 12 and 16 report, 17 leave
//      ├──────┼──────────────┼──────────┼───────┬─────────┼──────────────────────────────────────────────────────────┐
//      │  22  │      0       │ checksum │   0   │ records │ record: type 1, aux 1, sources 2, group 4, sources, aux  │
//      └──────┴──────────────┴──────────┴───────┴─────────┴──────────────────────────────────────────────────────────┘

public enum IGMP {
  static let query: UInt8 = 0x11
  static let report1: UInt8 = 0x12
  static let report2: UInt8 = 0x16
  static let leave: UInt8 = 0x17
  static let report3: UInt8 = 0x22

  /// What a record of version 3 (and of MLD 2, which numbers them alike) does to its group.
  enum Change {
    case joins, leaves, nothing

    init(recordType: UInt8, sources: Int) {
      switch recordType {
      case 2, 4: self = .joins
      // "Include nothing" is how a group is left.
      case 3: self = sources > 0 ? .joins : .leaves
      case 1, 5: self = sources > 0 ? .joins : .nothing
      default: self = .nothing
      }
    }
  }

  /// A message of more groups is one that floods.
  static let recordLimit = 256

  static func observe(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    let start = reader.offset
    let type = try reader.u8()
    try reader.skip(3)
    guard frame.sourceAddress.isIPv4 else { throw WireFault(.malformed, at: start) }
    switch type {
    case query:
      // Also from 0.0.0.0: a switch that asks in place of a router. Its source address may be anything its owner wrote there.
      out.note(frame.station, .queriesGroups, "type")
    case report1, report2, leave:
      let group = IPAddress(try reader.ipv4())
      guard group.isMulticast else { return }
      noteSender(frame, &out)
      out.note(frame.station, type == leave ? .leaves(group) : .joins(group), "group address")
    case report3:
      try reader.skip(2)
      let count = Int(try reader.u16())
      noteSender(frame, &out)
      for _ in 0..<min(count, recordLimit) {
        let recordType = try reader.u8()
        let aux = Int(try reader.u8()) * 4
        let sources = Int(try reader.u16())
        let group = IPAddress(try reader.ipv4())
        if group.isMulticast {
          switch Change(recordType: recordType, sources: sources) {
          case .joins: out.note(frame.station, .joins(group), "group record")
          case .leaves: out.note(frame.station, .leaves(group), "group record")
          case .nothing: break
          }
        }
        try reader.skip(sources * 4 + aux)
      }
    default: return
    }
  }

  /// A report never leaves its link (hop limit 1): its source address is its sender's.
  private static func noteSender(_ frame: borrowing FrameSummary, _ out: inout Observations) {
    guard frame.hopLimit == 1, frame.sourceAddress.isHost else { return }
    out.note(frame.station, .holds(frame.sourceAddress, .request), "source address", grade: .b)
  }

  public static let dissector = Dissector("igmp", standard: "RFC 1112, 2236, 3376, 4541", keys: [.ipProtocol(.igmp)]) {
    (reader, frame, out) throws(WireFault) in
    try observe(&reader, frame, &out)
  }
}
