/// The mirror of `ByteReader`: for the frames that scenarios and tests build.
public struct ByteWriter {
  public private(set) var bytes: [UInt8] = []

  public init() {}

  public var count: Int { bytes.count }

  public mutating func u8(_ v: UInt8) { bytes.append(v) }
  public mutating func u16(_ v: UInt16) {
    bytes.append(UInt8(v >> 8))
    bytes.append(UInt8(truncatingIfNeeded: v))
  }
  public mutating func u32(_ v: UInt32) {
    u16(UInt16(v >> 16))
    u16(UInt16(truncatingIfNeeded: v))
  }
  public mutating func u64(_ v: UInt64) {
    u32(UInt32(v >> 32))
    u32(UInt32(truncatingIfNeeded: v))
  }
  public mutating func u16LE(_ v: UInt16) { u16(v.byteSwapped) }
  public mutating func u32LE(_ v: UInt32) { u32(v.byteSwapped) }
  public mutating func mac(_ v: MACAddress) {
    u16(UInt16(truncatingIfNeeded: v.bits >> 32))
    u32(UInt32(truncatingIfNeeded: v.bits))
  }
  public mutating func ipv4(_ v: IPv4Address) { u32(v.bits) }
  public mutating func ipv6(_ v: IPv6Address) {
    u64(v.high)
    u64(v.low)
  }
  public mutating func append(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }
  public mutating func text(_ text: String) { bytes.append(contentsOf: text.utf8) }
  public mutating func zeros(_ count: Int) { bytes.append(contentsOf: repeatElement(0, count: max(0, count))) }

  /// Writes over what is there; outside it nothing happens.
  public mutating func put16(_ v: UInt16, at offset: Int) {
    guard offset >= 0, offset + 1 < bytes.count else { return }
    bytes[offset] = UInt8(v >> 8)
    bytes[offset + 1] = UInt8(truncatingIfNeeded: v)
  }

  /// Pads with zeros to at least `length`.
  public mutating func pad(to length: Int) { zeros(length - bytes.count) }
}
