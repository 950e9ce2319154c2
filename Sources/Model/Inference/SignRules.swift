import Wire

/// Finds the signs that decide between the hypotheses (`inference.md` 11, the decision table) for one subnet beside the home's own.
struct SignRules {
  let picture: Picture
  let boxes: Boxes
  let owned: [MACAddress: [IPAddress: Evidence?]]
  let devices: Set<MACAddress>
  let subnet: Subnet
  let home: Subnet
  let subnets: [Subnet]

  private var router: Subnet.Gateway? { home.gateways.first { $0.host != nil } }
  private var gateway: Subnet.Gateway? { subnet.gateways.first { $0.host != nil } ?? subnet.gateways.first }
  /// Devices of the second network that are not its gateway.
  private var members: [MACAddress] { subnet.hosts.filter { mac in !subnet.gateways.contains { $0.host == mac } } }

  func signs() -> [(sign: Sign, reason: Reason)] {
    var out: [(sign: Sign, reason: Reason)] = []
    func add(_ sign: Sign, _ reason: Reason?) {
      guard var reason, !out.contains(where: { $0.sign == sign }) else { return }
      reason.why = sign.why
      out.append((sign, reason))
    }
    leases(add)
    gateways(add)
    boxesThemselves(add)
    offers(add)
    return out
  }

  private typealias Add = (Sign, Reason?) -> Void

  private func isLocal(_ address: IPAddress) -> Bool { subnets.contains { $0.prefix.contains(address) } }

  private func leases(_ add: Add) {
    var duration: UInt32?
    for mac in members {
      guard let station = picture.station(mac) else { continue }
      for item in station.evidence {
        switch item.claim {
        case .requestsLease(let server?, _):
          if !isLocal(IPAddress(server)) {
            add(.remoteServer, item.reason(0, value: server.description))
          } else if gateway?.address == IPAddress(server) || router?.address == IPAddress(server) {
            add(.localServer, item.reason(0, value: server.description))
          }
        case .leased(let lease) where lease.prefix == subnet.prefix:
          if let relay = lease.relay {
            add(.relayedReply, item.reason(0, value: "relay \(relay)", field: "giaddr"))
          } else if AddressRules.isFullHopCount(lease.hopLimit) {
            add(.directReply, item.reason(0, value: "\(lease.hopLimit)", field: "hop limit"))
          }
          if let server = lease.server, let router, IPAddress(server) == router.address {
            add(.routerServesBoth, item.reason(0, value: server.description, field: "option 54"))
          }
          if !lease.routes.isEmpty { add(.routesInLease, item.reason(0, value: "\(lease.routes.count) routes")) }
          duration = duration ?? lease.duration
        default: break
        }
      }
    }
    if let duration, duration < 6 * 3600 {
      for record in picture.leases where record.lease.prefix == home.prefix {
        guard let other = record.lease.duration, other >= 24 * 3600 else { continue }
        add(.shortLease, record.item.reason(0, value: "\(duration) s beside \(other) s", field: "option 51"))
      }
    }
  }

