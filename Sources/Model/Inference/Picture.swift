import Wire

/// Everything the rules may look at, assembled once for a snapshot: counted rows beside what was said, by station.
struct Picture {
  struct Station {
    let mac: MACAddress
    /// Apart, since a row has most of a kilobyte, and many stations of a flood are known from what was said of them only.
    let row: Row?
    var evidence: [Evidence] = []
    /// Addresses in headers of its frames, by address.
    var bindings: [BindingRow] = []

    /// The counted row of the table, read field by field where it lies.
    @dynamicMemberLookup
    final class Row {
      private let row: StationRow
      init(_ row: StationRow) { self.row = row }
      @inline(__always) subscript<Field>(dynamicMember path: KeyPath<StationRow, Field>) -> Field { row[keyPath: path] }
    }

    init(mac: MACAddress, row: StationRow? = nil) {
      self.mac = mac
      self.row = row.map(Row.init)
    }

    var sends: Bool { (row?.sentFrames ?? 0) > 0 }

    /// Sources of the internet in its frames, its own addresses aside: packets that it carries for others.
    func carriesFromInternet(besides own: [IPAddress: Evidence?]? = nil) -> [BindingRow] {
      bindings.filter {
        $0.framesFrom > 0 && $0.address.isHost && !$0.address.isInternal && !$0.address.isMulticast && own?[$0.address] == nil
      }
    }

    /// The first record whose claim fits.
    func first(where fits: (Observation.Claim) -> Bool) -> Evidence? { evidence.first { fits($0.claim) } }
    func says(_ claim: Observation.Claim) -> Evidence? { evidence.first { $0.claim == claim } }
  }

  /// What a DHCP server gave or offered a station: one object, since rules look at all of them again and again.
  final class LeaseRecord {
    let station: MACAddress
    let lease: Lease
    let item: Evidence

    init(_ station: MACAddress, _ lease: Lease, _ item: Evidence) {
      self.station = station
      self.lease = lease
      self.item = item
    }
  }

  let counters: CaptureCounters
  let linkTypes: [LinkType]
  /// By MAC: all that sent, received or were spoken of.
  private(set) var stations: [MACAddress: Station] = [:]
  /// In ascending order, so that nothing depends on a hash table.
  private(set) var order: [MACAddress] = []
  /// What was said of addresses rather than of stations.
  private(set) var addresses: [IPAddress: [Evidence]] = [:]
  let pairs: [PairRow]
  /// Where each stands in the table, when not all do: what stations that are left out said to each other and to groups is left out with them.
  let pairPlaces: [Int32]?
  /// Stations that are not in the picture: see `Picture.unansweredLimit`.
  let leftOut: Int
  /// Who is listed behind a port or radio of whom, by the one that is listed.
  private(set) var bridgedBy: [MACAddress: [(by: MACAddress, evidence: Evidence)]] = [:]
  /// Which station runs a BSS, by BSSID.
  private(set) var bssOwners: [MACAddress: [(owner: MACAddress, evidence: Evidence)]] = [:]
  /// Who plays a role of routers, the present player last, by the role's hardware address.
  private(set) var routerMembers: [MACAddress: [MACAddress]] = [:]
  /// Routers that take turns at having an address, with the hardware address of the role.
  private(set) var routerGroups: [IPAddress: Set<MACAddress>] = [:]
  /// Addresses that DHCP servers name as ways out.
  private(set) var namedRouters = Set<IPAddress>()
  /// Name servers that DHCP servers and routers recommend.
  private(set) var resolvers: [(address: IPAddress, evidence: Evidence)] = []
  /// What DHCP servers gave and offered to whom, in order of MAC.
  private(set) var leases: [LeaseRecord] = []
  /// Addresses from which packets start on this wire: they arrive with all the hops that systems give them.
  private(set) var startingHere = Set<IPAddress>()
  /// Who makes a claim that few make: looked up, since rules ask it of every station.
  private(set) var guardians = Set<MACAddress>()
  private(set) var sleepProxies = Set<MACAddress>()
  private(set) var speakersForOthers = Set<MACAddress>()
  private(set) var fictitious = Set<MACAddress>()
  private(set) var virtualRouters = Set<MACAddress>()
  private(set) var accessPoints = Set<MACAddress>()
  /// As the registry of makers writes them, where it is at hand.
  private(set) var makerNames: [MACAddress: String] = [:]
  private var makerHints: [MACAddress: MakerHint] = [:]
  /// Claims to addresses of others.
  private(set) var forged = ForgedClaims()
  /// The last three bytes of the senders whose address a maker gave.
  private(set) var universalSuffixes = Set<UInt32>()

