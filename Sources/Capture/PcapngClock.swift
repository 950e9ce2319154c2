internal import Wire

/// The clock of an interface: how its ticks become time.
struct PcapngClock {
  /// Nanoseconds in a tick, and the last tick before 2200, where that is all there is to it; otherwise 0.
  private(set) var nanoseconds: UInt64 = 1000
  private(set) var lastTick: UInt64 = 7_258_118_400_000_000
  private var resolution: UInt8 = 6
  private var secondsToAdd: Int64 = 0

  init() {}

  /// - Parameters:
  ///   - resolution: option 9: a negative power of ten, or of two with the high bit set.
  ///   - secondsToAdd: option 14.
  init(resolution: UInt8, secondsToAdd: Int64) {
    self.resolution = resolution
    self.secondsToAdd = secondsToAdd
    nanoseconds = 0
    lastTick = 0
    if secondsToAdd == 0 && resolution <= 9 {
      nanoseconds = PcapngClock.power(9 - Int(resolution))
      lastTick = 7_258_118_400_000_000_000 / nanoseconds
    }
  }

  private static func power(_ exponent: Int) -> UInt64 {
    (0..<max(0, min(19, exponent))).reduce(UInt64(1)) { power, _ in power * 10 }
  }

  /// nil for a time that cannot be.
  @inline(__always)
  func time(_ ticks: UInt64) -> Timestamp? {
    if nanoseconds == 0 { return slowTime(ticks) }
    if ticks > lastTick { return nil }
    return Timestamp(nanoseconds: Int64(truncatingIfNeeded: ticks &* nanoseconds))
  }

  @inline(never)
  private func slowTime(_ ticks: UInt64) -> Timestamp? {
    let exponent = Int(resolution & 0x7f)
    let seconds: UInt64
    let rest: UInt64
    if resolution & 0x80 != 0 {
      // Ticks of 2^-exponent seconds.
      seconds = exponent < 64 ? ticks >> UInt64(exponent) : 0
      let fraction = exponent < 64 ? ticks & ((1 << UInt64(exponent)) - 1) : ticks
      let product = fraction.multipliedFullWidth(by: 1_000_000_000)
      switch exponent {
      case 0: rest = 0
      case 1..<64: rest = product.high << UInt64(64 - exponent) | product.low >> UInt64(exponent)
      case 64: rest = product.high
      default: rest = product.high >> UInt64(exponent - 64)
      }
    } else if exponent <= 19 {
      let perSecond = PcapngClock.power(exponent)
      seconds = ticks / perSecond
      let fraction = ticks % perSecond
      rest = exponent <= 9 ? fraction * PcapngClock.power(9 - exponent) : fraction / PcapngClock.power(exponent - 9)
    } else {
      // 2^64 ticks of 10^-20 seconds are under a second.
      seconds = 0
      rest = exponent <= 28 ? ticks / PcapngClock.power(exponent - 9) : 0
    }
    let (sum, overflow) = Int64(clamping: seconds).addingReportingOverflow(secondsToAdd)
    guard !overflow, sum >= 0, sum < 7_258_118_400 else { return nil }
    return Timestamp(nanoseconds: sum * 1_000_000_000 + Int64(clamping: rest))
  }
}
