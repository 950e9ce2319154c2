/// How the history is kept. Intervals are those of `reliability.md` (P11, P13, P15); tests shorten them.
package struct HistorySettings: Sendable, Hashable {
  /// The database file; its write-ahead log stands beside it.
  package var path: String
  package var capBytes = 256 << 20
  package var waitingBytes = 8 << 20
  /// Seconds.
  package var minutesKept = 2 * 86_400
  package var hoursKept = 92 * 86_400
  /// 0: for ever.
  package var daysKept = 0
  /// Stations that are remembered. A home has a hundred; phones that change their address each day bring a few thousand a year.
  package var deviceLimit = 8192
  /// Facts remembered of one device: more than P7 allows it names.
  package var factLimit = 128

  package init(path: String) { self.path = path }

  /// nil when no history is wanted.
  package init?(_ settings: PublishSettings) {
    guard settings.history.isOn, let path = settings.history.file ?? settings.stateFolder.map({ $0 + "/" + HistorySettings.fileName })
    else {
      return nil
    }
    self.init(path: path)
    capBytes = settings.history.capBytes
    minutesKept = settings.history.minuteDays * 86_400
    hoursKept = settings.history.hourDays * 86_400
    daysKept = settings.history.dayDays * 86_400
  }

  package static let fileName = "history.db"
}
