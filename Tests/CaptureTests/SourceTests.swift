import CZlib
import Capture
import Glibc
import Testing
import Wire

/// gzip of some bytes, as one member.
func gzip(_ bytes: [UInt8]) -> [UInt8] {
  var stream = z_stream()
  guard deflateInit2_(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
  else { return [] }
  defer { deflateEnd(&stream) }
  var input = bytes
  var out = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))) + 64)
  let room = out.count
  let made = input.withUnsafeMutableBufferPointer { input in
    out.withUnsafeMutableBufferPointer { output in
      stream.next_in = input.baseAddress
      stream.avail_in = UInt32(input.count)
      stream.next_out = output.baseAddress
      stream.avail_out = UInt32(room)
      deflate(&stream, Z_FINISH)
      return room - Int(stream.avail_out)
    }
  }
  return Array(out.prefix(made))
}

@Suite("where a capture file's bytes come from")
struct SourceTests {
  static func sample(_ frames: Int = 3) -> FileBytes {
    var file = FileBytes.pcap()
    for seed in 0..<frames { file.record(ethernet(60 + seed % 1000, seed: seed)) }
    return file
  }

  @Test("gzip of either format, in one member or several")
  func compressed() {
    let bytes = SourceTests.sample(2000).bytes
    let whole = Outcome(gzip(bytes))
    #expect(whole.frames == Outcome(bytes).frames)
    #expect(whole.status.format == "gzip pcap")
    #expect(whole.status.bytesRead == whole.status.fileSize)
    let cut = bytes.count / 3
    let members = gzip(Array(bytes.prefix(cut))) + gzip([]) + gzip(Array(bytes.dropFirst(cut)))
    #expect(Outcome(members).frames == whole.frames)
    #expect(Outcome(members + [0, 0, 0, 0]).frames == whole.frames)
    #expect(Outcome(members + [0, 0, 0, 0]).status.damage == nil)
    var ng = FileBytes.pcapng()
    ng.interface()
    ng.packet(ethernet())
    #expect(Outcome(gzip(ng.bytes)).bytes == [ethernet()])
  }

  @Test("gzip that is cut or damaged gives what comes before")
  func damagedGzip() {
    let bytes = SourceTests.sample(3000).bytes
    let packed = gzip(bytes)
    let cut = Outcome(Array(packed.prefix(packed.count - 100)))
    #expect(cut.error == nil)
    #expect(!cut.frames.isEmpty)
    #expect(cut.status.damage != nil)
    #expect(cut.status.endsInsideRecord)
    var flipped = packed
    for place in (packed.count / 2)..<(packed.count / 2 + 40) { flipped[place] ^= 0x5a }
    let damaged = Outcome(flipped)
    #expect(damaged.error == nil)
    #expect(damaged.frames.count < 3000)
    // Either zlib finds it, or what it made of it is no record.
    #expect(damaged.status.damage != nil)
    var sum = packed
    sum[packed.count - 6] ^= 1
    #expect(Outcome(sum).frames.count == 3000)
    #expect(Outcome(sum).status.damage?.what.contains("gzip") == true)
  }

  @Test("gzip of something else, or of nothing, is no capture")
  func otherGzip() {
    #expect(Outcome(gzip(Array("hello, world".utf8))).error?.what.contains("gzip, and inside it") == true)
    #expect(Outcome(gzip([])).error?.exitStatus == 65)
    #expect(Outcome(gzip(gzip(SourceTests.sample().bytes))).error?.what.contains("gzip again") == true)
    #expect(Outcome([0x1f, 0x8b, 8, 0]).error?.exitStatus == 65)
    #expect(Outcome([0x1f, 0x8b, 0xff, 0xff, 0, 0, 0, 0]).error?.exitStatus == 65)
    for length in 4..<18 { #expect(Outcome(Array(gzip(SourceTests.sample().bytes).prefix(length))).error?.exitStatus == 65) }
  }

  @Test("what is no capture is told what it is")
  func notCaptures() {
    let text = Outcome(Array("not a capture\n".utf8)).error
    #expect(text?.exitStatus == 65)
    #expect(text?.what.contains("is no capture file (starts with 6e 6f 74 20") == true)
    #expect(text?.what.contains("expected pcap or pcapng") == true)
    #expect(Outcome([1, 2, 3]).error?.what.contains("is 3 bytes long") == true)
    #expect(Outcome([0x28, 0xb5, 0x2f, 0xfd, 0, 0, 0, 0]).error?.what.contains("zstd") == true)
    #expect(Outcome(Array("snoop\0\0\0\0".utf8)).error?.what.contains("snoop") == true)
    #expect(Outcome(path: "/dev/zero").error?.exitStatus == 65)
    #expect(Outcome(path: "/dev/null").error?.what == "is empty")
  }

  @Test("files that cannot be read say why")
  func unreadable() {
    #expect(Outcome(path: "/nonexistent/x.pcap").error?.exitStatus == 66)
    #expect(Outcome(path: "/tmp").error?.what == "is a directory")
    #expect(Outcome(path: "/tmp").error?.exitStatus == 66)
    #expect(Outcome(path: "").error?.exitStatus == 66)
    #expect(Outcome(path: "a\0b").error?.exitStatus == 66)
    let error = Outcome(path: "/tmp/\u{1b}[2J\nx").error
    #expect(error?.description.utf8.allSatisfy { $0 >= 0x20 } == true)
  }

  @Test("a pipe that says nothing yet is idle, and frames come as they are written")
  func fifo() throws {
    let scratch = Scratch()
    let path = "\(scratch.path)/fifo"
    try #require(mkfifo(path, 0o600) == 0)
    var source = try CaptureFile(path: path)
    #expect(try source.drain(atMost: 10) { _ in } == .idle)
    // Not for the children of tests beside this one: while one of them has it, the pipe does not end.
    let writer = open(path, O_WRONLY | O_CLOEXEC)
    let bytes = SourceTests.sample(3).bytes
    var seen = 0
    var ended = false
    // Cut inside the magic, the header, each part of a record.
    var done = 0
    for place in [2, 20, 24, 30, 40, 66] {
      writeAll(writer, Array(bytes[done..<place]))
      done = place
      #expect(try source.drain(atMost: 10) { _ in seen += 1 } == .idle)
    }
    #expect(seen == 0)
    writeAll(writer, Array(bytes.dropFirst(66)))
    while try source.drain(atMost: 10, { _ in seen += 1 }) == .more {}
    close(writer)
    for _ in 0..<10 where !ended { ended = try source.drain(atMost: 10) { _ in seen += 1 } == .end }
    #expect(ended)
    #expect(source.status.fileSize == nil)
    #expect(seen == 3)
  }

  @Test("standard input is '-'")
  func standardInput() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let kept = dup(STDIN_FILENO)
    dup2(ends[0], STDIN_FILENO)
    defer {
      dup2(kept, STDIN_FILENO)
      close(kept)
      close(ends[0])
    }
    let writer = ends[1]
    let bytes = gzip(SourceTests.sample(5000).bytes)
    onThread {
      // Smaller than a pipe holds.
      writeAll(writer, Array(bytes.prefix(60_000)))
      close(writer)
    }
    let read = Outcome(path: "-")
    #expect(read.error == nil)
    #expect(read.frames.count > 0)
    #expect(read.frames.count == 5000 || read.status.endsInsideRecord)
  }
}
