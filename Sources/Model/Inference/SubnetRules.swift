import Wire

/// Which subnets exist, who routes out of them and who hands out their addresses (`inference.md` 3 to 5).
struct SubnetRules {
  let picture: Picture
  /// Owner of each address among the hosts.
  let owners: [IPAddress: [MACAddress]]
  /// Who plays a router group's role, by the role's hardware address.
  private let players: [MACAddress: MACAddress]
  /// Who had an address before its present owner.
  private let former: [IPAddress: [MACAddress]]
  var subnets: [Prefix: Subnet] = [:]

  init(_ picture: Picture, owned: [MACAddress: [IPAddress: Evidence?]], hosts: Set<MACAddress>) {
    self.picture = picture
    var owners: [IPAddress: [MACAddress]] = [:]
    var players: [MACAddress: MACAddress] = [:]
    for mac in picture.order where hosts.contains(mac) {
      for address in (owned[mac] ?? [:]).keys { owners[address, default: []].append(mac) }
    }
    // Of several who show one address: who has it now, then who routes or serves, then who was first.
    var former: [IPAddress: [MACAddress]] = [:]
    for (address, all) in owners where all.count > 1 {
      let past = Tenure.past(all, address, picture)
      func rank(_ mac: MACAddress) -> (Int, Int, Int) {
        let isRouter = picture.station(mac).map { VantageRules.isGateway($0, picture) } ?? false
        return (past.contains(mac) ? 1 : 0, isRouter ? 0 : 1, owned[mac]?[address].flatMap { $0?.firstFrame } ?? .max)
      }
      owners[address] = all.sorted { rank($0) < rank($1) }
      if !past.isEmpty { former[address] = all.filter(past.contains) }
    }
    self.former = former
    // The address of a role is where its player is.
    for mac in picture.order where !hosts.contains(mac) && picture.isRouterGroup(mac) {
      guard let member = picture.members(ofGroup: mac).last(where: hosts.contains) else { continue }
      players[mac] = member
      let members = Set(picture.members(ofGroup: mac))
      for address in (owned[mac] ?? [:]).keys {
        let others = (owners[address] ?? []).filter { $0 != member }
        // A role cannot take an address from somebody outside the group.
        owners[address] = members.isSuperset(of: others) ? [member] + others : others + [member]
      }
    }
    self.players = players
    self.owners = owners
  }

  /// The subnets by prefix, and how many more there seemed to be.
  static func judge(
    _ picture: Picture, owned: [MACAddress: [IPAddress: Evidence?]], hosts: Set<MACAddress>
  ) -> (subnets: [Subnet], left: Int) {
    var rules = SubnetRules(picture, owned: owned, hosts: hosts)
    rules.fromLeases()
    rules.fromAdvertisements()
    rules.fromTalk(owned, hosts)
    rules.trim()
    rules.fromChosenServers()
    rules.addMembers(owned, hosts)
    rules.addNextHops(hosts)
    return (rules.subnets.values.sorted { $0.prefix < $1.prefix }, rules.left)
  }

  /// More subnets than any home has: each is judged against all others, and somebody who invents leases could make thousands.
  static let limit = 64
  private var left = 0

  /// Keeps the subnets in which most addresses live, of these the first.
  private mutating func trim() {
    guard subnets.count > SubnetRules.limit else { return }
    let lengths = Set(subnets.keys.map(\.length))
    var inhabitants: [Prefix: Int] = [:]
    for (address, macs) in owners {
      for length in lengths {
        let prefix = Prefix(address, length)
        if subnets[prefix] != nil { inhabitants[prefix, default: 0] += macs.count }
      }
    }
    func rank(_ subnet: Subnet) -> (Int, Int) { (-(inhabitants[subnet.prefix] ?? 0), subnet.reasons.compactMap(\.frame).min() ?? .max) }
    let ordered = subnets.values.map { (rank($0), $0.prefix) }.sorted { ($0.0.0, $0.0.1, $0.1) < ($1.0.0, $1.0.1, $1.1) }
    for entry in ordered.dropFirst(SubnetRules.limit) { subnets[entry.1] = nil }
    left = ordered.count - SubnetRules.limit
  }

