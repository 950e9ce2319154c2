import Glibc
import Model
package import Wire

/// The history in its database, owned by the publish thread.
///
/// What is to be written waits in memory until its commit is due: facts for at most five seconds, samples for a minute. Where the disk is
/// full, read-only or failing, it goes on waiting, up to `HistorySettings.waitingBytes`; then the oldest goes, counted. All times here are
/// arguments: `steady` are seconds of a clock that nobody sets, and every interval is measured by it.
package struct HistoryStore: ~Copyable {
  private let settings: HistorySettings
  private var connection: HistoryConnection?
  /// Whether what an earlier run knew has been read.
  package private(set) var isReady = false

  private var devices: [MACAddress: DeviceState] = [:]
  private var network = DeviceState(id: 0, mac: .zero, first: 0)
  private var nextDevice = 2
  private var nextFact = 1
  private var sessionNumber = 1
  /// When the sessions before this one ended, in milliseconds.
  package private(set) var endOfLastSession: Int?
  /// When the first session began, in milliseconds; nil before it has.
  private(set) var began: Int?

  private var queue: HistoryQueue

  private var retryAt = -Double.infinity
  private var pause = 0.0
  private var attempts = 0
  private var careAt = 0.0
  private var foldAt = 0.0
  /// Before this steady time nothing expires: the clock has jumped, or we have just started and do not know whether it is right.
  private var expireAt = 3600.0
  private var roomAt = 0.0

  /// What keeps the history from being written; nil while all is well.
  package private(set) var trouble: DatabaseError?
  /// Stations that were not taken in.
  package private(set) var refused = 0
  package private(set) var setAside = 0
  /// Sentences for the log, each said once.
  private var notices: [String] = []

  package init(_ settings: HistorySettings) {
    self.settings = settings
    queue = HistoryQueue(limit: settings.waitingBytes)
  }

  package mutating func takeNotices() -> [String] {
    defer { notices = [] }
    return notices
  }

  // MARK: Opening

  /// Opens the database if it is not open and the time for another try has come.
  package mutating func open(at time: Timestamp, steady: Double) {
    guard connection == nil, steady >= retryAt else { return }
    for attempt in 0..<2 {
      do throws(DatabaseError) {
        let new = try HistoryConnection(settings.path, capBytes: settings.capBytes)
        guard try new.database.isWhole() else {
          throw DatabaseError(kind: .damaged, what: "its pages contradict each other", path: settings.path)
        }
        if isReady {
          // Opened anew: what is in memory is the newer. A fresh file gets all of it.
          if new.isFresh { waitEverythingKnown(steady) }
        } else {
          try load(new)
          isReady = true
          trouble = nil
        }
        // Trouble with writing ends when something has been written, not before.
        connection = new
        careAt = steady + HistoryStore.careInterval
        foldAt = steady + HistoryStore.foldInterval
        return
      } catch {
        // The broken file must be closed before it is moved: `new` is gone here.
        if error.kind == .damaged, attempt == 0, putAside(time, error) { continue }
        fail(error, steady)
        return
      }
    }
  }

  private mutating func load(_ connection: HistoryConnection) throws(DatabaseError) {
    while try connection.fold(atMost: HistoryStore.foldBatch) > 0 {}
    var found: [MACAddress: DeviceState] = [:]
    var byID: [Int: DeviceState] = [:]
    try connection.database.prepare("SELECT id, mac, box, first, last, pause, given, vendor FROM device WHERE id > 1").rows { row in
      let state = DeviceState(id: row.int(0), mac: MACAddress(bits: UInt64(bitPattern: Int64(row.int(1)))), first: row.int(3).asStoredTime)
      state.box = row.optionalInt(2)
      state.last = row.int(4).asStoredTime
      state.lastBefore = state.last
      state.pauseBefore = Double(min(max(0, row.int(5)), 604_800_000)) / 1000
      state.given = row.text(6)
      state.vendor = row.text(7)
      found[state.mac] = state
      byID[state.id] = state
    }
    let network = DeviceState(id: 0, mac: .zero, first: 0)
    byID[0] = network
    let limit = settings.factLimit
    try connection.database.prepare("SELECT id, device, kind, value, detail, first FROM fact WHERE ended IS NULL").rows { row in
      guard let state = byID[row.int(1)], let kind = FactKind(rawValue: row.text(2) ?? ""), state.facts.count < limit else { return }
      state.facts[FactKey(kind: kind, value: row.bytes(3))] = FactState(
        id: row.int(0), first: row.int(5).asStoredTime, detail: row.text(4))
      if kind == .presence { state.isPresent = true }
    }
    let last = StoredValue.int(HistorySchema.lastNumber)
    nextDevice = max(2, (try connection.database.prepare("SELECT max(id) FROM device WHERE id < ?").number(last) ?? 1) &+ 1)
    nextFact = max(1, (try connection.database.prepare("SELECT max(id) FROM fact WHERE id < ?").number(last) ?? 0) &+ 1)
    sessionNumber = max(1, (try connection.database.prepare("SELECT max(id) FROM session WHERE id < ?").number(last) ?? 0) &+ 1)
    endOfLastSession = try connection.database.prepare("SELECT last FROM session ORDER BY id DESC LIMIT 1").number()?.asStoredTime
    began = try connection.database.prepare("SELECT min(first) FROM session").number()?.asStoredTime
    network.last = endOfLastSession ?? 0
    network.lastBefore = network.last
    devices = found
    self.network = network
  }

  /// Moves a damaged database out of the way. Two such files are kept: they are for people, and may be large.
  private mutating func putAside(_ time: Timestamp, _ error: DatabaseError) -> Bool {
    let name = settings.path + ".damaged"
    for suffix in ["", "-wal", "-shm"] {
      if suffix == "" { rename(name, name + ".1") }
      let from = settings.path + suffix
      guard access(from, F_OK) == 0 else { continue }
      if rename(from, name + suffix) != 0 { return false }
    }
    setAside += 1
    notices.append("\(settings.path): damaged (\(error.what)); kept as \(name), a fresh history is begun")
    return true
  }

  // MARK: Trouble

  /// Five tries in a minute, so that all is well again within a minute of there being room (P15).
  private mutating func fail(_ error: DatabaseError, _ steady: Double) {
    if trouble == nil { pause = 0.5 }
    trouble = error
    pause = min(30, pause * 2)
    retryAt = steady + pause
  }

  // MARK: Waiting

  private mutating func wait(_ change: HistoryChange, _ steady: Double) { queue.append(change, at: steady) }

  /// Changes that were dropped because too many waited.
  package var dropped: Int { queue.dropped }
  package var waitingBytes: Int { queue.cost }

  private mutating func waitEverythingKnown(_ steady: Double) {
    for state in [network] + devices.values.sorted(by: { $0.id < $1.id }) {
      if state.id > 1 { wait(.device(state.row), steady) }
      for (key, fact) in state.facts.sorted(by: { $0.value.id < $1.value.id }) {
        wait(.fact(fact.row(key, state.id)), steady)
      }
    }
  }

  // MARK: Writing

  /// A commit costs a few pages: so many seconds may facts wait for company.
  static let factDelay = 3.0
  /// How often is looked whether something is too old or too much; and how often samples are folded, since that takes as many pages for half
  /// an hour as for ten minutes (P11).
  static let careInterval = 600.0
  static let foldInterval = 1800.0
  /// What is so again within that time never ended.
  static let mendInterval = 600.0
  static let foldBatch = 4096
  static let commitBatch = 4096

  /// Writes what is due. Called with each snapshot.
  package mutating func turn(at time: Timestamp, steady: Double, samplesDue: Bool) {
    open(at: time, steady: steady)
    guard isReady, steady >= retryAt else { return }
    let due = samplesDue || (queue.since.map { steady - $0 >= HistoryStore.factDelay } ?? false)
    guard connection != nil else { return }
    if trouble != nil || (due && !queue.isEmpty) { write(at: time, steady: steady) }
    if trouble == nil, steady >= careAt { takeCare(at: time, steady: steady) }
  }

  /// Writes all that waits, in the order in which it came.
  private mutating func write(at time: Timestamp, steady: Double) {
    // The attempt is a call of its own: a damaged file must be closed, by everybody, before it is moved.
    if let error = commitWaiting() { handle(error, at: time, steady: steady) }
  }

  private mutating func commitWaiting() -> DatabaseError? {
    guard let connection else { return nil }
    do throws(DatabaseError) {
      // Also when nothing waits: then this is the try whether the trouble is over.
      repeat {
        let batch = queue.first(HistoryStore.commitBatch)
        try connection.put(batch)
        queue.removeFirst(batch.count)
      } while !queue.isEmpty
      attempts = 0
      trouble = nil
      return nil
    } catch {
      return error
    }
  }

  private mutating func handle(_ error: DatabaseError, at time: Timestamp, steady: Double) {
    switch error.kind {
    case .damaged:
      connection = nil
      if putAside(time, error) { retryAt = -.infinity } else { fail(error, steady) }
      open(at: time, steady: steady)
    case .misuse:
      // One row that the tables refuse must not hold up the others for ever.
      queue.drop(HistoryStore.commitBatch)
      fail(error, steady)
    default:
      fail(error, steady)
      attempts += 1
      // It may be our own ceiling, and then nobody else makes room.
      if error.kind == .full, let connection, steady >= roomAt {
        roomAt = steady + 60
        try? connection.makeRoom(below: settings.capBytes / 8 * 7)
      }
      // The file was moved or removed under us: only another connection finds the new place.
      if attempts % 4 == 0 { connection = nil }
    }
  }

  /// Samples into tiers, and what is too old or too much out of them.
  private mutating func takeCare(at time: Timestamp, steady: Double) {
    careAt = steady + HistoryStore.careInterval
    if connection?.database.hasMoved ?? false {
      notices.append("\(settings.path): was moved or removed while it was open; a fresh history is begun")
      connection = nil
      open(at: time, steady: steady)
      write(at: time, steady: steady)
    }
    if let error = foldAndExpire(time, steady) { handle(error, at: time, steady: steady) }
  }

  private mutating func foldAndExpire(_ time: Timestamp, _ steady: Double) -> DatabaseError? {
    guard let connection else { return nil }
    do throws(DatabaseError) {
      // Near the cap nothing may lie where no room can be made.
      let used = try connection.bytesUsed
      if steady >= foldAt || used > settings.capBytes / 4 * 3 {
        while try connection.fold(atMost: HistoryStore.foldBatch) > 0 {}
        foldAt = steady + HistoryStore.foldInterval
      }
      if steady >= expireAt {
        let now = Int(time.nanoseconds / 1_000_000_000)
        for (tier, kept) in [(HistoryTier.minute, settings.minutesKept), (.hour, settings.hoursKept), (.day, settings.daysKept)]
        where kept > 0 && now > kept {
          try connection.expire(tier, before: tier.start(now - kept), after: now + kept)
        }
      }
      if try connection.bytesUsed > settings.capBytes / 16 * 15 { try connection.makeRoom(below: settings.capBytes / 8 * 7) }
      try connection.giveBack()
      return nil
    } catch {
      return error
    }
  }

  /// The last words: everything is written and folded, and the file closed as a whole.
  package mutating func finish(at time: Timestamp, steady: Double) {
    retryAt = -.infinity
    open(at: time, steady: steady)
    guard isReady, connection != nil else { return }
    write(at: time, steady: steady)
    foldAt = -.infinity
    if trouble == nil { takeCare(at: time, steady: steady) }
    if trouble == nil, let connection { try? connection.database.run("PRAGMA wal_checkpoint(TRUNCATE)") }
    connection = nil
  }

  // MARK: What the publisher says

  /// Nothing expires until the clock has been steady for as long as the shortest tier is kept.
  package mutating func noteJump(from before: Timestamp, to after: Timestamp, steady: Double, kind: StaticString = "clock") {
    wait(.mark(kind: kind, before: before.milliseconds, after: after.milliseconds), steady)
    expireAt = steady + Double(settings.minutesKept)
  }

  package mutating func noteSession(first: Timestamp, last: Timestamp, source: WireText, vantage: String, steady: Double) {
    network.last = max(network.last, last.milliseconds)
    wait(
      .session(id: sessionNumber, first: first.milliseconds, last: last.milliseconds, source: source.bytes, vantage: vantage), steady)
  }

  package var count: Int { devices.count }

  func state(_ mac: MACAddress) -> DeviceState? { devices[mac] }
  var networkState: DeviceState { network }
  /// In the order in which they came.
  var allStates: [DeviceState] { devices.values.sorted { $0.id < $1.id } }

  /// Takes a station in. nil when there is no room left even after forgetting.
  mutating func admit(_ mac: MACAddress, first: Timestamp, last: Timestamp, steady: Double) -> DeviceState? {
    if devices.count >= settings.deviceLimit { forgetSome(steady) }
    guard devices.count < settings.deviceLimit else {
      refused += 1
      return nil
    }
    let state = DeviceState(id: nextDevice, mac: mac, first: first.milliseconds)
    nextDevice += 1
    state.last = last.milliseconds
    devices[mac] = state
    wait(.device(state.row), steady)
    return state
  }

  mutating func refuse() { refused += 1 }

  /// An eighth of the devices at once, since each time reads all usage: those without a name of the owner's, first
  /// those that came for less than a day, then those that were not heard for longest.
  private mutating func forgetSome(_ steady: Double) {
    guard let connection, trouble == nil else { return }
    let order = devices.values.filter { $0.given == nil && !$0.isPresent }
      .sorted { ($0.stayedADay ? 1 : 0, $0.last, $0.id) < ($1.stayedADay ? 1 : 0, $1.last, $1.id) }
    let gone = order.prefix(settings.deviceLimit / 8)
    guard !gone.isEmpty else { return }
    do throws(DatabaseError) {
      while try connection.fold(atMost: HistoryStore.foldBatch) > 0 {}
      try connection.forget(gone.map(\.id))
      for state in gone { devices[state.mac] = nil }
    } catch {
      fail(error, steady)
    }
  }

  mutating func put(_ state: DeviceState, steady: Double) { wait(.device(state.row), steady) }

  /// Something is so, from now on. Said again it changes nothing; said again soon after its end, it never ended.
  mutating func begin(
    _ kind: FactKind, _ value: [UInt8], detail: String? = nil, of state: DeviceState, at time: Int, steady: Double
  ) {
    let key = FactKey(kind: kind, value: value)
    if var fact = state.facts[key] {
      if fact.ended == nil, fact.isConfirmed { return }
      fact.isConfirmed = true
      if fact.ended != nil {
        if steady - fact.endedSteady < HistoryStore.mendInterval, kind != .presence {
          fact.ended = nil
        } else {
          fact = FactState(id: nextFact, first: time, detail: detail)
          fact.isConfirmed = true
          nextFact += 1
        }
        wait(.fact(fact.row(key, state.id)), steady)
      }
      state.facts[key] = fact
    } else {
      if state.facts.count >= settings.factLimit {
        // What has ended is only remembered to mend short breaks; what lasts is the record of what is open, and stays.
        guard let old = state.facts.filter({ $0.value.ended != nil }).min(by: { $0.value.endedSteady < $1.value.endedSteady })?.key else {
          return
        }
        state.facts[old] = nil
      }
      var fact = FactState(id: nextFact, first: time, detail: detail)
      fact.isConfirmed = true
      nextFact += 1
      state.facts[key] = fact
      wait(.fact(fact.row(key, state.id)), steady)
    }
    if kind.isSingle {
      for (other, fact) in state.facts where other.kind == kind && other != key && fact.ended == nil {
        end(other, of: state, at: time, steady: steady)
      }
    }
  }

  mutating func end(_ key: FactKey, of state: DeviceState, at time: Int, steady: Double) {
    guard var fact = state.facts[key], fact.ended == nil else { return }
    fact.ended = max(fact.first, time)
    fact.endedSteady = steady
    state.facts[key] = fact
    wait(.fact(fact.row(key, state.id)), steady)
  }

  mutating func add(_ usage: Usage, of state: DeviceState, start: Int, steady: Double) {
    wait(.usage(UsageRow(start: start, device: state.id, seen: state.last, usage: usage)), steady)
  }

  // MARK: Known devices

  package func known() -> [MACAddress: KnownDevice] {
    devices.mapValues { state in
      KnownDevice(
        firstSeen: Timestamp(milliseconds: state.first), lastSeen: Timestamp(milliseconds: state.last), longestPause: state.longestPause,
        isPresent: state.isPresent, givenName: state.given)
    }
  }

  /// The owner's names, from the configuration: all there are, so that one that is gone from there is gone here.
  package mutating func give(_ names: [MACAddress: String], steady: Double) {
    for state in devices.values.sorted(by: { $0.id < $1.id }) where state.given != names[state.mac] {
      state.given = names[state.mac]
      wait(.device(state.row), steady)
    }
  }
}
