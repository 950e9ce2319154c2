import Glibc
import Synchronization

/// Ctrl-C and its kin: the first asks for an orderly end, the second ends at once.
enum Interrupt {
  private static let count = Atomic<Int>(0)

  static var isRequested: Bool { count.load(ordering: .relaxed) > 0 }

  static func listen() {
    for number in [SIGINT, SIGTERM, SIGHUP] {
      signal(number) { _ in
        if Interrupt.count.add(1, ordering: .relaxed).oldValue > 0 { _exit(130) }
      }
    }
  }

  /// A closed pipe is an error of `write`, not the end of the process.
  static func ignorePipe() { signal(SIGPIPE, SIG_IGN) }
}
