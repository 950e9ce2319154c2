/// Who an announcement over UDP is about. Its frame's source is the announcing box only on that box's own wire, and only when nobody
/// translates hardware addresses between.
struct Announcer {
  private let source: MACAddress
  /// The station that the message's statements are about: the source until the message states an address of its own.
  private(set) var station: MACAddress

  /// Nil when a router carried the packet here: then the source is the router, and nothing of the message is about it.
  init?(_ frame: borrowing FrameSummary) {
    guard frame.isUnrouted else { return nil }
    source = frame.station
    station = source
  }

  /// The message names `address` as the sender's own.
  ///
  /// Addresses of one box are allotted in a run, so one of the same maker is another interface of the sender. One of another maker belongs
  /// to a device behind a bridge that puts its own address on what it forwards (a repeater): then the message is about that device.
  mutating func states(_ address: MACAddress, _ field: String, _ out: inout Observations) {
    guard address != source, address.isStation, source.isStation else { return }
    // Radios derive their other addresses by setting the local bit, and may count on in the bits above it.
    let mask: UInt32 = address.isLocal || source.isLocal ? 0x00_ffff : 0xff_ffff
    if (address.oui ^ source.oui) & mask == 0 {
      out.note(source, .isSameBox(as: address), field, grade: .b)
    } else if station == source {
      out.note(source, .speaksFor(address), field, grade: .b, kind: .inferred)
      station = address
    }
  }
}

extension FrameSummary {
  /// Whether an IP packet comes straight from the station that framed it: sent to a group, from a link-local address, or with a hop limit
  /// that systems start with and no router has lowered.
  var isUnrouted: Bool {
    if isGroupDestination || destinationAddress.isMulticast || sourceAddress.isLinkLocal { return true }
    switch hopLimit {
    case 1, 32, 64, 128, 255: return true
    default: return false
    }
  }
}
