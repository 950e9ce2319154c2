import Wire

/// Why one wire carries two networks: the explanations that are possible, and how the observations weigh between them
/// (`inference.md` 11). Judged in two steps: first the family, because that is what the owner asks, then the member.
enum Hypothesis: Int, CaseIterable, Sendable {
  /// A: the gateway passes certain devices to the operator. A′: everything on the wire reaches him.
  case selectiveBridge, flatBridge
  /// B: the gateway routes a second scope itself. B′: it relays that scope's requests to the operator.
  case secondScope, relayedScope
  /// C: a tagged VLAN. D: a tunnel in the modem, which looks like A from inside.
  case taggedVLAN, operatorTunnel
  /// E: the box has a cable modem of its own. F: another router at home, or a hand-made address.
  case ownModem, otherRouter

  enum Family: Sendable { case bridged, routed, tagged, ownModem, otherRouter }

  var family: Family {
    switch self {
    case .selectiveBridge, .flatBridge, .operatorTunnel: .bridged
    case .secondScope, .relayedScope: .routed
    case .taggedVLAN: .tagged
    case .ownModem: .ownModem
    case .otherRouter: .otherRouter
    }
  }

  /// Decibans before anything was observed.
  var prior: Int {
    switch self {
    case .selectiveBridge: 5
    case .flatBridge, .secondScope: 2
    case .relayedScope: 1
    case .taggedVLAN: 0
    case .operatorTunnel, .otherRouter: -5
    case .ownModem: -2
    }
  }
}

/// Whose a network is: the question that comes first. "Nobody knows" is the answer at no weight.
enum Whose: Hashable, Sendable { case home, operators }

/// What may be observed of a network: the rows of the decision table. "The box" is a device of the second network, R the home router, G the
/// second network's gateway. From 40 on: what tells whose it is where no lease was heard (`inference.md` 17).
enum Sign: Int, CaseIterable, Sendable {
  case remoteServer = 1
  case localServer, relayedReply, directReply, gatewayIsRouter, gatewayIsOperators, gatewayIsConsumers, searchesStrangers, silentGateway,
    pcGetsOperatorOffer, bothOffer, boxIsTagged, boxIsSetTop, usesOwnGateway, sharesSwitch
  case routerServesBoth = 20
  case twoQueriers, publicPCs
  case boxIsModem = 24
  case shortLease = 26
  case routesInLease
  case pcGetsHomeOffer
  case walledGarden = 40
  case staysApart, boxIsReceiver, televisionFromBeyond, homelyMember, neighboursTalk, manyStrangers
  case servesAndRoutes, letsInternetIn, saysItTranslates, sharedRange, publicRange, asksAsRouter
  case gatewayMayBeOperators, mostDevices, wayOutIsOwn, searcherIsOperators

  /// Decibans for A, A′, B, B′, C, D, E, F.
  var weights: [Int] {
    switch self {
    case .remoteServer: [8, 8, -8, 8, 0, 8, 3, -8]
    case .localServer: [-5, -5, 8, -3, 0, -5, -3, 5]
    case .relayedReply: [8, 8, -10, 8, 0, 8, 3, -8]
    case .directReply: [-5, -5, 6, -6, 0, -5, 0, 5]
    case .gatewayIsRouter: [-10, -10, 10, 10, 3, -8, -8, -5]
    case .gatewayIsOperators: [8, 8, -10, -10, 0, 8, 2, -5]
    case .gatewayIsConsumers: [-8, -8, -8, -8, 0, -8, -3, 10]
    case .searchesStrangers: [8, 10, -10, -10, 0, 5, 5, -10]
    case .silentGateway: [0, -3, 2, 2, 0, 1, 0, 2]
    case .pcGetsOperatorOffer: [-10, 12, -5, -5, -5, -5, -3, -3]
    case .bothOffer: [-2, 5, 0, 0, -5, 0, 0, 3]
    case .boxIsTagged: [-10, -10, -3, -3, 20, 2, -5, -5]
    case .boxIsSetTop: [3, 3, 3, 3, 3, 3, 3, -8]
    case .usesOwnGateway: [6, 6, -10, -10, 0, 6, 2, 3]
    case .sharesSwitch: [3, 3, 2, 2, -8, 3, -5, 0]
    case .routerServesBoth: [-10, -10, 12, -3, 0, -10, -5, -5]
    case .twoQueriers: [3, 3, 3, 3, 0, 3, 0, 2]
    case .publicPCs: [-10, 12, -5, -5, 0, -3, 0, -5]
    case .boxIsModem: [-3, -3, -3, -3, 0, -3, 12, -3]
    case .shortLease: [2, 2, 0, 2, 0, 2, 1, 0]
    case .routesInLease: [0, 0, 2, 3, 3, 2, 0, -3]
    case .pcGetsHomeOffer: [5, -6, 1, 1, 0, 4, 0, 0]
    case .walledGarden: [7, 7, -3, 3, 3, 7, 3, -5]
    case .staysApart: [3, 3, -2, 0, 3, 3, 2, 0]
    case .boxIsReceiver: [7, 7, 3, 5, 3, 7, 5, -5]
    case .televisionFromBeyond: [7, 7, 0, 5, 5, 7, 3, -5]
    case .homelyMember: [-7, -7, 2, -3, 0, -7, -3, 5]
    case .neighboursTalk: [-2, 0, 0, 0, 0, -2, -2, 2]
    case .manyStrangers: [7, 7, -3, -3, 0, 5, 3, -7]
    case .sharedRange: [8, 8, -5, 5, 3, 8, 3, -8]
    case .gatewayMayBeOperators: [3, 3, -2, -2, 0, 3, 1, -2]
    case .wayOutIsOwn: [3, 3, -10, -10, 0, 3, 1, 3]
    case .searcherIsOperators: [8, 8, -10, -10, 0, 8, 2, -5]
    case .servesAndRoutes, .letsInternetIn, .saysItTranslates, .publicRange, .asksAsRouter, .mostDevices: [0, 0, 0, 0, 0, 0, 0, 0]
    }
  }

