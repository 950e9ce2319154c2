import Wire

/// Which stations are devices, and what they are called.
enum HostRules {
  /// Stations that are devices of this home: they sent frames, and nothing says that their address is nobody's.
  static func devices(_ picture: Picture) -> Set<MACAddress> {
    var out = Set<MACAddress>()
    let invented = invented(picture)
    for mac in picture.order where mac.isStation && !invented.contains(mac) {
      guard let station = picture.station(mac), station.sends else { continue }
      // The address of a router's role is listed with its member; where nobody named one, by itself.
      if mac.isVirtualRouter, picture.members(ofGroup: mac).contains(where: { picture.station($0)?.sends ?? false }) { continue }
      if picture.fictitious.contains(mac) { continue }
      out.insert(mac)
    }
    return out
  }

  /// Clients that somebody makes up to empty an address pool: dozens of addresses within minutes that asked DHCP once or twice and said
  /// nothing else. Real devices announce, look for their gateway, and stay.
  static func invented(_ picture: Picture) -> Set<MACAddress> {
    var asked: [(at: Int64, mac: MACAddress)] = []
    for mac in picture.order where mac.isStation {
      guard let station = picture.station(mac), let row = station.row, (1...4).contains(row.sentFrames) else { continue }
      let isOnlyClient = station.evidence.contains { if case .requestsLease = $0.claim { $0.carrier == mac } else { false } }
      guard isOnlyClient, station.evidence.allSatisfy({ $0.basis == "dhcp" }) else { continue }
      asked.append((row.firstSeen, mac))
    }
    guard asked.count >= 32 else { return [] }
    asked.sort { ($0.at, $0.mac) < ($1.at, $1.mac) }
    var out = Set<MACAddress>()
    for start in 0...(asked.count - 32) where asked[start + 31].at - asked[start].at <= 300_000_000_000 {
      for entry in asked[start..<(start + 32)] { out.insert(entry.mac) }
    }
    return out
  }

  /// Stations in whose name another one speaks (a client bridge, a repeater): devices behind it, when they told a name, took a lease or used an address.
  /// A forger's inventions do neither.
  static func spokenFor(_ picture: Picture, devices: Set<MACAddress>) -> [MACAddress: (by: MACAddress, evidence: Evidence)] {
    var out: [MACAddress: (by: MACAddress, evidence: Evidence)] = [:]
    var unused: [MACAddress: [MACAddress]] = [:]
    for mac in picture.order where devices.contains(mac) {
      guard picture.speakersForOthers.contains(mac), let station = picture.station(mac) else { continue }
      let used = addressesUsed(by: station)
      for item in station.evidence {
        guard case .speaksFor(let other) = item.claim, other.isStation, !devices.contains(other) else { continue }
        let told = picture.station(other)?.evidence.contains {
          switch $0.claim {
          case .isNamed, .has(.vendorClass, _): true
          case .leased(let lease): !lease.isOffer
          default: false
          }
        }
        let isLive = isLive(other, used, picture)
        guard isLive || told ?? false else { continue }
        out[other] = (mac, item)
        if !isLive { unused[mac, default: []].append(other) }
      }
    }
    // More than a household has, and none of their addresses was ever used: somebody makes them up.
    for (_, invented) in unused where invented.count >= 16 { for mac in invented { out[mac] = nil } }
    return out
  }

  /// Addresses from which a station's frames spoke, whoever stands behind it.
  static func addressesUsed(by station: Picture.Station) -> Set<IPAddress> {
    var out = Set(station.bindings.lazy.filter { $0.framesFrom > 0 }.map(\.address))
    for item in station.evidence { if case .holds(let address, _) = item.claim { out.insert(address) } }
    return out
  }

  /// Whether a client in whose name another station asked for an address is more than a name: it spoke of something else as well, or what
  /// it got was used.
  static func isLive(_ client: MACAddress, _ used: Set<IPAddress>, _ picture: Picture) -> Bool {
    picture.station(client)?.evidence.contains { item in
      switch item.claim {
      case .leased(let lease): !lease.isOffer && used.contains(IPAddress(lease.address))
      case .wants(let address): used.contains(address)
      default: item.basis != "dhcp"
      }
    } ?? false
  }

  /// The name to show first: what the owner or the host itself says, before what others call it (`inference.md` 8).
  private static func rank(_ source: String, _ kind: NameKind) -> Int {
    switch (source, kind) {
    case ("dhcp", .host), ("dhcpv6", .host): 0
    case ("mdns", .host): 1
    case ("nbns", .host), ("llmnr", .host), ("browser", .host): 2
    case ("lltd", _): 3
    case (_, .friendly): 4
    case (_, .system): 5
    case ("dns", _): 6
    default: 7
    }
  }

  static func names(_ station: Picture.Station, addresses: [IPAddress], _ picture: Picture) -> [HostName] {
    var found: [(rank: Int, name: HostName)] = []
    func add(_ item: Evidence) {
      guard case .isNamed(let text, let kind) = item.claim, kind != .group, !text.isEmpty else { return }
      found.append(
        (
          rank(item.basis, kind),
          HostName(text: text, source: item.basis, frame: item.firstFrame, field: item.field)
        ))
    }
    station.evidence.forEach(add)
    for address in addresses { (picture.addresses[address] ?? []).forEach(add) }
    found.sort { ($0.rank, $0.name.frame) < ($1.rank, $1.name.frame) }
    return once(found.map(\.name))
  }

  /// Each name that a protocol told, where it stands first.
  static func once(_ names: [HostName]) -> [HostName] {
    var out: [HostName] = []
    for name in names where !out.contains(where: { $0.text == name.text && $0.source == name.source }) { out.append(name) }
    return out
  }

  static func trait(_ trait: Trait, _ station: Picture.Station) -> WireText? {
    for item in station.evidence { if case .has(trait, let text) = item.claim, !text.isEmpty { return text } }
    return nil
  }

  /// What a station says of its make, model, system and services.
  static func statements(_ station: Picture.Station) -> [Reason] {
    station.evidence.compactMap { item in
      switch item.claim {
      case .has(let trait, let text): text.isEmpty ? nil : trait.word.map { item.reason(item.grade.decibans, why: $0) }
      case .offers(let text): text.isEmpty ? nil : item.reason(item.grade.decibans, why: "service")
      default: nil
      }
    }
  }
}

extension Trait {
  /// What it is, where people ask for it.
  var word: String? {
    switch self {
    case .model: "model"
    case .manufacturer: "maker"
    case .operatingSystem: "operating system"
    case .software: "software"
    case .hardware: "hardware"
    case .vendorClass: "vendor class"
    case .userClass: "user class"
    case .portName: "port"
    case .comment: "comment"
    case .fingerprint, .clientIdentifier, .uuid, .location, .domain: nil
    }
  }
}

extension Grade {
  /// The weight of what such a record says by itself (`inference.md` 1).
  var decibans: Int {
    switch self {
    case .a: 25
    case .b: 15
    case .c: 7
    case .d: 3
    }
  }
}
