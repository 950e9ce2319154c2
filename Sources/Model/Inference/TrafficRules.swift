import Wire

/// Who moved how much, and where to: the rows of the tables as totals of devices, subnets and conversations.
struct TrafficRules {
  let picture: Picture
  let boxes: Boxes
  let hosts: Set<MACAddress>
  let ended: Timestamp
  let duration: Double
  /// The addresses of everybody, each with whom it is at.
  private let own: Set<PairRow.End>
  /// Addresses that somebody here has, and who; nil of several.
  private let holders: [IPAddress: MACAddress?]
  /// The longest first.
  private let subnets: [(prefix: Prefix, kind: Subnet.Kind, place: Int)]
  /// The one IPv4 subnet of those who live in one: what has no address of its own is that one's.
  private let only: [MACAddress: Int]
  /// Through whom packets of others came.
  private let forwarders: Set<MACAddress>

  init(
    picture: Picture, boxes: Boxes, hosts: Set<MACAddress>, owned: AddressRules.Owned, subnets: [Subnet], ended: Timestamp, duration: Double
  ) {
    self.picture = picture
    self.boxes = boxes
    self.hosts = hosts
    self.ended = ended
    self.duration = duration
    self.subnets = subnets.enumerated().sorted { $0.element.prefix.length > $1.element.prefix.length }.map {
      ($0.element.prefix, $0.element.kind, $0.offset)
    }
    var living: [MACAddress: Int] = [:]
    var several = Set<MACAddress>()
    for (place, subnet) in subnets.enumerated() where subnet.prefix.address.isIPv4 {
      for mac in subnet.hosts { if living.updateValue(place, forKey: mac) != nil { several.insert(mac) } }
    }
    only = living.filter { !several.contains($0.key) }
    var holders: [IPAddress: MACAddress?] = [:]
    var own = Set<PairRow.End>()
    for (mac, addresses) in owned {
      for address in addresses.keys {
        holders[address] = .some(holders[address] == nil ? mac : nil)
        own.insert(PairRow.End(mac: mac, address: address))
      }
    }
    self.own = own
    self.holders = holders
    forwarders = hosts.filter { mac in picture.station(mac).map { SourceRules.forwards($0, own: owned[mac]) } ?? false }
  }

  /// Whether a device itself stands at an end.
  private enum Standing {
    case own
    /// It carries for others: the packets are not its own, and it forwards.
    case carried
    case unclear
  }

  private func owns(_ end: PairRow.End) -> Bool { own.contains(end) }

  private func subnet(_ address: IPAddress) -> (prefix: Prefix, kind: Subnet.Kind, place: Int)? {
    subnets.first { $0.prefix.contains(address) }
  }

  /// The place of the subnet whose own an end is: by its address, or where it has none by where its station lives.
  private func home(_ end: PairRow.End) -> Int? {
    if end.address.isNone || end.address.v4?.isAny ?? false { return only[end.mac] }
    guard end.address.isHost, owns(end) || end.mac.isZero && holders[end.address] != nil else { return nil }
    return subnet(end.address)?.place
  }

  private func wasForwarded(_ end: PairRow.End) -> Bool {
    picture.station(end.mac)?.binding(end.address).map(SourceRules.wasForwarded) ?? false
  }

  private func standing(_ end: PairRow.End, _ other: PairRow.End, toGroup: Bool, sent: UInt64) -> Standing {
    // Under its own address, under none, or under that of who has none yet (RFC 1122, 3.2.1.3).
    if end.address.isNone || end.address.v4?.isAny ?? false || owns(end) { return .own }
    if toGroup, other.address.staysOnLink { return .own }
    // To a group, by a frame for one station: it ends there, unless the group is wanted behind a dial-in.
    if end.address.staysOnLink || (end.address.isMulticast && !(picture.station(end.mac)?.row?.flags.contains(.pppoe) ?? false)) {
      return .own
    }
    let isElsewhere = holders[end.address] != nil
    if !isElsewhere {
      if end.address.isLinkLocal { return .own }
      // Two of one network need nobody between them: the frame went to the address's owner.
      if !toGroup, owns(other), let network = subnet(other.address), network.prefix.contains(end.address), !wasForwarded(end) {
        return .own
      }
      // An answer to a private address from one that is none came over a router, whatever its hop limit.
      if sent > 0, !toGroup, !end.address.isInternal, end.address.isHost, other.address.isInternal, !other.address.isLinkLocal {
        return .carried
      }
    }
    return isElsewhere || forwarders.contains(end.mac) || wasForwarded(end) ? .carried : .unclear
  }

