/// A JSON document (RFC 8259) as it was read: our own that another run of this program wrote, so no more of the format than we write, and
/// a depth that nobody can exceed.
enum JSONValue {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  private static let depthLimit = 16

  /// nil when the bytes are no whole JSON document.
  init?(_ bytes: [UInt8]) {
    var reader = Reader(bytes: bytes)
    guard let value = reader.value(0) else { return nil }
    reader.blanks()
    guard reader.at == bytes.count else { return nil }
    self = value
  }

  subscript(key: String) -> JSONValue? { if case .object(let members) = self { members[key] } else { nil } }
  var string: String? { if case .string(let text) = self { text } else { nil } }
  var double: Double? { if case .number(let number) = self { number } else { nil } }
  var int: Int? { double.flatMap { Int(exactly: $0) } }
  var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  var array: [JSONValue] { if case .array(let values) = self { values } else { [] } }

  private struct Reader {
    let bytes: [UInt8]
    var at = 0

    var next: UInt8? { at < bytes.count ? bytes[at] : nil }

    mutating func blanks() { while let byte = next, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { at += 1 } }

    mutating func take(_ byte: UInt8) -> Bool {
      blanks()
      guard next == byte else { return false }
      at += 1
      return true
    }

    mutating func take(_ word: StaticString) -> Bool {
      let word = Array(String(describing: word).utf8)
      guard bytes[at...].starts(with: word) else { return false }
      at += word.count
      return true
    }

    mutating func value(_ depth: Int) -> JSONValue? {
      guard depth < JSONValue.depthLimit else { return nil }
      blanks()
      switch next {
      case 0x7b: return object(depth)
      case 0x5b: return array(depth)
      case 0x22: return text().map { .string($0) }
      case 0x74: return take("true") ? .bool(true) : nil
      case 0x66: return take("false") ? .bool(false) : nil
      case 0x6e: return take("null") ? .null : nil
      default: return number()
      }
    }

    private mutating func object(_ depth: Int) -> JSONValue? {
      at += 1
      var members: [String: JSONValue] = [:]
      if take(0x7d) { return .object(members) }
      repeat {
        blanks()
        guard next == 0x22, let key = text(), take(0x3a), let value = value(depth + 1) else { return nil }
        members[key] = value
      } while take(0x2c)
      return take(0x7d) ? .object(members) : nil
    }

    private mutating func array(_ depth: Int) -> JSONValue? {
      at += 1
      var values: [JSONValue] = []
      if take(0x5d) { return .array(values) }
      repeat {
        guard let value = value(depth + 1) else { return nil }
        values.append(value)
      } while take(0x2c)
      return take(0x5d) ? .array(values) : nil
    }

    private mutating func number() -> JSONValue? {
      let start = at
      while let byte = next, (0x30...0x39).contains(byte) || [0x2b, 0x2d, 0x2e, 0x45, 0x65].contains(byte) { at += 1 }
      return Double(String(decoding: bytes[start..<at], as: UTF8.self)).map { .number($0) }
    }

    private mutating func text() -> String? {
      at += 1
      var out: [UInt8] = []
      while let byte = next {
        at += 1
        switch byte {
        case 0x22: return String(decoding: out, as: UTF8.self)
        case 0x5c:
          guard let scalar = escaped() else { return nil }
          out += Array(String(Character(scalar)).utf8)
        case 0..<0x20: return nil
        default: out.append(byte)
        }
      }
      return nil
    }

    private mutating func escaped() -> Unicode.Scalar? {
      guard let byte = next else { return nil }
      at += 1
      switch byte {
      case 0x22, 0x5c, 0x2f: return Unicode.Scalar(byte)
      case 0x62: return "\u{8}"
      case 0x66: return "\u{c}"
      case 0x6e: return "\n"
      case 0x72: return "\r"
      case 0x74: return "\t"
      case 0x75:
        guard let unit = hex() else { return nil }
        guard unit & 0xfc00 == 0xd800 else { return Unicode.Scalar(unit) }
        // Two of them make one character.
        guard take("\\u"), let low = hex(), low & 0xfc00 == 0xdc00 else { return nil }
        return Unicode.Scalar(0x1_0000 + (unit & 0x3ff) << 10 + (low & 0x3ff))
      default: return nil
      }
    }

    private mutating func hex() -> UInt32? {
      guard bytes.count - at >= 4 else { return nil }
      defer { at += 4 }
      return UInt32(String(decoding: bytes[at..<(at + 4)], as: UTF8.self), radix: 16)
    }
  }
}
