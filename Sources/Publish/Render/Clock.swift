import Glibc
import Wire

/// Times as people and programs read them.
enum Clock {
  /// RFC 3339 in UTC with microseconds.
  static func utc(_ time: Timestamp) -> String {
    var seconds = time_t(time.nanoseconds / 1_000_000_000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    let micros = Int(time.nanoseconds % 1_000_000_000) / 1000
    return date(parts) + "T" + clock(parts) + "." + String(String(1_000_000 + micros).dropFirst()) + "Z"
  }

  /// Hours, minutes and seconds in local time.
  static func localClock(_ time: Timestamp) -> String { clock(local(time)) }
  static func localDate(_ time: Timestamp) -> String { date(local(time)) }

  /// `+0100`.
  static func offset(_ time: Timestamp) -> String {
    let minutes = local(time).tm_gmtoff / 60
    return (minutes < 0 ? "-" : "+") + two(Int(abs(minutes) / 60)) + two(Int(abs(minutes) % 60))
  }

  static func duration(_ seconds: Double) -> String {
    let whole = Int(max(0, min(seconds, 1e9)).rounded())
    if whole == 0, seconds > 0 { return "under 1 s" }
    if whole < 120 { return "\(whole) s" }
    if whole < 7200 { return "\(whole / 60) min" }
    if whole < 172_800 { return "\(whole / 3600) h" }
    return "\(whole / 86_400) days"
  }

  private static func local(_ time: Timestamp) -> tm {
    var seconds = time_t(time.nanoseconds / 1_000_000_000)
    var parts = tm()
    localtime_r(&seconds, &parts)
    return parts
  }
  private static func two(_ n: Int) -> String { n < 10 ? "0\(n)" : "\(n)" }
  private static func date(_ t: tm) -> String { "\(Int(t.tm_year) + 1900)-\(two(Int(t.tm_mon) + 1))-\(two(Int(t.tm_mday)))" }
  private static func clock(_ t: tm) -> String { two(Int(t.tm_hour)) + ":" + two(Int(t.tm_min)) + ":" + two(Int(t.tm_sec)) }
}

/// Quantities as people read them: powers of 1000, three significant digits.
enum Quantity {
  static func bytes(_ n: Int) -> String { scaled(n, ["B", "kB", "MB", "GB", "TB"]) }
  static func rate(_ n: Int) -> String { scaled(n, ["b/s", "kb/s", "Mb/s", "Gb/s", "Tb/s"]) }

  /// With thousands apart.
  static func count(_ n: Int) -> String {
    let digits = String(n.magnitude)
    var out = ""
    for (i, c) in digits.enumerated() {
      if i > 0, (digits.count - i) % 3 == 0 { out += "," }
      out.append(c)
    }
    return n < 0 ? "-" + out : out
  }

  private static func scaled(_ n: Int, _ units: [String]) -> String {
    var value = Double(max(0, n))
    var unit = 0
    while value >= 999.5, unit < units.count - 1 {
      value /= 1000
      unit += 1
    }
    if unit == 0 { return "\(n) \(units[0])" }
    let tenths = Int((value * 10).rounded())
    if value >= 100 { return "\(Int(value.rounded())) \(units[unit])" }
    if value >= 10 { return "\(tenths / 10).\(tenths % 10) \(units[unit])" }
    let hundredths = Int((value * 100).rounded())
    return "\(hundredths / 100).\(hundredths / 10 % 10)\(hundredths % 10) \(units[unit])"
  }
}
