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
  /// Live: the hardware addresses of the interfaces that are listened on, and whether one of them is a bridge or a port of one.
  public var ownStations = Set<MACAddress>()
  public var isOnBridge = false
  /// Live: what time it is, and nanoseconds since the start by a clock that nobody sets. A file's time is that of its last frame.
  public var now: Timestamp?
  public var elapsed: Int64 = 0
  /// Live: how the capture itself is doing.
  public var decodersSetAside: [String] = []
  public var slowTurns = 0
  public var interfacesAwaited: [String] = []
  /// Live: the names that `Frame.interface` counts through.
  public var interfaceNames: [String] = []
  /// What the registry of makers says of addresses, as far as it is at hand; nil where nobody can look.
  public var makers: (@Sendable ([MACAddress]) -> [MACAddress: String])?

  public init() {}
}

extension NetworkModel {
  /// Judges everything that is known and takes an immutable picture of it.
  public mutating func snapshot(_ context: CaptureContext) -> Snapshot {
    let picture = Picture(self, linkTypes: context.linkTypes, makers: context.makers)
    var conclusion = Conclusion(picture, taken: context.now ?? counters.ended ?? Timestamp(nanoseconds: 0), context)
    conclusion.snapshot.elapsed = context.elapsed
    conclusion.snapshot.capture = facts(context, conclusion.vantage)
    conclusion.snapshot.health = health(context)
    conclusion.judge()
    if lines != nil { measure(&conclusion) }
    return conclusion.snapshot
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
    facts.duplicates = counters.duplicates > 0 ? counters.duplicates : nil
    facts.dropped = context.dropped
    facts.isTruncated = context.endsInsideRecord || (counters.cut > 0 && !context.cutsByDesign)
    facts.malformed = counters.malformed
    facts.filter = context.filter
    facts.vantage = vantage.vantage
    facts.observer = vantage.observer
    return facts
  }

  private func health(_ context: CaptureContext) -> Health {
    var health = Health()
    health.decodersSetAside = context.decodersSetAside
    health.slowTurns = context.slowTurns
    health.interfacesAwaited = context.interfacesAwaited
    health.stationsEvicted = stations.evictions
    health.bindingsEvicted = bindings.evictions
    health.pairsEvicted = pairs.evictions
    health.subjectsEvicted = ledger.evictedSubjects
    health.claimsLeft = ledger.leftClaims
    health.unreadLinkTypes = context.linkTypes.filter { !$0.isRead }.map(\.description)
    return health
  }
}

/// One judgement of everything, step by step: each step reads what the ones before it concluded, and none looks back.
struct Conclusion {
  let picture: Picture
  let vantage: VantageRules.Answer
  let context: CaptureContext
  var snapshot = Snapshot()

  /// Stations that are devices, before addresses of one box are joined.
  private let stations: Set<MACAddress>
  private let owned: AddressRules.Owned
  /// Without those that may be anywhere.
  private let ownedHere: AddressRules.Owned
  let boxes: Boxes
  private(set) var split = TrafficRules.Split()
  private var roles: [MACAddress: [Verdict<Role>]] = [:]
  /// In which subnets each station lives, by their places in the snapshot.
  private var networks: [MACAddress: [Int]] = [:]
  /// Devices that another one speaks for.
  private var spokenFor: [MACAddress: (by: MACAddress, evidence: Evidence)] = [:]

  init(_ picture: Picture, taken: Timestamp, _ context: CaptureContext) {
    self.picture = picture
    self.context = context
    vantage = VantageRules.judge(picture, context)
    stations = HostRules.devices(picture)
    (owned, ownedHere) = AddressRules.owned(picture, hosts: stations)
    boxes = Boxes(picture, devices: stations)
    snapshot.taken = taken
  }

