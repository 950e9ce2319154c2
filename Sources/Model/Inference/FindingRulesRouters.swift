import Wire

/// Routers beside the one in use, and bridges that hide what is behind them.
extension FindingRules {
  func rogueAdvertisements() -> [Finding] {
    var routers: [(mac: MACAddress, item: Evidence)] = []
    picture.each { station, item in
      if case .advertisesRouter(let lifetime) = item.claim, lifetime > 0 { routers.append((boxes.box(of: station.mac), item)) }
    }
    let v4 = Set(snapshot.subnets.filter { $0.prefix.address.isIPv4 }.flatMap { $0.gateways.compactMap(\.host) }.map { boxes.box(of: $0) })
    let sources = routers.map(\.mac).deduplicated()
    guard sources.count >= 2, sources.contains(where: { v4.contains($0) }) else { return [] }
    return sources.filter { !v4.contains($0) }.compactMap { mac in
      guard let item = routers.first(where: { $0.mac == mac })?.item else { return nil }
      let offers = picture.station(mac)?.evidence.contains { if case .advertisesPrefix = $0.claim { true } else { false } } ?? false
      guard offers else { return nil }
      return Finding(
        .rogueRA, "\(name(mac)) advertises itself as IPv6 router beside the one that routes IPv4: devices may send their traffic to it.",
        hosts: [mac],
        reasons: [item.reason(15)])
    }
  }

  func doubleTranslation() -> [Finding] {
    var reasons: [Reason] = []
    // Where nothing but answers to packets whose hops were spent speaks for it: anybody can forge one.
    var isOnlyErrors = false
    var hosts: [MACAddress] = []
    picture.each { station, item in
      if case .hasOuterAddress(let address) = item.claim, address.isInternal {
        reasons.append(item.reason(15))
        hosts.append(boxes.box(of: station.mac))
      }
    }
    // Routers beyond the gateway that answer from private addresses: a second private network lies behind it.
    for (address, items) in picture.addresses.sorted(by: { $0.key < $1.key }) {
      guard let v4 = address.v4, v4.isPrivate || v4.isShared else { continue }
      guard let item = items.first(where: { $0.claim == .playsRole(.router) && $0.basis == "icmp" }) else { continue }
      guard !snapshot.subnets.contains(where: { $0.prefix.contains(address) }) else { continue }
      guard let gateway = snapshot.host(item.carrier), gateway.behindModem?.answer != .operatorSide else { continue }
      // With all its hops the answer started at the first hop itself: its own second address.
      if let row = picture.station(item.carrier)?.binding(address), AddressRules.isFullHopCount(row.highestHops) { continue }
      isOnlyErrors = reasons.isEmpty || isOnlyErrors
      reasons.append(item.reason(15, value: address.description))
      hosts.append(gateway.id)
    }
    // A home gateway whose own outer address was leased from a private range.
    let homes = snapshot.subnets.filter { $0.kind == .home || $0.kind == .guest }
    let inner = Set(homes.flatMap { $0.gateways.compactMap(\.host) })
    for record in picture.leases where snapshot.capture.vantage == .router {
      let (mac, lease, item) = (record.station, record.lease, record.item)
      guard !lease.isOffer, IPAddress(lease.address).isInternal, let router = lease.routers.first, item.carrier != mac,
        devices.contains(mac)
      else { continue }
      let isGateway = inner.contains { gateway in
        (boxes.box(of: gateway) == boxes.box(of: mac) || Boxes.isRun(gateway, mac))
          && !(owned[gateway] ?? [:]).keys.contains(IPAddress(router))
          && homes.contains { home in
            home.gateways.contains { $0.host == gateway } && !home.prefix.contains(IPAddress(lease.address))
              && home.hosts.contains { boxes.box(of: $0) != boxes.box(of: gateway) }
          }
      }
      guard isGateway else { continue }
      isOnlyErrors = false
      reasons.append(item.reason(15, value: lease.address.description))
      hosts.append(boxes.box(of: mac))
    }
    guard let first = reasons.first else { return [] }
    return [
      Finding(
        .doubleNAT,
        isOnlyErrors
          ? "Behind the gateway another private network may lie (\(first.value.display) answered from there): then addresses are translated twice, and servers at home are not reachable from outside."
          : "Behind the gateway lies another private network (\(first.value.display)): addresses are translated twice, so servers at home are not reachable from outside.",
        hosts: hosts.deduplicated(), reasons: Array(reasons.prefix(4)))
    ]
  }

