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
    asked = .allocate(capacity: 1)
    done = .allocate(capacity: 1)
    sem_init(asked, 0, 0)
    sem_init(done, 0, 0)
    var thread: pthread_t = 0
    // It lives as long as the process.
    let box = Unmanaged.passRetained(self)
    isStaffed =
      pthread_create(
        &thread, nil,
        { box in
          if let box { Unmanaged<Workbench>.fromOpaque(box).takeUnretainedValue().serve() }
          return nil
        }, box.toOpaque()) == 0
    if isStaffed { pthread_detach(thread) } else { box.release() }
  }

  private func serve() {
    while true {
      while sem_wait(asked) != 0 {}
      work?()
      sem_post(done)
    }
  }

  /// Has something done there and waits for it; does it here where there is no such thread.
  func run<Result>(_ body: () -> Result) -> Result {
    guard isStaffed else { return body() }
    return withoutActuallyEscaping(body) { body in
      var result: Result?
      work = { result = body() }
      sem_post(asked)
      while sem_wait(done) != 0 {}
      work = nil
      return result ?? body()
    }
  }
}
