import Capture
import Glibc
import Model
import Publish
import Synchronization
import Wire

/// The thread that owns the model: source → pipeline → snapshot → board, signals in between. It never waits for a disk.
struct CaptureLoop: ~Copyable {
  /// A second between two snapshots while somebody new is heard or something new is said; while only traffic changes, the interval of the
  /// report files.
  private static let second: Int64 = 1_000_000_000
  /// A turn that took longer may have cost frames, and is counted.
  private static let slowTurn: Int64 = 50_000_000
  /// Turns with signals unread, while frames keep coming.
  private static let patience: Int64 = 10_000_000
  /// How long the publish thread may take to write what it has when we are told to end (P20: two seconds in all).
  private static let farewell: Int64 = 1_700_000_000

  private let exchange: Exchange
  private let sink: LogSink
  private let signals: Signals
  private let crumb: Breadcrumb?
  private let setAside: [String]
  private let started = Clocks.steady()

  private var settings: CaptureSettings
  private var source: LiveCapture?
  private var retryAt: Int64 = 0
  private var pipeline: Pipeline
  private let workbench = Workbench()

  // What sources before this one counted.
  private var earlierFrames = 0
  private var earlierDrops = 0
  private var handover: Handover?

  /// After a change of the capture the new ring holds frames that the old one had too, some of them in a block that the kernel hands over
  /// only later: those are counted already.
  private struct Handover {
    /// By the number of each interface the time of the last frame that the old capture handed out, in nanoseconds since 1970.
    let counted: [Int64]
    /// By our own clock: a wall clock that is set back must not make us deaf.
    let end: Int64

    func holds(_ frame: borrowing Frame) -> Bool {
      frame.interface < counted.count && frame.time.nanoseconds <= counted[frame.interface]
    }
  }

  /// Every interface that was ever listened on, by the number that frames name it by, and the numbers of those of the source.
  private var interfaceNames: [String] = []
  private var interfaceNumbers: [Int] = []

  private var snapshotAt: Int64 = 0
  private var snapshotCost: Int64 = 0
  private var revision = -1
  private var isForced = true
  private var states: [String: InterfaceState] = [:]
  /// What the source's count of changes was when its interfaces were last looked at.
  private var sourceChanges = -1
  private var own: OwnInterfaces?
  private var ownAt: Int64 = 0
  private var slowTurns = 0
  private var clockOffset: Int64
  private var ending: Int32?
  private var failure: CaptureError?

  init(
    _ configuration: Configuration, source: consuming LiveCapture?, signals: Signals, exchange: Exchange, sink: LogSink,
    crumb: Breadcrumb?, setAside: [String]
  ) {
    self.exchange = exchange
    self.sink = sink
    self.signals = signals
    self.crumb = crumb
    self.setAside = setAside
    settings = configuration.capture
    self.source = source
    clockOffset = Clocks.wall().nanoseconds - Clocks.steady()
    let places = Set(Decoders.all.indices.filter { setAside.contains(Decoders.all[$0].name) })
    var limits = configuration.limits
    // A flood that knows the hash would fill one slot.
    limits.seed = UInt64.random(in: 0...UInt64.max)
    var willDissect: (@Sendable (Int, borrowing Frame) -> Void)?
    if let crumb { willDissect = { place, frame in crumb.write(place, frame) } }
    pipeline = Pipeline(
      decoder: Decoder(dissectors: Decoders.all, setAside: places, willDissect: willDissect), limits: limits, keepsLines: true)
    numberInterfaces()
  }

  /// Runs until told to end, or until the capture cannot go on. The process's exit status.
  mutating func run() -> Int32 {
    while ending == nil, failure == nil {
      let turnStart = turn()
      exchange.turn()
      if Clocks.steady() - turnStart > CaptureLoop.slowTurn { slowTurns += 1 }
    }
    return end()
  }

  /// One turn: sleep, read what came, do what is due. Returns when the sleep ended.
  private mutating func turn() -> Int64 {
    sleepUntilNeeded()
    let woke = Clocks.steady()
    readSignals()
    noticeClock()
    takeOffer()
    drain(until: woke + CaptureLoop.patience)
    watchInterfaces()
    if isDue(Clocks.steady()) { post() }
    return woke
  }

