/// A cursor over untrusted bytes that cannot leave its bounds.
///
/// Every dissector reads through it and through nothing else. A sub-element is taken as a reader of its own (`take`), which
/// cannot see past its promise; the parent moves on by the promised length whatever the child does.
///
/// Each read costs a step, and the steps of one frame are bounded: the first reader and all that are taken from it draw on the same
/// ones, so that no frame, however made, costs more than its share of work.
@safe
public struct ByteReader: ~Escapable {
  /// Reads that one frame may cost (`reliability.md` P2): twenty times what the busiest real message takes.
  public static let stepLimit = 10_000

  let bytes: RawSpan
  /// Where in the frame the next byte is: for faults, so that a reader of the report can look it up.
  @usableFromInline let base: Int
  /// Whether the frame was cut by the snap length at this reader's end: then a short read is our doing.
  @usableFromInline let isCut: Bool
  @usableFromInline var at: Int
  /// The steps left, of which there is one count for all readers of a frame. It lives in `read`, which no reader outlives.
  let steps: UnsafeMutablePointer<Int>

  @_lifetime(copy bytes)
  private init(_ bytes: RawSpan, base: Int, isCut: Bool, steps: UnsafeMutablePointer<Int>) {
    self.bytes = bytes
    self.base = base
    self.isCut = isCut
    self.at = 0
    unsafe self.steps = steps
  }

  /// Hands a reader of `bytes` to `body`.
  ///
  /// - Parameters:
  ///   - bytes: what may be read.
  ///   - base: offset of the first byte from the frame's first byte.
  ///   - isCut: whether more followed on the wire than was captured.
  ///   - steps: how many reads this reader and all that are taken from it may make; afterwards, what is left of them.
  public static func read(
    _ bytes: RawSpan, base: Int = 0, isCut: Bool = false, steps: inout Int, _ body: (inout ByteReader) throws(WireFault) -> Void
  ) throws(WireFault) {
    try unsafe withUnsafeMutablePointer(to: &steps) { (steps) throws(WireFault) in
      var reader = unsafe ByteReader(bytes, base: base, isCut: isCut, steps: steps)
      try body(&reader)
    }
  }

  /// A reader of bytes that stand elsewhere in the message, or were put together of its parts: on the same steps.
  @_lifetime(copy bytes, copy self)
  func over(_ bytes: RawSpan, base: Int) -> ByteReader { unsafe ByteReader(bytes, base: base, isCut: false, steps: steps) }

  /// Bytes left.
  public var remaining: Int { bytes.byteCount &- at }
  public var isAtEnd: Bool { at >= bytes.byteCount }
  /// Bytes already passed, from this reader's first byte.
  public var position: Int { at }
  /// The place of the next byte, from the frame's first byte.
  public var offset: Int { base &+ at }

  @inline(never)
  func short() -> WireFault { WireFault(isCut ? .cutByCapture : .shorterThanItSays, at: offset) }

  @inline(__always)
  mutating func need(_ count: Int) throws(WireFault) {
    if count > bytes.byteCount &- at { throw short() }
    guard unsafe steps.pointee > 0 else { throw WireFault(.tooMuch, at: offset) }
    unsafe steps.pointee &-= 1
  }

  public mutating func u8() throws(WireFault) -> UInt8 {
    try need(1)
    defer { at &+= 1 }
    return bytes.u8(at)
  }

  public mutating func u16() throws(WireFault) -> UInt16 {
    try need(2)
    defer { at &+= 2 }
    return bytes.u16(at)
  }

  public mutating func u24() throws(WireFault) -> UInt32 {
    try need(3)
    defer { at &+= 3 }
    return UInt32(bytes.u8(at)) << 16 | UInt32(bytes.u16(at &+ 1))
  }

  public mutating func u32() throws(WireFault) -> UInt32 {
    try need(4)
    defer { at &+= 4 }
    return bytes.u32(at)
  }

  public mutating func u64() throws(WireFault) -> UInt64 {
    try need(8)
    defer { at &+= 8 }
    return bytes.u64(at)
  }

  public mutating func u16LE() throws(WireFault) -> UInt16 { try u16().byteSwapped }
  public mutating func u32LE() throws(WireFault) -> UInt32 { try u32().byteSwapped }
  public mutating func u64LE() throws(WireFault) -> UInt64 { try u64().byteSwapped }

  public mutating func mac() throws(WireFault) -> MACAddress {
    try need(6)
    defer { at &+= 6 }
    return bytes.mac(at)
  }

  public mutating func ipv4() throws(WireFault) -> IPv4Address { IPv4Address(try u32()) }

  public mutating func ipv6() throws(WireFault) -> IPv6Address {
    try need(16)
    defer { at &+= 16 }
    return IPv6Address(high: bytes.u64(at), low: bytes.u64(at &+ 8))
  }

  /// The next byte without moving on, or nil at the end.
  public func peek(_ ahead: Int = 0) -> UInt8? {
    ahead >= 0 && ahead < remaining ? bytes.u8(at &+ ahead) : nil
  }

  public mutating func skip(_ count: Int) throws(WireFault) {
    guard count >= 0 else { throw WireFault(.malformed, at: offset) }
    try need(count)
    at &+= count
  }

  /// A reader of the next `count` bytes; this one moves past them.
  @_lifetime(copy self)
  public mutating func take(_ count: Int) throws(WireFault) -> ByteReader {
    guard count >= 0 else { throw WireFault(.malformed, at: offset) }
    try need(count)
    let child = over(bytes.part(at, count), base: offset)
    at &+= count
    return child
  }

  /// As `take`, but clamped to what is there: for the last element of a frame that the capture cut.
  @_lifetime(copy self)
  public mutating func takeAvailable(_ count: Int) -> ByteReader {
    let n = Swift.max(0, Swift.min(count, remaining))
    let child = unsafe ByteReader(bytes.part(at, n), base: offset, isCut: n < count && isCut, steps: steps)
    at &+= n
    return child
  }

  /// The value of an element whose length, the 16 bits that come next, counts the element's head as well: `header` bytes of type and
  /// length. A length under that is `.malformed`; this reader moves past the value.
  @_lifetime(copy self)
  public mutating func takeCounted(header: Int) throws(WireFault) -> ByteReader {
    let place = offset
    let length = Int(try u16())
    guard length >= header else { throw WireFault(.malformed, at: place) }
    return try take(length &- header)
  }

  /// The rest, without moving on.
  @_lifetime(copy self)
  public func rest() -> RawSpan { bytes.part(at, remaining) }

  /// All bytes of this reader from its first, read or not: for formats whose names point back into the message.
  @_lifetime(copy self)
  public func whole() -> RawSpan { bytes }

  /// Text of the next `count` bytes, its exact bytes kept up to `WireText.limit`.
  public mutating func text(_ count: Int) throws(WireFault) -> WireText {
    guard count >= 0 else { throw WireFault(.malformed, at: offset) }
    try need(count)
    defer { at &+= count }
    return WireText(bytes.part(at, count))
  }

  /// Text of all the bytes that are left.
  public mutating func textToEnd() -> WireText {
    defer { at = bytes.byteCount }
    return WireText(bytes.part(at, remaining))
  }
}
