import Wire

/// What two ends said to each other. An end is an address on a MAC; which of the two is a device here and which a place in the
/// internet is judged later, when the subnets are known.
struct PairRow: TableRow {
  struct End: Hashable, BitwiseCopyable {
    var mac: MACAddress
    var address: IPAddress

    func _rawHashValue(seed: Int) -> Int { address._rawHashValue(seed: mac._rawHashValue(seed: seed)) }

    @inline(__always)
    static func precedes(_ a: End, _ b: End) -> Bool {
      if a.mac.bits != b.mac.bits { return a.mac.bits < b.mac.bits }
      if a.address.low != b.address.low { return a.address.low < b.address.low }
      return a.address.high < b.address.high
    }
  }

  /// The smaller end first, so that both directions meet in one row.
  struct Key: BitwiseCopyable {
    var a: End
    var b: End
  }

  struct Sent: BitwiseCopyable {
    var bytes: UInt64 = 0
    var frames: UInt32 = 0
  }

  /// Row numbers of a station and of its address.
  struct Places: BitwiseCopyable {
    var station: UInt32 = .max
    var binding: UInt32 = .max
  }

  let a: End
  let b: End
  /// What the ends sent, `a` first: an array, so that which end it was is a place and not a branch.
  private var sent: InlineArray<2, Sent> = .init(repeating: Sent())
  var firstFrame: UInt32 = 0
  /// Where the ends are in the other tables, as far as is known: numbers that are checked before they are believed.
  private var places: InlineArray<2, Places> = .init(repeating: Places())
  /// Whether the frames went to a group: then `b` or `a` is no station.
  var toGroup = false
  /// What its frames are to the line, and whose meter they move: for `LineMeters`.
  var lane = LineMeters.Lane()
  var talk = LineMeters.Talk()

  static var isTakenOver: Bool { true }

  init(_ key: Key) {
    a = key.a
    b = key.b
  }

  /// The upper half of an address times a secret, lest a MAC that undoes it makes keys that collide.
  @inline(__always)
  static func hash(_ key: Key, _ seed: UInt64) -> UInt64 {
    let secret = seed | 1
    let first = mix(key.a.address.low ^ seed, key.a.mac.bits ^ (key.a.address.high &* secret))
    return mix(key.b.address.low ^ first, key.b.mac.bits ^ (key.b.address.high &* secret))
  }
  @inline(__always)
  func matches(_ key: Key) -> Bool {
    a.address.low == key.a.address.low && b.address.low == key.b.address.low && a.mac == key.a.mac && b.mac == key.b.mac
      && a.address.high == key.a.address.high && b.address.high == key.b.address.high
  }
  func hash(_ seed: UInt64) -> UInt64 { PairRow.hash(Key(a: a, b: b), seed) }

  var bytesFromA: UInt64 { sent[0].bytes }
  var bytesFromB: UInt64 { sent[1].bytes }
  var framesFromA: UInt32 { sent[0].frames }
  var framesFromB: UInt32 { sent[1].frames }

  /// Counts a frame of one end, 0 `a` or 1 `b`; returns where its source and its destination were last.
  @inline(__always)
  mutating func moved(_ bytes: Int, _ number: UInt32, from end: Int, toGroup group: Bool) -> (from: Places, to: Places) {
    if firstFrame == 0 {
      firstFrame = number
      toGroup = group
    }
    // `& 1` shows the compiler what `end` is.
    sent[end & 1].bytes &+= UInt64(truncatingIfNeeded: bytes)
    sent[end & 1].frames &+= 1
    return (places[end & 1], places[(end ^ 1) & 1])
  }

  @inline(__always)
  mutating func remember(_ from: Places, _ to: Places, from end: Int) {
    places[end & 1] = from
    places[(end ^ 1) & 1] = to
  }

  @inline(__always) var weight: Int {
    64 - Int((UInt64(framesFromA) &+ UInt64(framesFromB)).leadingZeroBitCount) + (framesFromA > 0 && framesFromB > 0 ? 8 : 0)
  }
}

extension BoundedTable<PairRow> {
  /// Alike both ways. Whoever makes pairs of one hint costs us the look-up that it saves.
  @inline(__always)
  private static func hint(_ a: PairRow.End, _ b: PairRow.End) -> UInt64 {
    ((a.address.low ^ a.mac.bits) &+ (b.address.low ^ b.mac.bits)) &* 0x9e37_79b9_7f4a_7c15
  }

  /// The row of what two ends say to each other, where they were heard lately, and which of its ends `from` is: 0 `a`, 1 `b`.
  @inline(__always)
  func known(from: PairRow.End, to: PairRow.End) -> (row: Int, end: Int)? {
    guess(BoundedTable.hint(from, to), PairRow.Key(a: from, b: to), PairRow.Key(a: to, b: from)).map { ($0.row, $0.key) }
  }

  /// The same for any two; makes the row where there is none, evicting when the table is full.
  mutating func row(from: PairRow.End, to: PairRow.End) -> (row: Int, end: Int) {
    let isFirst = PairRow.End.precedes(from, to)
    let row = row(isFirst ? PairRow.Key(a: from, b: to) : PairRow.Key(a: to, b: from))
    remember(row, BoundedTable.hint(from, to))
    return (row, isFirst ? 0 : 1)
  }
}
