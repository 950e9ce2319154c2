public import Wire

/// Frames from one or more interfaces of this machine, by libpcap: block mode with 100 ms (never immediate mode, which costs seven times
/// as much a frame and loses some), one ring for each interface, nanoseconds.
///
/// It only ever listens: nothing here can send a frame.
public struct LiveCapture: FrameSource, ~Copyable {
  private var taps: LiveTaps

  /// Opens every interface that was asked for; without names, the one with the default route.
  public init(_ settings: CaptureSettings) throws(CaptureError) {
    taps = try LiveTaps.open(settings)
  }

  /// Hands over what lies in the rings; never waits. With several interfaces each gets its turn.
  ///
  /// An interface that goes away ends the capture with an error when it was the last one; the others go on. A capture that waits for
  /// interfaces (`CaptureSettings.waitsForInterfaces`) opens it again when it is back.
  public mutating func drain(atMost: Int, _ body: (borrowing Frame) -> Void) throws(CaptureError) -> Drained {
    try taps.drain(atMost: atMost, body)
  }

  /// Sleeps until there are frames, `also` is readable, a signal came, or the time is up. Returns whether it is worth draining.
  ///
  /// - Parameter also: a descriptor of the caller's, for its own timers and signals.
  public mutating func wait(milliseconds: Int, also: Int32 = -1) -> Bool { taps.wait(milliseconds: milliseconds, also: also) }

  /// Goes on with the count of a capture before this one.
  ///
  /// - Parameters:
  ///   - frames: how many frames came before: the next one has the number after that.
  ///   - interfaces: the number of each interface of this capture, for `Frame.interface`.
  public mutating func goOn(after frames: Int, as interfaces: [Int]) { taps.goOn(after: frames, as: interfaces) }

  /// Asks the kernel for its counters each time, which takes a file of its own to be opened.
  public var status: CaptureStatus { taps.status }

  /// Another number whenever an interface went, came back or has a new name.
  public var changes: Int { taps.changes }

  /// The names that are captured on; without `goOn` in the order of `Frame.interface`.
  public var interfaces: [String] { taps.taps.map(\.name) }
}
