import Wire

/// What each device does in the network (`inference.md` 4, 5 and 8).
struct RoleRules {
  let picture: Picture
  let subnets: [Subnet]
  let owned: [MACAddress: [IPAddress: Evidence?]]

  // Looked up rather than searched: a flood of invented stations makes as many subnets.
  private let gatewaysOf: [MACAddress: [Subnet.Gateway]]
  private let gatewayOwners: [IPAddress: Set<MACAddress>]
  private let serversAt: [IPAddress: [Subnet.Server]]
  private let resolversAt: [IPAddress: [Evidence]]

  init(picture: Picture, subnets: [Subnet], owned: [MACAddress: [IPAddress: Evidence?]]) {
    self.picture = picture
    self.subnets = subnets
    self.owned = owned
    var gatewaysOf: [MACAddress: [Subnet.Gateway]] = [:]
    var gatewayOwners: [IPAddress: Set<MACAddress>] = [:]
    var serversAt: [IPAddress: [Subnet.Server]] = [:]
    var resolversAt: [IPAddress: [Evidence]] = [:]
    for subnet in subnets {
      for gateway in subnet.gateways {
        guard let host = gateway.host else { continue }
        // Who was the way out before was it all the same.
        for host in [host] + gateway.formerHosts {
          gatewaysOf[host, default: []].append(gateway)
          gatewayOwners[gateway.address, default: []].insert(host)
        }
      }
      for server in subnet.servers { serversAt[server.address, default: []].append(server) }
    }
    for item in picture.resolvers { resolversAt[item.address, default: []].append(item.evidence) }
    self.gatewaysOf = gatewaysOf
    self.gatewayOwners = gatewayOwners
    self.serversAt = serversAt
    self.resolversAt = resolversAt
  }

  /// Below this nothing is stated.
  static let threshold = 0.7

  func judge(_ station: Picture.Station) -> [Verdict<Role>] {
    var scales = RoleScales()
    for item in station.evidence { stated(item, station, &scales) }
    group(station, &scales)
    gateway(station, &scales)
    translation(station, &scales)
    servers(station, &scales)
    hints(station, &scales)
    var out: [Verdict<Role>] = []
    for role in Role.allCases where scales.weighs(role) {
      // Yes or no: the one alternative is that it does not play this role.
      guard let verdict = scales[role].verdict(others: 1), verdict.confidence >= RoleRules.threshold else { continue }
      out.append(verdict)
    }
    return settle(out)
  }

  private func stated(_ item: Evidence, _ station: Picture.Station, _ scales: inout RoleScales) {
    func add(_ role: Role, _ weight: Weight) { scales[role].add(role, item, weight) }
    switch item.claim {
    case .playsRole(let role):
      // A bridge, access point or adapter speaks for itself; a server's role is judged with its subnet below.
      if role != .dhcpServer, role != .dnsServer { add(role, item.grade >= .b ? Weights.statedRole : Weights.service) }
    case .advertisesRouter(let lifetime) where lifetime > 0: add(.router, Weights.namedGateway)
    // A host that forwards for guests of its own says so too, and looks for the wire's router all the same.
    case .forwards: add(.router, station.says(.solicitsRouters) == nil ? Weights.statedRole : Weights.forwardsAsHost)
    case .servesDHCPv6: add(.dhcpServer, Weights.answersDHCP)
    // With an address it is VRRP or HSRP; CARP, which servers use as well, names none.
    case .isVirtualRouter(_, .some): add(.router, Weights.sharesRole)
    case .translatesAddresses:
      // Routers that were turned into access points go on announcing their gateway service: there it is a hint.
      add(.nat, item.grade >= .b ? Weights.statedRole : Weights.announcedGateway)
      if item.grade >= .b { add(.router, Weights.statedRole) }
    case .runsBSS: add(.accessPoint, Weights.statedRole)
    case .bridgePort: add(.switch, Weights.statedRole)
    case .answersPPPoE: add(.router, Weights.statedRole)
    // Who dials is the home's end of the line: a router, or, seldom, a computer on a bare modem.
    case .dialsPPPoE, .requestsDelegation: add(.router, Weights.asksLikeRouter)
    default: break
    }
  }

  /// The address of a role that only routers play (HSRP, GLBP); that of VRRP is CARP's too.
  private func group(_ station: Picture.Station, _ scales: inout RoleScales) {
    guard station.mac.isVirtualRouter, station.mac.oui != VRRP.block, let row = station.row, row.sentFrames > 0 else { return }
    let reason = Reason(
      basis: "ethernet", field: "source", value: WireText(station.mac.description), frame: Int(row.firstFrame), time: nil,
      weight: Weights.roleAddress.decibans, kind: .inferred, why: Weights.roleAddress.why)
    scales[.router].add(.router, reason, .framing)
  }

