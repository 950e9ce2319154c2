/// For developers: prints as one JSON document what Wire reads in a capture file, frame by frame and before any judgement.
/// `scripts/compare-oracle` holds it against what another analyser read in the same file. Does not ship.
import Capture
import Glibc
import Wire

@main
enum FactsCommand {
  static func main() {
    exit(run(Array(CommandLine.arguments.dropFirst())))
  }

  static func run(_ arguments: [String]) -> Int32 {
    guard let path = arguments.first, arguments.count == 1 else {
      complain("usage: lanatomy-facts FILE")
      return 64
    }
    let decoder = Decoder()
    var facts = Facts()
    var summary = FrameSummary()
    var observations = Observations()
    do throws(CaptureError) {
      var source = try CaptureFile(path: path)
      while try source.drain(
        atMost: 4096,
        { frame in
          decoder.decode(frame, into: &summary, &observations)
          facts.add(summary, observations)
        }) != .end
      {}
      let status = source.status
      var text = ""
      JSON.object(
        [
          ("format", status.format.map { .text($0) } ?? .null), ("link_types", .list(status.linkTypes.map { .int(Int($0.rawValue)) })),
          ("damage", status.damage.map { .text($0.description) } ?? .null), ("ends_inside_record", .bool(status.endsInsideRecord)),
          ("dissectors", .list(Dissector.all.map { .text($0.name) })),
        ] + facts.json
      ).write(into: &text)
      print(text)
      return status.damage == nil ? 0 : 65
    } catch {
      complain("lanatomy-facts: \(error.description)")
      return error.exitStatus
    }
  }

  private static func complain(_ text: String) {
    var line = text + "\n"
    line.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
  }
}
