import Glibc
import Scenarios
import Wire

/// Writes a capture file in pieces, so that its size costs no memory.
private struct Output: ~Copyable {
  private let file: UnsafeMutablePointer<FILE>

  init(_ path: String, snapLength: Int) {
    guard let file = fopen(path, "w") else { fatalError("cannot write \(path)") }
    self.file = file
    var w = ByteWriter()
    CaptureFileWriter.header(.ethernet, .microseconds, snapLength, &w)
    write(w.bytes)
  }

  deinit { fclose(file) }

  func write(_ bytes: [UInt8]) {
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { fatalError("cannot write the capture") }
  }
}

/// The frames of a capture that no dissector looks at, for counting what a bulk frame costs.
func writeBulk(from path: String, to out: String) {
  let output = Output(out, snapLength: 262_144)
  let decoder = Decoder()
  var summary = FrameSummary()
  var said = Observations()
  drain(path) { frame in
    decoder.decode(frame, into: &summary, &said)
    guard said.dissector < 0, frame.link == .ethernet else { return }
    var w = ByteWriter()
    w.u32LE(frame.time.second)
    w.u32LE(UInt32(truncatingIfNeeded: frame.time.nanoseconds % 1_000_000_000 / 1000))
    w.u32LE(UInt32(truncatingIfNeeded: frame.bytes.byteCount))
    w.u32LE(UInt32(truncatingIfNeeded: frame.wireLength))
    w.append(frame.bytes.copied())
    output.write(w.bytes)
  }
}

/// A capture of the same mix in our own packet language, for machines without the shared generator.
func writeCapture(_ mix: String, frames: Int, snapLength: Int, to out: String) {
  guard let mix = BulkTraffic.Mix(rawValue: mix) else { fatalError("lan or flood") }
  let output = Output(out, snapLength: snapLength)
  for frame in BulkTraffic(mix, snapLength: snapLength).prefix(frames) {
    var w = ByteWriter()
    CaptureFileWriter.record(frame, .microseconds, &w)
    output.write(w.bytes)
  }
}
