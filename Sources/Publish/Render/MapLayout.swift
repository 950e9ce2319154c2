import Model
import Wire

/// Where everything of the picture stands: columns of cards in groups, groups in networks, networks below the internet.
///
/// Nothing is searched for or balanced: a card's place follows from its own place in the tree. The same network gives the same picture,
/// and a device more or less moves only those behind it in its own group (and what stands right of it, when a column is added).
struct MapLayout {
  struct Rect: Equatable {
    var x = 0
    var y = 0
    var width = 0
    var height = 0
    var right: Int { x + width }
    var bottom: Int { y + height }
    var middle: Int { y + height / 2 }
  }

  /// A device, drawn as a card.
  struct Card {
    enum Style { case device, gateway, guest }
    var rect: Rect
    var host: Host
    var style = Style.device
    var bond = MapTree.Bond()
    /// The network it belongs to where that is not the one around it.
    var network: Subnet?
    /// The box it hangs on, where that is drawn in another network.
    var via: Host?
  }

  /// The box around devices of one link type.
  struct Group {
    var rect: Rect
    var medium: Medium?
    var prefix: Prefix?
    var count: Int
  }

  /// The zone of one network.
  struct Zone {
    var rect: Rect
    /// nil: devices of no known network.
    var network: Subnet?
    var hasGateway: Bool
  }

  /// A line of text inside a group: where a network begins, or where a list goes on.
  struct Caption {
    enum Words { case network(Subnet), continued(String) }
    var x: Int
    var y: Int
    var width: Int
    var words: Words
  }

  /// A line from a box to a card or group. The plain ones are the tree's own, the others carry a medium and traffic.
  struct Line {
    var points: [(x: Int, y: Int)]
    var bond: MapTree.Bond?
    var bytes = 0
  }

  private(set) var width = 0
  private(set) var height = 0
  private(set) var internet = Rect()
  private(set) var zones: [Zone] = []
  private(set) var groups: [Group] = []
  private(set) var cards: [Card] = []
  private(set) var captions: [Caption] = []
  private(set) var lines: [Line] = []
  let isCompact: Bool

  // Points. A card is as wide as a name of two dozen letters and an address beside its traffic.
  static let margin = 28
  static let cardWidth = 224
  static let gatewayWidth = 264
  static let gatewayHeight = 68
  static let guestHeight = 36
  static let captionHeight = 20
  /// From a box's left edge to the line that leads down to what hangs on it, and from there to the cards.
  static let railInset = 14
  static let reach = 26
  static let groupPadding = 12
  static let groupHead = 34
  static let zonePadding = 18
  static let zoneHead = 46
  static let gap = 18

  var cardHeight: Int { isCompact ? 40 : 56 }
  var rowGap: Int { isCompact ? 6 : 10 }
  static var step: Int { railInset + reach }

  private let rowLimit: Int

  /// - Parameter top: where the picture begins below its title.
  init(_ tree: MapTree, top: Int, leastWidth: Int) {
    // Beyond this a picture with full cards no longer fits a desk.
    isCompact = tree.deviceCount > 80
    // About as high as it is wide, in few steps, so that the number of rows seldom changes.
    rowLimit = [8, 12, 16, 22, 30, 44].first { tree.deviceCount <= $0 * $0 * 2 / 5 } ?? 64
    let plans = tree.roots.map { plan(zone: $0) }
    let total = plans.reduce(0) { $0 + $1.width + Self.gap }
    let area = plans.reduce(0) { $0 + ($1.width + Self.gap) * ($1.height + 90) }
    // Many small networks go into several rows.
    var limit = max(2000, plans.map(\.width).max() ?? 0)
    while limit < total, limit * limit < area * 2 { limit += 100 }
    place(plans, top: top, limit: limit)
    width = max(width, leastWidth)
  }

  // MARK: Measuring

  /// A card or caption on its way into a column.
  private struct Item {
    var node: MapTree.Node?
    var words: Caption.Words?
    var depth: Int
    var height: Int
    /// The item, by index, on which it hangs; nil: on the group.
    var parent: Int?
  }

  private struct GroupPlan {
    var node: MapTree.Node
    var columns: [[Item]] = []
    var columnWidths: [Int] = []
    var width = 0
    var height = 0
  }

  private struct ZonePlan {
    var node: MapTree.Node
    var groups: [GroupPlan] = []
    var width = 0
    var height = 0
  }

  private func plan(zone root: MapTree.Node) -> ZonePlan {
    var zone = ZonePlan(node: root)
    zone.groups = root.children.map { plan(group: $0) }
    let inner = zone.groups.reduce(0) { $0 + $1.width } + Self.gap * max(0, zone.groups.count - 1)
    let tallest = zone.groups.map(\.height).max() ?? 0
    let head = root.host == nil ? 0 : Self.gatewayHeight
    zone.width = max(inner, Self.gatewayWidth) + 2 * Self.zonePadding
    zone.height = Self.zoneHead + head + (tallest > 0 ? tallest + 44 : 0) + Self.zonePadding
    return zone
  }

