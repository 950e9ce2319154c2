import Wire

/// Routers that share one address (VRRP, HSRP, CARP): which of them play a role that moves between them.
extension Picture {
  /// The members of a group by its hardware address, the one that played the role last at the end. Some protocols name a member by its
  /// hardware address; VRRP speaks from the group's own, and names the member by the packet's source address alone.
  func members(ofGroup virtual: MACAddress) -> [MACAddress] { routerMembers[virtual] ?? [] }

  private func findMembers(_ virtual: MACAddress, _ holders: [IPAddress: MACAddress]) -> [MACAddress] {
    guard let group = station(virtual) else { return [] }
    var waiting: [MACAddress: Timestamp] = [:]
    for item in group.evidence {
      if case .isVirtualRouter(let real?, _) = item.claim, real.isStation, !real.isVirtualRouter {
        waiting[real] = max(waiting[real] ?? item.last, item.last)
      }
    }
    // Who speaks from the role's own address plays it; who speaks from his own waits, where anybody plays.
    var playing: [MACAddress: Timestamp] = [:]
    var unknown: Timestamp?
    for binding in group.bindings where binding.framesFrom > 0 {
      for item in addresses[binding.address] ?? []
      where item.carrier == virtual && item.claim == .playsRole(.router) && isRedundancy(item.basis) {
        if let real = holders[binding.address] {
          playing[real] = max(playing[real] ?? item.last, item.last)
        } else {
          unknown = max(unknown ?? item.last, item.last)
        }
      }
    }
    func inOrder(_ members: [MACAddress: Timestamp]) -> [MACAddress] {
      members.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
    }
    // The present player may be a box of which nothing else was heard: then the role is listed by itself.
    if let unknown, playing.values.allSatisfy({ $0 < unknown }) { return [] }
    return inOrder(waiting.filter { playing[$0.key] == nil }) + inOrder(playing)
  }

  /// Who takes turns at having an address, by that address.
  func groupsByAddress() -> [IPAddress: Set<MACAddress>] {
    var out: [IPAddress: Set<MACAddress>] = [:]
    for mac in order where isRouterGroup(mac) {
      var all = Set(members(ofGroup: mac) + [mac])
      for item in station(mac)?.evidence ?? [] {
        if case .isVirtualRouter(let real?, _) = item.claim { all.insert(real) }
      }
      for item in station(mac)?.evidence ?? [] {
        switch item.claim {
        case .isVirtualRouter(_, let address?): out[address, default: []].formUnion(all)
        case .holds(let address, _): out[address, default: []].formUnion(all)
        default: break
        }
      }
    }
    return out
  }

  /// Whether an address is that of a role: by its block, or because a member said so.
  func isRouterGroup(_ mac: MACAddress) -> Bool { mac.isVirtualRouter || virtualRouters.contains(mac) }

  func isRedundancy(_ basis: String) -> Bool { basis == "vrrp" || basis == "hsrp" || basis == "carp" }

  /// Members of every group.
  func findRouterMembers() -> [MACAddress: [MACAddress]] {
    let groups = order.filter(isRouterGroup)
    guard !groups.isEmpty else { return [:] }
    // Who shows an address as its own, by more than an answer.
    var holders: [IPAddress: MACAddress] = [:]
    each { station, item in
      guard station.mac.isStation, !station.mac.isVirtualRouter else { return }
      switch item.claim {
      case .holds(let address, let how) where how != .reply && holders[address] == nil: holders[address] = station.mac
      case .leased(let lease) where !lease.isOffer && holders[IPAddress(lease.address)] == nil:
        holders[IPAddress(lease.address)] = station.mac
      default: break
      }
    }
    return Dictionary(groups.map { ($0, findMembers($0, holders)) }, uniquingKeysWith: { first, _ in first })
  }
}
