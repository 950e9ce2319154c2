/// Why reading a frame stopped, where, and who is to blame: our capture, or the packet itself.
public struct WireFault: Error, Hashable, Sendable, BitwiseCopyable {
  public enum Reason: UInt8, Sendable, BitwiseCopyable, CaseIterable {
    /// The snap length ended the frame: our doing, no sign of anything.
    case cutByCapture
    /// A length inside the packet promises more than the packet holds.
    case shorterThanItSays
    /// A value contradicts its own standard.
    case malformed
    /// More nesting than anything real has.
    case tooDeep
    /// More work than one frame may cost.
    case tooMuch
    /// A version or form we do not read: not an error of the sender.
    case unsupported
  }

  public var reason: Reason
  /// Bytes from the first byte of the frame.
  public var offset: Int

  public init(_ reason: Reason, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }

  /// Whether the packet contradicts itself (the report's `malformed`), rather than being cut or merely foreign to us.
  @inlinable public var isSenderFault: Bool {
    switch reason {
    case .shorterThanItSays, .malformed, .tooDeep: true
    case .cutByCapture, .tooMuch, .unsupported: false
    }
  }
}