  /// Stations that nobody answered, at most; the same for those that others merely spoke of. Somebody who makes up addresses can fill the
  /// tables, but neither the report nor our time and memory.
  static let unansweredLimit = 1024
  /// With more than those it is a flood, and who said four words in it at most, no name among them, and was silent for so many nanoseconds since is
  /// let go as well: ten minutes after it the report is the home's again (P6).
  private static let floodMemory: Int64 = 300_000_000_000

  /// The stations of the table that are let go: of those that nobody answered the ones with the least behind them. Who told a name comes
  /// first, then who sent more, then who was heard last.
  private static func excess(_ model: borrowing NetworkModel, named: Set<MACAddress>) -> Set<UInt64> {
    var weak: [(isNamed: Int, frames: UInt64, seen: Int64, mac: UInt64)] = []
    var newest = Int64.min
    for at in 0..<model.stations.count {
      let (sent, received, mac) = (model.stations[at].sentFrames, model.stations[at].receivedFrames, model.stations[at].mac)
      newest = max(newest, model.stations[at].lastSeen)
      guard sent > 0, received == 0 else { continue }
      weak.append((named.contains(MACAddress(bits: mac)) ? 1 : 0, sent, model.stations[at].lastSeen, mac))
    }
    guard weak.count > unansweredLimit else { return [] }
    weak.sort { ($0.isNamed, $0.frames, $0.seen, $0.mac) > ($1.isNamed, $1.frames, $1.seen, $1.mac) }
    let listed = weak.prefix(unansweredLimit).filter { $0.isNamed == 0 && $0.frames <= 4 && newest &- $0.seen > floodMemory }
    return Set((weak.dropFirst(unansweredLimit) + listed).map(\.mac))
  }

  /// Who told a name; asked only when there are many.
  private static func named(_ model: borrowing NetworkModel) -> Set<MACAddress> {
    var out = Set<MACAddress>()
    guard model.stations.count > unansweredLimit else { return out }
    for entry in model.ledger.entries {
      guard case .station(let mac) = entry.subject else { continue }
      if entry.evidence.contains(where: { if case .isNamed = $0.claim { true } else { false } }) { out.insert(mac) }
    }
    return out
  }

  init(
    _ model: borrowing NetworkModel, linkTypes: [LinkType], makers: (([MACAddress]) -> [MACAddress: String])? = nil
  ) {
    let excess = Picture.excess(model, named: Picture.named(model))
    leftOut = excess.count
    counters = model.counters
    self.linkTypes = linkTypes
    var stations: [MACAddress: Station] = [:]
    stations.reserveCapacity(model.stations.count)
    for at in 0..<model.stations.count {
      let row = model.stations[at]
      if !excess.isEmpty, excess.contains(row.mac) { continue }
      let mac = MACAddress(bits: row.mac)
      stations[mac] = Station(mac: mac, row: row)
    }
    for at in 0..<model.bindings.count {
      let row = model.bindings[at]
      let mac = MACAddress(bits: row.mac)
      if mac.isStation { stations[mac]?.bindings.append(row) }
    }
    var addresses: [IPAddress: [Evidence]] = [:]
    var spokenOf = 0
    for entry in model.ledger.entries {
      switch entry.subject {
      case .station(let mac):
        if stations[mac] == nil {
          if excess.contains(mac.bits) || spokenOf >= Picture.unansweredLimit { continue }
          spokenOf += 1
        }
        stations[mac, default: Station(mac: mac)].evidence = entry.evidence
      case .address(let address): addresses[address] = entry.evidence
      }
    }
    (pairs, pairPlaces) = Picture.pairs(model, without: excess)
    self.addresses = addresses
    order = stations.keys.sorted()
    for mac in order { stations[mac]?.bindings.sort { $0.address < $1.address } }
    self.stations = stations
    makerNames = makers?(order.filter { $0.isStation && !$0.isLocal && stations[$0]?.sends ?? false }) ?? [:]
    index()
    routerMembers = findRouterMembers()
    routerGroups = groupsByAddress()
    forged = ForgedClaims(self)
  }

