// Elements of 802.11 management frames (IEEE 802.11-2020, 9.4.2) and the attributes of Wi-Fi Protected Setup inside one of them
// (Wi-Fi Simple Configuration 2.0, 12).
//
//      ┌──────┬────────┬────────────┬───            ┌────────┬──────────┬─────────┬───
//      │ id 1 │length 1│ value      │ …       WPS:  │ type 2 │ length 2 │ value   │ …
//      └──────┴────────┴────────────┴───            └────────┴──────────┴─────────┴───

extension IEEE80211 {
  enum Element {
    static let ssid: UInt8 = 0
    static let channel: UInt8 = 3
    static let htOperation: UInt8 = 61
    static let multipleBSSID: UInt8 = 71
    static let nontransmittedCapability: UInt8 = 83
    static let multipleBSSIDIndex: UInt8 = 85
    static let vendor: UInt8 = 221
    /// Wi-Fi Protected Setup: OUI and type at the head of a vendor element.
    static let protectedSetup: UInt32 = 0x0050_f204
  }

  /// Guest networks are open; so are those that nobody locked.
  static let openNetwork = WireText("open network")

  /// The head of the next element; nil behind the last one.
  private static func nextElement(
    _ reader: inout ByteReader, mayHaveFCS: Bool
  ) throws(WireFault) -> (id: UInt8, length: Int)? {
    if !reader.isCut {
      // Only radiotap and PPI say whether a check sum follows. Elsewhere the last four bytes may be one, and no element that
      // matters here is so short.
      if reader.isAtEnd || (mayHaveFCS && reader.remaining <= 4) { return nil }
    }
    let id = try reader.u8()
    return (id, Int(try reader.u8()))
  }

  /// Beacon and probe response: timestamp 8, interval 2, capabilities 2 (1 ESS, 2 IBSS, 10 privacy), elements.
  static func beacon(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    let bssid = frame.wireless.bssid
    try reader.skip(10)
    let capabilities = try reader.u16LE()
    // Ad hoc cells and meshes have no access point.
    guard capabilities & 1 != 0 else { return }
    out.note(bssid, .playsRole(.accessPoint), "capabilities", kind: .measured)
    if capabilities & 0x10 == 0 { out.note(bssid, .has(.comment, openNetwork), "capabilities", kind: .measured) }
    var cell = Cell()
    var fault: WireFault?
    do throws(WireFault) {
      try beaconElements(bssid, &reader, mayHaveFCS: mayHaveFCS(frame), &cell, &out)
    } catch {
      fault = error
    }
    let isComplete = fault?.reason != .cutByCapture
    if !cell.hasSSID, isComplete { out.note(bssid, .runsBSS(bssid, ssid: nil), "BSSID", kind: .measured) }
    let heard = isComplete ? Int(frame.wireless.frequency) : 0
    if let megahertz = frequency(cell.channel) ?? (heard > 0 ? heard : nil) {
      out.note(bssid, .channel(megahertz), "channel", kind: .measured)
    }
    if let fault { throw fault }
  }

  private struct Cell {
    var hasSSID = false
    /// Its number; 0 not said.
    var channel = 0
  }

  private static func beaconElements(
    _ bssid: MACAddress, _ reader: inout ByteReader, mayHaveFCS: Bool, _ cell: inout Cell, _ out: inout Observations
  ) throws(WireFault) {
    for _ in 0..<256 {
      guard let (id, length) = try nextElement(&reader, mayHaveFCS: mayHaveFCS) else { return }
      var element = try reader.take(length)
      switch id {
      case Element.ssid where !cell.hasSSID:
        cell.hasSSID = true
        out.note(bssid, .runsBSS(bssid, ssid: ssid(element)), "SSID", kind: .measured)
      case Element.channel where cell.channel == 0 && length >= 1: cell.channel = Int(try element.u8())
      // 5 GHz has no parameter set of its own; the primary channel stands here.
      case Element.htOperation where cell.channel == 0 && length >= 1: cell.channel = Int(try element.u8())
      case Element.multipleBSSID:
        do throws(WireFault) {
          try nontransmitted(bssid, &element, &out)
        } catch {
          out.tally(error)
        }
      case Element.vendor where length > 4:
        guard try element.u32() == Element.protectedSetup else { continue }
        do throws(WireFault) {
          try protectedSetup(bssid, &element, &out)
        } catch {
          out.tally(error)
        }
      default: continue
      }
    }
  }

