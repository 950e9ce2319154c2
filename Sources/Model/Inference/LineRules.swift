import Wire

/// What a daemon's snapshot says of lines rather than of devices: interfaces, the internet line, conversations, and the busiest second of
/// subnets and link types. It also tells the meters what was judged, so that the next frames are counted by it.
extension NetworkModel {
  mutating func measure(_ conclusion: inout Conclusion) {
    // Taken out, so that what is changed is not copied first.
    guard var meters = lines.take() else { return }
    let now = conclusion.snapshot.taken.second
    let duration = counters.started.map { conclusion.snapshot.taken.since($0) } ?? 0
    let hasLoss = (conclusion.context.dropped ?? 0) > 0
    let places = meters.follow(conclusion.split.largest.lazy.map(\.conversation.ends), now: now)
    // By the conversation's number: pairs are many.
    var placed = [Int](repeating: -1, count: conclusion.split.count)
    for (number, conversation) in conclusion.split.largest { placed[number] = places[conversation.ends] ?? -1 }
    let rows = conclusion.picture.pairPlaces
    for number in conclusion.split.lanes.indices {
      let at = rows.map { Int($0[number]) } ?? number
      guard at < pairs.count else { continue }
      pairs[at].lane = conclusion.split.lanes[number]
      var meter = LineMeters.Talk()
      if let talk = conclusion.split.talks[number], placed[talk.number] >= 0 {
        meter = LineMeters.Talk(placed[talk.number], aIsFirst: talk.aIsFirst)
      }
      meters.assign(meter, to: &pairs[at], row: at)
    }
    meters.know(conclusion.snapshot.subnets, own: conclusion.context.ownStations)
    for at in conclusion.snapshot.conversations.indices {
      var traffic = Traffic(conclusion.snapshot.conversations[at])
      let (a, b) = (conclusion.snapshot.conversations[at].a, conclusion.snapshot.conversations[at].b)
      if let place = places[conclusion.snapshot.conversations[at].ends] { meters.tell(place, &traffic, endingAt: now, lasting: duration) }
      traffic.isLowerBound = hasLoss || !LineRules.seesAll(a, b, conclusion)
      conclusion.snapshot.conversations[at].traffic = traffic
    }
    for (name, interface) in zip(conclusion.context.interfaceNames, meters.interfaces) {
      var traffic = interface.total
      interface.rate.tell(&traffic, endingAt: now, lasting: duration)
      traffic.isLowerBound = hasLoss
      conclusion.snapshot.interfaces.append(InterfaceUse(name: WireText(name), traffic: traffic))
    }
    // Names that have left nothing behind yet.
    for name in conclusion.context.interfaceNames.dropFirst(meters.interfaces.count) {
      conclusion.snapshot.interfaces.append(InterfaceUse(name: WireText(name), traffic: Traffic()))
    }
    conclusion.snapshot.internet = LineRules.internet(conclusion, meters, now: now, duration: duration, hasLoss: hasLoss)
    meters.note(peaks: LineRules.peaks(&conclusion, meters.groupPeaks, now: now))
    lines = meters
  }
}

enum LineRules {
  /// From one host's place only the conversations with itself are seen whole.
  fileprivate static func seesAll(_ a: Endpoint, _ b: Endpoint, _ conclusion: borrowing Conclusion) -> Bool {
    guard conclusion.vantage.vantage == .host else { return true }
    guard let observer = conclusion.vantage.observer else { return false }
    return a == .host(observer) || b == .host(observer)
  }

  /// The line is the sum of what the devices themselves exchange with the internet.
  fileprivate static func internet(
    _ conclusion: borrowing Conclusion, _ meters: LineMeters, now: UInt32, duration: Double, hasLoss: Bool
  ) -> Traffic {
    var traffic = Traffic()
    for at in conclusion.snapshot.hosts.indices {
      traffic.internetBytes += conclusion.snapshot.hosts[at].traffic.internetBytes
      traffic.internetSentBytes += conclusion.snapshot.hosts[at].traffic.internetSentBytes
    }
    traffic.sentBytes = traffic.internetSentBytes
    traffic.receivedBytes = traffic.internetBytes - traffic.internetSentBytes
    meters.internet.tell(&traffic, endingAt: now, lasting: duration)
    traffic.isLowerBound = hasLoss || conclusion.vantage.vantage == .host
    return traffic
  }

  /// The busiest second of each subnet and link type, and how it stands now.
  fileprivate static func peaks(
    _ conclusion: inout Conclusion, _ known: [GroupPeak.Key: GroupPeak], now: UInt32
  ) -> [GroupPeak.Key: GroupPeak] {
    var places: [MACAddress: Int] = [:]
    for at in conclusion.snapshot.hosts.indices {
      places[conclusion.snapshot.hosts[at].id] = at
      for mac in conclusion.snapshot.hosts[at].virtualMACs { places[mac] = at }
    }
    let hosts = conclusion.snapshot.hosts
    let picture = conclusion.picture
    var out: [GroupPeak.Key: GroupPeak] = [:]
    func look(_ key: GroupPeak.Key, _ members: [MACAddress], _ traffic: inout Traffic) {
      let boxes = Set(members.compactMap { places[$0] })
      let meters = boxes.flatMap { [hosts[$0].id] + hosts[$0].virtualMACs }.compactMap { picture.station($0)?.row?.rate }
      var peak = known[key] ?? GroupPeak()
      peak.look(at: meters, endingAt: now)
      peak.tell(&traffic)
      out[key] = peak
    }
    for at in conclusion.snapshot.subnets.indices {
      let subnet = conclusion.snapshot.subnets[at]
      look(.subnet(subnet.prefix), subnet.hosts, &conclusion.snapshot.subnets[at].traffic)
    }
    for at in conclusion.snapshot.linkTypes.indices {
      let use = conclusion.snapshot.linkTypes[at]
      look(.medium(use.medium), use.devices, &conclusion.snapshot.linkTypes[at].traffic)
    }
    return out
  }
}

extension Traffic {
  /// As the conversation's `a` sees it.
  fileprivate init(_ talk: Conversation) {
    self.init()
    sentBytes = talk.aToBBytes
    sentFrames = talk.aToBFrames
    receivedBytes = talk.bToABytes
    receivedFrames = talk.bToAFrames
    switch talk.distance {
    case .internet: (internetBytes, internetSentBytes) = (talk.total, sentBytes)
    case .local: (localBytes, localSentBytes) = (talk.total, sentBytes)
    case .operator: (operatorBytes, operatorSentBytes) = (talk.total, sentBytes)
    case nil: break
    }
  }
}
