internal import Wire

/// pcap (draft-ietf-opsawg-pcap), in either byte order, with microseconds or nanoseconds.
///
///     file header   magic 4 | major 2 | minor 2 | zone 4 | accuracy 4 | snap length 4 | link type 4
///     record        seconds 4 | fraction 4 | captured length 4 | wire length 4 [ | interface 4 | protocol 2 | packet type 1 | pad 1 ]
///
/// The part in brackets is Kuznetsov's modification (magic a1b2cd34), of which one kind has four bytes more, and one none.
struct PcapHeader {
  static let length = 24
  static let micro: UInt32 = 0xa1b2_c3d4
  static let nano: UInt32 = 0xa1b2_3c4d
  static let modified: UInt32 = 0xa1b2_cd34

  var order = FileByteOrder()
  var isModified = false
  /// Files before version 2.3 have the two lengths the other way round, 2.3 has them either way.
  var minor = 4
  var recordLength = 16
  /// Nanoseconds for one unit of the fraction.
  var unit: Int64 = 1000
  var limit = FileReader.frameLimit
  var link = LinkType.ethernet
  var filterPlace = -1
  /// Whether a record needs no look at anything but its four fields, in this machine's byte order.
  var isPlain = true

  static func isMagic(_ little: UInt32) -> Bool {
    for magic in [micro, nano, modified] where little == magic || little == magic.byteSwapped { return true }
    return false
  }

  /// Captured and wire length of a record.
  @inline(__always)
  func lengths(_ record: UnsafeRawPointer) -> (kept: Int, wire: Int) {
    let first = Int(order.u32(record, 8))
    let second = Int(order.u32(record, 12))
    if minor < 3 || (minor == 3 && first > second) { return (second, first) }
    return (first, second)
  }
}

/// Loads of numbers in a file's byte order. Callers have checked that they are there.
struct FileByteOrder {
  /// Whether it is not this machine's.
  var isSwapped = false

  @inline(__always)
  func u16(_ at: UnsafeRawPointer, _ offset: Int) -> UInt16 {
    let value = at.loadUnaligned(fromByteOffset: offset, as: UInt16.self)
    return isSwapped ? value.byteSwapped : value
  }

  @inline(__always)
  func u32(_ at: UnsafeRawPointer, _ offset: Int) -> UInt32 {
    let value = at.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
    return isSwapped ? value.byteSwapped : value
  }

  func u64(_ at: UnsafeRawPointer, _ offset: Int) -> UInt64 {
    let value = at.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    return isSwapped ? value.byteSwapped : value
  }
}

extension FileReader {
  /// Reads the file header; 24 bytes are there.
  mutating func beginPcap() throws(CaptureError) {
    let header = UnsafeRawPointer(buffer.base + buffer.at)
    let magic = header.loadUnaligned(as: UInt32.self)
    pcap.order.isSwapped = !(magic == PcapHeader.micro || magic == PcapHeader.nano || magic == PcapHeader.modified)
    let value = pcap.order.isSwapped ? magic.byteSwapped : magic
    let major = pcap.order.u16(header, 4)
    pcap.minor = Int(pcap.order.u16(header, 6))
    guard major == 2 else {
      throw CaptureError(.data, name, "is pcap of version \(major).\(pcap.minor), which is unknown; expected 2.4")
    }
    pcap.unit = value == PcapHeader.nano ? 1 : 1000
    pcap.isModified = value == PcapHeader.modified
    let snapLength = Int(pcap.order.u32(header, 16))
    pcap.limit = FileReader.limit(snapLength: snapLength)
    // The high half may say how long the check sum behind each frame is.
    pcap.link = LinkType.fromFile(pcap.order.u32(header, 20) & 0xffff)
    note(pcap.link, snapLength: snapLength)
    facts.interfaceNames = [""]
    if let place = filter?.place(for: pcap.link) {
      pcap.filterPlace = place
      try filter?.check()
    }
    buffer.at += PcapHeader.length
    pcap.recordLength = pcap.isModified ? modifiedRecordLength() : 16
    pcap.isPlain = !pcap.order.isSwapped && !pcap.isModified && pcap.minor > 3 && pcap.filterPlace < 0
  }

