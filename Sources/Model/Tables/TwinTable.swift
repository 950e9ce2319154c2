import Wire

/// Frames that a mirror port shows twice, once on their way into the switch and once on their way out (P28).
///
/// A twin is a frame with the same addresses and the same bytes a few milliseconds after the first, on the same interface; one of them may
/// carry a VLAN tag more. While nothing speaks for twins only samples are looked at; once a tenth of the unicast frames has one, and not of one
/// sender alone, who may repeat himself, every frame is looked at and every second one of a pair is counted as a duplicate and as nothing else.
/// Broadcasts do not decide: a loop of cables repeats them too. Fixed size.
struct TwinTable {
  private struct Entry: BitwiseCopyable {
    var mark: UInt64 = 0
    var time: Int64 = 0
  }

  /// What a switch may take between the two copies, and more.
  static let window: Int64 = 20_000_000
  /// Unicast frames by which is decided, frames that are then left alone (each time twice as many), and how many twins in a hundred begin
  /// and end it.
  static let sample = 128
  static let pauses = 1024...65_536
  static let beginning = 10
  static let ending = 2
  /// Bytes behind the EtherType that are compared: IP and TCP or UDP with their check sums, and some of what they carry.
  private static let compared = 64
  private static let buckets = 1024

  /// Four places for each bucket, the newest first.
  private var entries = [Entry](repeating: Entry(), count: 4 * buckets)
  private let seed: UInt64
  /// Whether the second of a pair is counted once.
  private(set) var isActive = false
  /// The number of the next frame that is looked at, and how many are left alone after it.
  private var next = 0
  private var pause = pauses.lowerBound
  private var checked = 0
  private var twins = 0
  /// Who sent the first twin of a sample, and whether another one did, too.
  private var sender: UInt64 = 0
  private var areSeveral = false

  init(seed: UInt64) { self.seed = seed }

  /// Whether a frame is the second of a pair that must not be counted again.
  @inline(__always)
  mutating func isDuplicate(_ frame: borrowing Frame) -> Bool {
    frame.number >= next && look(frame)
  }

  @inline(never)
  private mutating func look(_ frame: borrowing Frame) -> Bool {
    guard frame.link == .ethernet else { return false }
    let isTwin = find(TwinTable.mark(frame, seed), frame.time.nanoseconds)
    if frame.bytes.u8(0) & 1 == 0 {
      checked += 1
      if isTwin { noteTwin(of: UInt64(frame.bytes.u32(6)) << 16 | UInt64(frame.bytes.u16(10))) }
      if checked == TwinTable.sample { decide(at: frame.number) }
    }
    return isTwin && isActive
  }

  private mutating func noteTwin(of source: UInt64) {
    if twins == 0 { sender = source } else if source != sender { areSeveral = true }
    twins += 1
  }

  private mutating func decide(at number: Int) {
    isActive = isActive ? twins * 100 >= checked * TwinTable.ending : areSeveral && twins * 100 >= checked * TwinTable.beginning
    next = isActive ? 0 : number &+ pause
    pause = isActive ? TwinTable.pauses.lowerBound : min(2 * pause, TwinTable.pauses.upperBound)
    checked = 0
    twins = 0
    areSeveral = false
  }

  /// Whether the same was seen just now; a pair is forgotten, so that a third frame is no twin.
  private mutating func find(_ mark: UInt64, _ time: Int64) -> Bool {
    let base = 4 * Int(mark >> 32 & UInt64(TwinTable.buckets - 1))
    for at in base..<(base + 4) where entries[at].mark == mark {
      let apart = time &- entries[at].time
      entries[at].mark = 0
      if apart >= 0, apart <= TwinTable.window { return true }
    }
    for at in ((base + 1)..<(base + 4)).reversed() { entries[at] = entries[at - 1] }
    entries[base] = Entry(mark: mark, time: time)
    return false
  }

  private static func mark(_ frame: borrowing Frame, _ seed: UInt64) -> UInt64 {
    let bytes = frame.bytes
    let type = bytes.u16(12)
    let tag = type == 0x8100 || type == 0x88a8 ? 4 : 0
    var mark = mix(bytes.u64(0) ^ seed, UInt64(bytes.u32(8)) << 32 | UInt64(UInt32(truncatingIfNeeded: frame.wireLength - tag)))
    var at = 12 + tag
    let end = min(bytes.byteCount, at + compared)
    while at + 8 <= end {
      mark = mix(bytes.u64(at) ^ mark, mark &+ seed)
      at += 8
    }
    while at < end {
      mark = mix(UInt64(bytes.u8(at)) ^ mark, mark &+ seed)
      at += 1
    }
    return mix(mark, UInt64(truncatingIfNeeded: frame.interface) &+ seed) | 1
  }
}
