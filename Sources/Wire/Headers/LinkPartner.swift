extension FrameSummary {
  /// Whether no bridge that conforms forwards this frame: sent to one of the sixteen reserved groups (IEEE 802.1Q-2018, table 8-1) over
  /// a cable. What a radio delivers has passed its access point, which may or may not be such a bridge.
  var isForNextBridge: Bool {
    destination.bits >> 4 == 0x0180_c200_000 && !flags.contains(.isWireless)
  }
}

extension Observations {
  /// Notes the sender of a frame that does not pass bridges.
  mutating func noteLinkPartner(_ frame: borrowing FrameSummary) {
    guard frame.isForNextBridge else { return }
    note(frame.station, .isLinkPartner, "destination address", grade: .b, kind: .inferred)
  }
}