  mutating func judge() {
    snapshot.health.stationsUnlisted = picture.leftOut
    (snapshot.subnets, snapshot.health.subnetsUnlisted) = SubnetRules.judge(picture, owned: ownedHere, hosts: stations)
    for at in snapshot.subnets.indices { for mac in snapshot.subnets[at].hosts { networks[mac, default: []].append(at) } }
    listHosts()
    judgeRoles()
    judgeSides()
    judgeLinks()
    count()
    snapshot.findings = FindingRules(picture: picture, boxes: boxes, devices: stations, owned: owned, snapshot: snapshot).judge()
    snapshot.nameDevices(boxes)
  }

  private mutating func listHosts() {
    spokenFor = HostRules.spokenFor(picture, devices: stations).filter { boxes.box(of: $0.key) == $0.key }
    snapshot.hosts.reserveCapacity(stations.count + spokenFor.count)
    let holdings = HoldingRules(picture: picture, boxes: boxes, owned: owned, devices: stations)
    // Devices of one subnet share the list of it.
    var lists: [[Int]: [Prefix]] = [:]
    for mac in picture.order where (stations.contains(mac) || spokenFor[mac] != nil) && boxes.box(of: mac) == mac {
      var host = host(mac, holdings)
      let places = networks(of: [mac] + host.virtualMACs)
      let prefixes = lists[places] ?? places.map { snapshot.subnets[$0].prefix }
      lists[places] = prefixes
      host.subnets = prefixes
      snapshot.hosts.append(host)
    }
  }

  private func host(_ mac: MACAddress, _ holdings: HoldingRules) -> Host {
    var host = Host(id: mac)
    let members = [mac] + (boxes.aliases[mac] ?? [])
    host.virtualMACs = Array(members.dropFirst())
    let addresses = Set(members.flatMap { (owned[$0] ?? [:]).keys }).sorted()
    host.ipv4 = addresses.compactMap(\.v4)
    host.ipv6 = addresses.compactMap(\.v6)
    host.holds = host.addresses.prefix(Host.holdLimit).map {
      holdings.judge($0, of: members, speaker: spokenFor[mac].map { boxes.box(of: $0.by) })
    }
    host.joins = host.virtualMACs.map { boxes.joined($0, to: mac) }
    host.isRandomised = HostRules.isRandomised(mac, picture)
    host.vendor = picture.makerNames[mac]
    host.firstSeen = Timestamp(nanoseconds: .max)
    for member in members {
      guard let station = picture.station(member) else { continue }
      host.names += HostRules.names(station, addresses: member == mac ? addresses : [], picture)
      host.vendorClass = host.vendorClass ?? HostRules.trait(.vendorClass, station)
      host.model = host.model ?? HostRules.trait(.model, station)
      host.statements += HostRules.statements(station)
      for item in station.evidence {
        if case .releasesLease = item.claim { host.releasedAt = max(host.releasedAt ?? item.last, item.last) }
      }
      guard let row = station.row else { continue }
      host.firstSeen = min(host.firstSeen, Timestamp(nanoseconds: row.firstSeen))
      host.lastSeen = max(host.lastSeen, Timestamp(nanoseconds: row.lastSeen))
      host.vlans = (host.vlans + [row.vlans.0, row.vlans.1, row.vlans.2, row.vlans.3].filter { $0 != 0 }).deduplicated().sorted()
    }
    if host.firstSeen > host.lastSeen, let spoken = spokenFor[mac]?.evidence {
      (host.firstSeen, host.lastSeen) = (spoken.first, spoken.last)
    }
    host.statements = Array(host.statements.deduplicated().prefix(Host.statementLimit))
    if members.count > 1 { host.names = HostRules.once(host.names) }
    return host
  }

  private func networks(of members: [MACAddress]) -> [Int] {
    members.count == 1 ? networks[members[0]] ?? [] : Set(members.flatMap { networks[$0] ?? [] }).sorted()
  }

