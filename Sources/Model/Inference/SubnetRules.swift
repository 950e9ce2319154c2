import Wire

/// Which subnets exist, who routes out of them and who hands out their addresses (`inference.md` 3 to 5).
struct SubnetRules {
  let picture: Picture
  /// Owner of each address among the hosts.
  let owners: [IPAddress: [MACAddress]]
  /// Who plays a router group's role, by the role's hardware address.
  private let players: [MACAddress: MACAddress]
  private var subnets: [Prefix: Subnet] = [:]

  init(_ picture: Picture, owned: [MACAddress: [IPAddress: Evidence?]], hosts: Set<MACAddress>) {
    self.picture = picture
    var owners: [IPAddress: [MACAddress]] = [:]
    var players: [MACAddress: MACAddress] = [:]
    for mac in picture.order where hosts.contains(mac) {
      for address in (owned[mac] ?? [:]).keys { owners[address, default: []].append(mac) }
    }
    // Of several who show one address: who routes or serves, then who was first.
    for (address, all) in owners where all.count > 1 {
      func rank(_ mac: MACAddress) -> (Int, Int) {
        let isRouter = picture.station(mac).map { VantageRules.isGateway($0, picture) } ?? false
        return (isRouter ? 0 : 1, owned[mac]?[address].flatMap { $0?.firstFrame } ?? .max)
      }
      owners[address] = all.sorted { rank($0) < rank($1) }
    }
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

  private mutating func open(_ prefix: Prefix, _ source: Subnet.Source, _ reason: Reason, confidence: Double) {
    subnets[prefix, default: Subnet(prefix, source: source, confidence: confidence)].reasons.appendIfFew(reason)
  }

  private mutating func addGateway(_ address: IPAddress, to prefix: Prefix, _ reason: Reason) {
    guard prefix.contains(address) || (!address.isIPv4 && address.isLinkLocal) else { return }
    guard var gateways = subnets[prefix]?.gateways else { return }
    if let at = gateways.firstIndex(where: { $0.address == address }) {
      gateways[at].reasons.appendIfFew(reason)
    } else {
      gateways.append(Subnet.Gateway(address: address, host: owner(address), reasons: [reason]))
    }
    subnets[prefix]?.gateways = gateways
  }

  private mutating func addServer(_ address: IPAddress, relay: IPAddress?, to prefix: Prefix, _ reason: Reason) {
    guard var servers = subnets[prefix]?.servers else { return }
    if let at = servers.firstIndex(where: { $0.address == address && ($0.relay == relay || relay == nil) }) {
      servers[at].reasons.appendIfFew(reason)
    } else if let at = servers.firstIndex(where: { $0.address == address && $0.relay == nil }) {
      servers[at].relay = relay
      servers[at].reasons.appendIfFew(reason)
    } else {
      servers.append(Subnet.Server(address: address, relay: relay, host: owner(address), reasons: [reason]))
    }
    subnets[prefix]?.servers = servers
  }

  private mutating func fromLeases() {
    picture.each { _, item in
      guard case .leased(let lease) = item.claim, let prefix = lease.prefix, AddressRules.isUsable(prefix) else { return }
      open(prefix, .dhcp, item.reason(Weights.leasedPrefix, value: prefix.description, field: "option 1"), confidence: 0.99)
      for router in lease.routers {
        addGateway(IPAddress(router), to: prefix, item.reason(Weights.namedGateway, value: router.description, field: "option 3"))
      }
      if lease.routers.isEmpty, let relay = lease.relay {
        addGateway(IPAddress(relay), to: prefix, item.reason(Weights.relayNamed, value: relay.description, field: "giaddr"))
      }
      if let server = lease.server {
        addServer(
          IPAddress(server), relay: lease.relay.map { IPAddress($0) }, to: prefix,
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
          prefix, item.observation.basis == "interface" ? .interface : item.observation.basis == "ndp" ? .ra : .declared,
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
          guard case .wants(let address) = wanted.claim, wanted.observation.basis == "dhcp",
            let prefix = subnets.keys.filter({ $0.contains(address) }).max(by: { $0.length < $1.length })
          else { continue }
          // Both stood in one message, or in messages of one exchange.
          guard wanted.firstFrame == item.firstFrame || wanted.lastFrame == item.lastFrame else { continue }
          addServer(IPAddress(server), relay: nil, to: prefix, item.reason(Weights.chosenServer, value: server.description))
        }
      }
    }
  }

  // MARK: Where only behaviour tells

  /// Groups of addresses that look for each other, outside all stated prefixes.
  private mutating func fromTalk(_ owned: [MACAddress: [IPAddress: Evidence?]], _ hosts: Set<MACAddress>) {
    let known = Array(subnets.keys)
    func isOpen(_ address: IPAddress) -> Bool { address.isIPv4 && address.isHost && !known.contains { $0.contains(address) } }

    var groups = AddressGroups()
    var linkLocal: [Evidence] = []
    for mac in picture.order where hosts.contains(mac) {
      for (address, item) in (owned[mac] ?? [:]).sorted(by: { $0.key < $1.key }) where address.isIPv4 {
        if address.isLinkLocal {
          if let item { linkLocal.append(item) }
        } else if isOpen(address) {
          groups.add(address)
        }
      }
    }
    var asked: [IPAddress: [(asker: IPAddress, item: Evidence)]] = [:]
    picture.each { station, item in
      guard hosts.contains(station.mac), case .seeks(let target, let from) = item.claim, isOpen(target), isOpen(from) else { return }
      guard !target.isLinkLocal, !from.isLinkLocal else { return }
      // An asker of many silent addresses (a gateway's own search) holds his group together as well: his mask is theirs.
      groups.join(from, target)
      asked[target, default: []].append((from, item))
    }
    let broadcasts = directedBroadcasts(isOpen)
    for (address, senders) in broadcasts { for sender in senders { groups.join(sender.address, address) } }

    for members in groups.all() { openGroup(members, broadcasts, asked) }
    if let first = linkLocal.first, let prefix = Prefix("169.254.0.0/16") {
      open(prefix, .declared, first.reason(Weights.selfAssigned), confidence: 0.95)
    }
  }

  /// Directed broadcasts: a destination that is no group by itself, sent to everybody's hardware address.
  private func directedBroadcasts(_ isOpen: (IPAddress) -> Bool) -> [(IPAddress, [PairRow.End])] {
    var found: [IPAddress: [PairRow.End]] = [:]
    for row in picture.pairs where row.toGroup {
      for (from, to) in [(row.a, row.b), (row.b, row.a)] {
        guard to.mac == .broadcast, let v4 = to.address.v4, v4.isHost, isOpen(to.address), isOpen(from.address), v4.bits & 1 == 1 else {
          continue
        }
        found[to.address, default: []].append(from)
      }
    }
    return found.sorted { $0.key < $1.key }
  }

  private mutating func openGroup(
    _ members: [IPAddress], _ broadcasts: [(IPAddress, [PairRow.End])], _ asked: [IPAddress: [(asker: IPAddress, item: Evidence)]]
  ) {
    guard let first = members.first else { return }
    var cover = Prefix(first, 32)
    for member in members {
      cover = Prefix.holding(cover.address, member).map { Prefix($0.address, min($0.length, cover.length)) } ?? cover
    }
    let inGroup = Set(members)
    let questions = asked.filter { inGroup.contains($0.key) }.sorted { $0.key < $1.key }.flatMap(\.value)
    var source = Subnet.Source.guess
    var prefix = Prefix(first, min(24, cover.length))
    var confidence = 0.5
    if let broadcast = broadcasts.first(where: { inGroup.contains($0.0) })?.0, let v4 = broadcast.v4 {
      // The last address of the prefix: its low bits are ones, and the prefix holds all who shout.
      let longest = cover.length
      let shortest = 32 - (~v4.bits).trailingZeroBitCount
      if shortest <= longest {
        prefix = Prefix(broadcast, (shortest...longest).contains(24) ? 24 : longest)
        source = .broadcast
        confidence = shortest == longest ? 0.95 : 0.85
      }
    } else if !questions.isEmpty {
      source = .arp
      confidence = 0.7
    }
    // Everything in a group that spreads over more than any home's prefix was no group.
    guard prefix.length >= 16 else { return }
    let reason =
      questions.first?.item.reason(Weights.soughtWithin, value: prefix.description)
      ?? Reason(
        basis: "ip", field: "source", value: WireText(first.description), frame: nil, time: nil, weight: Weights.usedHere.decibans,
        kind: .inferred, why: Weights.usedHere.why)
    open(prefix, source, reason, confidence: confidence)
    addAsked(asked.filter { inGroup.contains($0.key) }, to: prefix)
  }

  /// The address that most of a group look for is normally its gateway.
  private mutating func addAsked(_ asked: [IPAddress: [(asker: IPAddress, item: Evidence)]], to prefix: Prefix) {
    let ranked = asked.map { (target: $0.key, askers: Set($0.value.map(\.asker)), items: $0.value.map(\.item)) }.sorted {
      ($0.askers.count, $1.target) > ($1.askers.count, $0.target)
    }
    guard let top = ranked.first, let item = top.items.first else { return }
    let isOnlyTop = ranked.count == 1 || ranked[1].askers.count < top.askers.count
    let last = (top.target.v4?.bits ?? 0) & 0xff
    if (top.askers.count >= 2 && isOnlyTop) || last == 1 || last == 254 {
      addGateway(top.target, to: prefix, item.reason(Weights.mostSought, value: top.target.description))
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
        var hasVoted = false
        for binding in picture.station(mac)?.bindings ?? [] where binding.address == address && binding.framesFrom > 0 {
          votes[prefix, default: [:]][binding.vlan, default: 0] += Int(binding.framesFrom)
          hasVoted = true
        }
        // Who sent no packet, only ARP, speaks in the one VLAN that it was heard in.
        if !hasVoted, let vlan = onlyVLAN(mac) { votes[prefix, default: [:]][vlan, default: 0] += 1 }
      }
    }
    for (prefix, counted) in votes {
      if let vlan = counted.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })?.key, vlan != 0 { subnets[prefix]?.vlan = vlan }
    }
    for prefix in prefixes { subnets[prefix]?.hosts.sort() }
  }

  /// The one VLAN, or 0 for none, in which a station sent all its frames; nil when there are several.
  private func onlyVLAN(_ mac: MACAddress) -> UInt16? {
    guard let row = picture.station(mac)?.row else { return nil }
    if !row.flags.contains(.tagged) { return 0 }
    return row.flags.contains(.untagged) || row.vlans.1 != 0 ? nil : row.vlans.0
  }

  /// Where a subnet's hosts send what is not for their own prefix: that station is used as gateway.
  private mutating func addNextHops(_ hosts: Set<MACAddress>) {
    for prefix in subnets.keys.sorted() where prefix.address.isIPv4 && subnets[prefix]?.source != nil {
      var next: [MACAddress: (frames: Int, frame: Int)] = [:]
      for row in picture.pairs where !row.toGroup {
        for (from, to, frames) in [(row.a, row.b, row.framesFromA), (row.b, row.a, row.framesFromB)] {
          guard frames > 0, prefix.contains(from.address), to.address.isIPv4, !prefix.contains(to.address), to.address.isHost else {
            continue
          }
          guard hosts.contains(from.mac), owners[from.address]?.contains(from.mac) ?? false else { continue }
          let hop = players[to.mac] ?? to.mac
          let old = next[hop] ?? (0, Int(row.firstFrame))
          next[hop] = (old.frames + Int(frames), min(old.frame, Int(row.firstFrame)))
        }
      }
      guard let top = next.max(by: { ($0.value.frames, $1.key) < ($1.value.frames, $0.key) }) else { continue }
      let inside = owners.filter { $0.value.contains(top.key) && prefix.contains($0.key) }.keys.sorted()
      let named = Set((subnets[prefix]?.gateways ?? []).map(\.address))
      // What a server named is the way out; habits only confirm it.
      guard let address = inside.first(where: named.contains) ?? (named.isEmpty ? inside.first : nil) else { continue }
      addGateway(
        address, to: prefix,
        Reason(
          basis: "ip", field: "next hop", value: WireText(top.key.description), frame: top.value.frame, time: nil,
          weight: Weights.nextHop.decibans, kind: .measured, why: Weights.nextHop.why))
    }
  }
}

