import Wire

/// The explanations in words a layman understands (`inference.md` 11). Every sentence that states something observed names the signs it
/// states, and is left out where one of them is missing; it gets their records and nothing else to speak of.
struct ModemTexts {
  let picture: Picture
  let isOneWire: Bool
  let subnet: Subnet
  /// The home's own network, where there is one beside it.
  let home: Subnet?
  let signs: Signs
  let confidence: Double
  /// How the explanations stand, where two networks were weighed against each other.
  var judgement: Judgement?

  /// A sentence that says what the signs say: nothing where one is missing.
  private func say(_ needed: Sign..., text: () -> String) -> String {
    needed.allSatisfy(signs.has) ? text() : ""
  }

  /// The record of a sign, as a sentence names it.
  private func frame(_ sign: Sign) -> String { frame(signs.reason(sign)) }
  private func frame(_ reason: Reason?) -> String { reason?.frame.map { " (frame \($0))" } ?? "" }
  private func value(_ sign: Sign) -> String { signs.reason(sign)?.value.display ?? "" }

  private func sure() -> String {
    let word = confidence >= 0.9 ? "high" : confidence >= 0.7 ? "likely" : "perhaps"
    return " Confidence: \(word)."
  }

  // MARK: The home's own

  /// - Parameter isNamed: whether a server named the way out, rather than neighbours looking for it.
  func own(isNamed: Bool) -> String {
    let seen = say(.letsInternetIn) { "Answers from the internet came in through it\(frame(.letsInternetIn))" }
    if let server = subnet.servers.first(where: { $0.relay == nil }), signs.has(.servesAndRoutes) {
      guard isNamed else { return "\(server.address) hands out these addresses itself, and is looked for as a way out would be." }
      return "\(server.address) hands out these addresses itself and is the way out: devices here are behind it"
        + (seen.isEmpty && !signs.has(.saysItTranslates)
          ? ". That they share its address is usual, but nothing from beyond it was heard." : " and share its address.")
    }
    let wayOut = subnet.gateways.first { $0.host != nil }.map { "\($0.address)" } ?? subnet.nextHop.map { "\($0.host)" }
    if let wayOut, !seen.isEmpty || signs.has(.saysItTranslates) {
      return "Private addresses whose way out is \(wayOut), a box on this wire. "
        + (seen.isEmpty ? say(.saysItTranslates) { "It says that it translates\(frame(.saysItTranslates))." } : seen + ".")
    }
    return "Private addresses among which " + homely() + ", as in a home."
  }

  private func homely() -> String {
    let kinds = signs.all.filter { $0.sign == .homelyMember }.map(\.reason).compactMap { reason in
      Role(rawValue: reason.value.display).map { "\($0.article)\(frame(reason))" }
    }
    let list = kinds.count > 1 ? kinds.dropLast().joined(separator: ", ") + " and " + (kinds.last ?? "") : kinds.first ?? ""
    return kinds.isEmpty ? "devices live" : "\(list) live\(kinds.count == 1 ? "s" : "")"
  }

  // MARK: Nobody's

  /// What is known of a network whose owner nothing tells, and what would tell.
  func nobodys() -> String {
    guard let v4 = subnet.prefix.address.v4, v4.isPrivate else {
      return signs.has(.publicRange) ? ModemTexts.untranslated : "Nothing on the wire says whose addresses these are."
    }
    if let hop = subnet.nextHop?.host.description ?? subnet.gateways.first(where: { $0.host != nil && $0.isNamed }).map({ "\($0.address)" })
    {
      return
        "Private addresses whose devices send what is for elsewhere to \(hop), a box on this wire; "
        + (signs.has(.letsInternetIn)
          ? "answers from there came in\(frame(.letsInternetIn)). Whose box that is nothing that was heard tells."
          : "no answer from there was heard.") + toFindOut
    }
    if let relayed = picture.leases.first(where: { $0.lease.relay.map { subnet.prefix.contains(IPAddress($0)) } ?? false }),
      let relay = relayed.lease.relay
    {
      return "\(relay) here hands on the requests of other networks\(frame(relayed.item.reason(0))); whose this one is nobody said."
    }
    if let server = subnet.servers.first(where: { subnet.prefix.contains($0.address) }) {
      return
        "Private addresses that \(server.address) hands out\(frame(server.reasons.first)); whose box that is nothing that was heard tells."
    }
    return "Private addresses; nobody was heard handing them out or routing for them, so whose they are is open." + toFindOut
  }

