import Capture
import Publish
import Synchronization

/// What the threads of the daemon that capture and publish tell each other besides snapshots: a few flags, and new settings with their answer.
final class Exchange: Sendable {
  let board: SnapshotBoard
  /// Wakes the publish thread.
  let bell = Bell()
  /// Wakes the capture thread when all is published at the end.
  let published = Bell()
  let makers = MakerBook()

  private let reloads = Atomic<Int>(0)
  private let turns = Atomic<Int>(0)
  private let finished = Atomic<Bool>(false)
  private let rest = Atomic<Int>(5)

  private struct Box {
    var offer: CaptureSettings?
    var answer: Answer?
  }
  enum Answer: Sendable {
    case taken
    case refused(String)
  }
  private let box = Mutex(Box())

  init() {
    let bell = bell
    board = SnapshotBoard { bell.ring() }
  }

  // The capture thread says:
  func requestReload() {
    reloads.add(1, ordering: .relaxed)
    bell.ring()
  }
  func turn() { turns.add(1, ordering: .relaxed) }
  /// Seconds between two snapshots while nothing but traffic changes.
  var restSeconds: Int { rest.load(ordering: .relaxed) }
  func takeOffer() -> CaptureSettings? {
    box.withLock { box in
      defer { box.offer = nil }
      return box.offer
    }
  }
  func answer(_ answer: Answer) {
    box.withLock { $0.answer = answer }
    bell.ring()
  }
  var isPublished: Bool { finished.load(ordering: .acquiring) }

  // The publish thread says:
  var reloadCount: Int { reloads.load(ordering: .relaxed) }
  var turnCount: Int { turns.load(ordering: .relaxed) }
  func offer(_ settings: CaptureSettings) {
    box.withLock {
      $0.offer = settings
      $0.answer = nil
    }
  }
  func takeAnswer() -> Answer? {
    box.withLock { box in
      defer { box.answer = nil }
      return box.answer
    }
  }
  /// As often as somebody wants to read what is moved, and often enough for the meters of the model, which look back ten seconds.
  func rest(_ settings: PublishSettings) {
    let log = settings.log.throughputInterval > 0 ? settings.log.throughputInterval : 5
    rest.store(min(5, settings.files.interval, log), ordering: .relaxed)
  }
  func finish() {
    finished.store(true, ordering: .releasing)
    published.ring()
  }
}
