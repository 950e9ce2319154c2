import CLinux
import Glibc
import Model
import Publish
import Wire

/// The thread that tells the world: for each new snapshot the report files, the log, the history and the service manager. It may wait for a
/// slow disk; the capture does not notice.
final class PublishLoop {
  private var configuration: Configuration
  private let arguments: Arguments
  private let exchange: Exchange
  private let sink: LogSink
  private let manager: ServiceManager

  private var channels: [Channel] = []
  private var history: HistoryPublisher?
  private var finishing: Finishing
  private var isReady = false
  private var reloads = 0
  /// A configuration that the capture has not agreed to yet.
  private var pending: Configuration?
  private var turnsAtLastSign = -1
  private var nextSign: Int64 = 0
  private var nextStatus: Int64 = 0
  private var isUntidy = false
  private var nextTidying: Int64 = 0

  /// A publisher with what it remembers of what it last published, and whether it is in trouble.
  private struct Channel {
    var publisher: any Publisher
    var last: Digest?
    var isInTrouble = false
  }

  init(_ configuration: Configuration, _ arguments: Arguments, exchange: Exchange, sink: LogSink) {
    self.configuration = configuration
    self.arguments = arguments
    self.exchange = exchange
    self.sink = sink
    manager = ServiceManager()
    finishing = Finishing(configuration, makers: exchange.makers)
    exchange.rest(configuration.publish)
  }

  /// Runs on a thread of its own until the board is finished.
  func run() {
    open()
    while true {
      exchange.bell.wait(milliseconds: 1000)
      reloadIfAsked()
      var (posted, isLast) = exchange.board.take()
      // Taken out of where it lay, so that it is finished in place.
      if let snapshot = posted.take() { publish(snapshot, isLast: isLast) }
      flush(isEnd: isLast)
      if isLast { break }
      signOfLife()
      tidy()
    }
    exchange.finish()
  }

  /// Soon after each round: to judge everything and to write it takes as much again as to know it, and only for a moment.
  private func tidy() {
    let now = Clocks.steady()
    guard isUntidy, now >= nextTidying else { return }
    isUntidy = false
    nextTidying = now + 4_000_000_000
    malloc_trim(0)
  }

  private func open() {
    if configuration.publish.log.file != nil { attempt("log") { () throws(PublishError) in try sink.reopen(configuration.publish.log) } }
    openFiles()
    channels.append(Channel(publisher: LogPublisher(configuration.publish.log, to: sink)))
    if let settings = HistorySettings(configuration.publish) {
      let sink = sink
      let publisher = HistoryPublisher(settings, given: given()) { sink.note(LogLine("history", .warning).with("text", $0)) }
      publisher.open(at: Clocks.wall())
      finishing = Finishing(
        configuration, record: publisher.record(),
        periods: Periods(today: moved(settings, since: .day), month: moved(settings, since: .month)), makers: exchange.makers)
      history = publisher
      channels.append(Channel(publisher: publisher))
    }
  }

  /// What was moved since the day or the month began, as earlier runs wrote it.
  private func moved(_ settings: HistorySettings, since tier: HistoryTier) -> Periods.Carried {
    let start = tier.start(Int(Clocks.wall().second))
    do throws(DatabaseError) {
      let reader = try HistoryReader(settings.path)
      let usage = try reader.usage(since: Timestamp(seconds: Int64(start), nanoseconds: 0))
      return Periods.Carried(
        devices: try reader.byBox(usage).mapValues { Traffic.Period(down: $0.receivedBytes, up: $0.sentBytes) },
        internet: Traffic.Period(down: usage.network.internetReceived, up: usage.network.internetSent))
    } catch {
      // The history says itself what is wrong with it.
      return Periods.Carried()
    }
  }

  private func openFiles() {
    guard let folder = configuration.publish.runtimeFolder else { return }
    attempt("files") { () throws(PublishError) in
      let publisher = try FilePublisher(
        folder: folder, configuration.publish.files, documents: FilePublisher.documents(version: Lanatomy.version))
      channels.insert(Channel(publisher: publisher), at: 0)
    }
  }

  private func given() -> [MACAddress: String] { configuration.devices.compactMapValues { $0.name?.display } }

  /// Does something that may fail: the failure is a line of the log, and life goes on.
  private func attempt(_ what: String, _ body: () throws(PublishError) -> Void) {
    do throws(PublishError) {
      try body()
    } catch {
      sink.note(LogLine("publish-failed", .error).with("of", what).with("text", error.description))
    }
  }

  // MARK: A round

  private func publish(_ snapshot: consuming Snapshot, isLast: Bool) {
    isUntidy = true
    finishing.finish(&snapshot)
    let digest = Digest(copy snapshot)
    for at in channels.indices { publish(snapshot, digest, at, isLast: isLast) }
    tell(snapshot, isLast: isLast)
  }

