import Wire

/// One MAC on the wire and what it moved. Bytes are those on the wire, at the link layer.
struct StationRow: TableRow {
  struct Flags: OptionSet, BitwiseCopyable {
    let rawValue: UInt16
    /// Sent a frame in an 802.1Q tag, and one without.
    static let tagged = Flags(rawValue: 1)
    static let untagged = Flags(rawValue: 2)
    /// Spoke some protocol that was understood, answered somebody, or sent TCP data: no invention of one frame.
    static let attested = Flags(rawValue: 8)

    // These stand where a frame's summary has them, so that they are taken over in one step.
    /// Sent IP, ARP or another protocol of hosts.
    static let sentIP = Flags(rawValue: 4)
    static let tunnel = Flags(rawValue: 32)
    static let wireless = Flags(rawValue: 64)
    static let pppoe = Flags(rawValue: 512)

    // And these are its direction, 13 bits up.
    /// The capture says that a frame with this address as source came in: then it is not our own, or not ours alone.
    static let heard = Flags(rawValue: 1 << 13)
    /// The capture says that our own machine sent frames with this address.
    static let sentByUs = Flags(rawValue: 2 << 13)

    /// Whether the capturing machine itself has this address.
    var isOurs: Bool { contains(.sentByUs) && !contains(.heard) }
  }

  let mac: UInt64
  var sentBytes: UInt64 = 0
  var receivedBytes: UInt64 = 0
  var sentFrames: UInt64 = 0
  var receivedFrames: UInt64 = 0
  var lastSeen: Int64 = 0
  /// Frames it sent to groups, and those it sent that are shorter than Ethernet allows: only the machine that captures sees frames before
  /// they are padded.
  private var groupFrames: UInt32 = 0
  var shortFrames: UInt32 = 0

  var firstSeen: Int64 = 0
  var firstFrame: UInt32 = 0
  /// The first frame it sent in an 802.1Q tag; 0 none.
  var firstTagged: UInt32 = 0
  var flags: Flags = []
  var switchPort: Int16 = -1
  var vlans: (UInt16, UInt16, UInt16, UInt16) = (0, 0, 0, 0)
  var rate = RateMeter()

  /// What evicted pairs of this station had moved, so that no byte is lost with them.
  var foldedInternet: UInt64 = 0
  var foldedLocal: UInt64 = 0
  /// What of it this station sent.
  var foldedInternetSent: UInt64 = 0
  var foldedLocalSent: UInt64 = 0

  init(_ key: MACAddress) { mac = key.bits }
  static func hash(_ key: MACAddress, _ seed: UInt64) -> UInt64 { mix(key.bits, seed) }
  func matches(_ key: MACAddress) -> Bool { mac == key.bits }
  func hash(_ seed: UInt64) -> UInt64 { mix(mac, seed) }

  /// Sent or received, to or from one station.
  var unicastFrames: Int { Int(clamping: sentFrames &+ receivedFrames) - Int(groupFrames) }

  /// Both directions, more than one frame and an understood protocol each make a station real.
  var weight: Int {
    let volume = 64 - Int(min(sentFrames &+ receivedFrames, 1 << 40).leadingZeroBitCount)
    return volume + (sentFrames > 0 && receivedFrames > 0 ? 16 : 0) + (flags.contains(.attested) ? 8 : 0) + (sentFrames > 1 ? 8 : 0)
  }

  @inline(__always)
  mutating func sent(_ s: inout FrameSummary, _ number: UInt32, _ second: UInt32, toGroup: Bool) {
    let bytes = s.wireLength
    seen(s.time, number)
    sentFrames &+= 1
    sentBytes &+= UInt64(truncatingIfNeeded: bytes)
    if toGroup { groupFrames &+= 1 }
    rate.add(down: 0, up: bytes, second: second)
    flags.formUnion(Flags(&s))
    // Only frames that no wire has carried yet are shorter than Ethernet's 60 bytes.
    if bytes < 60 { shortFrames &+= 1 }
    if s.vlanCount > 0 { sentTagged(s.vlan, number) }
    if s.switchPort >= 0 { switchPort = s.switchPort }
  }

  @inline(__always)
  mutating func received(_ s: inout FrameSummary, _ number: UInt32, _ second: UInt32) {
    let bytes = s.wireLength
    seen(s.time, number)
    receivedFrames &+= 1
    receivedBytes &+= UInt64(truncatingIfNeeded: bytes)
    rate.add(down: bytes, up: 0, second: second)
  }

  @inline(__always)
  private mutating func seen(_ time: Timestamp, _ number: UInt32) {
    if firstFrame == 0 {
      firstSeen = time.nanoseconds
      firstFrame = number
    }
    if time.nanoseconds > lastSeen { lastSeen = time.nanoseconds }
  }

  @inline(never)
  private mutating func sentTagged(_ vlan: UInt16, _ number: UInt32) {
    note(vlan: vlan)
    if firstTagged == 0, vlan != 0 { firstTagged = number }
  }

  mutating func note(vlan: UInt16) {
    if vlans.0 == vlan || vlans.1 == vlan || vlans.2 == vlan || vlans.3 == vlan { return }
    if vlans.0 == 0 {
      vlans.0 = vlan
    } else if vlans.1 == 0 {
      vlans.1 = vlan
    } else if vlans.2 == 0 {
      vlans.2 = vlan
    } else if vlans.3 == 0 {
      vlans.3 = vlan
    }
  }
}

