import Model
import Publish
import Wire

/// What everything in a snapshot moved today and this month: devices and the internet line over restarts, by the history; interfaces and
/// conversations, which the history does not keep, since the start, and then at least that.
struct Periods {
  /// What earlier runs wrote of the day or the month that is now.
  struct Carried {
    var devices: [MACAddress: Traffic.Period] = [:]
    var internet = Traffic.Period.zero
  }

  private enum Line: Hashable {
    case internet
    case interface(WireText)
  }

  private struct Span {
    let tier: HistoryTier
    let path: WritableKeyPath<Traffic, Traffic.Period?>
    var devices: PeriodTotals<MACAddress>
    var lines: PeriodTotals<Line>
    /// Conversations come and go: more than a snapshot lists, so that one that is back soon is known.
    var talks = PeriodTotals<[Endpoint]>(limit: 16 * Snapshot.conversationLimit)
    /// Whether an earlier run counted in this span what nobody kept.
    var hasEarlier: Bool

    init(_ tier: HistoryTier, _ path: WritableKeyPath<Traffic, Traffic.Period?>, _ carried: Carried) {
      self.tier = tier
      self.path = path
      devices = PeriodTotals(carried: carried.devices)
      lines = PeriodTotals(limit: 256, carried: [.internet: carried.internet])
      hasEarlier = !carried.devices.isEmpty
    }

    mutating func fill(_ snapshot: inout Snapshot) {
      let start = tier.start(Int(snapshot.taken.second))
      devices.begin(start)
      lines.begin(start)
      talks.begin(start)
      for at in snapshot.hosts.indices {
        snapshot.hosts[at].traffic[keyPath: path] = devices.total(of: snapshot.hosts[at].id, snapshot.hosts[at].traffic)
      }
      fillSums(&snapshot)
      if let internet = snapshot.internet { snapshot.internet?[keyPath: path] = lines.total(of: .internet, internet) }
      let began = snapshot.capture.started.map { Int($0.second) }
      // Once the span in which we were started is over, nothing of an earlier run is missing any more.
      let isFirst = began.map { $0 >= start } ?? true
      for at in snapshot.interfaces.indices {
        let use = snapshot.interfaces[at]
        snapshot.interfaces[at].traffic[keyPath: path] = lines.total(of: .interface(use.name), use.traffic, isWhole: isFirst)
        if isFirst, hasEarlier { snapshot.interfaces[at].traffic.isLowerBound = true }
      }
      for at in snapshot.conversations.indices {
        let talk = snapshot.conversations[at]
        guard let traffic = talk.traffic else { continue }
        snapshot.conversations[at].traffic?[keyPath: path] = talks.total(of: [talk.a, talk.b], traffic, isWhole: isFirst)
        if !isFirst || hasEarlier { snapshot.conversations[at].traffic?.isLowerBound = true }
      }
      talks.makeRoom(keeping: Set(snapshot.conversations.map { [$0.a, $0.b] }))
    }

    /// Subnets and link types are the sums of their devices.
    private func fillSums(_ snapshot: inout Snapshot) {
      var places: [MACAddress: Int] = [:]
      for (at, host) in snapshot.hosts.enumerated() { for mac in [host.id] + host.virtualMACs { places[mac] = at } }
      let hosts = snapshot.hosts
      func sum(_ members: [MACAddress]) -> Traffic.Period {
        // A box with two addresses in a subnet counts once.
        Set(members.compactMap { places[$0] }).reduce(Traffic.Period.zero) {
          $0 + (hosts[$1].traffic[keyPath: path] ?? Traffic.Period.zero)
        }
      }
      for at in snapshot.subnets.indices { snapshot.subnets[at].traffic[keyPath: path] = sum(snapshot.subnets[at].hosts) }
      for at in snapshot.linkTypes.indices { snapshot.linkTypes[at].traffic[keyPath: path] = sum(snapshot.linkTypes[at].devices) }
    }
  }

  private var spans: [Span]

  init(today: Carried = Carried(), month: Carried = Carried()) {
    spans = [Span(.day, \.today, today), Span(.month, \.month, month)]
  }

  mutating func fill(_ snapshot: inout Snapshot) { for at in spans.indices { spans[at].fill(&snapshot) } }
}