  private func gateway(_ station: Picture.Station, _ scales: inout RoleScales) {
    let beyond = station.carriesFromInternet(besides: owned[station.mac])
    for gateway in gatewaysOf[station.mac] ?? [] {
      guard let reason = gateway.reasons.max(by: { $0.weight < $1.weight }) else { continue }
      // Merely being asked for is what a popular server is, too.
      guard reason.weight >= 15 || !beyond.isEmpty else { continue }
      let family: Family = reason.basis == "ip" ? .routing : .addressing
      scales[.gateway].add(.gateway, reason, family)
      scales[.router].add(.router, reason, family)
    }
    // Who answers for the gateway's address without having it carries its traffic by fraud.
    guard !claimsForeignGateway(station) else { return }
    guard let first = beyond.min(by: { $0.firstFrame < $1.firstFrame }) else { return forwarding(station, &scales) }
    let isGateway = scales.weighs(.gateway)
    guard beyond.count >= 5 || isGateway else {
      forwarding(station, &scales)
      return
    }
    let weight = beyond.count >= 5 ? Weights.carriesMany : Weights.carriesSome
    let reason = Reason(
      basis: "ip", field: "source addresses behind it", value: WireText("\(beyond.count)"), frame: Int(first.firstFrame), time: nil,
      weight: weight.decibans, kind: .measured, why: weight.why)
    scales[.router].add(.router, reason, .routing)
    if isGateway { scales[.gateway].add(.gateway, reason, .routing) }
  }

  /// Packets of others, some of their hops spent, that it sent to stations here: who forwards them is a router, whatever network they are from.
  private func forwarding(_ station: Picture.Station, _ scales: inout RoleScales) {
    guard !picture.speakersForOthers.contains(station.mac) else { return }
    let carried = station.bindings.filter {
      $0.framesFrom >= 2 && $0.address.isIPv4 && $0.address.isHost && !$0.address.isLinkLocal && owned[station.mac]?[$0.address] == nil
        && SourceRules.wasForwarded($0)
    }
    guard let first = carried.min(by: { $0.firstFrame < $1.firstFrame }) else { return }
    let weight = Weights.forwardsOthers
    let reason = Reason(
      basis: "ip", field: "hop limit", value: WireText("\(first.highestHops) from \(first.address)"), frame: Int(first.firstFrame),
      time: nil,
      weight: weight.decibans, kind: .measured, why: weight.why)
    scales[.router].add(.router, reason, weight.family)
  }

  private func claimsForeignGateway(_ station: Picture.Station) -> Bool {
    picture.forged.isForger(station.mac)
      || station.evidence.contains { item in
        guard case .holds(let address, _) = item.claim else { return false }
        guard let owners = gatewayOwners[address] else { return false }
        return !owners.contains(station.mac) && !owners.isEmpty
      }
  }

  /// Whether packets of others leave under its address: then it translates.
  private func translation(_ station: Picture.Station, _ scales: inout RoleScales) {
    let signs = HiddenHosts.signs(station, owned[station.mac] ?? [:], picture)
    guard signs.count >= 2 else { return }
    for sign in signs {
      scales[.nat].add(.nat, sign.reason, sign.family)
      scales[.router].add(.router, sign.reason, sign.family)
    }
  }

  /// Whether a station is the one that has an address by right; a router group's role has its player's addresses.
  private func isRightful(_ owner: MACAddress?, _ mac: MACAddress) -> Bool {
    owner == nil || owner == mac || picture.isRouterGroup(mac)
  }

