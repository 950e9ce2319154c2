import Glibc
import Publish
import Wire

/// `show`: what the daemon published and what its history holds. Nobody asks the daemon itself: files are all there is between us.
enum ShowCommand {
  static let stateFolder = "/var/lib/lanatomy"
  static let runtimeFolder = "/run/lanatomy"
  /// Seconds after which a report counts as left behind: the daemon writes one every few seconds.
  static let freshness = 120

  static func run(_ arguments: Arguments) -> Int32 {
    let format = arguments.has("json") ? AnswerFormat.json : AnswerFormat(rawValue: arguments.value("format") ?? "text") ?? .text
    var at: Timestamp?
    var since: Timestamp?
    for (name, isSince) in [("at", false), ("since", true)] {
      guard let word = arguments.value(name) else { continue }
      guard let time = time(word) else {
        Console.message("'\(word)' is no time; '--\(name)' takes 30m, 2h, 7d (ago) or 2026-01-31T18:00:00+01:00")
        return Status.usage.rawValue
      }
      if isSince { since = time } else { at = time }
    }
    let history = (arguments.value("state") ?? stateFolder) + "/" + HistorySettings.fileName
    let topic = arguments.operands.first
    let wants = ["history": 2, "usage": 1]
    if let topic, wants[topic] == nil {
      Console.message(Arguments.unknown(topic, among: Array(wants.keys.sorted()), kind: "topic of 'show'"))
      return usage()
    }
    let count = topic.flatMap { wants[$0] } ?? 0
    guard arguments.operands.count == count else {
      let extra = arguments.operands.count > count
      Console.message(
        extra ? "'show' takes no '\(arguments.operands[count])' here" : "'show history' needs a device: its MAC, an address or a name")
      return usage()
    }
    for (option, place) in [("at", nil), ("by", "usage"), ("since", "usage")] as [(String, String?)]
    where arguments.has(option) && topic != place {
      Console.message("'--\(option)' does not go with 'show\(topic.map { " " + $0 } ?? "")'")
      return usage()
    }
    if topic == nil, at == nil, format != .csv {
      return published(arguments.value("runtime") ?? runtimeFolder, format)
    }
    do throws(DatabaseError) {
      let reader = try HistoryReader(history)
      switch topic {
      case "usage":
        let grouping = UsageAnswer.Grouping(rawValue: arguments.value("by") ?? "device") ?? .device
        Console.answer(try UsageAnswer(reader, by: grouping, since: since).text(format))
      case "history":
        let devices = try reader.find(arguments.operands[1])
        guard !devices.isEmpty else {
          Console.message("no device '\(WireText.clean(arguments.operands[1]))' was ever seen")
          return Status.noInput.rawValue
        }
        var parts: [StoryAnswer.Part] = []
        for device in devices {
          parts.append(
            StoryAnswer.Part(try reader.known(device), try reader.intervals(of: device), try reader.usage(of: device.number, .day)))
        }
        Console.answer(StoryAnswer(parts, among: try reader.devices()).text(format))
      default:
        if at == nil, let status = staleness(arguments.value("runtime") ?? runtimeFolder) { return status }
        Console.answer(try DevicesAnswer(reader, at: at).text(format))
      }
      return Status.ok.rawValue
    } catch {
      return report(error)
    }
  }

  /// `2h` ago, or a time.
  private static func time(_ word: String) -> Timestamp? {
    guard let seconds = Arguments.seconds(word) else { return Clock.time(word) }
    return now().adding(-seconds)
  }

  private static func now() -> Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
  }

  private static func usage() -> Int32 {
    Console.raw("Try 'lanatomy help show'.\n")
    return Status.usage.rawValue
  }

  /// The report as the daemon last wrote it.
  private static func published(_ folder: String, _ format: AnswerFormat) -> Int32 {
    if let status = staleness(folder) { return status }
    let path = folder + (format == .json ? "/report.json" : "/report.txt")
    guard let text = contents(path) else { return unreadable(path) }
    Console.answer(String(decoding: text, as: UTF8.self))
    return Status.ok.rawValue
  }

  /// The status to end with when no daemon publishes there; nil when one does.
  private static func staleness(_ folder: String) -> Int32? {
    let path = folder + "/report.json"
    var facts = stat()
    guard stat(path, &facts) == 0 else { return unreadable(path) }
    let age = Int(now().nanoseconds / 1_000_000_000) - Int(facts.st_mtim.tv_sec)
    guard age > freshness else { return nil }
    Console.message("\(path) is \(age) s old: the daemon that wrote it runs no more; 'systemctl status lanatomy' may tell why")
    return Status.unavailable.rawValue
  }

  private static func unreadable(_ path: String) -> Int32 {
    if errno == EACCES {
      Console.message("\(path): no right to read it; members of the group 'lanatomy' may")
      return Status.noPermission.rawValue
    }
    Console.message(
      "\(path): \(String(cString: strerror(errno))); no daemon has written there; 'lanatomy report' needs none")
    return Status.unavailable.rawValue
  }

  private static func contents(_ path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var out: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    // A report of the largest network that we list is a hundredth of this.
    while out.count < 1 << 28 {
      let got = read(descriptor, &block, block.count)
      if got < 0 { return nil }
      if got == 0 { break }
      out.append(contentsOf: block[..<got])
    }
    return out
  }

  private static func report(_ error: DatabaseError) -> Int32 {
    var facts = stat()
    if error.kind == .notReadable, stat(error.path, &facts) != 0 || access(error.path, R_OK) != 0 { return unreadable(error.path) }
    Console.message(error.description)
    return (error.kind == .damaged ? Status.dataError : error.kind == .busy ? .tempFail : .unavailable).rawValue
  }
}
