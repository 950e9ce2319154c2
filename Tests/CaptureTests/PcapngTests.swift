import Capture
import Testing
import Wire

@Suite("pcapng")
struct PcapngTests {
  let second: Int64 = 1_700_000_000_000_000_000

  @Test("two interfaces with different link types and names", arguments: [false, true])
  func twoLinkTypes(big: Bool) {
    var file = FileBytes.pcapng(big: big)
    file.interface(link: 1, snapLength: 65_535) { $0.option(2, Array("eth0".utf8)) }
    file.interface(link: 113) { $0.option(2, Array("any".utf8)) }
    file.packet(ethernet(60), interface: 0)
    file.packet(ethernet(61), interface: 1, wire: 90)
    file.packet(ethernet(62), interface: 0)
    let read = Outcome(file.bytes)
    #expect(read.frames.map(\.link) == [.ethernet, .linuxSLL, .ethernet])
    #expect(read.frames.map(\.interface) == [0, 1, 0])
    #expect(read.bytes == [ethernet(60), ethernet(61), ethernet(62)])
    #expect(read.frames.map(\.wireLength) == [60, 90, 62])
    #expect(read.times == [second, second, second])
    #expect(read.status.linkTypes == [.ethernet, .linuxSLL])
    #expect(read.status.interfaceNames == ["eth0", "any"])
    #expect(read.status.snapLength == 65_535)
    #expect(read.status.damage == nil)
    #expect(read.status.format == "pcapng")
  }

  @Test("a new section has its own byte order and its own interfaces, and knows old ones again")
  func sections() {
    var file = FileBytes.pcapng()
    file.interface { $0.option(2, Array("eth0".utf8)) }
    file.interface { $0.option(2, Array("eth1".utf8)) }
    file.packet(ethernet(60), interface: 1)
    file.section(big: true)
    file.interface { $0.option(2, Array("eth1".utf8)) }
    file.interface(link: 101)
    file.packet(ethernet(61), interface: 0)
    file.packet(ethernet(62), interface: 1)
    let read = Outcome(file.bytes)
    #expect(read.frames.map(\.interface) == [1, 1, 2])
    #expect(read.frames.map(\.link) == [.ethernet, .ethernet, .raw])
    #expect(read.status.interfaceNames == ["eth0", "eth1", ""])
    #expect(read.status.damage == nil)
  }

  struct Clock: Sendable {
    var resolution: UInt8
    var toAdd: UInt64
    var ticks: UInt64
    var expected: Int64

    init(_ resolution: UInt8, _ toAdd: UInt64, _ ticks: UInt64, _ expected: Int64) {
      self.resolution = resolution
      self.toAdd = toAdd
      self.ticks = ticks
      self.expected = expected
    }
  }

  static let clocks: [Clock] = [
    Clock(6, 0, 1_700_000_000_000_005, 1_700_000_000_000_005_000),
    Clock(9, 0, 1_700_000_000_000_000_007, 1_700_000_000_000_000_007),
    Clock(0, 0, 1_700_000_000, 1_700_000_000_000_000_000),
    Clock(12, 0, 5_000_000_123_000, 5_000_000_123),
    Clock(0x80 | 10, 0, 1_740_800_000_512, 1_700_000_000_500_000_000),
    Clock(0x80 | 32, 0, 7301444405347483648, 1_700_000_000_500_000_000),
    Clock(0x80 | 63, 0, 0x4000_0000_0000_0000, 500_000_000),
    Clock(0x80 | 64, 0, 0x8000_0000_0000_0000, 500_000_000),
    Clock(0x80 | 127, 0, 0xffff_ffff_ffff_ffff, 0),
    Clock(127, 0, 0xffff_ffff_ffff_ffff, 0),
    Clock(20, 0, 0xffff_ffff_ffff_ffff, 184_467_440),
    Clock(6, 1_600_000_000, 100_000_000_000_000, 1_700_000_000_000_000_000),
    Clock(6, 0xffff_ffff_ffff_ff9c, 200_000_000, 100_000_000_000),
  ]

  @Test("ticks are of any size", arguments: clocks)
  func ticks(clock: Clock) {
    var file = FileBytes.pcapng()
    file.interface {
      $0.option(9, [clock.resolution])
      $0.option(14, clock.toAdd)
    }
    file.packet(ethernet(), ticks: clock.ticks)
    #expect(Outcome(file.bytes).times == [clock.expected])
  }

