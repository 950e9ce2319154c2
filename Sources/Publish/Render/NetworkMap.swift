import Model
import Wire

/// The tree as text: one line for a device, with columns that are as wide as this network needs and a page allows.
struct NetworkMap {
  private struct Row {
    /// The branches left of it and what it is called.
    var head: String
    /// Address, MAC, maker, what it is and how it is known to be linked; or one text that needs no columns.
    var cells: [String] = []
    var note: String?
    /// How sure its link type is stands in the last cell.
    var tellsLink = false
  }

  private let tree: MapTree
  private let style: TextStyle

  init(_ snapshot: Snapshot, style: TextStyle) {
    tree = MapTree(snapshot)
    self.style = style
  }

  func lines() -> [String] {
    var rows: [Row] = []
    draw(tree.roots, "", &rows)
    var widths = [0, 0, 0, 0]
    var last = 0
    for row in rows where !row.cells.isEmpty {
      widths[0] = max(widths[0], Page.columns(row.head) + 1)
      for at in 0..<3 { widths[at + 1] = max(widths[at + 1], Page.columns(row.cells[at]) + 1) }
      last = max(last, Page.columns(row.cells[3]))
    }
    // What a page cannot hold is taken from the longest names, then from makers and addresses, and in the end from names again.
    var excess = widths.reduce(0, +) + min(last, 27) - Page.width
    for (at, keep) in [(0, 32), (3, 10), (2, 18), (1, 16), (0, 26)] where excess > 0 {
      let taken = min(excess, max(0, widths[at] - keep))
      widths[at] -= taken
      excess -= taken
    }
    var out = ["internet"]
    for row in rows {
      if let note = row.note {
        out.append(Label.fit(Page.pad(row.head, Page.columns(row.head) + 2) + note, Page.width))
      } else if row.cells.isEmpty {
        out.append(Label.fit(row.head, Page.width))
      } else {
        var line = Page.pad(row.head, widths[0])
        for (at, cell) in row.cells.dropLast().enumerated() { line += Page.pad(cell, widths[at + 1]) }
        line += Label.fit(row.cells.last ?? "", max(8, Page.width - widths.reduce(0, +)))
        while line.last == " " { line.removeLast() }
        out.append(line)
      }
    }
    return out + legend(tellsLinks: rows.contains(where: \.tellsLink))
  }

  /// Of the signs in the map, those that stand there.
  private func legend(tellsLinks: Bool) -> [String] {
    var words: [String] = []
    let drawn = tree.devices
    if drawn.contains(where: { Label.name($0) != Label.bare($0) }) { words.append("(brackets): it told no name.") }
    if tellsLinks { words.append("high, likely, perhaps: how sure its link type is, and who says so.") }
    var out = words.isEmpty ? [] : ["", words.joined(separator: " ")]
    if drawn.contains(where: Label.hidesAddresses) {
      if out.isEmpty { out.append("") }
      out.append("Of devices with IPv4 and IPv6 addresses only the one kind is shown: --format json lists both.")
    }
    return out
  }

  private func cells(_ host: Host, _ link: String) -> [String] {
    [
      Label.shortAddress(host), host.id.description, Label.maker(host),
      [Label.otherRoles(host), link].filter { !$0.isEmpty }.joined(separator: " · "),
    ]
  }

  /// How sure the link type is, and who says so.
  private func link(_ host: Host) -> String {
    guard let medium = host.medium, let reason = medium.reasons.first else { return "" }
    return "\(Label.confidence(medium.confidence)), \(Label.basis(reason.basis))"
  }

  private func draw(_ nodes: [MapTree.Node], _ indent: String, _ out: inout [Row]) {
    let (tee, end, bar) = style.ascii ? ("|- ", "`- ", "|  ") : ("├─ ", "└─ ", "│  ")
    for (at, node) in nodes.enumerated() {
      let isLast = at == nodes.count - 1
      let head = indent + (isLast ? end : tee)
      let inner = indent + (isLast ? "   " : bar)
      switch node.kind {
      case .network(let network, let gateway):
        if let gateway {
          out.append(
            Row(
              head: head + Label.name(gateway),
              cells: cells(gateway, network.kind == .home || network.kind == .unknown ? "" : Label.kind(network))))
        } else {
          out.append(Row(head: head + "\(Label.kind(network)) \(network.prefix)", note: Label.noWayOut(network)))
        }
      case .group(let medium, let prefix):
        out.append(Row(head: head + Label.medium(medium) + (prefix.map { " in \($0)" } ?? "")))
      case .device(let host):
        out.append(Row(head: head + Label.name(host), cells: cells(host, link(host)), tellsLink: !link(host).isEmpty))
      case .guest(let host, let network):
        out.append(Row(head: head + Label.name(host), note: "in the \(Label.kind(network)) above: same wire, other network"))
      case .apart:
        out.append(Row(head: head + "on this wire, network not known"))
      }
      if let host = node.host, !node.isGuest {
        let branch = inner + (node.children.isEmpty ? "" : bar)
        out += Label.furtherAddresses(host).map { Row(head: branch, cells: [$0, "", "", ""]) }
      }
      draw(node.children, inner, &out)
    }
  }
}
