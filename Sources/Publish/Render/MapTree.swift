import Model
import Wire

/// The tree that every picture of the network draws: networks under the internet, their way out on top of each, then the devices by link
/// type, those that are known to hang on a box below that box.
///
/// Text, DOT and SVG draw this one tree, so they never disagree. Everything in it is sorted by address, then MAC: the same network gives
/// the same picture, and a new device moves only those behind it in its own group.
struct MapTree {
  struct Node {
    enum Kind {
      /// A network with the device that is its way out, where that is known.
      case network(Subnet, gateway: Host?)
      /// Devices with the same link type; a prefix where they are not in the network above.
      case group(Medium?, Prefix?)
      case device(Host)
      /// A device that hangs here but is drawn in its own network: same cable, other network.
      case guest(Host, Subnet)
      /// Devices that showed no address of any network.
      case apart
    }
    var kind: Kind
    var bond = Bond()
    /// The box it hangs on, where that is drawn in another network.
    var via: Host?
    var children: [Node] = []

    var host: Host? {
      switch kind {
      case .network(_, let host): host
      case .device(let host), .guest(let host, _): host
      case .group, .apart: nil
      }
    }
    /// Devices in and below this node, those drawn elsewhere left out.
    var deviceCount: Int {
      let own: Int =
        switch kind {
        case .device: 1
        case .network(_, let gateway): gateway == nil ? 0 : 1
        case .guest, .group, .apart: 0
        }
      return children.reduce(own) { $0 + $1.deviceCount }
    }
    /// Bytes of the devices in and below this node: what the line above it carried, as far as one can tell.
    var bytes: Int {
      let own: Int =
        if case .device(let host) = kind { host.traffic.sentBytes + host.traffic.receivedBytes } else { 0 }
      return children.reduce(own) { $0 + $1.bytes }
    }
  }

  /// How a node is joined to the one above.
  struct Bond {
    var medium: Medium?
    /// Some device said so, or it was measured; else it is our conclusion.
    var isSeen = false
    var confidence: Double?
    /// The speed of the link, where somebody stated it.
    var rate: Rate?
  }

  let roots: [Node]
  let deviceCount: Int

  init(_ snapshot: Snapshot) {
    var builder = Builder(snapshot)
    roots = builder.roots()
    deviceCount = snapshot.hosts.count
  }

  /// Deeper chains of boxes are drawn flat: no home has them, an attacker's tables might.
  static let depthLimit = 12

  private struct Builder {
    let snapshot: Snapshot
    let networks: [Subnet]
    private var hosts: [MACAddress: Host] = [:]
    private var boxes: [MACAddress: MACAddress] = [:]
    /// By box: the index of its network.
    private var home: [MACAddress: Int] = [:]
    /// By index of the network.
    private var gateway: [Int: MACAddress] = [:]
    private var main: [MACAddress: Int] = [:]
    private var children: [MACAddress: [Host]] = [:]
    private var parent: [MACAddress: MACAddress] = [:]
    private var rates: [MACAddress: Rate] = [:]
    private var placed = Set<MACAddress>()
    private var drawn = Set<Int>()

    init(_ snapshot: Snapshot) {
      self.snapshot = snapshot
      // The operator's side first, IPv4 before IPv6: a device of both is drawn in the IPv4 network.
      networks = snapshot.subnets.filter { $0.kind != .linkLocal }.sorted {
        let (x, y) = ($0.kind == .operator ? 0 : 1, $1.kind == .operator ? 0 : 1)
        return x != y ? x < y : $0.prefix < $1.prefix
      }
      for host in snapshot.hosts {
        hosts[host.id] = host
        boxes[host.id] = host.id
      }
      for host in snapshot.hosts { for mac in host.virtualMACs where boxes[mac] == nil { boxes[mac] = host.id } }
      for link in snapshot.links {
        guard let rate = link.rate, let to = boxes[link.to] else { continue }
        rates[to] = rate
      }
      findGateways()
      findHomes()
      for host in snapshot.hosts {
        guard let answer = host.attachedTo?.answer, let box = boxes[answer], box != host.id else { continue }
        parent[host.id] = box
      }
      settleBoxes()
      for host in Self.inOrder(snapshot.hosts) {
        if let box = parent[host.id] { children[box, default: []].append(host) }
      }
    }

    /// By address, then by MAC; those without an address last. Numbers are sorted: a host is large.
    private static func inOrder(_ hosts: [Host]) -> [Host] {
      let keys = hosts.map { (address: $0.addresses.first, id: $0.id) }
      let order = hosts.indices.sorted {
        switch (keys[$0].address, keys[$1].address) {
        case (let x?, let y?) where x != y: x < y
        case (nil, .some): false
        case (.some, nil): true
        default: keys[$0].id < keys[$1].id
        }
      }
      return order.map { hosts[$0] }
    }

