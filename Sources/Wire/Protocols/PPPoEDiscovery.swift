// PPP over Ethernet, discovery: RFC 2516; vendor tag of access nodes: Broadband Forum TR-101, 3.9.2.
//
//      0         1      2         4        6
//      ┌─────────┬──────┬─────────┬────────┬──────────────────────────────┐
//      │ ver,type│ code │ session │ length │ tags: type 2, length 2, value│
//      └─────────┴──────┴─────────┴────────┴──────────────────────────────┘
//
// Whoever dials here reaches an access concentrator through a bridge: the modem on the way is not a router.

public enum PPPoEDiscovery {
  static let initiation: UInt8 = 0x09  // PADI
  static let offer: UInt8 = 0x07  // PADO
  static let request: UInt8 = 0x19  // PADR
  static let confirmation: UInt8 = 0x65  // PADS

  static func observe(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    let start = reader.offset
    guard try reader.u8() == 0x11 else { throw WireFault(.unsupported, at: start) }
    let code = try reader.u8()
    let session = try reader.u16()
    let length = Int(try reader.u16())
    switch code {
    case initiation, request: out.note(frame.station, .dialsPPPoE, code == initiation ? "PADI" : "PADR", grade: .b)
    case offer, confirmation: break
    // A session's end (PADT) may come from either side and tells nothing new.
    default: return
    }
    if length > reader.remaining { out.tally(reader.short()) }
    var tags = reader.takeAvailable(length)
    readTags(&tags, code, session, frame, &out)
  }

  private static func readTags(
    _ tags: inout ByteReader, _ code: UInt8, _ session: UInt16, _ frame: borrowing FrameSummary, _ out: inout Observations
  ) {
    var name: WireText?
    var failed = false
    var turns = 0
    var isComplete = !tags.isCut
    do throws(WireFault) {
      while tags.remaining >= 4, turns < 64 {
        turns += 1
        let type = try tags.u16()
        var value = try tags.take(Int(try tags.u16()))
        switch type {
        case 0x0000: turns = 64  // end of list
        case 0x0102: if name == nil { name = value.textToEnd().untilNUL.trimmed }
        case 0x0105: if code == initiation || code == request { noteLine(&value, frame, &out) }
        case 0x0201...0x0203: failed = true
        default: continue
        }
      }
    } catch {
      // The name may stand before what is bad.
      isComplete = false
      out.tally(error)
    }
    guard code == offer || code == confirmation else { return }
    if let name, !name.isEmpty {
      out.note(frame.station, .answersPPPoE(name), "AC-Name")
    } else if code == confirmation, session != 0, !failed, isComplete {
      // The name may be left out here; that it answers remains.
      out.note(frame.station, .answersPPPoE(WireText([UInt8]())), "PADS")
    }
  }

  /// What an access node adds about the subscriber's line: enterprise 4 (3561), then type 1, length 1, value.
  private static func noteLine(_ value: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) {
    do throws(WireFault) {
      guard try value.u32() == DHCPv4Vendor.broadbandForum else { return }
      var circuit: WireText?
      var remote: WireText?
      while !value.isAtEnd {
        let type = try value.u8()
        let text = try value.text(Int(try value.u8()))
        if text.isEmpty { continue }
        if type == 1, circuit == nil { circuit = text }
        if type == 2, remote == nil { remote = text }
      }
      guard circuit != nil || remote != nil else { return }
      out.note(frame.station, .relayAgent(circuit: circuit, remote: remote), "vendor-specific tag")
    } catch {
      out.tally(error)
    }
  }

  public static let dissector = Dissector("pppoe", standard: "RFC 2516, TR-101", keys: [.etherType(.pppoeDiscovery)]) {
    (reader, frame, out) throws(WireFault) in
    try observe(&reader, frame, &out)
  }
}
