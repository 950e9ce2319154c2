public import Model
import Wire

/// The tree for Graphviz: `lanatomy report --format dot | dot -Tsvg`.
///
/// Networks are clusters. What a device or a measurement says is a solid line, what we conclude a dashed one.
public struct DOTGraph: Renderer {
  public init() {}

  public func render(_ snapshot: Snapshot, into out: inout String) {
    var graph = Graph()
    graph.line("digraph lanatomy {")
    graph.line(
      "  graph [rankdir=LR, fontname=\"Helvetica\", labelloc=t, label=\(Self.quote([Label.captured(snapshot), Label.counted(snapshot)]))];")
    graph.line("  node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=\"Helvetica\", fontsize=11];")
    graph.line("  edge [fontname=\"Helvetica\", fontsize=9, arrowhead=none];")
    graph.line("  \"internet\" [shape=ellipse, label=\"internet\"];")
    for (at, root) in MapTree(snapshot).roots.enumerated() { graph.zone(root, at) }
    for edge in graph.edges { graph.line(edge) }
    graph.line("}")
    out += graph.text
  }

  /// A quoted string of several lines. The backslash goes first in everything that is not ours; `&` because Graphviz reads entities.
  static func quote(_ lines: [String]) -> String {
    var out = "\""
    for (at, line) in lines.filter({ !$0.isEmpty }).enumerated() {
      if at > 0 { out += "\\n" }
      for scalar in line.unicodeScalars {
        switch scalar {
        case "\"": out += "\\\""
        case "\\": out += "\\\\"
        case "&": out += "&amp;"
        default: out.unicodeScalars.append(scalar)
        }
      }
    }
    return out + "\""
  }
}

private struct Graph {
  var text = ""
  /// After all clusters: a node belongs to the cluster that names it first.
  var edges: [String] = []
  private var groups = 0

  mutating func line(_ line: String) {
    text += line
    text += "\n"
  }

  mutating func zone(_ root: MapTree.Node, _ at: Int) {
    let label: String
    let color: String
    switch root.kind {
    case .network(let network, _):
      label = "\(Label.kind(network)) \(network.prefix)"
      color = network.kind == .operator ? "#fdf5e6" : network.kind == .home ? "#f1f6fc" : "#f5f6f8"
    default: (label, color) = ("no network known", "#f5f6f8")
    }
    line("  subgraph \"cluster_\(at)\" {")
    line("    label=\(DOTGraph.quote([label])); style=\"rounded,filled\"; color=\"#c8d0da\"; fillcolor=\"\(color)\";")
    if let host = root.host {
      node(host)
      edge("internet", host.id.description, root.bond, nil)
      for child in root.children { group(child, below: host.id.description) }
    } else {
      for child in root.children { group(child, below: nil) }
    }
    line("  }")
  }

  private mutating func group(_ node: MapTree.Node, below parent: String?) {
    guard case .group(let medium, let prefix) = node.kind else { return tree(node, below: parent) }
    let id = "group \(groups)"
    groups += 1
    line(
      "    \(DOTGraph.quote([id])) [shape=plaintext, style=\"\", label=\(DOTGraph.quote([Label.medium(medium), prefix.map(\.description) ?? ""]))];"
    )
    if let parent { edge(parent, id, node.bond, nil) }
    for child in node.children { tree(child, below: id) }
  }

  private mutating func tree(_ node: MapTree.Node, below parent: String?) {
    switch node.kind {
    case .group: group(node, below: parent)
    case .network(let network, let gateway):
      if let gateway {
        self.node(gateway)
        if let parent { edge(parent, gateway.id.description, node.bond, network.prefix.description) }
        for child in node.children { group(child, below: gateway.id.description) }
      } else {
        for child in node.children { group(child, below: parent) }
      }
    case .device(let host):
      self.node(host)
      if let parent { edge(parent, host.id.description, node.bond, nil) }
      for child in node.children { tree(child, below: host.id.description) }
    case .guest(let host, _):
      if let parent { edge(parent, host.id.description, node.bond, "same wire, other network", constraint: false) }
    case .apart: break
    }
  }

  private mutating func node(_ host: Host) {
    let what = [Label.roles(host), Label.maker(host)].filter { !$0.isEmpty }.joined(separator: ", ")
    let label = [Label.name(host), Label.shortAddress(host)] + Label.furtherAddresses(host) + [host.id.description, what]
    line("    \(DOTGraph.quote([host.id.description])) [label=\(DOTGraph.quote(label))];")
  }

  private mutating func edge(_ from: String, _ to: String, _ bond: MapTree.Bond, _ label: String?, constraint: Bool = true) {
    var attributes = ["style=\(bond.isSeen ? "solid" : "dashed")", "color=\"\(Self.color(bond.medium))\""]
    if let label = label ?? bond.rate.map({ Quantity.rate($0.bitsPerSecond) }) { attributes.append("label=\(DOTGraph.quote([label]))") }
    if !constraint { attributes.append("constraint=false") }
    edges.append("  \(DOTGraph.quote([from])) -> \(DOTGraph.quote([to])) [\(attributes.joined(separator: ", "))];")
  }

  private static func color(_ medium: Medium?) -> String {
    switch medium {
    case .ethernet: "#0068a8"
    case .wifi: "#008560"
    case .powerline: "#c85200"
    case .moca, .coax: "#7450b0"
    case .virtual: "#b04a86"
    case nil: "#6d7888"
    }
  }
}
