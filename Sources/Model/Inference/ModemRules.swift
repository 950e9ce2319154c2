import Wire

/// Whose each network is, and on which side of the modem its devices stand (`inference.md` 3, 10, 11 and 17).
///
/// Two questions, each answered by signs alone. First whose the network is: the home's, the operator's, or nobody knows. Of those that may
/// be the home's one is its own; for every other network beside it the second question is why one wire carries two.
struct ModemRules {
  let picture: Picture
  let boxes: Boxes
  let owned: [MACAddress: [IPAddress: Evidence?]]
  let devices: Set<MACAddress>
  let roles: [MACAddress: [Verdict<Role>]]
  let subnets: [Subnet]
  /// Whether all that is heard crosses one wire.
  let isOneWire: Bool
  private let talks: NetworkTalks
  /// What each network shows by itself, in their order.
  private let signs: [Signs]
  /// Of the networks that may be the home's own, the one that is it.
  private let own: Int?

  /// What is known of one subnet.
  struct Side {
    var kind: Subnet.Kind
    var confidence: Double
    var reasons: [Reason]
    var against: [Reason] = []
    var text: String
    /// Whether devices of the subnet reach the operator without translation, where that is certain enough.
    var behind: Verdict<BehindModem>?
  }

  init(
    picture: Picture, boxes: Boxes, owned: [MACAddress: [IPAddress: Evidence?]], devices: Set<MACAddress>,
    roles: [MACAddress: [Verdict<Role>]], subnets: [Subnet], vantage: Vantage
  ) {
    self.picture = picture
    self.boxes = boxes
    self.owned = owned
    self.devices = devices
    self.roles = roles
    self.subnets = subnets
    isOneWire = picture.isOneWire(heardFrom: vantage)
    let talks = NetworkTalks(
      picture, subnets: subnets, owned: owned, seesOthers: vantage == .mirror || vantage == .bridge || vantage == .router)
    self.talks = talks
    let signs = subnets.map { subnet in
      SignRules(
        picture: picture, boxes: boxes, owned: owned, devices: devices, roles: roles, talks: talks, subnet: subnet, home: nil,
        subnets: subnets
      ).signs()
    }
    self.signs = signs
    own = ModemRules.own(subnets, signs, boxes)
  }

  // MARK: Which network is the home's own

  /// The home's own network, where one is.
  var primaryHome: Subnet? { own.map { subnets[$0] } }

  /// Of the networks that are a home's by themselves the one for which most speaks, then the one with most devices, then the first. Where no
  /// lease tells, another one that is nearly as likely, and has a way out of its own, leaves it open.
  private static func own(_ subnets: [Subnet], _ signs: [Signs], _ boxes: Boxes) -> Int? {
    let candidates = subnets.indices.filter { at in
      subnets[at].prefix.address.v4?.isPrivate ?? false && signs[at].whose()?.answer == .home
    }
    func rank(_ at: Int) -> (Int, Int, Int, Int) {
      (
        signs[at].has(.letsInternetIn) || signs[at].has(.saysItTranslates) ? 0 : 1, -signs[at].homeliness, -subnets[at].hosts.count,
        subnets[at].reasons.compactMap(\.frame).min() ?? .max
      )
    }
    let order = candidates.sorted { rank($0) < rank($1) }
    guard let first = order.first else { return nil }
    if signs[first].has(.servesAndRoutes) { return first }
    // Where more of what homes have lives in another network, answers from the internet alone make none the home's.
    func homely(_ at: Int) -> Int { signs[at].all.count { $0.sign == .homelyMember || $0.sign == .mostDevices } }
    let isOutdone = subnets.indices.contains { at in
      at != first && subnets[at].prefix.address.v4?.isPrivate ?? false && homely(at) > homely(first)
    }
    if isOutdone { return nil }
    func wayOut(_ at: Int) -> MACAddress? {
      (subnets[at].gateways.lazy.compactMap(\.host).first ?? subnets[at].nextHop?.host).map { boxes.box(of: $0) }
    }
    let isClose = order.dropFirst().contains { at in
      signs[first].homeliness - signs[at].homeliness < 5 && wayOut(at) != nil && wayOut(at) != wayOut(first)
    }
    return isClose ? nil : first
  }

