import CSQLite
import Glibc
import Model
import Testing
import Wire

@testable import Publish

@Suite("History: disks and damage")
struct HistoryDiskTests {
  let folder = TemporaryFolder()

  /// Hours of a small home, one sample a minute, left as a kill would leave it.
  private func fill(_ minutes: Int, named prefix: String = "device") throws -> (HistoryPublisher, LiveHome) {
    let history = HistoryPublisher(HistorySettings(path: folder.database))
    var home = LiveHome()
    for minute in 0..<minutes {
      if minute % 5 == 0 { home.join(minute + 1, name: WireText("\(prefix) \(minute)"), address: "10.0.\(minute / 200).\(minute % 200)") }
      home.pass(60)
      try history.publish(home)
    }
    return (history, home)
  }

  @Test("a log that was cut anywhere opens, whole, with a beginning of what was written")
  func tornLog() throws {
    let (history, home) = try fill(120)
    let main = Files.read(folder.database)
    let log = Files.read(folder.database + "-wal")
    #expect(log.count > 100_000)
    let copy = TemporaryFolder()
    var random = SystemRandomNumberGenerator()
    var counts = Set<Int>()
    for turn in 0..<1000 {
      // Some cuts in the header of the log, the others anywhere.
      let cut = turn < 100 ? Int.random(in: 0..<64, using: &random) : Int.random(in: 0...log.count, using: &random)
      Files.write(copy.database, main)
      Files.write(copy.database + "-wal", log[..<cut])
      unlink(copy.database + "-shm")
      let again = HistoryPublisher(HistorySettings(path: copy.database))
      again.open(at: home.now)
      #expect(again.trouble == nil, "cut at \(cut)")
      let known = again.known()
      // Devices came one after the other: a beginning of them has no gap.
      let numbers = known.keys.map { Int($0.bits & 0xffff) }.sorted()
      #expect(numbers == (0..<numbers.count).map { $0 * 5 + 1 }, "cut at \(cut)")
      counts.insert(numbers.count)
      // The next snapshot is written as if nothing had been.
      if turn % 20 == 0 {
        try again.publish(home)
        try again.finish(home.snapshot, since: nil)
        #expect(try HistoryReader(copy.database).devices().count == home.hosts.count)
      }
    }
    #expect(!Files.names(copy.path).contains { $0.contains("damaged") })
    #expect(counts.count > 10)
    withExtendedLifetime(history) {}
  }

  @Test("one that cannot be opened at first books what came before with the devices that moved it, in one sample")
  func late() throws {
    let (place, away) = (folder.path + "/state", folder.path + "/away")
    mkdir(place, 0o755)
    defer {
      for name in Files.names(place) { unlink(place + "/" + name) }
      rmdir(place)
    }
    let settings = HistorySettings(path: place + "/history.db")
    do {
      var home = LiveHome()
      for number in 1...4 { home.join(number) }
      let history = HistoryPublisher(settings)
      home.pass(60)
      try history.publish(home)
      try history.finish(home.snapshot, since: nil)
    }
    rename(place, away)
    var home = LiveHome()
    for number in 1...4 { home.join(number) }
    home.pass(600)
    let history = HistoryPublisher(settings)
    for _ in 0..<4 {
      home.pass(60)
      try? history.publish(home)
    }
    #expect(history.trouble != nil)
    rename(away, place)
    for _ in 0..<4 {
      home.pass(60)
      try history.publish(home)
    }
    try history.finish(home.snapshot, since: nil)
    let reader = try HistoryReader(settings.path)
    let network = try reader.usage(of: 0, .minute).map(\.usage)
    #expect(network.allSatisfy { $0.localSent >= 0 && $0.internet + $0.localSent == $0.sentBytes })
    #expect(network.reduce(0) { $0 + $1.sentBytes } == 10 * 16_000)
    #expect(try reader.usage(since: nil).byDevice.filter { $0.key > 1 }.values.reduce(0) { $0 + $1.bytes } == 10 * 16_000)
  }

