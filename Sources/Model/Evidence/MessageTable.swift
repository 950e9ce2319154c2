import Wire

/// Messages to everybody that are said word for word again and again, as announcements are, and where the ledger keeps what they state: to hear
/// one once more is then as good as to read it once more, and costs a tenth.
///
/// A message gets its seats when it is heard the second time: most are never heard twice. Fixed size: four places for each bucket, the last heard
/// first, and one ring for the seats of all, in which the oldest are overwritten. What was forgotten is read again.
struct MessageTable {
  private struct Entry: BitwiseCopyable {
    var mark: UInt64 = 0
    /// Where its seats begin, counted from the first that was ever kept, and in the last 16 bits how many; 0 before it has some.
    var seats: UInt64 = 0
  }

  /// Whoever states more at once is read anew each time.
  private static let seatsPerMessage = 32

  private var entries: [Entry]
  private var ring: [Ledger.Seat]
  /// How many seats were ever kept, those of messages included that then were too long. Not 0, for no message begins there.
  private var kept = 1
  /// The message that is being read, if it shall be kept, and where its seats begin.
  private var wanted: UInt64?
  private var start = 0

  /// - Parameter capacity: messages, rounded down to a power of two; less than 4: none.
  init(capacity: Int) {
    let count = capacity < 4 ? 0 : 1 << (Int.bitWidth - 1 - capacity.leadingZeroBitCount)
    entries = [Entry](repeating: Entry(), count: count)
    ring = [Ledger.Seat](repeating: Ledger.Seat(), count: count == 0 ? 0 : max(2 * count, MessageTable.seatsPerMessage))
  }

  private func bucket(_ mark: MessageMark) -> Int { Int(truncatingIfNeeded: mark.bits) & (entries.count - 1) & ~3 }

  /// Attests once more what a message states. Returns how many records that were, nil where the message has to be read.
  mutating func attest(_ mark: MessageMark, in ledger: inout Ledger, frame: Int, time: Timestamp) -> Int? {
    wanted = nil
    if entries.isEmpty { return nil }
    let seats = find(mark)
    if let seats {
      let (start, count) = (Int(seats >> 16), Int(seats & 0xffff))
      if start > 0, kept - start <= ring.count {
        let first = start & (ring.count - 1)
        if ledger.attest(ring.span.extracting(first..<first + count), frame: frame, time: time) { return count }
      }
      wanted = mark.bits
    }
    return nil
  }

  /// What is known of a message that was heard before; from now on it is the last heard of its bucket.
  private mutating func find(_ mark: MessageMark) -> UInt64? {
    let base = bucket(mark)
    var at = base
    while at < base + 3, entries[at].mark != mark.bits { at += 1 }
    let isKnown = entries[at].mark == mark.bits
    let entry = isKnown ? entries[at] : Entry(mark: mark.bits)
    while at > base {
      entries[at] = entries[at - 1]
      at -= 1
    }
    entries[base] = entry
    return isKnown ? entry.seats : nil
  }

  /// Whether the seats of the message that is about to be filed shall be added: the one that was just asked for, and heard before.
  mutating func begins(_ mark: MessageMark) -> Bool {
    guard mark.bits == wanted else { return false }
    let left = ring.count - kept & (ring.count - 1)
    if left < MessageTable.seatsPerMessage { kept += left }
    start = kept
    return true
  }

  /// The next record of that message; nil: it found no room.
  mutating func add(_ seat: Ledger.Seat?) {
    guard let seat, kept - start < MessageTable.seatsPerMessage else {
      wanted = nil
      return
    }
    ring[kept & (ring.count - 1)] = seat
    kept += 1
  }

  mutating func end(_ mark: MessageMark) {
    if mark.bits == wanted { entries[bucket(mark)].seats = UInt64(start) << 16 | UInt64(kept - start) }
    wanted = nil
  }
}
