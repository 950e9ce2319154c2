/// What tells one Ethernet frame from another without reading it: for whoever looks for a frame that is shown twice.
///
/// Equal for frames with the same addresses, the same length and the same bytes behind the EtherType, as far as they are compared; a VLAN tag
/// (IEEE 802.1Q) more or less makes no difference.
public struct EthernetMark: Sendable, BitwiseCopyable {
  /// Never zero.
  public let bits: UInt64
  public let source: MACAddress
  public let isToGroup: Bool
  /// On which of the capture's interfaces it was; in a capture of all at once the kernel's number of it.
  public let interface: UInt32

  /// IP and TCP or UDP with their check sums, and some of what they carry.
  private static let compared = 64

  /// nil for a frame of another link.
  ///
  /// - Parameter seed: a secret, so that nobody chooses frames that look alike.
  public init?(_ frame: borrowing Frame, seed: UInt64) {
    let bytes = frame.bytes
    let start: Int
    var mark: UInt64
    switch frame.link {
    case .ethernet:
      let type = EtherType(bytes.u16(12))
      let tag = type == .vlan || type == .providerVLAN ? 4 : 0
      start = 12 + tag
      mark = mix(bytes.u64(0) ^ seed, UInt64(bytes.u32(8)) << 32 | UInt64(UInt32(truncatingIfNeeded: frame.wireLength &- tag)))
      source = bytes.mac(6)
      isToGroup = bytes.u8(0) & 1 != 0
      interface = UInt32(truncatingIfNeeded: frame.interface)
    // Protocol, reserved, interface, hardware type, packet type, address length, address (LINKTYPE_LINUX_SLL2).
    case .linuxSLL2 where bytes.byteCount >= 20:
      start = 20
      mark = mix(bytes.u64(12) ^ seed, UInt64(bytes.u16(0)) << 32 | UInt64(UInt32(truncatingIfNeeded: frame.wireLength)))
      source = bytes.mac(12)
      isToGroup = bytes.u8(10) == 1 || bytes.u8(10) == 2
      interface = bytes.u32(4)
    default: return nil
    }
    var at = start
    let end = min(bytes.byteCount, at + EthernetMark.compared)
    while at + 8 <= end {
      mark = mix(bytes.u64(at) ^ mark, mark &+ seed)
      at += 8
    }
    while at < end {
      mark = mix(UInt64(bytes.u8(at)) ^ mark, mark &+ seed)
      at += 1
    }
    bits = mark | 1
  }
}