  private mutating func judgeRoles() {
    let rules = RoleRules(picture: picture, subnets: snapshot.subnets, owned: owned)
    for at in snapshot.hosts.indices {
      let members = [snapshot.hosts[at].id] + snapshot.hosts[at].virtualMACs
      var verdicts: [Verdict<Role>] = []
      for member in members where !boxes.radiosByNumber.contains(member) {
        guard let station = picture.station(member) else { continue }
        for verdict in rules.judge(station) where !verdicts.contains(where: { $0.answer == verdict.answer }) { verdicts.append(verdict) }
      }
      roles[snapshot.hosts[at].id] = verdicts
      snapshot.hosts[at].roleReasons = verdicts
      snapshot.hosts[at].roles = verdicts.isEmpty ? [.host] : verdicts.map(\.answer)
    }
  }

  /// What each subnet is, and on which side of the modem its devices live.
  private mutating func judgeSides() {
    let subnets = snapshot.subnets
    let rules = ModemRules(
      picture: picture, boxes: boxes, owned: owned, devices: stations, roles: roles, subnets: subnets, vantage: vantage.vantage)
    var gateways: [MACAddress: (Subnet, ModemRules.Side)] = [:]
    var sides = rules.judge()
    GuestRules(picture: picture, boxes: boxes, subnets: subnets, home: rules.primaryHome, roles: roles).refine(&sides)
    for at in subnets.indices {
      let side = sides[at]
      snapshot.subnets[at].kind = side.kind
      snapshot.subnets[at].reason = side.text
      snapshot.subnets[at].confidence = min(subnets[at].confidence, max(side.confidence, 0.3))
      snapshot.subnets[at].judged = Verdict(side.kind, confidence: side.confidence, reasons: side.reasons, against: side.against)
      for gateway in subnets[at].gateways {
        // All who take turns at being the way out stand on its side.
        for host in (picture.routerGroups[gateway.address] ?? []).union([gateway.host].compactMap(\.self)) {
          gateways[boxes.box(of: host)] = (subnets[at], side)
        }
      }
    }
    let dialled = rules.dialled()
    for at in snapshot.hosts.indices {
      defer { snapshot.hosts[at].behindModem = snapshot.hosts[at].behindModem ?? dialled[snapshot.hosts[at].id] }
      let id = snapshot.hosts[at].id
      if let (_, side) = gateways[id] {
        if side.kind == .operator {
          snapshot.hosts[at].behindModem = side.behind.map {
            Verdict(.operatorSide, confidence: $0.confidence, reasons: $0.reasons, against: $0.against)
          }
        }
        // A router of the home that also has an address of the operator's is served by him.
        let outer = snapshot.subnets.first {
          $0.kind == .operator && $0.hosts.contains(id) && !$0.gateways.contains { $0.host == id }
        }
        if outer != nil, side.kind != .operator { snapshot.hosts[at].behindModem = nil }
        continue
      }
      let places = networks(of: [id] + snapshot.hosts[at].virtualMACs)
      guard let verdict = places.compactMap({ sides[$0].behind }).max(by: { $0.confidence < $1.confidence }) else { continue }
      snapshot.hosts[at].behindModem = rules.side(of: id, in: verdict, places.map { subnets[$0] })
    }
  }