  private func servers(_ station: Picture.Station, _ scales: inout RoleScales) {
    let own = (owned[station.mac] ?? [:]).keys.sorted()
    for address in own {
      // Another one that uses the server's address by mistake or by fraud serves nobody.
      for server in serversAt[address] ?? [] where server.relay == nil && isRightful(server.host, station.mac) {
        if let reason = server.reasons.first { scales[.dhcpServer].add(.dhcpServer, reason, .addressing) }
      }
    }
    for item in station.evidence {
      guard case .playsRole(.dhcpServer) = item.claim else { continue }
      scales[.dhcpServer].add(.dhcpServer, item, Weights.answersDHCP)
    }
    for address in own {
      for item in picture.addresses[address] ?? [] where item.claim == .playsRole(.router) {
        if picture.isRedundancy(item.basis) {
          scales[.router].add(.router, item, Weights.sharesRole)
        } else if item.carrier == station.mac {
          scales[.router].add(.router, item, Weights.reportsHops)
        }
      }
      for item in picture.addresses[address] ?? [] where item.claim == .playsRole(.dnsServer) && item.carrier == station.mac {
        scales[.dnsServer].add(.dnsServer, item, Weights.resolves)
      }
    }
    for address in own {
      if let owners = gatewayOwners[address], !owners.contains(where: { isRightful($0, station.mac) }) { continue }
      for item in resolversAt[address] ?? [] {
        let isLease = if case .leased = item.claim { true } else { false }
        scales[.dnsServer].add(
          .dnsServer, item, Weights.resolves, value: address.description, field: isLease ? "option 6" : nil)
      }
    }
  }

  private func hints(_ station: Picture.Station, _ scales: inout RoleScales) {
    // What a repeater's frames say is what the devices behind it say.
    let isRepeater = picture.speakersForOthers.contains(station.mac) || standsForSeveral(station)
    for item in station.evidence {
      guard let (place, text) = RoleHints.words(item.claim) else { continue }
      if isRepeater, item.basis != "dhcp" { continue }
      for hint in RoleHints.matching(text, in: place) {
        let family: Family = place == .name ? .identity : .selfDeclared
        scales[hint.role].add(hint.role, item.reason(hint.weight, why: place.why), family)
      }
    }
    addMaker(station, &scales)
  }

  /// Whether several boxes seem to speak with one hardware address: two addresses and two names, or three addresses.
  private func standsForSeveral(_ station: Picture.Station) -> Bool {
    let addresses = (owned[station.mac] ?? [:]).keys.filter { $0.isIPv4 && !$0.isLinkLocal }
    guard addresses.count >= 2, gatewaysOf[station.mac] == nil else { return false }
    let names = Set(
      station.evidence.compactMap { item in if case .isNamed(let text, .host) = item.claim { text.lowercasedASCII } else { nil } })
    return addresses.count >= 3 || names.count >= 2
  }

  /// What its maker mostly builds.
  private func addMaker(_ station: Picture.Station, _ scales: inout RoleScales) {
    guard let hint = picture.maker(station.mac), let role = hint.role else { return }
    guard role == .virtualMachine else {
      scales[role].add(role, Picture.makerReason(station, hint.isOnly ? Weights.onlyMaker : Weights.makerHint), .identity)
      return
    }
    // What lies beyond comes through the hypervisor's own gateway, not through a guest.
    let isCarrier =
      [.router, .gateway, .nat].contains { scales[$0].score($0) >= Weights.carriesMany.decibans }
      || !station.carriesFromInternet(besides: owned[station.mac]).isEmpty
    guard !isCarrier, !MakerHints.isOfHypervisor(station.mac) else { return }
    scales[role].add(role, Picture.makerReason(station, Weights.virtualAddress), .identity)
  }

  /// Behaviour comes before words. Kinds of devices exclude one another: of two, the surer stays, and nobody is both a phone and a printer.
  private func settle(_ all: [Verdict<Role>]) -> [Verdict<Role>] {
    // Who routes or hands out addresses is a router, whatever it calls itself.
    let isRouter = all.contains { [.router, .gateway, .nat].contains($0.answer) && $0.confidence >= RoleRules.threshold }
    let verdicts = isRouter ? all.filter { !$0.answer.isNoRouters } : all
    guard verdicts.count(where: { $0.answer.isKind }) > 1,
      let best = verdicts.filter({ $0.answer.isKind }).max(by: { rank($0) < rank($1) })
    else { return verdicts }
    return verdicts.filter { !$0.answer.isKind || $0.answer == best.answer }
  }

  private func rank(_ verdict: Verdict<Role>) -> (Double, Int, Int) {
    // A file server is a computer that says more.
    (verdict.confidence, verdict.reasons.first?.weight ?? 0, verdict.answer == .computer ? 0 : 1)
  }
}

extension Role {
  /// Whether it says what a device is, rather than what it does for others.
  var isKind: Bool {
    switch self {
    case .setTopBox, .console, .printer, .phone, .computer, .tv, .speaker, .camera, .storage, .iot: true
    default: false
    }
  }
}

extension Role {
  /// Whether such devices do not route for others: a word that calls a router so is wrong.
  var isNoRouters: Bool {
    switch self {
    case .setTopBox, .console, .printer, .tv, .speaker, .camera, .iot: true
    default: false
    }
  }
}

