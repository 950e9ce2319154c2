// Port access control: IEEE 802.1X-2020 clause 11; EAP: RFC 3748; key frames: IEEE 802.11-2020, 12.7.2.
//
//      0       1    2      4                       EAP at 4:  code, identifier, length 2 …
//      ┌───────┬────┬──────┬────────────────┐      key at 4:  descriptor type, key information 2 …
//      │version│type│length│ body …         │
//      └───────┴────┴──────┴────────────────┘
//
// The user's identity in EAP is not read. Key frames are spoken only between an access point and its station: on a cable they are the
// end of the radio link itself (a capture of that station or access point), or a bridge let them through.

public enum EAPOL {
  static let supplicant = WireText("asks for port access (802.1X)")
  static let authenticator = WireText("grants port access (802.1X)")

  static func observe(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    let source = frame.station
    try reader.skip(1)
    let type = try reader.u8()
    let length = Int(try reader.u16())
    switch type {
    case 0:
      var body = reader.takeAvailable(length)
      switch try body.u8() {
      case 1, 3, 4: out.note(source, .has(.comment, authenticator), "EAP code")
      case 2: out.note(source, .has(.comment, supplicant), "EAP code")
      default: break
      }
    case 1, 2: out.note(source, .has(.comment, supplicant), "packet type")
    case 3:
      var body = reader.takeAvailable(length)
      // RSN, and WPA before it; the older RC4 descriptor is of wired 802.1X too.
      let descriptor = try body.u8()
      guard descriptor == 2 || descriptor == 254 else { return }
      try observeKey(try body.u16(), frame, &out)
    default: break
    }
  }

  private static func observeKey(_ information: UInt16, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    let field = "key information"
    // Request and the handshake between two stations go other ways.
    guard information & 0x2800 == 0 else { return }
    let source = frame.station
    let destination = frame.destination
    // Only the access point asks for an acknowledgement.
    let asks = information & 0x0080 != 0
    if asks { out.note(source, .playsRole(.accessPoint), field, grade: .b, kind: .inferred) }
    // The radio's own header says it better.
    if frame.has(.isWireless) { return }
    let station = asks ? destination : source
    let access = asks ? source : destination
    guard station.isStation, access.isStation else { return }
    out.note(station, .isStation(of: access, signal: nil), field, grade: .b, kind: .inferred)
  }

  public static let dissector = Dissector("eapol", standard: "IEEE 802.1X-2020, 802.11-2020 12.7.2", keys: [.etherType(.eapol)]) {
    (reader, frame, out) throws(WireFault) in
    try observe(&reader, frame, &out)
  }
}