  /// Decibans for the answers to whose the network is; what compares it with another network says nothing here.
  var whose: (home: Int, operators: Int) {
    switch self {
    case .servesAndRoutes: (20, 0)
    case .letsInternetIn, .saysItTranslates: (15, 0)
    case .homelyMember: (7, 0)
    case .neighboursTalk, .mostDevices: (3, 0)
    case .relayedReply, .asksAsRouter, .searchesStrangers: (0, 15)
    case .remoteServer, .gatewayIsOperators, .sharedRange, .searcherIsOperators: (0, 12)
    case .walledGarden, .televisionFromBeyond: (0, 7)
    case .boxIsReceiver, .publicRange: (0, 5)
    case .boxIsSetTop, .boxIsModem, .gatewayMayBeOperators, .manyStrangers: (0, 3)
    default: (0, 0)
    }
  }

  /// Whether it tells by itself that an operator is there; others need a sign of another family beside them.
  var isOperators: Bool {
    switch self {
    case .relayedReply, .remoteServer, .gatewayIsOperators, .sharedRange, .asksAsRouter, .searcherIsOperators: true
    default: false
    }
  }

  /// Whether it tells by itself that a network is the home's own.
  var isHomes: Bool { self == .servesAndRoutes || self == .letsInternetIn || self == .saysItTranslates }

