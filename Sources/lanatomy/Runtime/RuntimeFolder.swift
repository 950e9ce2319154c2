import Glibc
import Wire

/// What the running daemon published, for the commands that read it. Nobody asks the daemon itself: files are all there is between us.
struct RuntimeFolder {
  static let report = "report.json"
  static let evidence = "evidence.json"
  /// Seconds after which a file counts as left behind: the daemon writes one every few seconds.
  private static let freshness = 120
  /// A hundred times the report of the largest network that we list.
  private static let limit = 1 << 28

  private let path: String

  init(_ path: String?) { self.path = path ?? "/run/lanatomy" }

  /// Why a file of the daemon's cannot be read, and the status to end with.
  struct Problem: Error {
    let text: String
    let status: Status

    func tell() -> Int32 {
      Console.message(text)
      return status.rawValue
    }
  }

  /// That a daemon publishes there now.
  func checkIsFresh(_ file: String) throws(Problem) {
    let path = path + "/" + file
    var facts = stat()
    guard stat(path, &facts) == 0 else { throw Problem(unreadable: path) }
    let age = Int(Clocks.wall().second) - Int(facts.st_mtim.tv_sec)
    guard age > RuntimeFolder.freshness else { return }
    throw Problem(
      text: "\(path) is \(age) s old: the daemon that wrote it runs no more; 'systemctl status lanatomy' may tell why", status: .unavailable
    )
  }

  func contents(_ file: String) throws(Problem) -> [UInt8] {
    let path = path + "/" + file
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { throw Problem(unreadable: path) }
    defer { close(descriptor) }
    var out: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while out.count < RuntimeFolder.limit {
      let got = read(descriptor, &block, block.count)
      if got < 0 { throw Problem(unreadable: path) }
      if got == 0 { break }
      out.append(contentsOf: block[..<got])
    }
    return out
  }
}

extension RuntimeFolder.Problem {
  /// What the system says of a file, and what to do about it.
  init(unreadable path: String) {
    if errno == EACCES {
      self.init(text: "\(path): no right to read it; members of the group 'lanatomy' may", status: .noPermission)
    } else {
      self.init(
        text: "\(path): \(String(cString: strerror(errno))); no daemon has written there; 'lanatomy report' needs none",
        status: .unavailable)
    }
  }
}