  private func gateways(_ add: Add) {
    guard let gateway, let host = gateway.host, let station = picture.station(host) else { return }
    if let other = router?.host {
      if boxes.box(of: other) == boxes.box(of: host) || Boxes.isRun(other, host) {
        // What shows whose the address is, before what names it as the way out.
        let shown = (owned[host]?[gateway.address] ?? nil).map { $0.reason(0) }
        add(.gatewayIsRouter, (shown ?? gateway.reasons.first).map { named($0, host) })
      } else if MakerHints.kind(host) == .operatorGear {
        add(.gatewayIsOperators, Picture.makerReason(station, Weights.operatorMaker))
      } else if let item = station.evidence.first(where: { isConsumerSign($0) }) {
        add(.gatewayIsConsumers, item.reason(0))
      } else if let server = subnet.servers.first(where: { $0.relay == nil && $0.host.map { boxes.box(of: $0) } == boxes.box(of: host) }) {
        // It hands out the addresses itself, on this wire: what a router in a shop's box does, and no head-end.
        add(.gatewayIsConsumers, server.reasons.first.map { named($0, host) })
      }
    }
    let strangers = SignRules.strangers(soughtBy: station, of: subnet, at: gateway.address, owned, devices)
    if strangers.count >= 3, let first = strangers.first {
      add(.searchesStrangers, first.reason(0, value: "\(strangers.count) addresses"))
    } else if strangers.isEmpty, let start = picture.counters.started, let end = picture.counters.ended, end.since(start) >= 3600 {
      add(.silentGateway, gateway.reasons.first)
    }
    usesGateway(gateway, host, add)
    if let other = router?.host, let mine = picture.station(other)?.says(.queriesGroups) {
      let theirs = station.says(.queriesGroups)
      if theirs != nil { add(.twoQueriers, mine.reason(0)) }
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
  private func usesGateway(_ gateway: Subnet.Gateway, _ host: MACAddress, _ add: Add) {
    guard let other = router?.host, boxes.box(of: other) != boxes.box(of: host) else { return }
    let own = Set(members)
    for row in picture.pairs where !row.toGroup {
      for (from, to, frames) in [(row.a, row.b, row.framesFromA), (row.b, row.a, row.framesFromB)] {
        guard frames > 0, own.contains(from.mac), to.mac == host, to.address.isHost, !subnet.prefix.contains(to.address) else { continue }
        add(
          .usesOwnGateway,
          Reason(
            basis: "ip", field: "next hop", value: WireText(host.description), frame: Int(row.firstFrame), time: nil, weight: 0,
            kind: .measured))
        return
      }
    }
  }

  private func boxesThemselves(_ add: Add) {
    for mac in members {
      guard let station = picture.station(mac) else { continue }
      if subnet.vlan != nil, let first = station.row?.firstTagged, first > 0 {
        add(
          .boxIsTagged,
          Reason(
            basis: "vlan", field: "label", value: WireText("\(subnet.vlan ?? 0)"), frame: Int(first), time: nil, weight: 0, kind: .measured
          ))
      }
      for item in station.evidence {
        switch item.claim {
        case .has(.vendorClass, let text):
          let hints = RoleHints.matching(text, in: .vendorClass)
          if hints.contains(where: { $0.role == .setTopBox }) { add(.boxIsSetTop, item.reason(0)) }
          if hints.contains(where: { $0.role == .modem }) { add(.boxIsModem, item.reason(0)) }
        case .playsRole(.setTopBox): add(.boxIsSetTop, item.reason(0))
        case .playsRole(.modem): add(.boxIsModem, item.reason(0))
        default: break
        }
      }
      // Listed by an adapter that lists devices of the home as well.
      for entry in picture.bridgedBy[mac] ?? [] {
        let neighbours = home.hosts.filter { other in
          !home.gateways.contains { $0.host == other }
            && (picture.bridgedBy[other] ?? []).contains { boxes.box(of: $0.by) == boxes.box(of: entry.by) }
        }
        if !neighbours.isEmpty { add(.sharesSwitch, entry.evidence.reason(0)) }
      }
    }
  }

  /// What ordinary devices and the box are offered.
  private func offers(_ add: Add) {
    var isOffered = false
    for record in picture.leases {
      let (mac, item) = (record.station, record.item)
      guard let prefix = record.lease.prefix, let station = picture.station(mac) else { continue }
      let isBox = members.contains(mac)
      // A computer is nobody's kind of set-top box, whichever of the two networks it lives in.
      let isOrdinary = home.hosts.contains(mac) && !isBox || isComputer(station)
      if isOrdinary, prefix == subnet.prefix {
        add(.pcGetsOperatorOffer, item.reason(0))
        isOffered = true
      }
      if isBox, prefix == home.prefix { add(.bothOffer, item.reason(0)) }
    }
    // Offers were seen, and a PC of the home got the home's alone. Where another is offered the operator's, it is not the kind that decides.
    guard !isOffered else { return }
    let foreign = Set(picture.leases.filter { $0.lease.prefix == subnet.prefix }.map(\.station))
    for record in picture.leases
    where record.lease.prefix == home.prefix && home.hosts.contains(record.station) && !foreign.contains(record.station) {
      add(.pcGetsHomeOffer, record.item.reason(0))
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
