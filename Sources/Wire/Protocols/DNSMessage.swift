// The DNS message as mDNS, LLMNR, NetBIOS and DNS itself share it: RFC 1035, 4.
//
//      0    2       4           6         8             10            12
//      ┌────┬───────┬───────────┬─────────┬─────────────┬─────────────┬───────────┬─────────┬───────────┬─────────────┐
//      │ id │ flags │ questions │ answers │ authorities │ additionals │ questions │ answers │ authority │ additional  │
//      └────┴───────┴───────────┴─────────┴─────────────┴─────────────┴───────────┴─────────┴───────────┴─────────────┘
//      question: name │ type 2 │ class 2            record: name │ type 2 │ class 2 │ TTL 4 │ length 2 │ data
//      name:     length 1 (below 64) │ label … until a length of 0, or two bytes c000 | offset into the message
//
// Names are walked where they lie: a message of which nothing is kept allocates nothing. A record is left by its own length, so a bad
// name inside it costs that name and nothing else.

/// A name inside a message: where its labels lie. Labels are bytes; nothing is decoded before it is noted.
package struct DNSName: Sendable {
  /// Labels whose places are kept: `instance._type._tcp.local` has four, a subtype five, a reverse IPv4 name six. The rest is counted.
  static let kept = 8

  /// Offset in the message and length of each label: `offset << 8 | length`.
  var places = SIMD8<UInt32>()
  /// How many labels there are, the root not counted.
  package internal(set) var count = 0

  /// Place and length of a label; (0, 0) for one that is not kept.
  func label(_ index: Int) -> (offset: Int, length: Int) {
    guard index >= 0, index < count, index < DNSName.kept else { return (0, 0) }
    let place = places[index]
    return (Int(place >> 8), Int(place & 0xff))
  }
}

/// One resource record. Its data has been passed already; `data` says where it lies.
package struct DNSRecord: Sendable {
  enum Section: UInt8 { case answer, authority, additional }

  var section = Section.answer
  /// Where the owner name begins.
  var owner = 0
  package internal(set) var type: UInt16 = 0
  /// With the top bit, which mDNS uses as its own.
  var rawClass: UInt16 = 0
  package internal(set) var ttl: UInt32 = 0
  var data = 0
  var length = 0

  /// Whether the record is of the internet class, mDNS' cache-flush bit apart (RFC 6762, 10.2).
  var isInternet: Bool { rawClass & 0x7fff == 1 }
  var end: Int { data &+ length }

  static let a: UInt16 = 1
  static let ptr: UInt16 = 12
  static let txt: UInt16 = 16
  static let aaaa: UInt16 = 28
  static let nb: UInt16 = 32
  static let srv: UInt16 = 33
  static let nbstat: UInt16 = 33
  static let opt: UInt16 = 41
}