  func owner(_ address: IPAddress) -> MACAddress? { owners[address]?.first }

  // MARK: Where a mask was stated

  mutating func open(_ prefix: Prefix, _ source: Subnet.Source, _ reason: @autoclosure () -> Reason, confidence: Double) {
    if subnets[prefix]?.reasons.isFull ?? false { return }
    subnets[prefix, default: Subnet(prefix, source: source, confidence: confidence)].reasons.appendIfFew(reason())
  }

  mutating func addGateway(_ address: IPAddress, to prefix: Prefix, _ reason: @autoclosure () -> Reason) {
    guard prefix.contains(address) || (!address.isIPv4 && address.isLinkLocal) else { return }
    guard let gateways = subnets[prefix]?.gateways else { return }
    if let at = gateways.firstIndex(where: { $0.address == address }) {
      if gateways[at].reasons.isFull { return }
      subnets[prefix]?.gateways[at].reasons.appendIfFew(reason())
    } else {
      var new = Subnet.Gateway(address: address, host: owner(address), reasons: [reason()])
      new.formerHosts = former[address] ?? []
      subnets[prefix]?.gateways.append(new)
    }
  }

  private mutating func addServer(_ address: IPAddress, relay: IPAddress?, to prefix: Prefix, _ reason: @autoclosure () -> Reason) {
    guard let servers = subnets[prefix]?.servers else { return }
    if let at = servers.firstIndex(where: { $0.address == address && ($0.relay == relay || relay == nil) }) {
      if servers[at].reasons.isFull { return }
      subnets[prefix]?.servers[at].reasons.appendIfFew(reason())
    } else if let at = servers.firstIndex(where: { $0.address == address && $0.relay == nil }) {
      subnets[prefix]?.servers[at].relay = relay
      subnets[prefix]?.servers[at].reasons.appendIfFew(reason())
    } else {
      let new = Subnet.Server(address: address, relay: relay, host: owner(address), reasons: [reason()])
      subnets[prefix]?.servers.append(new)
    }
  }

  private mutating func fromLeases() {
    for record in picture.leases {
      let item = record.item
      guard let prefix = record.lease.prefix, AddressRules.isUsable(prefix) else { continue }
      open(prefix, .dhcp, item.reason(Weights.leasedPrefix, value: prefix.description, field: "option 1"), confidence: 0.99)
      for router in record.lease.routers {
        addGateway(IPAddress(router), to: prefix, item.reason(Weights.namedGateway, value: router.description, field: "option 3"))
      }
      if record.lease.routers.isEmpty, let relay = record.lease.relay {
        addGateway(IPAddress(relay), to: prefix, item.reason(Weights.relayNamed, value: relay.description, field: "giaddr"))
      }
      if let server = record.lease.server {
        addServer(
          IPAddress(server), relay: record.lease.relay.map { IPAddress($0) }, to: prefix,
          item.reason(Weights.leaseServer, value: server.description, field: "option 54"))
      }
    }
  }

  private mutating func fromAdvertisements() {
    for mac in picture.order {
      guard let station = picture.station(mac) else { continue }
      let isRouter = station.evidence.contains {
        if case .advertisesRouter(let lifetime) = $0.claim { lifetime > 0 } else { false }
      }
      for item in station.evidence {
        guard case .advertisesPrefix(let prefix, onLink: true) = item.claim, AddressRules.isUsable(prefix) else { continue }
        open(
          prefix, item.basis == "interface" ? .interface : item.basis == "ndp" ? .ra : .declared,
          item.reason(Weights.advertisedPrefix, value: prefix.description), confidence: 0.99)
        guard isRouter else { continue }
        for held in station.evidence {
          if case .holds(let address, _) = held.claim, !address.isIPv4, address.isLinkLocal {
            addGateway(address, to: prefix, item.reason(Weights.namedGateway, value: address.description))
          }
        }
      }
    }
  }

