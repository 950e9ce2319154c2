import Wire

/// Networks that the home's own router keeps beside the home: for guests, or between two routers (`inference.md` 3).
struct GuestRules {
  let picture: Picture
  let boxes: Boxes
  let subnets: [Subnet]
  let home: Subnet?
  let roles: [MACAddress: [Verdict<Role>]]

  /// Puts right what the rules for one subnet alone could not know.
  func refine(_ sides: inout [ModemRules.Side]) {
    for at in subnets.indices where sides[at].kind == .home || sides[at].kind == .unknown {
      guard subnets[at].prefix.address.v4?.isPrivate ?? false else { continue }
      if let side = guest(subnets[at]) {
        sides[at] = side
      } else if let side = transit(subnets[at], sides[at]) {
        sides[at] = side
      }
    }
  }

  private func members(_ subnet: Subnet) -> [MACAddress] {
    let gateways = Set(subnet.gateways.compactMap(\.host).map { boxes.box(of: $0) })
    return subnet.hosts.filter { !gateways.contains(boxes.box(of: $0)) }
  }

  // MARK: Guests

  /// A second scope that the home's router serves and routes itself, whose devices and the home's leave each other alone.
  private func guest(_ subnet: Subnet) -> ModemRules.Side? {
    guard let home, home.prefix != subnet.prefix, let own = router(home), let other = router(subnet) else { return nil }
    guard boxes.box(of: own) == boxes.box(of: other) || Boxes.isRun(own, other) else { return nil }
    guard let server = subnet.servers.first(where: { $0.relay == nil && subnet.prefix.contains($0.address) }),
      let reason = server.reasons.first
    else { return nil }
    let guests = members(subnet)
    guard !guests.isEmpty, !guests.contains(where: isOperators), isLesser(subnet, than: home), !isCrossed(subnet, home) else { return nil }
    let first = reason.weighed(Weights.secondScope)
    return ModemRules.Side(
      kind: .guest, confidence: 0.8, reasons: [first],
      text:
        "Your router \(own) keeps this second network beside \(home.prefix): it hands out its addresses itself, and nobody here was heard talking to a device of the other network. So it is meant for guests, or for devices that should stay apart.",
      behind: Verdict(.nat, confidence: 0.9, reasons: [first]))
  }

  private func router(_ subnet: Subnet) -> MACAddress? { subnet.gateways.compactMap(\.host).first }

  /// Boxes of the operator in a scope of their own are no guests.
  private func isOperators(_ mac: MACAddress) -> Bool {
    // Telephones on a desk have a network of their own, too.
    if picture.station(mac)?.says(.playsRole(.phone)) != nil { return true }
    return (roles[boxes.box(of: mac)] ?? []).contains { $0.answer == .setTopBox || $0.answer == .modem }
  }

  /// Which of the two is the home itself: the one without a label, or where more devices live, or whose leases last longer.
  private func isLesser(_ subnet: Subnet, than home: Subnet) -> Bool {
    if (subnet.vlan == nil) != (home.vlan == nil) { return subnet.vlan != nil }
    let (few, many) = (members(subnet).count, members(home).count)
    if few != many { return few < many }
    guard let short = lease(subnet), let long = lease(home) else { return false }
    return short < long
  }

  private func lease(_ subnet: Subnet) -> UInt32? {
    var longest: UInt32?
    for record in picture.leases where record.lease.prefix == subnet.prefix {
      if let time = record.lease.duration { longest = max(longest ?? 0, time) }
    }
    return longest
  }

  /// Whether devices of the two look for each other, or talk.
  private func isCrossed(_ a: Subnet, _ b: Subnet) -> Bool {
    let gateways = Set((a.gateways + b.gateways).map(\.address))
    func crosses(_ x: IPAddress, _ y: IPAddress) -> Bool {
      guard !gateways.contains(x), !gateways.contains(y) else { return false }
      return a.prefix.contains(x) && b.prefix.contains(y) || b.prefix.contains(x) && a.prefix.contains(y)
    }
    for mac in a.hosts + b.hosts {
      for item in picture.station(mac)?.evidence ?? [] {
        if case .seeks(let target, let from) = item.claim, crosses(from, target) { return true }
      }
    }
    return picture.pairs.contains { !$0.toGroup && $0.framesFromA > 0 && $0.framesFromB > 0 && crosses($0.a.address, $0.b.address) }
  }

  // MARK: Between routers

  /// Only two routers live in it.
  private func transit(_ subnet: Subnet, _ side: ModemRules.Side) -> ModemRules.Side? {
    let living = Set(subnet.hosts.map { boxes.box(of: $0) })
    // Where nobody stated the mask, its length says nothing of how many the network is for.
    let isGuessed = (subnet.source == .arp || subnet.source == .guess) && subnet.servers.isEmpty
    guard living.count == 2, subnet.prefix.length >= 29 || side.kind == .unknown || isGuessed,
      subnet.prefix != home?.prefix || subnet.prefix.length >= 29
    else { return nil }
    let verdicts = living.sorted().compactMap { mac in (roles[mac] ?? []).first { $0.answer == .router || $0.answer == .nat } }
    guard verdicts.count == 2 else { return nil }
    return ModemRules.Side(
      kind: .transit, confidence: min(verdicts[0].confidence, verdicts[1].confidence), reasons: verdicts.compactMap(\.reasons.first),
      text: "Only two routers live here: a network between them.", behind: side.behind)
  }
}
