package import Model
package import Wire

/// Turns the differences between snapshots into rows of the history.
///
/// Counters of a snapshot are totals since the daemon began, so what came in between is a subtraction, and sums of the history are those of
/// the last snapshot, to the byte. Of the snapshot before it keeps the counters: when a minute is over, its last ones tell what it moved.
///
/// A class, because the store is not copyable and publishers stand in a list. It lives and dies on the publish thread.
package final class HistoryPublisher: Publisher {
  package let name = "history"

  private let settings: HistorySettings
  private var store: HistoryStore
  private var given: [MACAddress: String]
  /// Where sentences go that are said once: a damaged file was set aside, rows were dropped.
  private let say: (String) -> Void

  /// What is kept of the last snapshot as a whole.
  private struct Told {
    var number: Int
    var taken: Timestamp
    var elapsed: Int64
    var capture: CaptureFacts
    var findings: Int
    /// Whether its devices were noted, too: while the history cannot be read, nothing is.
    var isNoted: Bool
  }

  private var told: Told?
  /// Seconds of a clock that nobody sets.
  private var steady = 0.0
  private var sampledAt = 0.0
  private var round = 0
  private var admission = Admission()
  private var hasSession = false
  private var hasTakenStock = false
  private var saidDropped = 0
  private var words: [String: [UInt8]] = [:]

  package init(_ settings: HistorySettings, given: [MACAddress: String] = [:], say: @escaping (String) -> Void = { _ in }) {
    self.settings = settings
    self.given = given
    self.say = say
    store = HistoryStore(settings)
  }

  /// Opens the history before the first snapshot, so that what is known is known from the start.
  package func open(at time: Timestamp) {
    store.open(at: time, steady: steady)
    tellNotices()
  }

  /// Each station that was a device, ever; empty while the history cannot be read.
  package func known() -> [MACAddress: KnownDevice] { store.known() }

  /// The same for those who only ask who was heard when; nil while the history cannot be read.
  package func record() -> Attendance.Record? {
    guard store.isReady else { return nil }
    return Attendance.Record(
      devices: known().mapValues { ($0.firstSeen, $0.lastSeen) }, began: store.began.map { Timestamp(milliseconds: $0) })
  }

  /// After a change of the configuration.
  package func rename(_ names: [MACAddress: String]) {
    given = names
    store.give(names, steady: steady)
  }

  /// What keeps the history from being written, and what it cost so far.
  package var trouble: DatabaseError? { store.trouble }
  package var dropped: Int { store.dropped }
  package var waitingBytes: Int { store.waitingBytes }

  // MARK: Publishing

  package func publish(_ snapshot: Snapshot, since last: Digest?) throws(PublishError) {
    take(snapshot)
    var samplesDue = false
    if let told, told.isNoted {
      let minute = HistoryTier.minute.start(told.taken.wholeSecond)
      if minute != HistoryTier.minute.start(snapshot.taken.wholeSecond) || steady - sampledAt >= 60 {
        sample(told)
        samplesDue = true
      }
    }
    let number = (told?.number ?? 0) + 1
    let findings = HistoryPublisher.mark(of: snapshot.findings)
    if store.isReady { note(snapshot, number, hasNewFindings: findings != told?.findings) }
    told = Told(
      number: number, taken: snapshot.taken, elapsed: snapshot.elapsed, capture: snapshot.capture, findings: findings,
      isNoted: store.isReady)
    store.turn(at: snapshot.taken, steady: steady, samplesDue: samplesDue)
    tellNotices()
    try throwTrouble()
  }

  package func finish(_ snapshot: Snapshot?, since last: Digest?) throws(PublishError) {
    // What troubles it may be over by now: there is no later try.
    if let snapshot { do throws(PublishError) { try publish(snapshot, since: last) } catch {} }
    if let told, told.isNoted {
      sample(told)
      noteSession(told.capture, told.taken)
    }
    store.finish(at: told?.taken ?? Timestamp(nanoseconds: 0), steady: steady)
    tellNotices()
    try throwTrouble()
  }

  private func throwTrouble() throws(PublishError) {
    guard let trouble = store.trouble else { return }
    throw PublishError(trouble.path, trouble.what, remedy: trouble.remedy)
  }

  private func tellNotices() {
    for notice in store.takeNotices() { say(notice) }
    // Said when the first is lost, and once more for each thousand.
    if store.dropped > 0, saidDropped == 0 || store.dropped - saidDropped >= 1000 {
      saidDropped = store.dropped
      say("\(settings.path): \(store.dropped) rows were dropped because too many waited to be written")
    }
  }

  /// Moves the steady clock on, and notices when the other one jumped.
  private func take(_ snapshot: Snapshot) {
    store.open(at: snapshot.taken, steady: steady)
    guard let told else { return begin(snapshot) }
    let apart = snapshot.taken.since(told.taken)
    // A file has no clock but its own.
    let passed = snapshot.capture.isLive ? Double(snapshot.elapsed &- told.elapsed) / 1e9 : apart
    steady += min(max(0, passed), 1e9)
    // Half a minute: what a correction by NTP may be without anybody noticing, and less than a sample.
    if apart < -1 || (snapshot.capture.isLive && abs(apart - passed) > 30) {
      store.noteJump(from: told.taken, to: snapshot.taken, steady: steady)
    }
  }

  private func begin(_ snapshot: Snapshot) {
    guard store.isReady, let end = store.endOfLastSession, snapshot.taken.milliseconds < end - 1000 else { return }
    store.noteJump(from: Timestamp(milliseconds: end), to: snapshot.taken, steady: steady, kind: "start")
  }

  // MARK: Facts

  private func note(_ snapshot: Snapshot, _ number: Int, hasNewFindings: Bool) {
    if !hasTakenStock {
      hasTakenStock = true
      store.give(given, steady: steady)
    }
    if !hasSession { noteSession(snapshot.capture, snapshot.taken) }
    let now = snapshot.taken.milliseconds
    admission.refill(steady)
    for host in snapshot.hosts {
      guard let state = store.state(host.id) ?? admit(host) else { continue }
      hear(host, state, now)
      let isNew = state.metAt == nil
      if isNew { state.metAt = steady }
      let mark = host.factMark
      if isNew || state.toldIn != number - 1 || state.toldMark != mark { noteFacts(host, state, now) }
      state.told = Usage(host.traffic)
      state.toldFirst = host.firstSeen.milliseconds
      state.toldParts = host.virtualMACs
      (state.toldIn, state.toldMark) = (number, mark)
      state.peak = max(state.peak, host.traffic.rateDown &+ host.traffic.rateUp)
      if host.traffic.peak > state.largestPeak {
        state.largestPeak = host.traffic.peak
        state.peak = max(state.peak, host.traffic.peak)
      }
    }
    if let told {
      let span = snapshot.capture.isLive ? Double(snapshot.elapsed &- told.elapsed) / 1e9 : snapshot.taken.since(told.taken)
      let bytes = snapshot.capture.bytes &- told.capture.bytes
      // Under a second a burst would look like a rate.
      if span >= 0.9, bytes > 0 { store.networkState.peak = max(store.networkState.peak, Int(min(Double(bytes) * 8 / span, 1e15))) }
    }
    if hasNewFindings || round == 0 { noteFindings(snapshot.findings, now) }
  }

  private func noteSession(_ capture: CaptureFacts, _ taken: Timestamp) {
    hasSession = true
    store.noteSession(
      first: capture.started ?? taken, last: taken, source: capture.name, vantage: capture.vantage.rawValue, steady: steady)
  }

  private func admit(_ host: Host) -> DeviceState? {
    guard admission.allows(host) else {
      store.refuse()
      return nil
    }
    guard let state = store.admit(host.id, first: host.firstSeen, last: host.lastSeen, steady: steady) else { return nil }
    if let name = given[host.id] {
      state.given = name
      store.put(state, steady: steady)
    }
    return state
  }

  /// When it was last heard, how long it is used to be silent, and whether it is here.
  private func hear(_ host: Host, _ state: DeviceState, _ now: Int) {
    let last = host.lastSeen.milliseconds
    let isFirst = state.heardAt == nil
    guard isFirst || last != state.last else { return }
    let silence = steady - (state.heardAt ?? steady)
    // Absence over a restart is judged by the wall clock: there is no other.
    let before = isFirst ? Double(max(0, last &- (state.lastBefore ?? last))) / 1000 : 0
    if state.isPresent, before > state.patience { leave(state, at: state.lastBefore ?? last) }
    if state.isPresent, !isFirst { state.pauseToday = max(state.pauseToday, silence) }
    state.heardAt = steady
    state.last = last
    state.isTouched = true
    let since = isFirst ? max(host.firstSeen.milliseconds, state.lastBefore ?? 0) : last
    store.begin(.presence, [], of: state, at: since, steady: steady)
    state.isPresent = true
  }

  private func leave(_ state: DeviceState, at time: Int) {
    store.end(FactKey(kind: .presence, value: []), of: state, at: time, steady: steady)
    state.isPresent = false
  }

  private func noteFacts(_ host: Host, _ state: DeviceState, _ now: Int) {
    var said = Set<FactKey>()
    func note(_ kind: FactKind, _ value: [UInt8], _ detail: String? = nil) {
      guard said.insert(FactKey(kind: kind, value: value)).inserted else { return }
      store.begin(kind, value, detail: detail, of: state, at: now, steady: steady)
    }
    for address in host.addresses { note(.address, address.bytes) }
    for name in host.names { note(.name, name.text.bytes, name.source) }
    for role in host.roles where role != .host { note(.role, word(role.rawValue)) }
    for prefix in host.subnets { note(.subnet, word(prefix.description)) }
    for mac in host.virtualMACs { note(.alias, mac.bytes) }
    if let model = host.model { note(.model, model.bytes) }
    if let verdict = host.attachedTo { note(.attachment, verdict.answer.bytes, percent(verdict.confidence)) }
    if let verdict = host.medium { note(.medium, word(verdict.answer.rawValue), percent(verdict.confidence)) }
    if let verdict = host.access { note(.access, word(verdict.answer.rawValue), percent(verdict.confidence)) }
    if let verdict = host.behindModem { note(.side, word(verdict.answer.rawValue), percent(verdict.confidence)) }
    // What an earlier run knew and this one has not heard yet is no contradiction.
    for (key, fact) in state.facts where fact.ended == nil && fact.isConfirmed && key.kind != .presence && !said.contains(key) {
      store.end(key, of: state, at: now, steady: steady)
    }
    for mac in host.virtualMACs {
      guard let part = store.state(mac), part.box != state.id else { continue }
      part.box = state.id
      store.put(part, steady: steady)
    }
    if state.box != nil || (host.vendor != nil && host.vendor != state.vendor) {
      state.box = nil
      state.vendor = host.vendor ?? state.vendor
      store.put(state, steady: steady)
    }
  }

  /// Most facts are of a few words; all devices share them.
  private func word(_ text: String) -> [UInt8] {
    if let known = words[text] { return known }
    if words.count >= 256 { words.removeAll() }
    let bytes = Array(text.utf8)
    words[text] = bytes
    return bytes
  }

  private func percent(_ confidence: Double) -> String { "\(Int((min(max(0, confidence), 1) * 100).rounded()))" }

  private static func mark(of findings: [Finding]) -> Int {
    var hasher = Hasher()
    for finding in findings {
      hasher.combine(finding.id)
      hasher.combine(finding.hosts)
      hasher.combine(finding.text)
    }
    return hasher.finalize()
  }

  private func noteFindings(_ findings: [Finding], _ now: Int) {
    let network = store.networkState
    var said = Set<FactKey>()
    for finding in findings where !finding.id.isAttendance {
      // The devices belong to it: the same thing said of others is another. Thirty-two name the case as well as a thousand.
      let words = [finding.id.rawValue] + finding.hosts.prefix(32).map(\.description)
      let value = Array(words.joined(separator: " ").utf8)
      said.insert(FactKey(kind: .finding, value: value))
      store.begin(.finding, value, detail: finding.text, of: network, at: now, steady: steady)
    }
    for (key, fact) in network.facts where fact.ended == nil && fact.isConfirmed && !said.contains(key) {
      store.end(key, of: network, at: now, steady: steady)
    }
  }

  // MARK: Samples

  /// What each device moved since the last sample, filed under the minute of this snapshot.
  private func sample(_ last: Told) {
    round += 1
    sampledAt = steady
    let minute = HistoryTier.minute.start(last.taken.wholeSecond)
    let network = store.networkState
    // The counters began anew: so did the model.
    if last.capture.frames < network.recorded.sentFrames {
      network.recorded = Usage()
      for state in store.allStates { state.recorded = Usage() }
    }
    var sum = Usage()
    for state in store.allStates where state.toldIn == last.number {
      let parts = state.toldParts.compactMap { store.state($0) }
      let since = state.toldFirst
      var known = state.recorded
      for part in parts { known += part.recorded }
      let now = state.told
      // It was pushed out of the model's table and came back: then its counters hold nothing of what was written.
      let wasAway = state.sampledIn >= 0 && state.sampledIn < round - 1
      if wasAway, since > state.countedSince || now.bytes < known.bytes {
        known = Usage()
        state.recorded = Usage()
        for part in parts { part.recorded = Usage() }
      }
      state.countedSince = since
      state.sampledIn = round
      for part in parts { part.sampledIn = round }
      var moved = now - known
      guard !moved.isZero else { continue }
      moved.peak = state.peak
      state.peak = 0
      state.recorded += moved
      sum += moved
      store.add(moved, of: state, start: minute, steady: steady)
    }
    sampleNetwork(last, sum, network, minute)
    lookAfterDevices(last)
  }

  /// The whole network: frames and bytes as captured, internet and operator as the devices moved them, and the rest is local.
  private func sampleNetwork(_ last: Told, _ sum: Usage, _ network: DeviceState, _ minute: Int) {
    var moved = Usage()
    moved.sentFrames = last.capture.frames &- network.recorded.sentFrames
    moved.sentBytes = last.capture.bytes &- network.recorded.sentBytes
    moved.internetSent = sum.internetSent
    moved.internetReceived = sum.internetReceived
    moved.operatorSent = sum.operatorSent
    moved.operatorReceived = sum.operatorReceived
    moved.localSent = moved.sentBytes &- sum.internet &- sum.operator
    moved.isLowerBound = (last.capture.dropped ?? 0) > 0 || last.capture.vantage == .host
    moved.peak = network.peak
    network.peak = 0
    network.last = last.taken.milliseconds
    network.recorded.sentFrames = last.capture.frames
    network.recorded.sentBytes = last.capture.bytes
    if !moved.isZero { store.add(moved, of: network, start: minute, steady: steady) }
  }

  /// Once a minute: who has left, what has lapsed, and every half an hour who was heard when.
  private func lookAfterDevices(_ last: Told) {
    let day = Int(steady / 86_400)
    for state in [store.networkState] + store.allStates {
      if state.pauseDay != day {
        state.pauseBefore = state.pauseDay == day - 1 ? state.pauseToday : 0
        state.pauseToday = 0
        state.pauseDay = day
      }
      if state.isPresent, steady - (state.heardAt ?? 0) > state.patience { leave(state, at: state.last) }
      let isMet = state.id == 0 ? steady > 600 : state.metAt.map { steady - $0 > 3600 } ?? false
      if isMet, !state.hasLapsed {
        state.hasLapsed = true
        for (key, fact) in state.facts where fact.ended == nil && !fact.isConfirmed && key.kind.lapses {
          store.end(key, of: state, at: state.lastBefore ?? state.last, steady: steady)
        }
      }
      // Its newest sample says when it was heard; the row follows at leisure.
      if state.isTouched, round % 30 == 0, state.id > 1 {
        state.isTouched = false
        store.put(state, steady: steady)
      }
    }
    if round % 10 == 0 { noteSession(last.capture, last.taken) }
  }
}