/// A walk over one message.
package struct DNSMessage: ~Escapable {
  /// Label visits for all names of one message together: that many records sharing one long name cannot multiply work. The busiest real
  /// mDNS message, 60 records walked twice, takes under 1,000.
  package static let nameSteps = 4_000
  /// More questions or records than this are not read (`protocols.md` 0, limit 7).
  static let turns = 256

  var reader: ByteReader
  let bytes: RawSpan
  package private(set) var nameSteps = DNSMessage.nameSteps
  let flags: UInt16
  let questionCount: Int
  let authorityCount: Int
  /// Records still to come in each section.
  private var left: (answers: Int, authorities: Int, additionals: Int)
  private var turnsLeft = DNSMessage.turns

  @_lifetime(copy reader)
  package init(_ reader: ByteReader) throws(WireFault) {
    self.reader = reader
    bytes = reader.whole()
    try self.reader.skip(12)
    flags = bytes.u16(2)
    questionCount = Int(bytes.u16(4))
    authorityCount = Int(bytes.u16(8))
    left = (Int(bytes.u16(6)), Int(bytes.u16(8)), Int(bytes.u16(10)))
  }

  var isResponse: Bool { flags & 0x8000 != 0 }
  var operation: UInt16 { flags >> 11 & 15 }
  var responseCode: UInt16 { flags & 15 }
  /// The answers alone.
  var answerCount: Int { left.answers }

  /// Moves past the questions; true when one of them asks for `type`.
  @discardableResult
  mutating func skipQuestions(lookingFor type: UInt16 = 0) throws(WireFault) -> Bool {
    var found = false
    for _ in 0..<min(questionCount, DNSMessage.turns) {
      try skipName()
      let at = reader.position
      try reader.skip(4)
      if bytes.u16(at) == type { found = true }
    }
    // Nobody asks that much: where the records begin is not known then.
    if questionCount > DNSMessage.turns { left = (0, 0, 0) }
    return found
  }

  /// The next record, nil behind the last. A record that does not fit ends the walk.
  package mutating func next() throws(WireFault) -> DNSRecord? {
    guard turnsLeft > 0 else { return nil }
    var record = DNSRecord()
    if left.answers > 0 {
      left.answers &-= 1
    } else if left.authorities > 0 {
      left.authorities &-= 1
      record.section = .authority
    } else if left.additionals > 0 {
      left.additionals &-= 1
      record.section = .additional
    } else {
      return nil
    }
    turnsLeft &-= 1
    record.owner = reader.position
    try skipName()
    let head = reader.position
    try reader.skip(10)
    record.type = bytes.u16(head)
    record.rawClass = bytes.u16(head &+ 2)
    record.ttl = bytes.u32(head &+ 4)
    record.length = Int(bytes.u16(head &+ 8))
    record.data = reader.position
    try reader.skip(record.length)
    return record
  }

  /// Moves past a name where it stands. Its end must be found even if the name is of no use.
  private mutating func skipName() throws(WireFault) {
    var at = reader.position
    while true {
      guard at < bytes.byteCount else { throw reader.short() }
      let length = Int(bytes.u8(at))
      at &+= 1
      if length == 0 { break }
      if length >= 0xc0 {
        at &+= 1
        break
      }
      // 01 and 10: nobody uses them (RFC 6891, 5), and nothing says how long they are.
      guard length < 0x40 else { throw WireFault(.malformed, at: reader.offset) }
      at &+= length
    }
    try reader.skip(at &- reader.position)
  }

  // MARK: Names

  /// The name that begins at `start`, nil when it breaks a rule: bad names are many in real homes, they make no fault.
  /// - Parameter limit: the name may not run past this offset before its first jump.
  package mutating func name(at start: Int, within limit: Int = .max) -> DNSName? {
    var name = DNSName()
    guard walk(from: start, within: limit, { name.append(offset: $0, length: $1) }) else { return nil }
    return name
  }

  /// Takes over what another walk over the same message has spent.
  mutating func spend(as other: borrowing DNSMessage) { nameSteps = other.nameSteps }

  /// Pays for one more record of a walk within a walk; false when all is spent.
  mutating func pay() -> Bool {
    guard nameSteps > 0 else { return false }
    nameSteps &-= 1
    return true
  }

  /// The owner of a record.
  package mutating func owner(_ record: DNSRecord) -> DNSName? { name(at: record.owner) }

  /// A name inside a record's data, `skip` bytes behind its beginning.
  package mutating func target(_ record: DNSRecord, after skip: Int = 0) -> DNSName? {
    guard record.length > skip else { return nil }
    return name(at: record.data &+ skip, within: record.end)
  }

  @inline(__always)
  private mutating func walk(from start: Int, within limit: Int, _ visit: (_ offset: Int, _ length: Int) -> Void) -> Bool {
    var at = start
    var end = min(limit, bytes.byteCount)
    var jumps = 0
    var labels = 0
    var length = 1
    while true {
      guard nameSteps > 0, at >= 0, at < end else { return false }
      nameSteps &-= 1
      let count = Int(bytes.u8(at))
      if count == 0 { return true }
      if count >= 0xc0 {
        // Sixteen jumps: a pointer should lead strictly back (RFC 1035, 4.1.4), some boxes send others, none may cost more than its name.
        jumps &+= 1
        guard jumps <= 16, at &+ 1 < end else { return false }
        at = Int(bytes.u16(at) & 0x3fff)
        end = bytes.byteCount
        continue
      }
      length &+= count &+ 1
      labels &+= 1
      guard count < 0x40, at &+ count < end, length <= 255, labels <= 127 else { return false }
      visit(at &+ 1, count)
      at &+= count &+ 1
    }
  }

  /// Whether two names are the same, ASCII case apart. Of names with more labels than are kept only those of one place are.
  func areEqual(_ a: DNSName, _ b: DNSName) -> Bool {
    guard a.count == b.count else { return false }
    if a.places == b.places { return true }
    guard a.count <= DNSName.kept else { return false }
    for index in 0..<a.count {
      let (p, n) = a.label(index)
      let (q, m) = b.label(index)
      guard n == m else { return false }
      if p == q { continue }
      for i in 0..<n where lower(bytes.u8(p &+ i)) != lower(bytes.u8(q &+ i)) { return false }
    }
    return true
  }

  /// A label of at most sixteen bytes in lower case as one number, 0 for any other: compared with `DNSLabel`.
  func packed(_ name: DNSName, _ index: Int) -> UInt128 {
    let (at, length) = name.label(index)
    return packedText(at, length)
  }

  /// The same for any stretch of the message.
  func packedText(_ at: Int, _ length: Int) -> UInt128 {
    guard length > 0, length <= 16 else { return 0 }
    if length <= 8 { return UInt128(lowercased(at, length)) }
    return UInt128(lowercased(at, length &- 8)) << 64 | UInt128(lowercased(at &+ length &- 8, 8))
  }

  /// One to eight bytes in lower case, right-aligned.
  @inline(__always)
  private func lowercased(_ at: Int, _ length: Int) -> UInt64 {
    // All labels lie behind the header, so there are eight bytes before the end of each.
    let word = bytes.u64(at &+ length &- 8) & (~0 >> UInt64(truncatingIfNeeded: 64 &- 8 &* length))
    // A byte from A to Z gets its bit 5, eight at a time.
    let seven = word & 0x7f7f_7f7f_7f7f_7f7f
    let fromA = seven &+ 0x3f3f_3f3f_3f3f_3f3f
    let beyondZ = seven &+ 0x2525_2525_2525_2525
    return word | (~word & (fromA ^ beyondZ) & 0x8080_8080_8080_8080) >> 2
  }

  /// Whether the name ends in `.local`, and has something before it.
  func isLocal(_ name: DNSName) -> Bool {
    name.count >= 2 && name.count <= DNSName.kept && packed(name, name.count &- 1) == DNSLabel.local
  }

  /// A hash of some labels, ASCII case apart: to note a thing once in a message, never for identity beyond it.
  func digest(_ name: DNSName, _ range: Range<Int>, seed: UInt64) -> UInt64 {
    var hash = 0xcbf2_9ce4_8422_2325 ^ seed
    for index in range {
      let (at, length) = name.label(index)
      hash = (hash ^ UInt64(length)) &* 0x9e37_79b9_7f4a_7c15
      var i = 0
      while i < length {
        let count = min(8, length &- i)
        hash = (hash ^ lowercased(at &+ i, count)) &* 0x9e37_79b9_7f4a_7c15
        hash ^= hash >> 29
        i &+= count
      }
    }
    return hash
  }

  /// Some labels as text with dots between them.
  func text(_ name: DNSName, _ range: Range<Int>, lowercased: Bool = false) -> WireText {
    if range.count == 1, !lowercased {
      let (at, length) = name.label(range.lowerBound)
      return WireText(bytes.part(at, length))
    }
    var out: [UInt8] = []
    out.reserveCapacity(64)
    for index in range {
      let (at, length) = name.label(index)
      if index > range.lowerBound { out.append(0x2e) }
      for i in 0..<length {
        let byte = bytes.u8(at &+ i)
        out.append(lowercased ? lower(byte) : byte)
      }
    }
    return WireText(out)
  }

  /// A host name without the `.local` behind it.
  func hostText(_ name: DNSName) -> WireText { text(name, 0..<max(1, name.count &- 1)) }

  // MARK: Addresses

  /// What an A or AAAA record says, nil for one of a wrong length or an address that no host has.
  func address(_ record: DNSRecord) -> IPAddress? {
    let address: IPAddress
    switch (record.type, record.length) {
    case (DNSRecord.a, 4): address = IPAddress(IPv4Address(bytes.u32(record.data)))
    case (DNSRecord.aaaa, 16):
      let v6 = IPv6Address(high: bytes.u64(record.data), low: bytes.u64(record.data &+ 8))
      guard !v6.isMappedIPv4 else { return nil }
      address = IPAddress(v6)
    default: return nil
    }
    return address.isHost ? address : nil
  }

  /// The address that a name under `in-addr.arpa` or `ip6.arpa` stands for.
  mutating func reverseAddress(at start: Int) -> IPAddress? {
    var labels = 0
    var v4: UInt32 = 0
    var high: UInt64 = 0
    var low: UInt64 = 0
    var family: UInt128 = 0
    var isArpa = false
    var decimals = 0
    var nibbles = 0
    let span = bytes
    let ended = walk(from: start, within: .max) { at, length in
      labels &+= 1
      // Numbers come first, lowest first; the family and `arpa` end the name.
      var number: UInt32 = 0
      var nibble: UInt8?
      var isDecimal = length <= 3
      for i in 0..<min(length, 4) {
        let c = span.u8(at &+ i)
        if c >= 0x30, c <= 0x39 { number = number &* 10 &+ UInt32(c &- 0x30) } else { isDecimal = false }
        if length == 1 { nibble = hexDigit(c) }
      }
      if labels <= 4, isDecimal, number <= 255 {
        v4 |= number << UInt32(8 &* (labels &- 1))
        decimals &+= 1
      }
      if labels <= 32, let nibble {
        if labels <= 16 {
          low |= UInt64(nibble) << UInt64(4 &* (labels &- 1))
        } else {
          high |= UInt64(nibble) << UInt64(4 &* (labels &- 17))
        }
        nibbles &+= 1
      }
      if labels == 5 || labels == 33 {
        family = 0
        if length <= 7 { for i in 0..<length { family = family << 8 | UInt128(lower(span.u8(at &+ i))) } }
      }
      if labels == 6 || labels == 34 {
        var last: UInt128 = 0
        if length == 4 { for i in 0..<4 { last = last << 8 | UInt128(lower(span.u8(at &+ i))) } }
        isArpa = last == DNSLabel.arpa
      }
    }
    guard ended, isArpa else { return nil }
    if labels == 6, decimals == 4, family == DNSLabel.inAddr { return IPAddress(IPv4Address(v4)) }
    if labels == 34, nibbles == 32, family == DNSLabel.ip6 { return IPAddress(IPv6Address(high: high, low: low)) }
    return nil
  }
}

