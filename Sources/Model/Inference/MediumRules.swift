import Wire

/// How a device is connected (`inference.md` 6): its last hop, its own interface (the access), and the kinds of link on its way to the gateway
/// (the path). Three notions, never mixed up: a PC cabled to a powerline adapter says Ethernet and is right, and its last hop is the power line;
/// a phone on an access point behind a power line is on Wi-Fi, and its path is Wi-Fi, then powerline.
struct MediumRules {
  let picture: Picture
  let boxes: Boxes
  let links: LinkRules
  /// Attachments judged before.
  let attached: [MACAddress: Verdict<MACAddress>]
  let roles: [MACAddress: [Verdict<Role>]]

  struct Answer {
    /// The last hop.
    var medium: Verdict<Medium>?
    var access: Verdict<Medium>?
    /// From the device to the gateway, as far as is known; empty where that is one hop or none.
    var path: [Medium] = []
    /// Kinds of the own interface that stand against each other.
    var unclear: [Verdict<Medium>] = []
  }

  private static let others = 3

  func judge(_ mac: MACAddress) -> Answer {
    guard let station = picture.station(mac) else { return Answer() }
    let scale = accessScale(station)
    let access = scale.verdict(others: MediumRules.others)
    // A box of several interfaces: the one that leads to the gateway decides, and what it says of another is no answer.
    if hasSeveralInterfaces(mac), let own = ownPath(mac), MediumRules.precedes(own.answer, access?.answer) {
      return Answer(medium: own, path: path(from: mac, own.answer))
    }
    // Who is on the air hangs on no cable: what lists him behind a cable lists his access point's side.
    let medium = access?.answer == .wifi ? access : listed(mac, access) ?? access
    return Answer(
      medium: medium, access: access, path: medium.map { path(from: mac, $0.answer) } ?? [],
      unclear: medium == nil ? scale.unclear(others: MediumRules.others) : [])
  }

  /// The station's own interface.
  private func accessScale(_ station: Picture.Station) -> Scale<Medium> {
    var scale = Scale<Medium>()
    for item in station.evidence {
      switch item.claim {
      case .carries(let medium, _):
        let weight =
          switch item.basis {
          case "lldp": Weights.wiredPort
          case "ubiquiti", "mndp": Weights.wirelessMode
          case "homeplug", "homeplug1", "mediaxtream": item.carrier == station.mac ? Weights.isAdapter : Weights.listedAdapter
          default: Weights.declaredMedium
          }
        scale.add(medium, item, weight, value: medium.rawValue)
      case .isStation(let bssid, _) where boxes.box(of: bssid) != boxes.box(of: station.mac):
        let weight =
          switch item.basis {
          case "802.11": Weights.radioFrame
          case "lltd": Weights.statedBSSID
          case "eapol": Weights.radioKey
          default: Weights.associationTable
          }
        scale.add(.wifi, item, weight, value: Medium.wifi.rawValue)
      default: break
      }
    }
    for entry in picture.bridgedBy[station.mac] ?? [] {
      if case .bridges(_, over: .wifi, _, _) = entry.evidence.claim {
        scale.add(.wifi, entry.evidence, Weights.associationTable, value: Medium.wifi.rawValue)
      }
    }
    if picture.maker(station.mac)?.kind == .virtualMachine {
      scale.add(.virtual, Picture.makerReason(station, Weights.virtualAddress), .identity)
    }
    addHabits(station, &scale)
    return scale
  }

  /// Mobile phones have no socket, desk phones have nothing else; made-up addresses are a habit of radios.
  private func addHabits(_ station: Picture.Station, _ scale: inout Scale<Medium>) {
    func isMobile() -> Bool {
      HostRules.isRandomised(station.mac, picture) || station.evidence.contains { RoleHints.isMobile($0.claim) }
    }
    let phone = (roles[station.mac] ?? []).first { $0.answer == .phone }
    let isPhone = phone != nil && isMobile() ? phone : nil
    if let isPhone, let reason = isPhone.reasons.first {
      var reason = reason
      reason.weight = Weights.phoneClass.decibans
      reason.why = Weights.phoneClass.why
      scale.add(.wifi, reason, .identity)
    }
    if isPhone != nil || scale.score(.wifi) > 0, HostRules.isRandomised(station.mac, picture), picture.maker(station.mac)?.kind == nil {
      scale.add(.wifi, Picture.makerReason(station, Weights.privateAddress), .identity)
    }
  }

