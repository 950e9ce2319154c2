import CLinux
import Capture
import Glibc
import Model
import Publish
import Wire

/// `run`: the daemon, in the foreground.
///
/// The order matters. Configuration is read and interfaces are opened with the rights we were started with; the folders are handed to the
/// unprivileged user; then every right but the one to capture is let go, while there is one thread only; and not before that is the first
/// frame read.
enum RunCommand {
  static func run(_ arguments: Arguments) -> Int32 {
    let configuration: Configuration
    do throws(Configuration.Problems) {
      configuration = try Configuration.load(arguments.value("config"), flags: arguments)
    } catch {
      for problem in error.all.prefix(100) { complain(problem.description) }
      return Status.config.rawValue
    }
    // What a large snapshot takes goes back to the system with it: without a fixed bound the library learns to keep such pieces.
    mallopt(M_MMAP_THRESHOLD, 128 << 10)
    // And of the end of each heap a little is kept, not an eighth of a megabyte.
    mallopt(M_TOP_PAD, 16 << 10)
    mallopt(M_TRIM_THRESHOLD, 32 << 10)
    mallopt(M_ARENA_MAX, 3)
    // Blocked before there is a second thread, so that all of them have them blocked.
    guard let signals = Signals() else {
      complain("signals cannot be read")
      return Status.osError.rawValue
    }
    do throws(CaptureError) {
      let source = try openCapture(configuration.capture)
      if let problem = try becomeUnprivileged(configuration) {
        complain(problem)
        return Status.ioError.rawValue
      }
      umask(0o027)
      return start(configuration, arguments, consume source, signals)
    } catch {
      complain(error.description)
      return error.exitStatus
    }
  }

  /// A line for the journal or for a person.
  private static func complain(_ text: String) {
    Console.raw(Environment.stderrIsJournal ? "<3>\(text)\n" : "lanatomy: \(text)\n")
  }

  private static func openCapture(_ settings: CaptureSettings) throws(CaptureError) -> LiveCapture? {
    do throws(CaptureError) {
      return try LiveCapture(settings)
    } catch {
      // Nobody named one, and the machine has no route yet: that may be so for a minute after a boot.
      if error.status == .noInput, settings.interfaces.isEmpty { return nil }
      throw error
    }
  }

  /// Hands over the folders and lets go of what is not needed; what is wrong with a folder, in words.
  private static func becomeUnprivileged(_ configuration: Configuration) throws(CaptureError) -> String? {
    let user = Privileges.isRoot ? try Privileges.user(named: configuration.user) : nil
    var folders: [String] = []
    if let folder = configuration.publish.runtimeFolder { folders.append(folder) }
    if configuration.publish.history.isOn, let folder = configuration.publish.stateFolder { folders.append(folder) }
    for folder in folders { if let problem = Folders.prepare(folder, for: user) { return problem } }
    try Privileges.drop(to: user)
    return nil
  }

  private static func start(
    _ configuration: Configuration, _ arguments: Arguments, _ source: consuming LiveCapture?, _ signals: Signals
  ) -> Int32 {
    let sink = LogSink(configuration.publish.log, isJournal: Environment.stderrIsJournal) { (Clocks.wall(), Clocks.steady()) }
    let exchange = Exchange()
    let (crumb, setAside) = followBreadcrumb(configuration, sink)
    guard startPublishing(PublishLoop(configuration, arguments, exchange: exchange, sink: sink)) else {
      complain("a thread cannot be started")
      return Status.osError.rawValue
    }
    var loop = CaptureLoop(
      configuration, source: consume source, signals: signals, exchange: exchange, sink: sink, crumb: crumb, setAside: setAside)
    return loop.run()
  }

  private static func startPublishing(_ loop: PublishLoop) -> Bool {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    var thread: pthread_t = 0
    let box = Unmanaged.passRetained(loop)
    let result = pthread_create(
      &thread, &attributes,
      { box in
        if let box { Unmanaged<PublishLoop>.fromOpaque(box).takeRetainedValue().run() }
        return nil
      }, box.toOpaque())
    if result != 0 { box.release() }
    return result == 0
  }

  // MARK: Crashes of decoders

  /// What an earlier run's breadcrumb says, kept for as long as this version lives; and a fresh one.
  private static func followBreadcrumb(_ configuration: Configuration, _ sink: LogSink) -> (Breadcrumb?, [String]) {
    guard let runtime = configuration.publish.runtimeFolder else { return (nil, []) }
    let state = configuration.publish.stateFolder ?? runtime
    let path = "\(state)/\(Breadcrumb.historyFile)"
    var record = DecoderRecord(text: Breadcrumb.contents(path, atMost: 16_384).map { String(decoding: $0, as: UTF8.self) } ?? "")
    let names = Decoders.all.map(\.name)
    if let crash = Breadcrumb.read(folder: runtime), names.contains(crash.decoder) {
      record.add(crash.decoder, version: Lanatomy.version, second: Int(Clocks.wall().second))
      let kept = keep(crash, in: state)
      replace(path, with: record.text)
      var line = LogLine("decoder-crashed", .error).with("decoder", crash.decoder)
      line.add("frame", kept)
      sink.note(line)
    }
    let setAside = record.setAside(version: Lanatomy.version).filter(names.contains)
    for name in setAside { sink.note(LogLine("decoder-set-aside", .warning).with("decoder", name)) }
    return (Breadcrumb(folder: runtime, names: names), setAside)
  }

  /// The frame as a capture file, for the bug report; its path.
  private static func keep(_ crash: Breadcrumb.Crash, in folder: String) -> String? {
    // Its name is one of ours; one file for each decoder.
    let path = "\(folder)/crash-\(crash.decoder).pcap"
    unlink(path)
    do throws(CaptureError) {
      var writer = try FrameWriter(path: path)
      try writer.write(
        Frame(
          number: 1, time: Clocks.wall(), interface: 0, link: crash.link, wireLength: crash.wireLength, bytes: crash.frame.span.bytes))
      try writer.finish()
      return path
    } catch {
      return nil
    }
  }

  private static func replace(_ path: String, with text: String) {
    let draft = path + ".new"
    unlink(draft)
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o640)
    guard descriptor >= 0 else { return }
    let bytes = Array(text.utf8)
    let isWhole = write(descriptor, bytes, bytes.count) == bytes.count
    close(descriptor)
    if isWhole { rename(draft, path) } else { unlink(draft) }
  }
}
