import Wire

/// Where we listen, hence what silence means (`inference.md` 2): decided first.
enum VantageRules {
  struct Answer {
    var vantage: Vantage
    var observer: MACAddress?
  }

  static func judge(_ picture: Picture, _ context: CaptureContext) -> Answer {
    if picture.counters.wireless > 0, picture.counters.wireless * 2 >= picture.counters.frames { return Answer(vantage: .monitor) }
    let senders = picture.order.compactMap { picture.station($0) }.filter(\.sends)
    let ours = senders.filter { $0.row?.flags.isOurs ?? false }
    if picture.linkTypes.contains(.linuxSLL) || picture.linkTypes.contains(.linuxSLL2) { return cooked(ours, picture) }

    if !context.ownStations.isEmpty { return live(picture, context) }

    // A frame under 60 bytes was caught before any cable carried it: on the machine that sent it, or on a radio.
    let short = senders.filter { ($0.row?.shortFrames ?? 0) > 0 }
    let unicast = picture.counters.unicast
    if ours.count == 1, let only = ours.first { return Answer(vantage: isGateway(only, picture) ? .router : .host, observer: only.mac) }
    let busiest = senders.max {
      (($0.row?.unicastFrames ?? 0), $1.mac) < (($1.row?.unicastFrames ?? 0), $0.mac)
    }
    if let busiest, unicast > 0 {
      // Beside its own, at most one unicast frame in a hundred floods past a switch: the capturing machine is in all the rest.
      let foreign = unicast - (busiest.row?.unicastFrames ?? 0)
      let isInAll = Double(foreign) <= 0.01 * Double(unicast)
      let isKnownToSend = short.contains { $0.mac == busiest.mac }
      if isInAll, isKnownToSend || (unicast >= 20 && !isPadded(busiest)), !isGateway(busiest, picture) {
        return Answer(vantage: .host, observer: busiest.mac)
      }
    }
    if short.count >= 2 { return Answer(vantage: .bridge) }
    if let candidate = short.first {
      let foreign = unicast - (candidate.row?.unicastFrames ?? 0)
      if isGateway(candidate, picture) { return Answer(vantage: .router, observer: candidate.mac) }
      return Answer(vantage: Double(foreign) > 0.05 * Double(unicast) ? .mirror : .host, observer: candidate.mac)
    }
    guard unicast > 0 else { return Answer(vantage: .unknown) }
    return Answer(vantage: pairsBothWays(picture) >= 2 || unicast >= 20 ? .mirror : .unknown)
  }

  /// Live we know who we are: what is left is whether others' unicast comes by.
  private static func live(_ picture: Picture, _ context: CaptureContext) -> Answer {
    let own = context.ownStations.sorted().compactMap { picture.station($0) }
    let observer = own.max { ($0.row?.unicastFrames ?? 0) < ($1.row?.unicastFrames ?? 0) }?.mac
    if context.isOnBridge { return Answer(vantage: .bridge, observer: observer) }
    if own.contains(where: { isGateway($0, picture) }) { return Answer(vantage: .router, observer: observer) }
    let foreign = picture.counters.unicast - own.reduce(0) { $0 + ($1.row?.unicastFrames ?? 0) }
    let share = Double(foreign) / Double(max(1, picture.counters.unicast))
    if foreign <= 1 || share <= 0.05 { return Answer(vantage: .host, observer: observer ?? context.ownStations.min()) }
    return Answer(vantage: share > 0.2 ? .mirror : .unknown, observer: observer)
  }

  /// Whether a station's ARP messages, 42 bytes when they leave it, came in padded: then a wire carried them before we heard them, and
  /// the station is not the one that captures.
  private static func isPadded(_ station: Picture.Station) -> Bool {
    (station.row?.shortFrames ?? 0) == 0
      && station.evidence.contains { $0.observation.basis == "arp" && ($0.carrier == station.mac || $0.carrier.isZero) }
  }

  private static func cooked(_ ours: [Picture.Station], _ picture: Picture) -> Answer {
    if ours.count >= 2 || ours.contains(where: { isGateway($0, picture) }) { return Answer(vantage: .router, observer: ours.first?.mac) }
    return Answer(vantage: ours.isEmpty ? .unknown : .host, observer: ours.first?.mac)
  }

  /// How many pairs of stations talk both ways.
  private static func pairsBothWays(_ picture: Picture) -> Int {
    var pairs = Set<[MACAddress]>()
    for row in picture.pairs where !row.toGroup && row.framesFromA > 0 && row.framesFromB > 0 && row.a.mac.isStation && row.b.mac.isStation
    {
      pairs.insert([row.a.mac, row.b.mac])
    }
    return pairs.count
  }

  /// Whether a station is where others send what is not for this wire.
  static func isGateway(_ station: Picture.Station, _ picture: Picture) -> Bool {
    if station.evidence.contains(where: {
      switch $0.claim {
      case .playsRole(.router), .playsRole(.dhcpServer), .translatesAddresses: true
      case .advertisesRouter(let lifetime): lifetime > 0
      default: false
      }
    }) {
      return true
    }
    return station.carriesFromInternet().count >= 5
  }
}
