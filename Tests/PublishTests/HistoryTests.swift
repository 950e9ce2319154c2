import Fixtures
import Glibc
import Model
import Scenarios
import Testing
import Wire

@testable import Publish

@Suite("History: what is kept")
struct HistoryTests {
  let folder = TemporaryFolder()

  func publisher(_ change: (inout HistorySettings) -> Void = { _ in }) -> HistoryPublisher {
    var settings = HistorySettings(path: folder.database)
    change(&settings)
    return HistoryPublisher(settings)
  }

  @Test("two names that look alike stay two, and each keeps its bytes")
  func names() throws {
    let names: [[UInt8]] = [
      Array("caf\u{e9}".utf8), Array("cafe\u{301}".utf8), [0x61, 0x00, 0x62], [0xff, 0xfe, 0x27, 0x3b],
      Array("'; DROP TABLE device; --".utf8),
      Array("\u{202e}gnp.exe".utf8), [], [UInt8](repeating: 0xc3, count: 255), Array("?1 :a @b $c".utf8),
    ]
    let history = publisher()
    var home = LiveHome()
    for (at, name) in names.enumerated() { home.join(at + 1, name: WireText(name)) }
    try history.publish(home)
    try history.finish(home.snapshot, since: nil)
    let reader = try HistoryReader(folder.database)
    let devices = try reader.devices()
    #expect(devices.map(\.mac) == home.hosts.map(\.id))
    for (device, name) in zip(devices, names) { #expect(device.names.map(\.bytes) == [name]) }
    #expect(try reader.find("caf\u{e9}").map(\.mac) == [LiveHome.mac(1)])
    #expect(try reader.find("cafe\u{301}").map(\.mac) == [LiveHome.mac(2)])
  }

  @Test("a device is found by its address, its IP and its name in any case")
  func finds() throws {
    let history = publisher()
    var home = LiveHome()
    home.join(1, name: WireText("Desk"), address: "192.168.0.5")
    home.join(2, name: WireText("lamp"), address: "192.168.0.6")
    try history.finish(home.snapshot, since: nil)
    let reader = try HistoryReader(folder.database)
    for word in [LiveHome.mac(1).description, "192.168.0.5", "Desk", "DESK"] {
      #expect(try reader.find(word).map(\.mac) == [LiveHome.mac(1)], "\(word)")
    }
    #expect(try reader.find("desktop").isEmpty)
  }

  @Test("what changed is an interval; what is said again is the same one")
  func intervals() throws {
    let history = publisher()
    var home = LiveHome()
    home.join(1, address: "192.168.0.5")
    try history.publish(home)
    func pass(_ seconds: Int) throws {
      for _ in 0..<(seconds / 100) {
        try history.publish(home)
        home.pass(100)
      }
    }
    try pass(3600)
    home.hosts[0].ipv4 = [try #require(IPv4Address("192.168.0.77"))]
    home.hosts[0].medium = Verdict(.wifi, confidence: 0.8, reasons: [])
    try history.publish(home)
    try pass(1000)
    home.hosts[0].medium = Verdict(.ethernet, confidence: 0.9, reasons: [])
    home.findings = [Finding(.doubleNAT, "two routers translate", hosts: [LiveHome.mac(1)], reasons: [])]
    try history.publish(home)
    home.pass(100)
    try history.finish(home.snapshot, since: nil)

    let reader = try HistoryReader(folder.database)
    let device = try #require(try reader.devices().first)
    #expect(device.addresses.map(\.description) == ["192.168.0.77"])
    #expect(device.medium == "ethernet")
    let story = try reader.intervals(of: device).map {
      "\($0.kind) \($0.text) \(Int($0.first.since(LiveHome.start)))-\(Int($0.last.since(LiveHome.start)))\($0.isOver ? "" : "…")"
    }
    #expect(
      story == [
        "presence  0-4700…", "address 192.168.0.5 0-3600", "address 192.168.0.77 3600-4700…", "medium wifi 3600-4600",
        "medium ethernet 4600-4700…",
      ])
    let early = try #require(try reader.devices(at: LiveHome.start.adding(60)).first)
    #expect(early.addresses.map(\.description) == ["192.168.0.5"])
    #expect(early.medium == nil)
    #expect(try reader.devices(at: LiveHome.start.adding(-60)).isEmpty)
    #expect(try reader.intervals(of: nil).map(\.text) == ["double-nat \(LiveHome.mac(1))"])
  }

  @Test("an absence longer than the habit is one; a device that sleeps for minutes is not away")
  func presence() throws {
    let history = publisher()
    var home = LiveHome()
    home.join(1)
    for minute in 0..<300 {
      // Silent for five minutes at a time, then for two hours.
      home.pass(60, silent: minute % 6 != 0 || (100..<220).contains(minute) ? [1] : [])
      try history.publish(home)
    }
    #expect(history.known()[LiveHome.mac(1)]?.isPresent == true)
    #expect(history.known()[LiveHome.mac(1)]?.longestPause == 360)
    try history.finish(nil, since: nil)
    let reader = try HistoryReader(folder.database)
    let device = try #require(try reader.devices().first)
    let stays = try reader.intervals(of: device).filter { $0.kind == .presence }
    #expect(stays.count == 2)
    #expect(stays.first.map { Int($0.last.since(LiveHome.start)) / 60 } == 97)
    #expect(stays.last.map { Int($0.first.since(LiveHome.start)) / 60 } == 223)
  }

  @Test("a restart knows what was before: devices, names, given names, totals")
  func restart() throws {
    var home = LiveHome()
    home.join(1, name: WireText("desk"), address: "192.168.0.5")
    home.join(2)
    let given = [LiveHome.mac(2): "the lamp"]
    let first = HistoryPublisher(HistorySettings(path: folder.database), given: given)
    for _ in 0..<10 {
      home.pass(60)
      try first.publish(home)
    }
    try first.finish(home.snapshot, since: nil)
    let moved = home.hosts[0].traffic

    let second = HistoryPublisher(HistorySettings(path: folder.database), given: given)
    second.open(at: home.now)
    let known = try #require(second.known()[LiveHome.mac(2)])
    #expect(known.givenName == "the lamp")
    #expect(known.firstSeen == LiveHome.start)
    #expect(known.lastSeen == home.now)
    // The counters begin anew, and nobody has said a name yet.
    var again = LiveHome()
    again.now = home.now.adding(120)
    again.join(1)
    again.pass(60)
    try second.publish(again)
    try second.finish(again.snapshot, since: nil)
    let reader = try HistoryReader(folder.database)
    let devices = try reader.devices()
    #expect(devices.first?.names.map(\.display) == ["desk"])
    #expect(devices.last?.label == "the lamp")
    let usage = try reader.usage(since: nil).byDevice
    var expected = Usage(moved)
    expected += Usage(again.hosts[0].traffic)
    expected.peak = usage[2]?.peak ?? -1
    #expect(usage[2] == expected)
    #expect(try reader.intervals(of: devices.first).filter { $0.kind == .presence }.count == 1)
  }

  @Test("what was internet and turns out to be the operator's goes from one to the other")
  func corrections() throws {
    let history = publisher()
    var home = LiveHome()
    home.join(1)
    home.pass(60)
    try history.publish(home)
    home.pass(60)
    home.hosts[0].traffic.operatorBytes = home.hosts[0].traffic.internetBytes
    home.hosts[0].traffic.operatorSentBytes = home.hosts[0].traffic.internetSentBytes
    home.hosts[0].traffic.internetBytes = 0
    home.hosts[0].traffic.internetSentBytes = 0
    try history.finish(home.snapshot, since: nil)
    let usage = try HistoryReader(folder.database).usage(since: nil).byDevice
    #expect(usage[2]?.internet == 0)
    #expect(usage[2]?.operator == home.hosts[0].traffic.operatorBytes)
  }

  @Test("two stations that turn out to be one box keep their sum, and so do they when they part")
  func boxes() throws {
    let history = publisher()
    var home = LiveHome()
    home.join(1)
    home.join(2)
    home.pass(61)
    try history.publish(home)
    home.pass(60)
    try history.publish(home)
    // Together.
    var box = home
    box.hosts[0].traffic.add(home.hosts[1].traffic)
    box.hosts[0].virtualMACs = [LiveHome.mac(2)]
    box.hosts.remove(at: 1)
    box.pass(60)
    try history.publish(box)
    box.pass(60)
    try history.publish(box)
    box.pass(60)
    try history.finish(box.snapshot, since: nil)
    let reader = try HistoryReader(folder.database)
    let usage = try reader.usage(since: nil).byDevice
    #expect((usage[2]?.bytes ?? 0) + (usage[3]?.bytes ?? 0) == box.hosts[0].traffic.sentBytes + box.hosts[0].traffic.receivedBytes)
    #expect(try reader.devices().map(\.mac) == [LiveHome.mac(1)])
    #expect(try reader.devices().first?.aliases == [LiveHome.mac(2)])
  }

  @Test("a station that was pushed out of the model's table and comes back is counted on")
  func eviction() throws {
    let history = publisher()
    var home = LiveHome()
    home.join(1)
    home.join(2)
    home.pass(61)
    try history.publish(home)
    let gone = home.hosts.removeLast()
    for _ in 0..<3 {
      home.pass(60)
      try history.publish(home)
    }
    home.join(2)
    home.pass(60)
    try history.publish(home)
    try history.finish(home.snapshot, since: nil)
    let usage = try HistoryReader(folder.database).usage(since: nil).byDevice
    #expect(usage[3]?.bytes == gone.traffic.sentBytes + gone.traffic.receivedBytes + 4000)
  }

  @Test("a flood of invented stations neither fills the history nor pushes out who belongs here")
  func flood() throws {
    let history = publisher { $0.deviceLimit = 512 }
    var home = LiveHome()
    for number in 1...30 { home.join(number, name: WireText("real \(number)")) }
    home.pass(60)
    try history.publish(home)
    let real = home.hosts
    for round in 0..<60 {
      home.hosts = real
      for number in 0..<400 { home.join(1000 + round * 400 + number) }
      home.hosts.sort { $0.id < $1.id }
      home.pass(60)
      try history.publish(home)
    }
    try history.finish(home.snapshot, since: nil)
    let known = history.known()
    #expect(known.count <= 512)
    #expect(real.allSatisfy { known[$0.id] != nil })
    #expect(Files.size(folder.database) < 8 << 20)
  }
}

@Suite("History: totals to the byte")
struct HistoryTotalsTests {
  @Test("a replayed film gives the totals of its report", arguments: Homes.all)
  func replay(_ scenario: Scenario) throws {
    let folder = TemporaryFolder()
    let history = HistoryPublisher(HistorySettings(path: folder.database))
    var pipeline = Pipeline()
    var context = CaptureContext()
    var shown = 0
    var last = Snapshot()
    let frames = scenario.frames()
    for (at, film) in frames.enumerated() {
      if !context.linkTypes.contains(film.link) { context.linkTypes.append(film.link) }
      pipeline.process(
        Frame(
          number: at + 1, time: film.time, interface: film.interface, link: film.link, wireLength: film.wireLength,
          direction: film.direction, bytes: film.bytes.span.bytes))
      // Every seven seconds of the film, as every interval of the daemon.
      let second = Int(film.time.nanoseconds / 7_000_000_000)
      if second != shown || at == frames.count - 1 {
        shown = second
        last = pipeline.snapshot(context)
        try history.publish(last, since: nil)
      }
    }
    try history.finish(last, since: nil)
    let report = Fixtures.snapshot(of: frames)

    let reader = try HistoryReader(folder.database)
    let devices = try reader.devices()
    #expect(devices.map(\.mac) == report.hosts.map(\.id))
    for since in [nil, report.capture.started] {
      let usage = try reader.usage(since: since)
      let boxes = try reader.usageByDevice(since: since)
      for host in report.hosts {
        var have = try #require(boxes[host.id])
        var want = Usage(host.traffic)
        (have.peak, want.peak) = (0, 0)
        #expect(have == want, "\(host.id) \(usage.tier)")
      }
      let network = try #require(usage.byDevice[0])
      #expect(network.sentFrames == report.capture.frames)
      #expect(network.sentBytes == report.capture.bytes)
      #expect(network.internet == report.hosts.reduce(0) { $0 + $1.traffic.internetBytes })
      #expect(network.operator == report.hosts.reduce(0) { $0 + $1.traffic.operatorBytes })
      #expect(network.internet + network.operator + network.local == report.capture.bytes)
    }
  }
}
