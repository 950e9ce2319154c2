/// A digest of what a dissector goes by: the headers as the walk found them, and every byte of the payload. Two messages with one mark state the
/// same, whenever and wherever they were captured.
public struct MessageMark: Sendable, BitwiseCopyable {
  public let bits: UInt64

  /// nil for a message to one station, which is part of a conversation and hardly said twice, for one of a radio, whose every frame has a
  /// number, and for headers that contradict themselves.
  ///
  /// - Parameters:
  ///   - s: is not changed; one that is merely lent would be copied.
  ///   - seed: a secret, so that nobody chooses messages that look alike.
  public init?(_ frame: borrowing Frame, _ s: inout FrameSummary, seed: UInt64) {
    guard s.isGroupDestination, s.stop == nil, s.flags.isDisjoint(with: [.isWireless, .badFCS]) else { return nil }
    var mark = Chain(seed)
    mark.add(s.source.bits, s.destination.bits)
    mark.add(s.sourceAddress.high, s.sourceAddress.low)
    mark.add(s.destinationAddress.high, s.destinationAddress.low)
    mark.add(Self.packed(s.sourcePort.rawValue, s.destinationPort.rawValue, s.flags.rawValue, s.etherType.rawValue), s.snap)
    mark.add(Self.packed(s.vlans.0, s.vlans.1, s.vlans.2, s.vlans.3), UInt64(s.llc) << 32 | UInt64(s.link.rawValue))
    let small = Self.packed(
      UInt16(s.vlanCount) << 8 | UInt16(s.hopLimit), UInt16(s.icmpType) << 8 | UInt16(s.icmpCode),
      UInt16(s.ipProtocol.rawValue) << 8 | (s.payloadIsCut ? 1 : 0), UInt16(bitPattern: s.switchPort))
    let length = s.payloadLength
    mark.add(small, UInt64(truncatingIfNeeded: s.payloadOffset) << 32 | UInt64(truncatingIfNeeded: length))
    let payload = frame.bytes.part(s.payloadOffset, length)
    var at = 0
    while at &+ 16 <= payload.byteCount {
      mark.add(payload.u64(at), payload.u64(at &+ 8))
      at &+= 16
    }
    if at &+ 8 <= payload.byteCount {
      mark.add(payload.u64(at), 0)
      at &+= 8
    }
    while at < payload.byteCount {
      mark.add(UInt64(payload.u8(at)), 0)
      at &+= 1
    }
    bits = mark.bits
  }

  @inline(__always)
  private static func packed(_ a: UInt16, _ b: UInt16, _ c: UInt16, _ d: UInt16) -> UInt64 {
    UInt64(a) << 48 | UInt64(b) << 32 | UInt64(c) << 16 | UInt64(d)
  }

  /// What was added so far stands in both factors: no product is zero for long, whoever chooses the words.
  private struct Chain {
    private let seed: UInt64
    private(set) var bits: UInt64

    init(_ seed: UInt64) {
      self.seed = seed
      bits = mix(seed, 0)
    }

    @inline(__always)
    mutating func add(_ a: UInt64, _ b: UInt64) { bits = mix(a ^ bits, b ^ (bits &+ seed)) }
  }
}
