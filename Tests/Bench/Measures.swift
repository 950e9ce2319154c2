import Glibc

/// CPU time of this thread, in nanoseconds.
func threadTime() -> Int {
  var now = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
  return now.tv_sec * 1_000_000_000 + now.tv_nsec
}

func wallTime() -> Int {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return now.tv_sec * 1_000_000_000 + now.tv_nsec
}

/// A line of the process's own status, in KiB: `VmHWM` is the most that was ever resident, `VmRSS` what is now.
func status(_ key: String) -> Int {
  guard let file = fopen("/proc/self/status", "r") else { return 0 }
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 256)
  while fgets(&line, 256, file) != nil {
    let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    if text.hasPrefix(key + ":") { return Int(text.filter { $0.isNumber }) ?? 0 }
  }
  return 0
}

extension Array where Element == Double {
  /// The value below which a part of the values lies.
  func quantile(_ part: Double) -> Double {
    guard !isEmpty else { return 0 }
    let sorted = sorted()
    let at = part * Double(count - 1)
    let low = Int(at)
    return sorted[low] + (sorted[Swift.min(low + 1, count - 1)] - sorted[low]) * (at - Double(low))
  }
}

func fixed(_ value: Double, _ digits: Int) -> String {
  let scale = pow(10, Double(digits))
  let whole = Int((value.magnitude * scale).rounded())
  let sign = value < 0 && whole > 0 ? "-" : ""
  guard digits > 0 else { return sign + String(whole) }
  let text = String(repeating: "0", count: Swift.max(0, digits + 1 - String(whole).count)) + String(whole)
  return sign + text.dropLast(digits) + "." + text.suffix(digits)
}

func padded(_ text: String, _ width: Int, left: Bool = false) -> String {
  let fill = String(repeating: " ", count: Swift.max(0, width - text.count))
  return left ? text + fill : fill + text
}
