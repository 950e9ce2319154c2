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
    Interrupt.listen()
    var pipeline = Pipeline()
    var progress = ProgressLine(!arguments.has("quiet") && !arguments.has("no-progress"))
    do throws(CaptureError) {
      var source = try CaptureFile(path: path, filter: filter)
      var recording = try Recording(arguments.value("write"), snapLength: nil)
      var left = limit
      reading: while left > 0, !Interrupt.isRequested {
        let drained = try source.drain(atMost: min(left, 4096)) { frame in
          pipeline.process(frame)
          recording.write(frame)
          left -= 1
        }
        try recording.check()
        progress.show(source.status)
        if drained == .end { break reading }
      }
      progress.clear()
      try recording.finish()
      let status = source.status
      var context = CaptureContext()
      context.name = WireText(path == "-" ? "standard input" : fileName(path))
      context.linkTypes = status.linkTypes
      context.dropped = status.dropped
      context.endsInsideRecord = status.endsInsideRecord
      context.filter = filter
      output.report(pipeline.snapshot(context))
      if let damage = status.damage {
        Console.message("\(path) is damaged \(damage); everything up to there is in the report")
        return Status.dataError.rawValue
      }
      return Status.ok.rawValue
    } catch {
      progress.clear()
      Console.message(error.description)
      return error.exitStatus
    }
  }

  private static func fileName(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
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

  func report(_ snapshot: Snapshot) {
    var snapshot = snapshot
    let vendors = Vendors.load(for: snapshot.hosts.map(\.id))
    for at in snapshot.hosts.indices where !snapshot.hosts[at].id.isLocal {
      snapshot.hosts[at].vendor = vendors.name(of: snapshot.hosts[at].id)
    }
    if hidesNames { for at in snapshot.hosts.indices { snapshot.hosts[at].names = [] } }
    if isShareSafe { snapshot = ShareSafe.applied(to: snapshot) }
    Console.answer(format.renderer(style).text(snapshot))
  }
}
