internal import Glibc
internal import Wire

/// What went wrong at the edge to the world: what happened, to what, and what to do about it.
public struct CaptureError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The exit status of a command that ends with this error (`sysexits.h`).
  public enum Status: Int32, Sendable {
    /// A bad filter, an impossible interface name.
    case usage = 64
    /// The file is no capture, or damaged before its first frame.
    case data = 65
    /// No such file or interface, or it may not be read.
    case noInput = 66
    /// The system refused something that should work.
    case system = 71
    /// Reading or writing failed, or the interface is gone.
    case io = 74
    /// The interface is not up.
    case tryAgain = 75
    /// No right to capture.
    case noPermission = 77
  }

  public var status: Status
  /// The file or interface, cleaned for display.
  public var subject: String
  public var what: String
  public var remedy: String?

  public init(_ status: Status, _ subject: String, _ what: String, remedy: String? = nil) {
    self.status = status
    self.subject = WireText.clean(subject)
    self.what = what
    self.remedy = remedy
  }

  public var exitStatus: Int32 { status.rawValue }

  /// One line.
  public var description: String {
    let start = subject.isEmpty ? what : "\(subject): \(what)"
    return remedy.map { "\(start); \($0)" } ?? start
  }
}

/// The system's words for an error number.
func words(for number: Int32) -> String {
  guard let text = strerror(number) else { return "error \(number)" }
  return String(cString: text)
}

/// Text from a C library, which may hold what its caller chose: cleaned, and one line.
func words(from text: UnsafePointer<CChar>?) -> String {
  guard let text else { return "no reason given" }
  return WireText.clean(String(cString: text))
}
