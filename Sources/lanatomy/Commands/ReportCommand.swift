import Capture
import Model
import Publish
import Wire

/// `report`: frames in, one report out.
enum ReportCommand {
  static func run(_ arguments: Arguments) -> Int32 {
    guard let format = ReportFormat(rawValue: arguments.has("json") ? "json" : arguments.value("format") ?? "text") else {
      return Status.usage.rawValue
    }
    let output = Output(arguments, format: format)
    let filter = arguments.operands.isEmpty ? nil : arguments.operands.joined(separator: " ")
    var limit = Int.max
    if let text = arguments.value("count") {
      guard let n = Arguments.count(text) else { return usage("'\(text)' is no number of frames") }
      limit = n
    }
    if let path = arguments.value("read") {
      if arguments.has("interface") { return usage("-r reads a file and -i listens: give one of them") }
      if arguments.has("for") { return usage("--for is for listening; a file ends by itself (-c COUNT stops earlier)") }
      return file(path, filter: filter, limit: limit, arguments, output)
    }
    return LiveReport.run(arguments, filter: filter, limit: limit, output)
  }

  static func usage(_ text: String) -> Int32 {
    Console.message(text)
    Console.raw("Try 'lanatomy help report'.\n")
    return Status.usage.rawValue
  }

  private static func file(_ path: String, filter: String?, limit: Int, _ arguments: Arguments, _ output: Output) -> Int32 {
    let isSilent = arguments.has("quiet") || arguments.has("no-progress")
    let reading = CaptureReading.read(path, filter: filter, limit: limit, recordingTo: arguments.value("write"), isSilent: isSilent)
    guard let snapshot = reading.snapshot else { return reading.status }
    output.report(snapshot)
    return reading.tellDamage()
  }
}

/// How an answer shall look, and the way it takes.
struct Output {
  let format: ReportFormat
  let style: TextStyle
  let hidesNames: Bool
  let isShareSafe: Bool

  init(_ arguments: Arguments, format: ReportFormat) {
    self.format = format
    let color = arguments.has("no-color") ? "never" : arguments.value("color") ?? "auto"
    style = TextStyle(
      version: Lanatomy.version, ascii: arguments.has("ascii"),
      color: color == "always" || (color == "auto" && Console.stdoutIsTerminal && Environment.allowsColor))
    hidesNames = arguments.has("no-names")
    isShareSafe = arguments.has("share-safe")
  }

  /// What is known of one subject; the makers are named already.
  func answer(_ snapshot: Snapshot, about subject: Claim.Subject) {
    let (snapshot, subject) = isShareSafe ? ShareSafe.applied(to: snapshot, about: subject) : (snapshot, subject)
    let renderer: any Renderer =
      format == .json ? EvidenceReport(version: style.version, about: subject) : WhyReport(style: style, about: subject)
    Console.answer(renderer.text(snapshot))
  }

  func report(_ snapshot: Snapshot) {
    var snapshot = snapshot
    if hidesNames { for at in snapshot.hosts.indices { snapshot.hosts[at].names = [] } }
    if isShareSafe { snapshot = ShareSafe.applied(to: snapshot) }
    Console.answer(format.renderer(style).text(snapshot))
  }
}