  func secondRouters() -> [Finding] {
    var gateways = Set(
      snapshot.subnets.flatMap { $0.gateways.flatMap { [$0.host].compactMap(\.self) + $0.formerHosts } }.map { boxes.box(of: $0) })
    // Routers that stand in for each other are one way out.
    for address in gatewayAddresses { gateways.formUnion((picture.routerGroups[address] ?? []).map { boxes.box(of: $0) }) }
    var out: [Finding] = []
    for at in snapshot.hosts.indices where !gateways.contains(snapshot.hosts[at].id) {
      guard let verdict = snapshot.hosts[at].roleReasons.first(where: { $0.answer == .router || $0.answer == .nat }),
        verdict.confidence >= Certainty.oneKind
      else {
        continue
      }
      let host = snapshot.hosts[at]
      // Others' packets under its address: it has devices behind it (`nat-behind-device`).
      let isHiding = [host.id] + host.virtualMACs
      if isHiding.contains(where: { mac in
        picture.station(mac).map { HiddenHosts.signs($0, owned[mac] ?? [:], picture).count >= 2 } ?? false
      }),
        verdict.reasons.allSatisfy({ $0.basis == "ip" })
      {
        continue
      }
      // Second to whom? Where no way out is known, each of several routers may be the first.
      let others = snapshot.subnets.filter { subnet in
        subnet.prefix.address.isIPv4 && subnet.hosts.contains { boxes.box(of: $0) == host.id }
      }
      .flatMap { $0.gateways.compactMap(\.host) }
      guard others.contains(where: { boxes.box(of: $0) != host.id }) else { continue }
      let isUsed = isHiding.contains(where: reachesInternet)
      // On the operator's side of things a router is no second one of the home.
      let isOutside = host.behindModem?.answer == .bridged || host.behindModem?.answer == .operatorSide
      guard host.subnets.contains(where: { $0.address.isIPv4 }), !host.roles.contains(.computer), !isOutside else { continue }
      out.append(
        Finding(
          .secondRouter,
          isUsed
            ? "\(name(host.id)) is a second way out of this network: traffic of the internet comes in through it as well."
            : "\(name(host.id)) is a router as well, though no device here uses it as its way out: an old router used as access point or switch, perhaps.",
          hosts: [host.id], reasons: verdict.reasons))
    }
    return out
  }

  /// Devices that translate for others behind them, seen from the network that they are clients of.
  func hidden() -> [Finding] {
    let gateways = Set(snapshot.subnets.flatMap { $0.gateways.compactMap(\.host) }.map { boxes.box(of: $0) })
    return snapshot.hosts.indices.compactMap { at in
      let id = snapshot.hosts[at].id
      guard !gateways.contains(id), snapshot.hosts[at].behindModem?.answer != .operatorSide else { return nil }
      let signs = ([id] + snapshot.hosts[at].virtualMACs).flatMap { mac in
        picture.station(mac).map { HiddenHosts.signs($0, owned[mac] ?? [:], picture) } ?? []
      }
      guard signs.count >= 2 else { return nil }
      return Finding(
        .natBehindDevice,
        "Behind \(name(id)) are further devices that cannot be seen from here: it puts its own address on their packets, as a router does.",
        hosts: [id], reasons: signs.prefix(4).map(\.reason))
    }
  }

  func translators() -> [Finding] {
    var out: [Finding] = []
    for mac in picture.order where devices.contains(mac) {
      guard let station = picture.station(mac) else { continue }
      let foreign = station.evidence.filter { item in
        guard case .speaksFor(let other) = item.claim else { return false }
        return !devices.contains(other) && boxes.box(of: other) != boxes.box(of: mac) && other.isStation
      }
      guard !foreign.isEmpty else { continue }
      let own = (owned[mac] ?? [:]).keys.filter { $0.isIPv4 && !$0.isLinkLocal }
      let fromDHCP = foreign.contains { $0.basis == "dhcp" }
      let others = Set(foreign.compactMap { item -> MACAddress? in if case .speaksFor(let other) = item.claim { other } else { nil } })
      guard own.count >= 2 || others.count >= 2, fromDHCP || others.count >= 2 else { continue }
      if others.count >= 16 { continue }
      if station.evidence.contains(where: { if case .requestsLease(_, relay: .some) = $0.claim { true } else { false } }) { continue }
      out.append(
        Finding(
          .macTranslatingBridge,
          "\(name(mac)) puts its own hardware address on the frames of \(others.count) device\(others.count == 1 ? "" : "s") behind it (\(others.sorted().prefix(4).map(\.description).joined(separator: ", "))): a Wi-Fi repeater or client bridge.",
          hosts: [mac], reasons: foreign.prefix(4).map { $0.reason(15) }))
    }
    return out
  }
}
