import Wire

/// Frames that a mirror port shows twice, once on their way into the switch and once on their way out (P28).
///
/// A twin is a frame with the same addresses and the same bytes a few milliseconds after the first, on the same interface; one of them may
/// carry a VLAN tag more. While nothing speaks for twins only samples are looked at; once a tenth of the unicast frames has one, and not of one
/// sender alone, who may repeat himself, every frame is looked at and every second one of a pair is counted as a duplicate and as nothing else.
/// Broadcasts do not decide: a loop of cables repeats them too.
///
/// The same frame on two interfaces of one capture (a bridge and its port, a bond and its slave) was on the wire once, and needs nobody to
/// speak for it: a box that forwards changes the addresses. Where a capture has several interfaces every frame is looked at. Fixed size.
struct TwinTable {
  private struct Entry: BitwiseCopyable {
    var mark: UInt64 = 0
    var time: Int64 = 0
    var interface: UInt32 = 0
  }

  private enum Twin { case none, same, acrossInterfaces }

  /// What a switch may take between the two copies, and more.
  static let window: Int64 = 20_000_000
  /// Unicast frames by which is decided, frames that are then left alone (each time twice as many), and how many twins in a hundred begin
  /// and end it.
  static let sample = 128
  static let pauses = 1024...65_536
  static let beginning = 10
  static let ending = 2
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
  private var sender = MACAddress.zero
  private var areSeveral = false
  private var hasSeveralInterfaces = false

  init(seed: UInt64) { self.seed = seed }

  /// Whether a frame is the second of a pair that must not be counted again.
  @inline(__always)
  mutating func isDuplicate(_ frame: borrowing Frame) -> Bool {
    if frame.interface != 0 || frame.link == .linuxSLL2 { hasSeveralInterfaces = true }
    return (frame.number >= next || hasSeveralInterfaces) && look(frame)
  }

  @inline(never)
  private mutating func look(_ frame: borrowing Frame) -> Bool {
    guard let mark = EthernetMark(frame, seed: seed) else { return false }
    let twin = find(mark, frame.time.nanoseconds)
    if twin == .acrossInterfaces { return true }
    guard frame.number >= next, frame.link == .ethernet else { return false }
    if !mark.isToGroup {
      checked += 1
      if twin == .same { noteTwin(of: mark.source) }
      if checked == TwinTable.sample { decide(at: frame.number) }
    }
    return twin == .same && isActive
  }

  private mutating func noteTwin(of source: MACAddress) {
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

  /// Whether the same was seen just now; a pair is forgotten, so that a third frame on one interface is no twin. On a third interface it is.
  private mutating func find(_ mark: EthernetMark, _ time: Int64) -> Twin {
    let base = 4 * Int(mark.bits >> 32 & UInt64(TwinTable.buckets - 1))
    for at in base..<(base + 4) where entries[at].mark == mark.bits {
      let apart = time &- entries[at].time
      let isNear = apart >= 0 && apart <= TwinTable.window
      if entries[at].interface != mark.interface {
        if isNear { return .acrossInterfaces }
        continue
      }
      entries[at].mark = 0
      if isNear { return .same }
    }
    for at in ((base + 1)..<(base + 4)).reversed() { entries[at] = entries[at - 1] }
    entries[base] = Entry(mark: mark.bits, time: time, interface: mark.interface)
    return .none
  }
}
