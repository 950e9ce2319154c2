import Wire

/// What two ends said to each other. An end is an address on a MAC; which of the two is a device here and which a place in the
/// internet is judged later, when the subnets are known.
struct PairRow: TableRow {
  struct End: Hashable, BitwiseCopyable {
    var mac: MACAddress
    var address: IPAddress

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

  /// Row numbers of a station and of its address.
  struct Places: BitwiseCopyable {
    var station: UInt32 = .max
    var binding: UInt32 = .max
  }

  let a: End
  let b: End
  var bytesFromA: UInt64 = 0
  var bytesFromB: UInt64 = 0
  var framesFromA: UInt32 = 0
  var framesFromB: UInt32 = 0
  var firstFrame: UInt32 = 0
  /// Where the ends are in the other tables, as far as is known: numbers that are checked before they are believed.
  var placesOfA = Places()
  var placesOfB = Places()
  /// Whether the frames went to a group: then `b` or `a` is no station.
  var toGroup = false
  /// What its frames are to the line, and whose meter they move: for `LineMeters`.
  var lane = LineMeters.Lane()
  var talk = LineMeters.Talk()

  init(_ key: Key) {
    a = key.a
    b = key.b
  }

  @inline(__always)
  static func fold(_ e: End, _ seed: UInt64) -> UInt64 {
    mix(e.address.low ^ seed, e.mac.bits ^ e.address.high)
  }
  @inline(__always)
  static func hash(_ key: Key, _ seed: UInt64) -> UInt64 { mix(fold(key.a, seed), fold(key.b, seed) &+ seed) }
  @inline(__always)
  func matches(_ key: Key) -> Bool {
    a.address.low == key.a.address.low && b.address.low == key.b.address.low && a.mac == key.a.mac && b.mac == key.b.mac
      && a.address.high == key.a.address.high && b.address.high == key.b.address.high
  }
  func hash(_ seed: UInt64) -> UInt64 { PairRow.hash(Key(a: a, b: b), seed) }

  /// Counts a frame; returns where its source and its destination were last.
  @inline(__always)
  mutating func moved(_ bytes: Int, _ number: UInt32, fromA: Bool, toGroup group: Bool) -> (from: Places, to: Places) {
    if firstFrame == 0 {
      firstFrame = number
      toGroup = group
    }
    if fromA {
      bytesFromA &+= UInt64(bytes)
      framesFromA &+= 1
      return (placesOfA, placesOfB)
    }
    bytesFromB &+= UInt64(bytes)
    framesFromB &+= 1
    return (placesOfB, placesOfA)
  }

  @inline(__always)
  mutating func remember(_ from: Places, _ to: Places, fromA: Bool) { (placesOfA, placesOfB) = fromA ? (from, to) : (to, from) }

  var weight: Int {
    64 - Int((UInt64(framesFromA) &+ UInt64(framesFromB)).leadingZeroBitCount) + (framesFromA > 0 && framesFromB > 0 ? 8 : 0)
  }
}
