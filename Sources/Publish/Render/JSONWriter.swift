/// JSON text, written as it goes: keys in the order given, two spaces, and every string escaped so that the document may stand inside HTML.
///
/// Our own hundred lines instead of Foundation's encoder: the document is flat and known, and the encoder would add 7 MB to the binary.
struct JSONWriter {
  /// UTF-8: to append to a string a little at a time takes three times as long.
  private var bytes: [UInt8] = []
  private var depth = 0
  private var needsComma = false

  var text: String { String(decoding: bytes, as: UTF8.self) }

  private mutating func put(_ text: String) { bytes.append(contentsOf: text.utf8) }

  private mutating func breakLine() {
    bytes.append(0x0a)
    for _ in 0..<depth * 2 { bytes.append(0x20) }
  }

  private mutating func begin(_ key: String?) {
    if needsComma { bytes.append(0x2c) }
    if depth > 0 { breakLine() }
    if let key {
      quote(key)
      put(": ")
    }
    needsComma = true
  }

  mutating func object(_ key: String? = nil, _ body: (inout JSONWriter) -> Void) { nest(key, "{", "}", body) }
  mutating func array(_ key: String? = nil, _ body: (inout JSONWriter) -> Void) { nest(key, "[", "]", body) }

  private mutating func nest(_ key: String?, _ open: String, _ close: String, _ body: (inout JSONWriter) -> Void) {
    begin(key)
    put(open)
    depth += 1
    needsComma = false
    body(&self)
    depth -= 1
    if needsComma { breakLine() }
    put(close)
    needsComma = true
  }

  mutating func string(_ key: String? = nil, _ value: String?) {
    guard let value else { return }
    begin(key)
    quote(value)
  }
  mutating func int(_ key: String? = nil, _ value: Int?) {
    guard let value else { return }
    begin(key)
    put(String(value))
  }
  mutating func bool(_ key: String? = nil, _ value: Bool) {
    begin(key)
    put(value ? "true" : "false")
  }
  /// Rounded to three digits: more would claim a precision that no weight has.
  mutating func ratio(_ key: String, _ value: Double) {
    begin(key)
    let thousandths = Int((min(max(0, value), 1) * 1000).rounded())
    put(thousandths == 1000 ? "1" : "0." + String(String(1000 + thousandths).dropFirst()))
  }

  /// A string as JSON shows it.
  static func quoted(_ value: String) -> String {
    var writer = JSONWriter()
    writer.quote(value)
    return writer.text
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x7f && byte != 0x22 && byte != 0x5c && byte != 0x3c && byte != 0x3e && byte != 0x26
  }

  private mutating func quote(_ value: String) {
    bytes.append(0x22)
    defer { bytes.append(0x22) }
    // Nearly all of them need no escape, and are written as they are.
    if value.utf8.allSatisfy(JSONWriter.isPlain) { return put(value) }
    for scalar in value.unicodeScalars {
      switch scalar.value {
      case 0x22: put("\\\"")
      case 0x5c: put("\\\\")
      case 0x0a: put("\\n")
      case 0x0d: put("\\r")
      case 0x09: put("\\t")
      // Harmless in JSON, not in a page that holds it.
      case 0..<0x20, 0x7f, 0x2028, 0x2029, 0x3c, 0x3e, 0x26:
        let hex = String(scalar.value, radix: 16)
        put("\\u" + String(repeating: "0", count: 4 - hex.count) + hex)
      default: put(String(scalar))
      }
    }
  }
}