  private func plan(group node: MapTree.Node) -> GroupPlan {
    var plan = GroupPlan(node: node)
    let limit = rowLimit * (cardHeight + rowGap)
    var columns: [[Item]] = [[]]
    var used = 0
    // A network right below a network, without a group between.
    let nodes: [MapTree.Node] = if case .group = node.kind { node.children } else { [node] }
    for block in nodes {
      var items: [Item] = []
      flatten(block, 0, nil, &items)
      let size = items.reduce(0) { $0 + $1.height + rowGap }
      if used > 0, used + size > limit {
        columns.append([])
        used = 0
      }
      // Two or three more than a column should hold are no reason to tear a box's devices apart.
      if size <= limit * 5 / 4 {
        let base = columns[columns.count - 1].count
        columns[columns.count - 1] += items.map { item in
          var item = item
          item.parent = item.parent.map { $0 + base }
          return item
        }
        used += size
        continue
      }
      // A box with more devices than a column holds: the list goes on in the next one, under its name.
      var index: [Int: Int] = [:]
      for (at, item) in items.enumerated() {
        if used > 0, used + item.height + rowGap > limit {
          columns.append([])
          used = 0
          index = [:]
        }
        var item = item
        if let parent = item.parent {
          if index[parent] == nil {
            let name = items[parent].node?.host.map(Label.name) ?? "the list"
            index[parent] = columns[columns.count - 1].count
            columns[columns.count - 1].append(
              Item(node: nil, words: .continued(name), depth: items[parent].depth, height: Self.captionHeight, parent: nil))
            used += Self.captionHeight + rowGap
          }
          item.parent = index[parent]
        }
        index[at] = columns[columns.count - 1].count
        columns[columns.count - 1].append(item)
        used += item.height + rowGap
      }
    }
    plan.columns = columns
    plan.columnWidths = columns.map { column in
      Self.step + (column.map(\.depth).max() ?? 0) * Self.step + Self.cardWidth
    }
    plan.width = plan.columnWidths.reduce(0, +) + Self.gap * (columns.count - 1) + 2 * Self.groupPadding
    let tallest = columns.map { $0.reduce(0) { $0 + $1.height + rowGap } }.max() ?? 0
    plan.height = Self.groupHead + tallest - rowGap + 2 * Self.groupPadding
    return plan
  }

  private func flatten(_ node: MapTree.Node, _ depth: Int, _ parent: Int?, _ out: inout [Item]) {
    switch node.kind {
    case .group:
      for child in node.children { flatten(child, depth, parent, &out) }
      return
    case .network(let network, let gateway):
      if depth > 0 || gateway == nil {
        out.append(Item(node: nil, words: .network(network), depth: depth, height: Self.captionHeight, parent: parent))
        if gateway == nil {
          for child in node.children { flatten(child, depth, parent, &out) }
          return
        }
      }
      out.append(Item(node: node, words: nil, depth: depth, height: cardHeight, parent: parent))
    case .device: out.append(Item(node: node, words: nil, depth: depth, height: cardHeight, parent: parent))
    case .guest: out.append(Item(node: node, words: nil, depth: depth, height: Self.guestHeight, parent: parent))
    case .apart: break
    }
    let own = out.count - 1
    // Deeper than this the steps would eat the page; the lines still show the order.
    let next = min(depth + 1, 5)
    for child in node.children { flatten(child, next, own, &out) }
  }

  // MARK: Placing

  private mutating func place(_ plans: [ZonePlan], top: Int, limit: Int) {
    var rows: [[ZonePlan]] = [[]]
    var used = 0
    for plan in plans {
      if used > 0, used + plan.width > limit {
        rows.append([])
        used = 0
      }
      rows[rows.count - 1].append(plan)
      used += plan.width + Self.gap
    }
    internet = Rect(x: Self.margin, y: top, width: 180, height: 52)
    var y = top + internet.height
    var firstEntry: Int?
    var trunk: [(x: Int, y: Int)] = []
    for row in rows {
      let bus = y + 22
      var x = Self.margin + (rows.count > 1 ? 24 : 0)
      var tallest = 0
      for plan in row {
        let rect = Rect(x: x, y: bus + 22, width: plan.width, height: plan.height)
        if let entry = place(plan, in: rect) {
          if firstEntry == nil { firstEntry = entry.x }
          trunk.append((entry.x, bus))
          lines.append(Line(points: [(entry.x, bus), (entry.x, entry.y)], bond: plan.node.bond, bytes: plan.node.outsideBytes))
        }
        x += plan.width + Self.gap
        tallest = max(tallest, plan.height)
      }
      width = max(width, x - Self.gap + Self.margin)
      y = bus + 22 + tallest
    }
    height = y
    join(trunk, rows.count)
  }