  /// How far the other end is from a device's own one; nil where the frames do not tell.
  private func distance(_ own: PairRow.End, _ other: PairRow.End) -> LineMeters.Lane.Kind? {
    let far = other.address
    if far.isMulticast || !far.isHost || far.isLinkLocal || holders[far] != nil { return .local }
    if let network = subnet(far) {
      let isOperators = network.kind == .operator
      if isOperators, far.isInternal || network.prefix.contains(own.address) { return .operator }
      if !isOperators, !wasForwarded(other) { return .local }
    }
    // A neighbour by its number, on this wire or behind a router, is not shown to be in the internet.
    let reach = far.isIPv4 ? 24 : 64
    if Prefix(own.address, reach).contains(far), own.address.isHost { return nil }
    if !far.isInternal { return .internet }
    // What a device of the operator's network reaches in private is his; behind a home's router it may be anybody's.
    return subnet(own.address)?.kind == .operator ? .operator : nil
  }

  /// Whether nothing could be read of what two stations said: encrypted on the radio, or cut before the addresses.
  private func isUnread(_ row: PairRow) -> Bool {
    guard !row.toGroup, row.a.address.isNone, row.b.address.isNone else { return false }
    let flags = [row.a.mac, row.b.mac].compactMap { picture.station($0)?.row?.flags }
    return flags.contains { $0.contains(.wireless) } || (picture.counters.cut > 0 && !flags.contains { $0.contains(.attested) })
  }

  /// An end of a conversation: a device, or else an address. A station that was only spoken to goes by its hardware address.
  private func endpoint(_ end: PairRow.End, _ standing: Standing) -> Endpoint? {
    if end.mac.isStation, standing == .own, hosts.contains(end.mac) || end.address.isNone { return .host(boxes.box(of: end.mac)) }
    if end.address.isNone || !end.address.isHost { return nil }
    // A cooked capture does not say to whom a frame went.
    if end.mac.isZero, let holder = holders[end.address] ?? nil, hosts.contains(holder) { return .host(boxes.box(of: holder)) }
    return .remote(end.address)
  }

  func total(of station: Picture.Station) -> Traffic {
    var traffic = Traffic()
    guard let row = station.row else { return traffic }
    traffic.sentFrames = Int(clamping: row.sentFrames)
    traffic.sentBytes = Int(clamping: row.sentBytes)
    traffic.receivedFrames = Int(clamping: row.receivedFrames)
    traffic.receivedBytes = Int(clamping: row.receivedBytes)
    traffic.internetBytes = Int(clamping: row.foldedInternet)
    traffic.localBytes = Int(clamping: row.foldedLocal)
    traffic.internetSentBytes = Int(clamping: row.foldedInternetSent)
    traffic.localSentBytes = Int(clamping: row.foldedLocalSent)
    row.rate.tell(&traffic, endingAt: ended.second, lasting: duration)
    if row.rate.peak > 0 { traffic.peakAt = busiestSecond(row) }
    return traffic
  }

  /// The meter keeps 32 bits of seconds, which begin anew in 2106: of the times that it may mean the last one that was heard.
  private func busiestSecond(_ row: Picture.Station.Row) -> Timestamp {
    let last = row.lastSeen / 1_000_000_000
    let since = UInt32(truncatingIfNeeded: last) &- row.rate.peakSecond
    return Timestamp(seconds: last - Int64(since), nanoseconds: 0)
  }

  /// Where everything went.
  struct Split {
    var shares: [MACAddress: Share] = [:]
    /// The largest first, each with its number among all: as many as anybody reads or measures.
    var largest: [(number: Int, conversation: Conversation)] = []
    var count = 0
    /// For each pair, in their order: what its frames are to the line, and the number of its conversation, the pair's `a` first or not.
    var lanes: [LineMeters.Lane] = []
    var talks: [(number: Int, aIsFirst: Bool)?] = []
    /// What the addresses of each subnet moved, each frame once: what went between two of one subnet is sent and not received.
    var subnets: [Traffic] = []

