import Wire

/// Who is attached to whom (`inference.md` 7): the access point, adapter or switch through which a device reaches the rest.
struct LinkRules {
  let picture: Picture
  let boxes: Boxes
  let devices: Set<MACAddress>
  /// Boxes that are the way out of some home subnet.
  let gateways: Set<MACAddress>
  let vantage: VantageRules.Answer
  private let mesh: MeshDistance
  /// Adapters behind which a gateway is shown not to be.
  private let passedGateways: Set<MACAddress>
  /// The adapters that heard a station on their Ethernet side.
  private let heardBy: [MACAddress: [(box: MACAddress, item: Evidence)]]

  init(picture: Picture, boxes: Boxes, devices: Set<MACAddress>, gateways: Set<MACAddress>, vantage: VantageRules.Answer) {
    self.picture = picture
    self.boxes = boxes
    self.devices = devices
    self.gateways = gateways
    self.vantage = vantage
    var heardBy: [MACAddress: [(box: MACAddress, item: Evidence)]] = [:]
    picture.each { station, item in
      if case .hears(let asker, over: .ethernet) = item.claim { heardBy[asker, default: []].append((boxes.box(of: station.mac), item)) }
    }
    self.heardBy = heardBy
    passedGateways = LinkRules.passed(picture, boxes, gateways)
    mesh = MeshDistance(picture, boxes: boxes, gateways: gateways)
  }

  /// How many further boxes a device might hang on.
  static let others = 1

  /// What speaks for each box that a device may hang on.
  func weigh(_ station: Picture.Station) -> Scale<MACAddress> {
    let own = boxes.box(of: station.mac)
    var scale = Scale<MACAddress>()
    // The newest association counts: stations roam.
    let associations = station.evidence.filter {
      if case .isStation(let bssid, _) = $0.claim { bssid.isStation } else { false }
    }
    let newest = associations.map(\.last).max()
    for item in associations {
      guard case .isStation(let bssid, _) = item.claim, let newest, newest.since(item.last) < 600 else { continue }
      if let left = station.evidence.first(where: { $0.claim == .leavesStation(bssid) }), left.last > item.last { continue }
      let box = boxes.box(of: bssid)
      guard box != own, !isContradicted(item, station), !associations.contains(where: { supersedes($0, item) }) else { continue }
      let weight =
        switch item.basis {
        case "802.11": Weights.radioStation
        case "lltd": Weights.namedBSSID
        case "eapol": Weights.radioKey
        default: Weights.apTable
        }
      scale.add(box, item, weight)
    }
    addTables(station, own, &scale)
    addOwnAdapter(station, own, &scale)
    addNodes(station, own, &scale)
    if scale.isEmpty { addAnnouncer(station, own, &scale) }
    return scale
  }

  /// Whether a station had left one access point when it was heard at another.
  private func supersedes(_ later: Evidence, _ item: Evidence) -> Bool {
    guard case .isStation(let new, _) = later.claim, case .isStation(let old, _) = item.claim else { return false }
    guard boxes.box(of: new) != boxes.box(of: old), later.first > item.last else { return false }
    return later.count >= 2 || later.basis == "802.11" || later.basis == "ieee1905"
  }

  /// Whether a single message that puts a station on the air stands against what it says of itself again and again: its interface is
  /// another one. Anybody can send one message.
  private func isContradicted(_ item: Evidence, _ station: Picture.Station) -> Bool {
    guard item.count == 1, item.basis != "802.11" else { return false }
    return station.evidence.contains {
      guard case .carries(let medium, _) = $0.claim, medium != .wifi else { return false }
      return $0.count >= 3 && $0.grade == .a && $0.last > item.first
    }
  }

  /// An adapter tells on which of its sides it heard the asker: on the Ethernet side it is the asker's own, or another one cabled to it.
  private func addOwnAdapter(_ station: Picture.Station, _ own: MACAddress, _ scale: inout Scale<MACAddress>) {
    let adapters = heardBy[station.mac] ?? []
    if let (box, item) = adapters.first, box != own, adapters.allSatisfy({ $0.box == box }) { scale.add(box, item, Weights.ownAdapter) }
  }

  /// Bridge and association tables that list the station. Of several adapters the one that lists fewer is nearer, unless it lists the
  /// gateway as well: that one looks the other way.
  private func addTables(_ station: Picture.Station, _ own: MACAddress, _ scale: inout Scale<MACAddress>) {
    let listed = picture.bridgedBy[station.mac] ?? []
    let wired = listed.filter { if case .bridges(_, let medium, _, _) = $0.evidence.claim { medium != .wifi } else { false } }
    for entry in listed {
      guard case .bridges(_, let medium, _, _) = entry.evidence.claim, medium == .wifi else { continue }
      let box = boxes.box(of: entry.by)
      if box != own { scale.add(box, entry.evidence, Weights.apTable) }
    }
    guard !wired.isEmpty else { return }
    let candidates = Set(wired.map { boxes.box(of: $0.by) }).subtracting([own])
    // Where no way out is known, an adapter that lists several may be the one beside it, behind which all the rest of the home lies.
    let alone = Set(
      wired.filter { entry in
        if case .bridges(_, _, of: 1, _) = entry.evidence.claim { entry.evidence.grade >= .a } else { false }
      }.map { boxes.box(of: $0.by) })
    let placed = Set(wired.filter { !LinkRules.isPowerline($0) || hasGatewayElsewhere($0) }.map { boxes.box(of: $0.by) })
    let away = candidates.filter { gateways.isEmpty ? alone.contains($0) : placed.contains($0) && !listsGateway($0) }
    // An adapter that lists the gateway as well lists what lies on the gateway's side of it: that hangs somewhere there, not on it.
    let counts = Dictionary(
      wired.map { entry -> (MACAddress, Int) in
        if case .bridges(_, _, let count, _) = entry.evidence.claim { (boxes.box(of: entry.by), count) } else { (entry.by, Int.max) }
      }, uniquingKeysWith: max)
    guard let nearest = away.min(by: { (counts[$0] ?? .max, $0) < (counts[$1] ?? .max, $1) }) else { return }
    for entry in wired where boxes.box(of: entry.by) == nearest {
      let isFirst = entry.evidence.grade < .a
      scale.add(nearest, entry.evidence, isFirst ? Weights.bridgedFirst : Weights.adapterTable)
    }
  }