  // MARK: The answers

  func judge() -> [Side] { subnets.indices.map(judge) }

  private func judge(_ at: Int) -> Side {
    let subnet = subnets[at]
    if subnet.prefix.address.isLinkLocal {
      return Side(
        kind: .linkLocal, confidence: 0.95, reasons: subnet.reasons,
        text: "Addresses that devices make up themselves when no DHCP server answers.", behind: nil)
    }
    if !subnet.prefix.address.isIPv4 { return advertised(subnet) }
    if at == own { return asHome(at) }
    let home = home(beside: at)
    if let home, let judgement = judgement(of: subnet, beside: home), !judgement.isEmpty {
      return side(of: subnet, beside: home, judgement)
    }
    return alone(at, home)
  }

  private func texts(_ at: Int, _ home: Subnet?, _ signs: Signs, _ confidence: Double) -> ModemTexts {
    ModemTexts(picture: picture, isOneWire: isOneWire, subnet: subnets[at], home: home, signs: signs, confidence: confidence)
  }

  /// The home's own network, where this one was alive at the same time: else they share nothing but a capture.
  private func home(beside at: Int) -> Subnet? {
    guard let own, own != at else { return nil }
    return Lifespan.meet(subnets[own], subnets[at], picture, owned) ? subnets[own] : nil
  }

  /// How the explanations stand against each other for a network beside the home's own; nil where there are no two networks to explain.
  func judgement(of subnet: Subnet, beside home: Subnet) -> Judgement? {
    guard subnet.prefix.address.isIPv4 else { return nil }
    let signs = SignRules(
      picture: picture, boxes: boxes, owned: owned, devices: devices, roles: roles, talks: talks, subnet: subnet, home: home,
      subnets: subnets
    ).signs()
    guard !subnet.gateways.isEmpty || subnet.nextHop != nil || signs.has(.searchesStrangers) else { return nil }
    return Judgement(signs)
  }

  private func asHome(_ at: Int) -> Side {
    let signs = signs[at]
    let verdict = signs.whose()
    let isSeen = signs.has(.letsInternetIn) || signs.has(.saysItTranslates)
    let isNamed = subnets[at].gateways.contains { gateway in
      gateway.isNamed && subnets[at].servers.contains { $0.address == gateway.address }
    }
    // That devices share an address is the usual case where a box hands out the addresses and is the way out.
    let isServed = signs.has(.servesAndRoutes) && isNamed
    let confidence = min(verdict?.confidence ?? 0.5, signs.has(.servesAndRoutes) ? (isServed ? 0.95 : 0.8) : Certainty.oneKind)
    let behind: Verdict<BehindModem>? =
      isServed || isSeen
      ? Verdict(
        .nat, confidence: min(confidence, isServed && isSeen ? 0.95 : isServed ? Certainty.oneKind : 0.8), reasons: verdict?.reasons ?? [],
        against: verdict?.against ?? []) : nil
    return Side(
      kind: .home, confidence: confidence, reasons: verdict?.reasons ?? subnets[at].reasons, against: verdict?.against ?? [],
      text: texts(at, nil, signs, confidence).own(isNamed: isNamed), behind: behind)
  }

