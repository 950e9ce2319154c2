/// The one place where bytes of a frame are loaded.
///
/// Each load checks its bounds and gives zero outside them: callers test a header's length first, so that never happens,
/// and should a caller ever be wrong, a hostile frame gets a zero and not a trap or somebody else's memory.
extension RawSpan {
  @inlinable @inline(__always)
  public func u8(_ offset: Int) -> UInt8 {
    guard offset >= 0, offset < byteCount else { return 0 }
    return unsafe unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
  }

  @inlinable @inline(__always)
  public func u16(_ offset: Int) -> UInt16 {
    guard offset >= 0, offset <= byteCount &- 2 else { return 0 }
    return unsafe UInt16(bigEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt16.self))
  }

  @inlinable @inline(__always)
  public func u32(_ offset: Int) -> UInt32 {
    guard offset >= 0, offset <= byteCount &- 4 else { return 0 }
    return unsafe UInt32(bigEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt32.self))
  }

  /// Two numbers of one header under one check, the second `gap` bytes behind the start of the first.
  @inlinable @inline(__always)
  public func u32(_ offset: Int, andU16 gap: Int) -> (UInt32, UInt16) {
    guard offset >= 0, gap >= 0, offset <= byteCount &- gap &- 4 else { return (0, 0) }
    return unsafe (
      UInt32(bigEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt32.self)),
      UInt16(bigEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset &+ gap, as: UInt16.self))
    )
  }

  @inlinable @inline(__always)
  public func u64(_ offset: Int) -> UInt64 {
    guard offset >= 0, offset <= byteCount &- 8 else { return 0 }
    return unsafe UInt64(bigEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
  }

  @inlinable @inline(__always)
  public func u16LE(_ offset: Int) -> UInt16 { u16(offset).byteSwapped }

  @inlinable @inline(__always)
  public func u32LE(_ offset: Int) -> UInt32 { u32(offset).byteSwapped }

  @inlinable @inline(__always)
  public func mac(_ offset: Int) -> MACAddress {
    MACAddress(bits: UInt64(u16(offset)) << 32 | UInt64(u32(offset &+ 2)))
  }

  /// The bytes from `offset`, at most `count`, clamped to what is there.
  @inlinable @inline(__always)
  @_lifetime(copy self)
  public func part(_ offset: Int, _ count: Int) -> RawSpan {
    let from = Swift.min(Swift.max(0, offset), byteCount)
    let to = Swift.min(Swift.max(from, from &+ Swift.max(0, count)), byteCount)
    return extracting(from..<to)
  }

  /// A copy. Only for what is kept.
  public func copied() -> [UInt8] {
    unsafe withUnsafeBytes { unsafe [UInt8]($0) }
  }
}

extension Span<UInt8> {
  /// The same bytes for a reader: for values that were put together from pieces. Bytes have no padding that could be read unset.
  var raw: RawSpan {
    @_lifetime(copy self) get { unsafe bytes }
  }
}
