public import Model
import Wire

/// The tree as a picture: one file that stands alone, for browser and paper, without scripts and without anything from elsewhere.
///
/// Media differ by the shape of the line and not by colour alone; what nobody said is dashed; the width tells the traffic.
public struct SVGMap: Renderer {
  let version: String

  public init(version: String) { self.version = version }

  public func render(_ snapshot: Snapshot, into out: inout String) {
    let tree = MapTree(snapshot)
    let layout = MapLayout(tree, top: 128, leastWidth: 760)
    var picture = Picture(snapshot, layout)
    picture.title()
    for zone in layout.zones { picture.zone(zone) }
    for group in layout.groups { picture.group(group) }
    for line in layout.lines where line.bond == nil { picture.line(line) }
    for line in layout.lines where line.bond != nil { picture.line(line) }
    for caption in layout.captions { picture.caption(caption) }
    picture.internet(layout.internet)
    for card in layout.cards { picture.card(card) }
    let height = picture.legend(below: layout.height + 24, version)
    out += picture.document(height)
  }

  /// Text as it may stand between tags and in quoted attributes (`reliability.md` 4).
  static func escape(_ text: String) -> String {
    var out = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": out.append(contentsOf: "&amp;".unicodeScalars)
      case "<": out.append(contentsOf: "&lt;".unicodeScalars)
      case ">": out.append(contentsOf: "&gt;".unicodeScalars)
      case "\"": out.append(contentsOf: "&quot;".unicodeScalars)
      case "'": out.append(contentsOf: "&#39;".unicodeScalars)
      case "`": out.append(contentsOf: "&#96;".unicodeScalars)
      default: out.append(scalar)
      }
    }
    return String(out)
  }
}

private struct Picture {
  let snapshot: Snapshot
  let layout: MapLayout
  private var body = ""
  private var icons = Set<String>()
  private var media = Set<String>()
  private var hasConclusions = false
  private var hasTraffic = false
  /// Seconds that were heard.
  private let span: Double

  init(_ snapshot: Snapshot, _ layout: MapLayout) {
    self.snapshot = snapshot
    self.layout = layout
    let facts = snapshot.capture
    span = if let started = facts.started, let ended = facts.ended { max(1, ended.since(started)) } else { 1 }
  }

  // MARK: Elements

  private mutating func add(_ element: String) {
    body += element
    body += "\n"
  }

  private mutating func text(_ x: Int, _ y: Int, _ kind: String, _ text: String, end: Bool = false) {
    add("<text class=\"\(kind)\" x=\"\(x)\" y=\"\(y)\"\(end ? " text-anchor=\"end\"" : "")>\(SVGMap.escape(text))</text>")
  }

  private mutating func box(_ rect: MapLayout.Rect, _ kind: String, radius: Int) {
    add(
      "<rect class=\"\(kind)\" x=\"\(rect.x)\" y=\"\(rect.y)\" width=\"\(rect.width)\" height=\"\(rect.height)\" rx=\"\(radius)\"/>")
  }

  private mutating func icon(_ name: String, _ x: Int, _ y: Int, _ size: Int, _ kind: String = "i") {
    icons.insert(name)
    add("<use class=\"\(kind)\" href=\"#i-\(name)\" x=\"\(x)\" y=\"\(y)\" width=\"\(size)\" height=\"\(size)\"/>")
  }

  // MARK: Parts

  mutating func title() {
    let room = layout.width - 2 * MapLayout.margin
    text(MapLayout.margin, 44, "h1", "Network map")
    text(MapLayout.margin, 66, "h2", MapText.fit(Label.counted(snapshot), room, .heading))
    text(MapLayout.margin, 86, "small", MapText.fit(Label.captured(snapshot), room, .small))
    text(MapLayout.margin, 102, "small", MapText.fit(Label.heard(snapshot), room, .small))
  }

  mutating func internet(_ rect: MapLayout.Rect) {
    box(rect, "card strong", radius: 26)
    icon("internet", rect.x + 34, rect.y + 13, 26)
    text(rect.x + 72, rect.y + 31, "name big", "Internet")
  }

