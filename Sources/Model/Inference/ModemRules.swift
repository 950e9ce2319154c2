import Wire

/// Which devices sit behind the modem and which are passed through to the operator, and why a device is in another subnet
/// (`inference.md` 10 and 11).
struct ModemRules {
  let picture: Picture
  let boxes: Boxes
  let owned: [MACAddress: [IPAddress: Evidence?]]
  let devices: Set<MACAddress>
  /// Whether all that is heard crosses one wire.
  let isOneWire: Bool

  /// What is known of the gateway of one subnet.
  struct Side {
    var kind: Subnet.Kind
    var confidence: Double
    var reasons: [Reason]
    var against: [Reason] = []
    var text: String
    /// Whether devices of the subnet reach the operator without translation, where that is certain enough.
    var behind: Verdict<BehindModem>?
  }

  /// The subnet of the home itself: private addresses, handed out by a box on this wire that is their gateway as well.
  func homes(_ subnets: [Subnet]) -> [Subnet] {
    subnets.filter { subnet in
      guard subnet.prefix.address.isIPv4, subnet.prefix.address.isInternal, !subnet.prefix.address.isLinkLocal else { return false }
      let localServer = subnet.servers.contains { server in
        server.relay == nil && subnet.prefix.contains(server.address) && subnet.gateways.contains { $0.address == server.address }
      }
      return localServer
    }
  }

  /// The home's own network: of several the one whose gateway lets the internet in, then the one with most devices, then the first.
  func primaryHome(_ subnets: [Subnet]) -> Subnet? {
    func rank(_ subnet: Subnet) -> (Int, Int, Int) {
      let online = subnet.gateways.contains { $0.host.map { picture.reachesInternet($0, owned) } ?? false }
      return (online ? 0 : 1, -subnet.hosts.count, subnet.reasons.compactMap(\.frame).min() ?? .max)
    }
    return homes(subnets).min { rank($0) < rank($1) }
  }

  func judge(_ subnet: Subnet, among subnets: [Subnet]) -> Side {
    if subnet.prefix.address.isLinkLocal {
      return Side(
        kind: .linkLocal, confidence: 0.95, reasons: subnet.reasons,
        text: "Addresses that devices make up themselves when no DHCP server answers.", behind: nil)
    }
    let home = home(beside: subnet, subnets)
    if let home, let judgement = judgement(of: subnet, beside: home, among: subnets),
      let side = side(of: subnet, beside: home, judgement, subnets)
    {
      return side
    }
    var bridged = Scale<Bool>()
    addLeases(subnet, subnets, &bridged)
    addGateway(subnet, subnets, &bridged)
    // A public address says that nothing translates, not whose network it is: anybody may have a block of them.
    let isOperators = ModemRules.isSure(bridged.verdict(others: 0))
    addMembers(subnet, &bridged)
    addSegment(subnet, &bridged)
    guard let verdict = bridged.verdict(others: 0), ModemRules.isSure(verdict), isOperators || bridged.families(true) >= 2 else {
      return local(subnet, subnets)
    }
    let texts = ModemTexts(picture: picture, isOneWire: isOneWire, subnet: subnet, home: home, confidence: verdict.confidence)
    return Side(
      kind: isOperators ? .operator : .unknown, confidence: verdict.confidence, reasons: verdict.reasons, against: verdict.against,
      text: isOperators ? texts.operators() : ModemTexts.untranslated,
      behind: Verdict(.bridged, confidence: verdict.confidence, reasons: verdict.reasons, against: verdict.against))
  }

  /// The home's own network, where this one was alive at the same time: else they share nothing but a capture.
  private func home(beside subnet: Subnet, _ subnets: [Subnet]) -> Subnet? {
    guard let home = primaryHome(subnets), home.prefix != subnet.prefix else { return nil }
    return Lifespan.meet(home, subnet, picture, owned) ? home : nil
  }

  /// How the explanations stand against each other for a network beside the home's own; nil where there are no two networks to explain.
  func judgement(of subnet: Subnet, beside home: Subnet, among subnets: [Subnet]) -> Judgement? {
    guard subnet.prefix.address.isIPv4, !subnet.gateways.isEmpty else { return nil }
    return Judgement(
      SignRules(picture: picture, boxes: boxes, owned: owned, devices: devices, subnet: subnet, home: home, subnets: subnets).signs())
  }

