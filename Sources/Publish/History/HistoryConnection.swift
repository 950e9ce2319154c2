import Wire

/// The writing connection with its statements.
final class HistoryConnection {
  let database: Database
  /// Whether the tables were made just now.
  let isFresh: Bool
  /// Bytes.
  private let page: Int
  private let putDevice: Statement
  private let putFact: Statement
  private let putSample: Statement
  private let putMark: Statement
  private let putSession: Statement
  private let addUsage: Statement
  private let recent: Statement
  private let noteFolded: Statement
  private let trimSamples: Statement
  private let touch: Statement
  /// Where the next sample goes, as `HistorySchema` has it.
  private var round: Int
  private var slot: Int

  init(_ path: String, capBytes: Int) throws(DatabaseError) {
    let database = try Database(path, .write)
    isFresh = try database.pragma("user_version") == 0
    // Only a file without tables takes these on. The samples of a minute fill two of these pages, and each page that a commit touches goes to
    // the log as a whole (P11). The other lets deleted pages be given back in small steps.
    if isFresh {
      try database.pragma("page_size", 1024)
      try database.pragma("auto_vacuum", 2)
    }
    try database.run("PRAGMA journal_mode=WAL")
    // A commit is in the log file at once and survives a kill; the disk is only waited for when the log is folded back (P11).
    try database.run("PRAGMA synchronous=NORMAL")
    page = max(512, try database.pragma("page_size"))
    // Four megabytes of log: half of what P11 allows.
    try database.pragma("wal_autocheckpoint", (4 << 20) / page)
    try database.pragma("journal_size_limit", 4 << 20)
    try database.pragma("cache_size", -256)
    try database.run("PRAGMA temp_store=MEMORY")
    try database.run("PRAGMA trusted_schema=OFF")
    try database.pragma("max_page_count", max(64, capBytes / page))
    try HistorySchema.prepare(database)
    putDevice = try database.prepare(
      "INSERT OR REPLACE INTO device(id, mac, box, first, last, pause, given, vendor) VALUES(?,?,?,?,?,?,?,?)")
    putFact = try database.prepare("INSERT OR REPLACE INTO fact(id, device, kind, value, detail, first, ended) VALUES(?,?,?,?,?,?,?)")
    putSample = try database.prepare("INSERT OR REPLACE INTO sample VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")
    putMark = try database.prepare("INSERT INTO mark VALUES(NULL,?,?,?)")
    putSession = try database.prepare("INSERT OR REPLACE INTO session VALUES(?,?,?,?,?)")
    addUsage = try database.prepare(
      """
      INSERT INTO usage VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT DO UPDATE SET
        sentFrames = sentFrames + excluded.sentFrames, sentBytes = sentBytes + excluded.sentBytes,
        receivedFrames = receivedFrames + excluded.receivedFrames, receivedBytes = receivedBytes + excluded.receivedBytes,
        internetSent = internetSent + excluded.internetSent, internetReceived = internetReceived + excluded.internetReceived,
        localSent = localSent + excluded.localSent, localReceived = localReceived + excluded.localReceived,
        operatorSent = operatorSent + excluded.operatorSent, operatorReceived = operatorReceived + excluded.operatorReceived,
        peak = max(peak, excluded.peak), lowerBound = max(lowerBound, excluded.lowerBound)
      """)
    recent = try database.prepare(
      """
      SELECT start, device, sentFrames, sentBytes, receivedFrames, receivedBytes, internetSent, internetReceived, localSent, localReceived,
        operatorSent, operatorReceived, peak, lowerBound, slot, seen FROM recent ORDER BY slot LIMIT ?
      """)
    noteFolded = try database.prepare("INSERT OR REPLACE INTO folded VALUES(1,?,?)")
    trimSamples = try database.prepare("DELETE FROM sample WHERE slot > ?")
    touch = try database.prepare("UPDATE device SET last = max(last, ?2) WHERE id = ?1")
    var place: (round: Int, slot: Int)?
    try database.prepare("SELECT round, coalesce((SELECT max(slot) FROM recent), slot) FROM folded").rows { place = ($0.int(0), $0.int(1)) }
    let numbers = 0...HistorySchema.lastNumber
    guard let place, numbers.contains(place.round), numbers.contains(place.slot) else {
      throw DatabaseError(kind: .damaged, what: "it does not say which samples are folded", path: path)
    }
    round = place.round
    slot = place.slot &+ 1
    self.database = database
  }

