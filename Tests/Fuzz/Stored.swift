import Glibc
import Model
import Publish
import Wire

/// What the program stored itself and reads again, as anybody may have left it: rows of the history, the document of the evidence.
extension Entry {
  static let stored: [Entry] = [history, evidence]

  // MARK: The history

  /// In memory, and made anew for each input. The fuzzer ends without a farewell: the folder is then left to whoever set TMPDIR.
  private static let historyPath: String = {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/dev/shm"
    var path = Array("\(parent)/lanatomy-fuzz-XXXXXX".utf8CString)
    precondition(mkdtemp(&path) != nil, "no folder in \(parent)")
    let folder = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    atexit {
      for suffix in ["", "-wal", "-shm"] { unlink(Entry.historyPath + suffix) }
      rmdir(String(Entry.historyPath.dropLast(HistorySettings.fileName.utf8.count + 1)))
    }
    return folder + "/" + HistorySettings.fileName
  }()

  /// A file with the tables and no rows.
  private static let emptyHistory: [UInt8] = {
    try? HistoryPublisher(HistorySettings(path: historyPath)).finish(Snapshot(), since: nil)
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let file = open(historyPath, O_RDONLY)
    let count = read(file, &bytes, bytes.count)
    close(file)
    precondition(count > 0, "no history was made")
    return Array(bytes[..<count])
  }()

  /// Statements that put a row into each table, with the number of its columns.
  private static let inserts: [(StaticString, Int)] = [
    ("INSERT OR IGNORE INTO device VALUES(?,?,?,?,?,?,?,?)", 8),
    ("INSERT OR IGNORE INTO fact VALUES(?,?,?,?,?,?,?)", 7),
    ("INSERT OR IGNORE INTO usage VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", 15),
    ("INSERT OR IGNORE INTO sample VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", 17),
    ("INSERT OR REPLACE INTO folded VALUES(?,?,?)", 3),
    ("INSERT OR IGNORE INTO session VALUES(?,?,?,?,?)", 5),
    ("INSERT OR IGNORE INTO mark VALUES(?,?,?,?)", 4),
    ("INSERT OR IGNORE INTO complete VALUES(?,?)", 2),
  ]

  /// Each row is a byte that picks the table and a value for each column; rows that the tables refuse are left out.
  static let history = Entry(name: "history") { input in
    let empty = emptyHistory
    for suffix in ["", "-wal", "-shm"] { unlink(historyPath + suffix) }
    let file = open(historyPath, O_WRONLY | O_CREAT | O_EXCL, 0o600)
    precondition(write(file, empty, empty.count) == empty.count)
    close(file)
    var now = Timestamp(seconds: 1_768_032_000, nanoseconds: 0)
    do throws(DatabaseError) {
      try putRows(input)
      try askEverything(.text, since: nil)
      try askEverything(.json, since: now)
    } catch {
      precondition(!error.description.isEmpty)
    }
    var settings = HistorySettings(path: historyPath)
    settings.deviceLimit = 4
    settings.factLimit = 4
    let publisher = HistoryPublisher(settings, given: [MACAddress(bits: 2): "Anna's phone"])
    publisher.open(at: now)
    for device in publisher.known().values { precondition(device.longestPause.isFinite && device.longestPause >= 0) }
    var snapshot = Snapshot()
    snapshot.capture.isLive = true
    for round in 1...2 {
      now = now.adding(60)
      snapshot.taken = now
      snapshot.elapsed = Int64(round) * 60_000_000_000
      snapshot.hosts = (1...5).map { number in
        var host = Host(id: MACAddress(bits: UInt64(number)))
        host.firstSeen = now
        host.lastSeen = now
        host.traffic.sentBytes = 1000 * round
        host.traffic.localBytes = 1000 * round
        host.traffic.localSentBytes = 1000 * round
        return host
      }
      try? publisher.publish(snapshot, since: nil)
    }
    try? publisher.finish(snapshot, since: nil)
    do throws(DatabaseError) { try askEverything(.csv, since: Timestamp(nanoseconds: 0)) } catch {
      precondition(!error.description.isEmpty)
    }
  }

