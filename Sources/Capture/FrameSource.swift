public import Wire

/// Capture is where frames come from: a capture file (`CaptureFile`) or live interfaces (`LiveCapture`). It alone talks to the kernel,
/// to libpcap and to files, and it alone knows what time it is. It hands over frames and plain facts; it decodes and concludes nothing.
///
/// Frames are lent: their bytes lie in a block of the file or in the kernel's ring and are gone when the call returns. So no frame is
/// copied and none costs an allocation.
public protocol FrameSource: ~Copyable {
  /// Hands over up to `atMost` frames, each lent for the call. Returns whether more may come.
  ///
  /// What a filter leaves out counts towards `atMost`, so that a turn is bounded whatever the filter is.
  mutating func drain(atMost: Int, _ body: (borrowing Frame) -> Void) throws(CaptureError) -> Drained

  /// What is known about the source by now.
  var status: CaptureStatus { get }
}

/// What a source has left.
public enum Drained: Sendable, Hashable {
  /// There may be more at once.
  case more
  /// Nothing there now: live, or a pipe whose writer is slower than we are.
  case idle
  /// Nothing will come any more.
  case end
}

/// Plain facts about a source, for the report.
public struct CaptureStatus: Sendable, Hashable {
  /// In order of appearance, each once.
  public var linkTypes: [LinkType] = []
  /// The names that `Frame.interface` counts through: live names, or the names a pcapng file states, cleaned for display. Empty text
  /// where a file gives none.
  public var interfaceNames: [String] = []
  /// What the file (pcapng statistics), or the kernel and the interfaces, counted as lost; nil when nobody counted.
  public var dropped: Int?
  /// Live: the part of `dropped` that the kernel lost because we were slow.
  public var droppedByKernel: Int?
  /// Live: the part of `dropped` that the interface lost by itself.
  public var droppedByInterface: Int?
  /// Live: what passed the filter, as the kernel counts it (on loopback every frame twice).
  public var received: Int?
  /// Frames read from the source so far, those that a filter left out among them.
  public var frames = 0
  /// For progress: bytes of the file that were read, compressed ones for gzip.
  public var bytesRead = 0
  /// nil for a pipe and live.
  public var fileSize: Int?
  /// The first damage; what stands after it was not read.
  public var damage: CaptureDamage?
  /// Whether the file was cut inside a record.
  public var endsInsideRecord = false
  /// The largest number of bytes that was to be kept of a frame; nil when the source does not say.
  public var snapLength: Int?
  /// Frames that carry no possible time: none at all (simple blocks of pcapng, which get the time of the frame before them), beyond the
  /// year 2200 or before 1970 (clamped), or with a fraction of more than a second (the second is kept).
  public var framesWithoutTime = 0
  /// "pcap", "pcapng", with "gzip" before it; nil live.
  public var format: String?
  /// Live, one for each of `interfaceNames`.
  public var interfaceStates: [InterfaceState] = []

  public init() {}
}

/// Whether a live interface is being captured on.
public enum InterfaceState: Sendable, Hashable {
  case capturing
  /// Not there, or down, since the start or by now.
  case waiting
  /// There, and not listened on: the process may not open more descriptors.
  case leftOut
}

/// Where a capture file stopped making sense.
public struct CaptureDamage: Sendable, Hashable, CustomStringConvertible {
  /// The frame after which it stands; 0 before the first.
  public var afterFrame: Int
  /// In words.
  public var what: String

  public init(afterFrame: Int, what: String) {
    self.afterFrame = afterFrame
    self.what = what
  }

  public var description: String { afterFrame == 0 ? "before the first frame: \(what)" : "after frame \(afterFrame): \(what)" }
}