    private mutating func findGateways() {
      for (at, network) in networks.enumerated() {
        // A box that somebody merely looked for is no root.
        let ways = network.gateways.filter { $0.confidence >= 0.7 }.compactMap(\.host) + [network.nextHop?.host].compactMap(\.self)
        guard let mac = ways.compactMap({ boxes[$0] }).min() else { continue }
        gateway[at] = mac
        // A box that is the way out of several networks is drawn on top of the home's first.
        if let before = main[mac], networks[before].kind != .operator || network.kind == .operator { continue }
        main[mac] = at
      }
    }

    private mutating func findHomes() {
      for (at, network) in networks.enumerated() {
        for mac in network.hosts {
          guard let box = boxes[mac], let host = hosts[box] else { continue }
          guard let before = home[box] else {
            home[box] = at
            continue
          }
          let isBeyond = host.behindModem?.answer == .bridged || host.behindModem?.answer == .operatorSide
          if networks[before].kind == .operator, network.kind != .operator, !isBeyond { home[box] = at }
        }
      }
      for (mac, at) in main { home[mac] = at }
    }

    /// Adapters, switches and access points often have no address of their own: they are drawn where the devices are that hang on them,
    /// the others of their kind beside those.
    private mutating func settleBoxes() {
      let order = snapshot.hosts.map(\.id)
      for _ in 0..<4 {
        var votes: [MACAddress: [Int: Int]] = [:]
        for (child, box) in parent where home[box] == nil {
          if let at = home[child] { votes[box, default: [:]][at, default: 0] += networks[at].kind == .operator ? 1 : 1000 }
        }
        if votes.isEmpty { break }
        for (box, count) in votes {
          home[box] = count.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
        }
      }
      let homes = networks.indices.filter { networks[$0].kind == .home && networks[$0].prefix.address.isIPv4 }
      let boxes: Set<Role> = [.powerlineAdapter, .switch, .accessPoint]
      for mac in order where home[mac] == nil {
        guard let host = hosts[mac], !boxes.isDisjoint(with: host.roles), host.addresses.allSatisfy(\.isLinkLocal) else { continue }
        if let box = parent[mac], let at = home[box] {
          home[mac] = at
        } else if let sibling = order.first(where: { home[$0] != nil && isKin(hosts[$0], host) }) {
          home[mac] = home[sibling]
        } else if homes.count == 1 {
          home[mac] = homes[0]
        }
      }
      // What hangs on a box and has no network of its own goes with the box.
      for _ in 0..<4 {
        for mac in order where home[mac] == nil { if let box = parent[mac], let at = home[box] { home[mac] = at } }
      }
    }

    private func isKin(_ a: Host?, _ b: Host) -> Bool {
      guard let a else { return false }
      return a.roles.contains(.powerlineAdapter) && b.roles.contains(.powerlineAdapter)
    }

    mutating func roots() -> [Node] {
      var out: [Node] = []
      for at in networks.indices where outer(at) == nil && !drawn.contains(at) {
        if let node = network(at) { out.append(node) }
      }
      // Networks whose ways out lie in each other.
      for at in networks.indices where !drawn.contains(at) { if let node = network(at) { out.append(node) } }
      let rest = snapshot.hosts.filter { !placed.contains($0.id) }
      if !rest.isEmpty { out.append(Node(kind: .apart, children: groups(rest, in: nil, prefix: nil, 0))) }
      return out
    }

    /// The network in which this one's way out is itself a device.
    private func outer(_ at: Int) -> Int? {
      guard let mac = gateway[at] else { return nil }
      if let first = main[mac], first != at, !(networks[first].kind == .operator) { return first }
      return networks.indices.first { other in
        other != at && gateway[other] != mac && networks[other].kind != .operator && networks[at].kind != .operator
          && networks[other].hosts.contains { boxes[$0] == mac } && networks[other].prefix.address.isIPv4
          && networks[at].prefix.address.isIPv4
      }
    }

    private mutating func network(_ at: Int, depth: Int = 0) -> Node? {
      drawn.insert(at)
      let network = networks[at]
      let way = gateway[at].flatMap { placed.contains($0) ? nil : hosts[$0] }
      if let way { placed.insert(way.id) }
      var node = Node(kind: .network(network, gateway: way), bond: way.map(uplink) ?? Bond())
      let members = snapshot.hosts.filter { home[$0.id] == at && !placed.contains($0.id) }
      node.children = groups(members, in: at, prefix: nil, depth)
      if let way { node.children += further(way, behind: at, depth) }
      return way == nil && node.children.isEmpty ? nil : node
    }