  /// The modified format comes in three kinds that share a magic number (libpcap knows the first alone): the first under which the
  /// next few records make sense is taken.
  private func modifiedRecordLength() -> Int {
    let kinds = [24, 28, 16]
    return kinds.first { length in
      var at = buffer.at
      for _ in 0..<4 {
        guard at + length <= buffer.end else { break }
        let record = UnsafeRawPointer(buffer.base + at)
        let (kept, wire) = pcap.lengths(record)
        guard kept <= pcap.limit, wire > 0, kept <= wire, wire <= FileReader.largestLimit, pcap.order.u32(record, 4) < 1_000_000 else {
          return false
        }
        at += length + kept
      }
      return true
    } ?? 24
  }

  mutating func drainPcap(_ atMost: Int, _ body: (borrowing Frame) -> Void) throws(CaptureError) -> Drained {
    var left = atMost
    while left > 0 {
      left = pcap.isPlain ? lendPlain(left, body) : lendAny(left, body)
      if left == 0 { break }
      // The next record is not whole in the buffer, or makes no sense.
      var need = pcap.recordLength
      if buffer.count >= need {
        let kept = pcap.lengths(UnsafeRawPointer(buffer.base + buffer.at)).kept
        guard kept <= pcap.limit else {
          damage("the record says that \(kept) bytes were captured, more than any frame has")
          return .end
        }
        need += kept
      }
      switch fill(need) {
      case .ready: continue
      case .wait: return .idle
      case .end: endOfBytes(inside: buffer.count > 0 ? "record" : nil)
      case .failed(let why, let isCut): damage(why, isCut: isCut)
      }
      return .end
    }
    return .more
  }

  /// The fast path: this machine's byte order, nothing left out. Returns how many frames are still wanted.
  private mutating func lendPlain(_ atMost: Int, _ body: (borrowing Frame) -> Void) -> Int {
    let base = UnsafeRawPointer(buffer.base)
    let end = buffer.end
    let limit = pcap.limit
    let unit = UInt32(truncatingIfNeeded: pcap.unit)
    let perSecond = 1_000_000_000 / unit
    var at = buffer.at
    var left = atMost
    var number = number
    var frame = Frame(
      number: 0, time: Timestamp(nanoseconds: 0), interface: 0, link: pcap.link, wireLength: 0,
      bytes: UnsafeRawBufferPointer(start: nil, count: 0).bytes)
    while left > 0 {
      let room = end &- at &- 16
      if room < 0 { break }
      let record = base + at
      let kept = Int(record.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
      if kept > room || kept > limit { break }
      var fraction = record.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
      if fraction >= perSecond {
        facts.framesWithoutTime &+= 1
        fraction = perSecond &- 1
      }
      number &+= 1
      frame.turn(
        to: number, time: Timestamp(second: record.loadUnaligned(as: UInt32.self), nanoseconds: fraction &* unit),
        wireLength: Int(record.loadUnaligned(fromByteOffset: 12, as: UInt32.self)),
        bytes: UnsafeRawBufferPointer(start: record + 16, count: kept).bytes)
      body(frame)
      at &+= 16 &+ kept
      left &-= 1
    }
    buffer.at = at
    self.number = number
    return left
  }

  /// Everything else: the other byte order, modified and old records, filters.
  private mutating func lendAny(_ atMost: Int, _ body: (borrowing Frame) -> Void) -> Int {
    let header = pcap
    let perSecond = header.unit == 1 ? Int64(1_000_000_000) : 1_000_000
    var left = atMost
    while left > 0, buffer.count >= header.recordLength {
      let record = UnsafeRawPointer(buffer.base + buffer.at)
      let (kept, wire) = header.lengths(record)
      if kept > buffer.count - header.recordLength || kept > header.limit { break }
      number += 1
      left -= 1
      buffer.at += header.recordLength + kept
      let bytes = record + header.recordLength
      var fraction = Int64(header.order.u32(record, 4))
      if fraction >= perSecond {
        facts.framesWithoutTime += 1
        fraction = perSecond - 1
      }
      var direction = Direction.unknown
      if header.isModified && header.recordLength >= 24 {
        switch record.load(fromByteOffset: 22, as: UInt8.self) {
        case 4: direction = .sent
        // Zero is "to us", and also what a writer without a clue leaves there.
        case 1, 2, 3: direction = .received
        default: break
        }
      }
      if header.filterPlace >= 0, filter?.passes(header.filterPlace, bytes, captured: kept, wireLength: wire) == false { continue }
      body(
        Frame(
          number: number,
          time: Timestamp(nanoseconds: Int64(header.order.u32(record, 0)) * 1_000_000_000 + fraction * header.unit), interface: 0,
          link: header.link, wireLength: wire, direction: direction, bytes: UnsafeRawBufferPointer(start: bytes, count: kept).bytes))
    }
    return left
  }
}
