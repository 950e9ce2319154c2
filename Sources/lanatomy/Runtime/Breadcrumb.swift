import CLinux
import Glibc
import Publish
import Wire

/// Names the frame that is being dissected, in a small file that outlives us: a name found there at the start is a crash of that decoder.
///
/// After the second crash within an hour the decoder is left out until the next version, and its frame is kept for the bug report. So a
/// frame that stops us can be sent every second, and costs two restarts and one protocol.
final class Breadcrumb: Sendable {
  static let file = "decoding"
  static let historyFile = "decoders"
  private static let magic: UInt64 = 0x3142_4d52_434e_414c  // "LANCRMB1"
  /// Room for the largest frame of a cable without offload; of a longer one the start is kept.
  private static let frameRoom = 9216
  private static let nameRoom = 32
  private static let header = 64
  private static var size: Int { header + frameRoom }

  // Layout: magic, 8 bytes | armed, 1 | name length, 1 | link type, 4 at 12 | wire length, 4 at 16 | kept, 4 at 20 | name, 32 at 24 | frame.
  /// The address of the mapping: a number, because pointers do not cross threads. Only the capture thread writes there.
  private let base: UInt
  private let names: [[UInt8]]

  /// What an earlier run left.
  struct Crash: Sendable, Hashable {
    var decoder: String
    var link: LinkType
    var wireLength: Int
    var frame: [UInt8]
  }

  /// Maps the file of a folder; nil when it cannot be made: then a crash cannot be told, which is no reason not to run.
  init?(folder: String, names: [String]) {
    self.names = names.map { Array($0.utf8.prefix(Breadcrumb.nameRoom)) }
    let descriptor = open("\(folder)/\(Breadcrumb.file)", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_nlink == 1,
      ftruncate(descriptor, off_t(Breadcrumb.size)) == 0,
      let mapped = mmap(nil, Breadcrumb.size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), mapped != MAP_FAILED
    else { return nil }
    base = UInt(bitPattern: mapped)
    mapped.storeBytes(of: Breadcrumb.magic, as: UInt64.self)
    strike()
  }

  deinit { if let memory { munmap(memory, Breadcrumb.size) } }

  private var memory: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: base) }

  /// Before a decoder runs.
  func write(_ place: Int, _ frame: borrowing Frame) {
    guard let memory, names.indices.contains(place) else { return }
    let name = names[place]
    let kept = min(frame.bytes.byteCount, Breadcrumb.frameRoom)
    memory.storeBytes(of: UInt8(name.count), toByteOffset: 9, as: UInt8.self)
    memory.storeBytes(of: frame.link.rawValue, toByteOffset: 12, as: UInt32.self)
    memory.storeBytes(of: UInt32(clamping: frame.wireLength), toByteOffset: 16, as: UInt32.self)
    memory.storeBytes(of: UInt32(kept), toByteOffset: 20, as: UInt32.self)
    name.withUnsafeBytes { if let start = $0.baseAddress { memory.advanced(by: 24).copyMemory(from: start, byteCount: name.count) } }
    frame.bytes.withUnsafeBytes {
      if let start = $0.baseAddress { memory.advanced(by: Breadcrumb.header).copyMemory(from: start, byteCount: kept) }
    }
    memory.storeBytes(of: 1, toByteOffset: 8, as: UInt8.self)
  }

  /// After it returned.
  @inline(__always)
  func strike() { memory?.storeBytes(of: 0, toByteOffset: 8, as: UInt8.self) }

  // MARK: At the start

  /// Reads what an earlier run left in a folder; to be called before the file is mapped anew.
  static func read(folder: String) -> Crash? {
    guard let bytes = contents("\(folder)/\(file)", atMost: size), bytes.count == size else { return nil }
    return bytes.withUnsafeBytes { raw -> Crash? in
      guard raw.loadUnaligned(as: UInt64.self) == magic, raw[8] == 1 else { return nil }
      let nameCount = min(Int(raw[9]), nameRoom)
      let kept = min(Int(raw.loadUnaligned(fromByteOffset: 20, as: UInt32.self)), frameRoom)
      return Crash(
        decoder: String(decoding: raw[24..<(24 + nameCount)], as: UTF8.self),
        link: LinkType(raw.loadUnaligned(fromByteOffset: 12, as: UInt32.self)),
        wireLength: Int(raw.loadUnaligned(fromByteOffset: 16, as: UInt32.self)), frame: Array(raw[header..<(header + kept)]))
    }
  }

  static func contents(_ path: String, atMost limit: Int) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: limit)
    var have = 0
    while have < limit {
      let got = bytes.withUnsafeMutableBytes { buffer -> Int in
        guard let start = buffer.baseAddress else { return 0 }
        return Glibc.read(descriptor, start + have, limit - have)
      }
      if got <= 0 { break }
      have += got
    }
    return Array(bytes.prefix(have))
  }
}

/// Which decoders crashed when, over restarts: a line for each crash, `VERSION NAME SECONDS`.
struct DecoderRecord: Sendable, Hashable {
  struct Entry: Sendable, Hashable {
    var version: String
    var decoder: String
    var second: Int
  }

  private(set) var entries: [Entry] = []
  /// More than every decoder crashing twice.
  private static let limit = 128
  static let hour = 3600

  init(text: String) {
    for line in text.split(separator: "\n").suffix(DecoderRecord.limit) {
      let words = line.split(separator: " ")
      guard words.count == 3, let second = Int(words[2]) else { continue }
      entries.append(Entry(version: String(words[0]), decoder: String(words[1]), second: second))
    }
  }

  mutating func add(_ decoder: String, version: String, second: Int) {
    // Of another version nothing is known any more.
    entries.removeAll { $0.version != version }
    entries.append(Entry(version: version, decoder: decoder, second: second))
    entries = entries.suffix(DecoderRecord.limit)
  }

  /// Decoders with two crashes of this version within an hour of each other.
  func setAside(version: String) -> [String] {
    var out: [String] = []
    let ours = entries.filter { $0.version == version }
    for (at, entry) in ours.enumerated() where !out.contains(entry.decoder) {
      // The wall clock may have been set in between: then the two count as close.
      let again = ours[(at + 1)...].contains { $0.decoder == entry.decoder && ($0.second - entry.second) <= DecoderRecord.hour }
      if again { out.append(entry.decoder) }
    }
    return out.sorted()
  }

  var text: String { entries.map { "\($0.version) \($0.decoder) \($0.second)\n" }.joined() }
}