  private mutating func judgeLinks() {
    let gateways = Set(
      snapshot.subnets.filter { $0.kind != .operator }.flatMap { $0.gateways.compactMap(\.host) }.map { boxes.box(of: $0) })
    let links = LinkRules(picture: picture, boxes: boxes, devices: stations, gateways: gateways, vantage: vantage)
    var attached: [MACAddress: Verdict<MACAddress>] = [:]
    for at in snapshot.hosts.indices {
      let id = snapshot.hosts[at].id
      for member in [id] + snapshot.hosts[at].virtualMACs {
        guard let station = picture.station(member) else { continue }
        let scale = links.weigh(station)
        guard let verdict = scale.verdict(others: LinkRules.others) else {
          if snapshot.hosts[at].attachmentUnclear.isEmpty { snapshot.hosts[at].attachmentUnclear = scale.unclear(others: LinkRules.others) }
          continue
        }
        if verdict.confidence > attached[id]?.confidence ?? 0 { attached[id] = verdict }
      }
    }
    for (mac, entry) in spokenFor where attached[mac] == nil {
      let reason = entry.evidence.reason(Weights.translated)
      attached[mac] = Verdict(boxes.box(of: entry.by), confidence: Certainty.oneKind, reasons: [reason])
    }
    attached = TopologyBuilder.tree(attached, gateways: gateways)
    snapshot.listUnheard(attached, radios: boxes.inferredRadios)
    let media = MediumRules(picture: picture, boxes: boxes, links: links, attached: attached, roles: roles)
    for at in snapshot.hosts.indices {
      let id = snapshot.hosts[at].id
      snapshot.hosts[at].attachedTo = attached[id]
      let answer = media.judge(id)
      snapshot.hosts[at].medium = answer.medium
      snapshot.hosts[at].path = answer.path
      snapshot.hosts[at].access = answer.access
      snapshot.hosts[at].mediumUnclear = answer.unclear
      if attached[id] != nil { snapshot.hosts[at].attachmentUnclear = [] }
      guard let parent = attached[id] else { continue }
      snapshot.links.append(
        Link(from: parent.answer, to: id, medium: answer.access ?? answer.medium, rate: nil, reasons: parent.reasons))
    }
  }

  private mutating func count() {
    let duration = picture.counters.started.map { snapshot.taken.since($0) } ?? 0
    let rules = TrafficRules(
      picture: picture, boxes: boxes, hosts: stations, owned: owned, subnets: snapshot.subnets, ended: snapshot.taken, duration: duration)
    let split = rules.split()
    snapshot.conversations = split.largest.prefix(Snapshot.conversationLimit).map(\.conversation)
    self.split = split
    snapshot.multicast = rules.multicast()
    for at in snapshot.hosts.indices {
      let id = snapshot.hosts[at].id
      for member in [id] + snapshot.hosts[at].virtualMACs {
        guard let station = picture.station(member) else { continue }
        var traffic = rules.total(of: station)
        if let share = split.shares[member] { traffic.add(share) }
        snapshot.hosts[at].traffic.add(traffic)
      }
      snapshot.hosts[at].traffic.isLowerBound = (vantage.vantage == .host && id != vantage.observer) || (context.dropped ?? 0) > 0
    }
    var places: [MACAddress: Int] = [:]
    for at in snapshot.hosts.indices { places[snapshot.hosts[at].id] = at }
    for at in snapshot.subnets.indices {
      var traffic = Traffic()
      for mac in snapshot.subnets[at].hosts.map(boxes.box(of:)).deduplicated() {
        guard let place = places[mac] else { continue }
        traffic.isLowerBound = traffic.isLowerBound || snapshot.hosts[place].traffic.isLowerBound
        // Meters know stations, not addresses: who lives in several networks is metered in none.
        if snapshot.hosts[place].subnets.count(where: \.address.isIPv4) <= 1 { traffic.add(snapshot.hosts[place].traffic) }
      }
      traffic.takeAmounts(of: split.subnets[at])
      snapshot.subnets[at].traffic = traffic
    }
    var uses = (Medium.allCases + [nil]).map { LinkTypeUse(medium: $0, devices: [], traffic: Traffic()) }
    for at in snapshot.hosts.indices {
      let medium = snapshot.hosts[at].medium?.answer
      guard let place = uses.firstIndex(where: { $0.medium == medium }) else { continue }
      uses[place].devices.append(snapshot.hosts[at].id)
      uses[place].traffic.add(snapshot.hosts[at].traffic)
    }
    snapshot.linkTypes = uses.filter { !$0.devices.isEmpty }
  }
}
