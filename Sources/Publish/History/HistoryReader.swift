import Glibc
package import Wire

/// Reads the history beside the daemon that writes it: a connection of its own, read-only, open for one answer.
package struct HistoryReader: ~Copyable {
  private let database: Database

  package init(_ path: String) throws(DatabaseError) {
    let opened = try HistoryReader.open(path)
    let version = try opened.pragma("user_version")
    guard version <= HistorySchema.version else {
      throw DatabaseError(
        kind: .newer, what: "it has version \(version) of the tables, this program knows \(HistorySchema.version)", path: path)
    }
    guard version > 0 else { throw DatabaseError(kind: .notReadable, what: "it is empty", path: path) }
    // All answers of one reader are of one moment.
    try opened.run("BEGIN")
    database = opened
  }

  private static func open(_ path: String) throws(DatabaseError) -> Database {
    do throws(DatabaseError) {
      let opened = try Database(path, .read)
      // A file that we may not read says so with the first statement.
      _ = try opened.pragma("user_version")
      return opened
    } catch {
      // After an orderly end there is no log file, and in a folder that we may not write the library cannot make its own.
      guard error.kind == .notReadable || error.kind == .notWritable, access(path, R_OK) == 0, access(path + "-wal", F_OK) != 0 else {
        throw error.kind == .notWritable ? DatabaseError(kind: .notReadable, what: error.what, path: path) : error
      }
      return try Database(path, .readUntouched)
    }
  }

  // MARK: Devices

  /// What was known of each device at a time; nil: now. Devices that were not there are left out when a time is given.
  package func devices(at time: Timestamp? = nil) throws(DatabaseError) -> [RecordedDevice] {
    var devices = try allDevices()
    let at = time?.milliseconds
    for index in devices.indices { devices[index].isPresent = false }
    let places = Dictionary(devices.enumerated().map { ($0.element.number, $0.offset) }, uniquingKeysWith: { a, _ in a })
    try database.prepare(
      """
      SELECT device, kind, value, detail FROM fact WHERE (?1 IS NULL AND ended IS NULL) OR (first <= ?1 AND (ended IS NULL OR ended > ?1))
      ORDER BY device, id
      """
    ).rows(.optional(at)) { row in
      guard let place = places[row.int(0)], let kind = FactKind(rawValue: row.text(1) ?? "") else { return }
      devices[place].learn(kind, row.bytes(2), row.text(3))
    }
    if let at {
      devices.removeAll { !$0.isPresent || $0.firstSeen.milliseconds > at }
    } else {
      devices.removeAll { $0.box != nil }
    }
    return devices.sorted { $0.mac < $1.mac }
  }

  private func allDevices() throws(DatabaseError) -> [RecordedDevice] {
    var out: [RecordedDevice] = []
    try database.prepare(
      """
      SELECT id, mac, box, first, max(last, coalesce(newest.seen, 0)), given, vendor
      FROM device LEFT JOIN (SELECT device AS of, max(seen) AS seen FROM recent GROUP BY device) AS newest ON newest.of = device.id
      WHERE id > 1 ORDER BY mac
      """
    ).rows { row in
      var device = RecordedDevice(number: row.int(0), mac: MACAddress(bits: UInt64(bitPattern: Int64(row.int(1)))))
      device.box = row.optionalInt(2)
      device.firstSeen = Timestamp(milliseconds: row.int(3))
      device.lastSeen = Timestamp(milliseconds: row.int(4))
      device.givenName = row.text(5)
      device.vendor = row.text(6)
      out.append(device)
    }
    return out
  }

  /// The devices that a word means: a station's address, an IP address, a given name or one that the device said of itself. Only the exact
  /// name if there is one, else those that differ in case.
  package func find(_ word: String) throws(DatabaseError) -> [RecordedDevice] {
    let all = try allDevices()
    if let mac = MACAddress(word) { return all.filter { $0.mac == mac } }
    var exact = Set<Int>()
    var near = Set<Int>()
    if let address = IPAddress(word) {
      try database.prepare("SELECT DISTINCT device FROM fact WHERE kind = 'address' AND value = ?").rows(.blob(address.bytes)) {
        exact.insert($0.int(0))
      }
    } else {
      let wanted = WireText(word)
      let lower = wanted.lowercasedASCII
      try database.prepare("SELECT device, value FROM fact WHERE kind = 'name'").rows { row in
        let name = WireText(row.bytes(1))
        // What is typed is what was shown: a name with bytes that cannot be typed is found by its display form.
        // By bytes: two texts that Swift holds for equal may be two names.
        if name == wanted || WireText(name.display) == wanted {
          exact.insert(row.int(0))
        } else if name.lowercasedASCII == lower {
          near.insert(row.int(0))
        }
      }
      for device in all {
        guard let given = device.givenName else { continue }
        if WireText(given) == wanted {
          exact.insert(device.number)
        } else if WireText(given).lowercasedASCII == lower {
          near.insert(device.number)
        }
      }
    }
    let numbers = exact.isEmpty ? near : exact
    return all.filter { numbers.contains($0.number) }
  }

  /// The device with all that is known of it now.
  package func known(_ device: RecordedDevice) throws(DatabaseError) -> RecordedDevice {
    var out = device
    try database.prepare("SELECT kind, value, detail FROM fact WHERE device = ? AND ended IS NULL ORDER BY id").rows(.int(device.number)) {
      row in
      if let kind = FactKind(rawValue: row.text(0) ?? "") { out.learn(kind, row.bytes(1), row.text(2)) }
    }
    return out
  }

  /// Everything that was so of a device, in order of time; of the whole network with nil.
  package func intervals(of device: RecordedDevice?) throws(DatabaseError) -> [RecordedInterval] {
    var out: [RecordedInterval] = []
    var last = device?.lastSeen.milliseconds ?? 0
    if device == nil { last = try database.prepare("SELECT max(last) FROM session").number() ?? 0 }
    try database.prepare("SELECT kind, value, detail, first, ended FROM fact WHERE device = ? ORDER BY first, id").rows(
      .int(device?.number ?? 0)
    ) { row in
      guard let kind = FactKind(rawValue: row.text(0) ?? "") else { return }
      let ended = row.optionalInt(4)
      out.append(
        RecordedInterval(
          kind: kind, value: row.bytes(1), detail: row.text(2), first: Timestamp(milliseconds: row.int(3)),
          last: Timestamp(milliseconds: max(ended ?? last, row.int(3))), isOver: ended != nil))
    }
    return out
  }

  /// Jumps of the clock, in the order in which they happened.
  package func marks() throws(DatabaseError) -> [(kind: String, before: Timestamp, after: Timestamp)] {
    var out: [(kind: String, before: Timestamp, after: Timestamp)] = []
    try database.prepare("SELECT kind, before, after FROM mark ORDER BY id").rows { row in
      out.append((row.text(0) ?? "", Timestamp(milliseconds: row.int(1)), Timestamp(milliseconds: row.int(2))))
    }
    return out
  }

  /// Whether anybody listened at a time.
  package enum Coverage: Sendable, Hashable {
    case listening
    /// The history begins later.
    case before(beginning: Timestamp)
    /// There is no record of it; the last one before it is of then.
    case deaf(since: Timestamp)
  }

  package func coverage(at time: Timestamp) throws(DatabaseError) -> Coverage {
    var sessions: [(first: Int, last: Int)] = []
    try database.prepare("SELECT first, last FROM session ORDER BY id").rows { sessions.append(($0.int(0), $0.int(1))) }
    let at = time.milliseconds
    guard let beginning = sessions.map(\.first).min() else { return .deaf(since: Timestamp(milliseconds: 0)) }
    guard at >= beginning else { return .before(beginning: Timestamp(milliseconds: beginning)) }
    // One that runs is noted every ten minutes.
    let newest = sessions.count - 1
    let isCovered = sessions.enumerated().contains { $1.first <= at && at <= $1.last &+ ($0 == newest ? 900_000 : 0) }
    if isCovered { return .listening }
    return .deaf(since: Timestamp(milliseconds: sessions.map(\.last).filter { $0 < at }.max() ?? beginning))
  }

  // MARK: Usage

  /// The finest tier that still holds everything since a time; months for all time.
  package func tier(since: Timestamp?) throws(DatabaseError) -> HistoryTier {
    guard let since else { return .month }
    let second = Int(since.nanoseconds / 1_000_000_000)
    var complete: [Int: Int] = [:]
    try database.prepare("SELECT tier, since FROM complete").rows { complete[$0.int(0)] = $0.int(1) }
    for tier in HistoryTier.allCases where (complete[tier.rawValue] ?? 0) <= tier.start(second) { return tier }
    return .month
  }

  /// Bytes of each device since a time, by its number; 0 is the whole network, 1 all that were forgotten. Days and months that the time cuts
  /// count whole: `RecordedUsage.since` says from when.
  package func usage(since: Timestamp?) throws(DatabaseError) -> RecordedUsage {
    let tier = try tier(since: since)
    let start = since.map { tier.start(Int($0.nanoseconds / 1_000_000_000)) } ?? 0
    var sums: [Int: Usage] = [:]
    try database.prepare("SELECT * FROM usage WHERE tier = ? AND start >= ?").rows(
      .int(tier.rawValue), .int(start)
    ) { row in sums[row.int(2), default: Usage()] += Usage(row, at: 3) }
    try database.prepare("SELECT * FROM recent").rows { row in
      if row.int(1) >= start { sums[row.int(2), default: Usage()] += Usage(row, at: 4) }
    }
    let first = try database.prepare("SELECT min(first) FROM session").number().map { Timestamp(milliseconds: $0) }
    let from = Timestamp(seconds: Int64(start), nanoseconds: 0)
    return RecordedUsage(tier: tier, since: since == nil ? first : max(from, first ?? from), byDevice: sums)
  }

  /// Bytes of each box since a time: stations that are parts of one count as one.
  package func usageByDevice(since: Timestamp?) throws(DatabaseError) -> [MACAddress: Usage] {
    try byBox(try usage(since: since))
  }

  package func byBox(_ usage: RecordedUsage) throws(DatabaseError) -> [MACAddress: Usage] {
    let devices = try allDevices()
    let byNumber = Dictionary(devices.map { ($0.number, $0) }, uniquingKeysWith: { a, _ in a })
    var out: [MACAddress: Usage] = [:]
    for (number, usage) in usage.byDevice {
      guard var device = byNumber[number] else { continue }
      // A part of a part: boxes were joined twice. What is stored may also point in a circle.
      for _ in 0..<8 { if let box = device.box.flatMap({ byNumber[$0] }) { device = box } }
      out[device.mac, default: Usage()] += usage
    }
    return out
  }

  /// Bytes of one device by span of a tier, the oldest first; of the whole network with 0.
  package func usage(of number: Int, _ tier: HistoryTier, since: Timestamp? = nil) throws(DatabaseError) -> [(
    start: Timestamp, usage: Usage
  )] {
    let from = since.map { tier.start(Int($0.nanoseconds / 1_000_000_000)) } ?? 0
    var sums: [Int: Usage] = [:]
    try database.prepare("SELECT * FROM usage WHERE tier = ? AND device = ? AND start >= ?").rows(
      .int(tier.rawValue), .int(number), .int(from)
    ) { row in sums[row.int(1), default: Usage()] += Usage(row, at: 3) }
    try database.prepare("SELECT * FROM recent WHERE device = ?").rows(.int(number)) { row in
      let start = tier.start(row.int(1))
      if start >= from { sums[start, default: Usage()] += Usage(row, at: 4) }
    }
    return sums.sorted { $0.key < $1.key }.map { (Timestamp(seconds: Int64($0.key), nanoseconds: 0), $0.value) }
  }
}