extension MakerHint {
  /// The role of what the maker builds, where it is one.
  var role: Role? {
    switch kind {
    case .virtualMachine: .virtualMachine
    case .setTopBox: .setTopBox
    case .console: .console
    case .camera: .camera
    case .speaker: .speaker
    case .storage: .storage
    case .printer: .printer
    case .tv: .tv
    case .iot: .iot
    case .powerlineAdapter, .moca, .operatorGear, .homeRouter: nil
    }
  }
}

/// A scale for each role that something speaks for: a device has a few.
struct RoleScales {
  private var all: [(role: Role, scale: Scale<Role>)] = []

  func weighs(_ role: Role) -> Bool { all.contains { $0.role == role } }

  /// That of a role; empty where nothing speaks for it.
  subscript(role: Role) -> Scale<Role> {
    get { all.first { $0.role == role }?.scale ?? Scale() }
    _modify {
      let at = all.firstIndex { $0.role == role } ?? all.count
      if at == all.count { all.append((role, Scale())) }
      yield &all[at].scale
    }
  }
}

extension RoleHints {
  /// The words of a claim that may hint at a role, and where they stand.
  static func words(_ claim: Observation.Claim) -> (Place, WireText)? {
    switch claim {
    case .has(.vendorClass, let text), .has(.userClass, let text): (.vendorClass, text)
    case .isNamed(let text, let kind) where kind != .group: (.name, text)
    case .offers(let text): (.service, text)
    case .has(.model, let text), .has(.hardware, let text): (.model, text)
    case .has(.software, let text), .has(.operatingSystem, let text): (.software, text)
    default: nil
    }
  }

  /// Words that only things on a radio say.
  static func isMobile(_ claim: Observation.Claim) -> Bool {
    guard let (place, text) = words(claim) else { return false }
    return matching(text, in: place).contains { $0.isMobile }
  }

  /// Hints whose words stand in a text, ASCII case apart. Of several for one role the heaviest.
  static func matching(_ text: WireText, in place: Place) -> [Hint] {
    let lower = text.lowercasedASCII
    let missing = ~kinds(of: lower.bytes)
    var best: [Hint] = []
    let (hints, kinds) = byPlace[place.rawValue]
    for at in kinds.indices where kinds[at] & missing == 0 && lower.holds(hints[at].letters) {
      let hint = hints[at]
      // Short words must be words: "nas" is in "Jonas".
      if hint.letters.count <= wordLength, !isWord(hint.letters, in: text.bytes, lower.bytes) { continue }
      if let rival = best.firstIndex(where: { $0.role == hint.role }) {
        if hint.weight > best[rival].weight { best[rival] = hint }
      } else {
        best.append(hint)
      }
    }
    // "MSFT 5.0 XBOX" is no computer, although it holds the computer's words.
    if best.contains(where: { $0.role == .console }) { best.removeAll { $0.role == .computer } }
    // "IPTV_RG" is the home's router that asks for television, and no receiver.
    if best.contains(where: { $0.role == .router }) { best.removeAll { $0.role == .setTopBox } }
    return best.count > 1 ? best.sorted { $0.role.rawValue < $1.role.rawValue } : best
  }

  /// Words of so many letters at most could be a part of many others.
  private static let wordLength = 4

  /// Whether the letters stand in a text as a word: where something else than a letter begins or ends it, or a capital does ("nasB2", "LGwebOSTV").
  private static func isWord(_ letters: [UInt8], in text: [UInt8], _ lower: [UInt8]) -> Bool {
    enum Kind { case capital, small, digit, other }
    func kind(_ at: Int) -> Kind {
      guard text.indices.contains(at) else { return .other }
      return switch text[at] {
      case 0x41...0x5a: .capital
      case 0x61...0x7a: .small
      case 0x30...0x39: .digit
      default: .other
      }
    }
    /// Whether a word may end before the place and another begin at it.
    func isEdge(_ at: Int) -> Bool {
      switch (kind(at - 1), kind(at)) {
      case (.other, _), (_, .other): true
      // "BRWanna", "TVShow": capitals may belong to either word.
      case (.capital, .small): kind(at - 2) == .capital
      case (.capital, .capital): kind(at + 1) == .small
      case (let before, let after): before != after
      }
    }
    guard letters.count <= lower.count else { return false }
    return (0...(lower.count - letters.count)).contains { at in
      lower[at..<(at + letters.count)].elementsEqual(letters) && isEdge(at) && isEdge(at + letters.count)
    }
  }
}
