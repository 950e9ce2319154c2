import Model
import Publish
import Wire

/// What a snapshot gets before anybody sees it: who is there and who is gone, makers' names, and what the owner says of his devices.
struct Finishing {
  private var attendance: Attendance
  private var periods: Periods
  private var vendors: [MACAddress: String?] = [:]
  /// Not before this is the registry read again.
  private var nextLookUp: Int64 = 0
  private var devices: [MACAddress: Given]
  private var subnets: [(prefix: Prefix, kind: Subnet.Kind)]

  /// - Parameters:
  ///   - record: what earlier runs knew; nil without a history.
  ///   - periods: what was moved since the day and the month began.
  init(_ configuration: Configuration, record: Attendance.Record? = nil, periods: Periods = Periods()) {
    attendance = Attendance(record)
    self.periods = periods
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
    periods.fill(&snapshot)
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
    // Last, since who is expected here is the owner's word.
    attendance.report(&snapshot)
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
      // Devices of one maker share its name.
      var makers = Set<String>()
      for mac in unknown { vendors[mac] = .some(names.name(of: mac).map { makers.insert($0).memberAfterInsert }) }
    }
    for at in snapshot.hosts.indices {
      if case .some(.some(let name)) = vendors[snapshot.hosts[at].id] { snapshot.hosts[at].vendor = name }
    }
  }
}
