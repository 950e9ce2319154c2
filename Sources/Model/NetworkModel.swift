public import Wire

/// The one mutable value: it owns the tables, the ledger and the time last told. Whoever owns it hands it frames, one call each, and now
/// and then asks for a snapshot.
public struct NetworkModel: ~Copyable {
  let limits: Limits
  var stations: BoundedTable<StationRow>
  var bindings: BoundedTable<BindingRow>
  var pairs: BoundedTable<PairRow>
  var ledger: Ledger
  public internal(set) var counters = CaptureCounters()

  public init(limits: Limits = Limits()) {
    self.limits = limits
    stations = BoundedTable(capacity: limits.stations, seed: limits.seed)
    bindings = BoundedTable(capacity: limits.bindings, seed: limits.seed &+ 1)
    pairs = BoundedTable(capacity: limits.pairs, seed: limits.seed &+ 2)
    ledger = Ledger(limits: limits)
  }

  public var use: TableUse {
    TableUse(
      stations: stations.count, addresses: bindings.count, pairs: pairs.count,
      evictions: stations.evictions + bindings.evictions + pairs.evictions)
  }

  /// Counts one frame and files what it states. Allocates nothing unless it states something.
  public mutating func record(_ s: borrowing FrameSummary, _ o: borrowing Observations) {
    counters.note(s, hasFault: o.fault?.isSenderFault ?? false)
    count(s)
    if !o.items.isEmpty { file(s, o) }
  }

  /// Files facts that no frame told: what the kernel knows about our own interfaces.
  public mutating func note(_ facts: [Observation], at time: Timestamp) {
    for fact in facts { ledger.file(fact, carrier: .zero, frame: 0, time: time) }
  }

  @inline(never)
  private mutating func file(_ s: borrowing FrameSummary, _ o: borrowing Observations) {
    let carrier = s.station
    if !carrier.isZero, let row = stations.find(carrier) { stations[row].flags.insert(.attested) }
    for at in 0..<o.items.count { ledger.file(o.items[at], carrier: carrier, frame: s.number, time: s.time) }
  }

  /// Keeps what an evicted pair had moved with its stations, so that no byte is lost with it.
  @inline(never)
  private mutating func foldEvicted() {
    guard let gone = pairs.takeEvicted() else { return }
    let bytes = gone.bytesFromA &+ gone.bytesFromB
    for (end, other) in [(gone.a, gone.b), (gone.b, gone.a)] {
      guard end.mac.isStation, let row = stations.find(end.mac) else { continue }
      // Without the whole picture at hand: an address that the internet routes, on the other side of an address that it does not.
      if !other.address.isNone, !other.address.isInternal, !other.address.isMulticast {
        if end.address.isInternal { stations[row].foldedInternet &+= bytes }
      } else {
        stations[row].foldedLocal &+= bytes
      }
    }
  }

