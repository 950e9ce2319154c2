import Wire

/// What floods the wire, and what the capture itself cannot show.
extension FindingRules {
  /// Live, what ended ten minutes ago is over; a file is judged as a whole.
  func isRecent(_ run: GroupMeter.Run) -> Bool { !snapshot.capture.isLive || snapshot.taken.second <= run.end &+ 600 }

  /// A stream that reaches somebody who did not ask for it: the switch sends it everywhere.
  func floods() -> [Finding] {
    guard snapshot.capture.vantage == .host, let observer = snapshot.capture.observer else { return [] }
    let observers = Set([boxes.box(of: observer)] + (boxes.aliases[boxes.box(of: observer)] ?? []))
    return picture.counters.groups.floods.filter { isRecent($0.run) }.compactMap { flood in
      let rows = picture.pairs.filter { $0.toGroup && ($0.a.mac == flood.mac || $0.b.mac == flood.mac) }
      guard let top = rows.max(by: { ($0.bytesFromA &+ $0.bytesFromB) < ($1.bytesFromA &+ $1.bytesFromB) }) else { return nil }
      let (from, to) = top.b.mac == flood.mac ? (top.a, top.b) : (top.b, top.a)
      guard !observers.contains(from.mac) else { return nil }
      let group = snapshot.multicast.first { $0.group == to.address }
      let members = Set(group?.members ?? [])
      guard members.isDisjoint(with: observers) else { return nil }
      // It may have asked before we listened: then it would answer when asked again.
      let wouldBeKnown = !members.isEmpty || hears(.queriesGroups) || hasListened(130)
      guard wouldBeKnown else { return nil }
      let what = to.address.isNone ? flood.mac.description : to.address.description
      return Finding(
        .multicastFlood,
        "The stream to \(what) from \(name(from.mac)) reaches sockets that did not ask for it, for \(flood.run.length) seconds and more: no switch on the way looks who listens (IGMP snooping).",
        hosts: [boxes.box(of: from.mac)].filter { devices.contains($0) },
        reasons: [
          Reason(
            basis: "ethernet", field: "destination", value: WireText("\(what) over 1 Mb/s"), frame: flood.run.firstFrame, time: nil,
            weight: 15,
            kind: .measured)
        ])
    }
  }

  func hears(_ claim: Observation.Claim) -> Bool {
    picture.order.contains { mac in picture.station(mac)?.evidence.contains { $0.claim == claim } ?? false }
  }

  func hasListened(_ seconds: Double) -> Bool {
    guard let start = snapshot.capture.started, let end = snapshot.capture.ended else { return false }
    return end.since(start) >= seconds
  }

  func broadcasts() -> [Finding] {
    let meter = picture.counters.groups
    let seesAll: Set<Vantage> = [.mirror, .router, .bridge]
    let runs =
      [(meter.loud, "more than 200 a second")]
      + (seesAll.contains(snapshot.capture.vantage) ? [(meter.share, "more than a fifth of all frames")] : [])
    guard let (run, much) = runs.first(where: { $0.0.length > 0 && isRecent($0.0) }) else { return [] }
    var sent: [MACAddress: UInt64] = [:]
    for row in picture.pairs where row.toGroup {
      for (end, frames) in [(row.a, row.framesFromA), (row.b, row.framesFromB)] where end.mac.isStation && frames > 0 {
        sent[boxes.box(of: end.mac), default: 0] += UInt64(frames)
      }
    }
    let total = max(1, sent.values.reduce(0, +))
    let loudest = sent.filter { $0.value * 3 >= total && devices.contains($0.key) }.keys.sorted()
    return [
      Finding(
        .highBroadcast,
        "Broadcasts and multicasts are loud: \(much), for \(run.length) seconds and more. "
          + (loudest.isEmpty ? "Many devices send them." : "Most come from \(loudest.map(name).joined(separator: ", ")).")
          + " Every device must look at each of them; a loop of cables is a usual cause.",
        hosts: loudest,
        reasons: [
          Reason(
            basis: "ethernet", field: "destination", value: WireText(much), frame: run.firstFrame, time: nil, weight: 15, kind: .measured)
        ])
    ]
  }

  func visibility() -> [Finding] {
    guard snapshot.capture.vantage == .host else { return [] }
    return [
      Finding(
        .halfVisible,
        "From here only broadcasts and this host's own traffic can be heard: what two other devices say to each other is missing, and their totals are lower bounds.",
        hosts: [], reasons: [])
    ]
  }

  func losses() -> [Finding] {
    var out: [Finding] = []
    if let dropped = snapshot.capture.dropped, dropped > 0 {
      out.append(
        Finding(.captureLoss, "\(dropped) frames were lost while capturing: totals are at least what is shown.", hosts: [], reasons: []))
    }
    if !snapshot.health.decodersSetAside.isEmpty {
      out.append(
        Finding(
          .parserDisabled,
          "What frames say in \(snapshot.health.decodersSetAside.joined(separator: ", ")) is not read: such frames stopped the program twice within an hour.",
          hosts: [], reasons: []))
    }
    let missing = snapshot.health.stationsEvicted + snapshot.health.stationsUnlisted
    if missing > 0 {
      out.append(
        Finding(
          .hostFlood, "More stations spoke than can be listed: \(missing) are missing from this report.", hosts: [],
          reasons: []))
    }
    return out
  }
}
