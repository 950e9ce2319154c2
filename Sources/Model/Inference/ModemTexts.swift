import Wire

/// The explanations in words a layman understands, with the frames they rest on (`inference.md` 11).
struct ModemTexts {
  let picture: Picture
  let subnet: Subnet
  let home: Subnet
  let judgement: Judgement

  private static let wall =
    " This is a separation of numbers, not a wall: broadcasts of both groups reach every socket, but devices of the two cannot talk to each other directly."

  private var members: [MACAddress] { subnet.hosts.filter { mac in !subnet.gateways.contains { $0.host == mac } } }

  /// What the device said it is, where it said so.
  private func opening() -> String {
    for mac in members {
      for item in picture.station(mac)?.evidence ?? [] {
        guard case .has(.vendorClass, let words) = item.claim else { continue }
        return
          "These devices do not belong to your home network, although they use the same cable. When one of them (\(mac)) started, it told everybody what it is: \"\(words.display)\" (frame \(item.firstFrame)). "
      }
    }
    return "These devices do not belong to your home network, although they use the same cable. "
  }

  private func origin() -> String {
    guard let server = subnet.servers.first else { return "" }
    var text = "The address came from \(server.address)"
    if let relay = server.relay { text += ", handed on by \(relay)" }
    text += frame(server.reasons.first) + ", which is the operator's equipment. "
    return text
  }

  private func wayOut() -> String {
    guard let gateway = subnet.gateways.first(where: { $0.host != nil }), let host = gateway.host else { return "" }
    var text = "The way out, \(gateway.address), has the hardware address \(host)\(frame(gateway.reasons.first))"
    if let router = home.gateways.first, let other = router.host { text += ": another box than your router \(router.address) (\(other))" }
    return text + ". "
  }

  func bridged() -> String {
    var text = opening() + origin() + wayOut()
    switch judgement.member {
    case .flatBridge:
      text +=
        "Everything on this wire reaches the operator, and he hands out addresses by kind of device: an ordinary PC is offered one too\(frame(judgement.reason(.pcGetsOperatorOffer)))."
    default:
      text += "Your modem/router passes these devices' frames straight through to the operator; it does not translate them"
      text += judgement.member == nil ? " (or an operator's tunnel in it does, which looks the same from here)." : "."
    }
    return text + " They are not behind your router's address translation, and their traffic is not in your router's counters."
      + ModemTexts.wall + sure()
  }

  func tagged(_ isOperators: Bool) -> String {
    var text = isOperators ? opening() + origin() : ""
    text +=
      "These frames carry a label, VLAN \(subnet.vlan.map(String.init) ?? "?")\(frame(judgement.reason(.boxIsTagged))), that keeps the two networks apart on the same cable."
    return text + sure()
  }

  func routed() -> String {
    let gateway = subnet.gateways.first
    let router = home.gateways.first
    var text = "The modem/router itself runs this second network: the gateway \(gateway?.address.description ?? "") "
    text += "has the same hardware address as \(router?.address.description ?? "your router")\(frame(judgement.reason(.gatewayIsRouter))). "
    text += "Traffic of these devices goes through the router, by rules of its own."
    if judgement.member == .relayedScope { text += " It asks the operator for their addresses." }
    return text + ModemTexts.wall + sure()
  }

  func ownModem() -> String {
    "A device here has a cable modem of its own\(frame(judgement.reason(.boxIsModem))): its Ethernet side shows the operator's addresses on your wire."
      + sure()
  }

  func otherRouter() -> String {
    let gateway = subnet.gateways.first
    let host = gateway?.host?.description ?? "unknown hardware address"
    return
      "\(gateway?.address.description ?? "Its gateway") (\(host)) is another router in the house: it made this network\(frame(judgement.reason(.gatewayIsConsumers)))."
      + ModemTexts.wall + sure()
  }

  static func undecided(_ judgement: Judgement) -> String {
    let names = judgement.leaders.map(name)
    var text = "Two networks share the wire, and what was heard does not decide why. "
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

  private func sure() -> String {
    let word = judgement.confidence >= 0.9 ? "high" : judgement.confidence >= 0.7 ? "likely" : "perhaps"
    return " Confidence: \(word)."
  }
}
