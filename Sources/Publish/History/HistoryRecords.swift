package import Model
package import Wire

/// What can be so for a while.
package enum FactKind: String, CaseIterable, Sendable {
  /// It was heard, with pauses no longer than its habit.
  case presence
  case address, name, role, subnet
  /// Further station addresses of the same box.
  case alias
  case model
  /// The station that it hangs on.
  case attachment
  /// The path to the gateway, and the own interface.
  case medium, access
  /// Its side of the modem.
  case side
  /// Something odd; of the whole network (device 0).
  case finding

  /// Whether a new value ends the one before.
  var isSingle: Bool {
    switch self {
    case .presence, .attachment, .medium, .access, .side, .model: true
    default: false
    }
  }

  /// Whether it lapses when nobody repeats it for an hour after a restart. A name does not: some devices say theirs once a day.
  var lapses: Bool { self == .address || self == .subnet || self == .attachment || self == .finding }
}

/// A row of `fact`. Written whole each time, so that a later one makes an earlier one needless.
struct FactRow {
  var id: Int
  var device: Int
  var kind: FactKind
  var value: [UInt8]
  var detail: String?
  var first: Int
  var ended: Int?
}

/// A row of `device`.
struct DeviceRow {
  var id: Int
  var mac: MACAddress
  /// The device whose part it is.
  var box: Int?
  var first: Int
  var last: Int
  /// Milliseconds.
  var pause: Int
  var given: String?
  var vendor: String?
}

/// Frames and bytes of a device in a span of time, by distance and direction.
///
/// Each sum may be negative for a while: what was counted as internet turns out to be the operator's network, and goes from one to the
/// other. Sums over all time are exact; who shows a part of it shows nothing below zero.
package struct Usage: Sendable, Hashable {
  package var sentFrames = 0
  package var sentBytes = 0
  package var receivedFrames = 0
  package var receivedBytes = 0
  package var internetSent = 0
  package var internetReceived = 0
  package var localSent = 0
  package var localReceived = 0
  package var operatorSent = 0
  package var operatorReceived = 0
  /// Bits of the busiest second, both ways.
  package var peak = 0
  package var isLowerBound = false

  package init() {}

  package init(_ traffic: Traffic) {
    sentFrames = traffic.sentFrames
    sentBytes = traffic.sentBytes
    receivedFrames = traffic.receivedFrames
    receivedBytes = traffic.receivedBytes
    internetSent = traffic.internetSentBytes
    internetReceived = traffic.internetBytes &- traffic.internetSentBytes
    localSent = traffic.localSentBytes
    localReceived = traffic.localBytes &- traffic.localSentBytes
    operatorSent = traffic.operatorSentBytes
    operatorReceived = traffic.operatorBytes &- traffic.operatorSentBytes
    isLowerBound = traffic.isLowerBound
  }

  package var bytes: Int { sentBytes &+ receivedBytes }
  package var internet: Int { internetSent &+ internetReceived }
  package var local: Int { localSent &+ localReceived }
  package var `operator`: Int { operatorSent &+ operatorReceived }

  var isZero: Bool {
    sentFrames == 0 && sentBytes == 0 && receivedFrames == 0 && receivedBytes == 0 && internetSent == 0 && internetReceived == 0
      && localSent == 0 && localReceived == 0 && operatorSent == 0 && operatorReceived == 0
  }

  // Stored numbers may be anything, and an overflow would end the process: sums wrap.
  package static func += (a: inout Usage, b: Usage) {
    a.combine(b, &+)
    a.peak = max(a.peak, b.peak)
    a.isLowerBound = a.isLowerBound || b.isLowerBound
  }

  /// What came since `b`.
  static func - (a: Usage, b: Usage) -> Usage {
    var out = a
    out.combine(b, &-)
    return out
  }

  private mutating func combine(_ b: Usage, _ op: (Int, Int) -> Int) {
    sentFrames = op(sentFrames, b.sentFrames)
    sentBytes = op(sentBytes, b.sentBytes)
    receivedFrames = op(receivedFrames, b.receivedFrames)
    receivedBytes = op(receivedBytes, b.receivedBytes)
    internetSent = op(internetSent, b.internetSent)
    internetReceived = op(internetReceived, b.internetReceived)
    localSent = op(localSent, b.localSent)
    localReceived = op(localReceived, b.localReceived)
    operatorSent = op(operatorSent, b.operatorSent)
    operatorReceived = op(operatorReceived, b.operatorReceived)
  }

  /// With nothing below zero: for showing.
  package var shown: Usage {
    var out = self
    out.combine(self) { value, _ in max(0, value) }
    return out
  }

  /// As twelve columns, in the order of the tables.
  var columns: [StoredValue] {
    [
      sentFrames, sentBytes, receivedFrames, receivedBytes, internetSent, internetReceived, localSent, localReceived, operatorSent,
      operatorReceived, peak, isLowerBound ? 1 : 0,
    ].map { .int($0) }
  }

  /// From the twelve columns that begin at `at`.
  init(_ row: borrowing StoredRow, at: Int32) {
    sentFrames = row.int(at)
    sentBytes = row.int(at + 1)
    receivedFrames = row.int(at + 2)
    receivedBytes = row.int(at + 3)
    internetSent = row.int(at + 4)
    internetReceived = row.int(at + 5)
    localSent = row.int(at + 6)
    localReceived = row.int(at + 7)
    operatorSent = row.int(at + 8)
    operatorReceived = row.int(at + 9)
    peak = row.int(at + 10)
    isLowerBound = row.int(at + 11) != 0
  }
}

/// A sample on its way into `sample`.
struct UsageRow {
  var start: Int
  var device: Int
  /// When the device was last heard.
  var seen: Int
  var usage: Usage
}

/// What waits to be written.
enum HistoryChange {
  case device(DeviceRow)
  case fact(FactRow)
  case usage(UsageRow)
  case mark(kind: StaticString, before: Int, after: Int)
  case session(id: Int, first: Int, last: Int, source: [UInt8], vantage: String)

  /// Roughly what it takes in memory (P15).
  var cost: Int {
    switch self {
    case .fact(let row): 200 + row.value.count + (row.detail?.utf8.count ?? 0)
    default: 200
    }
  }
}

/// What the history knows of a station, for those who tell a new one from one that is back.
package struct KnownDevice: Sendable, Hashable {
  package var firstSeen: Timestamp
  package var lastSeen: Timestamp
  /// Seconds: the longest silence of the last day that was not an absence.
  package var longestPause: Double
  package var isPresent: Bool
  /// The name that the owner gave it.
  package var givenName: String?
}

extension Timestamp {
  /// Of the history: whole milliseconds.
  package var milliseconds: Int { Int(nanoseconds / 1_000_000) }

  /// Any number that a row may hold.
  package init(milliseconds: Int) { self.init(nanoseconds: Int64(milliseconds.asStoredTime) * 1_000_000) }
}

extension Int {
  /// Milliseconds from 1970 to 2200: a row may hold any number, and sums and differences of these never overflow.
  var asStoredTime: Int { Swift.min(Swift.max(0, self), 7_258_118_400_000) }
}
