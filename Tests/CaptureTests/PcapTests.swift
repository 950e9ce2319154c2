import Capture
import Testing
import Wire

@Suite("pcap")
struct PcapTests {
  let second: Int64 = 1_700_000_000_000_000_000

  @Test("both byte orders and both units say the same", arguments: [false, true], [0xa1b2_c3d4, 0xa1b2_3c4d])
  func variants(big: Bool, magic: Int) {
    let isNano = magic == 0xa1b2_3c4d
    var file = FileBytes.pcap(big: big, magic: magic)
    file.record(ethernet(60), fraction: isNano ? 5_000 : 5)
    file.record(ethernet(64, seed: 3), fraction: isNano ? 999_999_000 : 999_999, wire: 1514)
    let read = Outcome(file.bytes)
    #expect(read.error == nil)
    #expect(read.times == [second + 5_000, second + 999_999_000])
    #expect(read.bytes == [ethernet(60), ethernet(64, seed: 3)])
    #expect(read.frames.map(\.wireLength) == [60, 1514])
    #expect(read.frames.map(\.number) == [1, 2])
    #expect(read.status.linkTypes == [.ethernet])
    #expect(read.status.snapLength == 262_144)
    #expect(read.status.damage == nil)
    #expect(read.status.bytesRead == file.bytes.count)
    #expect(read.status.fileSize == file.bytes.count)
    #expect(read.status.dropped == nil)
    #expect(read.status.format == "pcap")
  }

  @Test("the modified format has eight, twelve or no bytes more in each record", arguments: [8, 12, 0])
  func modified(extra: Int) {
    var file = FileBytes.pcap(magic: 0xa1b2_cd34)
    // Interface, protocol, packet type (outgoing), padding.
    var more: [UInt8] = [2, 0, 0, 0, 0, 8, 4, 0, 0, 0, 0, 0]
    more = Array(more.prefix(extra))
    for seed in 0..<5 { file.record(ethernet(60 + seed, seed: seed), fraction: seed, extra: more) }
    let read = Outcome(file.bytes)
    #expect(read.bytes == (0..<5).map { ethernet(60 + $0, seed: $0) })
    #expect(read.frames.allSatisfy { $0.direction == (extra == 0 ? .unknown : .sent) })
    #expect(read.status.damage == nil)
  }

  @Test("files before version 2.3 have the two lengths the other way round")
  func oldVersions() {
    var file = FileBytes.pcap(minor: 2)
    file.record(ethernet(60), kept: 1514, wire: 60)
    let read = Outcome(file.bytes)
    #expect(read.bytes == [ethernet(60)])
    #expect(read.frames.map(\.wireLength) == [1514])
    #expect(Outcome(FileBytes.pcap(major: 1).bytes).error?.exitStatus == 65)
    #expect(Outcome(FileBytes.pcap(major: 3).bytes).error?.what.contains("version 3.4") == true)
  }

  @Test("the link type is the low half of its field, and memory numbers become registered ones")
  func linkTypes() {
    #expect(Outcome(FileBytes.pcap(link: 0x2400_0001).bytes).status.linkTypes == [.ethernet])
    #expect(Outcome(FileBytes.pcap(link: 12).bytes).status.linkTypes == [.raw])
    #expect(Outcome(FileBytes.pcap(link: 14).bytes).status.linkTypes == [.raw])
    #expect(Outcome(FileBytes.pcap(link: 147).bytes).status.linkTypes == [LinkType(147)])
    #expect(Outcome(FileBytes.pcap(link: 0x0fff_ffff).bytes).status.linkTypes == [LinkType(0xffff)])
  }

  @Test("a header without frames is no error")
  func headerOnly() {
    let read = Outcome(FileBytes.pcap().bytes)
    #expect(read.error == nil)
    #expect(read.frames.isEmpty)
    #expect(read.status.damage == nil)
  }

  @Test("a file that is cut gives every whole frame and says where it ends")
  func cut() {
    var file = FileBytes.pcap()
    file.record(ethernet(60))
    let one = file.bytes.count
    file.record(ethernet(70))
    for length in 24..<file.bytes.count {
      let read = Outcome(Array(file.bytes.prefix(length)))
      #expect(read.error == nil)
      #expect(read.frames.count == (length < one ? 0 : 1))
      #expect(read.status.endsInsideRecord == (length != 24 && length != one))
      #expect(read.status.damage?.afterFrame == (length == 24 || length == one ? nil : length < one ? 0 : 1))
    }
  }

