/// Capture time: nanoseconds since 1970 in UTC, clamped to 1970…2200, where every later sum and difference is safe.
public struct Timestamp: Hashable, Comparable, Sendable, BitwiseCopyable {
  public static let last = Timestamp(nanoseconds: 7_258_118_400_000_000_000)

  public let nanoseconds: Int64

  @inlinable public init(nanoseconds: Int64) {
    self.nanoseconds = min(max(0, nanoseconds), 7_258_118_400_000_000_000)
  }

  /// Both as 32 bits, up to the year 2106: nothing to check.
  @inlinable public init(second: UInt32, nanoseconds: UInt32) {
    self.nanoseconds = Int64(second) &* 1_000_000_000 &+ Int64(nanoseconds)
  }

  /// Any seconds and fraction a file may hold.
  public init(seconds: Int64, nanoseconds: Int64) {
    let seconds = min(max(-1, seconds), 7_258_118_400)
    let fraction = min(max(-1_000_000_000, nanoseconds), 10_000_000_000)
    self.init(nanoseconds: seconds * 1_000_000_000 + fraction)
  }

  /// Whole seconds since 1970.
  @inlinable public var second: UInt32 { UInt32(truncatingIfNeeded: UInt64(bitPattern: nanoseconds) / 1_000_000_000) }
  public var seconds: Double { Double(nanoseconds) / 1e9 }

  /// Seconds from `earlier` to this; negative when it is not earlier.
  public func since(_ earlier: Timestamp) -> Double { Double(nanoseconds - earlier.nanoseconds) / 1e9 }
  public func adding(_ seconds: Double) -> Timestamp {
    Timestamp(nanoseconds: nanoseconds + Int64(min(max(-1e9, seconds), 1e9) * 1e9))
  }

  @inlinable public static func < (a: Timestamp, b: Timestamp) -> Bool { a.nanoseconds < b.nanoseconds }
}
