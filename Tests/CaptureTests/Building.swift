import Capture
import Glibc
import Testing
import Wire

/// Builds the bytes of capture files, in either byte order.
struct FileBytes {
  var writer = ByteWriter()
  var isBig = false

  var bytes: [UInt8] { writer.bytes }

  mutating func u16(_ value: Int) {
    let value = UInt16(truncatingIfNeeded: value)
    if isBig { writer.u16(value) } else { writer.u16LE(value) }
  }

  mutating func u32(_ value: Int) {
    let value = UInt32(truncatingIfNeeded: value)
    if isBig { writer.u32(value) } else { writer.u32LE(value) }
  }

  mutating func u64(_ value: UInt64) {
    writer.u64(isBig ? value : value.byteSwapped)
  }

  mutating func append(_ more: [UInt8]) { writer.append(more) }

  // MARK: pcap

  static func pcap(
    big: Bool = false, magic: Int = 0xa1b2_c3d4, major: Int = 2, minor: Int = 4, snapLength: Int = 262_144, link: Int = 1
  ) -> FileBytes {
    var out = FileBytes(isBig: big)
    out.u32(magic)
    out.u16(major)
    out.u16(minor)
    out.u32(0)
    out.u32(0)
    out.u32(snapLength)
    out.u32(link)
    return out
  }

  /// - Parameter extra: bytes between the four fields and the frame, as the modified formats have them.
  mutating func record(
    _ frame: [UInt8], seconds: Int = 1_700_000_000, fraction: Int = 0, kept: Int? = nil, wire: Int? = nil, extra: [UInt8] = []
  ) {
    u32(seconds)
    u32(fraction)
    u32(kept ?? frame.count)
    u32(wire ?? frame.count)
    append(extra)
    append(frame)
  }

  // MARK: pcapng

  static func pcapng(big: Bool = false) -> FileBytes {
    var out = FileBytes(isBig: big)
    out.section()
    return out
  }

  mutating func block(_ type: Int, _ body: (inout FileBytes) -> Void) {
    var inner = FileBytes(isBig: isBig)
    body(&inner)
    inner.writer.zeros((4 - inner.bytes.count % 4) % 4)
    u32(type)
    u32(inner.bytes.count + 12)
    append(inner.bytes)
    u32(inner.bytes.count + 12)
  }

  mutating func section(big: Bool? = nil) {
    if let big { isBig = big }
    block(0x0a0d_0d0a) {
      $0.u32(0x1a2b_3c4d)
      $0.u16(1)
      $0.u16(0)
      $0.u64(.max)
    }
  }

  mutating func option(_ code: Int, _ value: [UInt8]) {
    u16(code)
    u16(value.count)
    append(value)
    writer.zeros((4 - value.count % 4) % 4)
  }

  mutating func option(_ code: Int, _ value: UInt64) {
    var inner = FileBytes(isBig: isBig)
    inner.u64(value)
    option(code, inner.bytes)
  }

  mutating func interface(link: Int = 1, snapLength: Int = 0, _ options: (inout FileBytes) -> Void = { _ in }) {
    block(1) {
      $0.u16(link)
      $0.u16(0)
      $0.u32(snapLength)
      options(&$0)
    }
  }

  mutating func packet(
    _ frame: [UInt8], interface: Int = 0, ticks: UInt64 = 1_700_000_000_000_000, kept: Int? = nil, wire: Int? = nil,
    _ options: (inout FileBytes) -> Void = { _ in }
  ) {
    block(6) {
      $0.u32(interface)
      $0.u32(Int(ticks >> 32))
      $0.u32(Int(ticks & 0xffff_ffff))
      $0.u32(kept ?? frame.count)
      $0.u32(wire ?? frame.count)
      $0.append(frame)
      $0.writer.zeros((4 - frame.count % 4) % 4)
      options(&$0)
    }
  }

