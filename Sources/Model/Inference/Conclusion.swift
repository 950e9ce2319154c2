public import Wire

/// What only the caller knows of a capture: where the frames came from.
public struct CaptureContext: Sendable {
  public var isLive = false
  public var name = WireText("")
  public var linkTypes: [LinkType] = []
  public var dropped: Int?
  public var endsInsideRecord = false
  public var filter: String?
  /// Whether frames were cut by our own filter, which keeps all that is read: then cut frames are nobody's loss.
  public var cutsByDesign = false

  public init() {}
}

extension NetworkModel {
  /// Judges everything that is known and takes an immutable picture of it.
  public func snapshot(_ context: CaptureContext) -> Snapshot {
    let picture = Picture(self, linkTypes: context.linkTypes)
    var snapshot = Snapshot()
    snapshot.taken = counters.ended ?? Timestamp(nanoseconds: 0)
    let vantage = VantageRules.judge(picture)
    snapshot.capture = facts(context, vantage)

    let devices = HostRules.devices(picture)
    let exact = AddressRules.exactPrefixes(picture)
    let owned = AddressRules.owned(picture, exact: exact)
    snapshot.subnets = SubnetRules.judge(picture, owned: owned, hosts: devices)

    let duration = counters.started.map { snapshot.taken.since($0) } ?? 0
    let traffic = TrafficRules(
      picture: picture, hosts: devices, owns: { mac, address in owned[mac]?[address] != nil }, ended: snapshot.taken, duration: duration)
    let split = traffic.split()
    snapshot.conversations = split.conversations
    snapshot.multicast = traffic.multicast()
    let isPartial = vantage.vantage == .host || (context.dropped ?? 0) > 0

    for mac in picture.order where devices.contains(mac) {
      guard let station = picture.station(mac) else { continue }
      var host = Host(id: mac)
      let addresses = (owned[mac] ?? [:]).keys.sorted()
      host.ipv4 = addresses.compactMap(\.v4)
      host.ipv6 = addresses.compactMap(\.v6)
      host.names = HostRules.names(station, addresses: addresses, picture)
      host.vendorClass = HostRules.trait(.vendorClass, station)
      host.model = HostRules.trait(.model, station)
      host.isRandomised = HostRules.isRandomised(mac)
      host.firstSeen = Timestamp(nanoseconds: station.row?.firstSeen ?? 0)
      host.lastSeen = Timestamp(nanoseconds: station.row?.lastSeen ?? 0)
      host.traffic = traffic.total(of: station)
      let part = split.byHost[mac] ?? (0, 0, 0)
      host.traffic.internetBytes += part.internet
      host.traffic.localBytes += part.local
      host.traffic.operatorBytes += part.far
      host.traffic.isLowerBound = isPartial && mac != vantage.observer
      host.subnets = snapshot.subnets.filter { $0.hosts.contains(mac) }.map(\.prefix)
      if let row = station.row { host.vlans = [row.vlans.0, row.vlans.1, row.vlans.2, row.vlans.3].filter { $0 != 0 } }
      snapshot.hosts.append(host)
    }
    for at in snapshot.subnets.indices {
      for mac in snapshot.subnets[at].hosts {
        if let host = snapshot.host(mac) { snapshot.subnets[at].traffic.add(host.traffic) }
      }
    }
    snapshot.health = health()
    return snapshot
  }

  private func facts(_ context: CaptureContext, _ vantage: VantageRules.Answer) -> CaptureFacts {
    var facts = CaptureFacts()
    facts.isLive = context.isLive
    facts.name = context.name
    facts.linkTypes = context.linkTypes
    facts.started = counters.started
    facts.ended = counters.ended
    facts.frames = counters.frames
    facts.bytes = counters.bytes
    facts.dropped = context.dropped
    facts.isTruncated = context.endsInsideRecord || (counters.cut > 0 && !context.cutsByDesign)
    facts.malformed = counters.malformed
    facts.filter = context.filter
    facts.vantage = vantage.vantage
    facts.observer = vantage.observer
    return facts
  }

  private func health() -> Health {
    var health = Health()
    health.stationsEvicted = stations.evictions
    health.bindingsEvicted = bindings.evictions
    health.pairsEvicted = pairs.evictions
    health.subjectsEvicted = ledger.evictedSubjects
    health.claimsLeft = ledger.leftClaims
    return health
  }
}