/// A device as the history has it, now or at a time.
package struct RecordedDevice: Sendable, Hashable {
  /// Its row, by which usage names it.
  package let number: Int
  package let mac: MACAddress
  /// The device whose part it is.
  package var box: Int?
  package var firstSeen = Timestamp(nanoseconds: 0)
  package var lastSeen = Timestamp(nanoseconds: 0)
  package var givenName: String?
  package var vendor: String?
  package var isPresent = false
  package var names: [WireText] = []
  package var addresses: [IPAddress] = []
  package var roles: [String] = []
  package var subnets: [String] = []
  package var aliases: [MACAddress] = []
  package var model: WireText?
  package var attachedTo: MACAddress?
  package var medium: String?
  package var access: String?
  package var side: String?

  init(number: Int, mac: MACAddress) {
    self.number = number
    self.mac = mac
  }

  mutating func learn(_ kind: FactKind, _ value: [UInt8], _ detail: String?) {
    switch kind {
    case .presence: isPresent = true
    case .address: if let address = IPAddress(bytes: value) { addresses.append(address) }
    case .name: names.append(WireText(value))
    case .role: roles.append(word(value))
    case .subnet: subnets.append(word(value))
    case .alias: aliases.append(mac(value))
    case .model: model = WireText(value)
    case .attachment: attachedTo = mac(value)
    case .medium: medium = word(value)
    case .access: access = word(value)
    case .side: side = word(value)
    case .finding: break
    }
  }

  private func word(_ value: [UInt8]) -> String { WireText(value).display }
  private func mac(_ value: [UInt8]) -> MACAddress { RecordedInterval.mac(value) }
}

/// Something that was so for a while.
package struct RecordedInterval: Sendable, Hashable {
  package let kind: FactKind
  package let value: [UInt8]
  package let detail: String?
  package let first: Timestamp
  package let last: Timestamp
  /// Whether it has ended; else `last` is when it was known last.
  package let isOver: Bool

  static func mac(_ value: [UInt8]) -> MACAddress { MACAddress(bits: value.prefix(6).reduce(0) { $0 << 8 | UInt64($1) }) }

  /// The value in words, clean.
  package var text: String {
    switch kind {
    case .presence: ""
    case .address: IPAddress(bytes: value)?.description ?? ""
    case .alias, .attachment: RecordedInterval.mac(value).description
    default: WireText(value).display
    }
  }
}

package struct RecordedUsage: Sendable {
  package let tier: HistoryTier
  /// From when on it counts.
  package let since: Timestamp?
  package let byDevice: [Int: Usage]
  /// Of all that was captured.
  package var network: Usage { (byDevice[0] ?? Usage()).shown }
}
