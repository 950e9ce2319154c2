public import Wire

/// The wall clock was set while we listened: what was noted by the old one is moved, so that no duration and no order changes.
///
/// At boot a machine without a battery wakes in 1970 and learns the time a minute later: its first minute belongs to today all the same.
extension NetworkModel {
  /// - Parameters:
  ///   - nanoseconds: by how much the clock was set forward (or back, when negative).
  ///   - now: the time by the new clock. Nothing is later: frames that came between the jump and its discovery carry the new time already.
  public mutating func correctClock(by nanoseconds: Int64, now: Timestamp) {
    func moved(_ time: Int64) -> Int64 { time == 0 ? 0 : min(now.nanoseconds, Timestamp(nanoseconds: time &+ nanoseconds).nanoseconds) }
    func moved(_ time: Timestamp) -> Timestamp { Timestamp(nanoseconds: moved(time.nanoseconds)) }
    for at in 0..<stations.count {
      stations[at].firstSeen = moved(stations[at].firstSeen)
      stations[at].lastSeen = moved(stations[at].lastSeen)
      stations[at].rate.correctClock(bySeconds: nanoseconds / 1_000_000_000, now: now.second)
    }
    lines?.correctClock(bySeconds: nanoseconds / 1_000_000_000, now: now.second)
    for at in 0..<bindings.count { bindings[at].lastSeen = moved(bindings[at].lastSeen) }
    ledger.correctClock(moved)
    counters.correctClock(moved)
  }
}
