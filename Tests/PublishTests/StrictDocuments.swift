/// Readers that forgive nothing, of the three kinds of documents that the report has.
enum StrictDocuments {
  struct Fault: Error, CustomStringConvertible {
    var description: String
  }

  // MARK: JSON (RFC 8259)

  /// Whether the bytes are one JSON value, with keys that are given once.
  static func checkJSON(_ text: String) throws {
    var reader = Reader(text)
    try reader.value(0)
    reader.blanks()
    guard reader.isAtEnd else { throw reader.fault("something behind the value") }
  }

  fileprivate struct Reader {
    let bytes: [UInt8]
    var at = 0
    init(_ text: String) { bytes = Array(text.utf8) }
    var isAtEnd: Bool { at >= bytes.count }
    var next: UInt8? { at < bytes.count ? bytes[at] : nil }

    func fault(_ text: String) -> Fault {
      Fault(description: "\(text) at \(at): \(String(decoding: bytes[max(0, at - 40)..<min(bytes.count, at + 20)], as: UTF8.self))")
    }
    mutating func blanks() { while let byte = next, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { at += 1 } }
    mutating func expect(_ text: String) throws {
      for byte in text.utf8 {
        guard next == byte else { throw fault("no '\(text)'") }
        at += 1
      }
    }

    mutating func value(_ depth: Int) throws {
      guard depth < 32 else { throw fault("too deep") }
      blanks()
      switch next {
      case UInt8(ascii: "{"):
        at += 1
        var keys = Set<[UInt8]>()
        blanks()
        if next == UInt8(ascii: "}") { return at += 1 }
        while true {
          blanks()
          guard keys.insert(try string()).inserted else { throw fault("a key twice") }
          blanks()
          try expect(":")
          try value(depth + 1)
          blanks()
          if next == UInt8(ascii: "}") { return at += 1 }
          try expect(",")
        }
      case UInt8(ascii: "["):
        at += 1
        blanks()
        if next == UInt8(ascii: "]") { return at += 1 }
        while true {
          try value(depth + 1)
          blanks()
          if next == UInt8(ascii: "]") { return at += 1 }
          try expect(",")
        }
      case UInt8(ascii: "\""): _ = try string()
      case UInt8(ascii: "t"): try expect("true")
      case UInt8(ascii: "f"): try expect("false")
      case UInt8(ascii: "n"): try expect("null")
      default: try number()
      }
    }

    mutating func string() throws -> [UInt8] {
      try expect("\"")
      let begin = at
      while let byte = next {
        switch byte {
        case UInt8(ascii: "\""):
          at += 1
          return Array(bytes[begin..<(at - 1)])
        case UInt8(ascii: "\\"):
          at += 1
          guard let escape = next else { throw fault("no escape") }
          at += 1
          if escape == UInt8(ascii: "u") {
            guard at + 4 <= bytes.count, let unit = UInt32(String(decoding: bytes[at..<(at + 4)], as: UTF8.self), radix: 16) else {
              throw fault("no four hex digits")
            }
            guard !(0xd800...0xdfff).contains(unit) else { throw fault("a surrogate") }
            at += 4
          } else if !"\"\\/bfnrt".utf8.contains(escape) {
            throw fault("an escape that there is not")
          }
        case 0..<0x20: throw fault("a control character")
        default: at += 1
        }
      }
      throw fault("no end of a string")
    }

    mutating func number() throws {
      let begin = at
      if next == UInt8(ascii: "-") { at += 1 }
      let first = at
      while let byte = next, (0x30...0x39).contains(byte) { at += 1 }
      guard at > first, at == first + 1 || bytes[first] != 0x30 else { throw fault("no number") }
      if next == UInt8(ascii: ".") {
        at += 1
        let fraction = at
        while let byte = next, (0x30...0x39).contains(byte) { at += 1 }
        guard at > fraction else { throw fault("no digit behind the point") }
      }
      guard at > begin else { throw fault("no value") }
    }
  }

  // MARK: XML 1.0, as far as our pictures use it