  /// Writes all of these or none.
  func put(_ changes: some Sequence<HistoryChange>) throws(DatabaseError) {
    let first = slot
    do throws(DatabaseError) {
      try database.transaction { () throws(DatabaseError) in
        for change in changes { try put(change) }
      }
    } catch {
      slot = first
      throw error
    }
  }

  private func put(_ change: HistoryChange) throws(DatabaseError) {
    switch change {
    case .device(let row):
      try putDevice.run(
        .int(row.id), .int(Int(row.mac.bits)), .optional(row.box), .int(row.first), .int(row.last), .int(row.pause), .optional(row.given),
        .optional(row.vendor))
    case .fact(let row):
      try putFact.run(
        .int(row.id), .int(row.device), .text(row.kind.rawValue), .blob(row.value), .optional(row.detail), .int(row.first),
        .optional(row.ended))
    case .usage(let row):
      try putSample.run([.int(slot), .int(row.start), .int(row.device), .int(row.seen)] + row.usage.columns + [.int(round)])
      slot &+= 1
    case .mark(let kind, let before, let after): try putMark.run(.text(kind.description), .int(before), .int(after))
    case .session(let id, let first, let last, let source, let vantage):
      try putSession.run(.int(id), .int(first), .int(last), .blob(source), .text(vantage))
    }
  }

  /// Adds samples of `recent` to the four tiers. Returns how many; fewer than `limit` were the last, and the next round begins.
  func fold(atMost limit: Int) throws(DatabaseError) -> Int {
    struct Key: Hashable {
      let tier: HistoryTier
      let start: Int
      let device: Int
    }
    var sums: [Key: Usage] = [:]
    var seen: [Int: Int] = [:]
    var last = 0
    var count = 0
    try recent.rows(.int(limit)) { row in
      let start = row.int(0)
      let device = row.int(1)
      let usage = Usage(row, at: 2)
      for tier in HistoryTier.allCases { sums[Key(tier: tier, start: tier.start(start), device: device), default: Usage()] += usage }
      seen[device] = max(seen[device] ?? 0, row.int(15))
      last = row.int(14)
      count += 1
    }
    guard count > 0 else { return 0 }
    let isLast = count < limit
    let order = sums.sorted { ($0.key.tier.rawValue, $0.key.start, $0.key.device) < ($1.key.tier.rawValue, $1.key.start, $1.key.device) }
    try database.transaction { () throws(DatabaseError) in
      for (key, usage) in order {
        try addUsage.run([.int(key.tier.rawValue), .int(key.start), .int(key.device)] + usage.columns)
      }
      for (device, time) in seen.sorted(by: { $0.key < $1.key }) { try touch.run(.int(device), .int(time)) }
      try noteFolded.run(.int(isLast ? round &+ 1 : round), .int(isLast ? 0 : last))
      // Room for twice as many is kept: after a flood it goes back bit by bit.
      if isLast { try trimSamples.run(.int(last &* 2 &+ 256)) }
    }
    if isLast { (round, slot) = (round &+ 1, 1) }
    return count
  }

  // MARK: Making room

  /// Drops samples that are older than they are kept. Times ahead of the clock go as well: a clock that was years ahead left them.
  func expire(_ tier: HistoryTier, before: Int, after: Int) throws(DatabaseError) {
    try database.transaction { () throws(DatabaseError) in
      let drop = try database.prepare("DELETE FROM usage WHERE tier = ? AND start < ?")
      try drop.run(.int(tier.rawValue), .int(before))
      let dropAhead = try database.prepare("DELETE FROM usage WHERE tier = ? AND start > ?")
      try dropAhead.run(.int(tier.rawValue), .int(after))
      try noteComplete(tier, since: before)
    }
  }

