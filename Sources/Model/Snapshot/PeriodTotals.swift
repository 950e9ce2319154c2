/// What something moved since a day or a month began: a device, an interface, a conversation. A snapshot's counters are totals since the
/// program's start, so a period is a subtraction, and what earlier runs counted is added.
public struct PeriodTotals<Key: Hashable & Sendable>: Sendable {
  private struct Entry {
    /// What is to be added to the counters: what earlier runs counted, or a row of the model that made room since, less what stood there when
    /// the period began.
    var offset = Traffic.Period.zero
    /// The counters at the last call.
    var last = Traffic.Period.zero
  }

  private let limit: Int
  private var entries: [Key: Entry] = [:]
  private var start: Int?

  /// - Parameters:
  ///   - limit: how many are remembered; by default twice as many devices as a snapshot lists.
  ///   - carried: what earlier runs counted in the period that is now.
  public init(limit: Int = 8192, carried: [Key: Traffic.Period] = [:]) {
    self.limit = limit
    for (key, period) in carried.prefix(limit) { entries[key] = Entry(offset: period) }
  }

  /// Says in which period we are, by the second it began: another one than before starts from nothing.
  public mutating func begin(_ start: Int) {
    defer { self.start = start }
    // A clock that was set back into the period before does not bring it back.
    guard let earlier = self.start, start > earlier else { return }
    for key in entries.keys {
      guard let entry = entries[key] else { continue }
      entries[key] = Entry(offset: Traffic.Period.zero - entry.last, last: entry.last)
    }
  }

  /// - Parameter isWhole: whether all that an unknown key has counted belongs to this period; else it counts from now on.
  public mutating func total(of key: Key, _ traffic: Traffic, isWhole: Bool = true) -> Traffic.Period {
    let now = Traffic.Period(down: traffic.receivedBytes, up: traffic.sentBytes)
    var entry = entries[key] ?? (isWhole ? Entry() : Entry(offset: Traffic.Period.zero - now, last: now))
    if now.down < entry.last.down || now.up < entry.last.up {
      entry.offset = entry.offset + entry.last
    }
    entry.last = now
    if entries[key] != nil || entries.count < limit { entries[key] = entry }
    return entry.offset + now
  }

  /// Makes room, where many come and go: once the limit is reached, all but these are forgotten.
  public mutating func makeRoom(keeping keys: @autoclosure () -> Set<Key>) {
    guard entries.count >= limit else { return }
    let kept = keys()
    entries = entries.filter { kept.contains($0.key) }
  }
}
