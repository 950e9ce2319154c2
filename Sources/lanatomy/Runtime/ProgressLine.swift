import Capture
import Glibc

/// One line on a terminal that says how far a long reading is.
struct ProgressLine {
  private let isOn: Bool
  private let started = ProgressLine.now()
  private var lastShown = 0.0
  private var isShown = false

  init(_ isOn: Bool) { self.isOn = isOn && Console.stderrIsTerminal }

  mutating func show(_ status: CaptureStatus) {
    guard isOn else { return }
    let elapsed = ProgressLine.now() - started
    guard elapsed > 1, elapsed - lastShown > 0.2 else { return }
    lastShown = elapsed
    isShown = true
    var text = "\r\(status.frames) frames"
    if let size = status.fileSize, size > 0, status.bytesRead > 0 {
      let part = min(1, Double(status.bytesRead) / Double(size))
      text += ", \(Int(part * 100)) %"
      if part > 0.01 { text += ", \(Int(elapsed / part * (1 - part)) + 1) s left" }
    } else {
      text += ", \(Int(elapsed)) s"
    }
    Console.raw(text + "   ")
  }

  mutating func clear() {
    if isShown { Console.raw("\r\u{1b}[K") }
    isShown = false
  }

  /// Seconds of a clock that nobody sets.
  static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
