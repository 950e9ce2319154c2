/// Keeps the log from being flooded (P12): of each kind ten lines an hour, then one line with the count; two hundred lines an hour in all.
///
/// Throughput lines do not pass through here: they are bounded by their interval.
struct LogQuota {
  static let perKind = 10
  static let inAll = 200
  static let hour: Int64 = 3_600_000_000_000
  /// How often the count of what was left out is told, while there is some.
  static let summary: Int64 = 600_000_000_000

  private struct Kind {
    var written = 0
    var leftOut = 0
    var toldAt: Int64
  }

  private var kinds: [String: Kind] = [:]
  private var written = 0
  private var started: Int64 = 0
  /// Whether it was said that the hour's lines are used up.
  private var saidFull = false

  /// Whether a line of this kind may be written now. `kind` is one of our own words, never text from the wire.
  mutating func admits(_ kind: String, at now: Int64) -> Bool {
    if now - started >= LogQuota.hour {
      started = now
      written = 0
      saidFull = false
      for word in kinds.keys { kinds[word]?.written = 0 }
    }
    var entry = kinds[kind] ?? Kind(toldAt: now)
    defer { kinds[kind] = entry }
    // The last lines of the hour are kept for the summaries.
    guard entry.written < LogQuota.perKind, written < LogQuota.inAll - 60 else {
      if entry.leftOut == 0 { entry.toldAt = now }
      entry.leftOut += 1
      return false
    }
    entry.written += 1
    written += 1
    return true
  }

  /// What was left out since it was last told; a count for each kind, when its time has come or the end has.
  mutating func summaries(at now: Int64, isEnd: Bool = false) -> [LogLine] {
    var out: [LogLine] = []
    for word in kinds.keys.sorted() {
      guard var entry = kinds[word], entry.leftOut > 0, isEnd || now - entry.toldAt >= LogQuota.summary else { continue }
      guard written < LogQuota.inAll || isEnd else { break }
      out.append(LogLine("left-out", .notice).with("kind", word).with("count", entry.leftOut))
      written += 1
      entry.leftOut = 0
      entry.toldAt = now
      kinds[word] = entry
    }
    return out
  }
}
