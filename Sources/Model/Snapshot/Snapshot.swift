public import Wire

/// What the model knows at one moment: a value that whoever holds it may read for ever, on any thread. The only door out of the room.
///
/// The keys of `report.md`, one for one; a host is what the report calls a device. Everything is sorted: the same frames give the same
/// snapshot.
public struct Snapshot: Sendable, Hashable {
  /// The capture's time when it was taken.
  public var taken = Timestamp(nanoseconds: 0)
  /// Live: nanoseconds of a clock that nobody sets, since the capture began. Intervals are measured by it, never by `taken`, which may jump.
  public var elapsed: Int64 = 0
  public var capture = CaptureFacts()
  /// By id.
  public var hosts: [Host] = []
  /// By prefix.
  public var subnets: [Subnet] = []
  public var links: [Link] = []
  public var linkTypes: [LinkTypeUse] = []
  /// The largest first, at most `Snapshot.conversationLimit`.
  public var conversations: [Conversation] = []
  /// A daemon's: by name, those that are listened on.
  public var interfaces: [InterfaceUse] = []
  /// A daemon's: what all devices together exchange with the internet.
  public var internet: Traffic?
  public var multicast: [MulticastGroup] = []
  public var findings: [Finding] = []
  public var health = Health()

  /// More conversations than anybody reads; the rest stands in the totals.
  public static let conversationLimit = 64

  public init() {}

  public func host(_ id: MACAddress) -> Host? {
    hosts.first { $0.id == id || $0.virtualMACs.contains(id) }
  }
}

/// How sure a claim is and why: the answer, its confidence from 0 to 1, and the records that speak for and against it.
public struct Verdict<Answer: Hashable & Sendable>: Hashable, Sendable {
  public var answer: Answer
  public var confidence: Double
  public var reasons: [Reason]
  public var against: [Reason]

  public init(_ answer: Answer, confidence: Double, reasons: [Reason], against: [Reason] = []) {
    self.answer = answer
    self.confidence = confidence
    self.reasons = reasons
    self.against = against
  }
}

/// One record on which a claim rests: a reader can open the capture and look.
public struct Reason: Hashable, Sendable {
  /// The protocol, as its dissector is named.
  public var basis: String
  public var field: String
  public var value: WireText
  // A snapshot holds thousands of reasons: what may be missing has a number that says so, and not a word of its own.
  private var frameNumber: UInt32
  private var nanoseconds: Int64
  private var decibans: Int16
  public var kind: EvidenceKind
  /// What it proves, in words that go on from the claim; empty where the record speaks for itself.
  public var why: String

  public init(
    basis: String, field: String, value: WireText, frame: Int?, time: Timestamp?, weight: Int, kind: EvidenceKind, why: String = ""
  ) {
    self.basis = basis
    self.field = field
    self.value = value
    frameNumber = frame.flatMap { UInt32(exactly: $0) } ?? .max
    nanoseconds = time?.nanoseconds ?? .min
    decibans = Int16(clamping: weight)
    self.kind = kind
    self.why = why
  }

  /// nil also past four thousand million frames, where nobody can look any more.
  public var frame: Int? { frameNumber == .max ? nil : Int(frameNumber) }
  public var time: Timestamp? { nanoseconds == .min ? nil : Timestamp(nanoseconds: nanoseconds) }
  /// Decibans: +10 makes the claim ten times likelier.
  public var weight: Int {
    get { Int(decibans) }
    set { decibans = Int16(clamping: newValue) }
  }

  /// More than any record of the wire has.
  static let ownersWeight = 40

  /// What the owner of the network says in the configuration.
  public static func owners(_ field: String, _ value: String) -> Reason {
    Reason(
      basis: "config", field: field, value: WireText(value), frame: nil, time: nil, weight: ownersWeight, kind: .declared,
      why: "the configuration says so")
  }

  /// The record with the weight it has for another claim.
  func weighed(_ weight: Weight, _ host: MACAddress? = nil) -> Reason {
    var reason = self
    reason.weight = weight.decibans
    reason.why = weight.why
    if let host { reason.value = WireText(host.description) }
    return reason
  }
}

/// Where the capture listens, hence what its silence means (`inference.md` 2).
public enum Vantage: String, Sendable, CaseIterable {
  case host, mirror, router, bridge, monitor, unknown
}