  @Test("times that cannot be keep the time before and are counted")
  func impossibleTimes() {
    var file = FileBytes.pcapng()
    file.interface()
    file.interface { $0.option(14, UInt64(Int64.max)) }
    file.interface { $0.option(14, UInt64(bitPattern: -5_000_000_000)) }
    file.packet(ethernet())
    file.packet(ethernet(), ticks: .max)
    file.packet(ethernet(), interface: 1)
    file.packet(ethernet(), interface: 2)
    let read = Outcome(file.bytes)
    #expect(read.times == [second, second, second, second])
    #expect(read.status.framesWithoutTime == 3)
  }

  @Test("simple and old packet blocks")
  func otherPackets() {
    var file = FileBytes.pcapng()
    file.interface(snapLength: 64)
    file.packet(ethernet(60))
    file.block(3) {
      $0.u32(1514)
      $0.append(ethernet(64))
    }
    file.block(3) {
      $0.u32(33)
      $0.append(ethernet(33))
    }
    file.block(2) {
      $0.u16(0)
      $0.u16(4)
      $0.u32(Int(UInt64(1_700_000_001_000_000) >> 32))
      $0.u32(Int(UInt64(1_700_000_001_000_000) & 0xffff_ffff))
      $0.u32(21)
      $0.u32(99)
      $0.append(ethernet(21))
    }
    let read = Outcome(file.bytes)
    #expect(read.bytes == [ethernet(60), ethernet(64), ethernet(33), ethernet(21)])
    #expect(read.frames.map(\.wireLength) == [60, 1514, 33, 99])
    #expect(read.times == [second, second, second, second + 1_000_000_000])
    #expect(read.status.framesWithoutTime == 2)
    #expect(read.status.dropped == 4)
  }

  @Test("the flags of a packet say which way it went")
  func directions() {
    var file = FileBytes.pcapng(big: true)
    file.interface()
    for flags in [0, 1, 2, 3] {
      file.packet(ethernet(61)) {
        $0.option(1, Array("a comment".utf8))
        var inner = FileBytes(isBig: true)
        inner.u32(0xff00 | flags)
        $0.option(2, inner.bytes)
        $0.u32(0)
      }
    }
    let read = Outcome(file.bytes)
    #expect(read.frames.map(\.direction) == [.unknown, .received, .sent, .unknown])
    #expect(read.bytes == [[UInt8]](repeating: ethernet(61), count: 4))
  }

  @Test("losses are what the statistics last said, over all interfaces")
  func losses() {
    var file = FileBytes.pcapng()
    file.interface()
    file.interface(link: 113)
    #expect(Outcome(file.bytes).status.dropped == nil)
    file.statistics { $0.option(7, 3) }
    file.statistics {
      $0.option(4, 1000)
      $0.option(5, 2)
      $0.option(7, 5)
    }
    file.statistics(interface: 1) { $0.option(7, 10) }
    #expect(Outcome(file.bytes).status.dropped == 17)
    file.statistics(interface: 1) { $0.option(7, .max) }
    #expect(Outcome(file.bytes).status.dropped ?? 0 > 1 << 50)
  }

  @Test("other blocks are passed over, however long")
  func unknownBlocks() {
    var file = FileBytes.pcapng()
    file.block(0x0bad) { $0.writer.zeros(700_001) }
    file.interface()
    file.packet(ethernet(60))
    file.block(4) { $0.writer.zeros(3) }
    file.block(0x4000_0bad) { _ in }
    file.packet(ethernet(61))
    let read = Outcome(file.bytes)
    #expect(read.bytes == [ethernet(60), ethernet(61)])
    #expect(read.status.damage == nil)
  }

  @Test("names are cleaned, and cut at their NUL")
  func names() {
    var file = FileBytes.pcapng()
    file.interface { $0.option(2, Array("a\u{1b}[2J\0b".utf8)) }
    #expect(Outcome(file.bytes).status.interfaceNames == ["a\\u{1b}[2J"])
  }

