import Wire

/// What moved while we listened: the way out to another box, one hardware address between two devices.
extension FindingRules {
  /// Live a change is told when it lasts: the new one spoke so long, and the old one no more. In a capture that ended nobody can wait, and a
  /// second sign says as much.
  private static let lasting = 60.0

  /// When somebody was heard in a role.
  private struct Span {
    var first: Timestamp
    var last: Timestamp
    var item: Evidence

    init(_ item: Evidence) { (first, last, self.item) = (item.first, item.last, item) }

    mutating func add(_ other: Evidence) {
      if other.first < first { (first, item) = (other.first, other) }
      last = max(last, other.last)
    }
  }

  func gatewayChanges() -> [Finding] {
    var out: [Finding] = []
    let liars = Set(spoofers.keys)
    let ways = gatewayAddresses
    var claims: [IPAddress: [(mac: MACAddress, item: Evidence)]] = [:]
    picture.each { station, item in
      if case .holds(let address, let how) = item.claim, how != .lease, item.basis == "arp", ways.contains(address) {
        claims[address, default: []].append((station.mac, item))
      }
    }
    for subnet in snapshot.subnets where subnet.kind != .linkLocal {
      var spans: [MACAddress: Span] = [:]
      for gateway in subnet.gateways where gateway.address.isIPv4 {
        // Routers that stand in for each other hand their role on: nothing changed for anybody.
        guard picture.routerGroups[gateway.address] == nil else { continue }
        for (mac, item) in claims[gateway.address] ?? [] where !liars.contains(boxes.box(of: mac)) {
          let box = boxes.box(of: mac)
          if spans[box] == nil { spans[box] = Span(item) } else { spans[box]?.add(item) }
        }
        // Who hands out addresses and names itself as the way out is it, heard answering or not.
        for record in picture.leases where record.lease.routers.first.map({ IPAddress($0) }) == gateway.address && record.lease.relay == nil
        {
          let box = boxes.box(of: record.lease.carriedBy)
          guard record.lease.server.map({ IPAddress($0) }) == gateway.address, devices.contains(record.lease.carriedBy),
            !liars.contains(box)
          else {
            continue
          }
          if spans[box] == nil { spans[box] = Span(record.item) } else { spans[box]?.add(record.item) }
        }
        if let change = handover(spans) { out.append(finding(change, gateway.address.description)) }
        spans = [:]
      }
      if subnet.prefix.address.isIPv4 {
        if let change = leasedHandover(subnet) { out.append(change) }
      } else {
        for gateway in subnet.gateways {
          for host in [gateway.host].compactMap(\.self) {
            for item in picture.station(host)?.evidence ?? [] {
              guard case .advertisesRouter(let lifetime) = item.claim, lifetime > 0 else { continue }
              let box = boxes.box(of: host)
              if spans[box] == nil { spans[box] = Span(item) } else { spans[box]?.add(item) }
            }
          }
        }
        if let change = handover(spans) { out.append(finding(change, "of \(subnet.prefix)")) }
      }
    }
    // One box replaced is one change, whatever its addresses.
    var seen = Set<[MACAddress]>()
    return out.filter { seen.insert($0.hosts).inserted }
  }

  /// The one who had the role before and the one who has it since, when both kept it and the first fell silent.
  private func handover(_ spans: [MACAddress: Span]) -> (from: (MACAddress, Span), to: (MACAddress, Span))? {
    let order = spans.sorted { ($0.value.first, $0.key) < ($1.value.first, $1.key) }
    guard order.count >= 2, let to = order.last else { return nil }
    let from = order[order.count - 2]
    guard from.value.last < to.value.first else { return nil }
    let isLasting = to.value.last.since(to.value.first) >= Self.lasting
    let isOver =
      !snapshot.capture.isLive && signs(of: to.key, since: from.value.item.lastFrame) >= 2 && !isUsed(from.key, since: to.value.first)
    return isLasting || isOver ? ((from.key, from.value), (to.key, to.value)) : nil
  }

  /// In how many ways a box was heard to be the way out after a frame: it shows the address, hands out leases, lets the internet in or is sent
  /// what is for elsewhere, advertises itself.
  private func signs(of box: MACAddress, since frame: Int) -> Int {
    let members = [box] + (boxes.aliases[box] ?? [])
    var ways = Set<Int>()
    for mac in members {
      guard let station = picture.station(mac) else { continue }
      for item in station.evidence where item.lastFrame > frame {
        switch item.claim {
        case .holds(let address, let how) where how != .lease && gatewayAddresses.contains(address): ways.insert(0)
        case .advertisesRouter(let lifetime) where lifetime > 0: ways.insert(3)
        case .playsRole(.dhcpServer): ways.insert(1)
        default: break
        }
      }
      if station.carriesFromInternet(besides: owned[mac]).contains(where: { Int($0.firstFrame) > frame }) { ways.insert(2) }
    }
    if picture.leases.contains(where: { members.contains($0.lease.carriedBy) && $0.item.lastFrame > frame }) { ways.insert(1) }
    let isSentTo = picture.pairs.contains { row in
      !row.toGroup && Int(row.firstFrame) > frame
        && [(row.a, row.b, row.framesFromA), (row.b, row.a, row.framesFromB)].contains { from, to, frames in
          frames > 0 && members.contains(to.mac) && to.address.isHost && to.address.isIPv4 && owned[to.mac]?[to.address] == nil
            && !snapshot.subnets.contains { $0.prefix.contains(to.address) }
        }
    }
    if isSentTo { ways.insert(2) }
    return ways.count
  }

