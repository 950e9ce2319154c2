import Wire

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
  /// The last minute in spans of ten seconds, and the last five minutes in spans of thirty.
  private var tens = SpanRing<6, 10>()
  private var thirties = SpanRing<10, 30>()

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
    // The first frame of all: nothing is filed, nothing to be cleared.
    if second == 0, downNow | upNow == 0 { return second = now }
    (pastPeak, pastPeakSecond) = (peak, peakSecond)
    tens.settle(second, downNow, upNow, before: now)
    thirties.settle(second, downNow, upNow, before: now)
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
  private func moved(in moment: UInt32) -> (down: UInt32, up: UInt32) {
    if moment == second { return (downNow, upNow) }
    guard moment < second, second - moment < 10 else { return (0, 0) }
    return (down[Int(moment % 10)], up[Int(moment % 10)])
  }

  /// Takes over what another one measured in the last ten seconds; `swapped` when its down is our up.
  mutating func absorb(_ other: RateMeter, swapped: Bool) {
    for back in (0..<UInt32(10)).reversed() where other.second >= back {
      let moment = other.second - back
      let moved = other.moved(in: moment)
      let (d, u) = swapped ? (moved.up, moved.down) : moved
      if d | u == 0 { continue }
      if moment >= second {
        add(down: Int(d), up: Int(u), second: moment)
        continue
      }
      // A second that is over here: it counts where it belongs, as far back as we look.
      guard second - moment < 10 else { continue }
      let at = Int(moment % 10)
      down[at] &+= d
      up[at] &+= u
      tens.add(moment, d, u)
      thirties.add(moment, d, u)
      if down[at] &+ up[at] > pastPeak { (pastPeak, pastPeakSecond) = (down[at] &+ up[at], moment) }
    }
  }

  /// Bytes of a second, both ways; none of one that the ring holds no more.
  func bytes(in moment: UInt32) -> Int {
    let moved = moved(in: moment)
    return Int(moved.down) + Int(moved.up)
  }

  /// The clock was set: what is in the ring belongs to seconds that never were, and is let go; the peak keeps its place in time.
  mutating func correctClock(bySeconds seconds: Int64, now: UInt32) {
    var new = RateMeter()
    new.pastPeak = peak
    if peak > 0 { new.pastPeakSecond = UInt32(clamping: min(Int64(now), max(0, Int64(peakSecond) + seconds))) }
    self = new
  }

  /// Fills in what a reader wants of it: now, over ten seconds, a minute and five, and the busiest second.
  func tell(_ traffic: inout Traffic, endingAt now: UInt32, lasting: Double) {
    (traffic.rateDown, traffic.rateUp) = mean(endingAt: now, lasting: lasting)
    let one = lastSecond(endingAt: now)
    let minute = minute(endingAt: now, lasting: lasting)
    let minutes = fiveMinutes(endingAt: now, lasting: lasting)
    traffic.rates = Traffic.Rates(
      secondDown: one.down, secondUp: one.up, minuteDown: minute.down, minuteUp: minute.up, minutesDown: minutes.down,
      minutesUp: minutes.up)
    traffic.peak = Int(peak) * 8
    if peak > 0 { traffic.peakAt = Timestamp(seconds: Int64(peakSecond), nanoseconds: 0) }
  }

  /// Mean bits per second of the ten seconds that end with `now`, or of `lasting` seconds when the capture is younger.
  func mean(endingAt now: UInt32, lasting: Double) -> (down: Int, up: Int) {
    var sumDown = 0
    var sumUp = 0
    for back in 0..<UInt32(10) where now >= back {
      let moved = moved(in: now - back)
      sumDown += Int(moved.down)
      sumUp += Int(moved.up)
    }
    let span = min(10, max(1, lasting))
    return (Int(Double(sumDown * 8) / span), Int(Double(sumUp * 8) / span))
  }

  /// Bits of the last second that is over.
  func lastSecond(endingAt now: UInt32) -> (down: Int, up: Int) {
    guard now > 0 else { return (0, 0) }
    let moved = moved(in: now - 1)
    return (Int(moved.down) * 8, Int(moved.up) * 8)
  }

  /// Mean bits per second of the last minute: the ten seconds that run, and the five times ten before them.
  func minute(endingAt now: UInt32, lasting: Double) -> (down: Int, up: Int) {
    tens.mean(with: (second, downNow, upNow), endingAt: now, lasting: lasting)
  }

  /// The same of the last five minutes, by half minutes.
  func fiveMinutes(endingAt now: UInt32, lasting: Double) -> (down: Int, up: Int) {
    thirties.mean(with: (second, downNow, upNow), endingAt: now, lasting: lasting)
  }
}

/// Bytes in so many spans of so many seconds, each at its number's place. Each station has two of these: to seven digits is enough for a
/// mean, and takes half of what whole numbers would.
private struct SpanRing<let count: Int, let length: Int>: BitwiseCopyable {
  private var down: InlineArray<count, Float> = .init(repeating: 0)
  private var up: InlineArray<count, Float> = .init(repeating: 0)

  mutating func add(_ second: UInt32, _ bytesDown: UInt32, _ bytesUp: UInt32) {
    let at = Int(second) / length % count
    down[at] += Float(bytesDown)
    up[at] += Float(bytesUp)
  }

  /// A second that is over goes into its span; spans in between are cleared.
  mutating func settle(_ second: UInt32, _ bytesDown: UInt32, _ bytesUp: UInt32, before now: UInt32) {
    add(second, bytesDown, bytesUp)
    let next = Int(now) / length
    for step in 0..<min(count, next - Int(second) / length) {
      let at = (next - step) % count
      down[at] = 0
      up[at] = 0
    }
  }

  /// Whole spans and the one that runs, so that up to a span less is counted, and as much less divided by.
  ///
  /// - Parameter running: the second that is not filed yet, and its bytes.
  func mean(with running: (second: UInt32, down: UInt32, up: UInt32), endingAt now: UInt32, lasting: Double) -> (down: Int, up: Int) {
    let newest = Int(now) / length
    let known = Int(running.second) / length
    // Seen where they lie: an element of an array inside a value that is read would copy the array first.
    let (down, up) = (down.span, up.span)
    var sum = (down: 0.0, up: 0.0)
    for span in max(0, newest - count + 1)...newest where span <= known && known - span < count {
      sum.down += Double(down[span % count])
      sum.up += Double(up[span % count])
      if span == known {
        sum.down += Double(running.down)
        sum.up += Double(running.up)
      }
    }
    let counted = min(Double((count - 1) * length + Int(now) % length + 1), max(1, lasting))
    return (Int(sum.down * 8 / counted), Int(sum.up * 8 / counted))
  }
}
