import CPcap
import Capture
import Glibc
import Model
import Wire

/// One way to go through a capture file.
enum Variant: String, CaseIterable {
  /// libpcap hands the packets out and nobody looks: the yardstick.
  case emptyLoop = "empty-loop"
  /// Our reader, and nobody looks.
  case floor
  /// Our reader and the header walk.
  case headers
  /// The whole program up to the snapshot.
  case full
  /// The same, fed by libpcap.
  case fullLibpcap = "full-libpcap"

  struct Result {
    var nanoseconds = 0
    var packets = 0
    var bytes = 0
    var use: TableUse?
  }

  /// Goes through the file with fresh state. Setting up and taking down is outside the time.
  func run(_ path: String) -> Result {
    switch self {
    case .emptyLoop: emptyLoop(path)
    case .floor: floor(path)
    case .headers: headers(path)
    case .full: full(path)
    case .fullLibpcap: fullLibpcap(path)
    }
  }

  private func openOffline(_ path: String) -> OpaquePointer {
    var error = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
    guard let handle = pcap_open_offline(path, &error) else { fatalError("libpcap cannot open \(path)") }
    return handle
  }

  private func emptyLoop(_ path: String) -> Result {
    let handle = openOffline(path)
    defer { pcap_close(handle) }
    var out = Result()
    let start = threadTime()
    withUnsafeMutableBytes(of: &out) { bytes in
      _ = pcap_loop(
        handle, -1,
        { user, header, _ in
          guard let user, let header else { return }
          let result = UnsafeMutableRawPointer(user).assumingMemoryBound(to: Result.self)
          result.pointee.packets &+= 1
          result.pointee.bytes &+= Int(header.pointee.len)
        }, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
    }
    out.nanoseconds = threadTime() - start
    return out
  }

  private func floor(_ path: String) -> Result {
    var out = Result()
    let start = threadTime()
    drain(path) { frame in
      out.packets &+= 1
      out.bytes &+= frame.wireLength
    }
    out.nanoseconds = threadTime() - start
    return out
  }

  private func headers(_ path: String) -> Result {
    var out = Result()
    let decoder = Decoder()
    var summary = FrameSummary()
    let start = threadTime()
    drain(path) { frame in
      decoder.walk(frame, into: &summary)
      out.packets &+= 1
      out.bytes &+= summary.wireLength
    }
    out.nanoseconds = threadTime() - start
    return out
  }

  private func full(_ path: String) -> Result {
    var pipeline = Pipeline()
    let start = threadTime()
    drain(path) { frame in pipeline.process(frame) }
    let time = threadTime() - start
    return Result(nanoseconds: time, packets: pipeline.counters.frames, bytes: pipeline.counters.bytes, use: pipeline.use)
  }

  /// What libpcap's callback gets.
  struct Engine: ~Copyable {
    var pipeline = Pipeline()
    var number = 0
    let link: LinkType
  }

  private func fullLibpcap(_ path: String) -> Result {
    let handle = openOffline(path)
    defer { pcap_close(handle) }
    let engine = UnsafeMutablePointer<Engine>.allocate(capacity: 1)
    engine.initialize(to: Engine(link: LinkType.fromFile(UInt32(pcap_datalink(handle)))))
    defer {
      engine.deinitialize(count: 1)
      engine.deallocate()
    }
    let start = threadTime()
    _ = pcap_loop(
      handle, -1,
      { user, header, bytes in
        guard let user, let header, let bytes else { return }
        let engine = UnsafeMutableRawPointer(user).assumingMemoryBound(to: Engine.self)
        engine.pointee.number &+= 1
        let time = Int64(header.pointee.ts.tv_sec) &* 1_000_000_000 &+ Int64(header.pointee.ts.tv_usec) &* 1000
        let frame = Frame(
          number: engine.pointee.number, time: Timestamp(nanoseconds: time), interface: 0, link: engine.pointee.link,
          wireLength: Int(header.pointee.len), bytes: UnsafeRawBufferPointer(start: bytes, count: Int(header.pointee.caplen)).bytes)
        engine.pointee.pipeline.process(frame)
      }, UnsafeMutableRawPointer(engine).assumingMemoryBound(to: UInt8.self))
    let time = threadTime() - start
    let counters = engine.pointee.pipeline.counters
    return Result(nanoseconds: time, packets: counters.frames, bytes: counters.bytes, use: engine.pointee.pipeline.use)
  }
}

/// Goes through a capture file as `lanatomy report` does.
func drain(_ path: String, _ body: (borrowing Frame) -> Void) {
  do throws(CaptureError) {
    var file = try CaptureFile(path: path)
    while try file.drain(atMost: 4096, body) != .end {}
  } catch {
    fatalError(error.description)
  }
}
