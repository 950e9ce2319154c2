import Capture
import Wire

/// `-w`: the frames that pass, into a file. A failure is kept until the caller asks, since frames are lent in a closure that cannot throw.
struct Recording: ~Copyable {
  private var writer: FrameWriter?
  private(set) var error: CaptureError?

  /// - Parameter path: nil records nothing.
  init(_ path: String?, snapLength: Int?) throws(CaptureError) {
    if let path { writer = try FrameWriter(path: path, snapLength: snapLength) }
  }

  mutating func write(_ frame: borrowing Frame) {
    guard error == nil else { return }
    do throws(CaptureError) { try writer?.write(frame) } catch { self.error = error }
  }

  /// Throws what went wrong on the way.
  func check() throws(CaptureError) { if let error { throw error } }

  mutating func finish() throws(CaptureError) {
    try check()
    try writer?.finish()
  }
}
