/// Domain names as configuration protocols carry them (RFC 1035, 3.1): labels with a length before each.
///
/// For option bodies alone, where a pointer counts from the option's first byte (RFC 3397) or does not occur (RFC 8106, 8415).
/// A name that cannot be read costs that name and, without a way to find the next one, what is behind it; never more.
enum DomainName {
  /// Longer ones do not exist (RFC 1035, 2.3.4).
  static let lengthLimit = 255
  static let jumpLimit = 16

  /// The names of a list, without the empty ones that pad it.
  /// - Parameter pointers: whether the option may compress its names.
  static func list(_ span: RawSpan, pointers: Bool = false, limit: Int = 8) -> [WireText] {
    var names: [WireText] = []
    var at = 0
    var turns = 0
    while at < span.byteCount, names.count < limit, turns < 64 {
      turns += 1
      guard let name = read(span, &at, pointers: pointers, partial: false) else { break }
      if !name.isEmpty { names.append(name) }
    }
    return names
  }

  /// One name from `at`, which then stands behind it; nil when it is none.
  /// - Parameter partial: whether the end of the bytes may end the name, as in a client's name without its domain (RFC 4704, 4.2).
  static func read(_ span: RawSpan, _ at: inout Int, pointers: Bool, partial: Bool) -> WireText? {
    var out: [UInt8] = []
    var place = at
    var jumps = 0
    while true {
      if place >= span.byteCount {
        guard partial, jumps == 0 else { return nil }
        at = place
        return WireText(out)
      }
      let length = Int(span.u8(place))
      if length == 0 {
        if jumps == 0 { at = place + 1 }
        return WireText(out)
      }
      if length >= 0xc0 {
        guard pointers, place + 1 < span.byteCount, jumps < jumpLimit else { return nil }
        let target = (length & 0x3f) << 8 | Int(span.u8(place + 1))
        if jumps == 0 { at = place + 2 }
        guard target < place else { return nil }
        jumps += 1
        place = target
        continue
      }
      guard length < 64, place + 1 + length <= span.byteCount, out.count + 1 + length <= lengthLimit else { return nil }
      if !out.isEmpty { out.append(0x2e) }
      for i in 0..<length { out.append(span.u8(place + 1 + i)) }
      place += 1 + length
    }
  }
}
