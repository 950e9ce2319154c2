// Multicast Listener Discovery: RFC 2710 (version 1), 3810 (2). IGMP's kin in ICMPv6, behind a hop-by-hop header with a router alert.
//
//      0      1      2          4              6         8
//      ┌──────┬──────┬──────────┬──────────────┬─────────┬───────┐
//      │ type │ code │ checksum │ max response │    0    │ group │    130 query, 131 report, 132 done
//      ├──────┼──────┼──────────┼──────────────┼─────────┼───────┴──────────────────────────────────────────────────┐
//      │ 143  │  0   │ checksum │      0       │ records │ record: type 1, aux 1, sources 2, group 16, sources, aux │
//      └──────┴──────┴──────────┴──────────────┴─────────┴──────────────────────────────────────────────────────────┘

public enum MLD {
  static let query: UInt8 = 130
  static let report1: UInt8 = 131
  static let done: UInt8 = 132
  static let report2: UInt8 = 143

  static func observe(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    // RFC 3810, 5: from a link-local address (or, in a report before there is one, from none) and with hop limit 1.
    let source = frame.sourceAddress
    let type = frame.icmpType
    let isFromNobody = source.isNone && type != query
    guard frame.hopLimit == 1, source.isIPv6, source.isLinkLocal || isFromNobody else {
      throw WireFault(.malformed, at: reader.offset)
    }
    try reader.skip(4)
    if !isFromNobody {
      out.note(frame.station, .holds(source, .request), "source address", grade: .b)
    }
    switch type {
    case query:
      try reader.skip(20)
      out.note(frame.station, .queriesGroups, "type")
    case report1, done:
      try reader.skip(4)
      let group = IPAddress(try reader.ipv6())
      guard group.isIPv6, group.isMulticast else { return }
      out.note(frame.station, type == done ? .leaves(group) : .joins(group), "multicast address")
    case report2:
      try reader.skip(2)
      let count = Int(try reader.u16())
      for _ in 0..<min(count, IGMP.recordLimit) {
        let recordType = try reader.u8()
        let aux = Int(try reader.u8()) * 4
        let sources = Int(try reader.u16())
        let group = IPAddress(try reader.ipv6())
        if group.isIPv6, group.isMulticast {
          switch IGMP.Change(recordType: recordType, sources: sources) {
          case .joins: out.note(frame.station, .joins(group), "multicast address record")
          case .leaves: out.note(frame.station, .leaves(group), "multicast address record")
          case .nothing: break
          }
        }
        try reader.skip(sources * 16 + aux)
      }
    default: return
    }
  }

  public static let dissector = Dissector(
    "mld", standard: "RFC 2710, 3810", keys: [.icmpv6(query), .icmpv6(report1), .icmpv6(done), .icmpv6(report2)]
  ) { (reader, frame, out) throws(WireFault) in
    try observe(&reader, frame, &out)
  }
}
