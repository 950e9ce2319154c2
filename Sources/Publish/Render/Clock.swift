import Glibc
package import Wire

/// Times as people and programs read them.
package enum Clock {
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

  static func localTime(_ time: Timestamp) -> String { localDate(time) + " " + localClock(time) }

  /// RFC 3339, also without its time (then midnight) or its zone (then local). nil for everything else.
  package static func time(_ text: String) -> Timestamp? {
    let bytes = Array(text.utf8)
    var at = 0
    func digits(_ count: Int, _ range: ClosedRange<Int>) -> Int? {
      guard at + count <= bytes.count else { return nil }
      var value = 0
      for c in bytes[at..<(at + count)] {
        guard (0x30...0x39).contains(c) else { return nil }
        value = value * 10 + Int(c - 0x30)
      }
      at += count
      return range.contains(value) ? value : nil
    }
    func skip(_ choices: StaticString) -> Bool {
      guard at < bytes.count, String(describing: choices).utf8.contains(bytes[at]) else { return false }
      at += 1
      return true
    }
    var parts = tm()
    guard let year = digits(4, 1970...2199), skip("-"), let month = digits(2, 1...12), skip("-"), let day = digits(2, 1...31) else {
      return nil
    }
    parts.tm_year = Int32(year - 1900)
    parts.tm_mon = Int32(month - 1)
    parts.tm_mday = Int32(day)
    parts.tm_isdst = -1
    guard at < bytes.count else { return Timestamp(seconds: Int64(mktime(&parts)), nanoseconds: 0) }
    guard skip("Tt "), let hour = digits(2, 0...23), skip(":"), let minute = digits(2, 0...59) else { return nil }
    parts.tm_hour = Int32(hour)
    parts.tm_min = Int32(minute)
    var nanoseconds: Int64 = 0
    if skip(":") {
      guard let second = digits(2, 0...60) else { return nil }
      parts.tm_sec = Int32(second)
      if skip(".") {
        var unit: Int64 = 100_000_000
        var count = 0
        while let digit = digits(1, 0...9) {
          nanoseconds += Int64(digit) * unit
          unit /= 10
          count += 1
        }
        guard count > 0 else { return nil }
      }
    }
    if at == bytes.count { return Timestamp(seconds: Int64(mktime(&parts)), nanoseconds: nanoseconds) }
    if skip("Zz") { return at == bytes.count ? Timestamp(seconds: Int64(timegm(&parts)), nanoseconds: nanoseconds) : nil }
    let isWest = at < bytes.count && bytes[at] == 0x2d
    guard skip("+-"), let hours = digits(2, 0...23), skip(":"), let minutes = digits(2, 0...59), at == bytes.count else { return nil }
    let shift = (hours * 60 + minutes) * 60
    return Timestamp(seconds: Int64(timegm(&parts)) + Int64(isWest ? shift : -shift), nanoseconds: nanoseconds)
  }

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

  /// So many of a thing.
  static func count(_ n: Int, _ one: String) -> String { "\(count(n)) \(one)\(n == 1 ? "" : "s")" }

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
