import Glibc

/// The one place that writes: answers to stdout, everything else to stderr.
enum Console {
  static let stdoutIsTerminal = isatty(1) != 0
  static let stderrIsTerminal = isatty(2) != 0

  /// Writes an answer whole. Returns false when the reader is gone, or the disk full.
  @discardableResult
  static func answer(_ text: String) -> Bool { write(text, to: 1) }

  /// A message for the person who runs the program: one line.
  static func message(_ text: String) { write("lanatomy: \(text)\n", to: 2) }

  static func raw(_ text: String) { write(text, to: 2) }

  @discardableResult
  private static func write(_ text: String, to descriptor: Int32) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      var at = 0
      while at < bytes.count {
        guard let base = bytes.baseAddress else { return true }
        let n = Glibc.write(descriptor, base + at, bytes.count - at)
        if n < 0 {
          if errno == EINTR { continue }
          return false
        }
        at += n
      }
      return true
    }
  }
}

/// Exit statuses (`sysexits.h`).
enum Status: Int32 {
  case ok = 0
  case usage = 64
  case dataError = 65
  case noInput = 66
  case unavailable = 69
  case software = 70
  case osError = 71
  case ioError = 74
  case tempFail = 75
  case noPermission = 77
  case config = 78
}

func finish(_ status: Int32) -> Never { exit(status) }
