internal import Glibc
import Synchronization
public import Wire

/// Where log lines go: standard error, and a file if one is asked for. It is the only thing that writes either in the daemon.
///
/// Any thread may `note` a line: that costs a lock and no I/O, and what waits is bounded. The publish thread alone calls `flush`, which
/// writes, and so alone waits for a slow disk.
public final class LogSink: Sendable {
  private struct State {
    var quota = LogQuota()
    var waiting: [(line: LogLine, time: Timestamp)] = []
    var lost = 0
    var file: Int32 = -1
    var path: String?
    var format: PublishSettings.Log.Format
  }

  /// What waits for the publish thread. The quota lets fewer through in an hour.
  private static let room = 512

  private let state: Mutex<State>
  private let clock: @Sendable () -> (wall: Timestamp, steady: Int64)
  /// Whether standard error is the journal's, which reads `<N>` as a priority and stamps each line itself.
  private let isJournal: Bool
  private let descriptor: Int32

  /// - Parameters:
  ///   - clock: the wall's time, and nanoseconds of a clock that nobody sets.
  ///   - descriptor: where lines go besides the file; negative for nowhere.
  public init(
    _ settings: PublishSettings.Log, isJournal: Bool, descriptor: Int32 = 2,
    clock: @escaping @Sendable () -> (wall: Timestamp, steady: Int64)
  ) {
    state = Mutex(State(path: settings.file, format: settings.format))
    self.clock = clock
    self.isJournal = isJournal
    self.descriptor = descriptor
  }

  deinit { state.withLock { if $0.file >= 0 { close($0.file) } } }

  /// Takes a line, if its kind has any left.
  public func note(_ line: LogLine) {
    let now = clock()
    state.withLock { state in
      guard state.quota.admits(line.kind, at: now.steady) else { return }
      LogSink.append(line, now.wall, &state)
    }
  }

  /// Takes a line that is bounded by what causes it: a round of throughput lines, the start and the end.
  public func noteAlways(_ line: LogLine) {
    let now = clock()
    state.withLock { LogSink.append(line, now.wall, &$0) }
  }

  private static func append(_ line: LogLine, _ time: Timestamp, _ state: inout State) {
    if state.waiting.count < room { state.waiting.append((line, time)) } else { state.lost += 1 }
  }

  /// Opens the file, or opens it anew after it was moved away; a new format or path comes into force.
  public func reopen(_ settings: PublishSettings.Log) throws(PublishError) {
    var opened: Int32 = -1
    if let path = settings.file {
      // A pipe or a terminal planted there shall neither block nor become ours; a link is not followed.
      opened = Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0o640)
      guard opened >= 0 else { throw PublishError(path, "the log cannot be opened (\(SystemWords.error(errno)))") }
      var facts = stat()
      guard fstat(opened, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_nlink == 1 else {
        close(opened)
        throw PublishError(path, "the log is no plain file of its own", remedy: "remove it, or name another one")
      }
    }
    let old = state.withLock { state -> Int32 in
      defer {
        state.file = opened
        state.path = settings.file
        state.format = settings.format
      }
      return state.file
    }
    if old >= 0 { close(old) }
  }

  /// Writes what waits. Only the publish thread calls it.
  public func flush(isEnd: Bool = false) throws(PublishError) {
    let now = clock()
    let (lines, file, format) = state.withLock { state -> ([(line: LogLine, time: Timestamp)], Int32, PublishSettings.Log.Format) in
      for line in state.quota.summaries(at: now.steady, isEnd: isEnd) { LogSink.append(line, now.wall, &state) }
      if state.lost > 0 {
        state.waiting.append((LogLine("left-out", .warning).with("kind", "any").with("count", state.lost), now.wall))
        state.lost = 0
      }
      defer { state.waiting.removeAll() }
      return (state.waiting, state.file, state.format)
    }
    guard !lines.isEmpty else { return }
    if descriptor >= 0 {
      var text = ""
      for (line, time) in lines {
        if isJournal { text += "<\(line.priority.rawValue)>" }
        text += (isJournal ? LogSink.text(line, nil, format) : LogSink.text(line, time, format)) + "\n"
      }
      // Nobody reads it: nobody misses it.
      _ = SystemWords.writeWhole(text, to: descriptor)
    }
    if file >= 0 {
      var text = ""
      for (line, time) in lines { text += LogSink.text(line, time, format) + "\n" }
      if let number = SystemWords.writeWhole(text, to: file) {
        throw PublishError(state.withLock { $0.path ?? "" }, "the log cannot be written (\(SystemWords.error(number)))")
      }
    }
  }

  private static func text(_ line: LogLine, _ time: Timestamp?, _ format: PublishSettings.Log.Format) -> String {
    switch format {
    case .json: line.json(time: time)
    case .logfmt: (time.map { "time=\(Clock.utc($0)) " } ?? "") + line.logfmt
    }
  }
}

/// The few things that everybody here asks of the system.
enum SystemWords {
  static func error(_ number: Int32) -> String {
    guard let text = strerror(number) else { return "error \(number)" }
    return String(cString: text)
  }

  /// Writes all of a text; the error number when it cannot.
  static func writeWhole(_ text: String, to descriptor: Int32) -> Int32? {
    var text = text
    return text.withUTF8 { bytes -> Int32? in
      guard let base = bytes.baseAddress else { return nil }
      var at = 0
      while at < bytes.count {
        let n = Glibc.write(descriptor, base + at, bytes.count - at)
        if n < 0 {
          if errno == EINTR { continue }
          return errno
        }
        at += n
      }
      return nil
    }
  }
}
