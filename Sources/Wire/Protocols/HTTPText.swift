// Header lines as SSDP and the PlayStation's discovery use them: RFC 9112, 5, read as bytes.

/// The lines of a message, one after the other, nothing allocated. Lines end in LF, with or without a CR before it.
struct HTTPText: ~Escapable {
  /// More lines are not read.
  static let limit = 64

  let bytes: RawSpan
  private let isCut: Bool
  private var at = 0
  private var lines = 0
  /// The empty line behind the last header was there, or the message ended with a whole line.
  private(set) var isComplete = false

  /// - Parameter limit: bytes behind it are not read.
  @_lifetime(copy reader)
  init(_ reader: borrowing ByteReader, limit: Int) {
    bytes = reader.rest().part(0, limit)
    isCut = reader.isCut || reader.remaining > limit
  }

  /// The next line without its end, nil behind the last. A line that the capture cut says nothing.
  mutating func line() -> Range<Int>? {
    guard lines < HTTPText.limit, at < bytes.byteCount else {
      isComplete = isComplete || !isCut
      return nil
    }
    lines &+= 1
    let from = at
    while at < bytes.byteCount, bytes.u8(at) != 0x0a { at &+= 1 }
    var to = at
    if at == bytes.byteCount {
      if isCut { return nil }
    } else {
      at &+= 1
    }
    if to > from, bytes.u8(to &- 1) == 0x0d { to &-= 1 }
    return from..<to
  }

  /// The next header: its name packed as `DNSLabel` does (0 for a long one), and where its value lies. Lines without a colon are passed.
  mutating func header() -> (name: UInt128, value: Range<Int>)? {
    while let line = line() {
      if line.isEmpty {
        isComplete = true
        return nil
      }
      var colon = line.lowerBound
      while colon < line.upperBound, bytes.u8(colon) != 0x3a { colon &+= 1 }
      guard colon < line.upperBound else { continue }
      var name: UInt128 = 0
      if colon &- line.lowerBound <= 16 {
        for i in line.lowerBound..<colon { name = name << 8 | UInt128(lower(bytes.u8(i))) }
      }
      var from = colon &+ 1
      var to = line.upperBound
      while from < to, bytes.u8(from) == 0x20 || bytes.u8(from) == 0x09 { from &+= 1 }
      while to > from, bytes.u8(to &- 1) == 0x20 || bytes.u8(to &- 1) == 0x09 { to &-= 1 }
      return (name, from..<to)
    }
    return nil
  }

  @_lifetime(copy self)
  func span(_ range: Range<Int>) -> RawSpan { bytes.part(range.lowerBound, range.count) }
}

extension RawSpan {
  /// Whether the bytes begin with `text`, ASCII case apart.
  func begins(with text: [UInt8], at offset: Int = 0) -> Bool {
    guard offset >= 0, text.count <= byteCount &- offset else { return false }
    for i in 0..<text.count where lower(u8(offset &+ i)) != lower(text[i]) { return false }
    return true
  }

  /// Where `text` first stands, ASCII case apart.
  func find(_ text: [UInt8], from start: Int = 0) -> Int? {
    guard let first = text.first else { return nil }
    var at = max(0, start)
    while at &+ text.count <= byteCount {
      if lower(u8(at)) == lower(first), begins(with: text, at: at) { return at }
      at &+= 1
    }
    return nil
  }

  /// The IPv4 address that stands as the host in a URL; nil for names and for IPv6.
  var urlHost: IPv4Address? {
    guard let scheme = find(Array("://".utf8)) else { return nil }
    var value: UInt32 = 0
    var number: UInt32 = 0
    var digits = 0
    var parts = 0
    var at = scheme &+ 3
    while true {
      let c = at < byteCount ? u8(at) : 0x2f
      if c >= 0x30, c <= 0x39, digits < 3 {
        number = number &* 10 &+ UInt32(c &- 0x30)
        digits &+= 1
      } else if c == 0x2e || c == 0x3a || c == 0x2f {
        guard digits > 0, number <= 255, parts < 4 else { return nil }
        value = value << 8 | number
        parts &+= 1
        number = 0
        digits = 0
        if c != 0x2e { break }
      } else {
        return nil
      }
      at &+= 1
    }
    return parts == 4 ? IPv4Address(value) : nil
  }
}
