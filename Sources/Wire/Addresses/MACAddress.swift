/// A 48-bit station or group address (IEEE 802-2014, 8), in the low 48 bits.
public struct MACAddress: Hashable, Comparable, Sendable, BitwiseCopyable, CustomStringConvertible, LosslessStringConvertible {
  public var bits: UInt64

  @inlinable public init(bits: UInt64) { self.bits = bits & 0xffff_ffff_ffff }

  /// Six pairs of hex digits with `:` or `-` between.
  public init?(_ text: String) {
    var value: UInt64 = 0
    var pairs = 0
    for part in text.utf8.split(omittingEmptySubsequences: false, whereSeparator: { $0 == 0x3a || $0 == 0x2d }) {
      guard part.count == 2, pairs < 6 else { return nil }
      for c in part {
        guard let digit = hexDigit(c) else { return nil }
        value = value << 4 | UInt64(digit)
      }
      pairs += 1
    }
    guard pairs == 6 else { return nil }
    self.init(bits: value)
  }

  @inlinable public static var zero: MACAddress { MACAddress(bits: 0) }
  @inlinable public static var broadcast: MACAddress { MACAddress(bits: 0xffff_ffff_ffff) }

  @inlinable public var isGroup: Bool { bits & 0x0100_0000_0000 != 0 }
  @inlinable public var isZero: Bool { bits == 0 }
  /// The local bit: not burned in by a maker, so no vendor look-up.
  @inlinable public var isLocal: Bool { bits & 0x0200_0000_0000 != 0 }
  /// Whether this can name a station: no group, not all zero.
  @inlinable public var isStation: Bool { !isGroup && bits != 0 }

  /// The first three bytes.
  public var oui: UInt32 { UInt32(truncatingIfNeeded: bits >> 24) }
  /// The last three bytes.
  public var suffix: UInt32 { UInt32(truncatingIfNeeded: bits & 0xff_ffff) }

  /// The address of a virtual router (VRRP, CARP, HSRP, GLBP): of a role, not of a device.
  public var isVirtualRouter: Bool {
    switch oui {
    case 0x00_00_5e: suffix >> 8 == 0x0001 || suffix >> 8 == 0x0002
    case 0x00_00_0c: suffix >> 8 == 0x07ac || suffix >> 12 == 0x9ff
    case 0x00_07_b4: suffix >> 16 == 0
    case 0x00_05_73: suffix >> 12 == 0xa00
    default: false
    }
  }

  public var bytes: [UInt8] { (0..<6).map { UInt8(truncatingIfNeeded: bits >> (40 - 8 * UInt64($0))) } }

  public var description: String {
    var text = InlineArray<17, UInt8>(repeating: 0x3a)
    for place in 0..<6 {
      let byte = UInt8(truncatingIfNeeded: bits >> UInt64(40 - 8 * place))
      text[3 * place] = hexLetter(byte >> 4)
      text[3 * place + 1] = hexLetter(byte & 15)
    }
    return asciiText(text.span)
  }

  public static func < (a: MACAddress, b: MACAddress) -> Bool { a.bits < b.bits }
}

/// The value of one ASCII hex digit.
public func hexDigit(_ c: UInt8) -> UInt8? {
  switch c {
  case 0x30...0x39: c - 0x30
  case 0x41...0x46: c - 0x41 + 10
  case 0x61...0x66: c - 0x61 + 10
  default: nil
  }
}

/// A string of ASCII bytes.
func asciiText(_ bytes: Span<UInt8>) -> String {
  guard let text = try? UTF8Span(validating: bytes) else { return "" }
  return String(copying: text)
}

/// The ASCII hex digit of a value below 16.
func hexLetter(_ nibble: UInt8) -> UInt8 { nibble < 10 ? 0x30 + nibble : 0x61 + nibble - 10 }
