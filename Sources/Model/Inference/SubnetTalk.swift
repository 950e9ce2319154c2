import Wire

/// Subnets of which nobody stated a mask: what addresses that look for each other, and shouts to everybody, tell (`inference.md` 3).
extension SubnetRules {
  /// Groups of addresses that look for each other, outside all stated prefixes.
  mutating func fromTalk(_ owned: [MACAddress: [IPAddress: Evidence?]], _ hosts: Set<MACAddress>) {
    let known = Array(subnets.keys)
    func isOpen(_ address: IPAddress) -> Bool {
      address.isIPv4 && address.isHost && !address.isLinkLocal && !known.contains { $0.contains(address) }
    }
    func isHeld(_ address: IPAddress) -> Bool { hosts.contains { owned[$0]?[address] != nil } }
    let strays = strays(owned, hosts)
    var groups = AddressGroups()
    var linkLocal: Reason?
    for mac in picture.order where hosts.contains(mac) {
      for (address, item) in (owned[mac] ?? [:]).sorted(by: { $0.key < $1.key }) where address.isIPv4 {
        if address.isLinkLocal {
          linkLocal = linkLocal ?? picture.reason(address, of: mac, item, 15)
        } else if isOpen(address), !strays.contains(address) {
          groups.add(address)
        }
      }
    }
    var asked: [IPAddress: [(asker: IPAddress, item: Evidence)]] = [:]
    picture.each { station, item in
      guard hosts.contains(station.mac), case .seeks(let target, let from) = item.claim, isOpen(target), isOpen(from) else { return }
      // Who asked from an address that is not his any more asked for a network that is elsewhere.
      if owned[station.mac]?[from] == nil, owned[station.mac]?.isEmpty == false { return }
      // An asker of many silent addresses (a gateway's own search) holds his group together as well: his mask is theirs. Over more than sixteen
      // bits only an answer does.
      guard AddressGroups.mayBeOne(from, target) || AddressGroups.areOfOneBlock(from, target) && isHeld(target) else { return }
      groups.join(from, target)
      asked[target, default: []].append((from, item))
    }
    let broadcasts = directedBroadcasts(isOpen)
    for shout in broadcasts {
      for sender in shout.senders where AddressGroups.areOfOneBlock(sender, shout.address) { groups.join(sender, shout.address) }
    }

    let all = groups.all()
    let related = all.filter { members in members.contains { asked[$0] != nil } }
    for members in all {
      // Addresses that look for nobody, beside others of one block that do: whether they are one network nothing tells, so nothing is said.
      let isLoose = !members.contains { member in asked[member] != nil || broadcasts.contains { $0.address == member } }
      if isLoose, let own = members.first, related.contains(where: { $0.first.map { AddressGroups.mayBeOne($0, own) } ?? false }) {
        continue
      }
      openGroup(members, broadcasts, asked, owned)
    }
    if let linkLocal, let prefix = Prefix("169.254.0.0/16") { open(prefix, .declared, linkLocal, confidence: 0.95) }
  }

  /// Addresses from which a host asks into foreign networks only, beside one that is at home somewhere: left over from elsewhere, or tried.
  private func strays(_ owned: [MACAddress: [IPAddress: Evidence?]], _ hosts: Set<MACAddress>) -> Set<IPAddress> {
    var near = Set<IPAddress>()
    var far: [IPAddress: MACAddress] = [:]
    picture.each { station, item in
      guard hosts.contains(station.mac), case .seeks(let target, let from) = item.claim, target.isIPv4, from.isIPv4 else { return }
      let isNear =
        AddressGroups.mayBeOne(from, target)
        || AddressGroups.areOfOneBlock(from, target) && hosts.contains { owned[$0]?[target] != nil }
      if isNear { near.insert(from) } else { far[from] = station.mac }
    }
    func isAtHome(_ address: IPAddress) -> Bool {
      address.isIPv4 && !address.isLinkLocal && (far[address] == nil || near.contains(address))
    }
    return Set(far.filter { from, mac in !near.contains(from) && (owned[mac] ?? [:]).keys.contains(where: isAtHome) }.keys)
  }

  /// A directed broadcast: a destination that is no group by itself, sent to everybody's hardware address.
  private struct Shout {
    let address: IPAddress
    var senders: [IPAddress] = []
    var frame = Int.max
  }

  private func directedBroadcasts(_ isOpen: (IPAddress) -> Bool) -> [Shout] {
    var found: [IPAddress: Shout] = [:]
    for row in picture.pairs where row.toGroup {
      for (from, to) in [(row.a, row.b), (row.b, row.a)] {
        guard to.mac == .broadcast, let v4 = to.address.v4, v4.isHost, isOpen(to.address), isOpen(from.address), v4.bits & 1 == 1 else {
          continue
        }
        var shout = found[to.address] ?? Shout(address: to.address)
        shout.senders.append(from.address)
        shout.frame = min(shout.frame, Int(row.firstFrame))
        found[to.address] = shout
      }
    }
    return found.values.sorted { $0.address < $1.address }
  }