  @Test("killed, it has lost no fact older than five seconds and no sample older than a minute")
  func killed() throws {
    let history = HistoryPublisher(HistorySettings(path: folder.database))
    var home = LiveHome()
    for second in 0..<600 {
      if second % 7 == 0 { home.join(second + 1) }
      home.pass(1)
      try history.publish(home)
      guard second % 37 == 36 else { continue }
      // What stands on the disk now, without a word to the writer.
      let copy = TemporaryFolder()
      for suffix in ["", "-wal"] { Files.write(copy.database + suffix, Files.read(folder.database + suffix)) }
      let database = try Database(copy.database, .write)
      #expect(try database.isWhole())
      let reader = try HistoryReader(copy.database)
      let known = Set(try reader.devices().map(\.mac))
      let old = home.hosts.filter { home.now.since($0.firstSeen) > 5 }
      #expect(old.allSatisfy { known.contains($0.id) })
      let written = try reader.usage(since: nil).byDevice.filter { $0.key > 1 }.values.reduce(0) { $0 + $1.bytes }
      let moved = home.hosts.reduce(0) { $0 + $1.traffic.sentBytes + $1.traffic.receivedBytes }
      #expect(moved - written <= 61 * home.hosts.count * 4000)
    }
  }

  @Test("a damaged file is set aside, said once, and a fresh one begun", arguments: ["garbage", "page", "empty page", "text"])
  func damaged(_ how: String) throws {
    do {
      let (history, home) = try fill(100)
      try history.finish(home.snapshot, since: nil)
    }
    var bytes = Files.read(folder.database)
    switch how {
    case "garbage": for at in 4096..<12_288 { bytes[at] = UInt8.random(in: 0...255) }
    case "page": for at in 0..<100 { bytes[at] = 0x55 }
    case "empty page": for at in 8192..<20_480 { bytes[at] = 0 }
    default: bytes = Array("this is no database, it is a letter to a friend".utf8)
    }
    Files.write(folder.database, bytes)
    var said: [String] = []
    let history = HistoryPublisher(HistorySettings(path: folder.database)) { said.append($0) }
    var home = LiveHome()
    home.join(1)
    for _ in 0..<5 {
      home.pass(60)
      try history.publish(home)
    }
    try history.finish(home.snapshot, since: nil)
    #expect(said.count == 1)
    #expect(said.first?.contains("damaged") ?? false)
    #expect(Files.read(folder.database + ".damaged") == bytes)
    #expect(try HistoryReader(folder.database).usage(since: nil).byDevice[2]?.bytes == 20_000)
    // And the one after finds nothing to complain about.
    let next = HistoryPublisher(HistorySettings(path: folder.database)) { said.append($0) }
    next.open(at: home.now)
    #expect(said.count == 1 && next.known().count == 1)
  }

  @Test("a file of the first version is taken over with its samples")
  func takenOver() throws {
    do {
      let database = try Database(folder.database, .write)
      for sql in HistorySchema.migrations[0] { try database.run(sql) }
      try database.run("INSERT INTO device VALUES(2, 2199023255553, NULL, 1768032000000, 1768032000000, 0, NULL, NULL)")
      for _ in 0..<3 {
        try database.run("INSERT INTO recent VALUES(NULL, 1768032000, 2, 1768032060000, 1, 100, 2, 900, 0, 0, 100, 900, 0, 0, 8000, 0)")
      }
      try database.run("DELETE FROM recent WHERE id = 2")
      try database.pragma("user_version", 1)
    }
    // As it is, it can be read; and so it can when it has been taken over, before the samples are folded and after.
    func bytes() throws -> Int? { try HistoryReader(folder.database).usage(since: nil).byDevice[2]?.bytes }
    #expect(try bytes() == 2000)
    do {
      let connection = try HistoryConnection(folder.database, capBytes: 1 << 20)
      #expect(try bytes() == 2000)
      #expect(try connection.fold(atMost: 1) == 1)
      #expect(try bytes() == 2000)
      try connection.put([.usage(UsageRow(start: 1_768_032_060, device: 2, seen: 1_768_032_120_000, usage: Usage()))])
    }
    let connection = try HistoryConnection(folder.database, capBytes: 1 << 20)
    #expect(try connection.fold(atMost: 100) == 2)
    #expect(try connection.fold(atMost: 100) == 0)
    #expect(try bytes() == 2000)
    #expect(try HistoryReader(folder.database).devices().isEmpty == false)
    #expect(try connection.database.pragma("user_version") == HistorySchema.version)
  }

