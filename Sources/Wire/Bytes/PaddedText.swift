extension ByteReader {
  /// The text of all the bytes that are left, as fixed fields and TLVs hold it: up to the first NUL, without blanks around it. Nil when
  /// nothing of it is left, and without an allocation then.
  mutating func paddedText() -> WireText? {
    let span = rest()
    at = bytes.byteCount
    return ByteReader.trimmed(span) { $0 == 0 }
  }

  /// As `paddedText`, the first line only: software descriptions run on with copyright and support addresses.
  mutating func firstLine() -> WireText? {
    let span = rest()
    at = bytes.byteCount
    return ByteReader.trimmed(span) { $0 == 0 || $0 == 0x0a || $0 == 0x0d }
  }

  @inline(__always)
  private static func trimmed(_ span: RawSpan, ends: (UInt8) -> Bool) -> WireText? {
    var from = 0
    var to = 0
    while to < span.byteCount, !ends(span.u8(to)) { to &+= 1 }
    while to > from, span.u8(to &- 1) == 0x20 { to &-= 1 }
    while from < to, span.u8(from) == 0x20 { from &+= 1 }
    return from == to ? nil : WireText(span.part(from, to &- from))
  }
}

extension Observations {
  /// Notes a descriptive text, unless there is none.
  mutating func note(_ station: MACAddress, _ trait: Trait, _ text: WireText?, _ field: String, grade: Grade = .a) {
    if let text { note(station, .has(trait, text), field, grade: grade) }
  }

  /// Notes a name, unless there is none.
  mutating func note(_ station: MACAddress, _ kind: NameKind, _ text: WireText?, _ field: String, grade: Grade = .a) {
    if let text { note(station, .isNamed(text, kind), field, grade: grade) }
  }

  /// Notes an address that a box states of itself, unless no host can have it (unconfigured boxes state 0.0.0.0).
  mutating func note(_ station: MACAddress, states address: IPAddress, _ field: String, grade: Grade = .a) {
    if address.isHost { note(station, .holds(address, .statement), field, grade: grade) }
  }
}
