import Wire

/// `new-device` and `device-gone` (`inference.md` 9): news for a day, and with a history only. Without one everybody would be new, and one
/// capture does not tell who used to be here.
extension Attendance {
  /// Findings of each of the two that name a device; the others are counted. A flood of made-up stations shall not bury the report.
  static let newsLimit = 16

  /// Adds what is news to a snapshot's findings. After the owner's word about his devices is in it: whom he expects is none.
  public func report(_ snapshot: inout Snapshot) {
    guard let record else { return }
    let fresh = snapshot.hosts.filter { isNew($0, record, snapshot) }
    let gone = snapshot.hosts.filter(isGone)
    snapshot.findings += news(.newDevice, fresh, "devices were heard here for the first time today") { host in
      "\(Attendance.describe(host)) was heard here for the first time within the last day. A [[device]] in the configuration names those that belong here."
    }
    snapshot.findings += news(.deviceGone, gone, "devices have left today") { host in
      let isReleased = entries[host.id]?.gaveUpAddress ?? false
      return "\(Attendance.describe(host)) is gone: it "
        + (isReleased ? "gave its address back." : "has been silent for longer than it ever is while it is here.")
    }
  }

  /// A device that the history did not hold, unless the history itself is young: then nobody is known yet. A private address is made up anew
  /// for each network, or each day.
  private func isNew(_ host: Host, _ record: Record, _ snapshot: Snapshot) -> Bool {
    guard host.given?.isExpected != true, host.given != nil || !host.isRandomised else { return false }
    let first = ([host.id] + host.virtualMACs).compactMap { record.devices[$0]?.first }.min() ?? host.firstSeen
    let began = record.began ?? snapshot.capture.started ?? snapshot.taken
    return first.since(began) >= 86_400 && snapshot.taken.since(first) < 86_400
  }

  private func isGone(_ host: Host) -> Bool {
    guard let entry = entries[host.id], !entry.isPresent, clock - entry.leftAt < Attendance.day else { return false }
    return host.given != nil || !host.isRandomised
  }

  private func news(_ id: Finding.ID, _ hosts: [Host], _ others: String, _ text: (Host) -> String) -> [Finding] {
    let order = hosts.sorted { (Attendance.rank($0), $1.lastSeen, $0.id) < (Attendance.rank($1), $0.lastSeen, $1.id) }
    var out = order.prefix(Attendance.newsLimit).map { host in
      let time = id == .newDevice ? host.firstSeen : host.lastSeen
      return Finding(
        id, text(host), hosts: [host.id],
        reasons: [
          Reason(
            basis: "ethernet", field: "source", value: WireText(host.id.description), frame: nil, time: time, weight: 10, kind: .measured)
        ])
    }
    if order.count > out.count { out.append(Finding(id, "\(order.count - out.count) more \(others).", hosts: [], reasons: [])) }
    return out
  }

  /// Whom somebody answered, or who said a name, comes before an address that was merely used once.
  private static func rank(_ host: Host) -> Int {
    host.given != nil ? 0 : host.traffic.receivedFrames > 0 && host.traffic.sentFrames > 0 ? 1 : host.name != nil ? 2 : 3
  }

  private static func describe(_ host: Host) -> String {
    let address = host.ipv4.first?.description ?? host.ipv6.first?.description
    let details = [host.id.description, address, host.vendor].compactMap(\.self)
    guard let name = host.name?.display, !name.isEmpty else { return details.joined(separator: ", ") }
    return "\(name) (\(details.joined(separator: ", ")))"
  }
}
