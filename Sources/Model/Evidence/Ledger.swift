import Wire

/// What has been said about each subject. Bounded for each subject and in all; when it is full, the subject with the least behind it
/// makes room for a new one, and within a subject the least attested claim for a stronger one.
struct Ledger {
  struct Entry {
    var subject: Subject
    var evidence: [Evidence] = []
    /// Claims that found no room.
    var left = 0

    /// Several claims, repeated and by several protocols: hard to fake by the way.
    var weight: Int {
      var weight = 0
      var bases = Set<String>()
      for item in evidence {
        weight += 1 + min(item.count, 4) + Int(item.observation.grade.rawValue)
        bases.insert(item.observation.basis)
      }
      return weight + 8 * (bases.count - 1)
    }
  }

  private let limits: Limits
  private(set) var entries: [Entry] = []
  private var places: [Subject: Int] = [:]
  private(set) var total = 0
  /// Subjects that had to go, and claims that found no room.
  private(set) var evictedSubjects = 0
  private(set) var leftClaims = 0
  private var hand = 0

  init(limits: Limits) { self.limits = limits }

  func evidence(about subject: Subject) -> [Evidence] { places[subject].map { entries[$0].evidence } ?? [] }

  mutating func file(_ observation: Observation, carrier: MACAddress, frame: Int, time: Timestamp) {
    let place = places[observation.subject] ?? open(observation.subject)
    let count = entries[place].evidence.count
    for at in 0..<count where entries[place].evidence[at].observation == observation && entries[place].evidence[at].carrier == carrier {
      entries[place].evidence[at].count &+= 1
      if time > entries[place].evidence[at].last { entries[place].evidence[at].last = time }
      entries[place].evidence[at].lastFrame = frame
      return
    }
    let item = Evidence(
      observation: observation, carrier: carrier, first: time, last: time, firstFrame: frame, lastFrame: frame, count: 1)
    if count < limits.evidencePerSubject, total < limits.evidence {
      entries[place].evidence.append(item)
      total += 1
    } else {
      replaceWeakest(in: place, by: item)
    }
  }

  private mutating func replaceWeakest(in place: Int, by item: Evidence) {
    func rank(_ e: Evidence) -> (Int, Int, Int64) { (Int(e.observation.grade.rawValue), min(e.count, 4), e.last.nanoseconds) }
    leftClaims += 1
    entries[place].left += 1
    guard let weakest = entries[place].evidence.indices.min(by: { rank(entries[place].evidence[$0]) < rank(entries[place].evidence[$1]) }),
      rank(entries[place].evidence[weakest]) < rank(item)
    else { return }
    entries[place].evidence[weakest] = item
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
    entries[best] = Entry(subject: subject)
    places[subject] = best
    return best
  }
}
