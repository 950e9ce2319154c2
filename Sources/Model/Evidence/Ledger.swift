import Wire

/// What has been said about each subject. Bounded for each subject and in all; when it is full, the subject with the least behind it
/// makes room for a new one, and within a subject the least attested claim for a stronger one.
struct Ledger {
  /// Where a record lies. It lies there no longer once another took its place; the epoch tells.
  struct Seat: BitwiseCopyable {
    /// The ceilings of `Limits`: places in 20 bits, records of one subject in 12.
    private let bits: UInt64

    init() { bits = 0 }
    fileprivate init(place: Int, at: Int, epoch: UInt32) {
      bits = UInt64(truncatingIfNeeded: place) << 44 | UInt64(truncatingIfNeeded: at) << 32 | UInt64(epoch)
    }

    fileprivate var place: Int { Int(truncatingIfNeeded: bits >> 44) }
    fileprivate var at: Int { Int(truncatingIfNeeded: bits >> 32 & 0xfff) }
    fileprivate var epoch: UInt32 { UInt32(truncatingIfNeeded: bits) }
  }

  struct Entry {
    var subject: Subject
    private(set) var evidence: [Evidence] = []
    /// Claims that found no room.
    var left = 0

    /// Several claims, repeated and by several protocols: hard to fake by the way. Kept up to date, since a flood asks for it all the time.
    var weight: Int { standing + 8 * (Int(bases) - 1) }
    private var standing = 0
    private var bases: Int32 = 0
    /// Another number whenever a record at one of its seats gave way to another one.
    fileprivate private(set) var epoch: UInt32

    fileprivate init(subject: Subject, epoch: UInt32 = 0) {
      self.subject = subject
      self.epoch = epoch
    }

    private static func standing(_ item: Evidence) -> Int { 1 + min(item.count, 4) + Int(item.grade.rawValue) }

    @inline(__always)
    private func next(_ mark: UInt32, _ from: Int) -> Int? {
      let evidence = evidence.span
      for at in from..<evidence.count where evidence[at].mark == mark { return at }
      return nil
    }

    /// Where the same was said before.
    @inline(__always)
    fileprivate mutating func place(of observation: inout Observation, _ carrier: MACAddress, _ mark: UInt32) -> Int? {
      var from = 0
      while let at = next(mark, from) {
        if evidence[at].says(&observation, carrier) { return at }
        from = at + 1
      }
      return nil
    }

    @inline(__always)
    fileprivate mutating func again(_ at: Int, _ frame: Int, _ time: Timestamp) {
      if evidence[at].again(frame, time) <= 4 { standing += 1 }
    }

    fileprivate mutating func correctClock(_ moved: (Timestamp) -> Timestamp) {
      for at in evidence.indices {
        evidence[at].first = moved(evidence[at].first)
        evidence[at].last = moved(evidence[at].last)
      }
    }

    fileprivate mutating func add(_ item: Evidence) {
      if !evidence.contains(where: { $0.basis == item.basis }) { bases += 1 }
      standing += Entry.standing(item)
      // By halves: doubling would leave most of it empty, and there is one of these for each device.
      if evidence.count == evidence.capacity {
        evidence.reserveCapacity(evidence.count + max(2, evidence.count / 2))
      }
      evidence.append(item)
    }

    fileprivate mutating func replace(_ at: Int, by item: Evidence) {
      let (old, new) = (evidence[at].basis, item.basis)
      standing += Entry.standing(item) - Entry.standing(evidence[at])
      if old != new, !evidence.contains(where: { $0.basis == new }) { bases += 1 }
      evidence[at] = item
      epoch &+= 1
      if old != new, !evidence.contains(where: { $0.basis == old }) { bases -= 1 }
    }
  }

  private let limits: Limits
  private(set) var entries: [Entry] = []
  private var places: [Subject: Int] = [:]
  /// By a few bits of a subject, where such a one was found last: a guess that is checked.
  private var recent = [Int](repeating: 0, count: 1024)
  private(set) var total = 0
  /// Subjects that had to go, and claims that found no room.
  private(set) var evictedSubjects = 0
  private(set) var leftClaims = 0
  /// Claims that took the place of a less attested one. Where a subject's claims are many, others of one rank push each other out for ever:
  /// that is no news.
  private(set) var raisedClaims = 0
  private var hand = 0

