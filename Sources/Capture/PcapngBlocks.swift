internal import Wire

/// pcapng (draft-ietf-opsawg-pcapng): blocks, each `type 4 | total length 4 | body, padded to 4 | total length 4 again`.
///
///     section     0a0d0d0a   byte order 4 | major 2 | minor 2 | section length 8 | options
///     interface   1          link type 2 | reserved 2 | snap length 4 | options: 2 name, 9 resolution, 14 seconds to add
///     packet      6          interface 4 | time high 4 | time low 4 | captured 4 | wire 4 | bytes | options: 2 flags, 4 dropped
///     simple      3          wire 4 | bytes
///     old packet  2          interface 2 | dropped 2 | time high 4 | time low 4 | captured 4 | wire 4 | bytes | options
///     statistics  5          interface 4 | time high 4 | time low 4 | options: 5 dropped by the interface, 7 by the system
///     option                 code 2 | length 2 | value, padded to 4
///
/// Every other block is skipped. A section has its own byte order and its own interfaces.
struct PcapngState {
  static let sectionType: UInt32 = 0x0a0d_0d0a
  static let byteOrder: UInt32 = 0x1a2b_3c4d
  /// Options of one packet and whole blocks of the other kinds: real ones are a few hundred bytes.
  static let optionLimit = 1 << 20
  /// More interfaces than any machine captures on; each costs memory.
  static let interfaceLimit = 1024

  struct Interface {
    /// Place among all interfaces of the file: what frames carry.
    var index = 0
    var link = LinkType.ethernet
    var limit = FileReader.frameLimit
    var snapLength = 0
    var clock = PcapngClock()
    var filterPlace = -1
  }

  var order = FileByteOrder()
  var sections = 0
  /// Those of the current section.
  var interfaces: [Interface] = []
  /// Those of the file. One that comes again in a later section, with the same name and link type, is the same interface.
  var names: [String] = []
  var links: [LinkType] = []
  /// What the statistics last said, and what packets said was lost between them, by place in `names`.
  var counted: [Int?] = []
  var lostBetween = 0
  /// Bytes of the current block that are still to be passed over, and whether its closing length comes behind them.
  var toSkip = 0
  var closing: UInt32?
  /// The most that a frame of any interface may keep.
  var largestLimit = FileReader.frameLimit
  var lastTime = Timestamp(nanoseconds: 0)

  /// Frames that the file says were lost; nil when it says nothing.
  var dropped: Int? {
    var sum: Int?
    for case .some(let count) in counted { sum = min((sum ?? 0), Int.max / 2) + min(count, Int.max / 4) }
    return sum ?? (lostBetween > 0 ? lostBetween : nil)
  }
}

extension FileByteOrder {
  /// Walks options; false when one runs over its block.
  func options(
    _ block: UnsafeRawPointer, from start: Int, to end: Int, _ body: (_ code: UInt16, _ value: UnsafeRawBufferPointer) -> Void
  ) -> Bool {
    var at = start
    while end - at >= 4 {
      let code = u16(block, at)
      let length = Int(u16(block, at + 2))
      if code == 0 { return true }
      guard length <= end - at - 4 else { return false }
      body(code, UnsafeRawBufferPointer(start: block + at + 4, count: length))
      at += 4 + (length + 3) / 4 * 4
    }
    return true
  }

  func number(_ value: UnsafeRawBufferPointer) -> UInt64? {
    guard value.count >= 8, let start = value.baseAddress else { return nil }
    return u64(start, 0)
  }
}

extension FileReader {
  mutating func drainPcapng(_ atMost: Int, _ body: (borrowing Frame) -> Void) throws(CaptureError) -> Drained {
    var left = atMost
    repeat {
      left = lendPackets(left, body)
      if atMost > 0 && left == 0 { break }
      switch try nextBlock(lending: atMost > 0, body) {
      case .passed: continue
      case .lent: left -= 1
      case .needs(let need):
        switch fill(need) {
        case .ready: continue
        case .wait: return .idle
        case .end:
          let isInside = buffer.count > 0 || pcapng.toSkip > 0 || pcapng.closing != nil
          endOfBytes(inside: isInside ? "block" : nil)
        case .failed(let why, let isCut): damage(why, isCut: isCut)
        }
        return try finishPcapng()
      case .damaged(let why):
        damage(why)
        return try finishPcapng()
      case .packetAhead: return .more
      }
    } while atMost == 0 || left > 0
    return .more
  }

