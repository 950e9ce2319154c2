public import Wire

/// A capture file or pipe: pcap and pcapng, plain or gzip, read in blocks of our own; frames are lent where they lie in the block.
///
/// A file that is no capture is an error. A capture that is cut or damaged gives every frame up to there and says so in `status`.
public struct CaptureFile: FrameSource, ~Copyable {
  private var reader: FileReader

  /// Opens a file; of a file on disk, everything before its first frame is looked at.
  ///
  /// - Parameters:
  ///   - path: `-` is standard input.
  ///   - filter: in libpcap's language.
  public init(path: String, filter: String? = nil) throws(CaptureError) {
    reader = try FileReader.open(path, filter)
  }

  /// For a pipe, a turn that finds nothing takes a tenth of a second, so that a caller can look at its signals and need not wait.
  public mutating func drain(atMost: Int, _ body: (borrowing Frame) -> Void) throws(CaptureError) -> Drained {
    try reader.drain(atMost: atMost, body)
  }

  public var status: CaptureStatus { reader.status }
}