  private func publish(_ snapshot: Snapshot, _ digest: Digest, _ at: Int, isLast: Bool) {
    let last = channels[at].last
    do throws(PublishError) {
      if isLast {
        try channels[at].publisher.finish(snapshot, since: last)
      } else {
        try channels[at].publisher.publish(snapshot, since: last)
      }
      channels[at].last = digest
      recovered(at)
    } catch {
      failed(at, error)
    }
  }

  /// Said once when trouble begins and once when it is over (P15).
  private func failed(_ at: Int, _ error: PublishError) {
    if !channels[at].isInTrouble {
      sink.note(LogLine("publish-failed", .error).with("of", channels[at].publisher.name).with("text", error.description))
    }
    channels[at].isInTrouble = true
  }

  private func recovered(_ at: Int) {
    if channels[at].isInTrouble { sink.note(LogLine("publish-recovered", .notice).with("of", channels[at].publisher.name)) }
    channels[at].isInTrouble = false
  }

  private func flush(isEnd: Bool) {
    do throws(PublishError) { try sink.flush(isEnd: isEnd) } catch {
      sink.note(LogLine("publish-failed", .error).with("of", "log").with("text", error.description))
    }
  }

  // MARK: The service manager

  private func tell(_ snapshot: Snapshot, isLast: Bool) {
    if isLast { return manager.stopping() }
    if !isReady {
      isReady = true
      sink.noteAlways(
        LogLine("start", .notice).with("version", Lanatomy.version).with("interfaces", snapshot.capture.name.display).with(
          "known", history.map { $0.known().count }))
      manager.ready()
    }
    let now = Clocks.steady()
    guard now >= nextStatus else { return }
    nextStatus = now + 5_000_000_000
    let present = snapshot.hosts.count { $0.isPresent }
    let lost = snapshot.capture.dropped ?? 0
    manager.status(
      "\(snapshot.capture.name.display): \(present) devices, \(snapshot.subnets.count) subnets, \(snapshot.capture.frames) frames"
        + (lost > 0 ? ", \(lost) lost" : "")
        + (snapshot.health.interfacesAwaited.isEmpty ? "" : "; waiting for \(snapshot.health.interfacesAwaited.joined(separator: ", "))"))
  }

  /// Only when this round is done and the capture thread has turned since the last sign (P21).
  private func signOfLife() {
    guard let interval = manager.watchdogInterval else { return }
    let now = Clocks.steady()
    let turns = exchange.turnCount
    guard now >= nextSign, turns != turnsAtLastSign else { return }
    turnsAtLastSign = turns
    nextSign = now + interval
    manager.alive()
  }

  // MARK: Reload

  private func reloadIfAsked() {
    if exchange.reloadCount != reloads {
      reloads = exchange.reloadCount
      reload()
    }
    guard let wanted = pending, let answer = exchange.takeAnswer() else { return }
    pending = nil
    switch answer {
    case .taken: take(wanted)
    case .refused(let why): refuse([why])
    }
    manager.ready()
  }

  /// Reads the files anew and asks the capture; nothing is in force before it has agreed.
  private func reload() {
    manager.reloading()
    // Whatever the files say, the log may have been moved away.
    attempt("log") { () throws(PublishError) in try sink.reopen(configuration.publish.log) }
    for at in channels.indices { attempt(channels[at].publisher.name) { () throws(PublishError) in try channels[at].publisher.reopen() } }
    let wanted: Configuration
    do {
      wanted = try Configuration.load(arguments.value("config"), flags: arguments)
    } catch {
      refuse(error.all.map(\.description))
      return manager.ready()
    }
    pending = wanted
    exchange.offer(wanted.capture)
  }

  private func refuse(_ problems: [String]) {
    for problem in problems.prefix(8) { sink.note(LogLine("config-problem", .error).with("text", problem)) }
    sink.note(LogLine("reload", .error).with("result", "refused").with("problems", problems.count))
  }

  private func take(_ wanted: Configuration) {
    var wanted = wanted
    var later: [String] = []
    for name in ["daemon.user", "history.enabled", "history.folder", "history.size", "history.minutes", "history.hours", "history.days"]
      + Configuration.keys.map(\.name).filter({ $0.hasPrefix("limits.") })
    {
      guard let key = Configuration.keys.first(where: { $0.name == name }), key.show(wanted) != key.show(configuration) else { continue }
      later.append(name)
    }
    let old = configuration
    wanted.limits = old.limits
    configuration = wanted
    finishing.take(wanted)
    exchange.rest(wanted.publish)
    history?.rename(given())
    if wanted.publish.log != old.publish.log {
      attempt("log") { () throws(PublishError) in try sink.reopen(wanted.publish.log) }
      if let at = channels.firstIndex(where: { $0.publisher is LogPublisher }), var log = channels[at].publisher as? LogPublisher {
        log.take(wanted.publish.log)
        channels[at].publisher = log
      }
    }
    if wanted.publish.files != old.publish.files || wanted.publish.runtimeFolder != old.publish.runtimeFolder {
      channels.removeAll { $0.publisher is FilePublisher }
      openFiles()
    }
    var line = LogLine("reload", .notice).with("result", "taken")
    line.add("after-restart", later.joined(separator: ","))
    sink.note(line)
  }
}
