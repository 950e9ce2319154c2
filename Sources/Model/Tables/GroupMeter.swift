import Wire

/// How loud broadcast and multicast are, second by second: whether they stay loud for long, and which group it is. Fixed size, one
/// comparison for a frame to one station.
struct GroupMeter: BitwiseCopyable {
  /// Seconds in a row that were too loud; the latest such row that lasted is kept.
  struct Run: BitwiseCopyable {
    private(set) var count: UInt32 = 0
    private var start: UInt32 = 0
    /// Of the latest run that lasted: its seconds, its first frame, the second it ended in.
    private(set) var length = 0
    private(set) var firstFrame = 0
    private(set) var end: UInt32 = 0

    mutating func second(_ isLoud: Bool, _ now: UInt32, firstFrame frame: UInt32) {
      guard isLoud else {
        count = 0
        return
      }
      if count == 0 { start = frame }
      count &+= 1
      guard count >= GroupMeter.lasting else { return }
      length = Int(count)
      firstFrame = Int(start)
      end = now
    }
    mutating func interrupt() { count = 0 }
  }

  /// One multicast group's hardware address.
  struct Slot: BitwiseCopyable {
    var mac: UInt64 = 0
    /// Of the current second.
    var bytes: UInt32 = 0
    var frames: UInt32 = 0
    var run = Run()

    var rank: (Int, UInt32, UInt32) { (run.length, run.count, mac == 0 ? 0 : max(1, bytes)) }
  }

  /// Bounds of `inference.md` 9: ten seconds; 200 frames a second, or a fifth of at least 50; 1 Mb/s of one group.
  static let lasting: UInt32 = 10
  static let loudFrames: UInt32 = 200
  static let busyFrames: UInt32 = 50
  static let floodBytes: UInt32 = 125_000

  private var now: UInt32 = 0
  private var frames: UInt32 = 0
  private var groupFrames: UInt32 = 0
  private var firstFrame: UInt32 = 0
  private(set) var slots = InlineArray<8, Slot>(repeating: Slot())
  /// Group frames apart from a single group's stream: too many, and too large a part of all.
  private(set) var loud = Run()
  private(set) var share = Run()

  @inline(__always)
  mutating func note(_ s: inout FrameSummary, _ second: UInt32) {
    if second != now { turn(to: second, s.number) }
    frames &+= 1
    if s.isGroupDestination { noteGroup(&s) }
  }

  @inline(never)
  private mutating func noteGroup(_ s: inout FrameSummary) {
    // Beacons are how access points breathe.
    if s.flags.contains(.isWireless) { return }
    groupFrames &+= 1
    guard s.destination.isGroup, s.destination != .broadcast else { return }
    let bits = s.destination.bits
    var place = 0
    for at in 0..<8 {
      if slots[at].mac == bits {
        place = at
        break
      }
      // The quietest makes room, unless it was a flood once.
      if slots[at].rank < slots[place].rank { place = at }
    }
    if slots[place].mac != bits {
      if slots[place].run.length > 0 { return }
      slots[place] = Slot(mac: bits)
    }
    slots[place].bytes &+= UInt32(clamping: s.wireLength)
    slots[place].frames &+= 1
  }

  /// Judges the second that is over. Time that goes back counts into the newest second.
  @inline(never)
  private mutating func turn(to second: UInt32, _ number: Int) {
    guard second > now else { return }
    close()
    if second > now &+ 1 {
      loud.interrupt()
      share.interrupt()
      for at in 0..<8 { slots[at].run.interrupt() }
    }
    now = second
    frames = 0
    groupFrames = 0
    firstFrame = UInt32(clamping: number)
  }

  private mutating func close() {
    var stream: UInt32 = 0
    for at in 0..<8 where slots[at].mac != 0 {
      let isFlood = slots[at].bytes > GroupMeter.floodBytes
      if isFlood { stream = max(stream, slots[at].frames) }
      slots[at].run.second(isFlood, now, firstFrame: firstFrame)
      slots[at].bytes = 0
      slots[at].frames = 0
    }
    let others = groupFrames &- min(stream, groupFrames)
    loud.second(others > GroupMeter.loudFrames, now, firstFrame: firstFrame)
    share.second(
      frames >= GroupMeter.busyFrames && UInt64(others) * 5 > UInt64(frames &- min(stream, frames)), now, firstFrame: firstFrame)
  }

  /// The groups that flooded for long.
  var floods: [(mac: MACAddress, run: Run)] {
    var out: [(mac: MACAddress, run: Run)] = []
    for at in 0..<8 where slots[at].run.length > 0 { out.append((MACAddress(bits: slots[at].mac), slots[at].run)) }
    return out
  }
}