  private static func putRows(_ input: UnsafeRawBufferPointer) throws(DatabaseError) {
    let database = try Database(historyPath, .write)
    try database.run("PRAGMA synchronous=OFF")
    try database.run("PRAGMA ignore_check_constraints=ON")
    var rest = input[...]
    try database.transaction { () throws(DatabaseError) in
      while let table = rest.popFirst() {
        let (sql, columns) = inserts[Int(table) % inserts.count]
        let values = (0..<columns).map { _ in value(&rest) }
        do throws(DatabaseError) { try database.prepare(sql).run(values) } catch {}
      }
    }
  }

  /// A byte for the kind, and what it needs: small numbers and the ends of the range are as likely as any other.
  private static func value(_ rest: inout Slice<UnsafeRawBufferPointer>) -> StoredValue {
    guard let kind = rest.popFirst() else { return .null }
    func take(_ count: Int) -> [UInt8] {
      let taken = Array(rest.prefix(count))
      rest = rest.dropFirst(count)
      return taken
    }
    switch kind % 10 {
    case 0: return .null
    case 1: return .int(Int(rest.popFirst() ?? 0))
    case 2: return .int(Int.max - Int(rest.popFirst() ?? 0))
    case 3: return .int(Int.min + Int(rest.popFirst() ?? 0))
    case 4: return .int(take(8).reduce(0) { $0 << 8 | Int($1) })
    // About the time of the snapshots, in milliseconds and in seconds.
    case 5: return .int(1_768_032_000_000 + take(3).reduce(0) { $0 << 8 | Int($1) } * 1000)
    case 6: return .int(1_768_032_000 - take(2).reduce(0) { $0 << 8 | Int($1) } * 60)
    case 7: return .text(String(decoding: take(Int(rest.popFirst() ?? 0) % 16), as: UTF8.self))
    case 8: return .blob(take(Int(rest.popFirst() ?? 0) % 64))
    default: return .text(kinds[Int(rest.popFirst() ?? 0) % kinds.count])
    }
  }

  private static let kinds = [
    "presence", "address", "name", "role", "subnet", "alias", "model", "attachment", "medium", "access", "side", "finding", "clock",
  ]

  /// Every answer of `show`, in one form.
  private static func askEverything(_ format: AnswerFormat, since time: Timestamp?) throws(DatabaseError) {
    let reader = try HistoryReader(historyPath)
    checkLines(try DevicesAnswer(reader, at: time).text(format))
    for grouping in UsageAnswer.Grouping.allCases { checkLines(try UsageAnswer(reader, by: grouping, since: time).text(format)) }
    var parts: [StoryAnswer.Part] = []
    for device in try reader.devices().prefix(8) {
      parts.append(
        StoryAnswer.Part(try reader.known(device), try reader.intervals(of: device), try reader.usage(of: device.number, .day, since: time))
      )
    }
    checkLines(StoryAnswer(parts, among: try reader.devices()).text(format))
    _ = try reader.marks()
    for word in ["printer", "10.0.0.1", "02:00:5e:00:00:01"] { _ = try reader.find(word) }
  }

  // MARK: The evidence

  static let evidence = Entry(name: "evidence") { input in
    guard let snapshot = EvidenceReader.snapshot(Array(input)) else { return }
    let style = TextStyle(version: "0")
    var subjects = snapshot.hosts.map { Claim.Subject.device($0.id) } + snapshot.subnets.map { .subnet($0.prefix) }
    subjects += SubjectSearch(snapshot).find("10.0.0.1")
    for subject in subjects.prefix(8) { checkLines(WhyReport(style: style, about: subject).text(snapshot)) }
    checkLines(EvidenceReport(version: "0").text(snapshot))
  }

  private static func checkLines(_ text: String) {
    for byte in text.utf8 { precondition((byte >= 0x20 && byte != 0x7f) || byte == 0x0a || byte == 0x0d, "a control character came out") }
  }
}
