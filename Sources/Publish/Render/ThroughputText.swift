import Model
import Wire

/// Who uses the line: devices, subnets and link types, who talked most with whom, and the streams that go to groups. A daemon's report adds interfaces, the internet line, means
/// over several spans, and the totals of the day and the month.
struct ThroughputText {
  private static let deviceLimit = 20
  private static let otherLimit = 8
  private static let labelWidth = 26
  private static let wideLabelWidth = 30

  private struct Row {
    let label: String
    let traffic: Traffic
    var total: Int { traffic.sentBytes + traffic.receivedBytes }
  }

  private let snapshot: Snapshot
  private let devices: [Row]
  private let names: DeviceNames
  private let subnets: [Row]
  private let linkTypes: [Row]
  /// A daemon's: the internet line, then the interfaces.
  private let lines: [Row]
  private let streams: [MulticastGroup]
  /// What all devices moved: the whole of the shares.
  private let all: Int

  init(_ snapshot: Snapshot) {
    self.snapshot = snapshot
    func busy<Item>(_ items: [Item], _ row: (Item) -> Row) -> [Row] {
      // The order of the snapshot decides between equals.
      let rows = items.map(row).enumerated().filter { $0.element.total > 0 }
      return rows.sorted { ($1.element.total, $0.offset) < ($0.element.total, $1.offset) }.map(\.element)
    }
    let names = DeviceNames(snapshot)
    self.names = names
    devices = busy(snapshot.hosts) { Row(label: names[$0], traffic: $0.traffic) }
    subnets = busy(snapshot.subnets) { Row(label: $0.prefix.description, traffic: $0.traffic) }
    linkTypes = busy(snapshot.linkTypes) { Row(label: Label.medium($0.medium), traffic: $0.traffic) }
    let interfaces = snapshot.interfaces.map { Row(label: "interface \($0.name.display)", traffic: $0.traffic) }
    lines = (snapshot.internet.map { [Row(label: "internet line", traffic: $0)] } ?? []) + interfaces
    streams = ThroughputText.streams(snapshot)
    all = max(1, devices.reduce(0) { $0 + $1.total })
  }

  func write(_ page: inout Page) {
    guard !devices.isEmpty || !snapshot.conversations.isEmpty || !streams.isEmpty else { return }
    page.title("THROUGHPUT")
    table("device", devices, limit: ThroughputText.deviceLimit, &page)
    // Without meters the busiest second of a group is not known, only that of its busiest device.
    let isMetered = snapshot.internet != nil
    // A device's share is of what all devices sent and received; a subnet counts each frame once, so its share is of the wire.
    let wire = max(1, snapshot.capture.bytes, subnets.map(\.total).max() ?? 0)
    table("subnet", subnets, limit: ThroughputText.otherLimit, knowsPeaks: isMetered, of: wire, &page)
    table("link type", linkTypes, limit: ThroughputText.otherLimit, knowsPeaks: isMetered, &page)
    table("line", lines, limit: ThroughputText.otherLimit, hasShares: false, &page)
    conversations(&page)
    multicast(&page)
    if isMetered {
      spans(&page)
      periods(&page)
    }
  }

  // MARK: What was moved

  private func table(
    _ head: String, _ rows: [Row], limit: Int, knowsPeaks: Bool = true, hasShares: Bool = true, of whole: Int? = nil, _ page: inout Page
  ) {
    guard !rows.isEmpty else { return }
    // A file has no present: what came and went in all says more.
    let isLive = snapshot.capture.isLive
    if head != "device" { page.line("") }
    page.line(
      Page.pad(head, ThroughputText.labelWidth) + Page.left(isLive ? "now down" : "received", 11)
        + Page.left(isLive ? "now up" : "sent", 11) + Page.left("peak", 11) + Page.left("total", 11)
        + Page.left(hasShares ? "share" : "", 7) + "  internet / local %")
    for row in rows.prefix(limit) {
      let t = row.traffic
      let share = Double(row.total) * 100 / Double(whole ?? all)
      page.line(
        Page.pad(row.label, ThroughputText.labelWidth)
          + Page.left(isLive ? Quantity.rate(t.rateDown) : Quantity.bytes(t.receivedBytes), 11)
          + Page.left(isLive ? Quantity.rate(t.rateUp) : Quantity.bytes(t.sentBytes), 11)
          + Page.left(t.peak == 0 && !knowsPeaks ? "" : (knowsPeaks ? "" : "≥ ") + Quantity.rate(t.peak), 11)
          + Page.left(atLeast(t) + Quantity.bytes(row.total), 11)
          + Page.left(!hasShares ? "" : share < 1 ? "< 1 %" : "\(Int(share.rounded())) %", 7) + "  " + split(row))
    }
    if rows.count > limit { page.line("… and \(rows.count - limit) more") }
  }

  private func atLeast(_ traffic: Traffic) -> String { traffic.isLowerBound ? "≥ " : "" }

