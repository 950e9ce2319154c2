import Model
import Publish
import Wire

/// What a snapshot gets before anybody sees it: who is there and who is gone, makers' names, and what the owner says of his devices.
struct Finishing {
  private var attendance: Attendance
  private var periods: Periods
  private let makers: MakerBook
  /// Not before this is the registry read again.
  private var nextLookUp: Int64 = 0
  private var devices: [MACAddress: Given]
  private var subnets: [(prefix: Prefix, kind: Subnet.Kind)]

  /// - Parameters:
  ///   - record: what earlier runs knew; nil without a history.
  ///   - periods: what was moved since the day and the month began.
  ///   - makers: what is known of makers' names, and what the capturing thread asks.
  init(_ configuration: Configuration, record: Attendance.Record? = nil, periods: Periods = Periods(), makers: MakerBook) {
    self.makers = makers
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
    let unknown = makers.unknown(snapshot.hosts.map(\.id).filter { !$0.isLocal })
    let now = Clocks.steady()
    if !unknown.isEmpty, now >= nextLookUp {
      defer { nextLookUp = Clocks.steady() + 20 * (Clocks.steady() - now) }
      makers.learn(unknown, limit: 2 * max(4096, snapshot.hosts.count))
    }
    let names = makers.names(snapshot.hosts.map(\.id))
    for at in snapshot.hosts.indices { snapshot.hosts[at].vendor = names[snapshot.hosts[at].id] }
  }
}