extension DNSName {
  mutating func append(offset: Int, length: Int) {
    // Offsets are below the frame's length; one that does not fit its 24 bits is no message.
    if count < DNSName.kept, offset < 1 << 24 { places[count] = UInt32(offset) << 8 | UInt32(length) }
    count &+= 1
  }
}

@inline(__always)
func lower(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte }

/// Labels we compare with, packed as `DNSMessage.packed` does.
enum DNSLabel {
  @inline(__always) static var local: UInt128 { 0x6c_6f63_616c }  // local
  @inline(__always) static var tcp: UInt128 { 0x5f_7463_70 }  // _tcp
  @inline(__always) static var udp: UInt128 { 0x5f_7564_70 }  // _udp
  @inline(__always) static var sub: UInt128 { 0x5f_7375_62 }  // _sub
  @inline(__always) static var arpa: UInt128 { 0x6172_7061 }  // arpa
  @inline(__always) static var inAddr: UInt128 { 0x69_6e2d_6164_6472 }  // in-addr
  @inline(__always) static var ip6: UInt128 { 0x69_7036 }  // ip6
  @inline(__always) static var dnsSD: UInt128 { 0x5f_646e_732d_7364 }  // _dns-sd

  /// For tables that are made once.
  static func pack(_ text: String) -> UInt128 { text.utf8.reduce(0) { $0 << 8 | UInt128(lower($1)) } }
}
