public import Wire

/// What each device moved since a day or a month began. A snapshot's counters are totals since the program's start, so a period is a
/// subtraction, and what earlier runs counted is added.
public struct PeriodTotals: Sendable {
  private struct Entry {
    /// Counters when the period began, and at the last call.
    var base = Traffic.Period(down: 0, up: 0)
    var last = Traffic.Period(down: 0, up: 0)
    /// Of earlier runs, or of a row of the model that made room since.
    var carried = Traffic.Period(down: 0, up: 0)
  }

  /// Devices that are remembered; twice what a snapshot lists.
  private static let limit = 8192

  private var entries: [MACAddress: Entry] = [:]
  private var start: Int?

  public init(carried: [MACAddress: Traffic.Period] = [:]) {
    for (mac, period) in carried.prefix(PeriodTotals.limit) { entries[mac] = Entry(carried: period) }
  }

  /// Says in which period we are, by the second it began: another one than before starts from nothing.
  public mutating func begin(_ start: Int) {
    defer { self.start = start }
    // A clock that was set back into the period before does not bring it back.
    guard let earlier = self.start, start > earlier else { return }
    for mac in entries.keys {
      guard let entry = entries[mac] else { continue }
      entries[mac] = Entry(base: entry.last, last: entry.last)
    }
  }

  public mutating func total(of host: Host) -> Traffic.Period {
    var entry = entries[host.id] ?? Entry()
    let now = Traffic.Period(down: host.traffic.receivedBytes, up: host.traffic.sentBytes)
    if now.down < entry.last.down || now.up < entry.last.up {
      entry.carried = entry.carried + PeriodTotals.difference(entry.last, entry.base)
      entry.base = Traffic.Period(down: 0, up: 0)
    }
    entry.last = now
    if entries[host.id] != nil || entries.count < PeriodTotals.limit { entries[host.id] = entry }
    return entry.carried + PeriodTotals.difference(now, entry.base)
  }

  private static func difference(_ a: Traffic.Period, _ b: Traffic.Period) -> Traffic.Period {
    Traffic.Period(down: max(0, a.down - b.down), up: max(0, a.up - b.up))
  }
}
