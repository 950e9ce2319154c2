/// A row of a bounded table: plain bytes with a key inside.
protocol TableRow: BitwiseCopyable {
  associatedtype Key: BitwiseCopyable
  init(_ key: Key)
  /// Mixed with the table's seed, so that nobody outside can choose keys that collide.
  static func hash(_ key: Key, _ seed: UInt64) -> UInt64
  func matches(_ key: Key) -> Bool
  /// The hash of the row's own key.
  func hash(_ seed: UInt64) -> UInt64
  /// How well attested the row is: of eight candidates the lightest makes room. To be inlined: a call would copy the row first.
  var weight: Int { get }
  /// Whether somebody takes over what an evicted row had counted: only then is it kept until it is taken.
  static var isTakenOver: Bool { get }
}

extension TableRow {
  static var isTakenOver: Bool { false }
}

/// How many keys are remembered as looked for lately: 2 to the 64 less `recentShift`, so that a hint's upper bits number them.
private let recentShift: UInt64 = 52
private let recentCount = 1 << (64 - 52)

/// Open addressing with a ceiling: rows lie in one flat allocation and are found by number, and when all are taken the lightest of
/// eight at a clock hand is evicted. Never the oldest: whoever floods us can wait (`reliability.md` 2).
@safe struct BoundedTable<Row: TableRow>: ~Copyable {
  let capacity: Int
  private(set) var count = 0
  /// Rows that were removed to make room.
  private(set) var evictions = 0

  private let rows: UnsafeMutablePointer<Row>
  /// Per slot: row number + 1 in the low half, the hash's high half above; 0 is empty. At least twice as many as rows that are used, so that
  /// a quiet home holds no index for a flood.
  private var slots: UnsafeMutablePointer<UInt64>
  /// Row numbers of keys that were looked for lately, each where its hint says: a guess, checked before it is believed.
  private let recent: UnsafeMutablePointer<UInt32>
  private let remembers: Bool
  private let memory: Memory
  private var slotMask: Int
  private let seed: UInt64
  private var hand = 0

  /// - Parameters:
  ///   - capacity: rows; rounded up to a power of two, at least 16.
  ///   - remembers: whether rows are looked for by `guess`.
  init(capacity: Int, seed: UInt64, remembers: Bool = false) {
    var rounded = 16
    while rounded < capacity { rounded *= 2 }
    self.capacity = rounded
    self.seed = seed
    let slotCount = min(rounded * 2, 8192)
    slotMask = slotCount - 1
    unsafe rows = UnsafeMutablePointer<Row>.allocate(capacity: rounded)
    unsafe slots = UnsafeMutablePointer<UInt64>.allocate(capacity: slotCount)
    unsafe slots.initialize(repeating: 0, count: slotCount)
    self.remembers = remembers
    unsafe recent = UnsafeMutablePointer<UInt32>.allocate(capacity: remembers ? recentCount : 0)
    unsafe recent.initialize(repeating: .max, count: remembers ? recentCount : 0)
    memory = unsafe Memory(rows: rows, slots: slots, recent: recent)
  }

  /// Frees what the table lies in. An object, because Swift 6.3 passes over the `deinit` of a generic value inside another room's.
  @safe private final class Memory {
    private let rows: UnsafeMutablePointer<Row>
    fileprivate var slots: UnsafeMutablePointer<UInt64>
    private let recent: UnsafeMutablePointer<UInt32>

    init(rows: UnsafeMutablePointer<Row>, slots: UnsafeMutablePointer<UInt64>, recent: UnsafeMutablePointer<UInt32>) {
      unsafe self.rows = rows
      unsafe self.slots = slots
      unsafe self.recent = recent
    }

    deinit {
      unsafe rows.deallocate()
      unsafe slots.deallocate()
      unsafe recent.deallocate()
    }
  }

  /// Bytes of one row with its share of the index.
  static var bytesPerRow: Int { MemoryLayout<Row>.stride + 2 * MemoryLayout<UInt64>.stride }

  subscript(_ row: Int) -> Row {
    @inline(__always) get {
      precondition(UInt(bitPattern: row) < UInt(bitPattern: capacity))
      return unsafe rows[row]
    }
    @inline(__always) _modify {
      precondition(UInt(bitPattern: row) < UInt(bitPattern: capacity))
      yield unsafe &rows[row]
    }
  }

