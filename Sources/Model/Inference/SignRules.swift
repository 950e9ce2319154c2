import Wire

/// Finds the signs of one subnet (`inference.md` 11 and 17): whose it is, and why there are two where another one is the home's own. Each
/// function looks for one kind of sign and knows nothing of the others.
struct SignRules {
  let picture: Picture
  let boxes: Boxes
  let owned: [MACAddress: [IPAddress: Evidence?]]
  let devices: Set<MACAddress>
  let roles: [MACAddress: [Verdict<Role>]]
  let talks: NetworkTalks
  let subnet: Subnet
  /// The home's own network beside this one, where there is one.
  let home: Subnet?
  let subnets: [Subnet]

  private var router: Subnet.Gateway? { home?.gateways.first { $0.host != nil } }
  private var gateway: Subnet.Gateway? { subnet.gateways.first { $0.host != nil } ?? subnet.gateways.first }
  /// Who the network's devices send to what is for elsewhere.
  private var wayOut: MACAddress? { gateway?.host ?? subnet.nextHop?.host }
  private var homesWayOut: MACAddress? { router?.host ?? home?.nextHop?.host }
  /// Devices of the network that are not its gateway.
  private var members: [MACAddress] { subnet.hosts.filter { mac in !subnet.gateways.contains { $0.host == mac } } }

  func signs() -> Signs {
    var out = Signs()
    leases(&out)
    ranges(&out)
    gateways(&out)
    searches(&out)
    wayOut(&out)
    boxesThemselves(&out)
    kinds(&out)
    talk(&out)
    offers(&out)
    return out
  }

  /// Whether an address is in a network of this wire, or may be in one whose mask nothing tells.
  private func isLocal(_ address: IPAddress) -> Bool {
    subnets.contains { known in
      known.prefix.contains(address) || known.source == .guess && AddressGroups.mayBeOne(known.prefix.address, address)
    }
  }

  private func leases(_ out: inout Signs) {
    for mac in members {
      for item in picture.station(mac)?.evidence ?? [] {
        guard case .requestsLease(let server?, _) = item.claim else { continue }
        if !isLocal(IPAddress(server)) {
          if !picture.startingHere.contains(IPAddress(server)) { out.add(.remoteServer, item.reason(0, value: server.description)) }
        } else if gateway?.address == IPAddress(server) || router?.address == IPAddress(server) {
          out.add(.localServer, item.reason(0, value: server.description))
        }
      }
    }
    var duration: UInt32?
    for record in picture.leases where record.lease.prefix == subnet.prefix {
      let (lease, item) = (record.lease, record.item)
      // Heard from the server itself: we stand between it and the relay, beside the server and not beside its clients.
      if let server = lease.server, lease.relay != server, picture.startingHere.contains(IPAddress(server)), lease.relay != nil { continue }
      if let relay = lease.relay {
        out.add(.relayedReply, item.reason(0, value: "relay \(relay)", field: "giaddr"))
      } else if members.contains(record.station), AddressRules.isFullHopCount(lease.hopLimit) {
        out.add(.directReply, item.reason(0, value: "\(lease.hopLimit)", field: "hop limit"))
      }
      if let server = lease.server, !isLocal(IPAddress(server)), !picture.startingHere.contains(IPAddress(server)) || lease.relay == server
      {
        out.add(.remoteServer, item.reason(0, value: "server \(server)", field: "option 54"))
      }
      if members.contains(record.station) {
        if let server = lease.server, let router, IPAddress(server) == router.address {
          out.add(.routerServesBoth, item.reason(0, value: server.description, field: "option 54"))
        }
        if !lease.routes.isEmpty { out.add(.routesInLease, item.reason(0, value: "\(lease.routes.count) routes")) }
        duration = duration ?? lease.duration
      }
    }
    // A broadcast request names the chosen server even where the answer is not heard.
    for server in subnet.servers where server.relay == nil && !picture.startingHere.contains(server.address) && !isLocal(server.address) {
      out.add(.remoteServer, server.reasons.first)
    }
    if let duration, duration < 6 * 3600, let home {
      for record in picture.leases where record.lease.prefix == home.prefix {
        guard let other = record.lease.duration, other >= 24 * 3600 else { continue }
        out.add(.shortLease, record.item.reason(0, value: "\(duration) s beside \(other) s", field: "option 51"))
      }
    }
  }

  /// What the addresses themselves say.
  private func ranges(_ out: inout Signs) {
    guard let v4 = subnet.prefix.address.v4, !v4.isPrivate, !v4.isLinkLocal else { return }
    for mac in subnet.hosts {
      for (address, item) in (owned[mac] ?? [:]).sorted(by: { $0.key < $1.key }) where subnet.prefix.contains(address) {
        out.add(v4.isShared ? .sharedRange : .publicRange, picture.reason(address, of: mac, item, 0))
      }
    }
  }

