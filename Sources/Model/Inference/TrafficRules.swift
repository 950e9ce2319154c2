import Wire

/// Who moved how much, and where to: the rows of the tables as totals of devices, subnets and conversations.
struct TrafficRules {
  let picture: Picture
  let hosts: Set<MACAddress>
  /// Whether an address is a host's own: else it lies behind that host.
  let owns: (MACAddress, IPAddress) -> Bool
  let ended: Timestamp
  let duration: Double

  enum Far { case local, internet, `operator` }

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

  private func distance(_ other: PairRow.End) -> Far {
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
    let rate = row.rate.mean(endingAt: ended.second, lasting: duration)
    traffic.rateDown = rate.down
    traffic.rateUp = rate.up
    let second = row.rate.lastSecond(endingAt: ended.second)
    let minute = row.rate.mean(spans: 6, endingAt: ended.second, lasting: duration)
    let minutes = row.rate.mean(spans: 30, endingAt: ended.second, lasting: duration)
    traffic.rates = Traffic.Rates(
      secondDown: second.down, secondUp: second.up, minuteDown: minute.down, minuteUp: minute.up, minutesDown: minutes.down,
      minutesUp: minutes.up)
    traffic.peak = Int(row.rate.peak) * 8
    if row.rate.peak > 0 { traffic.peakAt = Timestamp(seconds: Int64(row.rate.peakSecond), nanoseconds: 0) }
    return traffic
  }

  /// Bytes by distance for each device (in a `Traffic` that holds nothing else), and all conversations.
  func split() -> (byHost: [MACAddress: Traffic], conversations: [Conversation]) {
    var byHost: [MACAddress: Traffic] = [:]
    var talks: [[Endpoint]: (ab: Int, ba: Int)] = [:]
    for row in picture.pairs {
      let total = Int(clamping: row.bytesFromA &+ row.bytesFromB)
      let (a, b) = (endpoint(row.a), endpoint(row.b))
      for (end, other, bytes) in [(a, row.b, row.bytesFromA), (b, row.a, row.bytesFromB)] {
        guard case .host(let mac)? = end else { continue }
        let sent = Int(clamping: bytes)
        switch row.toGroup ? .local : distance(other) {
        case .internet:
          byHost[mac, default: Traffic()].internetBytes += total
          byHost[mac, default: Traffic()].internetSentBytes += sent
        case .local:
          byHost[mac, default: Traffic()].localBytes += total
          byHost[mac, default: Traffic()].localSentBytes += sent
        case .operator:
          byHost[mac, default: Traffic()].operatorBytes += total
          byHost[mac, default: Traffic()].operatorSentBytes += sent
        }
      }
      guard !row.toGroup, let a, let b, a != b else { continue }
      let forward = a < b
      var sums = talks[forward ? [a, b] : [b, a]] ?? (0, 0)
      sums.ab += Int(clamping: forward ? row.bytesFromA : row.bytesFromB)
      sums.ba += Int(clamping: forward ? row.bytesFromB : row.bytesFromA)
      talks[forward ? [a, b] : [b, a]] = sums
    }
    let conversations = talks.map { Conversation(a: $0.key[0], b: $0.key[1], aToBBytes: $0.value.ab, bToABytes: $0.value.ba) }
      .sorted { $0.total != $1.total ? $0.total > $1.total : ($0.a, $0.b) < ($1.a, $1.b) }
    return (byHost, Array(conversations.prefix(Snapshot.conversationLimit)))
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
