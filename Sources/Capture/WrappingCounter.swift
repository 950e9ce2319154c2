/// A 32-bit counter of libpcap's that starts over, as a total.
struct WrappingCounter {
  private var total = 0
  private var last: UInt32 = 0

  mutating func see(_ now: UInt32) {
    total += Int(now &- last)
    last = now
  }
  func with(_ now: UInt32) -> Int { total + Int(now &- last) }
  /// A fresh handle counts from zero again.
  mutating func startOver() { last = 0 }
  var value: Int { total }
}