  mutating func zone(_ zone: MapLayout.Zone) {
    let kind = zone.network?.kind
    let style =
      switch kind {
      case .operator: "zone op"
      case .home: "zone home"
      case .guest: "zone guest"
      default: "zone"
      }
    box(zone.rect, style, radius: 14)
    let x = zone.rect.x + MapLayout.zonePadding
    // The line from the internet passes at the right of the way out.
    let room = zone.hasGateway ? MapLayout.gatewayWidth - 44 : zone.rect.width - 2 * MapLayout.zonePadding
    guard let network = zone.network else {
      text(x, zone.rect.y + 22, "h3", "Network not known")
      text(x, zone.rect.y + 37, "small", MapText.fit("on this wire, no address seen", room, .small))
      return
    }
    let words = Label.kind(network)
    text(x, zone.rect.y + 22, "h3", MapText.fit(String(words.prefix(1)).uppercased() + words.dropFirst(), room, .zone))
    text(
      x, zone.rect.y + 37, "small", MapText.fit(network.prefix.description + (zone.hasGateway ? "" : ", way out not seen"), room, .small))
  }

  mutating func group(_ group: MapLayout.Group) {
    box(group.rect, "group", radius: 10)
    let x = group.rect.x + 12
    icon(MapIcons.name(group.medium), x + 5, group.rect.y + 9, 18, "i \(Self.name(group.medium))")
    let count = "\(group.count)"
    let room = group.rect.width - 24 - 30 - MapText.width(count, .name) - 8
    let words = Label.medium(group.medium)
    let title = String(words.prefix(1)).uppercased() + words.dropFirst() + (group.prefix.map { ", \($0)" } ?? "")
    text(x + 30, group.rect.y + 22, "h4", MapText.fit(title, room, .name))
    text(group.rect.right - 12, group.rect.y + 22, "h4 mute", count, end: true)
  }

  mutating func caption(_ caption: MapLayout.Caption) {
    switch caption.words {
    case .network(let network):
      text(caption.x, caption.y + 14, "h4", MapText.fit("\(Label.kind(network)) \(network.prefix)", caption.width, .name))
    case .continued(let name):
      let words = ", continued"
      let room = caption.width - MapText.width(words, .small)
      text(caption.x, caption.y + 14, "small", MapText.fit(name, room, .small) + words)
    }
  }

  mutating func card(_ card: MapLayout.Card) {
    let host = card.host
    let rect = card.rect
    add("<g>")
    add("<title>\(SVGMap.escape(about(host, card)))</title>")
    let dash = card.bond.isSeen || card.style == .gateway ? "" : " guess"
    switch card.style {
    case .guest: box(rect, "card visitor", radius: 8)
    case .gateway: box(rect, "card strong", radius: 10)
    case .device: box(rect, "card\(dash)", radius: 8)
    }
    let isOperator = card.style == .gateway && host.behindModem?.answer == .operatorSide
    let size = card.style == .gateway ? 32 : card.style == .guest || layout.isCompact ? 20 : 26
    icon(isOperator ? "operator" : MapIcons.name(host.roles), rect.x + 10, rect.y + (rect.height - size) / 2, size)
    let x = rect.x + 10 + size + 10
    let room = rect.right - 10 - x
    let name = Label.name(host)
    // Of the roles of a router that has many the first few say it.
    let roles = Label.roles(host)
    let what =
      if let via = card.via {
        [host.name == nil ? "" : roles, "behind " + Label.bare(via), Label.maker(host)]
      } else {
        [roles, Label.maker(host)]
      }
    let address = host.addresses.first.map(\.description) ?? host.id.description
    switch card.style {
    case .guest:
      let network = card.network
      text(x, rect.y + 15, "name", MapText.fit(name, room, .name))
      text(x, rect.y + 29, "small", MapText.fit("in the \(network.map(Label.kind) ?? "other network")", room, .small))
    case .gateway:
      text(x, rect.y + 23, "name big", MapText.fit(name, room, .big))
      text(x, rect.y + 40, "addr", MapText.fit(address, room, .address))
      text(x, rect.y + 56, "small", MapText.join(what, room, .small))
    case .device where layout.isCompact:
      text(x, rect.y + 17, "name", MapText.fit(name, room, .name))
      text(x, rect.y + 31, "small", MapText.join([address] + what, room, .small))
    case .device:
      text(x, rect.y + 19, "name", MapText.fit(name, room, .name))
      let bytes = host.traffic.sentBytes + host.traffic.receivedBytes
      let total = bytes > 0 ? Quantity.bytes(bytes) : ""
      let left = room - (total.isEmpty ? 0 : MapText.width(total, .small) + 8)
      text(x, rect.y + 34, "addr", MapText.fit(address, left, .address))
      if !total.isEmpty { text(rect.right - 10, rect.y + 34, "small", total, end: true) }
      text(x, rect.y + 48, "small", MapText.join(what, room, .small))
    }
    add("</g>")
  }

