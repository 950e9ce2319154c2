import Wire

extension Picture {
  /// Whether all that is heard crosses one wire: who routes may hear several, and a capture of all interfaces at once does not tell which
  /// of them a frame came from.
  func isOneWire(heardFrom vantage: Vantage) -> Bool {
    vantage != .router && !linkTypes.contains(.linuxSLL) && !linkTypes.contains(.linuxSLL2)
  }
}

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

    if ours.count == 1, let only = ours.first { return Answer(vantage: routes(only, picture) ? .router : .host, observer: only.mac) }
    return fromFrames(senders, picture)
  }

  /// A file that does not say which frames were sent: what lengths and pairs of stations tell. Few frames tell nothing.
  private static func fromFrames(_ senders: [Picture.Station], _ picture: Picture) -> Answer {
    let unicast = picture.counters.unicast
    // A frame under 60 bytes was caught before any cable carried it: on the machine that sent it, or on a radio.
    let short = senders.filter { ($0.row?.shortFrames ?? 0) > 0 && !isHeardAtAccessPoint($0, picture) }
    let padded = Set(senders.filter(isPadded).map(\.mac))
    guard unicast >= 5 else {
      // One whose frames are short beside several whose frames came padded: it is the one that captures.
      guard short.count == 1, let only = short.first, padded.count >= 2 else { return Answer(vantage: .unknown) }
      return Answer(vantage: routes(only, picture) ? .router : .host, observer: only.mac)
    }
    // Beside its own, at most one unicast frame in a hundred floods past a switch: the capturing machine is in all the rest.
    // What a mapper sends under made-up addresses is nobody's talk.
    let madeUp = picture.fictitious.reduce(0) { $0 + (picture.station($1)?.row?.unicastFrames ?? 0) }
    func others(_ station: Picture.Station) -> Int { max(0, unicast - madeUp - (station.row?.unicastFrames ?? 0)) }
    // Where nobody else's frames were short, a few more may have flooded past.
    let real = short.filter { !picture.fictitious.contains($0.mac) }
    let central = senders.filter { station in
      let isOnlyShort = real.count == 1 && real[0].mac == station.mac
      return Double(others(station)) <= (isOnlyShort ? 0.05 : 0.01) * Double(unicast)
    }
    let caught = central.filter { station in short.contains { $0.mac == station.mac } }
    let routers = caught.filter { routes($0, picture) }
    let hosts = caught.filter { station in !routers.contains { $0.mac == station.mac } }
    // Of two that talk to each other alone, each may be the one that captures, and the other on a radio. At the router the rest of the home would
    // be heard talking to it as well.
    if hosts.count == 1, let only = hosts.first, routers.isEmpty || isAlone(caught, senders) {
      return Answer(vantage: .host, observer: only.mac)
    }
    // Whoever captures, much of what was heard neither came from him nor went to him. Where some frames were caught before a cable carried them,
    // they meet here; else it is a copy of a wire.
    let (pairs, padding) = foreignTalk(picture, padded)
    if unicast >= 20, pairs >= 2, senders.allSatisfy({ Double(others($0)) > 0.2 * Double(unicast) }) {
      return Answer(vantage: short.isEmpty ? .mirror : .bridge)
    }
    // Nobody's frames are padded yet: they meet here.
    if short.count >= 3 { return Answer(vantage: .bridge) }
    // The router's own frames were caught inside its box, where its ports meet.
    if !routers.isEmpty, routers.count == caught.count || short.count == 1 {
      return unicast >= 20 ? Answer(vantage: .bridge, observer: routers.count == 1 ? routers[0].mac : nil) : Answer(vantage: .unknown)
    }
    let possible = central.filter { !padded.contains($0.mac) && !isHeardAtAccessPoint($0, picture) }
    if short.isEmpty, unicast >= 20, possible.count == 1, let only = possible.first, !routes(only, picture) {
      return Answer(vantage: .host, observer: only.mac)
    }
    // What two say to each other who both do not capture: a copy of a wire.
    let isCopy = padding >= 20 && Double(padding) > 0.2 * Double(unicast)
    return Answer(vantage: isCopy || pairs >= 3 && short.isEmpty && central.isEmpty ? .mirror : .unknown)
  }

  /// Whether others were heard, none of them in a frame to one station.
  private static func isAlone(_ few: [Picture.Station], _ senders: [Picture.Station]) -> Bool {
    let rest = senders.filter { station in !few.contains { $0.mac == station.mac } }
    return rest.count >= 2 && rest.allSatisfy { $0.row?.unicastFrames ?? 0 == 0 }
  }

  /// A radio station whose handshake was heard from its own side alone: the access point's own half stays inside it, so this is there.
  private static func isHeardAtAccessPoint(_ station: Picture.Station, _ picture: Picture) -> Bool {
    station.evidence.contains {
      if case .isStation(let bssid, _) = $0.claim {
        $0.basis == "eapol" && picture.station(bssid)?.sends != true
      } else {
        false
      }
    }
  }

  /// Live we know who we are: what is left is whether others' unicast comes by.
  private static func live(_ picture: Picture, _ context: CaptureContext) -> Answer {
    let own = context.ownStations.sorted().compactMap { picture.station($0) }
    let observer = own.max { ($0.row?.unicastFrames ?? 0) < ($1.row?.unicastFrames ?? 0) }?.mac
    if context.isOnBridge { return Answer(vantage: .bridge, observer: observer) }
    if own.contains(where: { routes($0, picture) }) { return Answer(vantage: .router, observer: observer) }
    let foreign = picture.counters.unicast - own.reduce(0) { $0 + ($1.row?.unicastFrames ?? 0) }
    let share = Double(foreign) / Double(max(1, picture.counters.unicast))
    if foreign <= 1 || share <= 0.05 { return Answer(vantage: .host, observer: observer ?? context.ownStations.min()) }
    return Answer(vantage: share > 0.2 ? .mirror : .unknown, observer: observer)
  }

  /// Whether a station's ARP messages, 42 bytes when they leave it, came in padded: then a wire carried them before we heard them, and
  /// the station is not the one that captures.
  private static func isPadded(_ station: Picture.Station) -> Bool {
    (station.row?.shortFrames ?? 0) == 0
      && station.evidence.contains { $0.basis == "arp" && ($0.carrier == station.mac || $0.carrier.isZero) }
  }

  private static func cooked(_ ours: [Picture.Station], _ picture: Picture) -> Answer {
    if ours.count >= 2 || ours.contains(where: { routes($0, picture) }) { return Answer(vantage: .router, observer: ours.first?.mac) }
    return Answer(vantage: ours.isEmpty ? .unknown : .host, observer: ours.first?.mac)
  }

  /// How many pairs of stations talk both ways, and the frames of those of which neither captures.
  private static func foreignTalk(_ picture: Picture, _ padded: Set<MACAddress>) -> (pairs: Int, frames: Int) {
    // Three are many.
    var pairs = Set<[MACAddress]>()
    var frames = 0
    for row in picture.pairs where !row.toGroup && row.framesFromA > 0 && row.framesFromB > 0 && row.a.mac.isStation && row.b.mac.isStation
    {
      if pairs.count < 3 { pairs.insert([row.a.mac, row.b.mac]) }
      if padded.contains(row.a.mac), padded.contains(row.b.mac) { frames += Int(row.framesFromA) + Int(row.framesFromB) }
    }
    return (pairs.count, frames)
  }

  /// Whether a station is the gateway itself: it says so, or a server says so of an address that it has, or what it sends has come from
  /// elsewhere. That it hands out addresses does not make it one.
  static func routes(_ station: Picture.Station, _ picture: Picture) -> Bool {
    for item in station.evidence {
      switch item.claim {
      case .playsRole(.router), .translatesAddresses: return true
      case .advertisesRouter(let lifetime) where lifetime > 0: return true
      case .holds(let address, _) where picture.namedRouters.contains(address): return true
      default: break
      }
    }
    return station.carriesFromInternet().contains { !AddressRules.isFullHopCount($0.highestHops) }
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
