import Wire

/// Which addresses belong to one box: interfaces that say so, radios of a known access point, and roles that move between routers.
struct Boxes {
  /// The box of each address that was joined to another.
  private(set) var box: [MACAddress: MACAddress] = [:]
  /// Further addresses of each box, the first being its id.
  private(set) var aliases: [MACAddress: [MACAddress]] = [:]
  /// Access points that nobody owns up to: radios that stations name, and that never sent a frame here.
  private(set) var inferredRadios: [MACAddress: [Evidence]] = [:]
  /// Radios that are a box's by their number alone: where stations hang, and nothing more of the box.
  private(set) var radiosByNumber = Set<MACAddress>()
  /// What joined two addresses, by each of them: the first few records.
  private var bonds: [MACAddress: [(other: MACAddress, reason: Reason)]] = [:]

  init(_ picture: Picture, devices: Set<MACAddress>) {
    var parent: [MACAddress: MACAddress] = [:]
    func root(_ mac: MACAddress) -> MACAddress {
      var at = mac
      while let up = parent[at], up != at { at = up }
      return at
    }
    /// The one that sent frames stays, then the smaller.
    func join(_ a: MACAddress, _ b: MACAddress, _ reason: Reason) {
      for (mac, other) in [(a, b), (b, a)] where a != b && bonds[mac]?.count ?? 0 < 4 { bonds[mac, default: []].append((other, reason)) }
      let (x, y) = (root(a), root(b))
      guard x != y else { return }
      let xFirst = devices.contains(x) == devices.contains(y) ? x < y : devices.contains(x)
      parent[xFirst ? y : x] = xFirst ? x : y
    }

    var named: [MACAddress: [Evidence]] = [:]
    var cells: [WireText: [(mac: MACAddress, item: Evidence)]] = [:]
    picture.each { station, item in
      switch item.claim {
      case .isSameBox(let other) where other.isStation && item.grade >= .b:
        join(station.mac, other, item.reason(Weights.sameBoxSaid))
      case .runsBSS(let bssid, _) where bssid.isStation && bssid != station.mac: join(station.mac, bssid, item.reason(Weights.ownCell))
      case .isStation(let bssid, _) where bssid.isStation: named[bssid, default: []].append(item)
      case .has(.uuid, let text) where item.basis == "802.11" && !text.isEmpty:
        cells[text, default: []].append((station.mac, item))
      default: break
      }
    }
    // An access point gives one identifier for all its radios, and numbers them in a run. Neither proves it alone: boxes leave their
    // factory with the same identifier, and with addresses one behind the other.
    for (_, radios) in cells.sorted(by: { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }) {
      for (radio, next) in zip(radios, radios.dropFirst()) where Boxes.isRun(radio.mac, next.mac) {
        join(radio.mac, next.mac, next.item.reason(Weights.sameIdentifier))
      }
    }
    // A role that moves between routers is listed with the one that played it last: its members stay boxes of their own.
    for mac in picture.order where picture.isRouterGroup(mac) {
      if let member = picture.members(ofGroup: mac).last(where: devices.contains), member != mac {
        let item = picture.station(mac)?.first { if case .isVirtualRouter = $0 { true } else { false } }
        join(member, mac, item?.reason(Weights.playsRouter) ?? Boxes.own(mac, Weights.playsRouter))
      }
    }
    // All that the capturing machine sends from is one box.
    let ours = devices.filter { picture.station($0)?.row?.flags.isOurs ?? false }.sorted()
    for mac in ours.dropFirst() { join(ours[0], mac, Boxes.own(mac, Weights.ownMachine)) }
    // A radio near a known box's own address: makers number the interfaces of a box in a run, virtual radios set the local bit.
    let routers =
      named.isEmpty ? [] : devices.filter { VantageRules.isGateway($0, picture) || picture.accessPoints.contains($0) }.sorted()
    for bssid in named.keys.sorted() where !devices.contains(bssid) && root(bssid) == bssid && !Boxes.isOwned(bssid, picture) {
      let near = routers.filter { Boxes.isRun($0, bssid) }
      if near.count == 1, let only = near.first {
        join(only, bssid, named[bssid]?.first?.reason(Weights.nextInRun, value: bssid.description) ?? Boxes.own(bssid, Weights.nextInRun))
        radiosByNumber.insert(bssid)
      } else {
        inferredRadios[bssid] = named[bssid]
      }
    }
    let joined = Set(parent.keys)
    for mac in joined.sorted() {
      let home = root(mac)
      guard home != mac else { continue }
      box[mac] = home
      aliases[home, default: []].append(mac)
    }
  }

  /// Whether a station runs a BSS under another address of its own; that a BSSID runs itself says not whose it is.
  private static func isOwned(_ bssid: MACAddress, _ picture: Picture) -> Bool {
    picture.bssOwners[bssid]?.contains { $0.owner != bssid } ?? false
  }

  func box(of mac: MACAddress) -> MACAddress { box[mac] ?? mac }

  /// Why an address belongs to a box.
  func joined(_ mac: MACAddress, to box: MACAddress) -> Verdict<MACAddress> {
    let own = bonds[mac] ?? []
    let direct = own.filter { $0.other == box }
    // Two that are joined by a third one are one box as well.
    let reasons = (direct.isEmpty ? own : direct).map(\.reason).deduplicated().sorted { $0.weight > $1.weight }
    var scale = Scale<MACAddress>()
    for reason in reasons { scale.add(mac, reason, .reported) }
    return scale.verdict(others: 1) ?? Verdict(mac, confidence: 0.5, reasons: [])
  }

  /// The address itself is what tells.
  private static func own(_ mac: MACAddress, _ weight: Weight) -> Reason {
    Reason(
      basis: "ethernet", field: "source", value: WireText(mac.description), frame: nil, time: nil, weight: weight.decibans, kind: .measured,
      why: weight.why)
  }

  /// The same block, the local bit aside, and ends within sixteen of each other. Two addresses that no maker gave are no maker's run:
  /// whoever makes up addresses for containers or virtual machines may number them in a row.
  static func isRun(_ a: MACAddress, _ b: MACAddress) -> Bool {
    guard a != b, !(a.isLocal && b.isLocal), (a.oui | 0x02_00_00) == (b.oui | 0x02_00_00) else { return false }
    return abs(Int(a.suffix) - Int(b.suffix)) <= 16
  }
}

extension VantageRules {
  static func isGateway(_ mac: MACAddress, _ picture: Picture) -> Bool { picture.station(mac).map { isGateway($0, picture) } ?? false }
}