  /// Who dials on this wire and is answered reaches the operator through a modem in bridge mode; who answers is the operator's.
  func dialled() -> [MACAddress: Verdict<BehindModem>] {
    var servers = Scale<BehindModem>()
    var answering: [MACAddress: Evidence] = [:]
    var dialling: [MACAddress: Evidence] = [:]
    picture.each { station, item in
      switch item.claim {
      case .answersPPPoE: answering[station.mac] = answering[station.mac] ?? item
      case .dialsPPPoE: dialling[station.mac] = dialling[station.mac] ?? item
      default: break
      }
    }
    for mac in answering.keys.sorted() {
      if let item = answering[mac] { servers.add(.operatorSide, item, Weights.concentrator) }
    }
    guard let far = servers.verdict(others: 1) else { return [:] }
    var out: [MACAddress: Verdict<BehindModem>] = [:]
    for (mac, item) in dialling.sorted(by: { $0.key < $1.key }) {
      var near = Scale<BehindModem>()
      near.add(.bridged, item, Weights.concentrator)
      out[boxes.box(of: mac)] = near.verdict(others: 1)
    }
    for (mac, item) in answering.sorted(by: { $0.key < $1.key }) {
      out[boxes.box(of: mac)] = Verdict(.operatorSide, confidence: far.confidence, reasons: [item.reason(Weights.concentrator)])
    }
    return out
  }

  /// On which side a device of a network stands, by the network's: the operator's own equipment in it is no customer of his. Where only its
  /// searches for neighbours that never speak here show it to be his, nothing is said.
  func side(of mac: MACAddress, in verdict: Verdict<BehindModem>, _ subnets: [Subnet]) -> Verdict<BehindModem>? {
    guard verdict.answer == .bridged, let station = picture.station(mac) else { return verdict }
    if MakerHints.kind(mac) == .operatorGear {
      let reason = Picture.makerReason(station, Weights.operatorMaker)
      return Verdict(
        .operatorSide, confidence: min(verdict.confidence, Certainty.oneKind), reasons: [reason] + verdict.reasons, against: verdict.against
      )
    }
    let isSearching = subnets.contains { subnet in
      (owned[mac] ?? [:]).keys.contains { address in
        subnet.prefix.contains(address) && SignRules.strangers(soughtBy: station, of: subnet, at: address, owned, devices).count >= 3
      }
    }
    return isSearching ? nil : verdict
  }

  private static func isSure(_ verdict: Verdict<Bool>?) -> Bool { verdict.map { $0.answer && $0.confidence >= 0.7 } ?? false }

  // MARK: Beside the home's own network

  /// What the signs say of a second network on the wire; nil when they say nothing that other rules could not say better.
  private func side(of subnet: Subnet, beside home: Subnet, _ judgement: Judgement, _ subnets: [Subnet]) -> Side? {
    guard !judgement.signs.isEmpty else { return nil }
    let confidence = judgement.confidence
    let texts = ModemTexts(
      picture: picture, isOneWire: isOneWire, subnet: subnet, home: home, confidence: confidence, judgement: judgement)
    func side(_ kind: Subnet.Kind, _ confidence: Double, _ text: String, _ behind: BehindModem? = nil, _ sure: Double = 1) -> Side {
      Side(
        kind: kind, confidence: confidence, reasons: judgement.reasons, against: judgement.against, text: text,
        behind: behind.map {
          Verdict($0, confidence: min(confidence, sure), reasons: judgement.reasons, against: judgement.against)
        })
    }
    guard confidence >= 0.7 else { return side(.unknown, max(0.3, min(confidence, 0.69)), texts.undecided(judgement)) }
    switch judgement.family {
    case .bridged where !namesOperator(judgement, subnet): return side(.unknown, min(confidence, 0.69), texts.unnamedGateway())
    case .bridged: return side(.operator, confidence, texts.bridged(), .bridged)
    case .tagged:
      // The label keeps it apart; whose it is says the server or the gateway's maker.
      let isOperators = judgement.has(.remoteServer) || judgement.has(.relayedReply) || judgement.has(.gatewayIsOperators)
      return side(isOperators ? .operator : .unknown, confidence, texts.tagged(isOperators), isOperators ? .bridged : nil)
    case .routed: return side(judgement.member == .relayedScope ? .operator : .home, confidence, texts.routed(), .nat, 0.9)
    case .ownModem: return side(.operator, confidence, texts.ownModem())
    case .otherRouter: return side(.home, min(confidence, 0.8), texts.otherRouter())
    }
  }

  /// Whether anything says that an operator is there. A gateway of its own is what every second router at home is; looking for neighbours
  /// that never speak is an operator's sign only outside 192.168.0.0/16, which homes use and operators therefore avoid.
  private func namesOperator(_ judgement: Judgement, _ subnet: Subnet) -> Bool {
    judgement.signs.contains { $0.sign.namesOperator }
      || (judgement.has(.searchesStrangers) && subnet.prefix.address.v4.map { $0.bits >> 16 != 0xc0a8 } ?? false)
  }

  // MARK: What speaks for the operator