  private var toFindOut: String {
    " To find out: restart a device of this network while listening; what it asks for, and who answers, tells."
  }

  /// Addresses that need no translation, and nothing else that says whose they are.
  static let untranslated = "Public addresses, which need no router's translation. Whose network it is nobody said."

  // MARK: The operator's

  private var wall: String { isOneWire ? ModemTexts.noWall : "" }

  private var together: String { isOneWire ? "Two networks share the wire" : "Two networks meet here" }

  private static let noWall =
    " This is a separation of numbers, not a wall: broadcasts of both groups reach every socket, but devices of the two cannot talk to each other directly."

  private static let straight =
    "Your modem/router passes these devices' frames straight through to the operator; it does not translate them"

  private var members: [MACAddress] { subnet.hosts.filter { mac in !subnet.gateways.contains { $0.host == mac } } }

  /// Where they stand, and what the device said it is, where it said so.
  private func opening() -> String {
    let cable = isOneWire ? ", although they use the same cable" : ""
    let place = home == nil ? "" : "These devices do not belong to your home network\(cable). "
    for mac in members {
      for item in picture.station(mac)?.evidence ?? [] {
        guard case .has(.vendorClass, let words) = item.claim else { continue }
        return place
          + "When one of them (\(mac)) started, it told everybody what it is: \"\(words.display)\" (frame \(item.firstFrame)). "
      }
    }
    return place
  }

  private func origin() -> String {
    guard let server = subnet.servers.first, signs.has(.relayedReply) || signs.has(.remoteServer) else { return "" }
    var text = "\(members.isEmpty ? "Addresses here come" : "Their addresses came") from \(server.address)"
    if let relay = server.relay { text += ", handed on by \(relay)" }
    return text + frame(server.reasons.first) + ", which is the operator's equipment. "
  }

  private func wayOut() -> String {
    guard let gateway = subnet.gateways.first(where: { $0.host != nil }), let host = gateway.host else { return "" }
    var text = "The way out, \(gateway.address), has the hardware address \(host)\(frame(gateway.reasons.first))"
    if let router = home?.gateways.first, let other = router.host { text += ": another box than your router \(router.address) (\(other))" }
    return text + ". "
  }

  /// What tells whose it is where no lease was heard.
  private func hints() -> String {
    say(.gatewayIsOperators) { "Its maker builds operators' equipment\(frame(.gatewayIsOperators)). " }
      + say(.searcherIsOperators) {
        "Who looks for neighbours here is of a maker of operators' equipment\(frame(.searcherIsOperators)). "
      }
      + say(.searchesStrangers) {
        "\(subnet.gateways.contains { $0.host != nil } ? "It" : "That box") looks for \(value(.searchesStrangers)) of this network that never speak here\(frame(.searchesStrangers)): the network is larger than your house. "
      }
      + say(.sharedRange) {
        "Their addresses are of 100.64.0.0/10, which is set aside for operators\(frame(.sharedRange)). "
      }
      + say(.asksAsRouter) {
        "Who asks for an address here does so as the outer side of a router\(frame(.asksAsRouter)): this is the line to the operator. "
      }
      + say(.boxIsReceiver) { "A device here is of a maker of set-top boxes, or is called one\(frame(.boxIsReceiver)). " }
      + say(.walledGarden) { "Beyond their network these devices talk with private addresses alone\(frame(.walledGarden)). " }
      + say(.televisionFromBeyond) {
        "A stream for many, \(value(.televisionFromBeyond)), comes in from beyond and was asked for here\(frame(.televisionFromBeyond)). "
      }
  }

  func bridged() -> String {
    var text = opening() + origin() + wayOut() + hints()
    switch judgement?.member {
    case .flatBridge:
      text += say(.pcGetsOperatorOffer) {
        "Everything on this wire reaches the operator, and he hands out addresses by kind of device: an ordinary PC is offered one too\(frame(.pcGetsOperatorOffer))."
      }
    default:
      text += ModemTexts.straight
      text += judgement?.member == nil ? " (or an operator's tunnel in it does, which looks the same from here)." : "."
    }
    return text + " They are not behind your router's address translation, and their traffic is not in your router's counters."
      + wall + sure()
  }

