/// How wide text is in a picture, before anybody has a font: never less than it will be.
enum MapText {
  /// Widths of U+0020 to U+007E in hundredths of the font size: each the wider of DejaVu Sans, the widest font that browsers fall back
  /// to, and of Arial's twin.
  private static let plain: [Int] = [
    32, 41, 46, 84, 64, 96, 78, 28, 40, 40, 50, 84, 32, 37, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 56,
    102, 69, 69, 73, 78, 67, 62, 78, 76, 30, 50, 67, 56, 87, 75, 79, 67, 79, 73, 67, 62, 74, 69, 99, 69, 67, 69, 40, 34, 40, 84, 56,
    50, 62, 64, 55, 64, 62, 36, 64, 64, 28, 28, 58, 28, 98, 64, 62, 64, 64, 42, 53, 40, 64, 60, 82, 60, 60, 53, 64, 34, 64, 84,
  ]

  /// The same of their bold faces.
  private static let bold: [Int] = [
    35, 46, 53, 84, 70, 101, 88, 31, 46, 46, 53, 84, 38, 42, 38, 37, 70, 70, 70, 70, 70, 70, 70, 70, 70, 70, 40, 40, 84, 84, 84, 62,
    100, 78, 77, 74, 84, 69, 69, 83, 84, 38, 56, 78, 64, 100, 84, 86, 74, 86, 78, 73, 69, 82, 78, 111, 78, 73, 73, 46, 37, 46, 84, 56,
    50, 68, 72, 60, 72, 68, 44, 72, 72, 35, 35, 67, 35, 105, 72, 69, 72, 72, 50, 60, 48, 72, 66, 93, 65, 66, 59, 72, 37, 72, 84,
  ]

  /// A size of type and its weight.
  struct Face {
    var size: Int
    var isBold = false
    static let small = Face(size: 11)
    static let address = Face(size: 12)
    static let heading = Face(size: 13)
    static let name = Face(size: 12, isBold: true)
    static let big = Face(size: 14, isBold: true)
    static let zone = Face(size: 13, isBold: true)
  }

  /// In points, rounded up.
  static func width(_ text: String, _ face: Face) -> Int { (hundredths(text, face) + 99) / 100 }

  private static func hundredths(_ text: String, _ face: Face) -> Int {
    text.unicodeScalars.reduce(0) { $0 + width($1, face) }
  }

  private static func width(_ scalar: Unicode.Scalar, _ face: Face) -> Int {
    let share =
      switch scalar.value {
      case 0x20..<0x7f: (face.isBold ? bold : plain)[Int(scalar.value) - 0x20]
      case 0xb7: 40
      case 0x300..<0x370: 0
      // As wide as any letter of these scripts: fonts differ most here.
      case 0xa0..<0x250: 110
      case 0x250..<0x1100: 140
      case 0x2000..<0x2e80: 110
      case 0x1f000...: 150
      default: 120
      }
    return share * face.size
  }

  /// At most so many points wide; what does not fit ends in an ellipsis.
  static func fit(_ text: String, _ points: Int, _ face: Face) -> String {
    let room = points * 100
    guard hundredths(text, face) > room else { return text }
    var out = String.UnicodeScalarView()
    var used = 110 * face.size
    for scalar in text.unicodeScalars {
      used += width(scalar, face)
      if used > room { break }
      out.append(scalar)
    }
    while out.last == " " { out.removeLast() }
    return String(out) + "…"
  }

  /// Pieces with a dot between, as many from the left as fit; the first one is cut if need be.
  static func join(_ pieces: [String], _ points: Int, _ face: Face) -> String {
    var out = ""
    for piece in pieces where !piece.isEmpty {
      let longer = out.isEmpty ? piece : out + " · " + piece
      if width(longer, face) > points { return out.isEmpty ? fit(piece, points, face) : out }
      out = longer
    }
    return out
  }
}