    /// More networks of the same way out, as groups beside the others.
    private mutating func further(_ way: Host, behind at: Int, _ depth: Int) -> [Node] {
      var out: [Node] = []
      for other in networks.indices where !drawn.contains(other) && gateway[other] == way.id && networks[other].kind != .operator {
        drawn.insert(other)
        let members = snapshot.hosts.filter { home[$0.id] == other && !placed.contains($0.id) }
        out += groups(members, in: other, prefix: networks[other].prefix, depth)
      }
      return out
    }

    private mutating func groups(_ members: [Host], in at: Int?, prefix: Prefix?, _ depth: Int) -> [Node] {
      var byMedium: [Medium?: [Node]] = [:]
      let ids = Set(members.map(\.id))
      let order = Self.inOrder(members)
      for host in order where !placed.contains(host.id) {
        if let box = parent[host.id], ids.contains(box) { continue }
        byMedium[medium(of: host), default: []].append(device(host, in: at, depth))
      }
      // Those that hang on each other in a circle.
      for host in order where !placed.contains(host.id) { byMedium[medium(of: host), default: []].append(device(host, in: at, depth)) }
      let known: [Medium?] = [.ethernet, .powerline, .wifi, .moca, .coax, .virtual, nil]
      return known.compactMap { medium in
        guard let nodes = byMedium[medium] else { return nil }
        return Node(
          kind: .group(medium, prefix), bond: Bond(medium: medium, isSeen: nodes.contains { $0.bond.isSeen && !$0.isGuest }),
          children: nodes)
      }
    }

    private func medium(of host: Host) -> Medium? {
      host.medium?.answer ?? (host.roles.contains(.powerlineAdapter) ? .powerline : nil)
    }

    private mutating func device(_ host: Host, in at: Int?, _ depth: Int) -> Node {
      placed.insert(host.id)
      var node = Node(kind: .device(host), bond: bond(host, below: parent[host.id].map { placed.contains($0) && home[$0] == at } ?? false))
      if let box = parent[host.id], home[box] != at { node.via = hosts[box] }
      guard depth < MapTree.depthLimit else { return node }
      // Deep below a box that is drawn in another network, and shown there as a guest of that box.
      for child in children[host.id] ?? [] {
        if let other = home[child.id], other != at {
          if main[child.id] == nil { node.children.append(Node(kind: .guest(child, networks[other]), bond: bond(child, below: true))) }
        } else if !placed.contains(child.id) {
          node.children.append(device(child, in: at, depth + 1))
        }
      }
      // Networks behind a router that is itself a device here.
      if let first = main[host.id], !drawn.contains(first), let inner = network(first, depth: depth + 1) {
        node.children.append(inner)
      }
      for inner in networks.indices where !drawn.contains(inner) && gateway[inner] == host.id {
        if let inner = network(inner, depth: depth + 1) { node.children.append(inner) }
      }
      return node
    }

    /// The last piece of the way: behind an adapter it is a cable, whatever the path beyond.
    private func bond(_ host: Host, below isBelow: Bool) -> Bond {
      var bond = Bond(medium: medium(of: host), rate: rates[host.id])
      if let box = parent[host.id].flatMap({ hosts[$0] }), let attached = host.attachedTo {
        if isBelow, box.roles.contains(.powerlineAdapter), bond.medium == .powerline, !host.roles.contains(.powerlineAdapter) {
          bond.medium = host.access?.answer ?? .ethernet
        }
        bond.isSeen = Self.isSeen(attached.reasons, attached.confidence)
        bond.confidence = attached.confidence
      } else if let medium = host.medium {
        bond.isSeen = Self.isSeen(medium.reasons, medium.confidence)
        bond.confidence = medium.confidence
      }
      return bond
    }

    private func uplink(_ host: Host) -> Bond {
      Bond(
        medium: nil,
        isSeen: host.traffic.internetBytes > 0 || host.roles.contains(.nat)
          || host.roleReasons.contains { Self.isSeen($0.reasons, $0.confidence) }
      )
    }

    /// A hint is no statement: what only makes a link likely was said of something else.
    static func isSeen(_ reasons: [Reason], _ confidence: Double) -> Bool {
      confidence >= 0.9 && reasons.contains { $0.weight > 0 && $0.kind != .inferred }
    }
  }
}

extension MapTree {
  /// The devices in it, each once.
  var devices: [Host] { roots.flatMap(\.devices) }
}

extension MapTree.Node {
  fileprivate var devices: [Host] { (isGuest ? [] : [host].compactMap(\.self)) + children.flatMap(\.devices) }
  /// Bytes that devices here exchanged with the internet or the operator.
  var outsideBytes: Int {
    let own: Int = if case .guest = kind { 0 } else { (host?.traffic.internetBytes ?? 0) + (host?.traffic.operatorBytes ?? 0) }
    return children.reduce(own) { $0 + $1.outsideBytes }
  }
  var isGuest: Bool { if case .guest = kind { true } else { false } }
}
