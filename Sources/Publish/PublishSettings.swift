/// What the publishers are asked to do.
public struct PublishSettings: Sendable, Hashable {
  /// For the report files, which vanish with the machine's memory: `report.txt`, `report.json`, `evidence.json`. nil: none.
  public var runtimeFolder: String?
  /// For what must survive: the history. nil: none.
  public var stateFolder: String?

  public var files = Files()
  public var log = Log()
  public var history = History()

  public init() {}

  public struct Files: Sendable, Hashable {
    /// Seconds between two editions while nothing but traffic changes; a change of the topology is published at once.
    public var interval = 5
    /// Their mode: the group reads them.
    public var mode: UInt32 = 0o640
  }

  public struct Log: Sendable, Hashable {
    public enum Format: String, Sendable, CaseIterable { case logfmt, json }
    public var format = Format.logfmt
    /// nil: standard error alone.
    public var file: String?
    /// Seconds between two rounds of throughput lines; 0 for none.
    public var throughputInterval = 300
    /// The busiest devices named in each round.
    public var busiest = 5
  }

  public struct History: Sendable, Hashable {
    public var isOn = true
    /// nil: `history.db` in the state folder.
    public var file: String?
    public var capBytes = 256 << 20
    /// Days for which samples by the minute, by the hour and by the day are kept; 0: for ever, within the cap.
    public var minuteDays = 2
    public var hourDays = 90
    public var dayDays = 0
  }

  /// Everything that is wrong with the settings, in words.
  public func problems() -> [String] {
    var out: [String] = []
    for (name, value, range) in [
      ("files.interval", files.interval, 1...3600), ("log.throughput", log.throughputInterval, 0...86_400),
      ("log.busiest", log.busiest, 0...16),
      ("history.cap", history.capBytes, 1 << 20...1 << 40), ("history.minutes", history.minuteDays, 1...3660),
      ("history.hours", history.hourDays, 1...36_600), ("history.days", history.dayDays, 0...36_600),
    ] where !range.contains(value) {
      out.append("\(name) is \(value); it must be \(range.lowerBound) to \(range.upperBound)")
    }
    return out
  }
}