  /// The kind of the adapter or node that lists the station behind its Ethernet side: that is its way in.
  private func listed(_ mac: MACAddress, _ access: Verdict<Medium>?) -> Verdict<Medium>? {
    var scale = Scale<Medium>()
    for entry in picture.bridgedBy[mac] ?? [] {
      guard case .bridges(_, let medium, _, _) = entry.evidence.claim, medium != .wifi else { continue }
      let box = boxes.box(of: entry.by)
      guard attached[mac]?.answer == box || attached[mac] == nil else { continue }
      if LinkRules.isPowerline(entry) {
        // Nobody on the gateway's side is on the power line.
        guard links.hasGatewayElsewhere(entry), !links.gateways.contains(boxes.box(of: mac)) else { continue }
        scale.add(
          .powerline, entry.evidence, entry.evidence.grade < .a ? Weights.bridgedFirst : Weights.bridgeTable,
          value: Medium.powerline.rawValue)
      } else if entry.evidence.basis == "ieee1905" {
        scale.add(medium, entry.evidence, Weights.neighbourPort, value: medium.rawValue)
      }
    }
    return scale.verdict(others: MediumRules.others).flatMap { MediumRules.precedes($0.answer, access?.answer) ? $0 : nil }
  }

  /// The kinds of link from a device to the gateway: through the box it hangs on, and the ones that hangs on.
  private func path(from mac: MACAddress, _ first: Medium) -> [Medium] {
    var path = [first]
    var seen: Set<MACAddress> = [boxes.box(of: mac)]
    var at = attached[mac]?.answer
    while let box = at, seen.insert(box).inserted, !links.gateways.contains(box), seen.count < 8 {
      // An adapter's own way is the line that it made of its device's.
      if let uplink = uplink(of: box) ?? adapterLine(box), uplink.answer != path.last { path.append(uplink.answer) }
      at = attached[box]?.answer
    }
    return path.count > 1 ? path : []
  }

  private func adapterLine(_ box: MACAddress) -> Verdict<Medium>? {
    guard (roles[box] ?? []).contains(where: { $0.answer == .powerlineAdapter }), let station = picture.station(box) else { return nil }
    return accessScale(station).verdict(others: MediumRules.others)
  }

  /// The kind of link over which a box that is no gateway reaches the rest: one of its interfaces is a station of another box, or lies
  /// behind an adapter.
  private func uplink(of box: MACAddress) -> Verdict<Medium>? {
    var scale = Scale<Medium>()
    for mac in [box] + (boxes.aliases[box] ?? []) {
      for item in picture.station(mac)?.evidence ?? [] {
        if case .isStation(let bssid, _) = item.claim, boxes.box(of: bssid) != box {
          scale.add(.wifi, item, Weights.uplink, value: Medium.wifi.rawValue)
        }
      }
      for entry in picture.bridgedBy[mac] ?? [] where LinkRules.isPowerline(entry) && links.hasGatewayElsewhere(entry) {
        scale.add(.powerline, entry.evidence, Weights.uplink, value: Medium.powerline.rawValue)
      }
      addNeighbours(mac, box, &scale)
    }
    return scale.verdict(others: MediumRules.others)
  }

  /// A 1905 node says on which interface it has the node that it hangs on. An ordinary bridge between may hide something slower.
  private func addNeighbours(_ mac: MACAddress, _ box: MACAddress, _ scale: inout Scale<Medium>) {
    guard let parent = attached[box]?.answer else { return }
    for item in picture.station(mac)?.evidence ?? [] {
      guard case .neighbours(let other, let medium?, let direct, _) = item.claim, item.basis == "ieee1905",
        boxes.box(of: other) == parent
      else { continue }
      scale.add(medium, item, direct == false ? Weights.neighbourBeyond : Weights.neighbourPort, value: medium.rawValue)
    }
  }

  private func hasSeveralInterfaces(_ mac: MACAddress) -> Bool { !(boxes.aliases[boxes.box(of: mac)] ?? []).isEmpty }

  /// An access point's own path is its uplink.
  func ownPath(_ mac: MACAddress) -> Verdict<Medium>? { uplink(of: boxes.box(of: mac)) }

  /// Whether `slower` decides over `own`: powerline, then Wi-Fi, MoCA, Ethernet.
  private static func precedes(_ slower: Medium, _ own: Medium?) -> Bool {
    let order: [Medium] = [.powerline, .wifi, .moca, .coax, .ethernet, .virtual]
    guard let own else { return true }
    return (order.firstIndex(of: slower) ?? 9) < (order.firstIndex(of: own) ?? 9)
  }
}
