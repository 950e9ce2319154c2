import Wire

/// One MAC on the wire and what it moved. Bytes are those on the wire, at the link layer.
struct StationRow: TableRow {
  struct Flags: OptionSet, BitwiseCopyable {
    let rawValue: UInt16
    /// Sent a frame in an 802.1Q tag, and one without.
    static let tagged = Flags(rawValue: 1)
    static let untagged = Flags(rawValue: 2)
    static let wireless = Flags(rawValue: 4)
    static let pppoe = Flags(rawValue: 8)
    static let tunnel = Flags(rawValue: 16)
    /// The capture says that our own machine sent frames with this address.
    static let sentByUs = Flags(rawValue: 32)
    /// Spoke some protocol that was understood, answered somebody, or sent TCP data: no invention of one frame.
    static let attested = Flags(rawValue: 64)
    /// Sent IP, ARP or another protocol of hosts.
    static let sentIP = Flags(rawValue: 128)
    /// The capture says that a frame with this address as source came in: then it is not our own, or not ours alone.
    static let heard = Flags(rawValue: 256)

    /// Whether the capturing machine itself has this address.
    var isOurs: Bool { contains(.sentByUs) && !contains(.heard) }
  }

  let mac: UInt64
  var sentBytes: UInt64 = 0
  var receivedBytes: UInt64 = 0
  var sentFrames: UInt64 = 0
  var receivedFrames: UInt64 = 0
  var lastSeen: Int64 = 0
  /// Unicast frames it sent or received, and those it sent that are shorter than Ethernet allows: only the machine that captures sees
  /// frames before they are padded.
  var unicastFrames: UInt32 = 0
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

  /// Both directions, more than one frame and an understood protocol each make a station real.
  var weight: Int {
    let volume = 64 - Int(min(sentFrames &+ receivedFrames, 1 << 40).leadingZeroBitCount)
    return volume + (sentFrames > 0 && receivedFrames > 0 ? 16 : 0) + (flags.contains(.attested) ? 8 : 0) + (sentFrames > 1 ? 8 : 0)
  }

  @inline(__always)
  mutating func sent(_ s: borrowing FrameSummary, _ number: UInt32, _ second: UInt32, toGroup: Bool) {
    let bytes = s.wireLength
    seen(s.time, number)
    sentFrames &+= 1
    sentBytes &+= UInt64(bytes)
    if !toGroup { unicastFrames &+= 1 }
    rate.add(down: 0, up: bytes, second: second)
    flags.formUnion(Flags(s))
    // Only frames that no wire has carried yet are shorter than Ethernet's 60 bytes.
    if bytes < 60 { shortFrames &+= 1 }
    if s.vlanCount > 0 { sentTagged(s.vlan, number) }
    if s.switchPort >= 0 { switchPort = s.switchPort }
  }

  @inline(__always)
  mutating func received(_ s: borrowing FrameSummary, _ number: UInt32, _ second: UInt32) {
    let bytes = s.wireLength
    seen(s.time, number)
    receivedFrames &+= 1
    receivedBytes &+= UInt64(bytes)
    unicastFrames &+= 1
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

/// Sums per second of capture time, in a ring: what is moved now, and the busiest second.
struct RateMeter: BitwiseCopyable {
  /// Seconds the ring holds: "now" is their mean.
  static let seconds = 10

  private var down: InlineArray<10, UInt32> = .init(repeating: 0)
  private var up: InlineArray<10, UInt32> = .init(repeating: 0)
  private var second: UInt32 = 0
  /// The place of `second` in the ring.
  private var place: UInt32 = 0
  /// Bytes of the busiest second, both ways, and when it was.
  private(set) var peak: UInt32 = 0
  private(set) var peakSecond: UInt32 = 0
  /// The same in spans of ten seconds, five minutes of them; the newest second is not in it yet. Behind everything that a frame touches.
  private var longDown: InlineArray<30, UInt64> = .init(repeating: 0)
  private var longUp: InlineArray<30, UInt64> = .init(repeating: 0)

  @inline(__always)
  mutating func add(down bytesDown: Int, up bytesUp: Int, second now: UInt32) {
    if now != second { turn(to: now) }
    let at = Int(place)
    let d = down[at] &+ UInt32(truncatingIfNeeded: bytesDown)
    let u = up[at] &+ UInt32(truncatingIfNeeded: bytesUp)
    down[at] = d
    up[at] = u
    if d &+ u > peak {
      peak = d &+ u
      peakSecond = second
    }
  }

  /// Clears the seconds in between. Time that goes back counts into the newest second.
  @inline(never)
  private mutating func turn(to now: UInt32) {
    guard now > second else { return }
    settle(before: now)
    let gone = min(10, Int(now - second))
    for step in 0..<gone {
      let at = Int((now &- UInt32(step)) % 10)
      down[at] = 0
      up[at] = 0
    }
    second = now
    place = now % 10
  }

  /// The second that is over goes into its span; spans in between are cleared.
  private mutating func settle(before now: UInt32) {
    let span = second / 10
    let at = Int(span % 30)
    longDown[at] &+= UInt64(down[Int(place)])
    longUp[at] &+= UInt64(up[Int(place)])
    let next = now / 10
    for step in 0..<min(30, Int(next - span)) {
      let at = Int((next &- UInt32(step)) % 30)
      longDown[at] = 0
      longUp[at] = 0
    }
  }

  /// The clock was set: what is in the ring belongs to seconds that never were, and is let go; the peak keeps its place in time.
  mutating func correctClock(bySeconds seconds: Int64, now: UInt32) {
    down = .init(repeating: 0)
    up = .init(repeating: 0)
    longDown = .init(repeating: 0)
    longUp = .init(repeating: 0)
    second = 0
    place = 0
    if peak > 0 { peakSecond = UInt32(clamping: min(Int64(now), max(0, Int64(peakSecond) + seconds))) }
  }

  /// Mean bits per second of the ten seconds that end with `now`, or of `lasting` seconds when the capture is younger.
  func mean(endingAt now: UInt32, lasting: Double) -> (down: Int, up: Int) {
    var sumDown = 0
    var sumUp = 0
    for back in 0..<UInt32(10) where now >= back {
      let moment = now - back
      guard moment <= second, second - moment < 10 else { continue }
      sumDown += Int(down[Int(moment % 10)])
      sumUp += Int(up[Int(moment % 10)])
    }
    let span = min(10, max(1, lasting))
    return (Int(Double(sumDown * 8) / span), Int(Double(sumUp * 8) / span))
  }

  /// Bits of the last second that is over.
  func lastSecond(endingAt now: UInt32) -> (down: Int, up: Int) {
    guard now > 0, now - 1 <= second, second - (now - 1) < 10 else { return (0, 0) }
    let at = Int((now - 1) % 10)
    return (Int(down[at]) * 8, Int(up[at]) * 8)
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
        sum.down &+= UInt64(down[Int(place)])
        sum.up &+= UInt64(up[Int(place)])
      }
    }
    let length = min(Double((spans - 1) * 10 + now % 10 + 1), max(1, lasting))
    return (Int(Double(sum.down) * 8 / length), Int(Double(sum.up) * 8 / length))
  }
}
