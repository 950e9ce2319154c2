public import Wire

/// The one mutable value: it owns the tables, the ledger and the time last told. Whoever owns it hands it frames, one call each, and now
/// and then asks for a snapshot.
public struct NetworkModel: ~Copyable {
  let limits: Limits
  var stations: BoundedTable<StationRow>
  var bindings: BoundedTable<BindingRow>
  var pairs: BoundedTable<PairRow>
  var ledger: Ledger
  private var messages: MessageTable
  public internal(set) var counters = CaptureCounters()
  /// nil where nobody asks what is moved by the second.
  var lines: LineMeters?
  /// The same as one byte: to look into an optional of that size takes a call.
  private let keepsLines: Bool

  /// - Parameter keepsLines: whether interfaces, the internet line and the largest conversations are measured by the second, as a daemon does.
  public init(limits: Limits = Limits(), keepsLines: Bool = false) {
    self.limits = limits
    self.keepsLines = keepsLines
    lines = keepsLines ? LineMeters() : nil
    stations = BoundedTable(capacity: limits.stations, seed: limits.seed)
    bindings = BoundedTable(capacity: limits.bindings, seed: limits.seed &+ 1)
    pairs = BoundedTable(capacity: limits.pairs, seed: limits.seed &+ 2, remembers: true)
    ledger = Ledger(limits: limits)
    messages = MessageTable(capacity: limits.messages)
  }

  /// Another number whenever somebody new was heard or something new was said: then the topology may have changed. Traffic alone leaves it,
  /// and so does what found no room.
  public var revision: Int {
    stations.count &+ stations.evictions &+ ledger.total &+ ledger.raisedClaims &+ ledger.evictedSubjects
  }

  public var use: TableUse {
    TableUse(
      stations: stations.count, addresses: bindings.count, pairs: pairs.count,
      evictions: stations.evictions + bindings.evictions + pairs.evictions)
  }

  /// Counts one frame and files what it states. Allocates nothing unless it states something.
  ///
  /// Neither is changed. They come `inout` because what is merely lent would be copied first, 280 bytes for each frame.
  ///
  /// - Parameter mark: of the message, so that it is known when it is said again.
  public mutating func record(_ s: inout FrameSummary, _ o: inout Observations, _ mark: MessageMark? = nil) {
    let second = s.time.second
    counters.note(&s, second)
    count(&s, second)
    if o.isClean, s.stop == nil { return }
    counters.noteFault(s.hasSenderFault || o.hasSenderFault)
    file(&s, &o, mark)
  }

  /// Counts one frame whose message was said before, word for word, and attests once more what it stated. False, and nothing done, where that
  /// is not known.
  ///
  /// - Parameter o: holds nothing.
  @inline(never)
  mutating func recordAgain(_ mark: MessageMark, _ s: inout FrameSummary, _ o: inout Observations) -> Bool {
    guard let records = messages.attest(mark, in: &ledger, frame: s.number, time: s.time) else { return false }
    record(&s, &o)
    if records > 0 { attest(s.station) }
    return true
  }

  /// A frame that was counted already: it is a frame of the capture, and nothing was moved by it.
  mutating func noteDuplicate(_ frame: borrowing Frame) {
    counters.frames &+= 1
    counters.bytes &+= frame.wireLength
    counters.duplicates &+= 1
  }

  /// What a file claims of a frame's length cannot be.
  mutating func noteImpossibleLength() { counters.noteFault(true) }

  /// A record of a size that no frame has: it was a record of the capture, and nothing was moved by it.
  mutating func noteImpossible(_ frame: borrowing Frame, longest: Int) {
    counters.frames &+= 1
    counters.bytes &+= longest
    counters.noteFault(true)
  }

  /// Files facts that no frame told: what the kernel knows about our own interfaces.
  public mutating func note(_ facts: [Observation], at time: Timestamp) {
    for fact in facts {
      var fact = fact
      _ = ledger.file(&fact, carrier: .zero, frame: 0, time: time)
    }
  }

  @inline(never)
  private mutating func file(_ s: inout FrameSummary, _ o: inout Observations, _ mark: MessageMark?) {
    let carrier = s.station
    if !o.isEmpty { attest(carrier) }
    guard let mark, o.fault == nil, o.left == 0, messages.begins(mark) else {
      return o.forEach { _ = ledger.file(&$0, carrier: carrier, frame: s.number, time: s.time) }
    }
    o.forEach { messages.add(ledger.file(&$0, carrier: carrier, frame: s.number, time: s.time)) }
    messages.end(mark)
  }

  /// Somebody stated something in a frame of his.
  private mutating func attest(_ carrier: MACAddress) {
    if !carrier.isZero, let row = stations.find(carrier) { stations[row].flags.insert(.attested) }
  }