  /// A file that is damaged in its first section header was no capture, as far as anybody can tell.
  private mutating func finishPcapng() throws(CaptureError) -> Drained {
    if pcapng.sections == 0, let damage = facts.damage {
      throw CaptureError(.data, name, "is no readable pcapng file (\(damage.what))")
    }
    if number == 0 { try filter?.check() }
    return .end
  }

  /// The fast path: enhanced packet blocks, one after the other. Stops at everything that is not one, whole and sensible.
  private mutating func lendPackets(_ atMost: Int, _ body: (borrowing Frame) -> Void) -> Int {
    guard pcapng.toSkip == 0, pcapng.closing == nil, filter == nil else { return atMost }
    let base = UnsafeRawPointer(buffer.base)
    let end = buffer.end
    let order = pcapng.order
    let interfaces = pcapng.interfaces
    let packet = order.isSwapped ? UInt32(6).byteSwapped : 6
    var last = pcapng.lastTime
    var at = buffer.at
    var left = atMost
    var number = number
    while left > 0 {
      let have = end &- at
      if have < 32 { break }
      let block = base + at
      if block.loadUnaligned(as: UInt32.self) != packet { break }
      let total = Int(order.u32(block, 4))
      if total < 32 || total > have || total & 3 != 0 { break }
      let kept = Int(order.u32(block, 20))
      let id = Int(order.u32(block, 8))
      if kept > total &- 32 || id >= interfaces.count || Int(order.u32(block, total &- 4)) != total { break }
      let interface = interfaces[id]
      if kept > interface.limit { break }
      // Options, or a time that cannot be: the careful way.
      if total &- 32 &- kept >= 4 { break }
      guard let time = interface.clock.time(UInt64(order.u32(block, 12)) << 32 | UInt64(order.u32(block, 16))) else { break }
      last = time
      number &+= 1
      body(
        Frame(
          number: number, time: time, interface: interface.index, link: interface.link, wireLength: Int(order.u32(block, 24)),
          bytes: UnsafeRawBufferPointer(start: block + 28, count: kept).bytes))
      at &+= total
      left &-= 1
    }
    buffer.at = at
    self.number = number
    pcapng.lastTime = last
    return left
  }

  private enum Step {
    case passed
    /// One frame was read, and lent unless the filter left it out.
    case lent
    case needs(Int)
    case damaged(String)
    case packetAhead
  }

  /// Takes one block of any kind, checking everything.
  private mutating func nextBlock(lending: Bool, _ body: (borrowing Frame) -> Void) throws(CaptureError) -> Step {
    if pcapng.toSkip > 0 || pcapng.closing != nil { return skipOn() }
    guard buffer.count >= 12 else { return .needs(buffer.count == 0 ? 1 : 12) }
    let block = UnsafeRawPointer(buffer.base + buffer.at)
    let type = pcapng.order.u32(block, 0)
    if type == PcapngState.sectionType {
      let mark = block.loadUnaligned(fromByteOffset: 8, as: UInt32.self)
      guard mark == PcapngState.byteOrder || mark.byteSwapped == PcapngState.byteOrder else {
        return .damaged("a section header has no byte-order mark")
      }
      pcapng.order.isSwapped = mark != PcapngState.byteOrder
    }
    let total = Int(pcapng.order.u32(block, 4))
    guard total >= 12, total & 3 == 0 else { return .damaged("a block says that it is \(total) bytes long, which cannot be") }
    let isPacket = type == 6 || type == 3 || type == 2
    guard isPacket || type == 1 || type == 5 || type == PcapngState.sectionType else {
      buffer.at += 8
      pcapng.toSkip = total - 12
      pcapng.closing = UInt32(truncatingIfNeeded: total)
      return .passed
    }
    if isPacket && !lending { return .packetAhead }
    let ceiling = PcapngState.optionLimit + (isPacket ? pcapng.largestLimit : 0)
    guard total <= ceiling else { return .damaged("a block says that it is \(total) bytes long, more than anything real") }
    guard buffer.count >= total else { return .needs(total) }
    guard Int(pcapng.order.u32(block, total - 4)) == total else { return .damaged("the two lengths of a block differ") }
    let step: Step
    switch type {
    case PcapngState.sectionType: step = openSection(block, total)
    case 1: step = try openInterface(block, total)
    case 5: step = readStatistics(block, total)
    default: step = try readPacket(type, block, total, body)
    }
    buffer.at += total
    return step
  }

