import Wire

/// Where we listen, hence what silence means (`inference.md` 2): decided first.
enum VantageRules {
  struct Answer {
    var vantage: Vantage
    var observer: MACAddress?
  }

  static func judge(_ picture: Picture) -> Answer {
    if picture.counters.wireless > 0, picture.counters.wireless * 2 >= picture.counters.frames { return Answer(vantage: .monitor) }
    let senders = picture.order.compactMap { picture.station($0) }.filter(\.sends)
    let ours = senders.filter { $0.row?.flags.contains(.sentByUs) ?? false }
    if picture.linkTypes.contains(.linuxSLL) || picture.linkTypes.contains(.linuxSLL2) { return cooked(ours, picture) }

    // A frame under 60 bytes was caught before any wire carried it: on the machine that sent it.
    let short = senders.filter { ($0.row?.shortFrames ?? 0) > 0 }
    let unicast = Int(picture.counters.unicast)
    if short.count >= 2 { return Answer(vantage: .bridge) }
    let candidate = short.first ?? (ours.count == 1 ? ours.first : nil)
    if let candidate {
      let own = Int(candidate.row?.unicastFrames ?? 0)
      // Beside its own, at most one unicast frame in a hundred floods past a switch.
      if unicast == 0 || Double(unicast - own) <= max(1, 0.05 * Double(unicast)) {
        return Answer(vantage: isGateway(candidate, picture) ? .router : .host, observer: candidate.mac)
      }
      return Answer(vantage: isGateway(candidate, picture) ? .router : .mirror, observer: candidate.mac)
    }
    guard unicast >= 20 else { return Answer(vantage: unicast > 0 && pairsBothWays(picture) >= 2 ? .mirror : .unknown) }
    if let busiest = senders.max(by: { ($0.row?.unicastFrames ?? 0) < ($1.row?.unicastFrames ?? 0) }),
      Double(unicast) - Double(busiest.row?.unicastFrames ?? 0) <= 0.01 * Double(unicast)
    {
      // In all of the unicast: the capturing machine, unless it is where all unicast goes anyway.
      if !isGateway(busiest, picture) { return Answer(vantage: .host, observer: busiest.mac) }
      return Answer(vantage: .mirror)
    }
    return Answer(vantage: pairsBothWays(picture) >= 2 ? .mirror : .unknown)
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
    let beyond = station.bindings.filter { !$0.address.isInternal && !$0.address.isMulticast && $0.address.isHost && $0.framesFrom > 0 }
    return beyond.count >= 5
  }
}