/// Who is taken into the history while many new stations appear: a flood of made-up addresses must neither fill it nor wear out its disk.
private struct Admission {
  /// A home's worth of devices at once, then one a second: more than ever join.
  private var strong = 512.0
  /// For stations that nobody answered and that said no name: one in half a minute.
  private var weak = 128.0
  private var refilledAt = 0.0

  mutating func refill(_ steady: Double) {
    let passed = max(0, steady - refilledAt)
    refilledAt = steady
    strong = min(512, strong + passed)
    weak = min(128, weak + passed / 30)
  }

  mutating func allows(_ host: Host) -> Bool {
    let isAnswered = host.traffic.sentFrames > 0 && host.traffic.receivedFrames > 0
    if isAnswered || !host.names.isEmpty {
      guard strong >= 1 else { return false }
      strong -= 1
    } else {
      guard weak >= 1 else { return false }
      weak -= 1
    }
    return true
  }
}

extension Timestamp {
  fileprivate var wholeSecond: Int { Int(nanoseconds / 1_000_000_000) }
}

extension Host {
  /// A mark of all that becomes facts: apart from times and traffic. With a seed of this run.
  fileprivate var factMark: Int {
    var hasher = Hasher()
    hasher.combine(names)
    hasher.combine(ipv4)
    hasher.combine(ipv6)
    hasher.combine(roles)
    hasher.combine(subnets)
    hasher.combine(medium?.answer)
    hasher.combine(access?.answer)
    hasher.combine(attachedTo?.answer)
    hasher.combine(behindModem?.answer)
    hasher.combine(model)
    hasher.combine(virtualMACs)
    hasher.combine(vendor)
    return hasher.finalize()
  }
}

extension IPAddress {
  /// Four or sixteen bytes, as on the wire.
  var bytes: [UInt8] {
    let all =
      (0..<8).map { UInt8(truncatingIfNeeded: high >> (56 - 8 * UInt64($0))) }
      + (0..<8).map { UInt8(truncatingIfNeeded: low >> (56 - 8 * UInt64($0))) }
    return isIPv4 ? Array(all[12...]) : all
  }

  init?(bytes: [UInt8]) {
    switch bytes.count {
    case 4: self.init(IPv4Address(bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }))
    case 16:
      self.init(high: bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }, low: bytes[8...].reduce(0) { $0 << 8 | UInt64($1) })
    default: return nil
    }
  }
}