  /// Whether a box lists a gateway (or what sits at it) behind its Ethernet side.
  func listsGateway(_ box: MACAddress) -> Bool {
    for gateway in gateways {
      for entry in picture.bridgedBy[gateway] ?? [] where boxes.box(of: entry.by) == box {
        if case .bridges(_, let medium, _, _) = entry.evidence.claim, medium != .wifi { return true }
      }
    }
    return false
  }

  /// Whether a record places a gateway elsewhere than behind the adapter that lists somebody. Another adapter lists it; or it talked with
  /// somebody who is on the other side of this adapter, whose whole table, in which it would stand for that, does not hold it.
  func hasGatewayElsewhere(_ entry: (by: MACAddress, evidence: Evidence)) -> Bool {
    let box = boxes.box(of: entry.by)
    if gateways.isEmpty || listsGateway(box) { return false }
    let isListedElsewhere = gateways.contains { gateway in
      (picture.bridgedBy[gateway] ?? []).contains { LinkRules.isPowerline($0) && boxes.box(of: $0.by) != box }
    }
    return isListedElsewhere || passedGateways.contains(box)
  }

  /// Adapters that would list a gateway if it were behind them. Who asks an adapter and does not stand in its answer came over the power line,
  /// and so would all that he gets from a gateway behind it.
  private static func passed(_ picture: Picture, _ boxes: Boxes, _ gateways: Set<MACAddress>) -> Set<MACAddress> {
    var tables: [MACAddress: Set<MACAddress>] = [:]
    picture.each { station, item in
      guard case .bridges(let host, let medium, _, _) = item.claim, medium != .wifi, item.grade >= .a, isPowerline((station.mac, item))
      else {
        return
      }
      tables[station.mac, default: []].insert(boxes.box(of: host))
    }
    guard !tables.isEmpty else { return [] }
    var told: [MACAddress: Set<MACAddress>] = [:]
    var served = Set<MACAddress>()
    for row in picture.pairs where !row.toGroup {
      for (from, to, frames) in [(row.a.mac, row.b.mac, row.framesFromA), (row.b.mac, row.a.mac, row.framesFromB)] where frames > 0 {
        if tables[from] != nil { told[from, default: []].insert(boxes.box(of: to)) }
        if gateways.contains(boxes.box(of: from)) { served.insert(boxes.box(of: to)) }
      }
    }
    return Set(
      tables.filter { adapter, listed in
        (told[adapter] ?? []).contains { !listed.contains($0) && served.contains($0) }
      }.map { boxes.box(of: $0.key) })
  }

  /// Whether it is a powerline adapter that lists somebody.
  static func isPowerline(_ entry: (by: MACAddress, evidence: Evidence)) -> Bool {
    ["homeplug", "homeplug1", "mediaxtream"].contains(entry.evidence.basis)
  }

  /// 1905 nodes: towards the node that is one nearer to the way out.
  private func addNodes(_ station: Picture.Station, _ own: MACAddress, _ scale: inout Scale<MACAddress>) {
    guard !gateways.contains(own) else { return }
    for item in station.evidence {
      guard case .neighbours(let other, let medium, let direct?, _) = item.claim, item.basis == "ieee1905" else { continue }
      let box = boxes.box(of: other)
      guard box != own, mesh.isParent(box, of: own) else { continue }
      // A power line is shared by adapters that are no nodes.
      scale.add(box, item, direct && medium != .powerline ? Weights.nodeNeighbour : Weights.nodeBeyond)
    }
  }

  /// As a host on a switch we hear the switch's own announcements, and nobody else's.
  private func addAnnouncer(_ station: Picture.Station, _ own: MACAddress, _ scale: inout Scale<MACAddress>) {
    guard vantage.vantage == .host, station.mac == vantage.observer else { return }
    var announcers: [MACAddress: Evidence] = [:]
    picture.each { other, item in
      guard devices.contains(other.mac), other.mac != station.mac else { return }
      let bases: Set<String> = ["lldp", "cdp", "stp"]
      guard bases.contains(item.basis), item.claim == .playsRole(.switch) || item.claim == .playsRole(.accessPoint) else {
        return
      }
      announcers[boxes.box(of: other.mac)] = item
    }
    if announcers.count == 1, let (box, item) = announcers.first, box != own { scale.add(box, item, Weights.onlyAnnouncer) }
  }
}