  /// The operator's, by who hands out the addresses or by whose the gateway is, with no second network to weigh against.
  func operators() -> String {
    var text = opening() + origin() + wayOut() + hints()
    if subnet.vlan != nil { text += label() + " " } else if home != nil { text += ModemTexts.straight + ". " }
    return text + "\(members.isEmpty ? "Devices here" : "They") are not behind your router's address translation." + sure()
  }

  func tagged(_ isOperators: Bool) -> String { (isOperators ? opening() + origin() : "") + label() + sure() }

  private func label() -> String {
    "These frames carry a label, VLAN \(subnet.vlan.map(String.init) ?? "?")\(frame(.boxIsTagged)), that keeps the two networks apart on the same cable."
  }

  // MARK: Other explanations

  func routed() -> String {
    let gateway = subnet.gateways.first
    let router = home?.gateways.first
    var text = say(.gatewayIsRouter) {
      "Your router itself runs this second network: the gateway \(gateway?.address.description ?? "") has the same hardware address as \(router?.address.description ?? "your router")\(frame(.gatewayIsRouter)), or the next one. "
    }
    text += say(.routerServesBoth) { "Your router hands out these addresses as well\(frame(.routerServesBoth)). " }
    text += "Traffic of these devices goes through the router, by rules of its own."
    if judgement?.member == .relayedScope {
      text += say(.relayedReply) { " It asks the operator for their addresses\(frame(.relayedReply))." }
    }
    return text + wall + sure()
  }

  func ownModem() -> String {
    say(.boxIsModem) {
      "A device here has a cable modem of its own\(frame(.boxIsModem)): its Ethernet side shows the operator's addresses on your wire."
    } + sure()
  }

  func otherRouter() -> String {
    let gateway = subnet.gateways.first
    let host = gateway?.host.map { " (\($0))" } ?? ""
    let name = gateway?.address.description ?? "Its gateway"
    return say(.gatewayIsConsumers) {
      "\(name)\(host) is another router in the house: it made this network\(frame(.gatewayIsConsumers))."
    } + (signs.has(.gatewayIsConsumers) ? "" : "\(name)\(host) is another box than your router; whose it is nothing that was heard tells.")
      + wall + sure()
  }

  func unnamedGateway() -> String {
    let gateway = subnet.gateways.first { $0.host != nil }
    let host = gateway?.host.map { " (\($0))" } ?? subnet.nextHop.map { " (\($0.host))" } ?? ""
    return
      "\(together), each with a way out of its own. Whether \(gateway?.address.description ?? "the other one's")\(host) is a second router in the house or the operator's, nothing that was heard tells. To find out: look for a box with that hardware address, or restart a device of this network while listening; who hands out its address tells."
  }

  func undecided(_ judgement: Judgement) -> String {
    let names = judgement.leaders.map(ModemTexts.name)
    var text = "\(together), and what was heard does not decide why. "
    if names.count == 2 { text += "Either \(names[0]), or \(names[1]). " }
    text +=
      judgement.has(.boxIsSetTop) || judgement.has(.remoteServer)
      ? "To find out: listen until this network's gateway asks for its neighbours by ARP, or at the modem's own port."
      : "To find out: restart a device of this network while listening; what it asks for, and who answers, tells."
    return text
  }

  private static func name(_ hypothesis: Hypothesis) -> String {
    switch hypothesis {
    case .selectiveBridge: "the modem passes certain devices through to the operator"
    case .flatBridge: "everything on this wire reaches the operator"
    case .secondScope: "your router runs a second network itself"
    case .relayedScope: "your router asks the operator for these addresses"
    case .taggedVLAN: "a VLAN label keeps them apart"
    case .operatorTunnel: "the modem carries them to the operator in a tunnel"
    case .ownModem: "a device has a cable modem of its own"
    case .otherRouter: "another router in the house made it, or somebody typed the addresses in"
    }
  }
}

extension Role {
  /// With its article, where a sentence names a device by what it is.
  fileprivate var article: String {
    switch self {
    case .iot: "a small device"
    case .tv: "a television set"
    case .storage: "a network storage"
    default: "a \(rawValue)"
    }
  }
}