  /// What was observed, in words.
  var why: String {
    switch self {
    case .remoteServer: "it chose a DHCP server outside both networks"
    case .localServer: "it chose a DHCP server on this wire"
    case .relayedReply: "the answer to its request came through a relay, so from a server elsewhere"
    case .directReply: "the answer to its request came straight from a server on this wire"
    case .gatewayIsRouter: "the way out has the home router's hardware address, or the one next to it"
    case .gatewayIsOperators: "the way out is another box than the home router, from a maker of operators' equipment"
    case .gatewayIsConsumers: "the way out is another box than the home router, of a kind that is sold to homes"
    case .searchesStrangers: "somebody here, its gateway if it is known, looks for neighbours that are not in the house"
    case .silentGateway: "its gateway looked for nobody in an hour"
    case .pcGetsOperatorOffer: "an ordinary device of the home is offered an address of this network, too"
    case .bothOffer: "it is offered an address of the home's network, too"
    case .boxIsTagged: "its frames carry a VLAN label"
    case .boxIsSetTop: "a device here says that it is a set-top box or of the operator's"
    case .usesOwnGateway: "what it sends elsewhere goes to its own gateway, not to the home router"
    case .sharesSwitch: "it hangs on the same adapter or switch as devices of the home"
    case .routerServesBoth: "the home router hands out the addresses of both networks"
    case .twoQueriers: "the home router and this gateway both ask for multicast listeners"
    case .publicPCs: "ordinary devices have public addresses"
    case .boxIsModem: "a device here says that it is a modem"
    case .shortLease: "addresses are lent here for hours, in the home's network for a day and more"
    case .routesInLease: "its lease carries routes of its own"
    case .pcGetsHomeOffer: "an ordinary device of the home is offered an address of the home alone"
    case .walledGarden: "beyond their network its devices talk with private addresses alone"
    case .staysApart: "nobody here talks with anybody of the home's network, busy as both are"
    case .boxIsReceiver: "a device here is of a maker of set-top boxes, or is called one"
    case .televisionFromBeyond: "a stream to many comes in from beyond, and a device here asked for it"
    case .homelyMember: "a device here is of a kind that homes have"
    case .neighboursTalk: "devices here talk with each other"
    case .manyStrangers: "he looks for more neighbours than a house has, none of which is here"
    case .servesAndRoutes: "the way out hands out the addresses itself, on this wire"
    case .letsInternetIn: "answers from the internet come in to these private addresses through its way out"
    case .saysItTranslates: "its way out says that it translates"
    case .sharedRange: "its addresses are of the range that is set aside for operators (RFC 6598)"
    case .publicRange: "its addresses are public"
    case .asksAsRouter: "who asks for an address here does so as the outer side of a router"
    case .gatewayMayBeOperators: "the way out is of a maker that builds for operators, too"
    case .mostDevices: "most of the devices that were heard live here"
    case .wayOutIsOwn: "its way out is another box than the home router"
    case .searcherIsOperators: "who looks for neighbours here is of a maker of operators' equipment"
    }
  }

  /// Decibans for one explanation. What says that an operator is there speaks for a bridge and, in the table, neither for nor against a VLAN;
  /// where the label itself was heard, the operator is at its other end just as well, and these signs do not choose between the two.
  func weight(for hypothesis: Hypothesis, isTagged: Bool) -> Int {
    let own = weights[hypothesis.rawValue]
    guard isTagged, hypothesis == .taggedVLAN, namesOperator || [.usesOwnGateway, .searchesStrangers, .manyStrangers].contains(self) else {
      return own
    }
    return max(own, weights[Hypothesis.selectiveBridge.rawValue])
  }

  /// Whether it says that an operator is there at all, and not merely another router: `inference.md` 3 asks for as much.
  var namesOperator: Bool {
    switch self {
    case .remoteServer, .relayedReply, .gatewayIsOperators, .pcGetsOperatorOffer, .boxIsSetTop, .publicPCs, .boxIsModem, .sharedRange,
      .boxIsReceiver, .televisionFromBeyond, .manyStrangers, .searcherIsOperators:
      true
    default: false
    }
  }

  var family: Family {
    switch self {
    case .remoteServer, .localServer, .relayedReply, .directReply, .pcGetsOperatorOffer, .bothOffer, .routerServesBoth, .publicPCs,
      .shortLease, .routesInLease, .pcGetsHomeOffer, .searchesStrangers, .manyStrangers, .servesAndRoutes, .sharedRange, .publicRange,
      .wayOutIsOwn:
      .addressing
    case .gatewayIsRouter, .gatewayIsOperators, .gatewayIsConsumers, .gatewayMayBeOperators, .boxIsReceiver, .homelyMember,
      .searcherIsOperators:
      .identity
    case .silentGateway, .usesOwnGateway, .twoQueriers, .letsInternetIn: .routing
    case .boxIsTagged: .framing
    case .boxIsSetTop, .boxIsModem, .saysItTranslates, .asksAsRouter: .selfDeclared
    case .sharesSwitch: .reported
    case .walledGarden, .staysApart, .televisionFromBeyond, .neighboursTalk, .mostDevices: .shape
    }
  }
}

/// What was observed of one network: each sign with the record that shows it. A sentence may say only what stands here.
struct Signs {
  private(set) var all: [(sign: Sign, reason: Reason)] = []

  mutating func add(_ sign: Sign, _ reason: Reason?, times limit: Int = 1) {
    guard var reason, all.count(where: { $0.sign == sign }) < limit else { return }
    reason.why = sign.why
    all.append((sign, reason))
  }

  func reason(_ sign: Sign) -> Reason? { all.first { $0.sign == sign }?.reason }
  func has(_ sign: Sign) -> Bool { all.contains { $0.sign == sign } }
  func without(_ sign: Sign) -> Signs {
    var out = self
    out.all.removeAll { $0.sign == sign }
    return out
  }

