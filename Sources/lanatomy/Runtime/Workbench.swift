import Glibc

/// A thread for work that takes much memory for a moment: the snapshots.
///
/// The C library gives each thread a heap of its own. What is kept for months lies close together on that of the thread that captures, and
/// when a snapshot is gone nothing of it is left between; on one heap each page of it would hold a few bytes that stay, and none could go
/// back to the system.
final class Workbench {
  private let asked: UnsafeMutablePointer<sem_t>
  private let done: UnsafeMutablePointer<sem_t>
  private var work: (() -> Void)?
  private var isStaffed = false

  init() {
    unsafe asked = .allocate(capacity: 1)
    unsafe done = .allocate(capacity: 1)
    unsafe sem_init(asked, 0, 0)
    unsafe sem_init(done, 0, 0)
    var thread: pthread_t = 0
    // It lives as long as the process.
    let box = Unmanaged.passRetained(self)
    isStaffed =
      unsafe pthread_create(
        &thread, nil,
        { box in
          if let box { unsafe Unmanaged<Workbench>.fromOpaque(box).takeUnretainedValue().serve() }
          return nil
        }, box.toOpaque()) == 0
    if isStaffed { pthread_detach(thread) } else { box.release() }
  }

  private func serve() {
    while true {
      while unsafe sem_wait(asked) != 0 {}
      work?()
      unsafe sem_post(done)
    }
  }

  /// Has something done there and waits for it; does it here where there is no such thread.
  func run<Result>(_ body: () -> Result) -> Result {
    guard isStaffed else { return body() }
    return withoutActuallyEscaping(body) { body in
      var result: Result?
      work = { result = body() }
      unsafe sem_post(asked)
      while unsafe sem_wait(done) != 0 {}
      work = nil
      return result ?? body()
    }
  }
}
