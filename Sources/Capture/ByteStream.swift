internal import CZlib
internal import Glibc
internal import Wire

/// The bytes of a capture file as they come: from a file, a pipe or standard input, and out of gzip if it is that.
struct ByteStream: ~Copyable {
  enum Got {
    case bytes(Int)
    /// A pipe with nothing in it.
    case nothingNow
    case end
    /// - Parameter isCut: the bytes make sense so far, but stop too early.
    case failed(String, isCut: Bool = false)
  }

  private let descriptor: Int32
  private let isOurs: Bool
  /// Pipes and sockets are waited for, a little at a time.
  let isRegular: Bool
  let fileSize: Int?
  private(set) var bytesRead = 0
  private var inflater: Inflater?

  var isCompressed: Bool { inflater != nil }

  /// How long a call waits for a pipe: short enough for a signal to be noticed in time, long enough to cost nothing.
  static let patience: Int32 = 100

  /// - Parameter path: `-` is standard input.
  init(path: String) throws(CaptureError) {
    self.init(descriptor: try ByteStream.open(path), isOurs: path != "-")
  }

  private init(descriptor: Int32, isOurs: Bool) {
    var facts = stat()
    let known = fstat(descriptor, &facts) == 0
    self.descriptor = descriptor
    self.isOurs = isOurs
    isRegular = known && facts.st_mode & S_IFMT == S_IFREG
    fileSize = isRegular ? Int(facts.st_size) : nil
  }

  private static func open(_ path: String) throws(CaptureError) -> Int32 {
    if path == "-" {
      guard isatty(STDIN_FILENO) != 1 else {
        throw CaptureError(.noInput, "standard input", "is a terminal", remedy: "pipe a capture into it")
      }
      return STDIN_FILENO
    }
    guard !path.utf8.contains(0), !path.isEmpty else { throw CaptureError(.noInput, path, "is no file name") }
    // Non-blocking matters for FIFOs alone: without a writer, opening one would hang where no signal is looked at.
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { throw ByteStream.cannotOpen(path, errno) }
    var facts = stat()
    if fstat(descriptor, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR {
      close(descriptor)
      throw CaptureError(.noInput, path, "is a directory", remedy: "name a capture file in it")
    }
    return descriptor
  }

  deinit { if isOurs { close(descriptor) } }

  private static func cannotOpen(_ name: String, _ number: Int32) -> CaptureError {
    switch number {
    case ENOENT, ENOTDIR: CaptureError(.noInput, name, "no such file", remedy: "check the name")
    case EACCES, EPERM:
      CaptureError(.noInput, name, "no permission to read it", remedy: "change its mode, or pipe it in and name the file '-'")
    case EMFILE, ENFILE, ENOMEM: CaptureError(.system, name, "cannot be opened (\(words(for: number)))")
    case EIO: CaptureError(.io, name, "cannot be opened (\(words(for: number)))")
    default: CaptureError(.noInput, name, "cannot be opened (\(words(for: number)))")
    }
  }

  /// What was read so far turned out to be gzip: it is the beginning of the compressed data.
  mutating func inflate(beginningWith bytes: UnsafeRawBufferPointer) -> Bool {
    guard let made = Inflater(beginningWith: bytes) else { return false }
    inflater = consume made
    return true
  }

  /// Reads up to `count` bytes.
  mutating func read(into target: UnsafeMutableRawPointer, _ count: Int) -> Got {
    guard inflater != nil else { return readPlain(into: target, count) }
    while true {
      switch inflater?.next(into: target, count) ?? .got(.end) {
      case .got(let got): return got
      case .needsInput:
        guard let room = inflater?.inputRoom else { return .end }
        switch readPlain(into: room, Inflater.inputBytes) {
        case .bytes(let got): inflater?.take(got)
        case .end: inflater?.endInput()
        case .nothingNow: return .nothingNow
        case .failed(let why, let isCut): return .failed(why, isCut: isCut)
        }
      }
    }
  }

  private mutating func readPlain(into target: UnsafeMutableRawPointer, _ count: Int) -> Got {
    while true {
      if !isRegular {
        var one = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // A signal ends the wait: the caller looks at it and comes back.
        if poll(&one, 1, ByteStream.patience) <= 0 { return .nothingNow }
      }
      let got = Glibc.read(descriptor, target, count)
      if got > 0 {
        bytesRead += got
        return .bytes(got)
      }
      if got == 0 { return .end }
      switch errno {
      case EINTR: if !isRegular { return .nothingNow }
      case EAGAIN: return .nothingNow
      default: return .failed("cannot be read any further (\(words(for: errno)))")
      }
    }
  }
}

/// gzip, streaming, with any number of members one after the other (RFC 1952, 2.2).
struct Inflater: ~Copyable {
  enum Step {
    case got(ByteStream.Got)
    case needsInput
  }

