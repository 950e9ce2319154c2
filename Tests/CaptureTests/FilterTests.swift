import CPcap
import Testing
import Wire

@testable import Capture

@Suite("filters")
struct FilterTests {
  /// An IP packet over Ethernet with the given protocol and destination port.
  static func packet(_ number: UInt8, port: UInt16, length: Int, v6: Bool = false, source: UInt16 = 50_000) -> [UInt8] {
    var out = ByteWriter()
    out.append(ethernet(14, type: v6 ? 0x86dd : 0x0800))
    if v6 {
      out.u32(0x6000_0000)
      out.u16(UInt16(length - 54))
      out.u8(number)
      out.u8(64)
      out.zeros(32)
    } else {
      out.u8(0x45)
      out.u8(0)
      out.u16(UInt16(length - 14))
      out.u32(0)
      out.u8(64)
      out.u8(number)
      out.u16(0)
      out.u32(0x0a00_0001)
      out.u32(0x0a00_0002)
    }
    out.u16(source)
    out.u16(port)
    out.pad(to: length)
    return out.bytes
  }

  /// How many bytes our cutting filter, behind a user's, keeps of a frame.
  static func kept(_ frame: [UInt8], filter: String? = nil) throws -> Int {
    var lines: [bpf_insn] = []
    if let filter {
      let dead = pcap_open_dead(DLT_EN10MB, 262_144)
      defer { pcap_close(dead) }
      var program = try Filter.compile(filter, on: dead)
      lines = Filter.lines(of: program)
      pcap_freecode(&program)
    }
    lines = Filter.joined(lines, with: Filter.cutting)
    return lines.withUnsafeMutableBufferPointer { buffer in
      #expect(bpf_validate(buffer.baseAddress, Int32(buffer.count)) == 1)
      var program = bpf_program(bf_len: UInt32(buffer.count), bf_insns: buffer.baseAddress)
      return frame.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress else { return -1 }
        return Filter.run(&program, start, captured: bytes.count, wireLength: bytes.count)
      }
    }
  }

  @Test("TCP and QUIC are cut to 128 bytes, everything else stays whole")
  func cutting() throws {
    let whole = 262_144
    let long = 600
    #expect(try FilterTests.kept(FilterTests.packet(6, port: 80, length: long)) == 128)
    #expect(try FilterTests.kept(FilterTests.packet(6, port: 80, length: long, v6: true)) == 128)
    #expect(try FilterTests.kept(FilterTests.packet(17, port: 443, length: long)) == 128)
    #expect(try FilterTests.kept(FilterTests.packet(17, port: 9, length: long, source: 443)) == 128)
    #expect(try FilterTests.kept(FilterTests.packet(17, port: 5353, length: long)) == whole)
    #expect(try FilterTests.kept(FilterTests.packet(17, port: 5353, length: long, v6: true)) == whole)
    #expect(try FilterTests.kept(FilterTests.packet(1, port: 443, length: long)) == whole)
    #expect(try FilterTests.kept(ethernet(600)) == whole)
    #expect(try FilterTests.kept(ethernet(600, type: 0x0806)) == whole)
  }

  @Test("a frame too short for its headers is kept, not lost")
  func short() throws {
    for length in 14...128 {
      #expect(try FilterTests.kept(Array(FilterTests.packet(17, port: 443, length: 200).prefix(length))) >= length)
      #expect(try FilterTests.kept(Array(FilterTests.packet(6, port: 80, length: 200).prefix(length))) >= length)
    }
  }

  @Test("the user's filter is honoured, and what it lets through is cut")
  func joined() throws {
    let tcp = FilterTests.packet(6, port: 80, length: 600)
    let mdns = FilterTests.packet(17, port: 5353, length: 600)
    #expect(try FilterTests.kept(tcp, filter: "tcp port 80") == 128)
    #expect(try FilterTests.kept(tcp, filter: "tcp port 81") == 0)
    #expect(try FilterTests.kept(mdns, filter: "tcp port 80") == 0)
    #expect(try FilterTests.kept(mdns, filter: "udp or (tcp and host 10.0.0.1 and not port 22)") == 262_144)
    #expect(try FilterTests.kept(tcp, filter: "udp or (tcp and host 10.0.0.1 and not port 22)") == 128)
    #expect(try FilterTests.kept(tcp, filter: "") == 128)
    #expect(try FilterTests.kept(tcp, filter: "greater 601") == 0)
  }

  @Test("a file's frames are filtered and keep their numbers")
  func files() {
    var file = FileBytes.pcap()
    file.record(FilterTests.packet(6, port: 80, length: 80))
    file.record(FilterTests.packet(17, port: 53, length: 80))
    file.record(FilterTests.packet(6, port: 443, length: 80))
    let read = Outcome(file.bytes, filter: "tcp")
    #expect(read.frames.map(\.number) == [1, 3])
    #expect(read.status.frames == 3)
    #expect(Outcome(file.bytes, filter: "").frames.count == 3)
    #expect(Outcome(file.bytes, filter: "len > 1000").frames.isEmpty)
  }

  @Test("a filter is compiled for each link type of a file")
  func linkTypes() {
    var file = FileBytes.pcapng()
    file.interface(link: 1)
    file.interface(link: 101)
    let packet = FilterTests.packet(6, port: 80, length: 80)
    file.packet(packet)
    file.packet(Array(packet.dropFirst(14)), interface: 1)
    file.packet(ethernet(60))
    #expect(Outcome(file.bytes, filter: "tcp port 80").frames.map(\.number) == [1, 2])
    // What makes sense on one of them alone lets nothing of the other pass.
    #expect(Outcome(file.bytes, filter: "ether broadcast").frames.map(\.number) == [1, 3])
  }

  @Test("a bad filter is a usage error in libpcap's words")
  func bad() {
    for bytes in [SourceTests.sample().bytes, FileBytes.pcap().bytes] {
      let error = Outcome(bytes, filter: "tcp prot 80").error
      #expect(error?.exitStatus == 64)
      #expect(error?.what.contains("syntax error") == true)
    }
    #expect(Outcome(SourceTests.sample().bytes, filter: "type mgt").error?.exitStatus == 64)
    #expect(Outcome(SourceTests.sample().bytes, filter: "tcp\0").error?.exitStatus == 64)
    var ng = FileBytes.pcapng()
    ng.interface()
    ng.packet(ethernet())
    #expect(Outcome(ng.bytes, filter: "nonsense (").error?.exitStatus == 64)
  }
}

