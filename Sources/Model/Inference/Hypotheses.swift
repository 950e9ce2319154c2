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

/// The rows of the decision table. "The box" is a device of the second network, R the home router, G the second network's gateway.
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
    }
  }

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
    case .searchesStrangers: "its gateway looks for neighbours that are not in the house"
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
    }
  }

  /// Decibans for one explanation. What says that an operator is there speaks for a bridge and, in the table, neither for nor against a VLAN;
  /// where the label itself was heard, the operator is at its other end just as well, and these signs do not choose between the two.
  func weight(for hypothesis: Hypothesis, isTagged: Bool) -> Int {
    let own = weights[hypothesis.rawValue]
    guard isTagged, hypothesis == .taggedVLAN, namesOperator || self == .usesOwnGateway || self == .searchesStrangers else { return own }
    return max(own, weights[Hypothesis.selectiveBridge.rawValue])
  }

  /// Whether it says that an operator is there at all, and not merely another router: `inference.md` 3 asks for as much.
  var namesOperator: Bool {
    switch self {
    case .remoteServer, .relayedReply, .gatewayIsOperators, .pcGetsOperatorOffer, .boxIsSetTop, .publicPCs, .boxIsModem: true
    default: false
    }
  }

  var family: Family {
    switch self {
    case .remoteServer, .localServer, .relayedReply, .directReply, .pcGetsOperatorOffer, .bothOffer, .routerServesBoth, .publicPCs,
      .shortLease,
      .routesInLease, .pcGetsHomeOffer:
      .addressing
    case .gatewayIsRouter, .gatewayIsOperators, .gatewayIsConsumers: .identity
    case .searchesStrangers, .silentGateway, .usesOwnGateway, .twoQueriers: .routing
    case .boxIsTagged: .framing
    case .boxIsSetTop, .boxIsModem: .selfDeclared
    case .sharesSwitch: .reported
    }
  }
}

/// What the observed signs add up to.
struct Judgement {
  /// Each with its weight for the likeliest explanation.
  let signs: [(sign: Sign, reason: Reason)]
  /// How likely each explanation is beside the others.
  let shares: [Hypothesis: Double]
  /// The likeliest family and its probability.
  let family: Hypothesis.Family
  let confidence: Double
  /// The member, when it leads its siblings by 8 decibans; nil leaves it open.
  let member: Hypothesis?
  /// The two likeliest explanations, for when nothing is decided.
  let leaders: [Hypothesis]

  init(_ signs: [(sign: Sign, reason: Reason)]) {
    let isTagged = signs.contains { $0.sign == .boxIsTagged }
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
    self.signs = signs.map { entry in
      var reason = entry.reason
      reason.weight = entry.sign.weights[likeliest]
      return (entry.sign, reason)
    }
    if let first = siblings.first { member = siblings.count < 2 || first.1 - siblings[1].1 >= 8 ? first.0 : nil } else { member = nil }
    leaders = scores.sorted { ($1.1, $0.0.rawValue) < ($0.1, $1.0.rawValue) }.prefix(2).map(\.0)
  }

  func reason(_ sign: Sign) -> Reason? { signs.first { $0.sign == sign }?.reason }
  func has(_ sign: Sign) -> Bool { reason(sign) != nil }
  /// The strongest first.
  var reasons: [Reason] { signs.map(\.reason).filter { $0.weight >= 0 }.sorted { $0.weight > $1.weight } }
  /// What speaks against the likeliest explanation, the strongest first.
  var against: [Reason] { signs.map(\.reason).filter { $0.weight < 0 }.sorted { $0.weight < $1.weight } }
}