  /// The elements with the names of their attributes, in order; faults of form are thrown.
  static func elements(of text: String) throws -> [String] {
    var reader = Reader(text)
    var open: [String] = []
    var out: [String] = []
    try reader.expect("<?xml version=\"1.0\" encoding=\"UTF-8\"?>")
    while !reader.isAtEnd {
      guard reader.next == UInt8(ascii: "<") else {
        let content = try reader.characters(until: UInt8(ascii: "<"))
        guard !open.isEmpty || content.allSatisfy({ $0 == 0x0a }) else { throw reader.fault("text outside") }
        continue
      }
      reader.at += 1
      if reader.next == UInt8(ascii: "/") {
        reader.at += 1
        let name = reader.name()
        try reader.expect(">")
        guard open.popLast() == name else { throw reader.fault("another end") }
        continue
      }
      let name = reader.name()
      guard !name.isEmpty else { throw reader.fault("no element") }
      guard !open.isEmpty || out.isEmpty else { throw reader.fault("a second root") }
      var attributes: [String] = []
      while true {
        while reader.next == 0x20 { reader.at += 1 }
        if reader.next == UInt8(ascii: ">") {
          reader.at += 1
          open.append(name)
          break
        }
        if reader.next == UInt8(ascii: "/") {
          try reader.expect("/>")
          break
        }
        let attribute = reader.name()
        guard !attribute.isEmpty, !attributes.contains(attribute) else { throw reader.fault("no attribute, or twice") }
        try reader.expect("=\"")
        _ = try reader.characters(until: UInt8(ascii: "\""))
        try reader.expect("\"")
        attributes.append(attribute)
      }
      out.append(([name] + attributes).joined(separator: " "))
    }
    guard open.isEmpty else { throw reader.fault("not closed: \(open)") }
    return out
  }

  // MARK: DOT, as far as our graphs use it

  /// The words outside strings, and the strings, each as a token.
  static func tokens(of text: String) throws -> (words: [String], strings: [String]) {
    var reader = Reader(text)
    var words: [String] = []
    var strings: [String] = []
    var depth = 0
    while let byte = reader.next {
      switch byte {
      case UInt8(ascii: "\""):
        reader.at += 1
        var content: [UInt8] = []
        while let inner = reader.next, inner != UInt8(ascii: "\"") {
          guard inner >= 0x20 else { throw reader.fault("a control character in a string") }
          if inner == UInt8(ascii: "\\") {
            reader.at += 1
            guard let escaped = reader.next, "\"\\n".utf8.contains(escaped) else { throw reader.fault("an escape that is not ours") }
            content.append(inner)
          }
          content.append(reader.next ?? 0)
          reader.at += 1
        }
        try reader.expect("\"")
        strings.append(String(decoding: content, as: UTF8.self))
        words.append("\"\"")
      case UInt8(ascii: "{"), UInt8(ascii: "}"):
        depth += byte == UInt8(ascii: "{") ? 1 : -1
        guard depth >= 0 else { throw reader.fault("a brace too many") }
        words.append(String(decoding: [byte], as: UTF8.self))
        reader.at += 1
      case UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ";"), UInt8(ascii: ","), UInt8(ascii: "="):
        words.append(String(decoding: [byte], as: UTF8.self))
        reader.at += 1
      case UInt8(ascii: "-"):
        try reader.expect("->")
        words.append("->")
      case 0x20, 0x0a: reader.at += 1
      default:
        let word = reader.name()
        guard !word.isEmpty else { throw reader.fault("no word of DOT") }
        words.append(word)
      }
    }
    guard depth == 0 else { throw reader.fault("a brace is missing") }
    return (words, strings)
  }
}

extension StrictDocuments.Reader {
  fileprivate mutating func name() -> String {
    let begin = at
    while let byte = next,
      (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7a) || (0x30...0x39).contains(byte) || byte == 0x2d || byte == 0x5f || byte == 0x3a
    {
      at += 1
    }
    return String(decoding: bytes[begin..<at], as: UTF8.self)
  }

  /// Character data: entities of the standard and numbers, nothing that ends or begins a tag.
  fileprivate mutating func characters(until end: UInt8) throws -> [UInt8] {
    let begin = at
    while let byte = next, byte != end {
      if byte == UInt8(ascii: "<") || (byte < 0x20 && byte != 0x0a) { throw fault("a character that may not stand here") }
      if byte == UInt8(ascii: "&") {
        let rest = bytes[at..<min(bytes.count, at + 7)]
        let known = ["&amp;", "&lt;", "&gt;", "&quot;", "&#39;", "&#96;"]
        guard known.contains(where: { rest.starts(with: $0.utf8) }) else { throw fault("an entity that is not ours") }
      }
      at += 1
    }
    return Array(bytes[begin..<at])
  }
}