  private mutating func openGroup(
    _ members: [IPAddress], _ broadcasts: [Shout], _ asked: [IPAddress: [(asker: IPAddress, item: Evidence)]],
    _ owned: [MACAddress: [IPAddress: Evidence?]]
  ) {
    guard let first = members.first else { return }
    var cover = Prefix(first, 32)
    for member in members {
      cover = Prefix.holding(cover.address, member).map { Prefix($0.address, min($0.length, cover.length)) } ?? cover
    }
    let inGroup = Set(members)
    let questions = asked.filter { inGroup.contains($0.key) }
    let question = questions.sorted { $0.key < $1.key }.flatMap { $0.value.map(\.item) }.min { $0.firstFrame < $1.firstFrame }
    var source = question == nil ? Subnet.Source.guess : .arp
    var prefix = Prefix(first, min(24, cover.length))
    var confidence = question == nil ? 0.5 : 0.7
    var lengths: ClosedRange<Int>?
    let owner = owner(first)
    var reason =
      question?.reason(Weights.soughtWithin)
      ?? picture.reason(first, of: owner ?? .zero, owner.flatMap { owned[$0]?[first] } ?? nil, 0)
    if let shout = broadcasts.first(where: { inGroup.contains($0.address) }), let v4 = shout.address.v4 {
      // The last address of the prefix: its low bits are ones, and the prefix holds all who shout.
      let longest = cover.length
      let shortest = max(AddressGroups.block(shout.address).length, 32 - (~v4.bits).trailingZeroBitCount)
      if shortest <= longest {
        lengths = shortest...longest
        prefix = Prefix(shout.address, (shortest...longest).contains(24) ? 24 : longest)
        source = .broadcast
        confidence = shortest == longest ? 0.95 : 0.85
        reason = Reason(
          basis: "ip", field: "destination", value: WireText(shout.address.description), frame: shout.frame, time: nil,
          weight: Weights.directedBroadcast.decibans, kind: .inferred, why: Weights.directedBroadcast.why)
      }
    }
    // Everything in a group that spreads over more than a block was no group.
    guard prefix.length >= AddressGroups.block(first).length else { return }
    open(prefix, source, reason, confidence: confidence)
    subnets[prefix]?.lengths = lengths
    addAsked(questions, to: prefix)
  }

  /// The address that most of a group look for is normally its gateway; that one host looked for the first or last one is a hint.
  private mutating func addAsked(_ asked: [IPAddress: [(asker: IPAddress, item: Evidence)]], to prefix: Prefix) {
    let ranked = asked.map { (target: $0.key, askers: Set($0.value.map(\.asker)), items: $0.value.map(\.item)) }.sorted {
      ($0.askers.count, $1.target) > ($1.askers.count, $0.target)
    }
    guard let top = ranked.first, let item = top.items.min(by: { $0.firstFrame < $1.firstFrame }) else { return }
    let isOnlyTop = ranked.count == 1 || ranked[1].askers.count < top.askers.count
    func isUsual(_ address: IPAddress) -> Bool { [1, 254].contains((address.v4?.bits ?? 0) & 0xff) }
    // A server is sought by all as well: where somebody has the number of a way out, a common goal with another is none.
    let hasRival = !isUsual(top.target) && owners.contains { isUsual($0.key) && prefix.contains($0.key) }
    let weight: Weight
    // Two who look for a box with any number may both want its files.
    if top.askers.count >= (isUsual(top.target) ? 2 : 3), isOnlyTop, !hasRival {
      weight = Weights.mostSought
    } else if isUsual(top.target) {
      weight = Weights.soughtByNumber
    } else {
      return
    }
    addGateway(top.target, to: prefix, item.reason(weight, value: top.target.description))
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

  /// The widest prefix that an address may be in: the private and shared blocks (RFC 1918, RFC 6598), and sixteen bits of any other.
  static func block(_ address: IPAddress) -> Prefix {
    guard let v4 = address.v4 else { return Prefix(address, 64) }
    if v4.bits >> 24 == 10 { return Prefix(address, 8) }
    if v4.bits >> 20 == 0xac1 { return Prefix(address, 12) }
    return Prefix(address, v4.isShared ? 10 : 16)
  }

  static func areOfOneBlock(_ a: IPAddress, _ b: IPAddress) -> Bool { block(a) == block(b) }

  /// Whether a question may join two addresses: few homes' prefixes have less than sixteen bits, and a stray question does not join two networks.
  static func mayBeOne(_ a: IPAddress, _ b: IPAddress) -> Bool { Prefix(a, 16) == Prefix(b, 16) }

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
