// The Hello of LLTD: what a device says of itself. TLV types and values: Windows Rally LLTD specification 1.0.9, "Station TLVs".
//
// A TLV of length 0 is one that has to be fetched by itself, being too large for a Hello.

extension LLTD {
  /// TLV types.
  enum TLV {
    static let end: UInt8 = 0x00
    static let hostID: UInt8 = 0x01
    static let characteristics: UInt8 = 0x02
    static let physicalMedium: UInt8 = 0x03
    static let wirelessMode: UInt8 = 0x04
    static let bssid: UInt8 = 0x05
    static let ssid: UInt8 = 0x06
    static let ipv4: UInt8 = 0x07
    static let ipv6: UInt8 = 0x08
    static let maximumRate: UInt8 = 0x09
    static let linkSpeed: UInt8 = 0x0c
    static let rssi: UInt8 = 0x0d
    static let machineName: UInt8 = 0x0f
    static let supportInformation: UInt8 = 0x10
    static let friendlyName: UInt8 = 0x11
    static let uuid: UInt8 = 0x12
    static let hardwareID: UInt8 = 0x13
    static let associationTable: UInt8 = 0x16
    static let componentTable: UInt8 = 0x1a
    static let repeaterLineage: UInt8 = 0x1b
    static let repeaterTable: UInt8 = 0x1c
  }

  /// What several TLVs say together: noted when the list has been read, or as far as it could be. Of a repeated one the first that says
  /// something counts, so that none behind it unsays it.
  private struct Link {
    var medium: Medium?
    var maximumRate: Rate?
    var linkSpeed: Rate?
    var isAdHoc: Bool?
    var bssid = MACAddress.zero
    var signal: Int8?
    var ssid: WireText?
  }

  static func hello(_ source: MACAddress, _ reader: inout ByteReader, _ out: inout Observations) throws(WireFault) {
    try reader.skip(2)
    let mapper = try reader.mac()
    let apparent = try reader.mac()
    if mapper.isStation, apparent.isStation, mapper != apparent {
      // The mapper's frames reach this responder under another address: a translating bridge between the two.
      out.note(apparent, .speaksFor(mapper), "apparent mapper", grade: .b, kind: .inferred)
    }
    var link = Link()
    var fault: WireFault?
    do throws(WireFault) {
      try tlvs(source, &reader, &link, &out)
    } catch {
      fault = error
    }
    // The link speed stands behind the maximum rate: where the list ended early, nobody knows which of the two would have counted.
    if fault != nil { link.maximumRate = nil }
    note(link, source, &out)
    if let fault { throw fault }
  }

  private static func tlvs(
    _ source: MACAddress, _ reader: inout ByteReader, _ link: inout Link, _ out: inout Observations
  ) throws(WireFault) {
    for _ in 0..<256 {
      let type = try reader.u8()
      if type == TLV.end { return }
      let length = Int(try reader.u8())
      var value = try reader.take(length)
      if length == 0 { continue }
      do throws(WireFault) {
        try tlv(type, source, &value, &link, &out)
      } catch {
        out.tally(error)
      }
    }
  }

  private static func tlv(
    _ type: UInt8, _ source: MACAddress, _ value: inout ByteReader, _ link: inout Link, _ out: inout Observations
  ) throws(WireFault) {
    switch type {
    case TLV.hostID:
      let host = try value.mac()
      if host.isStation, host != source { out.note(source, .isSameBox(as: host), "host id") }
    case TLV.characteristics: try characteristics(source, &value, &out)
    case TLV.physicalMedium where link.medium == nil: link.medium = medium(try value.u32())
    case TLV.wirelessMode where link.isAdHoc == nil: link.isAdHoc = try value.u8() == 0
    case TLV.bssid where link.bssid.isZero: link.bssid = try value.mac()
    case TLV.ssid where link.ssid == nil: link.ssid = value.remaining <= 32 ? value.textToEnd() : nil
    case TLV.ipv4: noteAddress(IPAddress(try value.ipv4()), source, "IPv4 address", &out)
    case TLV.ipv6: noteAddress(IPAddress(try value.ipv6()), source, "IPv6 address", &out)
    case TLV.maximumRate where link.maximumRate == nil: link.maximumRate = halfMegabits(try value.u16())
    case TLV.linkSpeed where link.linkSpeed == nil:
      let hundreds = Int(try value.u32())
      link.linkSpeed = hundreds > 0 ? Rate(bitsPerSecond: hundreds * 100) : nil
    case TLV.rssi where link.signal == nil:
      let signal = Int32(bitPattern: try value.u32())
      link.signal = signal < 0 && signal >= -128 ? Int8(signal) : nil
    case TLV.machineName: noteText(value, source, "machine name", &out) { .isNamed($0, .host) }
    case TLV.supportInformation: noteText(value, source, "support information", &out) { .has(.comment, $0) }
    case TLV.friendlyName: noteText(value, source, "friendly name", &out) { .isNamed($0, .friendly) }
    case TLV.hardwareID: noteText(value, source, "hardware id", &out) { .has(.hardware, $0) }
    case TLV.uuid: if let text = try value.uuid() { out.note(source, .has(.uuid, text), "UUID") }
    case TLV.associationTable: try associationTable(source, &value, &out)
    case TLV.componentTable: try componentTable(source, &value, &out)
    case TLV.repeaterLineage:
      // The access points between a repeater and the wire.
      for _ in 0..<6 where value.remaining >= 6 {
        let other = try value.mac()
        guard other.isStation, other != source else { continue }
        out.note(source, .neighbours(other, over: .wifi, direct: nil, rate: nil), "repeater AP lineage", grade: .b)
      }
    default: return
    }
  }

  /// 80000000 the public side of a NAT, 40000000 its private side. One old document gives the field two bytes.
  private static func characteristics(
    _ source: MACAddress, _ value: inout ByteReader, _ out: inout Observations
  ) throws(WireFault) {
    guard try value.u8() & 0xc0 != 0 else { return }
    out.note(source, .translatesAddresses, "characteristics")
    out.note(source, .playsRole(.router), "characteristics")
  }

  /// IANA interface types.
  static func medium(_ type: UInt32) -> Medium? {
    switch type {
    case 6, 62, 69, 117: .ethernet
    case 71: .wifi
    case 138, 174: .powerline
    case 236: .moca
    case 127, 128, 129: .coax
    default: nil
    }
  }

  private static func noteAddress(_ address: IPAddress, _ source: MACAddress, _ field: String, _ out: inout Observations) {
    if address.isHost { out.note(source, .holds(address, .statement), field) }
  }

  private static func noteText(
    _ value: borrowing ByteReader, _ source: MACAddress, _ field: String, _ out: inout Observations,
    claim: (WireText) -> Observation.Claim
  ) {
    let text = WireText(utf16LE: value.rest()).trimmed
    if !text.isEmpty { out.note(source, claim(text), field) }
  }

  private static func note(_ link: Link, _ source: MACAddress, _ out: inout Observations) {
    if let medium = link.medium {
      out.note(source, .carries(medium, rate: link.linkSpeed ?? link.maximumRate), "physical medium")
    }
    // An access point names the cell it runs itself; the cell of ad hoc mode has no device behind its address.
    guard link.bssid.isStation, link.isAdHoc != true, link.bssid != source, link.medium == nil || link.medium == .wifi else { return }
    out.note(source, .isStation(of: link.bssid, signal: link.signal), "BSSID")
    if let ssid = link.ssid, !ssid.isEmpty {
      out.note(link.bssid, .runsBSS(link.bssid, ssid: ssid), "SSID", grade: .b)
    }
  }
}
