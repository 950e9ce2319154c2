import Glibc

/// Of the environment, only what the terminal sets is read.
enum Environment {
  static var allowsColor: Bool {
    if let value = getenv("NO_COLOR"), value.pointee != 0 { return false }
    if let value = getenv("TERM"), String(cString: value) == "dumb" { return false }
    return true
  }
}