  /// How the network reaches elsewhere.
  private func wayOut(_ out: inout Signs) {
    guard subnet.prefix.address.isIPv4 else { return }
    if subnet.prefix.address.v4?.isPrivate ?? false {
      for server in subnet.servers where server.relay == nil && subnet.prefix.contains(server.address) {
        // Its other address, where a box writes two.
        let isWayOut = subnet.gateways.contains { gateway in
          // That neighbours look for it makes it no way out.
          guard gateway.isNamed else { return false }
          guard gateway.address != server.address else { return true }
          guard let own = gateway.host, let other = server.host else { return false }
          return boxes.box(of: own) == boxes.box(of: other)
        }
        if isWayOut { out.add(.servesAndRoutes, server.reasons.first) }
      }
      // Routers that stand in for each other let it in under the role's hardware address.
      let doors = Set(
        subnet.gateways.flatMap { [$0.host].compactMap(\.self) + (picture.routerGroups[$0.address] ?? []) }
          + [subnet.nextHop?.host].compactMap(\.self))
      for door in doors.sorted() {
        if let frame = talks.letsIn(door, to: subnet.prefix) {
          out.add(
            .letsInternetIn,
            Reason(
              basis: "ip", field: "next hop", value: WireText(door.description), frame: frame, time: nil, weight: 0, kind: .measured))
        }
        out.add(.saysItTranslates, picture.station(door)?.says(.translatesAddresses)?.reason(0))
      }
    }
    // Where whose it is, or that it is used, says the same, this adds nothing.
    let known: [Sign] = [.gatewayIsOperators, .gatewayIsConsumers, .usesOwnGateway]
    guard home != nil, !known.contains(where: out.has), let own = wayOut, let other = homesWayOut,
      boxes.box(of: own) != boxes.box(of: other), !Boxes.isRun(own, other)
    else {
      return
    }
    let reason = gateway?.host == nil ? subnet.nextHop?.reasons.first : gateway?.reasons.max { $0.weight < $1.weight }
    if reason.map({ $0.weight >= 15 }) ?? false { out.add(.wayOutIsOwn, reason.map { named($0, own) }) }
  }

  /// Who looks for three and more neighbours that never speak here, from which address.
  private func searcher() -> (station: Picture.Station, address: IPAddress, sought: [Evidence])? {
    for mac in subnet.hosts {
      guard let station = picture.station(mac) else { continue }
      for address in (owned[mac] ?? [:]).keys.sorted() where subnet.prefix.contains(address) {
        let sought = SignRules.strangers(soughtBy: station, of: subnet, at: address, owned, devices)
        if sought.count >= 3 { return (station, address, sought) }
      }
    }
    return nil
  }

  /// The way out is not known, but one searches as ways out do.
  private func searches(_ out: inout Signs) {
    guard gateway?.host == nil, subnet.prefix.address.isIPv4, let (station, address, sought) = searcher(), let first = sought.first else {
      return
    }
    out.add(.searchesStrangers, first.reason(0, value: "\(sought.count) addresses, from \(address)"))
    if sought.count >= 8 { out.add(.manyStrangers, first.reason(0, value: "\(sought.count) addresses")) }
    if picture.isOperatorGear(station.mac) { out.add(.searcherIsOperators, Picture.makerReason(station, Weights.operatorMaker)) }
  }

  private func gateways(_ out: inout Signs) {
    guard let gateway, let host = gateway.host, let station = picture.station(host) else { return }
    let maker = picture.maker(host)
    let isHomesBox = router?.host.map { boxes.box(of: $0) == boxes.box(of: host) || Boxes.isRun($0, host) } ?? false
    if !isHomesBox, maker?.kind == .operatorGear {
      out.add(
        maker?.isOnly ?? false ? .gatewayIsOperators : .gatewayMayBeOperators, Picture.makerReason(station, Weights.operatorMaker))
    }
    if let other = router?.host {
      if boxes.box(of: other) == boxes.box(of: host) || Boxes.isRun(other, host) {
        // What shows whose the address is, before what names it as the way out.
        let shown = (owned[host]?[gateway.address] ?? nil).map { $0.reason(0) }
        out.add(.gatewayIsRouter, (shown ?? gateway.reasons.first).map { named($0, host) })
      } else if picture.isOperatorGear(host) {
        // A head-end's maker builds nothing for homes.
      } else if maker == MakerHint(kind: .homeRouter, isOnly: true) {
        out.add(.gatewayIsConsumers, Picture.makerReason(station, Weights.onlyMaker))
      } else if let item = station.evidence.first(where: { isConsumerSign($0) }) {
        out.add(.gatewayIsConsumers, item.reason(0))
      } else if let server = subnet.servers.first(where: { $0.relay == nil && $0.host.map { boxes.box(of: $0) } == boxes.box(of: host) }) {
        // It hands out the addresses itself, on this wire: what a router in a shop's box does, and no head-end.
        out.add(.gatewayIsConsumers, server.reasons.first.map { named($0, host) })
      }
    }
    let strangers = SignRules.strangers(soughtBy: station, of: subnet, at: gateway.address, owned, devices)
    if strangers.count >= 3, let first = strangers.first {
      out.add(.searchesStrangers, first.reason(0, value: "\(strangers.count) addresses"))
      if strangers.count >= 8 { out.add(.manyStrangers, first.reason(0, value: "\(strangers.count) addresses")) }
    } else if strangers.isEmpty, let start = picture.counters.started, let end = picture.counters.ended, end.since(start) >= 3600 {
      out.add(.silentGateway, gateway.reasons.first)
    }
    usesGateway(gateway, host, &out)
    if let other = router?.host, let mine = picture.station(other)?.says(.queriesGroups) {
      let theirs = station.says(.queriesGroups)
      if theirs != nil { out.add(.twoQueriers, mine.reason(0)) }
    }
  }

