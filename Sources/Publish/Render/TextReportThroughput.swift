import Model
import Wire

/// Who uses the line: what each device moved and where to, who talked most with whom, and the streams that go to groups.
extension TextReport {
  func throughput(_ snapshot: Snapshot, _ page: inout Page) {
    let busy = snapshot.hosts.filter { $0.traffic.total > 0 }.sorted {
      ($1.traffic.total, $0.id) < ($0.traffic.total, $1.id)
    }
    let streams = TextReport.streams(snapshot)
    guard !busy.isEmpty || !snapshot.conversations.isEmpty || !streams.isEmpty else { return }
    page.title("THROUGHPUT")
    if !busy.isEmpty { devices(busy, isLive: snapshot.capture.isLive, &page) }
    if !snapshot.conversations.isEmpty {
      if !busy.isEmpty { page.line("") }
      page.line(Page.pad("largest conversations", 34) + Page.left("sent", 10) + "    " + Page.pad("", 34) + Page.left("received", 10))
      for talk in snapshot.conversations.prefix(8) {
        page.line(
          "  " + Page.pad(Label.end(talk.a, snapshot), 32) + Page.left(Quantity.bytes(talk.aToBBytes), 10) + " →  "
            + Page.pad(Label.end(talk.b, snapshot), 34) + Page.left(Quantity.bytes(talk.bToABytes), 10) + " ←")
      }
    }
    guard !streams.isEmpty else { return }
    if !busy.isEmpty || !snapshot.conversations.isEmpty { page.line("") }
    page.line(Page.pad("largest multicast streams", 34) + Page.left("sent", 10) + "    " + Page.pad("to", 34) + Page.left("members", 10))
    for stream in streams.prefix(4) {
      let senders = stream.senders.map { Label.end(.host($0), snapshot) }
      let from = (senders.first ?? "sender not known") + (senders.count > 1 ? " and \(senders.count - 1) more" : "")
      // Who joined before the capture, or elsewhere, was not heard to join.
      let members = stream.members.isEmpty ? "not heard" : "\(stream.members.count)"
      page.line(
        "  " + Page.pad(from, 32) + Page.left(Quantity.bytes(stream.bytes), 10) + " →  " + Page.pad(stream.group.description, 34)
          + Page.left(members, 10))
    }
  }

  private func devices(_ busy: [Host], isLive: Bool, _ page: inout Page) {
    // A file has no present: what came and went in all says more.
    page.line(
      Page.pad("device", 26) + Page.left(isLive ? "now down" : "received", 11) + Page.left(isLive ? "now up" : "sent", 11)
        + Page.left("peak", 11) + Page.left("total", 11) + Page.left("share", 7) + "  internet / local %")
    let all = busy.reduce(0) { $0 + $1.traffic.total }
    for host in busy.prefix(20) {
      let t = host.traffic
      let share = Double(t.total) * 100 / Double(max(1, all))
      page.line(
        Page.pad(Label.name(host), 26) + Page.left(isLive ? Quantity.rate(t.rateDown) : Quantity.bytes(t.receivedBytes), 11)
          + Page.left(isLive ? Quantity.rate(t.rateUp) : Quantity.bytes(t.sentBytes), 11) + Page.left(Quantity.rate(t.peak), 11)
          + Page.left((t.isLowerBound ? "≥ " : "") + Quantity.bytes(t.total), 11)
          + Page.left(share < 1 ? "< 1 %" : "\(Int(share.rounded())) %", 7) + "  " + TextReport.places(t))
    }
    if busy.count > 20 { page.line("… and \(busy.count - 20) more") }
  }

  /// Where a device's bytes went, in percent; what is left over, the frames do not tell.
  private static func places(_ t: Traffic) -> String {
    let known = t.internetBytes + t.localBytes + t.operatorBytes + t.carriedBytes
    let whole = max(1, t.total, known)
    func percent(_ bytes: Int) -> Int { Int((Double(bytes) * 100 / Double(whole)).rounded()) }
    var out = "\(percent(t.internetBytes)) / \(percent(t.localBytes))"
    for (word, bytes) in [("operator", t.operatorBytes), ("passed on", t.carriedBytes), ("unknown", max(0, t.total - known))] {
      if percent(bytes) > 0 { out += ", \(word) \(percent(bytes))" }
    }
    return out
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
}