  @Test("a file that ends in its header is no capture")
  func headerCut() {
    for length in 4..<24 {
      let error = Outcome(Array(FileBytes.pcap().bytes.prefix(length))).error
      #expect(error?.exitStatus == 65)
      #expect(error?.what.contains("ends inside its file header") == true)
    }
    #expect(Outcome([]).error?.what == "is empty")
    #expect(Outcome([]).error?.exitStatus == 65)
  }

  @Test("no frame has more bytes than any frame can have", arguments: [262_145, 300_000, 4_294_967_280])
  func impossibleLength(kept: Int) {
    var file = FileBytes.pcap()
    file.record(ethernet(60))
    file.record([UInt8](repeating: 0, count: 400_000), kept: kept, wire: 400_000)
    let read = Outcome(file.bytes)
    #expect(read.frames.count == 1)
    #expect(read.status.damage?.afterFrame == 1)
    #expect(read.status.endsInsideRecord == false)
    #expect(read.status.damage?.what.contains("\(kept)") == true)
  }

  @Test("unless the file says that it keeps more")
  func largeSnapLength() {
    var file = FileBytes.pcap(snapLength: 3_000_000)
    let large = (0..<2_500_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    file.record(ethernet(60))
    file.record(large)
    file.record(ethernet(61))
    let read = Outcome(file.bytes)
    #expect(read.frames.map(\.bytes.count) == [60, 2_500_000, 61])
    #expect(read.frames.dropFirst().first?.bytes == large)
    // A snap length beyond belief is not believed.
    var wild = FileBytes.pcap(snapLength: 0xffff_ffff)
    wild.record(ethernet(60), kept: 300_000)
    #expect(Outcome(wild.bytes).status.damage != nil)
    #expect(Outcome(FileBytes.pcap(snapLength: 0).bytes).status.snapLength == nil)
  }

  @Test("lengths that contradict each other lose nothing")
  func oddLengths() {
    var file = FileBytes.pcap()
    file.record(ethernet(60), wire: 10)
    file.record([], wire: 60)
    file.record(ethernet(60), wire: 0xffff_ffff)
    let read = Outcome(file.bytes)
    #expect(read.frames.map(\.wireLength) == [60, 60, 0xffff_ffff])
    #expect(read.frames.map(\.bytes.count) == [60, 0, 60])
  }

  @Test("impossible times are counted and stay harmless")
  func times() {
    var file = FileBytes.pcap()
    file.record(ethernet(), seconds: 0xffff_ffff)
    file.record(ethernet(), seconds: 0x8000_0000)
    file.record(ethernet(), fraction: -1)
    file.record(ethernet(), fraction: 5_000_000)
    file.record(ethernet(), seconds: 5, fraction: 1)
    let read = Outcome(file.bytes)
    #expect(
      read.times == [
        4_294_967_295_000_000_000, 2_147_483_648_000_000_000, second + 999_999_000, second + 999_999_000, 5_000_001_000,
      ])
    #expect(read.status.framesWithoutTime == 2)
  }

  @Test("frames that lie across the blocks of the reader arrive whole", arguments: [1, 256, 100_000])
  func acrossBlocks(atMost: Int) throws {
    var file = FileBytes.pcap()
    var expected: [Int] = []
    var length = 14
    while file.bytes.count < 1_500_000 {
      length = (length &* 31 &+ 17) % 9000
      file.record(ethernet(length, seed: length))
      expected.append(length)
    }
    let scratch = Scratch()
    var source = try CaptureFile(path: scratch.file("f", file.bytes))
    let read = try readAll(&source, atMost: atMost)
    #expect(read.map(\.bytes.count) == expected)
    #expect(read.allSatisfy { $0.bytes == ethernet($0.bytes.count, seed: $0.bytes.count) })
    #expect(source.status.frames == expected.count)
    #expect(try source.drain(atMost: 5) { _ in } == .end)
  }

  @Test("whatever byte is changed, reading ends")
  func everyByte() {
    var file = FileBytes.pcap()
    file.record(ethernet(20))
    file.record(ethernet(16))
    for place in file.bytes.indices {
      for value: UInt8 in [0, 1, 0x7f, 0x80, 0xfe, 0xff] {
        var bytes = file.bytes
        bytes[place] = value
        #expect(Outcome(bytes).frames.count <= 5)
      }
    }
  }
}
