/// Who a message is about, when it says something of its own sender.
extension FrameSummary {
  /// The station that sent the frame if the packet surely came straight from it, else the packet's source address.
  ///
  /// A unicast packet may have crossed a router, which then is the frame's source. Senders begin with a hop limit of 64, 128 or 255, so
  /// any other number has been counted down, or cannot be told.
  var speaker: Subject {
    let station = self.station
    let isOnThisWire = !station.isZero && flags.isDisjoint(with: [.pppoe, .pointToPoint])
    let isDirect = isGroupDestination || hopLimit == 64 || hopLimit == 128 || hopLimit == 255
    return isOnThisWire && isDirect ? .station(station) : .address(sourceAddress)
  }
}

extension Subject {
  /// The station, nil for an address.
  var station: MACAddress? { if case .station(let mac) = self { mac } else { nil } }
}

extension MACAddress {
  /// The address that text says: six pairs of hex digits, with `:` or `-` between them or with nothing. Nil unless it is a station's.
  init?(text: RawSpan) {
    var digits = 0
    var value: UInt64 = 0
    for i in 0..<min(text.byteCount, 18) {
      let c = text.u8(i)
      if let digit = hexDigit(c) {
        value = value << 4 | UInt64(digit)
        digits &+= 1
      } else if !(c == 0x3a || c == 0x2d) || digits & 1 != 0 || digits == 0 {
        return nil
      }
    }
    guard digits == 12, text.byteCount == 12 || text.byteCount == 17 else { return nil }
    self.init(bits: value)
    guard isStation else { return nil }
  }
}
