import Glibc

/// The grains in which usage is kept: the coarser, the longer.
package enum HistoryTier: Int, CaseIterable, Sendable {
  case minute = 0, hour, day, month

  package var word: String {
    switch self {
    case .minute: "minute"
    case .hour: "hour"
    case .day: "day"
    case .month: "month"
    }
  }

  /// The start of the span that holds a second. Days and months are local: a month of traffic is what the contract counts.
  package func start(_ second: Int) -> Int {
    switch self {
    case .minute: return second - second % 60
    case .hour: return second - second % 3600
    case .day, .month:
      var time = time_t(second)
      var parts = tm()
      localtime_r(&time, &parts)
      parts.tm_hour = 0
      parts.tm_min = 0
      parts.tm_sec = 0
      parts.tm_isdst = -1
      if self == .month { parts.tm_mday = 1 }
      // Before 1970 in places west of Greenwich: no frame is that old, and starts are not negative.
      return max(0, Int(mktime(&parts)))
    }
  }
}