  private func noteComplete(_ tier: HistoryTier, since: Int) throws(DatabaseError) {
    let note = try database.prepare("INSERT INTO complete VALUES(?,?) ON CONFLICT DO UPDATE SET since = max(since, excluded.since)")
    try note.run(.int(tier.rawValue), .int(since))
  }

  var bytesUsed: Int {
    get throws(DatabaseError) {
      let pages = try database.pragma("page_count") - database.pragma("freelist_count")
      return max(0, pages) * page
    }
  }

  /// Brings the file under a size: the oldest minutes go first, then the oldest hours, then what was once so.
  func makeRoom(below limit: Int) throws(DatabaseError) {
    var turns = 0
    // A sixteenth of what there is with each turn: eighty turns leave less than a hundredth.
    while try bytesUsed > limit, turns < 80 {
      turns += 1
      if try shrink(.minute) { continue }
      if try shrink(.hour) { continue }
      let ended = try database.prepare("SELECT count(*) FROM fact WHERE ended IS NOT NULL").number() ?? 0
      guard ended > 0 else { break }
      try database.prepare(
        "DELETE FROM fact WHERE id IN (SELECT id FROM fact WHERE ended IS NOT NULL ORDER BY ended LIMIT ?)"
      ).run(.int(max(64, ended / 16)))
    }
    try giveBack()
  }

  private func shrink(_ tier: HistoryTier) throws(DatabaseError) -> Bool {
    let first = try database.prepare("SELECT min(start) FROM usage WHERE tier = ?").number(.int(tier.rawValue))
    let last = try database.prepare("SELECT max(start) FROM usage WHERE tier = ?").number(.int(tier.rawValue))
    guard let first, let last, last >= first else { return false }
    let span = last &- first
    let cut = first &+ max(1, span / 16) &+ (span == 0 ? 1 : 0)
    try database.transaction { () throws(DatabaseError) in
      try database.prepare("DELETE FROM usage WHERE tier = ? AND start < ?").run(.int(tier.rawValue), .int(cut))
      try noteComplete(tier, since: cut)
    }
    return true
  }

  /// Deleted pages go back to the disk, a megabyte at a time.
  func giveBack() throws(DatabaseError) {
    if try database.pragma("freelist_count") * page > 2 << 20 { try database.run("PRAGMA incremental_vacuum(1024)") }
  }

  /// Puts a device's usage and facts away: bytes go to device 1, which stands for those that are forgotten.
  func forget(_ devices: [Int]) throws(DatabaseError) {
    try database.transaction { () throws(DatabaseError) in
      try database.run("CREATE TEMP TABLE IF NOT EXISTS going(id INTEGER PRIMARY KEY)")
      try database.run("DELETE FROM going")
      let put = try database.prepare("INSERT OR IGNORE INTO going VALUES(?)")
      for id in devices { try put.run(.int(id)) }
      // One row for each span that is kept, some thousands at most.
      var sums: [(tier: Int, start: Int, usage: Usage)] = []
      try database.prepare(
        """
        SELECT tier, start, sum(sentFrames), sum(sentBytes), sum(receivedFrames), sum(receivedBytes), sum(internetSent),
          sum(internetReceived), sum(localSent), sum(localReceived), sum(operatorSent), sum(operatorReceived), max(peak), max(lowerBound)
        FROM usage WHERE device IN (SELECT id FROM going) AND device > 1 GROUP BY tier, start
        """
      ).rows { sums.append((tier: $0.int(0), start: $0.int(1), usage: Usage($0, at: 2))) }
      for (tier, start, usage) in sums { try addUsage.run([.int(tier), .int(start), .int(1)] + usage.columns) }
      try database.run("DELETE FROM usage WHERE device > 1 AND device IN (SELECT id FROM going)")
      try database.run("UPDATE sample SET device = 1 WHERE device > 1 AND device IN (SELECT id FROM going)")
      try database.run("DELETE FROM fact WHERE device > 1 AND device IN (SELECT id FROM going)")
      try database.run("DELETE FROM device WHERE id > 1 AND id IN (SELECT id FROM going)")
    }
  }
}
