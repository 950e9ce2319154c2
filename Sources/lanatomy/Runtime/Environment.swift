import Glibc

/// Of the environment, only what the terminal and the service manager set is read.
enum Environment {
  static var allowsColor: Bool {
    if let value = getenv("NO_COLOR"), value.pointee != 0 { return false }
    if let value = getenv("TERM"), String(cString: value) == "dumb" { return false }
    return true
  }
}

extension Environment {
  /// A folder that the service manager made for us: the first, where it made several.
  static func folder(_ name: String) -> String? {
    guard let value = getenv(name) else { return nil }
    let first = String(cString: value).split(separator: ":").first.map(String.init)
    return first.flatMap { $0.hasPrefix("/") ? $0 : nil }
  }

  /// Whether standard error is the journal's: only then does the service manager's word for it hold (systemd.exec(5), JOURNAL_STREAM).
  static var stderrIsJournal: Bool {
    guard let value = getenv("JOURNAL_STREAM") else { return false }
    var facts = stat()
    guard fstat(2, &facts) == 0 else { return false }
    return String(cString: value) == "\(facts.st_dev):\(facts.st_ino)"
  }
}