extension StationRow.Flags {
  @inline(__always)
  init(_ s: inout FrameSummary) {
    let taken: FrameSummary.Flags = [.hasIP, .tunnel, .isWireless, .pppoe]
    let tag: StationRow.Flags = s.vlanCount > 0 ? .tagged : .untagged
    self.init(rawValue: s.flags.intersection(taken).rawValue | UInt16(s.direction.rawValue) << 13 | tag.rawValue)
  }
}

/// Sums per second of capture time, in a ring: what is moved now, and the busiest second.
struct RateMeter: BitwiseCopyable {
  /// Seconds the ring holds: "now" is their mean.
  static let seconds = 10

  /// The second that runs, and its bytes: all that a frame touches.
  private var second: UInt32 = 0
  private var downNow: UInt32 = 0
  private var upNow: UInt32 = 0
  /// Bytes of the busiest second that is over, both ways, and when it was.
  private var pastPeak: UInt32 = 0
  private var pastPeakSecond: UInt32 = 0
  /// The seconds that are over, each at its number's place; that of the second that runs is empty.
  private var down: InlineArray<10, UInt32> = .init(repeating: 0)
  private var up: InlineArray<10, UInt32> = .init(repeating: 0)
  /// The same in spans of ten seconds, five minutes of them.
  private var longDown: InlineArray<30, UInt64> = .init(repeating: 0)
  private var longUp: InlineArray<30, UInt64> = .init(repeating: 0)

  @inline(__always)
  mutating func add(down bytesDown: Int, up bytesUp: Int, second now: UInt32) {
    if now != second { turn(to: now) }
    downNow &+= UInt32(truncatingIfNeeded: bytesDown)
    upNow &+= UInt32(truncatingIfNeeded: bytesUp)
  }

  /// Bytes of the busiest second, both ways, and when it was.
  var peak: UInt32 { max(pastPeak, downNow &+ upNow) }
  var peakSecond: UInt32 { downNow &+ upNow > pastPeak ? second : pastPeakSecond }

  /// Files the second that is over and clears those in between. Time that goes back counts into the newest second.
  @inline(never)
  private mutating func turn(to now: UInt32) {
    guard now > second else { return }
    (pastPeak, pastPeakSecond) = (peak, peakSecond)
    settle(before: now)
    down[Int(second % 10)] = downNow
    up[Int(second % 10)] = upNow
    let gone = min(10, Int(now - second))
    for step in 0..<gone {
      let at = Int((now &- UInt32(step)) % 10)
      down[at] = 0
      up[at] = 0
    }
    second = now
    downNow = 0
    upNow = 0
  }

  /// What was moved in a second, 0 where it is no longer known.
  private func bytes(in moment: UInt32) -> (down: UInt32, up: UInt32) {
    if moment == second { return (downNow, upNow) }
    guard moment < second, second - moment < 10 else { return (0, 0) }
    return (down[Int(moment % 10)], up[Int(moment % 10)])
  }

  /// The second that is over goes into its span; spans in between are cleared.
  private mutating func settle(before now: UInt32) {
    let span = second / 10
    let at = Int(span % 30)
    longDown[at] &+= UInt64(downNow)
    longUp[at] &+= UInt64(upNow)
    let next = now / 10
    for step in 0..<min(30, Int(next - span)) {
      let at = Int((next &- UInt32(step)) % 30)
      longDown[at] = 0
      longUp[at] = 0
    }
  }

  /// The clock was set: what is in the ring belongs to seconds that never were, and is let go; the peak keeps its place in time.
  mutating func correctClock(bySeconds seconds: Int64, now: UInt32) {
    var new = RateMeter()
    new.pastPeak = peak
    if peak > 0 { new.pastPeakSecond = UInt32(clamping: min(Int64(now), max(0, Int64(peakSecond) + seconds))) }
    self = new
  }

  /// Mean bits per second of the ten seconds that end with `now`, or of `lasting` seconds when the capture is younger.
  func mean(endingAt now: UInt32, lasting: Double) -> (down: Int, up: Int) {
    var sumDown = 0
    var sumUp = 0
    for back in 0..<UInt32(10) where now >= back {
      let moved = bytes(in: now - back)
      sumDown += Int(moved.down)
      sumUp += Int(moved.up)
    }
    let span = min(10, max(1, lasting))
    return (Int(Double(sumDown * 8) / span), Int(Double(sumUp * 8) / span))
  }

  /// Bits of the last second that is over.
  func lastSecond(endingAt now: UInt32) -> (down: Int, up: Int) {
    guard now > 0 else { return (0, 0) }
    let moved = bytes(in: now - 1)
    return (Int(moved.down) * 8, Int(moved.up) * 8)
  }

  /// Mean bits per second of the last minutes: whole spans of ten seconds and the one that runs, so that up to ten seconds less are
  /// counted, and as many less are divided by.
  func mean(spans: UInt32, endingAt now: UInt32, lasting: Double) -> (down: Int, up: Int) {
    let newest = now / 10
    let known = second / 10
    var sum = (down: UInt64(0), up: UInt64(0))
    for back in 0..<min(spans, 30) where newest >= back {
      let span = newest - back
      guard span <= known, known - span < 30 else { continue }
      sum.down &+= longDown[Int(span % 30)]
      sum.up &+= longUp[Int(span % 30)]
      if span == known {
        sum.down &+= UInt64(downNow)
        sum.up &+= UInt64(upNow)
      }
    }
    let length = min(Double((spans - 1) * 10 + now % 10 + 1), max(1, lasting))
    return (Int(Double(sum.down) * 8 / length), Int(Double(sum.up) * 8 / length))
  }
}