  mutating func statistics(interface: Int = 0, _ options: (inout FileBytes) -> Void) {
    block(5) {
      $0.u32(interface)
      $0.u32(0)
      $0.u32(0)
      options(&$0)
    }
  }
}

/// An Ethernet frame of `length` bytes whose payload counts up from `seed`.
func ethernet(_ length: Int = 60, seed: Int = 0, type: UInt16 = 0x88b5) -> [UInt8] {
  var out = ByteWriter()
  out.mac(.broadcast)
  out.mac(MACAddress(bits: 0x0200_0000_0001))
  out.u16(type)
  for place in 0..<max(0, length - out.count) { out.u8(UInt8(truncatingIfNeeded: place + seed)) }
  return Array(out.bytes.prefix(length))
}

/// A copy of what was lent.
struct Taken: Equatable {
  var number: Int
  var time: Int64
  var interface: Int
  var link: LinkType
  var wireLength: Int
  var direction: Direction
  var bytes: [UInt8]
}

/// Reads a source to its end, a few frames at a time.
func readAll<Source: FrameSource & ~Copyable>(_ source: inout Source, atMost: Int = 7) throws -> [Taken] {
  var out: [Taken] = []
  while true {
    let drained = try source.drain(atMost: atMost) { frame in
      out.append(
        Taken(
          number: frame.number, time: frame.time.nanoseconds, interface: frame.interface, link: frame.link,
          wireLength: frame.wireLength, direction: frame.direction, bytes: frame.bytes.copied()))
    }
    if drained == .end { return out }
    if out.count > 1_000_000 { return out }
  }
}

/// A directory of its own that is gone with it.
final class Scratch {
  let path: String

  init() {
    var template = Array("/tmp/lanatomy-capture-XXXXXX".utf8CString)
    path = template.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress, let made = mkdtemp(start) else { return "/tmp" }
      return String(cString: made)
    }
  }

  deinit {
    guard path.hasPrefix("/tmp/lanatomy-capture-"), let folder = opendir(path) else { return }
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      unlink("\(path)/\(name)")
    }
    closedir(folder)
    rmdir(path)
  }

  func file(_ name: String, _ bytes: [UInt8]) -> String {
    let file = "\(path)/\(name)"
    let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    writeAll(descriptor, bytes)
    close(descriptor)
    return file
  }
}

func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) {
  var done = 0
  bytes.withUnsafeBytes { buffer in
    while done < buffer.count, let start = buffer.baseAddress {
      let wrote = write(descriptor, start + done, buffer.count - done)
      if wrote <= 0 { return }
      done += wrote
    }
  }
}

/// What reading a file of these bytes gives: frames, and how it ended.
struct Outcome {
  var frames: [Taken] = []
  var status = CaptureStatus()
  var error: CaptureError?

  init(_ bytes: [UInt8], filter: String? = nil) {
    let scratch = Scratch()
    self.init(path: scratch.file("f", bytes), filter: filter)
    withExtendedLifetime(scratch) {}
  }

  init(path: String, filter: String? = nil) {
    do {
      var file = try CaptureFile(path: path, filter: filter)
      defer { status = file.status }
      frames = try readAll(&file)
    } catch let thrown as CaptureError {
      error = thrown
    } catch {
      Issue.record("another error than ours: \(error)")
    }
  }

  var times: [Int64] { frames.map(\.time) }
  var bytes: [[UInt8]] { frames.map(\.bytes) }
}

/// Runs `body` on a thread of its own and waits for it: for what belongs to a thread, such as its network namespace.
func onThread(_ body: @escaping @Sendable () -> Void) {
  final class Work {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  var thread = pthread_t()
  let work = Unmanaged.passRetained(Work(body))
  let made = pthread_create(
    &thread, nil,
    { argument in
      if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
      return nil
    }, work.toOpaque())
  if made == 0 { pthread_join(thread, nil) } else { work.release() }
}