  /// What a reader sees who rests on a card: everything in full.
  private func about(_ host: Host, _ card: MapLayout.Card) -> String {
    var lines = [Label.name(host)]
    lines += host.addresses.prefix(8).map(\.description)
    lines.append(host.id.description + (host.isRandomised ? " (private)" : ""))
    if let vendor = host.vendor { lines.append(vendor) }
    let roles = Label.roles(host)
    if !roles.isEmpty { lines.append(roles) }
    if let medium = host.medium {
      var line = "\(Label.medium(medium.answer)): \(Label.confidence(medium.confidence))"
      if let reason = medium.reasons.first { line += ", \(Label.basis(reason.basis))" + (reason.frame.map { ", frame \($0)" } ?? "") }
      lines.append(line)
    }
    if let rate = card.bond.rate { lines.append("link \(Quantity.rate(rate.bitsPerSecond))") }
    let traffic = host.traffic
    if traffic.sentBytes + traffic.receivedBytes > 0 {
      lines.append(
        "received \(Quantity.bytes(traffic.receivedBytes)), sent \(Quantity.bytes(traffic.sentBytes))\(traffic.isLowerBound ? ", or more" : "")"
      )
    }
    return lines.joined(separator: "\n")
  }

  // MARK: Lines

  private static func name(_ medium: Medium?) -> String {
    switch medium {
    case .ethernet: "eth"
    case .wifi: "wifi"
    case .powerline: "plc"
    case .moca, .coax: "coax"
    case .virtual: "virt"
    case nil: "unk"
    }
  }

  /// Ten times the width of a line in points: a step for each factor of ten in the mean rate, from 1 kb/s on.
  private func tenths(_ bytes: Int) -> Int {
    guard bytes > 0 else { return 15 }
    var rate = Double(bytes) * 8 / span / 1000
    var tenths = 15.0
    // Nine steps are 1 Tb/s.
    for _ in 0..<9 where rate > 1 {
      tenths += 8 * min(1, (rate - 1) / 9)
      rate /= 10
    }
    return min(60, Int(tenths))
  }

  mutating func line(_ line: MapLayout.Line) {
    guard let bond = line.bond else {
      add("<path class=\"rail\" d=\"\(Self.straight(line.points))\"/>")
      return
    }
    guard let from = line.points.first, let to = line.points.last else { return }
    if line.bytes > 0 { hasTraffic = true }
    if !bond.isSeen { hasConclusions = true }
    media.insert(Self.name(bond.medium))
    stroke(from, to, bond.medium, tenths(line.bytes), isSeen: bond.isSeen)
  }

  private mutating func stroke(_ from: (x: Int, y: Int), _ to: (x: Int, y: Int), _ medium: Medium?, _ tenths: Int, isSeen: Bool) {
    let width = tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    let path = Self.shape(from, to, medium, tenths)
    add("<path class=\"l \(Self.name(medium))\(isSeen ? "" : " dash")\" stroke-width=\"\(width)\" d=\"\(path)\"/>")
  }

