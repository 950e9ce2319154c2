import Fixtures
import Glibc
import Model
import Testing
import Wire

@testable import Publish

@Suite("The log")
struct LogTests {
  @Test("a name cannot leave its field, its line or its terminal")
  func hostileName() {
    var line = LogLine("new")
    line.add("name", WireText("a\" mac=00\n\u{1b}[2Jevent=new \\"))
    #expect(line.logfmt == #"event=new name="a\" mac=00\\u{a}\\u{1b}[2Jevent=new \\""#)
    #expect(line.json(time: nil) == #"{"event":"new","name":"a\" mac=00\\u{a}\\u{1b}[2Jevent=new \\"}"#)
  }

  @Test("plain words stand without quotes, and an absent value leaves no trace")
  func plain() {
    var line = LogLine("new")
    line.add("mac", "0c:8b:fd:00:00:01")
    line.add("vendor", nil as String?)
    line.add("frames", 7)
    #expect(line.logfmt == "event=new mac=0c:8b:fd:00:00:01 frames=7")
  }

  @Test("of each kind ten lines an hour, then one with the count")
  func quota() {
    var quota = LogQuota()
    let second: Int64 = 1_000_000_000
    let admitted = (0..<1000).count { quota.admits("new", at: Int64($0) * second) }
    #expect(admitted == 10)
    let other = quota.admits("gone", at: 1000 * second)
    #expect(other)
    let told = quota.summaries(at: 1000 * second).map(\.logfmt)
    #expect(told == ["event=left-out kind=new count=990"])
    let again = quota.summaries(at: 2000 * second)
    let later = quota.admits("new", at: 3700 * second)
    #expect(again.isEmpty)
    #expect(later)
  }

  @Test("two hundred lines an hour at most, whatever happens")
  func ceiling() {
    var quota = LogQuota()
    var lines = 0
    for second in 0..<36_000 {
      let now = Int64(second) * 100_000_000
      for kind in 0..<40 where quota.admits("kind\(kind)", at: now) { lines += 1 }
      lines += quota.summaries(at: now).count
    }
    #expect(lines <= 200)
  }

  @Test("goes into a file that is opened anew after it was moved away, with the time in front")
  func file() throws {
    let folder = try ScratchFolder()
    var settings = PublishSettings.Log()
    settings.file = folder.path + "/log"
    let sink = LogSink(settings, isJournal: false, descriptor: -1) { (Timestamp(seconds: 1_700_000_000, nanoseconds: 0), 0) }
    try sink.reopen(settings)
    sink.note(LogLine("new"))
    try sink.flush()
    rename(folder.path + "/log", folder.path + "/log.1")
    try sink.reopen(settings)
    sink.note(LogLine("gone"))
    try sink.flush()
    #expect(folder.text("log.1") == "time=2023-11-14T22:13:20.000000Z event=new\n")
    #expect(folder.text("log") == "time=2023-11-14T22:13:20.000000Z event=gone\n")
  }

  @Test("does not follow a link that somebody planted, and does not write into a pipe")
  func planted() throws {
    let folder = try ScratchFolder()
    var settings = PublishSettings.Log()
    settings.file = folder.path + "/log"
    folder.write("victim", "untouched")
    let sink = LogSink(settings, isJournal: false, descriptor: -1) { (Timestamp(nanoseconds: 0), 0) }
    symlink(folder.path + "/victim", folder.path + "/log")
    #expect(throws: PublishError.self) { try sink.reopen(settings) }
    unlink(folder.path + "/log")
    link(folder.path + "/victim", folder.path + "/log")
    #expect(throws: PublishError.self) { try sink.reopen(settings) }
    unlink(folder.path + "/log")
    mkfifo(folder.path + "/log", 0o600)
    #expect(throws: PublishError.self) { try sink.reopen(settings) }
    #expect(folder.text("victim") == "untouched")
  }

  @Test("tells what the internet line and, of several, each interface moved since the round before")
  func lines() throws {
    let folder = try ScratchFolder()
    var settings = PublishSettings.Log()
    settings.file = folder.path + "/log"
    let sink = LogSink(settings, isJournal: false, descriptor: -1) { (Timestamp(nanoseconds: 0), 0) }
    try sink.reopen(settings)
    var log = LogPublisher(settings, to: sink)
    var snapshot = Snapshot()
    for round in 1...2 {
      snapshot.elapsed = Int64(round) * 300_000_000_000
      var traffic = Traffic()
      traffic.receivedBytes = round * 3_000_000
      traffic.sentBytes = round * 75_000
      traffic.internetBytes = round * 3_075_000
      snapshot.internet = traffic
      snapshot.interfaces = [
        InterfaceUse(name: WireText("eth0"), traffic: traffic), InterfaceUse(name: WireText("eth1"), traffic: Traffic()),
      ]
      try log.publish(snapshot, since: Digest(snapshot))
    }
    try sink.flush()
    let lines = folder.text("log").split(separator: "\n").map { $0.dropFirst("time=1970-01-01T00:00:00.000000Z ".count) }
    let moved = "seconds=300 down=80000 up=2000 bytes=3075000 internet=3075000 local=0"
    #expect(
      lines.filter { $0.contains("of=internet") }.map(String.init) == Array(repeating: "event=throughput of=internet \(moved)", count: 2))
    #expect(
      lines.filter { $0.contains("of=interface") }.map(String.init)
        == Array(repeating: "event=throughput of=interface interface=eth0 \(moved)", count: 2))
  }

  @Test("names the network, its parts and the busiest devices, sixteen lines at most")
  func throughput() throws {
    var snapshot = Snapshot()
    snapshot.elapsed = 300_000_000_000
    for n in 1...40 {
      var host = Host(id: MACAddress(bits: 0x0011_3200_0000 + UInt64(n)))
      host.traffic.sentBytes = n * 1000
      host.traffic.receivedBytes = n * 2000
      snapshot.hosts.append(host)
    }
    var settings = PublishSettings.Log()
    settings.busiest = 16
    let folder = try ScratchFolder()
    settings.file = folder.path + "/log"
    let sink = LogSink(settings, isJournal: false, descriptor: -1) { (Timestamp(nanoseconds: 0), 0) }
    try sink.reopen(settings)
    var log = LogPublisher(settings, to: sink)
    try log.publish(snapshot, since: Digest(snapshot))
    try sink.flush()
    let lines = folder.text("log").split(separator: "\n")
    #expect(lines.count == 16)
    #expect(lines.first?.contains("event=throughput of=network seconds=300 down=43733 up=21867 bytes=2460000") == true)
    #expect(lines[1].contains("of=device device=00:11:32:00:00:28"))
  }
}

