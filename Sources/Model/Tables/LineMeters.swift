import Wire

/// What a daemon measures by the second beside its stations: each interface it listens on, the internet line, and the largest
/// conversations. All of it has a fixed size; a frame costs a few additions.
///
/// Where a frame goes, to the internet or not, is known for sure when a snapshot has judged its pair of addresses. Until then, a few seconds,
/// its addresses are judged by themselves, and by the networks that the last snapshot knew.
struct LineMeters {
  /// What a pair's frames are to the internet line.
  struct Lane: BitwiseCopyable, Equatable {
    enum Kind: UInt8 { case unjudged, passedOn, local, internet, `operator` }
    private var bits: UInt8 = 0

    /// - Parameter homeIsA: whether the pair's end `a` is the one in the home.
    init(_ kind: Kind, homeIsA: Bool) { bits = kind.rawValue | (homeIsA ? 0x80 : 0) }
    init() {}
    var kind: Kind { Kind(rawValue: bits & 0x7f) ?? .unjudged }
    var homeIsA: Bool { bits & 0x80 != 0 }
  }

  /// Which conversation's meter a pair adds to.
  struct Talk: BitwiseCopyable, Equatable {
    private var bits: UInt16 = 0
    /// - Parameter aIsFirst: whether the pair's end `a` is the conversation's `a`.
    init(_ place: Int, aIsFirst: Bool) { bits = UInt16(clamping: place &+ 1) << 1 | (aIsFirst ? 1 : 0) }
    init() {}
    /// -1: none.
    var place: Int { Int(bits >> 1) - 1 }
    var aIsFirst: Bool { bits & 1 != 0 }
  }

  /// An interface: down is what it received, up what this machine sent through it.
  struct Interface {
    var rate = RateMeter()
    var total = Traffic()
  }

  private struct Slot {
    var ends: Ends?
    var since: UInt32 = 0
    var rate = RateMeter()
  }

  /// The meter of a pair that came since the last snapshot; by the pair's row, since a newer pair may have taken it over.
  private struct FreshSlot {
    var row = -1
    var rate = RateMeter()
  }

  /// As many as a configuration may name; frames of more count in none.
  static let interfaceLimit = 64
  static let talkLimit = 128
  static let freshLimit = 128

  private(set) var interfaces: [Interface] = []
  private(set) var internet = RateMeter()
  private var talks: [Slot] = []
  private var fresh = [FreshSlot](repeating: FreshSlot(), count: freshLimit)
  private var nextFresh = 0
  /// The second of the last snapshot.
  private var lookedAt: UInt32 = 0
  /// The home's networks that the internet routes, as the last snapshot knew them.
  private var routedHome: [Prefix] = []
  /// This machine's own hardware addresses: live, a frame of Ethernet does not tell which way it went.
  private var own: [UInt64] = []
  /// Bytes of the busiest second of each subnet and link type.
  private(set) var groupPeaks: [GroupPeak.Key: GroupPeak] = [:]

  // MARK: Frames

  mutating func note(_ s: inout FrameSummary, _ pair: inout PairRow, row: Int, fromA: Bool) {
    if pair.lane.kind == .unjudged { meet(&pair, row) }
    let second = s.time.second
    let lane = pair.lane
    let bytes = s.wireLength
    if lane.kind == .internet {
      let isUp = fromA == lane.homeIsA
      internet.add(down: isUp ? 0 : bytes, up: isUp ? bytes : 0, second: second)
    }
    note(interface: s.interface, lane.kind, bytes, isSent: isSent(&s), second)
    let place = pair.talk.place
    let isUp = fromA == pair.talk.aIsFirst
    if place >= LineMeters.talkLimit {
      let at = place - LineMeters.talkLimit
      if fresh[at].row == row { fresh[at].rate.add(down: isUp ? 0 : bytes, up: isUp ? bytes : 0, second: second) }
    } else if place >= 0, place < talks.count {
      talks[place].rate.add(down: isUp ? 0 : bytes, up: isUp ? bytes : 0, second: second)
    }
  }

  /// A pair that no snapshot has judged yet.
  private mutating func meet(_ pair: inout PairRow, _ row: Int) {
    pair.lane = guess(pair)
    if pair.toGroup { return }
    fresh[nextFresh] = FreshSlot(row: row)
    pair.talk = Talk(LineMeters.talkLimit + nextFresh, aIsFirst: true)
    nextFresh = (nextFresh + 1) % LineMeters.freshLimit
  }

  @inline(__always)
  private mutating func note(interface at: Int, _ kind: Lane.Kind, _ bytes: Int, isSent: Bool, _ second: UInt32) {
    guard at >= 0, at < LineMeters.interfaceLimit else { return }
    if at >= interfaces.count { interfaces += [Interface](repeating: Interface(), count: at + 1 - interfaces.count) }
    interfaces[at].rate.add(down: isSent ? 0 : bytes, up: isSent ? bytes : 0, second: second)
    interfaces[at].total.count(kind, bytes, isSent: isSent)
  }

  @inline(__always)
  private func isSent(_ s: inout FrameSummary) -> Bool {
    if s.direction != .unknown { return s.direction == .sent }
    let bits = s.source.bits
    return own.contains(bits)
  }

