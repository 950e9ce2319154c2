import CLinux
import CSystemd
import Glibc

/// Signals as something to read: no handler runs in between anything.
final class Signals {
  let descriptor: Int32

  /// Blocks them in this thread, and so in every thread it starts.
  init?() {
    var set = sigset_t()
    sigemptyset(&set)
    for number in [SIGTERM, SIGINT, SIGHUP, SIGQUIT] { sigaddset(&set, number) }
    guard pthread_sigmask(SIG_BLOCK, &set, nil) == 0 else { return nil }
    descriptor = signalfd(-1, &set, Int32(SFD_NONBLOCK) | Int32(SFD_CLOEXEC))
    if descriptor < 0 { return nil }
  }

  deinit { close(descriptor) }

  /// The next signal that came; nil when none did.
  func next() -> Int32? {
    var info = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    return read(descriptor, &info, size) == size ? Int32(bitPattern: info.ssi_signo) : nil
  }
}

/// A descriptor that one thread rings and another one polls.
final class Bell: Sendable {
  let descriptor: Int32

  init() { descriptor = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC)) }
  deinit { close(descriptor) }

  func ring() {
    var one: UInt64 = 1
    _ = write(descriptor, &one, 8)
  }

  /// Sleeps until it rings or the time is up.
  func wait(milliseconds: Int) {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, Int32(clamping: milliseconds)) > 0 else { return }
    var count: UInt64 = 0
    _ = read(descriptor, &count, 8)
  }
}

/// The service manager, where there is one: what it is told, and how often it wants to hear that we live.
struct ServiceManager: Sendable {
  /// Nanoseconds between two signs of life, a third of what the manager waits; nil when it does not wait.
  let watchdogInterval: Int64?

  init() {
    var microseconds: UInt64 = 0
    watchdogInterval = sd_watchdog_enabled(0, &microseconds) > 0 ? Int64(clamping: microseconds / 3) &* 1000 : nil
  }

  func ready() { say("READY=1") }
  func reloading() { say("RELOADING=1\nMONOTONIC_USEC=\(Clocks.monotonicMicroseconds())") }
  func stopping() { say("STOPPING=1") }
  func alive() { say("WATCHDOG=1") }
  /// One line for `systemctl status`.
  func status(_ text: String) { say("STATUS=\(text)") }

  private func say(_ text: String) { _ = sd_notify(0, text) }
}