  @Test("samples lie where those of the round before lay, and what a flood took is given back")
  func rounds() throws {
    let connection = try HistoryConnection(folder.database, capBytes: 16 << 20)
    var usage = Usage()
    usage.sentBytes = 1
    var written = 0
    func round(_ samples: Int) throws -> Int {
      for number in 0..<samples { try connection.put([.usage(UsageRow(start: 60 * number, device: 2, seen: 0, usage: usage))]) }
      written += samples
      while try connection.fold(atMost: 64) > 0 {}
      #expect(try HistoryReader(folder.database).usage(since: nil).byDevice[2]?.sentBytes == written)
      return try connection.database.prepare("SELECT count(*) FROM sample").number() ?? 0
    }
    // A full batch is not known to be the last: the next round begins with the one after.
    #expect(try round(100) == 100)
    #expect(try round(100) == 100)
    #expect(try round(64) == 100)
    #expect(try round(10) == 100)
    #expect(try round(3000) == 3000)
    #expect(try round(500) == 1256)
    #expect(try round(1) == 258)
    // What could not be written takes no slots.
    let samples = (0..<100).map { HistoryChange.usage(UsageRow(start: $0, device: 2, seen: 0, usage: usage)) }
    try connection.database.pragma("query_only", 1)
    #expect(throws: DatabaseError.self) { try connection.put(samples) }
    try connection.database.pragma("query_only", 0)
    try connection.put(samples)
    #expect(try connection.database.prepare("SELECT max(slot) FROM recent").number() == 100)
  }

  @Test("a file of a later version is left alone")
  func newer() throws {
    do {
      let database = try Database(folder.database, .write)
      try database.pragma("user_version", 99)
      try database.run("CREATE TABLE later(x)")
    }
    let before = Files.read(folder.database)
    let history = HistoryPublisher(HistorySettings(path: folder.database))
    var home = LiveHome()
    home.join(1)
    #expect(throws: PublishError.self) { try history.publish(home) }
    #expect(history.trouble?.kind == .newer)
    #expect(Files.read(folder.database).count == before.count)
  }

