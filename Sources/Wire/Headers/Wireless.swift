// 802.11 frames (IEEE 802.11-2020, 9.2 and 9.3) and the radio headers before them: radiotap (radiotap.org), Prism, AVS, PPI.

extension HeaderWalk {
  /// Size and alignment of radiotap's fields by bit; 0 where the layout is not known and reading must stop.
  private static func radiotapField(_ bit: Int) -> (size: Int, align: Int) {
    switch bit {
    case 0: (8, 8)
    case 1, 2, 5, 6, 10, 11, 12, 13, 16, 17: (1, 1)
    case 3: (4, 2)
    case 4: (2, 1)
    case 7, 8, 9, 14, 15: (2, 2)
    case 18, 20: (8, 4)
    case 19: (3, 1)
    case 21, 23, 24: (12, 2)
    case 22: (12, 8)
    default: (0, 1)
    }
  }

  static func radiotap(_ bytes: RawSpan, _ start: Int, _ limit: Int, _ s: inout FrameSummary) {
    guard bytes.byteCount >= start &+ 8 else { return stopShort(bytes, start, 8, limit, &s) }
    let length = Int(bytes.u16LE(start &+ 2))
    guard bytes.u8(start) == 0 else { return stop(.unsupported, bytes, start, limit, &s) }
    guard length >= 8, start &+ length <= limit else { return stop(.malformed, bytes, start &+ 2, limit, &s) }
    let present = bytes.u32LE(start &+ 4)
    var at = start &+ 8
    var word = present
    var words = 1
    while word & 0x8000_0000 != 0, words < 8 {
      word = bytes.u32LE(at)
      at &+= 4
      words &+= 1
    }
    var radioFlags: UInt8 = 0
    // More words than anything real has: nobody knows where the fields begin.
    let bits = word & 0x8000_0000 == 0 ? 29 : 0
    for bit in 0..<bits where present & 1 << UInt32(bit) != 0 {
      let field = radiotapField(bit)
      guard field.size > 0 else { break }
      // Aligned from the start of the radiotap header.
      at = start &+ (at &- start &+ field.align &- 1) / field.align &* field.align
      guard at &+ field.size <= start &+ length, at &+ field.size <= bytes.byteCount else { break }
      switch bit {
      case 1: radioFlags = bytes.u8(at)
      case 2: s.wireless.rate = UInt16(bytes.u8(at))
      case 3: s.wireless.frequency = bytes.u16LE(at)
      case 5: if s.wireless.signal == 0 { s.wireless.signal = Int8(bitPattern: bytes.u8(at)) }
      default: break
      }
      at &+= field.size
    }
    radioPayload(radioFlags, bytes, start &+ length, limit, &s)
  }

  /// The 802.11 frame behind a radio header whose flags say what was added to it (radiotap bit 1).
  private static func radioPayload(_ radioFlags: UInt8, _ bytes: RawSpan, _ at: Int, _ limit: Int, _ s: inout FrameSummary) {
    if radioFlags & 0x40 != 0 { s.flags.insert(.badFCS) }
    let end = radioFlags & 0x10 != 0 ? max(at, limit &- 4) : limit
    wireless(bytes, at, end, &s, isPadded: radioFlags & 0x20 != 0)
  }

  /// Prism II: message code, message length, device name, items, in the byte order of who captured; or AVS under the same link type.
  static func prism(_ bytes: RawSpan, _ at: Int, _ limit: Int, _ s: inout FrameSummary) {
    guard bytes.byteCount >= at &+ 8 else { return stopShort(bytes, at, 8, limit, &s) }
    if bytes.u32(at) & 0xffff_f000 == 0x8021_1000 { return avs(bytes, at, limit, &s) }
    let isLittle = bytes.u32LE(at) <= 0xffff
    let length = Int(isLittle ? bytes.u32LE(at &+ 4) : bytes.u32(at &+ 4))
    guard length >= 24, length <= 1024, at &+ length <= limit else { return stop(.malformed, bytes, at &+ 4, limit, &s) }
    wireless(bytes, at &+ length, limit, &s)
  }

  static func avs(_ bytes: RawSpan, _ at: Int, _ limit: Int, _ s: inout FrameSummary) {
    guard bytes.byteCount >= at &+ 8 else { return stopShort(bytes, at, 8, limit, &s) }
    let length = Int(bytes.u32(at &+ 4))
    guard length >= 8, length <= 1024, at &+ length <= limit else { return stop(.malformed, bytes, at &+ 4, limit, &s) }
    wireless(bytes, at &+ length, limit, &s)
  }

