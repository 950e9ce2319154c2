// What makers and operators put into DHCP: options 43, 124 and 125.
//
//      43 of cable and set-top boxes (CableLabs CL-SP-CANN-DHCP-Reg): code 1, length 1, value, repeated
//      124 (RFC 3925): enterprise 4, length 1, class, repeated
//      125 (RFC 3925): enterprise 4, length 1, { code 1, length 1, value }, repeated

enum DHCPv4Vendor {
  /// Broadband Forum.
  static let broadbandForum: UInt32 = 3561

  /// Option 124: further vendor classes, each in the name of an enterprise.
  static func noteClasses(_ client: MACAddress, _ options: borrowing DHCPv4.Options, _ out: inout Observations) {
    guard let slot = options.slot(124) else { return }
    var reader = options.reader(slot)
    do throws(WireFault) {
      while reader.remaining > 4 {
        try reader.skip(4)
        let text = try reader.text(Int(try reader.u8())).trimmed
        if !text.isEmpty { out.note(client, .has(.vendorClass, text), "option 124", grade: .b) }
      }
    } catch {
      out.tally(error)
    }
  }

  /// Option 43 of cable equipment. Its meaning depends on option 60, so it is read only where that, or the device type in it, says
  /// that CableLabs' numbers are meant; to others 43 is anything.
  static func noteCable(_ client: MACAddress, _ options: borrowing DHCPv4.Options, _ out: inout Observations) {
    guard let slot = options.slot(43) else { return }
    var isCable = isCableClass(options)
    // Two passes: the device type decides whether any of it is ours to read.
    if !isCable {
      var reader = options.reader(slot)
      isCable = deviceType(&reader) != nil
    }
    guard isCable else { return }
    var reader = options.reader(slot)
    do throws(WireFault) {
      while !reader.isAtEnd {
        let code = try reader.u8()
        if code == 0 { continue }
        if code == 255 { break }
        var value = try reader.take(Int(try reader.u8()))
        note(client, code, &value, &out)
      }
    } catch {
      out.tally(error)
    }
  }

  private static func note(_ client: MACAddress, _ code: UInt8, _ value: inout ByteReader, _ out: inout Observations) {
    switch code {
    case 2:
      let type = value.textToEnd().untilNUL.trimmed
      guard !type.isEmpty else { return }
      out.note(client, .has(.vendorClass, type), "option 43.2")
      if let role = role(type) { out.note(client, .playsRole(role), "option 43.2") }
    case 3: note(client, .vendorClass, &value, "option 43.3", &out)
    case 5: note(client, .hardware, &value, "option 43.5", &out)
    case 6: note(client, .software, &value, "option 43.6", &out)
    case 9: note(client, .model, &value, "option 43.9", &out)
    case 10: note(client, .manufacturer, &value, "option 43.10", &out)
    case 31:
      // The telephone adapter in the same box.
      guard value.remaining == 6, let mac = try? value.mac(), mac.isStation, mac != client else { return }
      out.note(client, .isSameBox(as: mac), "option 43.31")
    default: return
    }
  }

  private static func note(
    _ client: MACAddress, _ trait: Trait, _ value: inout ByteReader, _ field: String, _ out: inout Observations
  ) {
    let text = value.textToEnd().untilNUL.trimmed
    if !text.isEmpty { out.note(client, .has(trait, text), field) }
  }

  private static func isCableClass(_ options: borrowing DHCPv4.Options) -> Bool {
    guard let slot = options.slot(60), slot.length >= 4 else { return false }
    switch options.bytes.u32(slot.start) {
    case 0x646f_6373, 0x706b_7463, 0x4361_626c, 0x4f70_656e: return true  // "docs", "pktc", "Cabl", "Open"
    default: return false
    }
  }

  /// The first sub-option 2, when it is one of the registered device types.
  private static func deviceType(_ reader: inout ByteReader) -> WireText? {
    do throws(WireFault) {
      while !reader.isAtEnd {
        let code = try reader.u8()
        if code == 0 { continue }
        if code == 255 { return nil }
        let length = Int(try reader.u8())
        if code == 2, length < 3 || length > 12 { return nil }
        if code != 2 {
          try reader.skip(length)
          continue
        }
        let type = try reader.text(length).untilNUL.trimmed
        return types.contains(type) ? type : nil
      }
    } catch {
      return nil
    }
    return nil
  }

  private static let types: Set<WireText> = Set(
    ["ECM", "EMTA", "ESTB", "EROUTER", "EPS", "EMDTA", "EDVA", "ETEA", "ESG", "CARD"].map { WireText($0) })
  private static let modem = WireText("ECM")
  private static let setTopBox = WireText("ESTB")
  private static let router = WireText("EROUTER")

  static func role(_ type: WireText) -> Role? {
    switch type {
    case modem: .modem
    case setTopBox: .setTopBox
    case router: .router
    default: nil
    }
  }

  /// Option 125 of the Broadband Forum (TR-111): a device states its maker's OUI, serial number and product class in 1 to 3; the
  /// gateway that answers states its own in 4 to 6. Serial numbers are left alone.
  static func noteIdentities(
    _ station: MACAddress, _ options: borrowing DHCPv4.Options, ofGateway: Bool, _ out: inout Observations
  ) {
    guard let slot = options.slot(125) else { return }
    var reader = options.reader(slot)
    do throws(WireFault) {
      while reader.remaining > 4 {
        let enterprise = try reader.u32()
        var body = try reader.take(Int(try reader.u8()))
        guard enterprise == broadbandForum else { continue }
        do throws(WireFault) {
          while !body.isAtEnd {
            let code = try body.u8()
            let value = try body.text(Int(try body.u8())).untilNUL.trimmed
            if value.isEmpty { continue }
            switch (code, ofGateway) {
            case (3, false): out.note(station, .has(.model, value), "option 125.3")
            case (6, true): out.note(station, .has(.model, value), "option 125.6")
            case (1, false): out.note(station, .has(.comment, value), "option 125.1")
            case (4, true): out.note(station, .has(.comment, value), "option 125.4")
            default: continue
            }
          }
        } catch {
          out.tally(error)
        }
      }
    } catch {
      out.tally(error)
    }
  }
}