@Suite("writing")
struct FrameWriterTests {
  func lend(_ bytes: [UInt8], link: LinkType = .ethernet, time: Int64 = 1_700_000_000_123_456_789, _ body: (borrowing Frame) throws -> Void)
    rethrows
  {
    try bytes.withUnsafeBytes {
      try body(Frame(number: 1, time: Timestamp(nanoseconds: time), interface: 0, link: link, wireLength: 2000, bytes: $0.bytes))
    }
  }

  @Test("what is written is read again, to the nanosecond")
  func roundTrip() throws {
    let scratch = Scratch()
    let path = "\(scratch.path)/out.pcap"
    var writer = try FrameWriter(path: path)
    for link in [60, 61, 62] { try lend(ethernet(link)) { try writer.write($0) } }
    try writer.finish()
    let read = Outcome(path: path)
    #expect(read.bytes == [ethernet(60), ethernet(61), ethernet(62)])
    #expect(read.times == [Int64](repeating: 1_700_000_000_123_456_789, count: 3))
    #expect(read.frames.map(\.wireLength) == [2000, 2000, 2000])
    #expect(writer.count == 3)
  }

  @Test("raw IP keeps its registered number, and no frames make a header")
  func headers() throws {
    let scratch = Scratch()
    var raw = try FrameWriter(path: "\(scratch.path)/raw")
    try lend([0x45], link: .raw) { try raw.write($0) }
    try raw.finish()
    #expect(Outcome(path: "\(scratch.path)/raw").status.linkTypes == [.raw])
    var none = try FrameWriter(path: "\(scratch.path)/none")
    try none.finish()
    #expect(Outcome(path: "\(scratch.path)/none").error == nil)
  }

  @Test("a second link type is refused")
  func secondLinkType() throws {
    let scratch = Scratch()
    var writer = try FrameWriter(path: "\(scratch.path)/out")
    try lend(ethernet()) { try writer.write($0) }
    do {
      try lend(ethernet(), link: .raw) { try writer.write($0) }
      Issue.record("it was written")
    } catch let error as CaptureError {
      #expect(error.exitStatus == 65)
      #expect(error.what.contains("EN10MB"))
    }
    #expect(writer.count == 1)
  }

  @Test("a file that cannot be written is known at once, a full disk at the end")
  func failures() throws {
    do {
      _ = try FrameWriter(path: "/nonexistent/x")
      Issue.record("it was opened")
    } catch { #expect(error.exitStatus == 74) }
    var writer = try FrameWriter(path: "/dev/full")
    try lend(ethernet()) { try writer.write($0) }
    do {
      try writer.finish()
      Issue.record("it was written")
    } catch { #expect(error.exitStatus == 74) }
  }
}
