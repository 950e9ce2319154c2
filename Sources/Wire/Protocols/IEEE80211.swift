// 802.11 in monitor mode: IEEE 802.11-2020, 9.3 (frames) and 9.4 (elements). The header itself is read by the walk
// (`Headers/Wireless.swift`); its addresses prove who is on which access point without any key.
//
//      0             2        4         10        16        22       24
//      ┌─────────────┬────────┬─────────┬─────────┬─────────┬────────┬────────────┬─────────────┐
//      │frame control│duration│address 1│address 2│address 3│sequence│fixed fields│ elements    │   management frames
//      └─────────────┴────────┴─────────┴─────────┴─────────┴────────┴────────────┴─────────────┘
//
// Probe requests are heard from whoever walks by: nothing of them is noted, least of all the networks they look for.

public enum IEEE80211 {
  /// Management subtypes.
  enum Subtype {
    static let associationRequest: UInt8 = 0
    static let associationResponse: UInt8 = 1
    static let reassociationRequest: UInt8 = 2
    static let reassociationResponse: UInt8 = 3
    static let probeResponse: UInt8 = 5
    static let beacon: UInt8 = 8
    static let disassociation: UInt8 = 10
    static let deauthentication: UInt8 = 12
  }

  /// What the addresses of a data frame prove: who is a station of which BSS (9.3.2.1).
  static func observeAddresses(_ frame: borrowing FrameSummary, _ out: inout Observations) {
    guard frame.wireless.type == 2, frame.flags.isDisjoint(with: .badFCS), frame.flags.contains(.hasSource) else { return }
    let bssid = frame.wireless.bssid
    switch (frame.wireless.toDS, frame.wireless.fromDS) {
    case (true, false):
      guard bssid.isStation, frame.source != bssid else { return }
      out.note(frame.source, .isStation(of: bssid, signal: signal(frame)), "address 2", kind: .measured)
    case (false, true):
      guard bssid.isStation, frame.destination != bssid else { return }
      out.note(frame.destination, .isStation(of: bssid, signal: nil), "address 1", kind: .measured)
    case (true, true):
      // Between two bridges: a wireless distribution system or a mesh.
      let receiver = frame.wireless.receiver
      guard receiver.isStation else { return }
      out.note(
        frame.wireless.transmitter, .neighbours(receiver, over: .wifi, direct: true, rate: nil), "address 2", kind: .measured)
    case (false, false): return
    }
  }

  private static func signal(_ frame: borrowing FrameSummary) -> Int8? {
    let signal = frame.wireless.signal
    return signal == 0 ? nil : signal
  }

  /// A management frame, from its header.
  static func observe(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    let start = reader.offset
    let control = try reader.u8()
    let flags = try reader.u8()
    guard control & 0x0f == 0 else { throw WireFault(.unsupported, at: start) }
    // HT control stands behind the header of a management frame with the order bit.
    try reader.skip(flags & 0x80 != 0 ? 26 : 22)
    let bssid = frame.wireless.bssid
    guard bssid.isStation, flags & 3 == 0 else { return }
    switch control >> 4 {
    case Subtype.beacon, Subtype.probeResponse:
      guard frame.source == bssid else { return }
      try beacon(&reader, frame, &out)
    case Subtype.associationRequest, Subtype.reassociationRequest:
      guard frame.destination == bssid, frame.source != bssid else { return }
      try reader.skip(control >> 4 == Subtype.associationRequest ? 4 : 10)
      // Not granted yet.
      out.note(frame.source, .isStation(of: bssid, signal: signal(frame)), "association request", grade: .b, kind: .measured)
      try associationElements(bssid, &reader, frame, &out)
    case Subtype.associationResponse, Subtype.reassociationResponse:
      guard frame.source == bssid, frame.destination != bssid else { return }
      try reader.skip(2)
      guard try reader.u16LE() == 0 else { return }
      out.note(frame.destination, .isStation(of: bssid, signal: nil), "association response", kind: .measured)
    case Subtype.disassociation, Subtype.deauthentication:
      // Anybody may forge one; a protected one has an unreadable reason, and is meant all the same.
      let (source, destination) = (frame.source, frame.destination)
      let leaver = source == bssid ? destination : source
      guard source == bssid || destination == bssid, leaver != bssid else { return }
      out.note(
        leaver, .leavesStation(bssid), control >> 4 == Subtype.disassociation ? "disassociation" : "deauthentication", grade: .b,
        kind: .measured)
    default: return
    }
  }

  public static let dissector = Dissector("802.11", standard: "IEEE 802.11-2020", keys: [.wireless(0)]) {
    (reader, frame, out) throws(WireFault) in
    try observe(&reader, frame, &out)
  }
}