    static let limit = max(Snapshot.conversationLimit, LineMeters.talkLimit)
  }

  /// A device's bytes by distance, and the part of them that it sent.
  struct Share {
    var internet = 0
    var local = 0
    var `operator` = 0
    var carried = 0
    var internetSent = 0
    var localSent = 0
    var operatorSent = 0
  }

  /// A conversation while it is counted: there are as many as pairs, and few are ever told.
  private struct Tally {
    let ends: Ends
    let kind: LineMeters.Lane.Kind
    var aToBBytes = 0
    var bToABytes = 0
    var aToBFrames = 0
    var bToAFrames = 0
    var total: Int { aToBBytes + bToABytes }

    mutating func add(_ row: PairRow, forward: Bool) {
      aToBBytes += Int(clamping: forward ? row.bytesFromA : row.bytesFromB)
      bToABytes += Int(clamping: forward ? row.bytesFromB : row.bytesFromA)
      aToBFrames += Int(forward ? row.framesFromA : row.framesFromB)
      bToAFrames += Int(forward ? row.framesFromB : row.framesFromA)
    }

    var conversation: Conversation {
      var out = Conversation(a: ends.a, b: ends.b, aToBBytes: aToBBytes, bToABytes: bToABytes)
      (out.aToBFrames, out.bToAFrames) = (aToBFrames, bToAFrames)
      out.distance =
        switch kind {
        case .internet: .internet
        case .operator: .operator
        case .local: .local
        case .unjudged, .passedOn: nil
        }
      return out
    }
  }

  func split() -> Split {
    var out = Split()
    var places: [Ends: Int] = [:]
    var tallies: [Tally] = []
    out.lanes.reserveCapacity(picture.pairs.count)
    out.talks.reserveCapacity(picture.pairs.count)
    out.subnets = [Traffic](repeating: Traffic(), count: subnets.count)
    for row in picture.pairs {
      let standingOfA = standing(row.a, row.b, toGroup: row.toGroup, sent: row.bytesFromA)
      let standingOfB = standing(row.b, row.a, toGroup: row.toGroup, sent: row.bytesFromB)
      let (a, b) = (endpoint(row.a, standingOfA), endpoint(row.b, standingOfB))
      tally(row, standingOfA, standingOfB, &out.subnets)
      var lane = LineMeters.Lane(.passedOn, homeIsA: true)
      if !isUnread(row) {
        let total = Int(clamping: row.bytesFromA &+ row.bytesFromB)
        if let far = share(total, sent: Int(clamping: row.bytesFromA), row.a, standingOfA, row.b, toGroup: row.toGroup, &out.shares) {
          lane = LineMeters.Lane(far, homeIsA: true)
        }
        if let far = share(total, sent: Int(clamping: row.bytesFromB), row.b, standingOfB, row.a, toGroup: row.toGroup, &out.shares) {
          lane = LineMeters.Lane(far, homeIsA: false)
        }
      }
      out.lanes.append(lane)
      guard !row.toGroup, let a, let b, a != b else {
        out.talks.append(nil)
        continue
      }
      let forward = a < b
      let ends = forward ? Ends(a: a, b: b) : Ends(a: b, b: a)
      let place = places[ends] ?? tallies.count
      if place == tallies.count {
        places[ends] = place
        tallies.append(Tally(ends: ends, kind: lane.kind))
      }
      tallies[place].add(row, forward: forward)
      out.talks.append((place, forward))
    }
    out.count = tallies.count
    let totals = tallies.map(\.total)
    let order = tallies.indices.sorted {
      totals[$0] != totals[$1]
        ? totals[$0] > totals[$1] : (tallies[$0].ends.a, tallies[$0].ends.b) < (tallies[$1].ends.a, tallies[$1].ends.b)
    }
    out.largest = order.prefix(Split.limit).map { ($0, tallies[$0].conversation) }
    return out
  }

