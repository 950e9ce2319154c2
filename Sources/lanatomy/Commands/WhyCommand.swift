import Model
import Publish
import Wire

/// `why`: every claim about one thing with its evidence, from a capture file or from what the running daemon published.
enum WhyCommand {
  static func run(_ arguments: Arguments) -> Int32 {
    guard let word = arguments.operands.first, !word.isEmpty else {
      Console.message("'why' needs a device, an address or a subnet: a MAC, an IP address, a name, or a prefix such as 192.168.0.0/24")
      Console.raw("Try 'lanatomy help why'.\n")
      return Status.usage.rawValue
    }
    guard let path = arguments.value("read") else { return published(word, arguments) }
    if arguments.has("runtime") {
      Console.message("-r reads a capture file and --runtime what the daemon published: give one of them")
      return Status.usage.rawValue
    }
    let reading = CaptureReading.read(path, isSilent: arguments.has("no-progress"))
    guard let snapshot = reading.snapshot else { return reading.status }
    let status = answer(word, snapshot, arguments)
    return status == Status.ok.rawValue ? reading.tellDamage() : status
  }

  private static func published(_ word: String, _ arguments: Arguments) -> Int32 {
    do throws(RuntimeFolder.Problem) {
      let folder = RuntimeFolder(arguments.value("runtime"))
      try folder.checkIsFresh(RuntimeFolder.evidence)
      guard let snapshot = EvidenceReader.snapshot(try folder.contents(RuntimeFolder.evidence)) else {
        Console.message(
          "\(RuntimeFolder.evidence) of the daemon cannot be understood: another version may have written it; restart the daemon")
        return Status.dataError.rawValue
      }
      return answer(word, snapshot, arguments)
    } catch {
      return error.tell()
    }
  }

  private static func answer(_ word: String, _ snapshot: Snapshot, _ arguments: Arguments) -> Int32 {
    let search = SubjectSearch(snapshot)
    let found = search.find(word)
    guard let subject = found.first, found.count == 1 else { return unclear(word, found, search) }
    let output = Output(arguments, format: arguments.value("format") == "json" || arguments.has("json") ? .json : .text)
    output.answer(snapshot, about: subject)
    return Status.ok.rawValue
  }

  /// The word means nothing here, or too much: what it may have meant.
  private static func unclear(_ word: String, _ found: [Claim.Subject], _ search: SubjectSearch) -> Int32 {
    let shown = WireText.clean(word)
    let near = found.isEmpty ? search.nearest(to: word, Arguments.distance) : found
    if found.isEmpty {
      Console.message("nothing here is called '\(shown)'\(near.isEmpty ? "" : "; nearest to it:")")
    } else {
      Console.message("'\(shown)' may be any of \(found.count); say which one by its MAC or prefix:")
    }
    for subject in near.prefix(8) { Console.raw("  \(search.line(subject))\n") }
    if near.count > 8 { Console.raw("  … and \(near.count - 8) more\n") }
    return (found.isEmpty ? Status.noInput : .usage).rawValue
  }
}