  /// A broadcast request tells everybody which server its sender chose, even where the answer is not heard.
  private mutating func fromChosenServers() {
    for mac in picture.order {
      guard let station = picture.station(mac) else { continue }
      for item in station.evidence {
        guard case .requestsLease(let server?, _) = item.claim else { continue }
        for wanted in station.evidence {
          guard case .wants(let address) = wanted.claim, wanted.basis == "dhcp",
            let prefix = subnets.keys.filter({ $0.contains(address) }).max(by: { $0.length < $1.length })
          else { continue }
          // Both stood in one message, or in messages of one exchange.
          guard wanted.firstFrame == item.firstFrame || wanted.lastFrame == item.lastFrame else { continue }
          addServer(IPAddress(server), relay: nil, to: prefix, item.reason(Weights.chosenServer, value: server.description))
        }
      }
    }
  }

  // MARK: Members and ways out

  private mutating func addMembers(_ owned: [MACAddress: [IPAddress: Evidence?]], _ hosts: Set<MACAddress>) {
    let prefixes = subnets.keys.sorted { $0.length > $1.length }
    var votes: [Prefix: [UInt16: Int]] = [:]
    for mac in picture.order where hosts.contains(mac) {
      for address in (owned[mac] ?? [:]).keys.sorted() {
        guard let prefix = prefixes.first(where: { $0.contains(address) }) else { continue }
        if subnets[prefix]?.hosts.last != mac { subnets[prefix]?.hosts.append(mac) }
        if let vlan = vlan(of: address, mac) { votes[prefix, default: [:]][vlan, default: 0] += 1 }
      }
    }
    for (prefix, counted) in votes {
      if let vlan = counted.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })?.key, vlan != 0 { subnets[prefix]?.vlan = vlan }
    }
    for prefix in prefixes { subnets[prefix]?.hosts.sort() }
  }

  /// The one VLAN, or 0 for none, that an address lives in; nil when that cannot be told. Who speaks with and without labels is told apart
  /// only by having another address in each.
  private func vlan(of address: IPAddress, _ mac: MACAddress) -> UInt16? {
    guard let station = picture.station(mac), let row = station.row else { return nil }
    if !row.flags.contains(.tagged) { return 0 }
    if !row.flags.contains(.untagged), row.vlans.1 == 0 { return row.vlans.0 }
    let speaking = station.bindings.filter { $0.framesFrom > 0 && $0.address.isIPv4 == address.isIPv4 }
    guard Set(speaking.map(\.vlan)).count > 1 else { return nil }
    return speaking.first { $0.address == address }?.vlan
  }

  /// Where a subnet's hosts send what is not for their own prefix: that station is used as gateway.
  private mutating func addNextHops(_ hosts: Set<MACAddress>) {
    for prefix in subnets.keys.sorted() where prefix.address.isIPv4 {
      guard let (hop, frame) = nextHop(of: prefix, hosts) else { continue }
      let reason = Reason(
        basis: "ip", field: "next hop", value: WireText(hop.description), frame: frame, time: nil, weight: Weights.nextHop.decibans,
        kind: .measured, why: Weights.nextHop.why)
      let inside = owners.filter { $0.value.contains(hop) && prefix.contains($0.key) }.keys.sorted()
      let named = (subnets[prefix]?.gateways ?? []).filter { $0.isNamed }
      // What a server named is the way out; habits only confirm it.
      let confirmed = inside.first { address in named.contains { $0.address == address } }
      if confirmed == nil, let rightful = pretended(by: hop, in: prefix) {
        addGateway(rightful, to: prefix, reason.weighed(Weights.pretendedHop))
      } else if let address = confirmed ?? (named.isEmpty ? inside.first : nil) {
        addGateway(address, to: prefix, reason)
        // Where the way out was seen, what somebody merely looked for is no candidate any more.
        subnets[prefix]?.gateways.removeAll { !$0.isNamed && $0.address != address }
      } else if let only = named.first, named.count == 1, only.host == nil,
        let at = subnets[prefix]?.gateways.firstIndex(where: { $0.address == only.address })
      {
        subnets[prefix]?.gateways[at].host = hop
        subnets[prefix]?.gateways[at].reasons.appendIfFew(reason)
      } else if named.isEmpty {
        subnets[prefix]?.nextHop = Subnet.NextHop(host: hop, reasons: [reason])
      }
    }
  }

  /// The way out that a next hop only pretends to be: it answers for the address of another box, which is a router, so whoever sends to it
  /// takes it for that one.
  private func pretended(by hop: MACAddress, in prefix: Prefix) -> IPAddress? {
    var claimed = Set<IPAddress>()
    for item in picture.station(hop)?.evidence ?? [] {
      guard case .holds(let address, let how) = item.claim, how == .reply || how == .announcement, prefix.contains(address),
        let other = owner(address), other != hop, !(picture.routerGroups[address]?.contains(hop) ?? false)
      else { continue }
      let isRouter = picture.station(other).map { VantageRules.isGateway($0, picture) || !$0.carriesFromInternet().isEmpty } ?? false
      if isRouter { claimed.insert(address) }
    }
    return claimed.count == 1 ? claimed.first : nil
  }

  /// Whether it is known for which router a forger stands: then what is sent to him tells that it is used.
  private func isPretending(_ forger: MACAddress, in prefix: Prefix) -> Bool { pretended(by: forger, in: prefix) != nil }

  private func nextHop(of prefix: Prefix, _ hosts: Set<MACAddress>) -> (MACAddress, frame: Int)? {
    let isStated = [.dhcp, .ra, .interface, .declared, .broadcast].contains(subnets[prefix]?.source)
    var next: [MACAddress: (frames: Int, frame: Int)] = [:]
    for row in picture.pairs where !row.toGroup {
      for (from, to, frames) in [(row.a, row.b, row.framesFromA), (row.b, row.a, row.framesFromB)] {
        guard frames > 0, prefix.contains(from.address), to.address.isIPv4, !prefix.contains(to.address), to.address.isHost,
          to.mac.isStation
        else { continue }
        // Where the mask is a guess, another private address may be a neighbour all the same.
        guard isStated || !to.address.isInternal else { continue }
        // Who has that address on this wire is a neighbour, and nobody's way out.
        guard hosts.contains(from.mac), owners[from.address]?.contains(from.mac) ?? false, owners[to.address] == nil else { continue }
        // Who pretends to be the way out is none.
        if picture.forged.isForger(to.mac), !isPretending(to.mac, in: prefix) { continue }
        let hop = players[to.mac] ?? to.mac
        let old = next[hop] ?? (0, Int(row.firstFrame))
        next[hop] = (old.frames + Int(frames), min(old.frame, Int(row.firstFrame)))
      }
    }
    return next.max { ($0.value.frames, $1.key) < ($1.value.frames, $0.key) }.map { ($0.key, $0.value.frame) }
  }
}

extension [Reason] {
  /// Four records prove as much as forty.
  var isFull: Bool { count >= 4 }
  mutating func appendIfFew(_ reason: @autoclosure () -> Reason) { if !isFull { append(reason()) } }
}

extension Array where Element: Hashable {
  func deduplicated() -> [Element] {
    // Most are short: to look through a few is cheaper than to hash them.
    if count <= 16 {
      var out: [Element] = []
      for element in self where !out.contains(element) { out.append(element) }
      return out
    }
    var seen = Set<Element>()
    return filter { seen.insert($0).inserted }
  }
}