  private func split(_ row: Row) -> String {
    let t = row.traffic
    let known = t.internetBytes + t.localBytes + t.operatorBytes + t.carriedBytes
    let whole = max(1, row.total, known)
    func percent(_ bytes: Int) -> Int { Int((Double(bytes) * 100 / Double(whole)).rounded()) }
    var out = "\(percent(t.internetBytes)) / \(percent(t.localBytes))"
    // What is left over, the frames do not tell.
    for (word, bytes) in [("operator", t.operatorBytes), ("passed on", t.carriedBytes), ("unknown", max(0, row.total - known))] {
      if percent(bytes) > 0 { out += ", \(word) \(percent(bytes))" }
    }
    return out
  }

  private func conversations(_ page: inout Page) {
    guard !snapshot.conversations.isEmpty else { return }
    if !devices.isEmpty { page.line("") }
    page.line(Page.pad("largest conversations", 34) + Page.left("sent", 10) + "    " + Page.pad("", 34) + Page.left("received", 10))
    for talk in snapshot.conversations.prefix(ThroughputText.otherLimit) {
      page.line(
        "  " + Page.pad(names[talk.a], 32) + Page.left(Quantity.bytes(talk.aToBBytes), 10) + " →  "
          + Page.pad(names[talk.b], 34) + Page.left(Quantity.bytes(talk.bToABytes), 10) + " ←")
    }
  }

  private func multicast(_ page: inout Page) {
    guard !streams.isEmpty else { return }
    if !devices.isEmpty || !snapshot.conversations.isEmpty { page.line("") }
    page.line(Page.pad("largest multicast streams", 34) + Page.left("sent", 10) + "    " + Page.pad("to", 34) + Page.left("members", 10))
    for stream in streams.prefix(4) {
      let senders = stream.senders.map { names[.host($0)] }
      let from = (senders.first ?? "sender not known") + (senders.count > 1 ? " and \(senders.count - 1) more" : "")
      // Who joined before the capture, or elsewhere, was not heard to join.
      let members = stream.members.isEmpty ? "not heard" : "\(stream.members.count)"
      page.line(
        "  " + Page.pad(from, 32) + Page.left(Quantity.bytes(stream.bytes), 10) + " →  " + Page.pad(stream.group.description, 34)
          + Page.left(members, 10))
    }
  }

  /// Groups that somebody sends a tenth of everything to, the largest first. Chatter to the link's own groups and the searches of SSDP are
  /// no streams.
  private static func streams(_ snapshot: Snapshot) -> [MulticastGroup] {
    snapshot.multicast.filter { group in
      guard group.bytes > 0, group.bytes >= snapshot.capture.bytes / 10 else { return false }
      if let v4 = group.group.v4 { return v4.bits >> 8 != 0xe0_0000 && v4.bits != 0xefff_fffa }
      return group.group.v6.map { $0.high >> 48 & 15 > 2 && $0.low != 0xc } ?? false
    }
    .sorted { ($1.bytes, $0.group) < ($0.bytes, $1.group) }
  }

  // MARK: By the second, the day and the month

  /// Everything that has a meter; of devices and conversations the busiest.
  private var metered: [Row] {
    let talks = snapshot.conversations.prefix(ThroughputText.otherLimit).compactMap { talk in
      talk.traffic.map { Row(label: "\(Label.fit(names[talk.a], 14)) ⇄ \(names[talk.b])", traffic: $0) }
    }
    return lines + subnets.prefix(ThroughputText.otherLimit) + linkTypes + devices.prefix(ThroughputText.otherLimit) + talks
  }

  private func spans(_ page: inout Page) {
    page.line("")
    page.line(
      Page.pad("down / up, mean of", ThroughputText.wideLabelWidth) + Page.left("1 s", 22) + Page.left("1 min", 22) + Page.left("5 min", 22)
    )
    for row in metered {
      let r = row.traffic.rates
      let pairs = [(r.secondDown, r.secondUp), (r.minuteDown, r.minuteUp), (r.minutesDown, r.minutesUp)]
      page.line(
        Page.pad(row.label, ThroughputText.wideLabelWidth)
          + pairs.map { Page.left("\(Quantity.rate($0.0)) / \(Quantity.rate($0.1))", 22) }.joined())
    }
  }

  private func periods(_ page: inout Page) {
    page.line("")
    page.line(
      Page.pad("down / up", ThroughputText.wideLabelWidth) + Page.left("today", 22) + Page.left("this month", 22) + "  peak at")
    for row in metered {
      let t = row.traffic
      let cells = [t.today, t.month].map { period in
        period.map { atLeast(t) + Quantity.bytes($0.down) + " / " + Quantity.bytes($0.up) } ?? ""
      }
      page.line(
        Page.pad(row.label, ThroughputText.wideLabelWidth) + cells.map { Page.left($0, 22) }.joined() + "  "
          + (t.peakAt.map(Clock.localTime) ?? ""))
    }
  }
}
