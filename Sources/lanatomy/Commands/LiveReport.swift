import Capture
import Model
import Wire

/// `report` without a file: listens until the time is up, enough frames came, or Ctrl-C.
enum LiveReport {
  static func run(_ arguments: Arguments, filter: String?, limit: Int, _ output: Output) -> Int32 {
    var settings = CaptureSettings(interfaces: arguments.all("interface"))
    settings.promiscuous = !arguments.has("no-promiscuous")
    settings.filter = filter
    settings.cuts = !arguments.has("write") && !arguments.has("snaplen")
    if let text = arguments.value("snaplen") {
      guard let n = Arguments.count(text) else { return ReportCommand.usage("'\(text)' is no number of bytes") }
      settings.snapLength = n
    }
    var lasting = Double.infinity
    if let text = arguments.value("for") {
      guard let seconds = Arguments.seconds(text) else { return ReportCommand.usage("'\(text)' is no time; write 30s, 5m, 2h or 1d") }
      lasting = seconds
    }
    if let problem = settings.problems().first { return ReportCommand.usage(problem) }
    do throws(CaptureError) {
      return try listen(settings, lasting: lasting, limit: limit, arguments, output)
    } catch {
      Console.message(error.description)
      return error.exitStatus
    }
  }

  private static func listen(
    _ settings: CaptureSettings, lasting: Double, limit: Int, _ arguments: Arguments, _ output: Output
  ) throws(CaptureError) -> Int32 {
    var source = try LiveCapture(settings)
    var recording = try Recording(arguments.value("write"), snapLength: settings.snapLength)
    Interrupt.listen()
    let isQuiet = arguments.has("quiet")
    let own = OwnInterfaces(source.interfaces)
    if !isQuiet {
      Console.message("listening on \(source.interfaces.joined(separator: ", "))\(lasting.isFinite ? "" : "; Ctrl-C ends with the report")")
    }
    var pipeline = Pipeline()
    pipeline.note(own.observations, at: Timestamp(nanoseconds: 0))
    var progress = ProgressLine(!isQuiet && !arguments.has("no-progress"))
    let started = ProgressLine.now()
    var left = limit
    while left > 0, !Interrupt.isRequested {
      let remaining = lasting - (ProgressLine.now() - started)
      if remaining <= 0 { break }
      _ = source.wait(milliseconds: Int(min(100, max(1, remaining * 1000))))
      var drained = Drained.more
      while drained == .more, left > 0, !Interrupt.isRequested, ProgressLine.now() - started < lasting {
        drained = try source.drain(atMost: min(256, left)) { frame in
          pipeline.process(frame)
          recording.write(frame)
          left -= 1
        }
        try recording.check()
      }
      progress.show(source.status)
      if drained == .end { break }
    }
    progress.clear()
    try recording.finish()
    let status = source.status
    var context = CaptureContext()
    context.isLive = true
    context.name = WireText(source.interfaces.joined(separator: ","))
    context.linkTypes = status.linkTypes
    context.dropped = status.dropped
    context.filter = settings.filter
    context.cutsByDesign = settings.cuts && settings.snapLength == nil
    context.ownStations = own.stations
    context.isOnBridge = own.isBridge
    context.makers = Vendors.names
    output.report(pipeline.snapshot(context))
    if !isQuiet {
      Console.raw(
        "\(status.frames) frames captured, \(status.received ?? status.frames) received by filter, \(status.droppedByKernel ?? 0) dropped by kernel\n"
      )
    }
    return Status.ok.rawValue
  }
}

/// What the kernel knows of the interfaces that are listened on: the one sure thing about the observer himself.
struct OwnInterfaces {
  private(set) var stations = Set<MACAddress>()
  private(set) var observations: [Observation] = []
  private(set) var isBridge = false

  init(_ names: [String]) {
    guard let all = try? InterfaceFacts.all() else { return }
    for facts in all where names.contains(facts.name) || names.contains("any") {
      guard let mac = facts.mac, mac.isStation else { continue }
      stations.insert(mac)
      isBridge = isBridge || facts.detail == "bridge" || facts.master != nil
      for address in facts.addresses where address.address.isHost {
        observations.append(
          Observation(.station(mac), .holds(address.address, .statement), field: "address", basis: "interface", kind: .measured))
        guard !address.address.isLinkLocal, address.prefixLength < address.address.width else { continue }
        observations.append(
          Observation(.station(mac), .advertisesPrefix(address.prefix, onLink: true), field: "prefix", basis: "interface", kind: .measured))
      }
    }
  }
}