  /// Networks of the same radio that have no beacon of their own (9.4.2.45): how many low bits of the BSSID they differ in 1, then
  /// subelements, of which 0 is the profile of one network.
  private static func nontransmitted(
    _ bssid: MACAddress, _ element: inout ByteReader, _ out: inout Observations
  ) throws(WireFault) {
    let place = element.offset
    let indicator = try element.u8()
    guard (1...8).contains(indicator) else { throw WireFault(.malformed, at: place) }
    for _ in 0..<64 where !element.isAtEnd {
      let id = try element.u8()
      var profile = try element.take(Int(try element.u8()))
      guard id == 0 else { continue }
      do throws(WireFault) {
        try Self.profile(bssid, indicator, &profile, &out)
      } catch {
        out.tally(error)
      }
    }
  }

  /// A profile begins with the network's capabilities, else it is the rest of one that began in the element before; its name and its
  /// place in the set are in the first part, since nothing but the capabilities stands before them (9.4.2.45).
  private static func profile(
    _ bssid: MACAddress, _ indicator: UInt8, _ profile: inout ByteReader, _ out: inout Observations
  ) throws(WireFault) {
    guard profile.peek() == Element.nontransmittedCapability else { return }
    var name: WireText?
    for _ in 0..<64 where !profile.isAtEnd {
      let id = try profile.u8()
      var value = try profile.take(Int(try profile.u8()))
      switch id {
      case Element.ssid: name = ssid(value)
      case Element.multipleBSSIDIndex:
        let index = try value.u8()
        // 0 would be the network that has the beacon; more than the set holds is nobody.
        guard index > 0, UInt(index) < 1 << UInt(indicator) else { throw WireFault(.malformed, at: value.offset - 1) }
        let other = derived(bssid, index, bits: indicator)
        if other.isStation { out.note(bssid, .runsBSS(other, ssid: name), "nontransmitted BSSID profile", kind: .measured) }
        return
      default: continue
      }
    }
  }

  /// The BSSID at a place of the set: the last bits count on from the transmitted one's, and wrap.
  static func derived(_ bssid: MACAddress, _ index: UInt8, bits: UInt8) -> MACAddress {
    let mask: UInt64 = (1 << UInt64(min(bits, 8))) &- 1
    return MACAddress(bits: bssid.bits & ~mask | (bssid.bits &+ UInt64(index)) & mask)
  }

  /// An association request names a network that hides its name in beacons.
  static func associationElements(
    _ bssid: MACAddress, _ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations
  ) throws(WireFault) {
    let mayHaveFCS = mayHaveFCS(frame)
    for _ in 0..<256 {
      guard let (id, length) = try nextElement(&reader, mayHaveFCS: mayHaveFCS) else { return }
      let element = try reader.take(length)
      guard id == Element.ssid else { continue }
      if let name = ssid(element) { out.note(bssid, .runsBSS(bssid, ssid: name), "SSID", grade: .b, kind: .measured) }
      return
    }
  }

  private static func mayHaveFCS(_ frame: borrowing FrameSummary) -> Bool {
    let link = frame.link
    return link != .radiotap && link != .ppi
  }

  /// nil where the network hides its name (empty, or all zero), or the name is longer than one can be.
  static func ssid(_ element: borrowing ByteReader) -> WireText? {
    let bytes = element.rest()
    guard bytes.byteCount > 0, bytes.byteCount <= 32 else { return nil }
    for at in 0..<bytes.byteCount where bytes.u8(at) != 0 { return WireText(bytes) }
    return nil
  }

  /// MHz of a channel number of 2.4 and 5 GHz. The numbers of 6 GHz overlap, and stand elsewhere.
  static func frequency(_ channel: Int) -> Int? {
    switch channel {
    case 1...13: 2407 + 5 * channel
    case 14: 2484
    case 36...177: 5000 + 5 * channel
    default: nil
    }
  }

  /// WPS attributes of an access point that offers to be set up.
  private static func protectedSetup(
    _ bssid: MACAddress, _ element: inout ByteReader, _ out: inout Observations
  ) throws(WireFault) {
    for _ in 0..<64 where !element.isAtEnd {
      let type = try element.u16()
      let length = Int(try element.u16())
      var value = try element.take(length)
      switch type {
      case 0x1047 where length == 16: if let text = try value.uuid() { out.note(bssid, .has(.uuid, text), "WPS UUID-E") }
      case 0x1011: noteText(value, bssid, "WPS device name", &out) { .isNamed($0, .friendly) }
      case 0x1021: noteText(value, bssid, "WPS manufacturer", &out) { .has(.manufacturer, $0) }
      case 0x1023: noteText(value, bssid, "WPS model name", &out) { .has(.model, $0) }
      default: continue
      }
    }
  }

  private static func noteText(
    _ value: borrowing ByteReader, _ bssid: MACAddress, _ field: String, _ out: inout Observations,
    claim: (WireText) -> Observation.Claim
  ) {
    let text = WireText(value.rest()).untilNUL.trimmed
    if !text.isEmpty { out.note(bssid, claim(text), field, kind: .declared) }
  }
}
