// A UUID of sixteen bytes as text (RFC 9562, 4): what says that two addresses, names or services are of one box.

extension ByteReader {
  /// Takes the rest, which must be sixteen bytes: groups of 8, 4, 4, 4 and 12 hex digits. nil when all is zero, which says nothing.
  mutating func uuid() throws(WireFault) -> WireText? {
    guard remaining == 16 else { throw WireFault(.malformed, at: offset) }
    var text: [UInt8] = []
    text.reserveCapacity(36)
    var isZero = true
    for place in 0..<16 {
      if place == 4 || place == 6 || place == 8 || place == 10 { text.append(0x2d) }
      let byte = try u8()
      isZero = isZero && byte == 0
      text.append(hexLetter(byte >> 4))
      text.append(hexLetter(byte & 15))
    }
    return isZero ? nil : WireText(text)
  }
}
