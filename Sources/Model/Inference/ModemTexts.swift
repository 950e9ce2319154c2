import Wire

/// The explanations in words a layman understands, with the frames they rest on (`inference.md` 11).
struct ModemTexts {
  let picture: Picture
  let isOneWire: Bool
  let subnet: Subnet
  /// The home's own network, where there is one beside it.
  let home: Subnet?
  let confidence: Double
  /// What the signs add up to, where two networks were weighed against each other.
  var judgement: Judgement?

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
    guard let server = subnet.servers.first else { return "" }
    var text = "\(members.isEmpty ? "Addresses here come" : "Their addresses came") from \(server.address)"
    if let relay = server.relay { text += ", handed on by \(relay)" }
    text += frame(server.reasons.first) + ", which is the operator's equipment. "
    return text
  }

  private func wayOut() -> String {
    guard let gateway = subnet.gateways.first(where: { $0.host != nil }), let host = gateway.host else { return "" }
    var text = "The way out, \(gateway.address), has the hardware address \(host)\(frame(gateway.reasons.first))"
    if let router = home?.gateways.first, let other = router.host { text += ": another box than your router \(router.address) (\(other))" }
    return text + ". "
  }

  func bridged() -> String {
    var text = opening() + origin() + wayOut()
    switch judgement?.member {
    case .flatBridge:
      text +=
        "Everything on this wire reaches the operator, and he hands out addresses by kind of device: an ordinary PC is offered one too\(frame(.pcGetsOperatorOffer))."
    default:
      text += ModemTexts.straight
      text += judgement?.member == nil ? " (or an operator's tunnel in it does, which looks the same from here)." : "."
    }
    return text + " They are not behind your router's address translation, and their traffic is not in your router's counters."
      + wall + sure()
  }

  /// The operator's, by who hands out the addresses or by whose the gateway is, with no second network to weigh against.
  func operators() -> String {
    var text = opening() + origin() + wayOut()
    if subnet.vlan != nil { text += label() + " " } else if home != nil { text += ModemTexts.straight + ". " }
    return text + "\(members.isEmpty ? "Devices here" : "They") are not behind your router's address translation." + sure()
  }

  /// Addresses that need no translation, and nothing else that says whose they are.
  static let untranslated =
    "Public addresses, which need no router's translation. Whose network it is nobody said."

  func tagged(_ isOperators: Bool) -> String { (isOperators ? opening() + origin() : "") + label() + sure() }

  private func label() -> String {
    "These frames carry a label, VLAN \(subnet.vlan.map(String.init) ?? "?")\(frame(.boxIsTagged)), that keeps the two networks apart on the same cable."
  }

  func routed() -> String {
    let gateway = subnet.gateways.first
    let router = home?.gateways.first
    var text = "Your router itself runs this second network: the gateway \(gateway?.address.description ?? "") "
    text += "has the same hardware address as \(router?.address.description ?? "your router")\(frame(.gatewayIsRouter)). "
    text += "Traffic of these devices goes through the router, by rules of its own."
    if judgement?.member == .relayedScope { text += " It asks the operator for their addresses." }
    return text + wall + sure()
  }

  func ownModem() -> String {
    "A device here has a cable modem of its own\(frame(.boxIsModem)): its Ethernet side shows the operator's addresses on your wire."
      + sure()
  }

  func otherRouter() -> String {
    let gateway = subnet.gateways.first
    let host = gateway?.host?.description ?? "unknown hardware address"
    return
      "\(gateway?.address.description ?? "Its gateway") (\(host)) is another router in the house: it made this network\(frame(.gatewayIsConsumers))."
      + wall + sure()
  }

  func unnamedGateway() -> String {
    let gateway = subnet.gateways.first { $0.host != nil }
    let host = gateway?.host.map { " (\($0))" } ?? ""
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

  private func frame(_ reason: Reason?) -> String { reason?.frame.map { " (frame \($0))" } ?? "" }
  private func frame(_ sign: Sign) -> String { frame(judgement?.reason(sign)) }

  private func sure() -> String {
    let word = confidence >= 0.9 ? "high" : confidence >= 0.7 ? "likely" : "perhaps"
    return " Confidence: \(word)."
  }
}
