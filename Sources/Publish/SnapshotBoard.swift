public import Model
import Synchronization

/// Where the newest snapshot hangs, between the thread that captures and the one that publishes.
///
/// It holds one snapshot, not a queue: a publisher that is slow misses some and works on the difference between the last one it saw and the
/// newest. So nothing grows while a disk is slow, and nothing that changed is lost. Posting never waits for a reader.
///
/// The reader sleeps in `poll` among its other descriptors; `bell` wakes it (the daemon writes to an eventfd).
public final class SnapshotBoard: Sendable {
  private struct State {
    var latest: Snapshot?
    var count = 0
    var isFinished = false
  }

  private let state = Mutex(State())
  /// Rings when something was posted; called outside the lock, on the posting thread.
  private let bell: @Sendable () -> Void

  public init(bell: @escaping @Sendable () -> Void = {}) { self.bell = bell }

  public var latest: Snapshot? { state.withLock(\.latest) }
  /// No more snapshots will come.
  public var isFinished: Bool { state.withLock(\.isFinished) }

  public func post(_ snapshot: Snapshot) {
    state.withLock {
      $0.latest = snapshot
      $0.count += 1
    }
    bell()
  }

  /// The newest snapshot when it is another one than the `seen`-th; never waits.
  public func next(after seen: Int) -> (snapshot: Snapshot, count: Int)? {
    state.withLock { state in
      guard state.count != seen, let latest = state.latest else { return nil }
      return (latest, state.count)
    }
  }

  /// Says that the last snapshot was posted.
  public func finish() {
    state.withLock { $0.isFinished = true }
    bell()
  }
}
