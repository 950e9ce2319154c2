import Glibc
import Publish
import Wire

/// `show`: what the daemon published and what its history holds. Nobody asks the daemon itself: files are all there is between us.
enum ShowCommand {
  static let stateFolder = "/var/lib/lanatomy"

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
      return published(arguments.value("runtime"), format)
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
        if at == nil {
          do throws(RuntimeFolder.Problem) {
            try RuntimeFolder(arguments.value("runtime")).checkIsFresh(RuntimeFolder.report)
          } catch {
            return error.tell()
          }
        }
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
    return Clocks.wall().adding(-seconds)
  }

  private static func usage() -> Int32 {
    Console.raw("Try 'lanatomy help show'.\n")
    return Status.usage.rawValue
  }

  /// The report as the daemon last wrote it.
  private static func published(_ folder: String?, _ format: AnswerFormat) -> Int32 {
    do throws(RuntimeFolder.Problem) {
      let folder = RuntimeFolder(folder)
      try folder.checkIsFresh(RuntimeFolder.report)
      Console.answer(String(decoding: try folder.contents(format == .json ? RuntimeFolder.report : "report.txt"), as: UTF8.self))
      return Status.ok.rawValue
    } catch {
      return error.tell()
    }
  }

  private static func report(_ error: DatabaseError) -> Int32 {
    var facts = stat()
    if error.kind == .notReadable, stat(error.path, &facts) != 0 || access(error.path, R_OK) != 0 {
      return RuntimeFolder.Problem(unreadable: error.path).tell()
    }
    Console.message(error.description)
    return (error.kind == .damaged ? Status.dataError : error.kind == .busy ? .tempFail : .unavailable).rawValue
  }
}
