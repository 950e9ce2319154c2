import Wire

/// What is remembered of a device between two snapshots. A class, so that a snapshot's worth of small changes copies nothing; it never
/// leaves the publish thread.
final class DeviceState {
  let id: Int
  let mac: MACAddress
  var box: Int?
  /// Milliseconds since 1970.
  var first: Int
  var last = 0
  /// When an earlier run heard it last.
  var lastBefore: Int?
  var given: String?
  var vendor: String?
  var facts = FactList()

  var isPresent = false
  /// Steady seconds when it was last heard, and when this run first met it; nil: not yet.
  var heardAt: Double?
  var metAt: Double?
  /// Seconds of the longest silence: of this day, and of the one before.
  var pauseToday = 0.0
  var pauseDay = 0
  /// Whether facts that nobody repeated after the restart have been ended.
  var hasLapsed = false
  var pauseBefore = 0.0
  /// Whether its row is older than what stands here.
  var isTouched = false

  /// What this run has written of its counters.
  var recorded = Usage()
  // What the last snapshot in which it was a device of its own told of it.
  var told = Usage()
  var toldFirst = 0
  var toldParts: [MACAddress] = []
  /// The number of that snapshot, and a mark of all that it said, apart from times and traffic.
  var toldIn = -1
  var toldMark = 0
  /// The round of sampling in which its counters were last seen, as a device or as part of one.
  var sampledIn = -1
  /// Its first frame by the counters that were last seen: a later one means that they began anew.
  var countedSince = 0
  var peak = 0
  var largestPeak = 0

  init(id: Int, mac: MACAddress, first: Int) {
    self.id = id
    self.mac = mac
    self.first = first
  }

  var stayedADay: Bool { last &- first > 86_400_000 }
  var longestPause: Double { max(pauseToday, pauseBefore) }
  /// Silent for longer than this it is gone (`inference.md`, device-gone).
  var patience: Double { max(600, 3 * longestPause) }

  var row: DeviceRow {
    DeviceRow(
      id: id, mac: mac, box: box, first: first, last: last, pause: Int(min(longestPause, 604_800) * 1000), given: given, vendor: vendor)
  }
}

struct FactKey: Hashable {
  let kind: FactKind
  let value: [UInt8]
}

struct FactState {
  let id: Int
  let first: Int
  var detail: String?
  private var end = Int.min
  var endedSteady = 0.0
  /// Whether this run has heard it.
  var isConfirmed = false

  init(id: Int, first: Int, detail: String?) {
    self.id = id
    self.first = first
    self.detail = detail
  }

  /// Milliseconds since 1970; nil while it lasts.
  var ended: Int? {
    get { end == .min ? nil : end }
    set { end = newValue ?? .min }
  }

  func row(_ key: FactKey, _ device: Int) -> FactRow {
    FactRow(id: id, device: device, kind: key.kind, value: key.value, detail: detail, first: first, ended: ended)
  }
}

/// The facts of a device in the order in which they came. A handful, looked through: a dictionary of so few takes three times the room, and
/// there is one for each device that ever was.
struct FactList: Sequence {
  typealias Element = (key: FactKey, value: FactState)
  private var items: [Element] = []

  var count: Int { items.count }
  func makeIterator() -> IndexingIterator<[Element]> { items.makeIterator() }

  subscript(key: FactKey) -> FactState? {
    get { items.first { $0.key == key }?.value }
    set {
      let at = items.firstIndex { $0.key == key }
      switch (at, newValue) {
      case (let at?, let value?): items[at].value = value
      case (let at?, nil): items.remove(at: at)
      case (nil, let value?):
        // By halves: doubling would leave most of it empty.
        if items.count == items.capacity { items.reserveCapacity(items.count + Swift.max(4, items.count / 2)) }
        items.append((key, value))
      case (nil, nil): break
      }
    }
  }
}