  private mutating func skipOn() -> Step {
    let here = min(buffer.count, pcapng.toSkip)
    buffer.at += here
    pcapng.toSkip -= here
    if pcapng.toSkip > 0 { return .needs(min(pcapng.toSkip, BlockBuffer.block)) }
    guard let total = pcapng.closing else { return .passed }
    guard buffer.count >= 4 else { return .needs(4) }
    guard pcapng.order.u32(UnsafeRawPointer(buffer.base + buffer.at), 0) == total else {
      return .damaged("the two lengths of a block differ")
    }
    buffer.at += 4
    pcapng.closing = nil
    return .passed
  }

  private mutating func openSection(_ block: UnsafeRawPointer, _ total: Int) -> Step {
    guard total >= 28 else { return .damaged("a section header is too short") }
    let major = pcapng.order.u16(block, 12)
    guard major == 1 else { return .damaged("pcapng of version \(major).\(pcapng.order.u16(block, 14)) is unknown") }
    guard pcapng.order.options(block, from: 24, to: total - 4, { _, _ in }) else {
      return .damaged("an option of a section header runs over its end")
    }
    pcapng.sections += 1
    pcapng.interfaces = []
    return .passed
  }

  private mutating func openInterface(_ block: UnsafeRawPointer, _ total: Int) throws(CaptureError) -> Step {
    guard pcapng.sections > 0 else { return .damaged("an interface stands before the first section") }
    guard total >= 20 else { return .damaged("the description of an interface is too short") }
    guard pcapng.interfaces.count < PcapngState.interfaceLimit else {
      return .damaged("a section has more than \(PcapngState.interfaceLimit) interfaces")
    }
    var name = ""
    var resolution: UInt8 = 6
    var secondsToAdd: Int64 = 0
    let order = pcapng.order
    let fits = order.options(block, from: 16, to: total - 4) { code, value in
      switch code {
      case 2: name = WireText(value).untilNUL.display
      case 9: resolution = value.first ?? resolution
      case 14: secondsToAdd = order.number(value).map(Int64.init(bitPattern:)) ?? 0
      default: break
      }
    }
    guard fits else { return .damaged("an option of an interface runs over its end") }
    var interface = PcapngState.Interface()
    interface.link = LinkType.fromFile(UInt32(pcapng.order.u16(block, 8)))
    interface.snapLength = Int(pcapng.order.u32(block, 12))
    interface.limit = FileReader.limit(snapLength: interface.snapLength)
    pcapng.largestLimit = max(pcapng.largestLimit, interface.limit)
    interface.clock = PcapngClock(resolution: resolution, secondsToAdd: secondsToAdd)
    guard let index = place(of: name, interface.link) else {
      return .damaged("the file has more than \(PcapngState.interfaceLimit) interfaces")
    }
    interface.index = index
    note(interface.link, snapLength: interface.snapLength)
    interface.filterPlace = filter?.place(for: interface.link) ?? -1
    pcapng.interfaces.append(interface)
    return .passed
  }

  /// The place of an interface in the file: that of the same one in an earlier section, else a new one.
  private mutating func place(of name: String, _ link: LinkType) -> Int? {
    var taken = Set(pcapng.interfaces.map(\.index))
    for place in pcapng.names.indices where pcapng.names[place] == name && pcapng.links[place] == link {
      if taken.insert(place).inserted { return place }
    }
    guard pcapng.names.count < PcapngState.interfaceLimit else { return nil }
    pcapng.names.append(name)
    pcapng.links.append(link)
    pcapng.counted.append(nil)
    return pcapng.names.count - 1
  }

