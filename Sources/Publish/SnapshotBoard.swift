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
    var isFinished = false
  }

  private let state = Mutex(State())
  /// Rings when something was posted; called outside the lock, on the posting thread.
  private let bell: @Sendable () -> Void

  public init(bell: @escaping @Sendable () -> Void = {}) { self.bell = bell }

  /// - Parameter isLast: no more will come.
  public func post(_ snapshot: Snapshot, isLast: Bool = false) {
    state.withLock {
      $0.latest = snapshot
      $0.isFinished = isLast
    }
    bell()
  }

  /// The newest snapshot, once: nil when none was posted since the last call; and whether it is the last. The board lets go of it, so that it
  /// belongs to the one reader alone, who finishes it in place. Never waits.
  public func take() -> (snapshot: Snapshot?, isLast: Bool) {
    state.withLock { state in
      defer { state.latest = nil }
      return (state.latest, state.isFinished)
    }
  }
}