  @Test("a folder that is missing at first: nothing is lost when it comes")
  func missingFolder() throws {
    let place = folder.path + "/later"
    let history = HistoryPublisher(HistorySettings(path: place + "/history.db"))
    var home = LiveHome()
    home.join(1)
    for _ in 0..<30 {
      home.pass(10)
      #expect(throws: PublishError.self) { try history.publish(home) }
    }
    #expect(history.trouble?.kind == .notWritable)
    mkdir(place, 0o700)
    defer {
      for name in Files.names(place) { unlink(place + "/" + name) }
      rmdir(place)
    }
    var failures = 0
    for _ in 0..<60 {
      home.pass(1)
      do { try history.publish(home) } catch { failures += 1 }
    }
    #expect(failures < 60 && history.trouble == nil)
    try history.finish(home.snapshot, since: nil)
    #expect(
      try HistoryReader(place + "/history.db").usage(since: nil).byDevice[2]?.bytes
        == home.hosts[0].traffic.sentBytes + home.hosts[0].traffic.receivedBytes)
  }

  @Test("a full disk: what waits is bounded, and all is well within a minute of there being room")
  func full() throws {
    let disk = folder.path + "/disk"
    mkdir(disk, 0o700)
    defer { rmdir(disk) }
    guard geteuid() == 0, mount("none", disk, "tmpfs", 0, "size=2m") == 0 else {
      print("SKIPPED: a full disk needs root and the right to mount")
      return
    }
    defer { umount2(disk, Int32(MNT_DETACH)) }
    var settings = HistorySettings(path: disk + "/history.db")
    settings.waitingBytes = 100_000
    let history = HistoryPublisher(settings)
    var home = LiveHome()
    for number in 1...20 { home.join(number) }
    try history.publish(home)
    Files.write(disk + "/fill", [UInt8](repeating: 1, count: 2 << 20))
    var failures = 0
    for _ in 0..<120 {
      home.pass(60)
      do { try history.publish(home) } catch { failures += 1 }
      #expect(history.waitingBytes <= settings.waitingBytes)
    }
    #expect(failures > 60)
    #expect(history.trouble?.kind == .full)
    #expect(history.dropped > 0)
    unlink(disk + "/fill")
    var seconds = 0
    while history.trouble != nil, seconds < 90 {
      home.pass(1)
      seconds += 1
      try? history.publish(home)
    }
    #expect(seconds <= 60, "\(seconds) s")
    try history.finish(home.snapshot, since: nil)
    #expect(try HistoryReader(settings.path).devices().count == 20)
    #expect(try Database(settings.path, .write).isWhole())
  }

  @Test("a disk that becomes read-only: the same connection goes on when it is writable again")
  func readOnly() throws {
    let disk = folder.path + "/disk"
    mkdir(disk, 0o700)
    defer { rmdir(disk) }
    guard geteuid() == 0, mount("none", disk, "tmpfs", 0, "size=8m") == 0 else {
      print("SKIPPED: a read-only disk needs root and the right to mount")
      return
    }
    defer { umount2(disk, Int32(MNT_DETACH)) }
    // A file system with open writers refuses to be remounted: a folder without rights is what is left, and that does not stop root. So
    // the disk is read-only from the start.
    #expect(mount("none", disk, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), "size=8m") == 0)
    let history = HistoryPublisher(HistorySettings(path: disk + "/history.db"))
    var home = LiveHome()
    home.join(1)
    for _ in 0..<20 {
      home.pass(10)
      #expect(throws: PublishError.self) { try history.publish(home) }
    }
    #expect(history.trouble?.kind == .notWritable)
    #expect(mount("none", disk, "tmpfs", UInt(MS_REMOUNT), "size=8m") == 0)
    for _ in 0..<60 {
      home.pass(1)
      try? history.publish(home)
    }
    #expect(history.trouble == nil)
    try history.finish(home.snapshot, since: nil)
    #expect(try HistoryReader(disk + "/history.db").usage(since: nil).byDevice[2]?.bytes == 80 * 4000)
  }

  @Test("the file vanishes while it is written: a fresh one gets all that is known")
  func removed() throws {
    let (history, filled) = try fill(20)
    var home = filled
    for suffix in ["", "-wal", "-shm"] { unlink(folder.database + suffix) }
    for _ in 0..<300 {
      home.pass(60)
      try? history.publish(home)
    }
    try history.finish(home.snapshot, since: nil)
    let devices = try HistoryReader(folder.database).devices()
    #expect(devices.count == home.hosts.count)
    #expect(devices.allSatisfy { $0.names.count == 1 })
  }

  @Test("a reader without the right to write finds what an orderly end left, and what a running writer has")
  func readers() throws {
    let (history, home) = try fill(30)
    #expect(try HistoryReader(folder.database).devices().count == 6)
    try history.finish(home.snapshot, since: nil)
    #expect(Files.names(folder.path) == ["history.db"])
    #expect(try HistoryReader(folder.database).devices().count == 6)
    #expect(throws: DatabaseError.self) { _ = try HistoryReader(folder.path + "/none.db") }
    #expect(!Files.names(folder.path).contains("none.db"))
  }

  @Test("a quiet home writes little: under 50 MB a day")
  func writes() throws {
    let history = HistoryPublisher(HistorySettings(path: folder.database))
    var home = LiveHome()
    for number in 1...30 { home.join(number, name: WireText("device \(number)"), address: "10.0.0.\(number)") }
    func written() -> Int {
      let text = String(decoding: Files.read("/proc/thread-self/io"), as: UTF8.self)
      return text.split(separator: "\n").first { $0.hasPrefix("wchar") }.flatMap { $0.split(separator: " ").last }.flatMap { Int($0) } ?? 0
    }
    // Six hours, no two minutes alike: rows of every length.
    func minute(_ number: Int) throws {
      home.pass(60, sent: 1 << (number % 15), received: number &* 7919 % 3_000_000)
      try history.publish(home)
    }
    for number in 0..<60 { try minute(number) }
    let before = written()
    for number in 60..<420 { try minute(number) }
    let bytes = (written() - before) * 4
    print("history: \(bytes / 1_000_000) MB a day for 30 busy devices")
    #expect(bytes < 50_000_000)
  }
}
