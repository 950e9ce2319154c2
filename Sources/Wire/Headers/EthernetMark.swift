/// What tells one Ethernet frame from another without reading it: for whoever looks for a frame that is shown twice.
///
/// Equal for frames with the same addresses, the same length and the same bytes behind the EtherType, as far as they are compared; a VLAN tag
/// (IEEE 802.1Q) more or less makes no difference.
public struct EthernetMark: Sendable, BitwiseCopyable {
  /// Never zero.
  public let bits: UInt64
  public let source: MACAddress
  public let isToGroup: Bool

  /// IP and TCP or UDP with their check sums, and some of what they carry.
  private static let compared = 64

  /// nil for a frame of another link.
  ///
  /// - Parameter seed: a secret, so that nobody chooses frames that look alike.
  public init?(_ frame: borrowing Frame, seed: UInt64) {
    guard frame.link == .ethernet else { return nil }
    let bytes = frame.bytes
    let type = EtherType(bytes.u16(12))
    let tag = type == .vlan || type == .providerVLAN ? 4 : 0
    var mark = mix(bytes.u64(0) ^ seed, UInt64(bytes.u32(8)) << 32 | UInt64(UInt32(truncatingIfNeeded: frame.wireLength &- tag)))
    var at = 12 + tag
    let end = min(bytes.byteCount, at + EthernetMark.compared)
    while at + 8 <= end {
      mark = mix(bytes.u64(at) ^ mark, mark &+ seed)
      at += 8
    }
    while at < end {
      mark = mix(UInt64(bytes.u8(at)) ^ mark, mark &+ seed)
      at += 1
    }
    bits = mix(mark, UInt64(truncatingIfNeeded: frame.interface) &+ seed) | 1
    source = bytes.mac(6)
    isToGroup = bytes.u8(0) & 1 != 0
  }
}