  init(limits: Limits) { self.limits = limits }

  /// The clock was set: `moved` says what a time of the old one is by the new.
  mutating func correctClock(_ moved: (Timestamp) -> Timestamp) {
    for at in entries.indices { entries[at].correctClock(moved) }
  }

  func evidence(about subject: Subject) -> [Evidence] { places[subject].map { entries[$0].evidence } ?? [] }

  /// The observation is not changed: it comes `inout` because what is merely lent would be copied first.
  /// Returns where its record lies, nil when there was no room for one.
  mutating func file(_ observation: inout Observation, carrier: MACAddress, frame: Int, time: Timestamp) -> Seat? {
    let place = place(of: observation.subject)
    let mark = UInt32(truncatingIfNeeded: observation.mark ^ carrier.bits)
    if let at = entries[place].place(of: &observation, carrier, mark) {
      entries[place].again(at, frame, time)
      return seat(place, at)
    }
    let item = Evidence(observation, carrier: carrier, mark: mark, frame: frame, time: time)
    if entries[place].evidence.count < limits.evidencePerSubject, total < limits.evidence {
      entries[place].add(item)
      total += 1
      return seat(place, entries[place].evidence.count - 1)
    }
    return replaceWeakest(in: place, by: item)
  }

  private func seat(_ place: Int, _ at: Int) -> Seat { Seat(place: place, at: at, epoch: entries[place].epoch) }

  /// What a frame stated was stated again. False, and nothing done, when not all of it is recorded any more.
  mutating func attest(_ seats: Span<Seat>, frame: Int, time: Timestamp) -> Bool {
    for at in seats.indices where entries.span[seats[at].place].epoch != seats[at].epoch { return false }
    for at in seats.indices { entries[seats[at].place].again(seats[at].at, frame, time) }
    return true
  }

  /// The entry of a subject, made where there is none. The last place of subjects with the same few bits is tried first: most of what is
  /// said is about those who spoke a moment ago.
  @inline(__always)
  private mutating func place(of subject: Subject) -> Int {
    let bits =
      switch subject {
      case .station(let mac): mac.bits
      case .address(let address): address.low ^ address.high &* 3
      }
    let slot = Int(truncatingIfNeeded: mix(bits, limits.seed)) & (recent.count - 1)
    let guess = recent[slot]
    if guess < entries.count, entries.span[guess].subject == subject { return guess }
    let place = places[subject] ?? open(subject)
    recent[slot] = place
    return place
  }

  private mutating func replaceWeakest(in place: Int, by item: Evidence) -> Seat? {
    func rank(_ e: Evidence) -> (Int, Int, Int64) { (Int(e.grade.rawValue), min(e.count, 4), e.last.nanoseconds) }
    leftClaims += 1
    entries[place].left += 1
    // The first of the weakest. Each is ranked once: a subject that is spoken of too much comes here all the time.
    var weakest = -1
    var least = rank(item)
    for (at, known) in entries[place].evidence.enumerated() {
      let own = rank(known)
      if own < least { (weakest, least) = (at, own) }
    }
    guard weakest >= 0 else { return nil }
    if entries[place].evidence[weakest].grade < item.grade { raisedClaims += 1 }
    entries[place].replace(weakest, by: item)
    return seat(place, weakest)
  }

  private mutating func open(_ subject: Subject) -> Int {
    if entries.count < limits.subjects, total < limits.evidence {
      entries.append(Entry(subject: subject))
      places[subject] = entries.count - 1
      return entries.count - 1
    }
    var best = hand
    var bestWeight = Int.max
    hand = (hand + 1) % entries.count
    for step in 0..<8 {
      let candidate = (hand + step * max(1, entries.count / 8)) % entries.count
      let weight = entries[candidate].weight
      if weight < bestWeight { (best, bestWeight) = (candidate, weight) }
    }
    places[entries[best].subject] = nil
    total -= entries[best].evidence.count
    evictedSubjects += 1
    entries[best] = Entry(subject: subject, epoch: entries[best].epoch &+ 1)
    places[subject] = best
    return best
  }
}
