public import Wire

/// Who is there and who is gone. One snapshot cannot tell: it takes the pauses of days to know what silence means for a device.
///
/// It lives beside the model, on the same thread, and writes its answer into each snapshot. It measures by the clock that nobody sets, and
/// that clock stands still here while nothing can be heard: neither a jump of the wall clock nor our own deafness makes anybody leave.
public struct Attendance: Sendable {
  /// What earlier runs knew.
  public struct Record: Sendable {
    /// When each device was heard for the first and for the last time.
    public var devices: [MACAddress: (first: Timestamp, last: Timestamp)]
    /// Since when there is a record; nil: since now.
    public var began: Timestamp?

    public init(devices: [MACAddress: (first: Timestamp, last: Timestamp)] = [:], began: Timestamp? = nil) {
      self.devices = devices
      self.began = began
    }
  }

  struct Entry {
    var sentFrames: Int
    /// When it was last heard, by our own clock, in nanoseconds.
    var lastHeard: Int64
    /// Its longest silence of today and of the day before, in nanoseconds: days of 24 hours since the start.
    var pause: Int64 = 0
    var pauseBefore: Int64 = 0
    var day: Int64 = 0
    var isPresent = true
    /// Since when it is not, by our own clock.
    var leftAt: Int64 = 0
    var gaveUpAddress = false
  }

  /// Silent for less is not gone, whoever it is.
  static let patience: Int64 = 600_000_000_000
  static let day: Int64 = 86_400_000_000_000
  /// After giving its address back a device may still say a few words.
  private static let farewell: Int64 = 5_000_000_000

  private(set) var entries: [MACAddress: Entry] = [:]
  private(set) var clock: Int64 = 0
  private var lastElapsed: Int64 = 0
  /// nil without a history.
  let record: Record?

  public init(_ record: Record? = nil) { self.record = record }

  /// - Parameter isListening: whether anything could be heard since the last call.
  public mutating func attend(_ snapshot: inout Snapshot, isListening: Bool = true) {
    if isListening { clock += max(0, snapshot.elapsed - lastElapsed) }
    lastElapsed = snapshot.elapsed
    var next: [MACAddress: Entry] = [:]
    next.reserveCapacity(snapshot.hosts.count)
    for at in snapshot.hosts.indices {
      let host = snapshot.hosts[at]
      snapshot.hosts[at].lastKnown = record?.devices[host.id]?.last
      var entry = entries[host.id] ?? Entry(sentFrames: host.traffic.sentFrames, lastHeard: clock, day: clock / Attendance.day)
      // Fewer than before: its row made room and began anew.
      if host.traffic.sentFrames != entry.sentFrames { hear(&entry, host.traffic.sentFrames) }
      let gaveUp = hasLeft(host, entry)
      // Who is known from others' frames alone was never heard, and says nothing by silence.
      let isSilent = host.traffic.sentFrames > 0 && clock - entry.lastHeard > patience(entry)
      if entry.isPresent, gaveUp || isSilent {
        entry.isPresent = false
        entry.leftAt = clock
        entry.gaveUpAddress = gaveUp
      }
      snapshot.hosts[at].isPresent = entry.isPresent
      next[host.id] = entry
    }
    // Only who is listed is remembered: the snapshot's ceiling is ours.
    entries = next
  }

  private func hear(_ entry: inout Entry, _ frames: Int) {
    let today = clock / Attendance.day
    if today != entry.day {
      entry.pauseBefore = today == entry.day + 1 ? entry.pause : 0
      entry.pause = 0
      entry.day = today
    }
    // The pause that ended an absence is none of its habits.
    if entry.isPresent { entry.pause = max(entry.pause, clock - entry.lastHeard) }
    entry.sentFrames = frames
    entry.lastHeard = clock
    entry.isPresent = true
  }

  /// Three times its longest pause of the last day, ten minutes at least.
  private func patience(_ entry: Entry) -> Int64 { max(Attendance.patience, 3 * max(entry.pause, entry.pauseBefore)) }

  private func hasLeft(_ host: Host, _ entry: Entry) -> Bool {
    guard let released = host.releasedAt, clock - entry.lastHeard > Attendance.farewell else { return false }
    return abs(host.lastSeen.since(released)) < 2
  }
}
