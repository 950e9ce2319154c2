public import Model
import Wire

/// The log: one line for each change of the topology, and every few minutes a round of lines that say who moved how much.
///
/// For people and for programs: `event=new mac=0c:8b:fd:01:02:03 ip=192.168.0.12 name="anna-laptop"`. Rates are bits per second, totals bytes.
public struct LogPublisher: Publisher {
  public let name = "log"

  /// Lines of one round: the network, the internet line, interfaces, subnets and link types, then the busiest devices (P12).
  static let roundLimit = 16
  /// So many subnets, and so many link types, that some lines are left for devices.
  private static let partLimit = 4
  private static let interfaceLimit = 2

  private let sink: LogSink
  private var settings: PublishSettings.Log
  /// Totals at the last round.
  private var round: Round?

  private struct Round {
    var elapsed: Int64
    var devices: [MACAddress: Part] = [:]
    var internet = Part()
    var interfaces: [WireText: Part] = [:]
  }

  public init(_ settings: PublishSettings.Log, to sink: LogSink) {
    self.settings = settings
    self.sink = sink
  }

  public mutating func publish(_ snapshot: Snapshot, since last: Digest?) throws(PublishError) {
    for change in Changes(from: last, to: snapshot).all { sink.note(LogPublisher.line(for: change)) }
    throughput(snapshot, isEnd: false)
  }

  public mutating func finish(_ snapshot: Snapshot?, since last: Digest?) throws(PublishError) {
    guard let snapshot else { return }
    for change in Changes(from: last, to: snapshot).all { sink.note(LogPublisher.line(for: change)) }
    throughput(snapshot, isEnd: true)
  }

  /// New settings, after a reload: what was counted stays.
  public mutating func take(_ settings: PublishSettings.Log) { self.settings = settings }

  // MARK: Changes

  static func line(for change: Change) -> LogLine {
    switch change {
    case .new(let host):
      var line = LogLine(change.word, host.given?.isExpected == true ? .info : .notice)
      describe(host, &line)
      return line
    case .back(let host):
      var line = LogLine(change.word)
      describe(host, &line)
      return line
    case .gone(let host):
      var line = LogLine(change.word, host.given?.isExpected == true ? .notice : .info)
      identify(host, &line)
      line.add("last-seen", Clock.utc(host.lastSeen))
      return line
    case .addressChanged(let host, let from):
      var line = LogLine(change.word, from.isEmpty ? .info : .notice)
      identify(host, &line)
      line.add("was", list(from))
      return line
    case .moved(let host, let from, let medium):
      var line = LogLine(change.word, .notice)
      identify(host, &line)
      line.add("attached-to", host.attachedTo?.answer.description)
      line.add("was-attached-to", from == host.attachedTo?.answer ? nil : from?.description)
      line.add("medium", host.medium?.answer.rawValue)
      line.add("was-medium", medium == host.medium?.answer ? nil : medium?.rawValue)
      return line
    case .finding(let finding): return line(for: finding, change.word)
    case .cleared(let finding): return line(for: finding, change.word)
    }
  }

  private static func line(for finding: Finding, _ word: String) -> LogLine {
    let priority: LogLine.Priority = word == "cleared" ? .info : finding.severity == .problem ? .warning : .notice
    // A kind for each severity: what is merely interesting shall not use up the lines of what is wrong.
    var line = LogLine(word, priority, kind: "\(word):\(finding.severity.rawValue)")
    line.add("id", finding.id.rawValue)
    line.add("severity", finding.severity.rawValue)
    line.add("devices", finding.hosts.prefix(8).map(\.description).joined(separator: ","))
    line.add("text", finding.text)
    return line
  }

  private static func list(_ addresses: [IPv4Address]) -> String { addresses.prefix(4).map(\.description).joined(separator: ",") }

  /// Which device it is.
  private static func identify(_ host: Host, _ line: inout LogLine) {
    line.add("mac", host.id.description)
    line.add("ip", list(host.ipv4))
    line.add("name", host.name)
  }

  private static func describe(_ host: Host, _ line: inout LogLine) {
    identify(host, &line)
    if host.ipv4.isEmpty { line.add("ip6", host.ipv6.prefix(2).map(\.description).joined(separator: ",")) }
    line.add("vendor", host.vendor)
    if host.isRandomised { line.add("private", "yes") }
    line.add("role", host.roles.first { $0 != .host }?.rawValue)
    line.add("subnet", host.subnets.first?.description)
    line.add("medium", host.medium?.answer.rawValue)
    line.add("attached-to", host.attachedTo?.answer.description)
    if let given = host.given { line.add("expected", given.isExpected ? "yes" : "no") }
  }

  // MARK: Throughput