  /// Counts what went between two ends for the subnets whose own they are.
  private func tally(_ row: PairRow, _ standingOfA: Standing, _ standingOfB: Standing, _ subnets: inout [Traffic]) {
    let (a, b) = (home(row.a), home(row.b))
    for (from, to, end, other, standing, bytes, frames, back) in [
      (a, b, row.a, row.b, standingOfA, row.bytesFromA, row.framesFromA, row.bytesFromB),
      (b, a, row.b, row.a, standingOfB, row.bytesFromB, row.framesFromB, row.bytesFromA),
    ] {
      if let from {
        subnets[from].sentBytes += Int(clamping: bytes)
        subnets[from].sentFrames += Int(frames)
      }
      if let to, to != from {
        subnets[to].receivedBytes += Int(clamping: bytes)
        subnets[to].receivedFrames += Int(frames)
      }
      guard let from, standing == .own, !isUnread(row) else { continue }
      // Each frame once here, too: between two of one subnet it is its sender's.
      let total = Int(clamping: to == from ? bytes : bytes &+ back)
      let sent = Int(clamping: bytes)
      switch row.toGroup ? .local : distance(end, other) {
      case .internet:
        subnets[from].internetBytes += total
        subnets[from].internetSentBytes += sent
      case .local:
        subnets[from].localBytes += total
        subnets[from].localSentBytes += sent
      case .operator:
        subnets[from].operatorBytes += total
        subnets[from].operatorSentBytes += sent
      case .unjudged, .passedOn, nil: break
      }
    }
  }

  /// Gives a device its part of what went between one end, where it is, and another; says how far it went, where that is known.
  private func share(
    _ total: Int, sent: Int, _ end: PairRow.End, _ standing: Standing, _ other: PairRow.End, toGroup: Bool,
    _ shares: inout [MACAddress: Share]
  ) -> LineMeters.Lane.Kind? {
    guard end.mac.isStation, hosts.contains(end.mac), standing != .unclear else { return nil }
    if standing == .carried {
      shares[end.mac, default: Share()].carried += total
      return nil
    }
    let far = toGroup ? .local : distance(end, other)
    switch far {
    case .internet:
      shares[end.mac, default: Share()].count(total, sent, \.internet, \.internetSent)
    case .local:
      shares[end.mac, default: Share()].count(total, sent, \.local, \.localSent)
    case .operator:
      shares[end.mac, default: Share()].count(total, sent, \.operator, \.operatorSent)
    case .unjudged, .passedOn, nil: break
    }
    return far
  }

  /// Who joined and who sends to each multicast group.
  func multicast() -> [MulticastGroup] {
    var groups: [IPAddress: (members: Set<MACAddress>, senders: Set<MACAddress>, bytes: Int)] = [:]
    picture.each { station, item in
      if case .joins(let group) = item.claim { groups[group, default: ([], [], 0)].members.insert(station.mac) }
    }
    for row in picture.pairs where row.toGroup {
      for (from, to, bytes) in [(row.a, row.b, row.bytesFromA), (row.b, row.a, row.bytesFromB)] {
        guard to.address.isMulticast, bytes > 0 else { continue }
        if from.mac.isStation { groups[to.address, default: ([], [], 0)].senders.insert(from.mac) }
        groups[to.address, default: ([], [], 0)].bytes += Int(clamping: bytes)
      }
    }
    return groups.sorted { $0.key < $1.key }.map {
      MulticastGroup(group: $0.key, members: $0.value.members.sorted(), senders: $0.value.senders.sorted(), bytes: $0.value.bytes)
    }
  }
}

extension TrafficRules.Share {
  @inline(__always)
  fileprivate mutating func count(_ total: Int, _ sent: Int, _ all: WritableKeyPath<Self, Int>, _ up: WritableKeyPath<Self, Int>) {
    self[keyPath: all] += total
    self[keyPath: up] += sent
  }
}

extension Traffic {
  mutating func add(_ share: TrafficRules.Share) {
    internetBytes += share.internet
    localBytes += share.local
    operatorBytes += share.operator
    carriedBytes += share.carried
    internetSentBytes += share.internetSent
    localSentBytes += share.localSent
    operatorSentBytes += share.operatorSent
  }
}