  /// A gateway's searches for addresses of its subnet that never speak here, the earliest first. Searches that were soon repeated had no
  /// answer (RFC 1122, 2.3.2.1 lets one a second go out): that device is not elsewhere, it is absent.
  static func strangers(
    soughtBy station: Picture.Station, of subnet: Subnet, at address: IPAddress, _ owned: [MACAddress: [IPAddress: Evidence?]],
    _ devices: Set<MACAddress>
  ) -> [Evidence] {
    var found: [IPAddress: Evidence] = [:]
    for item in station.evidence {
      guard case .seeks(let target, from: address) = item.claim, subnet.prefix.contains(target) else { continue }
      guard item.last.since(item.first) >= 30 * Double(item.count - 1) else { continue }
      if !devices.contains(where: { owned[$0]?[target] != nil }) { found[target] = item }
    }
    return found.values.sorted { $0.firstFrame < $1.firstFrame }
  }

  /// A box with a face for home owners: it announces itself as a home router, and no head-end does.
  private func isConsumerSign(_ item: Evidence) -> Bool {
    let bases: Set<String> = ["ssdp", "lltd", "mdns", "ws-discovery", "nbns"]
    guard bases.contains(item.basis) else { return false }
    switch item.claim {
    case .playsRole(.router), .translatesAddresses, .isNamed, .offers: return true
    default: return false
    }
  }

  private func named(_ reason: Reason, _ mac: MACAddress) -> Reason {
    var reason = reason
    reason.value = WireText(mac.description)
    return reason
  }

  /// Off-subnet unicast of the box goes to its own gateway's hardware address.
  private func usesGateway(_ gateway: Subnet.Gateway, _ host: MACAddress, _ out: inout Signs) {
    guard let other = router?.host, boxes.box(of: other) != boxes.box(of: host) else { return }
    guard let frame = talks.uses(host, from: subnet.prefix) else { return }
    out.add(
      .usesOwnGateway,
      Reason(basis: "ip", field: "next hop", value: WireText(host.description), frame: frame, time: nil, weight: 0, kind: .measured))
  }

  /// Whom its devices talk with.
  private func talk(_ out: inout Signs) {
    func reason(_ frame: Int, _ value: String) -> Reason {
      Reason(basis: "ip", field: "destination", value: WireText(value), frame: frame, time: nil, weight: 0, kind: .measured)
    }
    guard let talk = talks[subnet.prefix] else { return }
    if talk.toPublic == nil, let (frame, count) = talk.toPrivate, count >= 4 { out.add(.walledGarden, reason(frame, "\(count) frames")) }
    if let frame = talk.amongNeighbours { out.add(.neighboursTalk, reason(frame, subnet.prefix.description)) }
    if let (frame, group) = talk.television { out.add(.televisionFromBeyond, reason(frame, group.description)) }
    if let home, talks.seesOthers, let other = talks[home.prefix], talk.conversations >= 2, other.conversations >= 2,
      !talks.meet(subnet.prefix, home.prefix), let frame = talk.first
    {
      out.add(.staysApart, reason(frame, home.prefix.description))
    }
  }

