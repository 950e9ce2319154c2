/// One captured frame, lent for the length of a call: its bytes cannot be kept.
@frozen
public struct Frame: ~Escapable, BitwiseCopyable {
  /// 1-based, as every other analyser counts: in the file, or since the capture started.
  public var number: Int
  public var time: Timestamp
  /// Which of the capture's interfaces it came from, 0-based.
  public let interface: Int
  public let link: LinkType
  /// Bytes on the wire; `bytes` may hold fewer when the snap length cut it.
  public var wireLength: Int
  /// Where the capture knows it: whether our own machine sent the frame.
  public let direction: Direction
  public var bytes: RawSpan

  @inlinable
  @_lifetime(copy bytes)
  public init(
    number: Int, time: Timestamp, interface: Int, link: LinkType, wireLength: Int, direction: Direction = .unknown, bytes: RawSpan
  ) {
    self.number = number
    self.time = time
    self.interface = interface
    self.link = link
    // A file may claim less than it holds; the bytes are there all the same.
    self.wireLength = max(wireLength, bytes.byteCount)
    self.direction = direction
    self.bytes = bytes
  }

  /// Becomes the next frame of the same interface. For readers of files, whose loop would otherwise take down a value for each frame.
  @inlinable
  @_lifetime(self: copy bytes)
  public mutating func turn(to number: Int, time: Timestamp, wireLength: Int, bytes: RawSpan) {
    self.number = number
    self.time = time
    self.wireLength = max(wireLength, bytes.byteCount)
    self.bytes = bytes
  }
}

/// Which way a frame went, seen from the capturing machine.
public enum Direction: UInt8, Sendable, BitwiseCopyable {
  case unknown, received, sent
}