  /// The rows of pairs. A flood fills the table with what is of no use, and to copy it would take as much memory again.
  private static func pairs(_ model: borrowing NetworkModel, without excess: Set<UInt64>) -> ([PairRow], [Int32]?) {
    var pairs: [PairRow] = []
    if excess.isEmpty {
      pairs.reserveCapacity(model.pairs.count)
      for at in 0..<model.pairs.count { pairs.append(model.pairs[at]) }
      return (pairs, nil)
    }
    var places: [Int32] = []
    func isKept(_ mac: MACAddress) -> Bool { mac.isStation && !excess.contains(mac.bits) }
    for at in 0..<model.pairs.count {
      let (a, b) = (model.pairs[at].a.mac, model.pairs[at].b.mac)
      guard isKept(a) || isKept(b) || (!a.isStation && !b.isStation) else { continue }
      pairs.append(model.pairs[at])
      places.append(Int32(clamping: at))
    }
    return (pairs, places)
  }

  private mutating func index() {
    for mac in order {
      if let hint = MakerHints.hint(mac, name: makerNames[mac]) { makerHints[mac] = hint }
      if !mac.isLocal, mac.isStation, stations[mac]?.sends ?? false { universalSuffixes.insert(mac.suffix) }
      for row in stations[mac]?.bindings ?? [] where row.framesFrom > 0 && AddressRules.isFullHopCount(row.highestHops) {
        startingHere.insert(row.address)
      }
      for item in stations[mac]?.evidence ?? [] {
        switch item.claim {
        case .bridges(let host, _, _, _): bridgedBy[host, default: []].append((mac, item))
        case .runsBSS(let bssid, _):
          bssOwners[bssid, default: []].append((mac, item))
          accessPoints.insert(mac)
        case .playsRole(.accessPoint): accessPoints.insert(mac)
        case .guards: guardians.insert(mac)
        case .offers(let service) where service.mentions("_sleep-proxy._udp"):
          guardians.insert(mac)
          sleepProxies.insert(mac)
        case .speaksFor: speakersForOthers.insert(mac)
        case .isFictitious: fictitious.insert(mac)
        case .isVirtualRouter: virtualRouters.insert(mac)
        case .namesServer(let address): resolvers.append((address, item))
        case .leased(let lease):
          leases.append(LeaseRecord(mac, lease, item))
          for router in lease.routers { namedRouters.insert(IPAddress(router)) }
          if lease.isOffer { continue }
          for server in lease.nameServers { resolvers.append((IPAddress(server), item)) }
        default: break
        }
      }
    }
  }

  /// The maker's block as a reason: it stands in every frame, so the first one is named.
  static func makerReason(_ station: Station, _ weight: Weight) -> Reason {
    let block = station.mac.description.prefix(8)
    return Reason(
      basis: "oui", field: "source", value: WireText(String(block)), frame: (station.row?.firstFrame).map { Int($0) }, time: nil,
      weight: weight.decibans, kind: .inferred, why: weight.why)
  }

  func station(_ mac: MACAddress) -> Station? { stations[mac] }

  /// Whether an address is another station's in its own right, which was not heard any more after a time.
  func isSilentOwners(_ address: IPAddress, since time: Timestamp, besides mac: MACAddress) -> Bool {
    order.contains { other in
      guard other != mac, let station = stations[other], let row = station.row, row.lastSeen <= time.nanoseconds else { return false }
      return station.evidence.contains {
        switch $0.claim {
        case .holds(address, let how): how != .lease
        case .leased(let lease): !lease.isOffer && IPAddress(lease.address) == address
        default: false
        }
      }
    }
  }