@Suite("The report files")
struct FilePublisherTests {
  private func publisher(_ folder: ScratchFolder, mode: UInt32 = 0o640) throws -> FilePublisher {
    var settings = PublishSettings.Files()
    settings.mode = mode
    return try FilePublisher(
      folder: folder.path, settings, documents: [FilePublisher.Document("report.txt") { "taken \($0.elapsed)\n" }])
  }
  private func snapshot(seconds: Int64) -> Snapshot {
    var snapshot = Snapshot()
    snapshot.elapsed = seconds * 1_000_000_000
    return snapshot
  }

  @Test("are whole, have their mode from the start, and leave no draft behind")
  func whole() throws {
    let folder = try ScratchFolder()
    var files = try publisher(folder)
    try files.publish(snapshot(seconds: 1), since: nil)
    #expect(folder.text("report.txt") == "taken 1000000000\n")
    #expect(folder.mode("report.txt") == 0o640)
    #expect(folder.names() == ["report.txt"])
  }

  @Test("come every five seconds, and at once when the topology changed")
  func interval() throws {
    let folder = try ScratchFolder()
    var files = try publisher(folder)
    try files.publish(snapshot(seconds: 1), since: nil)
    try files.publish(snapshot(seconds: 2), since: Digest(snapshot(seconds: 1)))
    #expect(folder.text("report.txt") == "taken 1000000000\n")
    var other = snapshot(seconds: 3)
    other.hosts = [Host(id: mac("00:11:32:00:00:02"))]
    try files.publish(other, since: Digest(snapshot(seconds: 2)))
    #expect(folder.text("report.txt") == "taken 3000000000\n")
    var later = other
    later.elapsed = 8_000_000_000
    try files.publish(later, since: Digest(other))
    #expect(folder.text("report.txt") == "taken 8000000000\n")
  }

  @Test("that are large come once a minute, after news with the next interval, and at the end")
  func lasting() throws {
    let folder = try ScratchFolder()
    var files = try FilePublisher(
      folder: folder.path, PublishSettings.Files(),
      documents: [.init("evidence.json", lasting: 60) { "taken \($0.elapsed / 1_000_000_000)" }])
    var last: Digest?
    func publish(_ second: Int64, _ hosts: [MACAddress] = []) throws -> String {
      var next = snapshot(seconds: second)
      next.hosts = hosts.map { Host(id: $0) }
      try files.publish(next, since: last)
      last = Digest(next)
      return folder.text("evidence.json")
    }
    #expect(try publish(1) == "taken 1")
    #expect(try publish(6) == "taken 1")
    // Somebody comes: it is due, and written at once. The next one waits for the interval, and is not forgotten.
    let first = mac("00:11:32:00:00:02")
    #expect(try publish(8, [first]) == "taken 8")
    #expect(try publish(9, [first, mac("00:11:32:00:00:03")]) == "taken 8")
    #expect(try publish(14, [first, mac("00:11:32:00:00:03")]) == "taken 14")
    #expect(try publish(73, [first, mac("00:11:32:00:00:03")]) == "taken 14")
    #expect(try publish(78, [first, mac("00:11:32:00:00:03")]) == "taken 78")
    try files.finish(snapshot(seconds: 80), since: last)
    #expect(folder.text("evidence.json") == "taken 80")
  }

  @Test("replace what somebody planted in their place, and never touch where it leads")
  func planted() throws {
    let folder = try ScratchFolder()
    folder.write("victim", "untouched")
    for name in ["report.txt", ".report.txt.new"] {
      symlink(folder.path + "/victim", folder.path + "/" + name)
      var files = try publisher(folder)
      try files.publish(snapshot(seconds: 1), since: nil)
      #expect(folder.text("victim") == "untouched")
      #expect(folder.text("report.txt") == "taken 1000000000\n")
      unlink(folder.path + "/report.txt")
    }
    mkfifo(folder.path + "/report.txt", 0o600)
    link(folder.path + "/victim", folder.path + "/.report.txt.new")
    var files = try publisher(folder)
    try files.publish(snapshot(seconds: 1), since: nil)
    #expect(folder.text("victim") == "untouched")
    #expect(folder.text("report.txt") == "taken 1000000000\n")
  }

  @Test("say which file could not be written")
  func failing() throws {
    let folder = try ScratchFolder()
    var files = try publisher(folder)
    folder.remove()
    #expect(throws: PublishError.self) { try files.publish(snapshot(seconds: 1), since: nil) }
    #expect(throws: PublishError.self) { _ = try publisher(folder) }
  }
}