  /// As much as a first read may have brought.
  static let inputBytes = BlockBuffer.block

  // On the heap: zlib keeps a pointer back to it.
  private let stream: UnsafeMutablePointer<z_stream>
  private let input: UnsafeMutablePointer<UInt8>
  private var inputEnded: Bool
  private var isBetweenMembers: Bool
  private var failure: String?

  init?(beginningWith bytes: UnsafeRawBufferPointer) {
    guard bytes.count <= Inflater.inputBytes, let made = Inflater.makeStream() else { return nil }
    stream = made
    inputEnded = false
    isBetweenMembers = false
    failure = nil
    input = .allocate(capacity: Inflater.inputBytes)
    input.initialize(repeating: 0, count: Inflater.inputBytes)
    UnsafeMutableRawBufferPointer(start: input, count: Inflater.inputBytes).copyMemory(from: bytes)
    stream.pointee.next_in = input
    stream.pointee.avail_in = UInt32(bytes.count)
  }

  private static func makeStream() -> UnsafeMutablePointer<z_stream>? {
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // 15 is the largest window, 16 more means gzip and nothing else.
    guard inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
      stream.deallocate()
      return nil
    }
    return stream
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
    input.deallocate()
  }

  /// Where fresh input goes once `next` asked for it.
  var inputRoom: UnsafeMutableRawPointer { UnsafeMutableRawPointer(input) }

  mutating func take(_ count: Int) {
    stream.pointee.next_in = input
    stream.pointee.avail_in = UInt32(clamping: count)
  }

  mutating func endInput() { inputEnded = true }

  /// Inflates up to `count` bytes, or says what it lacks. What was inflated before a fault is handed out before the fault.
  mutating func next(into target: UnsafeMutableRawPointer, _ count: Int) -> Step {
    if let failure { return .got(.failed(failure)) }
    let wanted = min(count, Int(UInt32.max))
    stream.pointee.next_out = target.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = UInt32(wanted)
    func made() -> Int { wanted - Int(stream.pointee.avail_out) }
    while stream.pointee.avail_out > 0 {
      if stream.pointee.avail_in == 0 {
        if made() > 0 { return .got(.bytes(made())) }
        if !inputEnded { return .needsInput }
        if isBetweenMembers { return .got(.end) }
        return .got(.failed("the gzip data end too early", isCut: true))
      }
      if isBetweenMembers {
        // Zeros and other trailers behind the last member are no members, and gzip(1) ignores them as well.
        guard stream.pointee.next_in?.pointee == 0x1f, inflateReset(stream) == Z_OK else {
          inputEnded = true
          stream.pointee.avail_in = 0
          continue
        }
        isBetweenMembers = false
      }
      let before = (stream.pointee.avail_in, stream.pointee.avail_out)
      switch CZlib.inflate(stream, Z_NO_FLUSH) {
      case Z_OK, Z_BUF_ERROR:
        // No progress with input and room at hand would be an endless loop.
        if before == (stream.pointee.avail_in, stream.pointee.avail_out) { failure = "the gzip data make no progress" }
      case Z_STREAM_END:
        isBetweenMembers = true
      case Z_MEM_ERROR: failure = "there is no memory to inflate it"
      default: failure = "the gzip data are damaged (\(words(from: stream.pointee.msg)))"
      }
      if let failure { return made() > 0 ? .got(.bytes(made())) : .got(.failed(failure)) }
    }
    return .got(.bytes(made()))
  }

}

/// The one block that a file is read into and frames are lent from.
struct BlockBuffer: ~Copyable {
  /// Half of a second-level cache; a quarter of it is a third slower.
  static let block = 256 * 1024

  private(set) var base: UnsafeMutableRawPointer
  private(set) var capacity: Int
  /// The next byte that was not used yet.
  var at = 0
  /// Behind the last byte that was read.
  private(set) var end = 0

  init() {
    // One block, and the part of the largest ordinary record that the block before left over. Pages that no file needs stay untouched.
    capacity = BlockBuffer.block + CaptureSettings.wholeFrame + 4096
    base = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit { base.deallocate() }

  var count: Int { end &- at }
  var free: UnsafeMutableRawPointer { base + end }
  /// Reads are blocks, however much room is left.
  var room: Int { min(BlockBuffer.block, capacity - end) }

  mutating func added(_ count: Int) { end = min(capacity, end + max(0, count)) }

  mutating func clear() {
    at = 0
    end = 0
  }

  /// Moves what is left to the front and makes sure that `need` bytes and a block fit.
  mutating func makeRoom(for need: Int) {
    let left = count
    if need + BlockBuffer.block > capacity {
      let larger = need + BlockBuffer.block
      let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
      moved.copyMemory(from: base + at, byteCount: left)
      base.deallocate()
      base = moved
      capacity = larger
    } else if at > 0 {
      memmove(base, base + at, left)
    }
    at = 0
    end = left
  }
}