  private mutating func throughput(_ snapshot: Snapshot, isEnd: Bool) {
    guard settings.throughputInterval > 0 else { return }
    guard let last = round else {
      // The first round ends an interval after the start, and counts from nothing.
      round = Round(elapsed: 0)
      return throughput(snapshot, isEnd: isEnd)
    }
    let span = snapshot.elapsed - last.elapsed
    let isDue = span >= Int64(settings.throughputInterval) * 1_000_000_000
    guard isDue || (isEnd && span >= 1_000_000_000) else { return }
    for line in lines(snapshot, last, seconds: Double(span) / 1e9) { sink.noteAlways(line) }
    round = Round(
      elapsed: snapshot.elapsed, devices: Dictionary(snapshot.hosts.map { ($0.id, Part($0.traffic)) }, uniquingKeysWith: { a, _ in a }),
      internet: snapshot.internet.map { Part($0) } ?? Part(),
      interfaces: Dictionary(snapshot.interfaces.map { ($0.name, Part($0.traffic)) }, uniquingKeysWith: { a, _ in a }))
  }

  /// Bytes in all, or since the last round.
  private struct Part {
    var down = 0
    var up = 0
    var internet = 0
    var local = 0
    var far = 0
    var isLowerBound = false
    var sum: Int { down + up }

    init() {}
    init(_ traffic: Traffic) {
      down = traffic.receivedBytes
      up = traffic.sentBytes
      internet = traffic.internetBytes
      local = traffic.localBytes
      far = traffic.operatorBytes
      isLowerBound = traffic.isLowerBound
    }
    /// None for a row that began anew.
    func since(_ old: Part?) -> Part {
      guard let old else { return self }
      var out = self
      out.down = max(0, down - old.down)
      out.up = max(0, up - old.up)
      out.internet = max(0, internet - old.internet)
      out.local = max(0, local - old.local)
      out.far = max(0, far - old.far)
      return out
    }
    mutating func add(_ other: Part) {
      down += other.down
      up += other.up
      internet += other.internet
      local += other.local
      far += other.far
      isLowerBound = isLowerBound || other.isLowerBound
    }
  }

  private func lines(_ snapshot: Snapshot, _ last: Round, seconds: Double) -> [LogLine] {
    var parts: [MACAddress: Part] = [:]
    var all = Part()
    for host in snapshot.hosts {
      let part = Part(host.traffic).since(last.devices[host.id])
      parts[host.id] = part
      all.add(part)
    }
    func sum(_ ids: [MACAddress]) -> Part {
      var out = Part()
      for id in ids { if let part = parts[id] { out.add(part) } }
      return out
    }
    var out = [fill("network", all, seconds).with("devices", snapshot.hosts.count { $0.isPresent })]
    if let internet = snapshot.internet {
      let part = Part(internet).since(last.internet)
      if part.sum > 0 { out.append(fill("internet", part, seconds)) }
    }
    // With one interface it is the network's line once more.
    let uses = snapshot.interfaces.count > 1 ? snapshot.interfaces : []
    let ports = uses.map { (use: $0, part: Part($0.traffic).since(last.interfaces[$0.name])) }.filter { $0.part.sum > 0 }
    for (use, part) in ports.sorted(by: { $0.part.sum > $1.part.sum }).prefix(LogPublisher.interfaceLimit) {
      out.append(fill("interface", part, seconds, id: use.name.display))
    }
    let subnets = snapshot.subnets.map { (subnet: $0, part: sum($0.hosts)) }.filter { $0.part.sum > 0 }
    for (subnet, part) in subnets.sorted(by: { $0.part.sum > $1.part.sum }).prefix(LogPublisher.partLimit) {
      out.append(fill("subnet", part, seconds, id: subnet.prefix.description).with("kind", subnet.kind.rawValue))
    }
    let media = snapshot.linkTypes.map { (use: $0, part: sum($0.devices)) }.filter { $0.part.sum > 0 }
    for (use, part) in media.sorted(by: { $0.part.sum > $1.part.sum }).prefix(LogPublisher.partLimit) {
      out.append(fill("medium", part, seconds, id: use.medium?.rawValue ?? "unknown"))
    }
    let busy = snapshot.hosts.filter { (parts[$0.id]?.sum ?? 0) > 0 }.sorted {
      let (x, y) = (parts[$0.id]?.sum ?? 0, parts[$1.id]?.sum ?? 0)
      return x != y ? x > y : $0.id < $1.id
    }
    let room = min(settings.busiest, LogPublisher.roundLimit - out.count)
    for host in busy.prefix(max(0, room)) {
      var line = fill("device", parts[host.id] ?? Part(), seconds, id: host.id.description)
      line.add("ip", LogPublisher.list(host.ipv4))
      line.add("name", host.name)
      out.append(line)
    }
    return out
  }

  private func fill(_ scope: String, _ part: Part, _ seconds: Double, id: String? = nil) -> LogLine {
    func rate(_ bytes: Int) -> Int { Int((Double(bytes) * 8 / seconds).rounded()) }
    var line = LogLine("throughput")
    line.add("of", scope)
    line.add(scope, id)
    line.add("seconds", Int(seconds.rounded()))
    line.add("down", rate(part.down))
    line.add("up", rate(part.up))
    line.add("bytes", part.sum)
    line.add("internet", part.internet)
    line.add("local", part.local)
    if part.far > 0 { line.add("operator", part.far) }
    if part.isLowerBound { line.add("at-least", "yes") }
    return line
  }
}
