import Capture
import Model
import Wire

/// A capture file, read to its end: what the program concludes from it, or why there is nothing to conclude from.
struct CaptureReading {
  /// nil when the file could not be read at all; then a message has said why.
  private(set) var snapshot: Snapshot?
  private(set) var status = Status.ok.rawValue
  private var damage: String?

  /// - Parameters:
  ///   - path: `-` is standard input.
  ///   - limit: frames that are read at most.
  ///   - copy: the file to which the frames are written as well.
  static func read(
    _ path: String, filter: String? = nil, limit: Int = .max, recordingTo copy: String? = nil, isSilent: Bool
  ) -> CaptureReading {
    Interrupt.listen()
    var out = CaptureReading()
    var pipeline = Pipeline()
    var progress = ProgressLine(!isSilent)
    do throws(CaptureError) {
      var source = try CaptureFile(path: path, filter: filter)
      var recording = try Recording(copy, snapLength: nil)
      var left = limit
      reading: while left > 0, !Interrupt.isRequested {
        let drained = try source.drain(atMost: min(left, 4096)) { frame in
          pipeline.process(frame)
          recording.write(frame)
          left -= 1
        }
        try recording.check()
        progress.show(source.status)
        if drained == .end { break reading }
      }
      progress.clear()
      try recording.finish()
      let status = source.status
      var context = CaptureContext()
      context.name = WireText(path == "-" ? "standard input" : path.split(separator: "/").last.map(String.init) ?? path)
      context.linkTypes = status.linkTypes
      context.dropped = status.dropped
      context.endsInsideRecord = status.endsInsideRecord
      context.filter = filter
      context.makers = Vendors.names
      out.snapshot = pipeline.snapshot(context)
      out.damage = status.damage.map { "\(path) is damaged \($0); everything up to there is in the report" }
    } catch {
      progress.clear()
      Console.message(error.description)
      out.status = error.exitStatus
    }
    return out
  }

  /// Says where the file is damaged, after the answer; the status to end with.
  func tellDamage() -> Int32 {
    guard let damage else { return status }
    Console.message(damage)
    return Status.dataError.rawValue
  }
}
