internal import CPcap
internal import Glibc
public import Wire

/// Writes frames into a pcap file with nanoseconds, by libpcap. A pcap file has one link type: a second one is refused.
public struct FrameWriter: ~Copyable {
  private let name: String
  private let file: UnsafeMutablePointer<FILE>
  private let snapLength: Int
  private var handle: OpaquePointer?
  private var dumper: OpaquePointer?
  private var link: LinkType?
  /// Frames written.
  public private(set) var count = 0

  /// Creates the file at once, so that a path that cannot be written is known before anything is captured.
  ///
  /// - Parameters:
  ///   - path: `-` is standard output.
  ///   - snapLength: what the file says of itself.
  public init(path: String, snapLength: Int? = nil) throws(CaptureError) {
    file = try FrameWriter.create(path)
    name = path == "-" ? "standard output" : path
    self.snapLength = snapLength ?? CaptureSettings.wholeFrame
  }

  private static func create(_ path: String) throws(CaptureError) -> UnsafeMutablePointer<FILE> {
    guard !path.isEmpty, !path.utf8.contains(0) else { throw CaptureError(.usage, path, "is no file name") }
    let descriptor =
      path == "-" ? dup(STDOUT_FILENO) : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0o666)
    guard descriptor >= 0, let file = fdopen(descriptor, "w") else {
      let number = errno
      if descriptor >= 0 { close(descriptor) }
      throw CaptureError(.io, path, "cannot be written (\(words(for: number)))")
    }
    return file
  }

  deinit {
    // Without `finish` nobody hears of an error; what was written stands all the same.
    if let dumper { pcap_dump_close(dumper) } else { fclose(file) }
    if let handle { pcap_close(handle) }
  }

  public mutating func write(_ frame: borrowing Frame) throws(CaptureError) {
    if link != frame.link { try begin(frame.link) }
    guard let dumper else { return }
    var header = pcap_pkthdr()
    header.ts.tv_sec = Int(frame.time.nanoseconds / 1_000_000_000)
    // The handle was opened for nanoseconds: the field holds them.
    header.ts.tv_usec = Int(frame.time.nanoseconds % 1_000_000_000)
    header.caplen = UInt32(clamping: frame.bytes.byteCount)
    header.len = UInt32(clamping: frame.wireLength)
    frame.bytes.withUnsafeBytes { bytes in
      // An empty span may have no address; libpcap reads nothing from it then.
      let start = bytes.baseAddress ?? UnsafeRawPointer(dumper)
      pcap_dump(UnsafeMutableRawPointer(dumper).assumingMemoryBound(to: UInt8.self), &header, start.assumingMemoryBound(to: UInt8.self))
    }
    guard ferror(file) == 0 else { throw failed() }
    count += 1
  }

  /// Flushes everything and says whether it is on its way. A file without frames becomes a header.
  public mutating func finish() throws(CaptureError) {
    if dumper == nil { try begin(.ethernet) }
    guard pcap_dump_flush(dumper) == 0, ferror(file) == 0 else { throw failed() }
  }

  private mutating func begin(_ wanted: LinkType) throws(CaptureError) {
    if let link {
      throw CaptureError(
        .data, name, "a pcap file holds one link type, and after \(link) came \(wanted)",
        remedy: "write the frames of one interface alone")
    }
    guard
      let handle = pcap_open_dead_with_tstamp_precision(
        FileFilter.memoryNumber(of: wanted), Int32(clamping: snapLength), UInt32(bitPattern: PCAP_TSTAMP_PRECISION_NANO))
    else { throw CaptureError(.system, name, "there is no memory to write it") }
    self.handle = handle
    guard let dumper = pcap_dump_fopen(handle, file) else {
      throw CaptureError(.io, name, "cannot be written (\(words(from: pcap_geterr(handle))))")
    }
    self.dumper = dumper
    link = wanted
  }

  private func failed() -> CaptureError {
    CaptureError(.io, name, "writing failed after \(count) frames (\(words(for: errno)))", remedy: "look whether the disk is full")
  }
}