  private func guess(_ pair: PairRow) -> Lane {
    if pair.toGroup || pair.a.address.isNone || pair.b.address.isNone { return Lane(.local, homeIsA: true) }
    switch (isNear(pair.a.address), isNear(pair.b.address)) {
    case (true, true): return Lane(.local, homeIsA: true)
    case (true, false): return Lane(.internet, homeIsA: true)
    case (false, true): return Lane(.internet, homeIsA: false)
    case (false, false): return Lane(.passedOn, homeIsA: true)
    }
  }

  private func isNear(_ address: IPAddress) -> Bool {
    address.isInternal || !address.isHost || routedHome.contains { $0.contains(address) }
  }

  // MARK: Snapshots

  /// Gives the largest conversations their meters, the largest first; one that is among them no more loses its own.
  ///
  /// - Returns: the place of each, by its ends.
  mutating func follow(_ largest: some Sequence<Ends>, now: UInt32) -> [Ends: Int] {
    let wanted = Array(largest.prefix(LineMeters.talkLimit))
    let kept = Set(wanted)
    var places: [Ends: Int] = [:]
    var free: [Int] = []
    for at in talks.indices {
      if let ends = talks[at].ends, kept.contains(ends) { places[ends] = at } else { free.append(at) }
    }
    free.reverse()
    for ends in wanted where places[ends] == nil {
      // A pair that came since the last snapshot was measured all the same.
      let slot = Slot(ends: ends, since: lookedAt)
      if let at = free.popLast() {
        talks[at] = slot
        places[ends] = at
      } else {
        places[ends] = talks.count
        talks.append(slot)
      }
    }
    for at in free { talks[at].ends = nil }
    lookedAt = now
    return places
  }

  /// Gives a pair its conversation's meter, which takes over what was measured of a pair that came since the last snapshot.
  mutating func assign(_ talk: Talk, to pair: inout PairRow, row: Int) {
    let at = pair.talk.place - LineMeters.talkLimit
    if at >= 0, fresh[at].row == row {
      if talk.place >= 0 { talks[talk.place].rate.absorb(fresh[at].rate, swapped: !talk.aIsFirst) }
      fresh[at].row = -1
    }
    pair.talk = talk
  }

  /// What a conversation moved by the second since it is among the largest.
  func tell(_ place: Int, _ traffic: inout Traffic, endingAt now: UInt32, lasting: Double) {
    guard talks.indices.contains(place) else { return }
    talks[place].rate.tell(&traffic, endingAt: now, lasting: min(lasting, Double(now) - Double(talks[place].since)))
  }

  mutating func know(_ subnets: [Subnet], own stations: Set<MACAddress>) {
    own = stations.map(\.bits).sorted()
    routedHome = subnets.filter { $0.source != .guess && !$0.prefix.address.isInternal }.map(\.prefix)
  }

  mutating func note(peaks: [GroupPeak.Key: GroupPeak]) { groupPeaks = peaks }

  // MARK: The clock

  mutating func correctClock(bySeconds seconds: Int64, now: UInt32) {
    for at in interfaces.indices { interfaces[at].rate.correctClock(bySeconds: seconds, now: now) }
    internet.correctClock(bySeconds: seconds, now: now)
    for at in talks.indices {
      talks[at].rate.correctClock(bySeconds: seconds, now: now)
      talks[at].since = now
    }
    for (key, peak) in groupPeaks {
      groupPeaks[key]?.second = UInt32(clamping: min(Int64(now), max(0, Int64(peak.second) + seconds)))
    }
  }
}

/// The busiest second of all devices of a subnet or link type together.
struct GroupPeak: Hashable {
  enum Key: Hashable {
    case subnet(Prefix)
    case medium(Medium?)
  }
  var bytes = 0
  var second: UInt32 = 0

  /// Looks at the ten seconds that end now: snapshots come more often than that.
  mutating func look(at meters: [RateMeter], endingAt now: UInt32) {
    for back in 0..<UInt32(10) where now >= back {
      let sum = meters.reduce(0) { $0 + $1.bytes(in: now - back) }
      if sum > bytes { (bytes, second) = (sum, now - back) }
    }
  }

  func tell(_ traffic: inout Traffic) {
    guard bytes > 0 else { return }
    traffic.peak = bytes * 8
    traffic.peakAt = Timestamp(seconds: Int64(second), nanoseconds: 0)
  }
}

extension Traffic {
  @inline(__always)
  fileprivate mutating func count(_ kind: LineMeters.Lane.Kind, _ bytes: Int, isSent: Bool) {
    if isSent {
      sentFrames &+= 1
      sentBytes &+= bytes
    } else {
      receivedFrames &+= 1
      receivedBytes &+= bytes
    }
    switch kind {
    case .internet:
      internetBytes &+= bytes
      if isSent { internetSentBytes &+= bytes }
    case .local:
      localBytes &+= bytes
      if isSent { localSentBytes &+= bytes }
    case .operator:
      operatorBytes &+= bytes
      if isSent { operatorSentBytes &+= bytes }
    case .unjudged, .passedOn: break
    }
  }
}