  /// What kinds of devices live here.
  private func kinds(_ out: inout Signs) {
    let homely: Set<Role> = [.printer, .storage, .speaker, .console, .camera, .iot, .tv]
    var seen = Set<Role>()
    for mac in members {
      guard let station = picture.station(mac) else { continue }
      for verdict in roles[boxes.box(of: mac)] ?? [] where homely.contains(verdict.answer) && seen.insert(verdict.answer).inserted {
        out.add(.homelyMember, verdict.reasons.first.map { labelled($0, verdict.answer.rawValue) }, times: 3)
      }
      if picture.maker(mac)?.kind == .setTopBox { out.add(.boxIsReceiver, Picture.makerReason(station, Weights.makerHint)) }
      for item in station.evidence {
        switch item.claim {
        case .isNamed(let text, let kind) where kind != .group:
          if RoleHints.matching(text, in: .name).contains(where: { $0.role == .setTopBox }) { out.add(.boxIsReceiver, item.reason(0)) }
        case .dialsPPPoE, .requestsDelegation: out.add(.asksAsRouter, item.reason(0))
        case .has(.vendorClass, let text):
          if RoleHints.matching(text, in: .vendorClass).contains(where: { $0.role == .router && $0.weight >= 12 }) {
            out.add(.asksAsRouter, item.reason(0))
          }
        default: break
        }
      }
    }
    if isMost, let first = members.first.flatMap(picture.station)?.row?.firstFrame {
      out.add(
        .mostDevices,
        Reason(
          basis: "ethernet", field: "source", value: WireText("\(members.count) devices"), frame: Int(first), time: nil, weight: 0,
          kind: .measured))
    }
  }

  /// Whether at least twice as many devices live here as in any other network, and three more.
  private var isMost: Bool {
    let most = subnets.filter { $0.prefix != subnet.prefix && $0.prefix.address.isIPv4 }.map(\.hosts.count).max() ?? 0
    return most > 0 && subnet.hosts.count >= max(2 * most, most + 3)
  }

  private func labelled(_ reason: Reason, _ text: String) -> Reason {
    var reason = reason
    reason.value = WireText(text)
    return reason
  }

  private func boxesThemselves(_ out: inout Signs) {
    for mac in members {
      guard let station = picture.station(mac) else { continue }
      if subnet.vlan != nil, let first = station.row?.firstTagged, first > 0 {
        out.add(
          .boxIsTagged,
          Reason(
            basis: "vlan", field: "label", value: WireText("\(subnet.vlan ?? 0)"), frame: Int(first), time: nil, weight: 0, kind: .measured
          ))
      }
      for item in station.evidence {
        switch item.claim {
        case .has(.vendorClass, let text):
          let hints = RoleHints.matching(text, in: .vendorClass)
          if hints.contains(where: { $0.role == .setTopBox }) { out.add(.boxIsSetTop, item.reason(0)) }
          if hints.contains(where: { $0.role == .modem }) { out.add(.boxIsModem, item.reason(0)) }
        case .playsRole(.setTopBox): out.add(.boxIsSetTop, item.reason(0))
        case .playsRole(.modem): out.add(.boxIsModem, item.reason(0))
        default: break
        }
      }
      // Listed by an adapter that lists devices of the home as well.
      for entry in picture.bridgedBy[mac] ?? [] {
        let neighbours = (home?.hosts ?? []).filter { other in
          !(home?.gateways ?? []).contains { $0.host == other }
            && (picture.bridgedBy[other] ?? []).contains { boxes.box(of: $0.by) == boxes.box(of: entry.by) }
        }
        if !neighbours.isEmpty { out.add(.sharesSwitch, entry.evidence.reason(0)) }
      }
    }
  }

  /// What ordinary devices and the box are offered.
  private func offers(_ out: inout Signs) {
    guard let home else { return }
    var isOffered = false
    for record in picture.leases {
      let (mac, item) = (record.station, record.item)
      guard let prefix = record.lease.prefix, let station = picture.station(mac) else { continue }
      let isBox = members.contains(mac)
      // A computer is nobody's kind of set-top box, whichever of the two networks it lives in.
      let isOrdinary = home.hosts.contains(mac) && !isBox || isComputer(station)
      if isOrdinary, prefix == subnet.prefix {
        out.add(.pcGetsOperatorOffer, item.reason(0))
        isOffered = true
      }
      if isBox, prefix == home.prefix { out.add(.bothOffer, item.reason(0)) }
    }
    // Offers were seen, and a PC of the home got the home's alone. Where another is offered the operator's, it is not the kind that decides.
    guard !isOffered else { return }
    let foreign = Set(picture.leases.filter { $0.lease.prefix == subnet.prefix }.map(\.station))
    for record in picture.leases
    where record.lease.prefix == home.prefix && home.hosts.contains(record.station) && !foreign.contains(record.station) {
      out.add(.pcGetsHomeOffer, record.item.reason(0))
    }
  }

  private func isComputer(_ station: Picture.Station) -> Bool {
    station.evidence.contains {
      guard case .has(.vendorClass, let text) = $0.claim else { return false }
      let roles = RoleHints.matching(text, in: .vendorClass).map(\.role)
      return roles.contains(.computer) && !roles.contains(.setTopBox) && !roles.contains(.modem)
    }
  }
}