/// What was captured, and what was lost.
public struct CaptureFacts: Sendable, Hashable {
  public var isLive = false
  /// The interface or the file's name; text from outside.
  public var name = WireText("")
  public var linkTypes: [LinkType] = []
  public var started: Timestamp?
  public var ended: Timestamp?
  public var frames = 0
  /// On the wire.
  public var bytes = 0
  /// By kernel, interface, ourselves, or written in the file; nil when nobody counted.
  public var dropped: Int?
  /// Frames that a mirror port showed a second time: among `frames` and `bytes`, and in no other figure.
  public var duplicates: Int?
  /// Frames were cut by a snap length, or the file ends inside a record.
  public var isTruncated = false
  /// Frames in which a header or message contradicts its own lengths.
  public var malformed = 0
  public var filter: String?
  public var vantage = Vantage.unknown
  /// The station that captures, where it is known.
  public var observer: MACAddress?

  public init() {}
}

/// Totals of one device, subnet or link type, in bytes on the wire.
public struct Traffic: Sendable, Hashable {
  public var sentFrames = 0
  public var sentBytes = 0
  public var receivedFrames = 0
  public var receivedBytes = 0
  public var internetBytes = 0
  public var localBytes = 0
  /// In a network that is the operator's, and not in the internet.
  public var operatorBytes = 0
  /// What it passed on for others. What is in none of these, the frames do not tell.
  public var carriedBytes = 0
  /// The part of each of the first three that was sent; the rest was received.
  public var internetSentBytes = 0
  public var localSentBytes = 0
  public var operatorSentBytes = 0
  /// Bits per second, mean of the last ten seconds.
  public var rateDown = 0
  public var rateUp = 0
  /// The same over other spans.
  public var rates = Rates()
  /// A daemon's: bytes since local midnight, and since the month began, earlier runs included.
  public var today: Period?
  public var month: Period?
  /// Bits of the busiest second, both ways.
  public var peak = 0
  public var peakAt: Timestamp?
  /// Unicast of others was not seen, or frames were lost: the truth is at least this.
  public var isLowerBound = false

  /// Bytes, both ways.
  public var total: Int { sentBytes + receivedBytes }

  /// Bits per second: of the last second that is over, of the last minute, and of the last five.
  public struct Rates: Sendable, Hashable {
    public var secondDown = 0
    public var secondUp = 0
    public var minuteDown = 0
    public var minuteUp = 0
    public var minutesDown = 0
    public var minutesUp = 0
  }

  /// Bytes of a day or a month.
  public struct Period: Sendable, Hashable {
    public var down: Int
    public var up: Int

    public init(down: Int, up: Int) {
      self.down = down
      self.up = up
    }

    public static let zero = Period(down: 0, up: 0)

    // What a history holds may be anything, and an overflow would end the process: sums wrap.
    public static func + (a: Period, b: Period) -> Period { Period(down: a.down &+ b.down, up: a.up &+ b.up) }
    static func - (a: Period, b: Period) -> Period { Period(down: a.down &- b.down, up: a.up &- b.up) }
  }

  public init() {}

  /// Bytes and frames of another, the meters as they are.
  mutating func takeAmounts(of other: Traffic) {
    (sentFrames, sentBytes, receivedFrames, receivedBytes) = (other.sentFrames, other.sentBytes, other.receivedFrames, other.receivedBytes)
    (internetBytes, localBytes, operatorBytes, carriedBytes) = (
      other.internetBytes, other.localBytes, other.operatorBytes, other.carriedBytes
    )
    (internetSentBytes, localSentBytes, operatorSentBytes) = (other.internetSentBytes, other.localSentBytes, other.operatorSentBytes)
  }

  public mutating func add(_ other: Traffic) {
    rates.secondDown += other.rates.secondDown
    rates.secondUp += other.rates.secondUp
    rates.minuteDown += other.rates.minuteDown
    rates.minuteUp += other.rates.minuteUp
    rates.minutesDown += other.rates.minutesDown
    rates.minutesUp += other.rates.minutesUp
    if let more = other.today { today = today.map { $0 + more } ?? more }
    if let more = other.month { month = month.map { $0 + more } ?? more }
    sentFrames += other.sentFrames
    sentBytes += other.sentBytes
    receivedFrames += other.receivedFrames
    receivedBytes += other.receivedBytes
    internetBytes += other.internetBytes
    localBytes += other.localBytes
    operatorBytes += other.operatorBytes
    carriedBytes += other.carriedBytes
    internetSentBytes += other.internetSentBytes
    localSentBytes += other.localSentBytes
    operatorSentBytes += other.operatorSentBytes
    rateDown += other.rateDown
    rateUp += other.rateUp
    isLowerBound = isLowerBound || other.isLowerBound
    if other.peak > peak { (peak, peakAt) = (other.peak, other.peakAt) }
  }
}