  private func addLeases(_ subnet: Subnet, _ subnets: [Subnet], _ scale: inout Scale<Bool>) {
    for record in picture.leases where record.lease.prefix == subnet.prefix {
      let (lease, item) = (record.lease, record.item)
      // Heard from the server itself: we stand between it and the relay, beside the server and not beside its clients.
      if let server = lease.server, picture.startingHere.contains(IPAddress(server)), lease.relay != server { continue }
      if let relay = lease.relay { scale.add(true, item, Weights.relayed, value: "relay \(relay)", field: "giaddr") }
      if let server = lease.server, !subnets.contains(where: { $0.prefix.contains(IPAddress(server)) }) {
        scale.add(true, item, Weights.remoteServer, value: "server \(server)", field: "option 54")
      }
    }
    // A broadcast request names the chosen server even where the answer is not heard.
    for server in subnet.servers where server.relay == nil && !picture.startingHere.contains(server.address) {
      guard !subnets.contains(where: { $0.prefix.contains(server.address) }), let reason = server.reasons.first else { continue }
      scale.add(true, reason.weighed(Weights.remoteServer), .addressing)
    }
  }

  private func addGateway(_ subnet: Subnet, _ subnets: [Subnet], _ scale: inout Scale<Bool>) {
    let homeRouters = Set(homes(subnets).filter { $0.prefix != subnet.prefix }.flatMap { $0.gateways.compactMap(\.host) })
    for gateway in subnet.gateways {
      guard let host = gateway.host, let reason = gateway.reasons.first else { continue }
      if homeRouters.contains(where: { boxes.box(of: $0) == boxes.box(of: host) || Boxes.isRun($0, host) }) {
        scale.add(false, reason.weighed(Weights.sameBox, host), .addressing)
      } else if MakerHints.kind(host) == .operatorGear {
        if let station = picture.station(host) { scale.add(true, Picture.makerReason(station, Weights.operatorMaker), .identity) }
      }
    }
    // The home's own server and gateway in one box speak against any operator.
    if homes([subnet]).contains(where: { $0.prefix == subnet.prefix }), let server = subnet.servers.first(where: { $0.relay == nil }),
      let reason = server.reasons.first
    {
      scale.add(false, reason.weighed(Weights.homeGateway, server.host), .addressing)
    }
  }

  private func addMembers(_ subnet: Subnet, _ scale: inout Scale<Bool>) {
    guard subnet.prefix.address.isIPv4, !subnet.prefix.address.isInternal || subnet.prefix.address.v4?.isShared == true else { return }
    for mac in subnet.hosts {
      for (address, item) in (owned[mac] ?? [:]).sorted(by: { $0.key < $1.key }) where subnet.prefix.contains(address) {
        guard let item else { continue }
        scale.add(true, item, Weights.publicAddress, value: address.description)
        return
      }
    }
  }

  /// A gateway that looks for neighbours who never speak here may have a segment larger than the house. Home routers look for devices that
  /// left, too: it supports what something else says, and says nothing alone.
  private func addSegment(_ subnet: Subnet, _ scale: inout Scale<Bool>) {
    guard scale.score(true) > 0 else { return }
    for gateway in subnet.gateways {
      guard let station = gateway.host.flatMap(picture.station) else { continue }
      let sought = SignRules.strangers(soughtBy: station, of: subnet, at: gateway.address, owned, devices)
      guard sought.count >= 3, let first = sought.first else { continue }
      scale.add(true, first, Weights.largerSegment, value: "\(sought.count) unknown neighbours")
    }
  }

  // MARK: What speaks for the home

  private func local(_ subnet: Subnet, _ subnets: [Subnet]) -> Side {
    if let routers = advertisers(subnet), !routers.isEmpty {
      // The prefix is certain; that it is the home's is only the usual case, and without devices not even that.
      return Side(
        kind: .home, confidence: subnet.hosts.contains { !routers.contains($0) } ? Certainty.oneKind : 0.6, reasons: subnet.reasons,
        text: "The router advertises this prefix.", behind: nil)
    }
    guard let v4 = subnet.prefix.address.v4, v4.isPrivate else {
      return Side(
        kind: .unknown, confidence: 0.5, reasons: subnet.reasons,
        text: subnet.prefix.address.isIPv4 && subnet.hosts.count > 0
          ? ModemTexts.untranslated : "Nothing on the wire says whose addresses these are.", behind: nil)
    }
    if let home = homes([subnet]).first, let server = home.servers.first(where: { $0.relay == nil }) {
      // A second box that hands out addresses of its own beside the first is another matter (`rogue-dhcp-server`).
      let reason = server.reasons.first?.weighed(Weights.homeGateway, server.host)
      guard home.gateways.contains(where: { $0.address == server.address && $0.isNamed }) else {
        return Side(
          kind: .home, confidence: 0.8, reasons: reason.map { [$0] } ?? subnet.reasons,
          text: "\(server.address) hands out these addresses itself, and is looked for as a way out would be.", behind: nil)
      }
      let isSeen = translates(server.address, server.host)
      return Side(
        kind: .home, confidence: 0.95, reasons: reason.map { [$0] } ?? subnet.reasons,
        text: "\(server.address) hands out these addresses itself and is the way out: devices here are behind it"
          + (isSeen ? " and share its address." : ". That they share its address is usual, but nothing from beyond it was heard."),
        behind: Verdict(.nat, confidence: isSeen ? 0.95 : Certainty.oneKind, reasons: reason.map { [$0] } ?? []))
    }
    return unserved(subnet, subnets)
  }

