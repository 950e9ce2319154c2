import Model
import Wire

/// The tree from the internet down to each device: gateways under the internet, devices under the gateway of their subnet or under the
/// box they are attached to, grouped by link type.
struct NetworkMap {
  struct Node {
    var cells: [String]
    var children: [Node] = []
  }

  private let snapshot: Snapshot
  private let style: TextStyle
  private let children: [MACAddress: [Host]]

  init(_ snapshot: Snapshot, style: TextStyle) {
    self.snapshot = snapshot
    self.style = style
    var children: [MACAddress: [Host]] = [:]
    for host in snapshot.hosts {
      if let parent = host.attachedTo?.answer, let box = snapshot.host(parent), box.id != host.id {
        children[box.id, default: []].append(host)
      }
    }
    self.children = children
  }

  func lines() -> [String] {
    var out = ["internet"]
    draw(roots(), "", &out)
    return out
  }

  private func roots() -> [Node] {
    var placed = Set<MACAddress>()
    var roots: [Node] = []
    let order = snapshot.subnets.sorted { ($0.kind == .operator ? 0 : 1, $0.prefix) < ($1.kind == .operator ? 0 : 1, $1.prefix) }
    for subnet in order where subnet.kind != .linkLocal {
      let gateways = Set(subnet.gateways.compactMap(\.host))
      if !gateways.isEmpty, gateways.isSubset(of: placed), subnet.hosts.allSatisfy({ placed.contains($0) }) { continue }
      var node: Node
      if let gateway = gateways.sorted().first(where: { !placed.contains($0) }), let host = snapshot.host(gateway) {
        placed.insert(gateway)
        node = Node(cells: cells(host))
        if subnet.kind == .operator { node.cells[0] = "operator network \(subnet.prefix)" }
      } else {
        node = Node(cells: ["\(subnet.prefix)", subnet.gateways.first.map { "gateway \($0.address)" } ?? "no gateway seen"])
      }
      let members = subnet.hosts.filter { !placed.contains($0) }.compactMap { snapshot.host($0) }
      node.children = groups(members, inside: node, &placed)
      roots.append(node)
    }
    let rest = snapshot.hosts.filter { !placed.contains($0.id) }
    if !rest.isEmpty {
      var node = Node(cells: ["no subnet known"])
      node.children = groups(rest, inside: node, &placed)
      if !node.children.isEmpty { roots.append(node) }
    }
    return roots
  }

  /// Devices by link type, those that hang below another listed device under it.
  private func groups(_ members: [Host], inside: Node, _ placed: inout Set<MACAddress>) -> [Node] {
    let ids = Set(members.map(\.id))
    var byMedium: [(Medium?, [Node])] = []
    for host in members.sorted(by: { ($0.addresses.first ?? .none, $0.id) < ($1.addresses.first ?? .none, $1.id) }) {
      if placed.contains(host.id) { continue }
      if let parent = host.attachedTo?.answer, let box = snapshot.host(parent), ids.contains(box.id), box.id != host.id { continue }
      let node = tree(host, &placed)
      let medium = host.medium?.answer
      if let at = byMedium.firstIndex(where: { $0.0 == medium }) { byMedium[at].1.append(node) } else { byMedium.append((medium, [node])) }
    }
    // Those that hang on each other in a circle, or below what is shown elsewhere.
    for host in members where !placed.contains(host.id) { byMedium.append((host.medium?.answer, [tree(host, &placed)])) }
    let order: [Medium?] = [.ethernet, .powerline, .wifi, .moca, .coax, .virtual, nil]
    if byMedium.count <= 1 { return byMedium.flatMap(\.1) }
    return order.flatMap { medium -> [Node] in
      let nodes = byMedium.filter { $0.0 == medium }.flatMap(\.1)
      return nodes.isEmpty ? [] : [Node(cells: [Label.medium(medium)], children: nodes)]
    }
  }

  private func tree(_ host: Host, _ placed: inout Set<MACAddress>) -> Node {
    placed.insert(host.id)
    var node = Node(cells: cells(host))
    for child in children[host.id] ?? [] where !placed.contains(child.id) { node.children.append(tree(child, &placed)) }
    return node
  }

  private func cells(_ host: Host) -> [String] {
    var about: [String] = []
    if let medium = host.medium, let reason = medium.reasons.first {
      about.append("\(Label.confidence(medium.confidence)) \(reason.basis)")
    }
    let kind = host.roles.filter { $0 != .host }.map(\.rawValue).joined(separator: ", ")
    return [
      Label.name(host), host.ipv4.first?.description ?? host.ipv6.first?.description ?? "", host.id.description,
      host.vendor.map(Label.shortVendor) ?? (host.isRandomised ? "private" : ""), kind, about.joined(separator: " "),
    ]
  }

  private func draw(_ nodes: [Node], _ indent: String, _ out: inout [String]) {
    let (tee, end, bar) = style.ascii ? ("|- ", "`- ", "|  ") : ("├─ ", "└─ ", "│  ")
    for (i, node) in nodes.enumerated() {
      let isLast = i == nodes.count - 1
      var line = Page.pad(indent + (isLast ? end : tee) + (node.cells.first ?? ""), 34)
      for (cell, width) in zip(node.cells.dropFirst(), [16, 19, 13, 14, 18]) { line += Page.pad(cell, width) }
      out.append(line)
      draw(node.children, indent + (isLast ? "   " : bar), &out)
    }
  }
}