/// Sets of addresses that grow together.
struct AddressGroups {
  private var parent: [IPAddress: IPAddress] = [:]

  mutating func add(_ address: IPAddress) { if parent[address] == nil { parent[address] = address } }

  private mutating func root(_ address: IPAddress) -> IPAddress {
    add(address)
    var at = address
    while let up = parent[at], up != at { at = up }
    parent[address] = at
    return at
  }

  mutating func join(_ a: IPAddress, _ b: IPAddress) {
    let (x, y) = (root(a), root(b))
    if x != y { parent[max(x, y)] = min(x, y) }
  }

  /// The groups, those of one /24 together: nothing tells them apart.
  mutating func all() -> [[IPAddress]] {
    var first: [IPAddress: IPAddress] = [:]
    for address in parent.keys.sorted() {
      let block = Prefix(address, 24).address
      if let other = first[block] { join(address, other) } else { first[block] = address }
    }
    var groups: [IPAddress: [IPAddress]] = [:]
    for address in parent.keys.sorted() { groups[root(address), default: []].append(address) }
    return groups.sorted { $0.key < $1.key }.map(\.value)
  }
}

extension [Reason] {
  /// Four records prove as much as forty.
  mutating func appendIfFew(_ reason: Reason) { if count < 4 { append(reason) } }
}

extension Array where Element: Hashable {
  func deduplicated() -> [Element] {
    var seen = Set<Element>()
    return filter { seen.insert($0).inserted }
  }
}