  /// The row of two who were not heard lately. It may push another out.
  @inline(never)
  private mutating func meet(_ a: PairRow.End, _ b: PairRow.End) -> (row: Int, end: Int) {
    defer { if let gone = pairs.takeEvicted() { foldEvicted(gone) } }
    return pairs.row(from: a, to: b)
  }

  /// Keeps what an evicted pair had moved with its stations, so that no byte is lost with it.
  private mutating func foldEvicted(_ gone: PairRow) {
    let bytes = gone.bytesFromA &+ gone.bytesFromB
    fold(bytes, sent: gone.bytesFromA, gone.a, gone.b)
    fold(bytes, sent: gone.bytesFromB, gone.b, gone.a)
  }

  private mutating func fold(_ bytes: UInt64, sent: UInt64, _ end: PairRow.End, _ other: PairRow.End) {
    guard end.mac.isStation, let row = stations.find(end.mac) else { return }
    // Without the whole picture at hand: an address that the internet routes, on the other side of an address that it does not.
    if !other.address.isNone, !other.address.isInternal, !other.address.isMulticast {
      if end.address.isInternal {
        stations[row].foldedInternet &+= bytes
        stations[row].foldedInternetSent &+= sent
      }
    } else {
      stations[row].foldedLocal &+= bytes
      stations[row].foldedLocalSent &+= sent
    }
  }

  @inline(never)
  private mutating func meter(_ s: inout FrameSummary, _ row: Int, fromA: Bool) { lines?.note(&s, &pairs[row], row: row, fromA: fromA) }

  /// The pair first: its row remembers where its ends are in the other tables. Each row is then touched by one call, so that what it
  /// changes is checked and loaded once.
  ///
  /// What a frame does not name is zero in its summary: an address that nobody has, a MAC that is no station.
  @inline(__always)
  private mutating func count(_ s: inout FrameSummary, _ second: UInt32) {
    let toGroup = s.isGroupDestination
    let number = UInt32(clamping: s.number)
    let a = PairRow.End(mac: s.source.isGroup ? .zero : s.source, address: s.sourceAddress)
    let b = PairRow.End(mac: s.destination, address: s.destinationAddress)

    let (row, end) = pairs.known(from: a, to: b) ?? meet(a, b)
    var (from, to) = pairs[row].moved(s.wireLength, number, from: end, toGroup: toGroup)
    if keepsLines { meter(&s, row, fromA: end == 0) }

    if !a.mac.isZero { stations.update(a.mac, guess: &from.station) { $0.sent(&s, number, second, toGroup: toGroup) } }
    if !toGroup, !b.mac.isZero {
      counters.unicast &+= 1
      stations.update(b.mac, guess: &to.station) { $0.received(&s, number, second) }
    }
    if s.flags.contains(.hasIP) {
      bindings.update(BindingRow.Key(address: a.address, mac: a.mac), guess: &from.binding) { $0.sent(&s, number) }
      bindings.update(BindingRow.Key(address: b.address, mac: b.mac), guess: &to.binding) { $0.received(&s) }
    }
    pairs[row].remember(from, to, from: end)
  }
}

/// How full the tables are.
public struct TableUse: Sendable, Hashable {
  public var stations = 0
  public var addresses = 0
  public var pairs = 0
  /// Rows that made room, in all three.
  public var evictions = 0
}

/// Sums over the whole capture.
public struct CaptureCounters: Sendable {
  public var frames = 0
  public var bytes = 0
  /// Frames that a mirror port showed a second time.
  public var duplicates = 0
  /// Frames shorter in the file than on the wire.
  public var cut = 0
  public var malformed = 0
  /// To one station.
  public fileprivate(set) var unicast = 0
  public var wireless = 0
  /// Times in file order; frames whose time is unknown (0) do not count.
  public private(set) var started: Timestamp?
  public var ended: Timestamp? { started == nil ? nil : latest }
  private var latest = Timestamp(nanoseconds: 0)
  var groups = GroupMeter()

  @inline(__always)
  mutating func note(_ s: inout FrameSummary, _ second: UInt32) {
    frames &+= 1
    bytes &+= s.wireLength
    if s.capturedLength < s.wireLength { cut &+= 1 }
    if s.flags.contains(.isWireless) { wireless &+= 1 }
    if s.time.nanoseconds != 0 {
      groups.note(&s, second)
      if s.time > latest { advance(to: s.time) }
    }
  }

  @inline(__always)
  private mutating func advance(to time: Timestamp) {
    if started == nil { started = time }
    latest = time
  }

  @inline(never)
  mutating func noteFault(_ isSenders: Bool) { if isSenders { malformed &+= 1 } }

  /// The clock was set.
  mutating func correctClock(_ moved: (Timestamp) -> Timestamp) {
    started = started.map(moved)
    latest = moved(latest)
  }
}
