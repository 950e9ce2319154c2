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

  init(_ picture: Picture, devices: Set<MACAddress>) {
    var parent: [MACAddress: MACAddress] = [:]
    func root(_ mac: MACAddress) -> MACAddress {
      var at = mac
      while let up = parent[at], up != at { at = up }
      return at
    }
    /// The one that sent frames stays, then the smaller.
    func join(_ a: MACAddress, _ b: MACAddress) {
      let (x, y) = (root(a), root(b))
      guard x != y else { return }
      let xFirst = devices.contains(x) == devices.contains(y) ? x < y : devices.contains(x)
      parent[xFirst ? y : x] = xFirst ? x : y
    }

    var named: [MACAddress: [Evidence]] = [:]
    picture.each { station, item in
      switch item.claim {
      case .isSameBox(let other) where other.isStation && item.observation.grade >= .b: join(station.mac, other)
      case .runsBSS(let bssid, _) where bssid.isStation && bssid != station.mac: join(station.mac, bssid)
      case .isStation(let bssid, _) where bssid.isStation: named[bssid, default: []].append(item)
      default: break
      }
    }
    // A role that moves between routers is listed with the one that played it last: its members stay boxes of their own.
    for mac in picture.order where picture.isRouterGroup(mac) {
      if let member = picture.members(ofGroup: mac).last(where: devices.contains), member != mac { join(member, mac) }
    }
    // All that the capturing machine sends from is one box.
    let ours = devices.sorted().filter { picture.station($0)?.row?.flags.isOurs ?? false }
    for mac in ours.dropFirst() { join(ours[0], mac) }
    // A radio near a known box's own address: makers number the interfaces of a box in a run, virtual radios set the local bit.
    let routers = devices.filter { VantageRules.isGateway($0, picture) || Boxes.isAccessPoint($0, picture) }.sorted()
    for bssid in named.keys.sorted() where !devices.contains(bssid) && root(bssid) == bssid && !Boxes.isOwned(bssid, picture) {
      let near = routers.filter { Boxes.isRun($0, bssid) }
      if near.count == 1, let only = near.first {
        join(only, bssid)
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

  private static func isAccessPoint(_ mac: MACAddress, _ picture: Picture) -> Bool {
    picture.station(mac)?.evidence.contains {
      if case .runsBSS = $0.claim { true } else { $0.claim == .playsRole(.accessPoint) }
    } ?? false
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