  /// Whether answers from the internet still came in through a box.
  private func isUsed(_ box: MACAddress, since time: Timestamp) -> Bool {
    ([box] + (boxes.aliases[box] ?? [])).contains { mac in
      picture.station(mac)?.carriesFromInternet(besides: owned[mac]).contains { Timestamp(nanoseconds: $0.lastSeen) > time } ?? false
    }
  }

  private func finding(_ change: (from: (MACAddress, Span), to: (MACAddress, Span)), _ what: String) -> Finding {
    Finding(
      .gatewayChanged,
      "The gateway \(what) moved from \(name(change.from.0)) to \(name(change.to.0)): a router was replaced, or somebody took its place.",
      hosts: [change.from.0, change.to.0],
      reasons: [
        change.from.1.item.reason(15, value: "until then \(change.from.0)"),
        change.to.1.item.reason(15, value: "since then \(change.to.0)"),
      ])
  }

  /// Leases that named one router, and later ones another that lives in another box.
  private func leasedHandover(_ subnet: Subnet) -> Finding? {
    var spans: [IPv4Address: Span] = [:]
    for record in picture.leases where record.lease.prefix == subnet.prefix && !record.lease.isOffer {
      guard let router = record.lease.routers.first else { continue }
      if spans[router] == nil { spans[router] = Span(record.item) } else { spans[router]?.add(record.item) }
    }
    let order = spans.sorted { ($0.value.first, $0.key) < ($1.value.first, $1.key) }
    guard order.count >= 2, let to = order.last else { return nil }
    let from = order[order.count - 2]
    guard from.value.last < to.value.first, let end = snapshot.capture.ended, end.since(to.value.first) >= Self.lasting else { return nil }
    let owners = [from.key, to.key].map { address in subnet.gateways.first { $0.address == IPAddress(address) }?.host }
    guard let old = owners[0], let new = owners[1], boxes.box(of: old) != boxes.box(of: new) else { return nil }
    // Two servers side by side contradict each other; that is another finding.
    guard let before = server(of: from.value.item), let after = server(of: to.value.item) else { return nil }
    let stillServes = picture.leases.contains {
      $0.lease.relay == nil && $0.lease.server.map { IPAddress($0) } == before && $0.item.last > to.value.first
    }
    guard before == after || !stillServes else { return nil }
    return finding(((boxes.box(of: old), from.value), (boxes.box(of: new), to.value)), "named by DHCP, \(from.key),")
  }

  private func server(of item: Evidence) -> IPAddress? {
    if case .leased(let lease) = item.claim { lease.server.map { IPAddress($0) } } else { nil }
  }

  // MARK: One address, two devices

  /// A client that tells DHCP one name, then another, then the first again, with a client identifier of its own each time.
  func duplicates() -> [Finding] {
    var out: [Finding] = []
    for mac in picture.order where devices.contains(mac) {
      guard let station = picture.station(mac) else { continue }
      var names: [(text: WireText, span: Span)] = []
      var identifiers: [(text: WireText, span: Span)] = []
      for item in station.evidence where item.basis == "dhcp" && item.carrier == mac {
        switch item.claim {
        case .isNamed(let text, .host) where item.field == "option 12": add(text.lowercasedASCII, item, &names)
        case .has(.clientIdentifier, let text): add(text, item, &identifiers)
        default: break
        }
      }
      guard let pair = interleaved(names) ?? interleaved(identifiers) else { continue }
      out.append(
        Finding(
          .duplicateMAC,
          "Two devices share the hardware address \(mac): it asks for addresses as \(quoted(pair.0)) and as \(quoted(pair.1)) in turn. Neither can work reliably.",
          hosts: [boxes.box(of: mac)], reasons: [pair.0.item.reason(15), pair.1.item.reason(15)]))
    }
    return out
  }

  private func add(_ text: WireText, _ item: Evidence, _ spans: inout [(text: WireText, span: Span)]) {
    if let at = spans.firstIndex(where: { $0.text == text }) { spans[at].span.add(item) } else { spans.append((text, Span(item))) }
  }

  private func quoted(_ span: Span) -> String {
    if case .isNamed(let text, _) = span.item.claim { "\"\(text.display)\"" } else { "the client of frame \(span.item.firstFrame)" }
  }

  /// Two that were each heard again after the other began, within ten minutes: no renaming, no change of system.
  private func interleaved(_ spans: [(text: WireText, span: Span)]) -> (Span, Span)? {
    guard spans.count > 1 else { return nil }
    let order = spans.map(\.span).sorted { ($0.first, $0.item.firstFrame) < ($1.first, $1.item.firstFrame) }
    for (at, a) in order.enumerated() {
      for b in order.dropFirst(at + 1) where a.first < b.first && a.last > b.first && a.last.since(b.first) <= 600 { return (a, b) }
    }
    return nil
  }
}
