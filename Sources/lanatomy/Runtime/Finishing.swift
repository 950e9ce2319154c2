import Model
import Publish
import Wire

/// What a snapshot gets before anybody sees it: who is there and who is gone, makers' names, and what the owner says of his devices.
struct Finishing {
  private var attendance: Attendance
  private var day: PeriodTotals
  private var month: PeriodTotals
  private var vendors: [MACAddress: String?] = [:]
  /// Not before this is the registry read again.
  private var nextLookUp: Int64 = 0
  private var devices: [MACAddress: Given]
  private var subnets: [(prefix: Prefix, kind: Subnet.Kind)]

  /// - Parameters:
  ///   - known: what earlier runs knew: when each device was last heard.
  ///   - today, month: what it moved since the day and the month began.
  init(
    _ configuration: Configuration, known: [MACAddress: Timestamp] = [:], today: [MACAddress: Traffic.Period] = [:],
    month: [MACAddress: Traffic.Period] = [:]
  ) {
    attendance = Attendance(known: known)
    day = PeriodTotals(carried: today)
    self.month = PeriodTotals(carried: month)
    devices = configuration.devices
    subnets = configuration.subnets
  }

  mutating func take(_ configuration: Configuration) {
    devices = configuration.devices
    subnets = configuration.subnets
  }

  mutating func finish(_ snapshot: inout Snapshot) {
    attendance.attend(&snapshot, isListening: !snapshot.capture.linkTypes.isEmpty)
    nameMakers(&snapshot)
    sum(&snapshot)
    let devices = devices
    for at in snapshot.hosts.indices {
      let host = snapshot.hosts[at]
      guard let given = devices[host.id] ?? host.virtualMACs.lazy.compactMap({ devices[$0] }).first else { continue }
      snapshot.hosts[at].given = given
      if let name = given.name { snapshot.hosts[at].names.insert(HostName(text: name, source: "config", frame: 0), at: 0) }
      if let kind = given.kind {
        snapshot.hosts[at].roles.removeAll { $0 == kind || $0 == .host }
        snapshot.hosts[at].roles.insert(kind, at: 0)
      }
    }
    let subnets = subnets
    for at in snapshot.subnets.indices {
      guard let known = subnets.first(where: { $0.prefix == snapshot.subnets[at].prefix }) else { continue }
      snapshot.subnets[at].kind = known.kind
      snapshot.subnets[at].reason = "the configuration says so"
      snapshot.subnets[at].confidence = 1
      snapshot.subnets[at].judged = Verdict(known.kind, confidence: 1, reasons: [.owners("kind", known.kind.rawValue)])
    }
  }

  /// Each maker is looked up once: the registry is four megabytes of text. Whatever new addresses somebody makes up, that takes a twentieth
  /// of this thread's time at most.
  private mutating func nameMakers(_ snapshot: inout Snapshot) {
    let unknown = snapshot.hosts.map(\.id).filter { !$0.isLocal && vendors[$0] == nil }
    let now = Clocks.steady()
    if !unknown.isEmpty, now >= nextLookUp {
      defer { nextLookUp = Clocks.steady() + 20 * (Clocks.steady() - now) }
      let names = Vendors.load(for: unknown)
      // No more than there are devices in a snapshot, twice: a flood of made-up addresses shall not be remembered for ever.
      if vendors.count + unknown.count > 2 * max(4096, snapshot.hosts.count) { vendors = [:] }
      for mac in unknown { vendors[mac] = .some(names.name(of: mac)) }
    }
    for at in snapshot.hosts.indices {
      if case .some(.some(let name)) = vendors[snapshot.hosts[at].id] { snapshot.hosts[at].vendor = name }
    }
  }

  /// Totals of the day and the month, for each device, subnet and link type.
  private mutating func sum(_ snapshot: inout Snapshot) {
    let second = Int(snapshot.taken.second)
    day.begin(HistoryTier.day.start(second))
    month.begin(HistoryTier.month.start(second))
    var places: [MACAddress: Int] = [:]
    for at in snapshot.hosts.indices {
      let host = snapshot.hosts[at]
      snapshot.hosts[at].traffic.today = day.total(of: host)
      snapshot.hosts[at].traffic.month = month.total(of: host)
      for mac in [host.id] + host.virtualMACs { places[mac] = at }
    }
    let hosts = snapshot.hosts
    func sum(_ members: [MACAddress], _ traffic: inout Traffic) {
      var today = Traffic.Period(down: 0, up: 0)
      var month = Traffic.Period(down: 0, up: 0)
      // A box with two addresses in a subnet counts once.
      for at in Set(members.compactMap { places[$0] }) {
        if let more = hosts[at].traffic.today { today = today + more }
        if let more = hosts[at].traffic.month { month = month + more }
      }
      traffic.today = today
      traffic.month = month
    }
    for at in snapshot.subnets.indices { sum(snapshot.subnets[at].hosts, &snapshot.subnets[at].traffic) }
    for at in snapshot.linkTypes.indices { sum(snapshot.linkTypes[at].devices, &snapshot.linkTypes[at].traffic) }
  }
}