  /// Where a hash's search begins: told by its high half alone, so that a slot knows it without a look at the row.
  @inline(__always)
  private func home(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 32) & slotMask }

  /// The row of a key, without making one.
  @inline(__always)
  func find(_ key: Row.Key) -> Int? {
    let hash = Row.hash(key, seed)
    let tag = hash & 0xffff_ffff_0000_0000
    var slot = home(hash)
    while true {
      let entry = unsafe slots[slot]
      if entry == 0 { return nil }
      let row = Int(entry & 0xffff_ffff) &- 1
      if entry & 0xffff_ffff_0000_0000 == tag, unsafe rows[row].matches(key) { return row }
      slot = (slot &+ 1) & slotMask
    }
  }

  /// The row that the last insertion pushed out, until it is taken; of those that are taken over.
  private var evicted: Row?

  mutating func takeEvicted() -> Row? { evicted.take() }

  /// The row of a key; makes one where there is none, evicting when the table is full.
  @inline(__always)
  mutating func row(_ key: Row.Key) -> Int {
    let hash = Row.hash(key, seed)
    let tag = hash & 0xffff_ffff_0000_0000
    var slot = home(hash)
    while true {
      let entry = unsafe slots[slot]
      if entry == 0 { return insert(key, hash) }
      let row = Int(entry & 0xffff_ffff) &- 1
      if entry & 0xffff_ffff_0000_0000 == tag, unsafe rows[row].matches(key) { return row }
      slot = (slot &+ 1) & slotMask
    }
  }

  /// The row that a key of this hint had when it was last remembered, where it is that of one of two keys, and of which: 0 or 1.
  ///
  /// It saves mixing the key and a walk through an index that no near cache holds.
  ///
  /// - Parameter hint: the same number for the same key, in its upper bits; it need not be well mixed.
  @inline(__always)
  func guess(_ hint: UInt64, _ first: Row.Key, _ second: Row.Key) -> (row: Int, key: Int)? {
    guard remembers else { return nil }
    let guessed = unsafe Int(recent[Int(truncatingIfNeeded: hint >> recentShift)])
    guard guessed < count else { return nil }
    if unsafe rows[guessed].matches(first) { return (guessed, 0) }
    if unsafe rows[guessed].matches(second) { return (guessed, 1) }
    return nil
  }

  mutating func remember(_ row: Int, _ hint: UInt64) {
    guard remembers else { return }
    unsafe recent[Int(truncatingIfNeeded: hint >> recentShift)] = UInt32(truncatingIfNeeded: row)
  }

  /// Changes the row of a key that probably has the number `guess`, which is put right when it has not. Saves the look-up in the index.
  @inline(__always)
  mutating func update(_ key: Row.Key, guess: inout UInt32, _ body: (inout Row) -> Void) {
    let guessed = Int(guess)
    if guessed < count, unsafe rows[guessed].matches(key) { return unsafe body(&rows[guessed]) }
    let found = look(key)
    guess = UInt32(truncatingIfNeeded: found)
    unsafe body(&rows[found])
  }

  /// The same as `row`, out of the way of those who guessed right.
  @inline(never)
  private mutating func look(_ key: Row.Key) -> Int { row(key) }

  @inline(never)
  private mutating func insert(_ key: Row.Key, _ hash: UInt64) -> Int {
    let row: Int
    if count < capacity {
      row = count
      count &+= 1
      if count &* 2 > slotMask &+ 1 { grow() }
    } else {
      row = lightest()
      if Row.isTakenOver { unsafe evicted = rows[row] }
      unsafe unlink(row, rows[row].hash(seed))
      evictions &+= 1
    }
    unsafe rows.advanced(by: row).initialize(to: Row(key))
    var slot = home(hash)
    while unsafe slots[slot] != 0 { slot = (slot &+ 1) & slotMask }
    unsafe slots[slot] = hash & 0xffff_ffff_0000_0000 | UInt64(row &+ 1)
    return row
  }

  /// Four times as many slots, two for each row at most; an entry tells itself where its search begins.
  private mutating func grow() {
    let oldCount = slotMask &+ 1
    let slotCount = min(4 &* oldCount, 2 &* capacity)
    let new = UnsafeMutablePointer<UInt64>.allocate(capacity: slotCount)
    unsafe new.initialize(repeating: 0, count: slotCount)
    slotMask = slotCount &- 1
    for at in 0..<oldCount {
      let entry = unsafe slots[at]
      if entry == 0 { continue }
      var slot = home(entry)
      while unsafe new[slot] != 0 { slot = (slot &+ 1) & slotMask }
      unsafe new[slot] = entry
    }
    unsafe slots.deallocate()
    unsafe slots = new
    unsafe memory.slots = new
  }

  /// The lightest of eight rows, an eighth of the table apart: devices that came together lie side by side, and eight neighbours might
  /// all be real.
  private mutating func lightest() -> Int {
    var best = hand
    var bestWeight = Int.max
    for step in 0..<8 {
      let candidate = (hand &+ step &* (capacity / 8)) % capacity
      let weight = unsafe rows[candidate].weight
      if weight < bestWeight { (best, bestWeight) = (candidate, weight) }
    }
    hand = hand &+ 1 == capacity ? 0 : hand &+ 1
    return best
  }

  /// Takes a row out of the index, moving back what its slot had pushed away.
  private mutating func unlink(_ row: Int, _ hash: UInt64) {
    var slot = home(hash)
    while true {
      let entry = unsafe slots[slot]
      if entry == 0 { return }
      if Int(entry & 0xffff_ffff) &- 1 == row { break }
      slot = (slot &+ 1) & slotMask
    }
    var hole = slot
    var next = (slot &+ 1) & slotMask
    while unsafe slots[next] != 0 {
      let entry = unsafe slots[next]
      if (next &- home(entry)) & slotMask >= (next &- hole) & slotMask {
        unsafe slots[hole] = entry
        hole = next
      }
      next = (next &+ 1) & slotMask
    }
    unsafe slots[hole] = 0
  }
}