  /// Private addresses that no box was heard to hand out and route at once.
  private func unserved(_ subnet: Subnet, _ subnets: [Subnet]) -> Side {
    let isHomely = isHomely(subnet, subnets)
    let isPeopled = subnet.hosts.count >= 2 && isHomely
    if let gateway = subnet.gateways.first(where: { $0.host != nil }), let best = gateway.reasons.max(by: { $0.weight < $1.weight }),
      best.weight >= 15
    {
      let isSeen = translates(gateway.address, gateway.host)
      return Side(
        kind: isHomely || isSeen ? .home : .unknown, confidence: 0.8, reasons: [best], text: wayOut("\(gateway.address)", isSeen),
        behind: isSeen ? Verdict(.nat, confidence: 0.8, reasons: [best]) : nil)
    }
    if let hop = subnet.nextHop {
      let isSeen = translates(nil, hop.host)
      return Side(
        kind: isPeopled || isSeen ? .home : .unknown, confidence: 0.8, reasons: hop.reasons,
        text: wayOut("\(hop.host)", isSeen),
        behind: isSeen ? Verdict(.nat, confidence: 0.8, reasons: hop.reasons) : nil)
    }
    if isHomely, subnet.servers.contains(where: { subnet.prefix.contains($0.address) }) {
      return Side(
        kind: .home, confidence: 0.8, reasons: subnet.reasons,
        text: "Private addresses from a server inside the subnet itself.", behind: nil)
    }
    let relayed = subnets.filter { $0.prefix != subnet.prefix }.flatMap(\.servers).first { $0.relay.map(subnet.prefix.contains) ?? false }
    if let relayed, let relay = relayed.relay {
      return Side(
        kind: .unknown, confidence: 0.6, reasons: Array(relayed.reasons.prefix(1)) + subnet.reasons,
        text: "\(relay) here hands on the requests of other networks; whose this one is nobody said.", behind: nil)
    }
    return Side(
      kind: isPeopled ? .home : .unknown, confidence: 0.6, reasons: subnet.reasons,
      text: isHomely
        ? "Private addresses, so perhaps a home's; nobody was heard handing them out or routing for them."
        : "Private addresses \(holdsOperatorGear(subnet) ? "among which is a box of a maker of operators' equipment" : "beside another network"); nobody was heard handing them out or routing for them, so whose they are is open.",
      behind: nil)
  }

  /// Whether private addresses may be taken for a home's because nothing says otherwise. Not beside another network on the wire, one of
  /// which may be the operator's, but for those of 192.168.0.0/16, which operators avoid; nor where his equipment lives.
  private func isHomely(_ subnet: Subnet, _ subnets: [Subnet]) -> Bool {
    if holdsOperatorGear(subnet) { return false }
    if let v4 = subnet.prefix.address.v4, v4.bits >> 16 == 0xc0a8 { return true }
    return !subnets.contains {
      $0.prefix != subnet.prefix && $0.prefix.address.isIPv4 && !$0.prefix.address.isLinkLocal && !$0.hosts.isEmpty
        && Lifespan.meet($0, subnet, picture, owned)
    }
  }

  private func holdsOperatorGear(_ subnet: Subnet) -> Bool { subnet.hosts.contains { MakerHints.kind($0) == .operatorGear } }

  private func wayOut(_ name: String, _ isSeen: Bool) -> String {
    isSeen
      ? "Private addresses whose way out is \(name), a box on this wire."
      : "Private addresses whose devices send what is for elsewhere to \(name), a box on this wire; no answer from there was heard."
  }

  /// Whether a router was heard to let the internet in to private addresses, or says that it translates.
  private func translates(_ address: IPAddress?, _ host: MACAddress?) -> Bool {
    // Routers that stand in for each other let it in under the role's hardware address.
    let group = address.flatMap { picture.routerGroups[$0] } ?? []
    return group.union([host].compactMap(\.self)).contains {
      picture.reachesInternet($0, owned) || picture.station($0)?.says(.translatesAddresses) != nil
    }
  }

  /// Routers whose advertisements carry the prefix.
  private func advertisers(_ subnet: Subnet) -> [MACAddress]? {
    guard !subnet.prefix.address.isIPv4 else { return nil }
    return subnet.gateways.compactMap(\.host)
  }
}
