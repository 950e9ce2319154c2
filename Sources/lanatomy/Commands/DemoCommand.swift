import Capture
import Model
import Publish
import Scenarios
import Wire

/// `demo`: a home made up on the spot, through the very pipeline that reads real ones. No network, no privilege.
enum DemoCommand {
  static func run(_ arguments: Arguments) -> Int32 {
    guard let format = ReportFormat(rawValue: arguments.has("json") ? "json" : arguments.value("format") ?? "text") else {
      return Status.usage.rawValue
    }
    var pipeline = Pipeline()
    var context = CaptureContext()
    context.name = WireText("demo (a home made up by lanatomy)")
    // The film keeps the headers of transfers, as a live capture does.
    context.cutsByDesign = true
    do throws(CaptureError) {
      var recording = try Recording(arguments.value("write"), snapLength: nil)
      for (at, film) in CableHome.scenario.frames().enumerated() {
        if !context.linkTypes.contains(film.link) { context.linkTypes.append(film.link) }
        let frame = Frame(
          number: at + 1, time: film.time, interface: film.interface, link: film.link, wireLength: film.wireLength,
          direction: film.direction,
          bytes: film.bytes.span.bytes)
        pipeline.process(frame)
        recording.write(frame)
      }
      try recording.finish()
    } catch {
      Console.message(error.description)
      return error.exitStatus
    }
    context.makers = Vendors.names
    Output(arguments, format: format).report(pipeline.snapshot(context))
    return Status.ok.rawValue
  }
}