  private mutating func readStatistics(_ block: UnsafeRawPointer, _ total: Int) -> Step {
    guard total >= 24 else { return .damaged("a statistics block is too short") }
    let id = Int(pcapng.order.u32(block, 8))
    guard id < pcapng.interfaces.count else { return .damaged("statistics of interface \(id), which the section does not have") }
    var lost: Int?
    let order = pcapng.order
    let fits = order.options(block, from: 20, to: total - 4) { code, value in
      guard code == 5 || code == 7, let count = order.number(value) else { return }
      // Unsigned and foreign: sums of a few stay inside an integer.
      lost = (lost ?? 0) + Int(min(count, 1 << 60))
    }
    guard fits else { return .damaged("an option of a statistics block runs over its end") }
    let place = pcapng.interfaces[id].index
    // They are totals since the capture began: the last word counts.
    if let lost, place < pcapng.counted.count { pcapng.counted[place] = lost }
    return .passed
  }

  /// An enhanced, simple or old packet block, whole in the buffer.
  private mutating func readPacket(
    _ type: UInt32, _ block: UnsafeRawPointer, _ total: Int, _ body: (borrowing Frame) -> Void
  ) throws(CaptureError) -> Step {
    let isSimple = type == 3
    let start = isSimple ? 12 : 28
    guard total >= start + 4 else { return .damaged("a packet block is too short") }
    let id = isSimple ? 0 : type == 2 ? Int(pcapng.order.u16(block, 8)) : Int(pcapng.order.u32(block, 8))
    guard id < pcapng.interfaces.count else { return .damaged("a packet of interface \(id), which the section does not have") }
    let interface = pcapng.interfaces[id]
    let space = total - start - 4
    var kept: Int
    let wire: Int
    if isSimple {
      wire = Int(pcapng.order.u32(block, 8))
      kept = min(wire, interface.snapLength > 0 ? interface.snapLength : wire)
    } else {
      kept = Int(pcapng.order.u32(block, 20))
      wire = Int(pcapng.order.u32(block, 24))
    }
    guard kept <= interface.limit else { return .damaged("a packet says that \(kept) bytes were captured, more than any frame has") }
    guard kept <= space else { return .damaged("a packet says that \(kept) bytes were captured, its block has room for \(space)") }

    var time = pcapng.lastTime
    var direction = Direction.unknown
    if isSimple {
      facts.framesWithoutTime += 1
    } else {
      let ticks = UInt64(pcapng.order.u32(block, 12)) << 32 | UInt64(pcapng.order.u32(block, 16))
      if let known = interface.clock.time(ticks) {
        time = known
        pcapng.lastTime = known
      } else {
        facts.framesWithoutTime += 1
      }
      if type == 2, pcapng.order.u16(block, 10) != 0xffff { pcapng.lostBetween += Int(pcapng.order.u16(block, 10)) }
      let order = pcapng.order
      var lost: UInt64 = 0
      let fits = order.options(block, from: start + (kept + 3) / 4 * 4, to: total - 4) { code, value in
        switch code {
        case 2 where value.count >= 4:
          guard let flags = value.baseAddress.map({ order.u32($0, 0) }) else { return }
          direction = flags & 3 == 1 ? .received : flags & 3 == 2 ? .sent : .unknown
        case 4: lost = order.number(value) ?? 0
        default: break
        }
      }
      guard fits else { return .damaged("an option of a packet runs over its end") }
      pcapng.lostBetween = min(pcapng.lostBetween, 1 << 60) + Int(min(lost, 1 << 60))
    }
    if number == 0 { try filter?.check() }
    number += 1
    let bytes = block + start
    if interface.filterPlace >= 0, filter?.passes(interface.filterPlace, bytes, captured: kept, wireLength: wire) == false { return .lent }
    body(
      Frame(
        number: number, time: time, interface: interface.index, link: interface.link, wireLength: wire, direction: direction,
        bytes: UnsafeRawBufferPointer(start: bytes, count: kept).bytes))
    return .lent
  }
}