  /// What a station's maker usually builds.
  func maker(_ mac: MACAddress) -> MakerHint? { makerHints[mac] ?? MakerHints.hint(mac, name: nil) }

  /// Whether a station is of a maker who builds for operators and hardly anything else.
  func isOperatorGear(_ mac: MACAddress) -> Bool { maker(mac) == MakerHint(kind: .operatorGear, isOnly: true) }

  /// What shows that an address is a station's: what was said, or else the first packet from it.
  func reason(_ address: IPAddress, of mac: MACAddress, _ item: Evidence?, _ weight: Int) -> Reason {
    if let item { return item.reason(weight, value: address.description) }
    let first = station(mac)?.bindings.first { $0.address == address && $0.framesFrom > 0 }?.firstFrame
    return Reason(
      basis: "ip", field: "source", value: WireText(address.description), frame: first.map { Int($0) }, time: nil, weight: weight,
      kind: .measured)
  }

  /// Whether answers from the internet come in through a station.
  func reachesInternet(_ mac: MACAddress, _ owned: [MACAddress: [IPAddress: Evidence?]]) -> Bool {
    station(mac).map { !$0.carriesFromInternet(besides: owned[mac]).isEmpty } ?? false
  }

  /// All evidence of a kind about stations, in order of MAC.
  func each(_ body: (Station, Evidence) -> Void) {
    for mac in order {
      guard let station = stations[mac] else { continue }
      for item in station.evidence { body(station, item) }
    }
  }
}

extension Evidence {
  /// The record as a reason for a claim.
  func reason(_ weight: Weight, value: WireText? = nil, field: String? = nil) -> Reason {
    reason(weight.decibans, value: value, field: field, why: weight.why)
  }

  func reason(_ weight: Weight, value: String, field: String? = nil) -> Reason { reason(weight, value: WireText(value), field: field) }

  func reason(_ weight: Int, value: String, field: String? = nil) -> Reason { reason(weight, value: WireText(value), field: field) }

  /// - Parameter field: where the value stands, when that is elsewhere in the message than what the record is named after.
  func reason(_ weight: Int, value: WireText? = nil, field: String? = nil, why: String = "") -> Reason {
    Reason(
      basis: basis, field: field ?? self.field, value: value ?? text ?? claim.valueText,
      frame: firstFrame > 0 ? firstFrame : nil, time: firstFrame > 0 ? first : nil, weight: weight, kind: kind, why: why)
  }
}

extension Observation.Claim {
  /// What a claim says, as the value that a reader would see in the frame.
  var valueText: WireText {
    switch self {
    case .holds(let address, _), .wants(let address), .seeks(let address, _), .joins(let address), .leaves(let address),
      .namesServer(let address), .hasOuterAddress(let address):
      WireText(address.description)
    case .speaksFor(let mac), .isSameBox(let mac), .guards(let mac), .leavesStation(let mac), .bridges(let mac, _, _, _),
      .neighbours(let mac, _, _, _), .isStation(let mac, _), .hears(let mac, _):
      WireText(mac.description)
    case .runsBSS(let bssid, let ssid): ssid ?? WireText(bssid.description)
    case .isNamed(let text, _), .has(_, let text), .offers(let text), .answersPPPoE(let text), .loopDetects(let text): text
    case .playsRole(let role): WireText(role.rawValue)
    case .leased(let lease): WireText(lease.address.description)
    case .requestsLease(let server, _): WireText(server?.description ?? "")
    case .releasesLease(let address): WireText(address.description)
    case .advertisesRouter(let lifetime): WireText("\(lifetime) s")
    case .advertisesPrefix(let prefix, _), .advertisesRoute(let prefix), .delegatedPrefix(let prefix): WireText(prefix.description)
    case .carries(let medium, _): WireText(medium.rawValue)
    case .bridgePort(let bridge, let port, _, _): WireText("\(bridge) port \(port)")
    case .redirects(let to, _): WireText(to.description)
    case .isVirtualRouter(_, let address): WireText(address?.description ?? "")
    default: WireText("")
    }
  }
}
