import Wire

/// Who moved how much, and where to: the rows of the tables as totals of devices, subnets and conversations.
struct TrafficRules {
  let picture: Picture
  let hosts: Set<MACAddress>
  /// Whether an address is a host's own: else it lies behind that host.
  let owns: (MACAddress, IPAddress) -> Bool
  let ended: Timestamp
  let duration: Double

  /// Whether a device itself stands at an end: under its own address, under none, or under that of who has none yet (RFC 1122, 3.2.1.3).
  private func isItself(_ end: PairRow.End) -> Bool {
    end.address.isNone || end.address.v4?.isAny ?? false || owns(end.mac, end.address)
  }

  /// What one end of a pair is.
  private func endpoint(_ end: PairRow.End) -> Endpoint? {
    if end.mac.isStation, hosts.contains(end.mac), isItself(end) { return .host(end.mac) }
    if end.address.isNone || !end.address.isHost { return nil }
    return .remote(end.address)
  }

  private func distance(_ other: PairRow.End) -> LineMeters.Lane.Kind {
    if isItself(other) { return .local }
    if other.address.isMulticast || !other.address.isHost { return .local }
    return other.address.isInternal ? .operator : .internet
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
    return traffic
  }

  /// Where everything went.
  struct Split {
    /// Bytes by distance for each device, in a `Traffic` that holds nothing else.
    var byHost: [MACAddress: Traffic] = [:]
    /// All of them, the largest first.
    var conversations: [Conversation] = []
    /// For each pair, in their order: what its frames are to the line, and the ends of its conversation, the pair's `a` first or not.
    var lanes: [LineMeters.Lane] = []
    var talks: [(ends: [Endpoint], aIsFirst: Bool)?] = []
  }

  func split() -> Split {
    var out = Split()
    var talks: [[Endpoint]: Conversation] = [:]
    for row in picture.pairs {
      let total = Int(clamping: row.bytesFromA &+ row.bytesFromB)
      let (a, b) = (endpoint(row.a), endpoint(row.b))
      var lane = LineMeters.Lane(.passedOn, homeIsA: true)
      for (end, other, bytes, isA) in [(a, row.b, row.bytesFromA, true), (b, row.a, row.bytesFromB, false)] {
        guard case .host(let mac)? = end else { continue }
        let sent = Int(clamping: bytes)
        let far = row.toGroup ? .local : distance(other)
        lane = LineMeters.Lane(far, homeIsA: isA)
        switch far {
        case .internet:
          out.byHost[mac, default: Traffic()].internetBytes += total
          out.byHost[mac, default: Traffic()].internetSentBytes += sent
        case .operator:
          out.byHost[mac, default: Traffic()].operatorBytes += total
          out.byHost[mac, default: Traffic()].operatorSentBytes += sent
        default:
          out.byHost[mac, default: Traffic()].localBytes += total
          out.byHost[mac, default: Traffic()].localSentBytes += sent
        }
      }
      out.lanes.append(lane)
      guard !row.toGroup, let a, let b, a != b else {
        out.talks.append(nil)
        continue
      }
      let forward = a < b
      let ends = forward ? [a, b] : [b, a]
      talks[ends, default: Conversation(a: ends[0], b: ends[1], kind: lane.kind)].add(row, forward: forward)
      out.talks.append((ends, forward))
    }
    out.conversations = talks.values.sorted { $0.total != $1.total ? $0.total > $1.total : ($0.a, $0.b) < ($1.a, $1.b) }
    return out
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

extension Conversation {
  fileprivate init(a: Endpoint, b: Endpoint, kind: LineMeters.Lane.Kind) {
    self.init(a: a, b: b, aToBBytes: 0, bToABytes: 0)
    distance = kind == .internet ? .internet : kind == .operator ? .operator : .local
  }

  fileprivate mutating func add(_ row: PairRow, forward: Bool) {
    aToBBytes += Int(clamping: forward ? row.bytesFromA : row.bytesFromB)
    bToABytes += Int(clamping: forward ? row.bytesFromB : row.bytesFromA)
    aToBFrames += Int(forward ? row.framesFromA : row.framesFromB)
    bToAFrames += Int(forward ? row.framesFromB : row.framesFromA)
  }
}
