/// Text that somebody on the wire chose: its exact bytes, and the one cleaned form in which it may be shown.
///
/// Identity is by bytes. Two canonically equivalent Swift strings are equal; two devices whose names merely look alike are not.
public struct WireText: Hashable, Sendable {
  /// More is cut. The longest legal host name is 253 bytes; some boxes pad theirs with their whole model text.
  public static let limit = 255

  public let bytes: [UInt8]

  public init(_ span: RawSpan) {
    bytes = span.part(0, Swift.min(span.byteCount, WireText.limit)).copied()
  }

  public init(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes.prefix(WireText.limit))
  }

  /// Takes the array over as it is.
  public init(_ bytes: [UInt8]) {
    self.bytes = bytes.count <= WireText.limit ? bytes : [UInt8](bytes.prefix(WireText.limit))
  }

  public init(_ string: String) {
    // Whole where it fits: a prefix would be copied byte by byte.
    self.init(Array(string.utf8))
  }

  /// UTF-16LE as LLTD and SMB use it, kept as UTF-8; ends at the first NUL. An odd last byte is dropped.
  public init(utf16LE span: RawSpan) {
    var units: [UInt16] = []
    var at = 0
    while at &+ 1 < span.byteCount, units.count < WireText.limit {
      let unit = span.u16LE(at)
      if unit == 0 { break }
      units.append(unit)
      at &+= 2
    }
    self.init(String(decoding: units, as: UTF16.self).utf8)
  }

  public var isEmpty: Bool { bytes.isEmpty }
  public var count: Int { bytes.count }

  /// Without the NULs and blanks with which fixed-size fields are padded.
  public var trimmed: WireText {
    var from = 0
    var to = bytes.count
    while to > from, bytes[to - 1] == 0 || bytes[to - 1] == 0x20 { to -= 1 }
    while from < to, bytes[from] == 0x20 { from += 1 }
    return from == 0 && to == bytes.count ? self : WireText(bytes[from..<to])
  }

  /// Up to the first NUL.
  public var untilNUL: WireText {
    guard let end = bytes.firstIndex(of: 0) else { return self }
    return WireText(bytes[..<end])
  }

  /// ASCII letters in lower case, everything else as it is: for comparisons where the standard says case does not matter.
  public var lowercasedASCII: WireText {
    WireText(bytes.map { $0 >= 0x41 && $0 <= 0x5a ? $0 | 0x20 : $0 })
  }

  public func hasPrefix(_ prefix: StaticString) -> Bool { starts(with: String(describing: prefix)) }
  public func starts(with text: String) -> Bool { bytes.starts(with: text.utf8) }
  public func ends(with text: String) -> Bool { bytes.reversed().starts(with: text.utf8.reversed()) }

  /// Whether the text holds `text`, ASCII case apart.
  public func mentions(_ text: String) -> Bool {
    lowercasedASCII.holds(WireText(text).lowercasedASCII.bytes)
  }

  /// Whether the bytes stand in the text, exactly so.
  public func holds(_ wanted: [UInt8]) -> Bool {
    guard let first = wanted.first, wanted.count <= bytes.count else { return wanted.isEmpty }
    for start in 0...(bytes.count - wanted.count) where bytes[start] == first {
      if bytes[start..<(start + wanted.count)].elementsEqual(wanted) { return true }
    }
    return false
  }

  /// The bytes as text, cleaned of nothing: for parsing, never for printing.
  public var uncleaned: String { String(decoding: bytes, as: UTF8.self) }

  /// The form that may be shown: invalid UTF-8 as U+FFFD, what is invisible or steers a terminal as a visible `\u{…}`.
  public var display: String { WireText.clean(uncleaned) }

  /// Whether `display` says anything else than the bytes did.
  public var isAltered: Bool { !display.utf8.elementsEqual(bytes) }

  public var hex: String {
    var out = ""
    out.reserveCapacity(bytes.count * 2)
    let digits = Array("0123456789abcdef".unicodeScalars)
    for b in bytes {
      out.unicodeScalars.append(digits[Int(b >> 4)])
      out.unicodeScalars.append(digits[Int(b & 15)])
    }
    return out
  }

  /// Cleans any text that came from outside. Works on scalars, never on characters: a quote followed by a combining mark is one
  /// `Character`, and would slip through.
  public static func clean(_ text: String) -> String {
    var out = String.UnicodeScalarView()
    var marks = 0
    for scalar in text.unicodeScalars {
      marks = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : marks + 1
      if isVisible(scalar) && marks <= 3 {
        out.append(scalar)
      } else {
        out.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
      }
    }
    return String(out)
  }

  /// What may stand in any output as it is (`reliability.md` 4): nothing that is invisible, that reorders its surroundings or that
  /// a terminal obeys.
  static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    let v = scalar.value
    if v >= 0x20 && v < 0x7f { return true }
    switch v {
    case 0..<0x20, 0x7f..<0xa0, 0xad, 0x115f, 0x1160, 0x180e, 0x200b...0x200f, 0x2028...0x202e, 0x2060...0x206f, 0x3164, 0xfe00...0xfe0e,
      0xfeff,
      0xffa0, 0xfff9...0xfffb, 0xe0000...0xe0fff:
      return false
    default: break
    }
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: return false
    default: return true
    }
  }
}