  private mutating func sleepUntilNeeded() {
    let now = Clocks.steady()
    let next = snapshotAt + (isForced || revision != pipeline.revision ? max(CaptureLoop.second, 10 * snapshotCost) : restInterval)
    let patience = Int(max(0, min(CaptureLoop.second, next - now)) / 1_000_000)
    if source != nil {
      _ = source?.wait(milliseconds: patience, also: signals.descriptor)
    } else {
      var entry = pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0)
      poll(&entry, 1, Int32(min(patience, 500)))
    }
  }

  private mutating func readSignals() {
    while let number = signals.next() {
      switch number {
      case SIGHUP: exchange.requestReload()
      case SIGTERM, SIGINT: if ending == nil { ending = number } else { _exit(128 + number) }
      default: _exit(128 + number)
      }
    }
  }

  // MARK: Frames

  private mutating func drain(until limit: Int64) {
    guard source != nil else { return open() }
    do throws(CaptureError) {
      while try drainOnce(atMost: 256) == .more { if Clocks.steady() > limit { break } }
    } catch {
      failure = error
    }
  }

  private mutating func drainOnce(atMost: Int) throws(CaptureError) -> Drained {
    let crumb = crumb
    if let over = handover?.end, Clocks.steady() > over { handover = nil }
    let handover = handover
    // Out of the struct for the turn: a closure may not hold the loop and a part of it.
    guard var source = source.take() else { return .idle }
    var drained = Drained.idle
    var fault: CaptureError?
    do throws(CaptureError) {
      drained = try CaptureLoop.feed(&source, &pipeline, atMost: atMost, crumb, handover)
    } catch {
      fault = error
    }
    self.source = consume source
    if let fault { throw fault }
    return drained
  }

  /// Hands frames to the pipeline.
  private static func feed(
    _ source: inout LiveCapture, _ pipeline: inout Pipeline, atMost: Int, _ crumb: Breadcrumb?, _ handover: Handover?
  ) throws(CaptureError) -> Drained {
    try source.drain(atMost: atMost) { frame in
      if let handover, handover.holds(frame) { return }
      pipeline.process(frame)
      crumb?.strike()
    }
  }

  /// Another source counts its frames and interfaces anew; what is counted of each goes on.
  private mutating func numberInterfaces() {
    sourceChanges = -1
    interfaceNumbers = (source?.interfaces ?? []).map { name in
      if let at = interfaceNames.firstIndex(of: name) { return at }
      interfaceNames.append(name)
      return interfaceNames.count - 1
    }
    source?.goOn(after: earlierFrames, as: interfaceNumbers)
  }

  /// Nobody named an interface and there was none to choose: looked for twice a second, as after a boot without a network.
  private mutating func open() {
    let now = Clocks.steady()
    guard now >= retryAt else { return }
    retryAt = now + CaptureLoop.second / 2
    do throws(CaptureError) {
      source = try LiveCapture(settings)
      numberInterfaces()
    } catch {
      if error.status == .noPermission || error.status == .usage { failure = error }
    }
  }

  // MARK: Interfaces

  private mutating func watchInterfaces() {
    let now = Clocks.steady()
    guard let changes = source?.changes else { return }
    if changes != sourceChanges {
      sourceChanges = changes
      noteStates()
    }
    // New addresses show within five seconds (P24).
    guard now >= ownAt else { return }
    ownAt = now + 4 * CaptureLoop.second
    let found = OwnInterfaces(source?.interfaces ?? [])
    guard found.observations != own?.observations || found.stations != own?.stations else { return }
    pipeline.note(found.observations, at: Clocks.wall())
    own = found
  }

  private mutating func noteStates() {
    guard let status = source?.status else { return }
    var leftOut: [String] = []
    for (name, state) in zip(status.interfaceNames, status.interfaceStates) where states[name] != state {
      let isFirst = states[name] == nil
      if !isFirst || state != .capturing { isForced = true }
      switch state {
      case .capturing: sink.note(LogLine("interface", .notice).with("name", name).with("state", "capturing"))
      case .waiting: sink.note(LogLine("interface", .warning).with("name", name).with("state", "waiting"))
      case .leftOut: leftOut.append(name)
      }
      states[name] = state
      ownAt = 0
    }
    if !leftOut.isEmpty {
      sink.note(
        LogLine("interface", .warning, kind: "interface:left-out").with("state", "left-out").with("names", leftOut.joined(separator: ","))
          .with(
            "text", "no more descriptors may be opened: raise LimitNOFILE of the unit, or name fewer interfaces"))
    }
    if states.count > status.interfaceNames.count { states = states.filter { status.interfaceNames.contains($0.key) } }
  }

  // MARK: The clock

  /// The wall clock was set: what was noted by the old one moves with it.
  private mutating func noticeClock() {
    let wall = Clocks.wall()
    let offset = wall.nanoseconds - Clocks.steady()
    let jump = offset - clockOffset
    // Below a second it is discipline, not a jump.
    guard abs(jump) > CaptureLoop.second else { return }
    clockOffset = offset
    pipeline.correctClock(by: jump, now: wall)
    isForced = true
    sink.note(LogLine("clock-set", .notice).with("seconds", Int(jump / CaptureLoop.second)))
  }

  // MARK: New settings

  private mutating func takeOffer() {
    guard let wanted = exchange.takeOffer() else { return }
    guard wanted != settings else { return exchange.answer(.taken) }
    do throws(CaptureError) {
      try change(to: wanted)
      settings = wanted
      isForced = true
      ownAt = 0
      exchange.answer(.taken)
    } catch {
      exchange.answer(.refused(error.description))
    }
  }

  /// Opens anew before the old one is closed, so that no frame falls in between; what both have is counted once.
  private mutating func change(to wanted: CaptureSettings) throws(CaptureError) {
    let new = try LiveCapture(wanted)
    guard var old = source.take() else {
      source = consume new
      numberInterfaces()
      return
    }
    let last = Mutex<[Int64]>([Int64](repeating: 0, count: interfaceNames.count))
    var drained = Drained.more
    var turns = 0
    // What the old ring holds by now; an old capture that fails has nothing more to say. The kernel hands a block over when it is full or
    // a tenth of a second old: frames that came just before the new ring was there lie in one that is not handed over yet.
    let deadline = Clocks.steady() + CaptureLoop.second / 5
    while drained != .end, drained == .more || Clocks.steady() < deadline, turns < 4096 {
      turns += 1
      if drained == .idle { _ = old.wait(milliseconds: 25) }
      do throws(CaptureError) {
        drained = try old.drain(atMost: 256) { frame in
          last.withLock { if frame.interface < $0.count { $0[frame.interface] = max($0[frame.interface], frame.time.nanoseconds) } }
          pipeline.process(frame)
          crumb?.strike()
        }
      } catch {
        drained = .end
      }
    }
    let status = old.status
    earlierFrames += status.frames
    earlierDrops += status.dropped ?? 0
    handover = Handover(counted: last.withLock(\.self), end: Clocks.steady() + CaptureLoop.second)
    source = consume new
    numberInterfaces()
  }

  // MARK: Snapshots

  /// While only traffic changes, judging may take a three-hundredth of our time, where less than the meters' ten seconds are enough for that:
  /// after a flood the tables are full of what it left.
  private var restInterval: Int64 {
    max(Int64(exchange.restSeconds) * CaptureLoop.second, min(9 * CaptureLoop.second, 300 * snapshotCost))
  }

  private func isDue(_ now: Int64) -> Bool {
    let passed = now - snapshotAt
    // Judging may take a tenth of our time at most, whatever a flood brings.
    guard snapshotAt == 0 || passed >= max(CaptureLoop.second, 10 * snapshotCost) else { return false }
    return isForced || revision != pipeline.revision || passed >= restInterval
  }

  private mutating func post(isLast: Bool = false) {
    let began = Clocks.steady()
    let status = source?.status ?? CaptureStatus()
    var context = CaptureContext()
    context.isLive = true
    context.name = WireText((source?.interfaces ?? settings.interfaces).joined(separator: ","))
    context.linkTypes = status.linkTypes
    context.dropped = earlierDrops + (status.dropped ?? 0)
    context.filter = settings.filter
    context.cutsByDesign = settings.cuts && settings.snapLength == nil
    context.ownStations = own?.stations ?? []
    context.isOnBridge = own?.isBridge ?? false
    // A label follows a rename (P24).
    for (at, name) in zip(interfaceNumbers, status.interfaceNames) { interfaceNames[at] = name }
    context.interfaceNames = interfaceNames
    context.now = Clocks.wall()
    context.elapsed = began - started
    context.decodersSetAside = setAside
    context.slowTurns = slowTurns
    context.interfacesAwaited = zip(status.interfaceNames, status.interfaceStates).filter { $0.1 != .capturing }.map(\.0)
    context.makers = { [makers = exchange.makers] in makers.names($0) }
    exchange.board.post(workbench.run { pipeline.snapshot(context) }, isLast: isLast)
    revision = pipeline.revision
    isForced = false
    snapshotAt = Clocks.steady()
    snapshotCost = snapshotAt - began
  }

  // MARK: The end

  /// Takes a last snapshot and lets the other thread write what it has; a second signal ends at once.
  private mutating func end() -> Int32 {
    let deadline = Clocks.steady() + CaptureLoop.farewell
    if let failure {
      sink.note(LogLine("capture-failed", .error).with("text", failure.description))
    } else {
      drain(until: Clocks.steady() + CaptureLoop.patience)
    }
    sink.noteAlways(LogLine("stop", .notice).with("reason", failure == nil ? "signal" : "failure"))
    post(isLast: true)
    while !exchange.isPublished {
      let left = deadline - Clocks.steady()
      guard left > 0 else { break }
      var entries = [
        pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: exchange.published.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      poll(&entries, 2, Int32(left / 1_000_000 + 1))
      if let number = signals.next(), number != SIGHUP { _exit(128 + number) }
    }
    return failure?.exitStatus ?? Status.ok.rawValue
  }
}
