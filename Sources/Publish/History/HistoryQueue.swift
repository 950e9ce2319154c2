/// What waits to be written, in the order in which it came. While nothing can be written it is held up to a size; then the oldest goes,
/// counted (P15).
struct HistoryQueue {
  private let limit: Int
  private var changes: [HistoryChange] = []
  private var start = 0
  /// Roughly the bytes it takes.
  private(set) var cost = 0
  /// The steady time since when a fact waits; samples come once a minute and are no reason to hurry.
  private(set) var since: Double?
  private(set) var dropped = 0

  init(limit: Int) { self.limit = limit }

  var isEmpty: Bool { start == changes.count }

  mutating func append(_ change: HistoryChange, at steady: Double) {
    changes.append(change)
    cost += change.cost
    if case .usage = change {} else { since = since ?? steady }
    while cost > limit, !isEmpty { drop(1) }
  }

  /// The oldest of them.
  func first(_ count: Int) -> ArraySlice<HistoryChange> { changes[start..<min(changes.count, start + count)] }

  /// They are written.
  mutating func removeFirst(_ count: Int) {
    for change in first(count) { cost -= change.cost }
    start = min(changes.count, start + count)
    if isEmpty {
      changes.removeAll(keepingCapacity: changes.capacity <= 128)
      start = 0
      since = nil
    } else if start > 1024, start > changes.count / 2 {
      changes.removeFirst(start)
      start = 0
    }
  }

  /// They will never be.
  mutating func drop(_ count: Int) {
    dropped += first(count).count
    removeFirst(count)
  }
}