  /// The internet stands above the first home network; a line leads from it along each row of networks.
  private mutating func join(_ entries: [(x: Int, y: Int)], _ rows: Int) {
    guard let first = entries.first else { return }
    let home = zones.firstIndex { $0.hasGateway && $0.network?.kind != .operator }.flatMap { at -> Int? in
      entries.first { $0.x > zones[at].rect.x && $0.x < zones[at].rect.right && $0.y < zones[at].rect.y }?.x
    }
    let x = home ?? first.x
    internet.x = max(Self.margin, x - internet.width / 2)
    let centre = internet.x + internet.width / 2
    let plain = { (points: [(x: Int, y: Int)]) in Line(points: points, bond: nil) }
    var byRow: [Int: [Int]] = [:]
    for entry in entries { byRow[entry.y, default: []].append(entry.x) }
    for (at, row) in byRow.sorted(by: { $0.key < $1.key }).enumerated() {
      var xs = row.value
      if at == 0 {
        xs.append(centre)
        lines.append(plain([(centre, internet.bottom), (centre, row.key)]))
        if rows > 1 { xs.append(Self.margin) }
      } else {
        xs.append(Self.margin)
      }
      if let low = xs.min(), let high = xs.max(), low < high { lines.append(plain([(low, row.key), (high, row.key)])) }
    }
    if rows > 1, let low = byRow.keys.min(), let high = byRow.keys.max(), low < high {
      lines.append(plain([(Self.margin, low), (Self.margin, high)]))
    }
  }

  /// Returns where the line from the internet ends.
  private mutating func place(_ plan: ZonePlan, in rect: Rect) -> (x: Int, y: Int)? {
    let network: Subnet? = if case .network(let network, _) = plan.node.kind { network } else { nil }
    zones.append(Zone(rect: rect, network: network, hasGateway: plan.node.host != nil))
    var y = rect.y + Self.zoneHead
    let x = rect.x + Self.zonePadding
    var entry: (x: Int, y: Int)?
    var start: (x: Int, y: Int)?
    if let host = plan.node.host {
      let card = Rect(x: x, y: y, width: Self.gatewayWidth, height: Self.gatewayHeight)
      cards.append(Card(rect: card, host: host, style: .gateway, bond: plan.node.bond))
      entry = (card.right - 26, card.y)
      start = (x + Self.railInset + Self.groupPadding, card.bottom)
      y = card.bottom
    }
    let bus = y + 22
    var groupX = x
    var far = start?.x ?? 0
    for group in plan.groups {
      let box = Rect(x: groupX, y: y + 44, width: group.width, height: group.height)
      place(group, in: box)
      if start != nil {
        let drop = groupX + Self.groupPadding + Self.railInset
        lines.append(Line(points: [(drop, bus), (drop, box.y)], bond: group.node.bond, bytes: group.node.bytes))
        far = max(far, drop)
      }
      groupX += group.width + Self.gap
    }
    if let start, !plan.groups.isEmpty {
      lines.append(Line(points: [start, (start.x, bus)], bond: nil))
      if far > start.x { lines.append(Line(points: [(start.x, bus), (far, bus)], bond: nil)) }
    }
    return entry
  }

  private mutating func place(_ plan: GroupPlan, in rect: Rect) {
    if case .group(let medium, let prefix) = plan.node.kind {
      groups.append(Group(rect: rect, medium: medium, prefix: prefix, count: plan.node.deviceCount))
    } else {
      groups.append(Group(rect: rect, medium: nil, prefix: nil, count: plan.node.deviceCount))
    }
    var x = rect.x + Self.groupPadding
    let top = rect.y + Self.groupHead + Self.groupPadding
    let head = rect.y + Self.groupHead
    var rails: [Int] = []
    for (column, width) in zip(plan.columns, plan.columnWidths) {
      var y = top
      var places: [Rect] = []
      /// The last child's middle, by the item it hangs on; -1: the group.
      var ends: [Int: Int] = [:]
      for item in column {
        let left = x + Self.step + item.depth * Self.step
        let box = Rect(x: left, y: y, width: Self.cardWidth, height: item.height)
        places.append(box)
        if let node = item.node, let host = node.host {
          let rail = left - Self.reach
          lines.append(Line(points: [(rail, box.middle), (left, box.middle)], bond: node.bond, bytes: node.isGuest ? 0 : node.bytes))
          ends[item.parent ?? -1] = box.middle
          if case .guest(_, let network) = node.kind {
            cards.append(Card(rect: box, host: host, style: .guest, bond: node.bond, network: network))
          } else {
            cards.append(Card(rect: box, host: host, bond: node.bond, via: node.via))
          }
        } else if let words = item.words {
          captions.append(Caption(x: left, y: y, width: Self.cardWidth, words: words))
        }
        y += item.height + rowGap
      }
      for (parent, end) in ends.sorted(by: { $0.key < $1.key }) {
        if parent < 0 {
          let rail = x + Self.railInset
          lines.append(Line(points: [(rail, head), (rail, end)], bond: nil))
          rails.append(rail)
        } else {
          let box = places[parent]
          // Captions have no box: the line begins below their text.
          let begin = column[parent].node == nil ? box.bottom - 2 : box.bottom
          lines.append(Line(points: [(box.x + Self.railInset, begin), (box.x + Self.railInset, end)], bond: nil))
        }
      }
      x += width + Self.gap
    }
    if let first = rails.first, let last = rails.last, last > first {
      lines.append(Line(points: [(first, head), (last, head)], bond: nil))
    }
  }
}