  static func ppi(_ bytes: RawSpan, _ limit: Int, _ s: inout FrameSummary) {
    guard bytes.byteCount >= 8 else { return stopShort(bytes, 0, 8, limit, &s) }
    let length = Int(bytes.u16LE(2))
    guard length >= 8, length <= limit else { return stop(.malformed, bytes, 2, limit, &s) }
    var radioFlags: UInt8 = 0
    // Where the header's flags say so, each field starts at a multiple of four.
    let mask = bytes.u8(1) & 1 != 0 ? 3 : 0
    var at = 8
    while at &+ 4 <= min(length, bytes.byteCount) {
      let type = bytes.u16LE(at)
      let size = Int(bytes.u16LE(at &+ 2))
      // 802.11-common: flags with the check sum in bit 0, its failure in bit 2, then rate, channel, signal.
      if type == 2, size >= 20, at &+ 24 <= min(length, bytes.byteCount) {
        let flags = bytes.u16LE(at &+ 12)
        if flags & 1 != 0 { radioFlags |= 0x10 }
        if flags & 4 != 0 { radioFlags |= 0x40 }
        s.wireless.rate = bytes.u16LE(at &+ 14)
        s.wireless.frequency = bytes.u16LE(at &+ 16)
        // -128 stands for unknown.
        let signal = Int8(bitPattern: bytes.u8(at &+ 22))
        s.wireless.signal = signal == -128 ? 0 : signal
      }
      at &+= 4 &+ (size &+ mask) & ~mask
    }
    switch bytes.u32LE(4) {
    case 1: ethernet(bytes, length, limit, &s)
    case 105: radioPayload(radioFlags, bytes, length, limit, &s)
    case 127: radiotap(bytes, length, limit, &s)
    default: stop(.unsupported, bytes, length, limit, &s)
    }
  }

  //    0            2          4        10       16       22         24
  //   │frame control│duration │address 1│address 2│address 3│sequence│address 4 (both DS)│QoS│HT control│
  static func wireless(_ bytes: RawSpan, _ at: Int, _ limit: Int, _ s: inout FrameSummary, isPadded: Bool = false) {
    s.flags.insert(.isWireless)
    guard bytes.byteCount >= at &+ 10, limit >= at &+ 10 else { return stopShort(bytes, at, 10, limit, &s) }
    let control = bytes.u8(at)
    let flags = bytes.u8(at &+ 1)
    s.wireless.type = control >> 2 & 3
    s.wireless.subtype = control >> 4
    s.wireless.toDS = flags & 1 != 0
    s.wireless.fromDS = flags & 2 != 0
    s.wireless.powerManagement = flags & 0x10 != 0
    s.wireless.isProtected = flags & 0x40 != 0
    s.wireless.receiver = bytes.mac(at &+ 4)
    guard control & 3 == 0 else { return stop(.unsupported, bytes, at, limit, &s) }
    if s.wireless.type == 1 || s.wireless.type == 3 {
      // The beacon of 60 GHz radios (802.11ad) is a kind of its own, with the BSSID as its only address.
      if control == 0x0c { s.wireless.bssid = s.wireless.receiver }
      // Control frames: only block acknowledgements and RTS name who sent them, and nobody else.
      return setPayload(bytes, at, limit, &s)
    }
    guard bytes.byteCount >= at &+ 24, limit >= at &+ 24 else { return stopShort(bytes, at, 24, limit, &s) }
    let second = bytes.mac(at &+ 10)
    let third = bytes.mac(at &+ 16)
    s.wireless.transmitter = second
    var header = 24
    switch (s.wireless.toDS, s.wireless.fromDS) {
    case (false, false): (s.destination, s.source, s.wireless.bssid) = (s.wireless.receiver, second, third)
    case (true, false): (s.destination, s.source, s.wireless.bssid) = (third, second, s.wireless.receiver)
    case (false, true): (s.destination, s.source, s.wireless.bssid) = (s.wireless.receiver, third, second)
    case (true, true):
      guard bytes.byteCount >= at &+ 30, limit >= at &+ 30 else { return stopShort(bytes, at, 30, limit, &s) }
      (s.destination, s.source) = (third, bytes.mac(at &+ 24))
      header = 30
    }
    s.flags.insert([.hasSource, .hasDestination])
    if s.flags.contains(.badFCS) { return setPayload(bytes, at, limit, &s) }
    guard s.wireless.type == 2 else { return setPayload(bytes, at, limit, &s) }
    let isQoS = s.wireless.subtype & 8 != 0
    if isQoS {
      guard bytes.byteCount >= at &+ header &+ 2, limit >= at &+ header &+ 2 else {
        return stopShort(bytes, at, header &+ 2, limit, &s)
      }
      let isAggregate = bytes.u8(at &+ header) & 0x80 != 0
      header &+= 2
      if flags & 0x80 != 0 { header &+= 4 }
      if isAggregate { s.flags.insert(.tunnel) }
    }
    if isPadded { header = (header &+ 3) & ~3 }
    // Null data and its kin carry nothing; protected frames nothing that we could or would read.
    if s.wireless.subtype & 4 != 0 { return setPayload(bytes, at, limit, &s) }
    if s.wireless.isProtected {
      s.flags.insert(.encrypted)
      return setPayload(bytes, at, limit, &s)
    }
    if s.flags.contains(.tunnel) {
      s.flags.remove(.tunnel)
      return setPayload(bytes, at, limit, &s)
    }
    guard limit > at &+ header else { return setPayload(bytes, at, limit, &s) }
    llc(0, bytes, at &+ header, limit, &s)
  }
}