/// An end of a conversation.
public enum Endpoint: Hashable, Sendable, Comparable {
  case host(MACAddress)
  case remote(IPAddress)

  public static func < (a: Endpoint, b: Endpoint) -> Bool {
    switch (a, b) {
    case (.host(let x), .host(let y)): x < y
    case (.remote(let x), .remote(let y)): x < y
    case (.host, .remote): true
    case (.remote, .host): false
    }
  }
}

/// Who talks to whom, the lesser first.
struct Ends: Hashable {
  let a: Endpoint
  let b: Endpoint
}

public struct Conversation: Hashable, Sendable {
  public enum Distance: Sendable, Hashable { case local, internet, `operator` }

  public var a: Endpoint
  public var b: Endpoint
  public var aToBBytes: Int
  public var bToABytes: Int
  public var aToBFrames = 0
  public var bToAFrames = 0
  /// nil where the frames do not tell.
  public var distance: Distance?
  /// A daemon's: the same as `a` sees it, with rates and periods, measured since it is among the largest.
  public var traffic: Traffic?
  public var total: Int { aToBBytes + bToABytes }
  var ends: Ends { Ends(a: a, b: b) }

  public init(a: Endpoint, b: Endpoint, aToBBytes: Int, bToABytes: Int) {
    self.a = a
    self.b = b
    self.aToBBytes = aToBBytes
    self.bToABytes = bToABytes
  }
}

/// An interface that a daemon listens on: down is what it received, up what this machine sent through it.
public struct InterfaceUse: Hashable, Sendable {
  /// Text from outside.
  public var name: WireText
  public var traffic: Traffic

  public init(name: WireText, traffic: Traffic) {
    self.name = name
    self.traffic = traffic
  }
}

/// A multicast group: who asked for it, who sends to it.
public struct MulticastGroup: Hashable, Sendable {
  public var group: IPAddress
  public var members: [MACAddress]
  public var senders: [MACAddress]
  public var bytes: Int
}

public struct Link: Hashable, Sendable {
  public var from: MACAddress
  public var to: MACAddress
  public var medium: Verdict<Medium>?
  public var rate: Rate?
  public var reasons: [Reason]
}

public struct LinkTypeUse: Hashable, Sendable {
  /// nil: not known.
  public var medium: Medium?
  public var devices: [MACAddress]
  public var traffic: Traffic
}

/// How we are doing ourselves: what was evicted, left out or set aside.
public struct Health: Hashable, Sendable {
  public var stationsEvicted = 0
  /// In the table, yet not listed: more than anybody reads, and nobody answered them.
  public var stationsUnlisted = 0
  /// Subnets beyond those that are judged.
  public var subnetsUnlisted = 0
  public var bindingsEvicted = 0
  public var pairsEvicted = 0
  public var subjectsEvicted = 0
  public var claimsLeft = 0
  /// Frames of link types that are not read, by name.
  public var unreadLinkTypes: [String] = []
  /// Decoders that are left out because frames made them stop the program, by name.
  public var decodersSetAside: [String] = []
  /// Turns of the capture loop that took over 50 ms: frames may have been lost meanwhile.
  public var slowTurns = 0
  /// Interfaces that are not listened on, by name: absent or down by now, or more than may be opened.
  public var interfacesAwaited: [String] = []
  public init() {}
}

extension Endpoint {
  public func _rawHashValue(seed: Int) -> Int {
    switch self {
    case .host(let mac): mac._rawHashValue(seed: seed)
    case .remote(let address): address._rawHashValue(seed: seed)
    }
  }
}

extension Ends {
  func _rawHashValue(seed: Int) -> Int { b._rawHashValue(seed: a._rawHashValue(seed: seed)) }
}
