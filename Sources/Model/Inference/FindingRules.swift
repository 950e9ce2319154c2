import Wire

/// What is odd: one rule for each id of `report.md`, each with its false friends kept out (`inference.md` 9).
struct FindingRules {
  let picture: Picture
  let boxes: Boxes
  let devices: Set<MACAddress>
  let owned: [MACAddress: [IPAddress: Evidence?]]
  let snapshot: Snapshot
  /// Addresses that are somebody's way out.
  let gatewayAddresses: Set<IPAddress>
  private let places: [MACAddress: Int]
  // What several rules ask for.
  private(set) var contested: [IPAddress: Set<MACAddress>] = [:]
  private(set) var spoofers: [MACAddress: [Evidence]] = [:]
  private(set) var proxyStations: [(mac: MACAddress, items: [Evidence])] = []

  init(picture: Picture, boxes: Boxes, devices: Set<MACAddress>, owned: [MACAddress: [IPAddress: Evidence?]], snapshot: Snapshot) {
    self.picture = picture
    self.boxes = boxes
    self.devices = devices
    self.owned = owned
    self.snapshot = snapshot
    var places: [MACAddress: Int] = [:]
    for at in snapshot.hosts.indices {
      places[snapshot.hosts[at].id] = at
      for mac in snapshot.hosts[at].virtualMACs { places[mac] = at }
    }
    self.places = places
    gatewayAddresses = Set(snapshot.subnets.flatMap { $0.gateways.map(\.address) })
    contested = findContested()
    spoofers = findSpoofers()
    proxyStations = findProxyStations()
  }

  func judge() -> [Finding] {
    var out: [Finding] = []
    let rules: [(FindingRules) -> () -> [Finding]] = [
      FindingRules.rogueServers, FindingRules.spoofing, FindingRules.rogueAdvertisements, FindingRules.starvation, FindingRules.conflicts,
      FindingRules.doubleTranslation, FindingRules.secondRouters, FindingRules.proxies, FindingRules.hidden, FindingRules.translators,
      FindingRules.linkLocalOnly, FindingRules.gatewayChanges, FindingRules.duplicates, FindingRules.guests,
      FindingRules.twoSubnets, FindingRules.bridgedDevices, FindingRules.tags, FindingRules.floods, FindingRules.broadcasts,
      FindingRules.visibility, FindingRules.losses,
    ]
    for rule in rules { out += rule(self)() }
    return out.sorted { ($1.severity, $0.id.rawValue) < ($0.severity, $1.id.rawValue) }
  }

  func host(_ mac: MACAddress) -> Host? { places[mac].map { snapshot.hosts[$0] } }

  func name(_ mac: MACAddress) -> String {
    guard let host = host(mac) else { return mac.description }
    if let name = host.name?.display, !name.isEmpty { return "\(name) (\(mac))" }
    return mac.description
  }
}