  /// A network that stands for itself: no home's own is known beside it, or nothing tells how the two belong together.
  private func alone(_ at: Int, _ home: Subnet?) -> Side {
    let signs = signs[at]
    let verdict = signs.whose()
    let texts = texts(at, home, signs, verdict?.confidence ?? 0)
    if let verdict, verdict.answer == .operators {
      return Side(
        kind: .operator, confidence: verdict.confidence, reasons: verdict.reasons, against: verdict.against, text: texts.operators(),
        behind: Verdict(.bridged, confidence: verdict.confidence, reasons: verdict.reasons, against: verdict.against))
    }
    // Another network was there at another time, and was somebody's own as much.
    if let verdict, verdict.answer == .home, home == nil, own != nil, subnets[at].prefix.address.v4?.isPrivate ?? false {
      return asHome(at)
    }
    var behind: Verdict<BehindModem>?
    if signs.has(.publicRange), let reason = signs.reason(.publicRange), !signs.has(.servesAndRoutes),
      signs.has(.searchesStrangers)
    {
      behind = Verdict(.bridged, confidence: 0.75, reasons: [reason, signs.reason(.searchesStrangers)].compactMap(\.self))
    }
    return Side(
      kind: .unknown, confidence: 0.5, reasons: subnets[at].reasons, text: texts.nobodys(), behind: behind)
  }

  /// What the signs say of a second network on the wire.
  private func side(of subnet: Subnet, beside home: Subnet, _ judgement: Judgement) -> Side {
    let confidence = judgement.confidence
    let texts = ModemTexts(
      picture: picture, isOneWire: isOneWire, subnet: subnet, home: home, signs: judgement.signs, confidence: confidence,
      judgement: judgement
    )
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
      let isOperators = judgement.signs.all.contains(where: \.sign.isOperators)
      return side(isOperators ? .operator : .unknown, confidence, texts.tagged(isOperators), isOperators ? .bridged : nil)
    case .routed: return side(judgement.member == .relayedScope ? .operator : .home, confidence, texts.routed(), .nat, 0.9)
    case .ownModem: return side(.operator, confidence, texts.ownModem())
    // Another router's network is his, and neither the home's nor the operator's.
    case .otherRouter: return side(.unknown, min(confidence, 0.8), texts.otherRouter())
    }
  }

  /// Whether anything says that an operator is there. A gateway of its own is what every second router at home is; looking for neighbours
  /// that never speak is an operator's sign only outside 192.168.0.0/16, which homes use and operators therefore avoid.
  private func namesOperator(_ judgement: Judgement, _ subnet: Subnet) -> Bool {
    judgement.signs.all.contains { $0.sign.namesOperator }
      || (judgement.has(.searchesStrangers) && subnet.prefix.address.v4.map { $0.bits >> 16 != 0xc0a8 } ?? false)
  }

  /// The prefix is certain; that it is the home's is only the usual case, and without devices not even that.
  private func advertised(_ subnet: Subnet) -> Side {
    let routers = subnet.gateways.compactMap(\.host)
    guard !routers.isEmpty else {
      return Side(
        kind: .unknown, confidence: 0.5, reasons: subnet.reasons, text: "Nothing on the wire says whose addresses these are.", behind: nil)
    }
    return Side(
      kind: .home, confidence: subnet.hosts.contains { !routers.contains($0) } ? Certainty.oneKind : 0.6, reasons: subnet.reasons,
      text: "The router advertises this prefix.", behind: nil)
  }

  // MARK: Devices

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
    if picture.isOperatorGear(mac) {
      let reason = Picture.makerReason(station, Weights.operatorMaker)
      return Verdict(
        .operatorSide, confidence: min(verdict.confidence, Certainty.oneKind), reasons: [reason] + verdict.reasons, against: verdict.against
      )
    }
    // Who hands out the operator's addresses himself is his.
    let served = subnets.lazy.compactMap { subnet in
      subnet.servers.first { $0.relay == nil && $0.host.map { boxes.box(of: $0) } == boxes.box(of: mac) }?.reasons.first
    }.first
    if let served {
      return Verdict(
        .operatorSide, confidence: min(verdict.confidence, Certainty.oneKind), reasons: [served] + verdict.reasons, against: verdict.against
      )
    }
    let isSearching = subnets.contains { subnet in
      (owned[mac] ?? [:]).keys.contains { address in
        subnet.prefix.contains(address) && SignRules.strangers(soughtBy: station, of: subnet, at: address, owned, devices).count >= 3
      }
    }
    return isSearching ? nil : verdict
  }
}