  @inline(__always)
  private mutating func count(_ s: borrowing FrameSummary) {
    let bytes = s.wireLength
    let time = s.time.nanoseconds
    let second = s.time.second
    let toGroup = s.isGroupDestination
    var a = PairRow.End(mac: .zero, address: .none)
    var b = PairRow.End(mac: .zero, address: .none)

    if s.flags.contains(.hasSource), s.source.isStation {
      a.mac = s.source
      let row = stations.row(s.source)
      if stations[row].sentFrames == 0 {
        if stations[row].firstFrame == 0 {
          stations[row].firstSeen = time
          stations[row].firstFrame = UInt32(clamping: s.number)
        }
      }
      stations[row].sentFrames &+= 1
      stations[row].sentBytes &+= UInt64(bytes)
      if time > stations[row].lastSeen { stations[row].lastSeen = time }
      if !toGroup { stations[row].unicastFrames &+= 1 }
      stations[row].rate.add(down: 0, up: bytes, second: second)
      stations[row].flags.formUnion(StationRow.Flags(s))
      // Only frames that no wire has carried yet are shorter than Ethernet's 60 bytes.
      if bytes < 60 { stations[row].shortFrames &+= 1 }
      if s.vlanCount > 0 {
        stations[row].note(vlan: s.vlan)
        if stations[row].firstTagged == 0, s.vlan != 0 { stations[row].firstTagged = UInt32(clamping: s.number) }
      }
      if s.switchPort >= 0 { stations[row].switchPort = s.switchPort }
    }
    if s.flags.contains(.hasDestination) {
      b.mac = s.destination
      if !toGroup, !s.destination.isZero {
        let row = stations.row(s.destination)
        if stations[row].firstFrame == 0 {
          stations[row].firstSeen = time
          stations[row].firstFrame = UInt32(clamping: s.number)
        }
        stations[row].receivedFrames &+= 1
        stations[row].receivedBytes &+= UInt64(bytes)
        if time > stations[row].lastSeen { stations[row].lastSeen = time }
        stations[row].unicastFrames &+= 1
        stations[row].rate.add(down: bytes, up: 0, second: second)
      }
    }
    if s.flags.contains(.hasIP) {
      a.address = s.sourceAddress
      b.address = s.destinationAddress
      let from = bindings.row(BindingRow.Key(address: a.address, mac: a.mac))
      if bindings[from].framesFrom == 0 {
        bindings[from].firstFrame = UInt32(clamping: s.number)
        bindings[from].vlan = s.vlan
      }
      bindings[from].framesFrom &+= 1
      bindings[from].lastSeen = time
      bindings[from].lowestHops = min(bindings[from].lowestHops, s.hopLimit)
      bindings[from].highestHops = max(bindings[from].highestHops, s.hopLimit)
      let to = bindings.row(BindingRow.Key(address: b.address, mac: b.mac))
      bindings[to].framesTo &+= 1
      bindings[to].lastSeen = time
    }

    let forward = PairRow.End.precedes(a, b)
    let key = forward ? PairRow.Key(a: a, b: b) : PairRow.Key(a: b, b: a)
    let row = pairs.row(key)
    if pairs.hasEvicted { foldEvicted() }
    if pairs[row].firstFrame == 0 {
      pairs[row].firstFrame = UInt32(clamping: s.number)
      pairs[row].toGroup = toGroup
    }
    if forward {
      pairs[row].bytesFromA &+= UInt64(bytes)
      pairs[row].framesFromA &+= 1
    } else {
      pairs[row].bytesFromB &+= UInt64(bytes)
      pairs[row].framesFromB &+= 1
    }
  }
}

extension StationRow.Flags {
  @inline(__always)
  init(_ s: borrowing FrameSummary) {
    var flags: StationRow.Flags = s.vlanCount > 0 ? .tagged : .untagged
    if s.direction != .unknown { flags.insert(s.direction == .sent ? .sentByUs : .heard) }
    if s.flags.contains(.hasIP) { flags.insert(.sentIP) }
    if !s.flags.isDisjoint(with: [.isWireless, .pppoe, .tunnel]) {
      if s.flags.contains(.isWireless) { flags.insert(.wireless) }
      if s.flags.contains(.pppoe) { flags.insert(.pppoe) }
      if s.flags.contains(.tunnel) { flags.insert(.tunnel) }
    }
    self = flags
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
  /// Frames shorter in the file than on the wire.
  public var cut = 0
  public var malformed = 0
  public var unicast = 0
  public var groupFrames = 0
  public var wireless = 0
  public var cooked = 0
  public var unread = 0
  /// Times in file order; frames whose time is unknown (0) do not count.
  public var started: Timestamp?
  public var ended: Timestamp?
  public var sentByUs = 0

  @inline(__always)
  mutating func note(_ s: borrowing FrameSummary, hasFault: Bool) {
    frames &+= 1
    bytes &+= s.wireLength
    if s.capturedLength < s.wireLength { cut &+= 1 }
    if hasFault { malformed &+= 1 }
    if let stop = s.stop, !hasFault { if stop.isSenderFault { malformed &+= 1 } else if stop.reason == .unsupported { unread &+= 1 } }
    if s.isGroupDestination { groupFrames &+= 1 } else if s.flags.contains(.hasDestination) { unicast &+= 1 }
    if s.flags.contains(.isWireless) { wireless &+= 1 }
    if s.direction == .sent { sentByUs &+= 1 }
    if s.time.nanoseconds != 0 {
      if started == nil { started = s.time }
      if let last = ended { if s.time > last { ended = s.time } } else { ended = s.time }
    }
  }
}