  @Test("no interface, the wrong interface, lengths that cannot be: damage after the frames before")
  func damage() {
    func broken(_ more: (inout FileBytes) -> Void) -> Outcome {
      var file = FileBytes.pcapng()
      file.interface()
      file.packet(ethernet(60))
      more(&file)
      file.packet(ethernet(61))
      return Outcome(file.bytes)
    }
    func raw(_ type: Int, _ total: Int, _ body: Int, _ end: Int) -> (inout FileBytes) -> Void {
      {
        $0.u32(type)
        $0.u32(total)
        $0.writer.zeros(body)
        $0.u32(end)
      }
    }
    let cases: [(String, (inout FileBytes) -> Void)] = [
      ("wrong interface", { $0.packet(ethernet(60), interface: 1) }),
      ("a section without interfaces", { $0.section() }),
      ("length 0", raw(6, 0, 40, 0)),
      ("length 8", raw(6, 8, 40, 8)),
      ("length 13", raw(4, 13, 4, 13)),
      ("length fffffff0", raw(4, 0xffff_fff0, 40, 0)),
      ("a packet block of fffffff0", raw(6, 0xffff_fff0, 40, 0)),
      ("two lengths", raw(6, 32, 20, 36)),
      ("two lengths of a block passed over", raw(9, 32, 20, 36)),
      ("more captured than there is", { $0.packet(ethernet(60), kept: 61 + 4) }),
      ("more captured than can be", { $0.packet(ethernet(60), kept: 4_294_967_280) }),
      ("a short packet block", raw(6, 16, 4, 16)),
      ("a short simple block", raw(3, 12, 0, 12)),
      ("a short interface", raw(1, 12, 0, 12)),
      ("a short section", raw(0x0a0d_0d0a, 12, 0, 12)),
      ("an option beyond its block", { $0.packet(ethernet(60)) { $0.u32(0x00ff_0002) } }),
      ("statistics of nobody", { $0.statistics(interface: 7) { _ in } }),
    ]
    for (what, more) in cases {
      let read = broken(more)
      #expect(read.error == nil, "\(what)")
      #expect(read.frames.count == 1, "\(what)")
      #expect(read.status.damage?.afterFrame == 1, "\(what)")
    }
    #expect(broken(raw(4, 0xffff_fff0, 40, 0)).status.endsInsideRecord)
  }

  @Test("a first section that makes no sense is no capture")
  func badSection() {
    var file = FileBytes()
    file.u32(0x0a0d_0d0a)
    file.u32(28)
    file.writer.zeros(20)
    file.u32(28)
    #expect(Outcome(file.bytes).error?.exitStatus == 65)
    #expect(Outcome(Array(FileBytes.pcapng().bytes.prefix(20))).error?.exitStatus == 65)
    var version = FileBytes.pcapng().bytes
    version[12] = 2
    #expect(Outcome(version).error?.what.contains("version 2.0") == true)
  }

  @Test("the number of interfaces has a ceiling")
  func manyInterfaces() {
    var file = FileBytes.pcapng()
    for _ in 0..<1100 { file.interface() }
    #expect(Outcome(file.bytes).status.damage?.what.contains("1024 interfaces") == true)
    file = FileBytes.pcapng()
    for round in 0..<1100 {
      file.section()
      file.interface { $0.option(2, Array("if\(round)".utf8)) }
    }
    #expect(Outcome(file.bytes).status.damage?.what.contains("1024 interfaces") == true)
  }

  @Test("every prefix gives the frames in it, and every changed byte an end")
  func prefixesAndBytes() {
    var file = FileBytes.pcapng()
    file.interface {
      $0.option(2, Array("eth0".utf8))
      $0.option(9, [9])
    }
    file.packet(ethernet(20))
    file.block(9) { $0.writer.zeros(8) }
    file.packet(ethernet(17)) { $0.option(2, [1, 0, 0, 0]) }
    file.statistics { $0.option(7, 3) }
    var before = 0
    for length in 28...file.bytes.count {
      let read = Outcome(Array(file.bytes.prefix(length)))
      #expect(read.error == nil)
      #expect(read.frames.count >= before)
      before = read.frames.count
    }
    #expect(before == 2)
    for place in file.bytes.indices {
      for value: UInt8 in [0, 1, 0x7f, 0x80, 0xff] {
        var bytes = file.bytes
        bytes[place] = value
        #expect(Outcome(bytes).frames.count <= 2)
      }
    }
  }

  @Test("frames that lie across the blocks of the reader arrive whole")
  func acrossBlocks() {
    var file = FileBytes.pcapng()
    file.interface()
    var expected: [Int] = []
    var length = 14
    while file.bytes.count < 1_200_000 {
      length = (length &* 31 &+ 17) % 9000
      file.packet(ethernet(length, seed: length))
      expected.append(length)
    }
    let read = Outcome(file.bytes)
    #expect(read.frames.map(\.bytes.count) == expected)
    #expect(read.frames.allSatisfy { $0.bytes == ethernet($0.bytes.count, seed: $0.bytes.count) })
  }
}
