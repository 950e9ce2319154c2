internal import Wire

/// What a capture file keeps of itself while it is read. The formats extend it: `PcapRecords`, `PcapngBlocks`.
struct FileReader: ~Copyable {
  enum Stage {
    /// Nothing is known yet: a pipe may not have said anything.
    case start
    case pcap, pcapng
    case done
  }

  /// What a frame may keep at most, unless the file's own snap length is larger.
  static let frameLimit = CaptureSettings.wholeFrame
  /// The largest snap length that is believed.
  static let largestLimit = 16 << 20

  let name: String
  var stream: ByteStream
  var buffer = BlockBuffer()
  var stage = Stage.start
  /// The last frame's, as in the file: frames that a filter leaves out count too.
  var number = 0
  var facts = CaptureStatus()
  var filter: FileFilter?

  var pcap = PcapHeader()
  var pcapng = PcapngState()

  static func open(_ path: String, _ filter: String?) throws(CaptureError) -> FileReader {
    var file = FileReader(path == "-" ? "standard input" : path, try ByteStream(path: path))
    file.facts.fileSize = file.stream.fileSize
    if let filter, !filter.utf8.allSatisfy({ $0 == 0x20 }) { file.filter = FileFilter(filter) }
    if file.stream.isRegular { _ = try file.drain(atMost: 0) { _ in } }
    return file
  }

  private init(_ name: String, _ stream: consuming ByteStream) {
    self.name = name
    self.stream = stream
  }

  var status: CaptureStatus {
    var out = facts
    out.frames = number
    out.bytesRead = stream.bytesRead
    if stage != .start || facts.format != nil {
      out.dropped = pcapng.dropped
      if !pcapng.names.isEmpty { out.interfaceNames = pcapng.names }
    }
    return out
  }

  mutating func drain(atMost: Int, _ body: (borrowing Frame) -> Void) throws(CaptureError) -> Drained {
    if stage == .start {
      guard try begin() else { return .idle }
    }
    switch stage {
    case .pcap: return try drainPcap(atMost, body)
    case .pcapng: return try drainPcapng(atMost, body)
    case .start, .done: return .end
    }
  }

  /// Finds out what the file is; false when a pipe has not said enough yet.
  private mutating func begin() throws(CaptureError) -> Bool {
    while true {
      switch fill(4) {
      case .wait: return false
      case .failed(let why, _): throw CaptureError(stream.isCompressed ? .data : .io, name, why)
      case .end:
        if buffer.count == 0 {
          throw stream.isCompressed ? noCapture("holds nothing") : CaptureError(.data, name, "is empty")
        }
        throw noCapture("is \(buffer.count) bytes long")
      case .ready: break
      }
      let start = buffer.base + buffer.at
      let magic = UInt32(littleEndian: start.loadUnaligned(as: UInt32.self))
      if magic & 0xffff == 0x8b1f && !stream.isCompressed {
        let compressed = UnsafeRawBufferPointer(start: start, count: buffer.count)
        guard stream.inflate(beginningWith: compressed) else {
          throw CaptureError(.system, name, "there is no memory to inflate it")
        }
        buffer.clear()
        continue
      }
      if magic == PcapngState.sectionType {
        facts.format = stream.isCompressed ? "gzip pcapng" : "pcapng"
        stage = .pcapng
        return true
      }
      guard PcapHeader.isMagic(magic) else {
        throw noCapture(FileReader.describe(UnsafeRawBufferPointer(start: start, count: min(8, buffer.count))))
      }
      switch fill(PcapHeader.length) {
      case .wait: return false
      case .failed(let why, _): throw CaptureError(stream.isCompressed ? .data : .io, name, why)
      case .end: throw CaptureError(.data, name, "ends inside its file header, after \(buffer.count) bytes")
      case .ready: break
      }
      facts.format = stream.isCompressed ? "gzip pcap" : "pcap"
      try beginPcap()
      stage = .pcap
      return true
    }
  }

  private func noCapture(_ what: String) -> CaptureError {
    CaptureError(
      .data, name, "is no capture file (\(stream.isCompressed ? "gzip, and inside it " : "")\(what)); expected pcap or pcapng")
  }

  /// What a file that is no capture begins with, for somebody who picked the wrong one.
  private static func describe(_ bytes: UnsafeRawBufferPointer) -> String {
    let known: [([UInt8], String)] = [
      ([0x28, 0xb5, 0x2f, 0xfd], "zstd; unpack it first"), ([0xfd, 0x37, 0x7a, 0x58], "xz; unpack it first"),
      ([0x42, 0x5a, 0x68], "bzip2; unpack it first"), ([0x50, 0x4b, 3, 4], "zip; unpack it first"),
      ([0x1f, 0x8b], "gzip again; unpack it first"), ([0x04, 0x22, 0x4d, 0x18], "lz4; unpack it first"),
      (Array("snoop".utf8), "a snoop capture; editcap converts it"), (Array("GMBU".utf8), "a Network Monitor capture; editcap converts it"),
      (Array("TRSNIFF".utf8), "a Sniffer capture; editcap converts it"),
    ]
    for (magic, what) in known where bytes.starts(with: magic) { return "it is \(what)" }
    let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
    let isText = bytes.allSatisfy { ($0 >= 0x20 && $0 < 0x7f) || ($0 >= 9 && $0 <= 13) }
    return "starts with \(hex)\(isText ? ", which is text" : "")"
  }

  // MARK: Shared by the formats

  enum Filled {
    case ready
    case wait
    case end
    case failed(String, isCut: Bool)
  }

  /// Makes sure that `need` bytes lie in the buffer, from `buffer.at` on.
  mutating func fill(_ need: Int) -> Filled {
    if buffer.count >= need { return .ready }
    buffer.makeRoom(for: need)
    while buffer.count < need {
      switch stream.read(into: buffer.free, buffer.room) {
      case .bytes(let got): buffer.added(got)
      case .nothingNow: return .wait
      case .end: return .end
      case .failed(let why, let isCut): return .failed(why, isCut: isCut)
      }
    }
    return .ready
  }

  /// Ends the reading at a damage.
  mutating func damage(_ what: String, isCut: Bool = false) {
    stage = .done
    facts.endsInsideRecord = isCut
    facts.damage = CaptureDamage(afterFrame: number, what: what)
  }

  /// Ends the reading where the bytes ended; if that was inside something, it was cut.
  mutating func endOfBytes(inside unit: String?) {
    if let unit {
      damage("the file ends inside a \(unit)", isCut: true)
    } else {
      stage = .done
    }
  }

  mutating func note(_ link: LinkType, snapLength: Int) {
    if !facts.linkTypes.contains(link) { facts.linkTypes.append(link) }
    if snapLength > 0 { facts.snapLength = max(facts.snapLength ?? 0, snapLength) }
  }

  /// What a frame may keep, by what the file says of itself.
  static func limit(snapLength: Int) -> Int {
    snapLength > frameLimit && snapLength <= largestLimit ? snapLength : frameLimit
  }
}