  private static func straight(_ points: [(x: Int, y: Int)]) -> String {
    points.enumerated().map { ($0 == 0 ? "M" : "L") + "\($1.x) \($1.y)" }.joined()
  }

  /// A cable is straight, radio a wave, powerline a zigzag, coax a double line, virtual a straight line through a ring.
  private static func shape(_ from: (x: Int, y: Int), _ to: (x: Int, y: Int), _ medium: Medium?, _ tenths: Int) -> String {
    let isAcross = from.y == to.y
    let length = isAcross ? to.x - from.x : to.y - from.y
    func at(_ along: Int, _ beside: Int) -> String {
      isAcross ? "\(from.x + along) \(from.y + beside)" : "\(from.x + beside) \(from.y + along)"
    }
    guard length >= 16 else { return straight([from, to]) }
    let count = max(1, (length - 4) / 8)
    let lead = (length - count * 8) / 2
    let height = 4 + tenths / 30
    var path = "M" + at(0, 0)
    switch medium {
    case .wifi:
      path += "L" + at(lead, 0)
      for i in 0..<count {
        let begin = lead + i * 8
        path += "Q" + at(begin + 2, -height) + " " + at(begin + 4, 0) + "Q" + at(begin + 6, height) + " " + at(begin + 8, 0)
      }
      path += "L" + at(length, 0)
    case .powerline:
      path += "L" + at(lead, 0)
      for i in 0..<count {
        let begin = lead + i * 8
        path += "L" + at(begin + 2, -height) + "L" + at(begin + 6, height) + "L" + at(begin + 8, 0)
      }
      path += "L" + at(length, 0)
    case .moca, .coax:
      path = "M" + at(0, -3) + "L" + at(length, -3) + "M" + at(0, 3) + "L" + at(length, 3)
    case .virtual:
      let middle = length / 2
      path += "L" + at(middle - 4, 0) + "M" + at(middle + 4, 0) + "L" + at(length, 0)
      path += "M" + at(middle - 4, 0) + "A4 4 0 1 0 " + at(middle + 4, 0) + "A4 4 0 1 0 " + at(middle - 4, 0)
    case .ethernet, nil:
      path += "L" + at(length, 0)
    }
    return path
  }

  // MARK: Legend

  /// Returns where the picture ends.
  mutating func legend(below top: Int, _ version: String) -> Int {
    var items: [(medium: Medium?, tenths: Int, isSeen: Bool, words: String)] = []
    for medium in [Medium.ethernet, .powerline, .wifi, .moca, .coax, .virtual] where media.contains(Self.name(medium)) {
      if medium == .coax, items.contains(where: { $0.medium == .moca }) { continue }
      items.append((medium, 20, true, medium == .moca ? "coax" : Label.medium(medium)))
    }
    if media.contains("unk") { items.append((nil, 20, true, "link type not known")) }
    let hasVisitors = layout.cards.contains { $0.style == .guest }
    if hasConclusions { items.append((nil, 20, false, "concluded: no device said so")) }
    if hasTraffic {
      items.append((nil, 23, true, "10 kb/s on average"))
      items.append((nil, 39, true, "1 Mb/s"))
      items.append((nil, 55, true, "100 Mb/s"))
    }
    var x = MapLayout.margin
    var y = top
    add("<path class=\"rule\" d=\"M\(MapLayout.margin) \(y)H\(layout.width - MapLayout.margin)\"/>")
    y += 22
    for item in items {
      let width = 44 + MapText.width(item.words, .small) + 20
      if x > MapLayout.margin, x + width > layout.width - MapLayout.margin {
        x = MapLayout.margin
        y += 22
      }
      stroke((x, y), (x + 36, y), item.medium, item.tenths, isSeen: item.isSeen)
      text(x + 44, y + 4, "small", item.words)
      x += width
    }
    if hasVisitors {
      let words = "on this wire, in another network"
      let width = 44 + MapText.width(words, .small) + 20
      if x > MapLayout.margin, x + width > layout.width - MapLayout.margin {
        x = MapLayout.margin
        y += 22
      }
      box(MapLayout.Rect(x: x, y: y - 7, width: 36, height: 14), "card visitor", radius: 4)
      text(x + 44, y + 4, "small", words)
    }
    y += items.isEmpty && !hasVisitors ? 0 : 24
    text(MapLayout.margin, y, "small", "(name) in brackets: the device told none. Made by lanatomy \(version), listening only.")
    return y + 20
  }