  private var scale: Scale<Whose> {
    var scale = Scale<Whose>()
    for (sign, reason) in all {
      for (answer, weight) in [(Whose.home, sign.whose.home), (.operators, sign.whose.operators)] where weight > 0 {
        var reason = reason
        reason.weight = weight
        scale.add(answer, reason, sign.family)
      }
    }
    return scale
  }

  /// Whose the network is, by itself: nil where nothing that was heard tells.
  func whose() -> Verdict<Whose>? {
    let scale = scale
    guard let verdict = scale.verdict(others: 1), verdict.confidence >= 0.7 else { return nil }
    switch verdict.answer {
    case .home:
      // Two kinds of devices that homes have, or one with neighbours, where nothing stronger speaks.
      let isHomely = all.count { $0.sign == .homelyMember } + (has(.neighboursTalk) ? 1 : 0) >= 2
      return isHomely || all.contains(where: \.sign.isHomes) ? verdict : nil
    case .operators:
      return all.contains(where: \.sign.isOperators) || scale.families(.operators) >= 2 && all.contains(where: \.sign.namesOperator)
        ? verdict : nil
    }
  }

  /// How much more speaks for the home than for the operator, in decibans.
  var homeliness: Int {
    let scale = scale
    return scale.score(.home) - scale.score(.operators)
  }
}

/// What the observed signs add up to.
struct Judgement {
  let signs: Signs
  /// Each with its weight for the likeliest explanation.
  private let weighed: [Reason]
  /// How likely each explanation is beside the others.
  let shares: [Hypothesis: Double]
  /// The likeliest family and its probability.
  let family: Hypothesis.Family
  let confidence: Double
  /// The member, when it leads its siblings by 8 decibans; nil leaves it open.
  let member: Hypothesis?
  /// The two likeliest explanations, for when nothing is decided.
  let leaders: [Hypothesis]

  init(_ all: Signs) {
    signs = all
    // What says nothing of why there are two networks is no part of the explanation.
    let signs = all.all.filter { entry in entry.sign.weights.contains { $0 != 0 } }
    let isTagged = all.has(.boxIsTagged)
    let scores = Hypothesis.allCases.map { hypothesis in
      (hypothesis, signs.reduce(hypothesis.prior) { $0 + $1.sign.weight(for: hypothesis, isTagged: isTagged) })
    }
    let powers = scores.map { ($0.0, odds(decibans: $0.1)) }
    let sum = powers.reduce(0) { $0 + $1.1 }
    var families: [Hypothesis.Family: Double] = [:]
    for (hypothesis, power) in powers { families[hypothesis.family, default: 0] += power / sum }
    shares = powers.reduce(into: [:]) { $0[$1.0] = $1.1 / sum }
    let order: [Hypothesis.Family] = [.bridged, .routed, .tagged, .ownModem, .otherRouter]
    let best = order.max { (families[$0] ?? 0) < (families[$1] ?? 0) } ?? .bridged
    family = best
    // High confidence wants two kinds of evidence, however heavy one of them is.
    let kinds = Set(signs.filter { entry in entry.sign.weights.contains { abs($0) >= 5 } }.map(\.sign.family)).count
    confidence = min(families[best] ?? 0, kinds >= 2 ? 0.99 : Certainty.oneKind)
    let siblings = scores.filter { $0.0.family == best }.sorted { ($1.1, $0.0.rawValue) < ($0.1, $1.0.rawValue) }
    let likeliest = (siblings.first?.0 ?? .selectiveBridge).rawValue
    weighed = signs.map { entry in
      var reason = entry.reason
      reason.weight = entry.sign.weights[likeliest]
      return reason
    }
    if let first = siblings.first { member = siblings.count < 2 || first.1 - siblings[1].1 >= 8 ? first.0 : nil } else { member = nil }
    leaders = scores.sorted { ($1.1, $0.0.rawValue) < ($0.1, $1.0.rawValue) }.prefix(2).map(\.0)
  }

  func has(_ sign: Sign) -> Bool { signs.has(sign) }
  /// Whether nothing was observed that tells the explanations apart.
  var isEmpty: Bool { weighed.isEmpty }
  /// The strongest first.
  var reasons: [Reason] { weighed.filter { $0.weight >= 0 }.sorted { $0.weight > $1.weight } }
  /// What speaks against the likeliest explanation, the strongest first.
  var against: [Reason] { weighed.filter { $0.weight < 0 }.sorted { $0.weight < $1.weight } }
}