  // MARK: Document

  func document(_ height: Int) -> String {
    var out = """
      <?xml version="1.0" encoding="UTF-8"?>
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(layout.width) \(height)" width="\(layout.width)" height="\(height)" role="img" lang="en">
      <title>\(SVGMap.escape("Network map: " + Label.counted(snapshot)))</title>
      <style>
      \(Self.style)
      </style>
      <defs>

      """
    for name in icons.sorted() {
      out += "<symbol id=\"i-\(name)\" viewBox=\"0 0 24 24\"><path d=\"\(MapIcons.paths[name] ?? "")\"/></symbol>\n"
    }
    out += "</defs>\n"
    out += "<rect class=\"page\" x=\"0\" y=\"0\" width=\"\(layout.width)\" height=\"\(height)\"/>\n"
    out += body
    out += "</svg>\n"
    return out
  }

  /// Light first, which is what printers and simple viewers get; dark where a screen asks for it. No variables: not every viewer knows them.
  private static let style = """
    text{font-family:"Helvetica Neue",Helvetica,Arial,"Liberation Sans","DejaVu Sans",sans-serif;fill:#1b2330;font-size:12px}
    .h1{font-size:22px;font-weight:700}.h2{font-size:13px}.h3{font-size:13px;font-weight:700}.h4{font-size:12px;font-weight:700}
    .name{font-size:12px;font-weight:700}.big{font-size:14px}.addr{font-size:12px}.small{font-size:11px;fill:#556172}.mute{fill:#556172}
    .page{fill:#fff}.zone{fill:#f5f6f8;stroke:#d5dae1}.home{fill:#f1f6fc;stroke:#c8d8ea}.op{fill:#fdf5e6;stroke:#e6d2a6}
    .guest{fill:#f2f8f1;stroke:#c9dfc5}.group{fill:#fff;stroke:#d9dfe7}.card{fill:#fff;stroke:#aeb9c7}.strong{stroke:#4a5a70;stroke-width:1.5}
    .guess{stroke-dasharray:5 3}.visitor{fill:#fdf5e6;stroke:#b98a2b;stroke-dasharray:2 3}
    .rail{fill:none;stroke:#8994a4;stroke-width:1.5;stroke-linecap:square}.rule{stroke:#d5dae1}
    .i{fill:none;stroke:#3a475a;stroke-width:1.6;stroke-linecap:round;stroke-linejoin:round}
    .l{fill:none;stroke-linejoin:round}.dash{stroke-dasharray:5 3}
    .eth{stroke:#0068a8}.wifi{stroke:#008560}.plc{stroke:#c85200}.coax{stroke:#7450b0}.virt{stroke:#b04a86}.unk{stroke:#6d7888}
    @media screen and (prefers-color-scheme:dark){
    text{fill:#e8edf4}.small,.mute{fill:#a3afbd}.page{fill:#12161c}.zone{fill:#1a1f27;stroke:#333d49}.home{fill:#172130;stroke:#2f4258}
    .op{fill:#28200f;stroke:#5a4820}.guest{fill:#17241a;stroke:#33502f}.group{fill:#12181f;stroke:#313b47}.card{fill:#222b36;stroke:#566476}
    .strong{stroke:#a9b7c8}.visitor{fill:#28200f;stroke:#c79a3f}.rail{stroke:#6c7888}.rule{stroke:#333d49}.i{stroke:#c9d3de}
    .eth{stroke:#5ab2ee}.wifi{stroke:#43c99a}.plc{stroke:#ff9350}.coax{stroke:#bda0f0}.virt{stroke:#ee95c6}.unk{stroke:#98a4b2}
    }
    @media print{@page{size:landscape;margin:8mm}svg{width:100%;height:auto}.page{fill:none}}
    """
}
