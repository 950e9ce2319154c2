import Fixtures
import Glibc
import Testing
import Wire

/// What a frame can cost at most, whoever made it (`reliability.md` P2 and P3, T3).
@Suite("The worst frame")
struct WorstFrameTests {
  /// Its time, which is bounded too, is the benchmark's to measure (`lanatomy-bench worst`).
  @Test("of 9,216 bytes takes 10,000 steps at most, of whatever protocol", arguments: Corpus.all)
  func bounded(_ sample: Sample) {
    for worst in WorstPayload.all(of: sample) {
      let steps = worst.steps()
      #expect(steps <= 10_000, "\(worst.name)")
    }
  }

  @Test("runs out of steps even when it hands its bytes from reader to reader")
  func nested() {
    let bytes = [UInt8](repeating: 0, count: WorstPayload.frameLength)
    var steps = ByteReader.stepLimit
    var taken = 0
    var fault: WireFault?
    do throws(WireFault) {
      try ByteReader.read(bytes.span.bytes, steps: &steps) { (reader) throws(WireFault) in
        for _ in 0..<1_000 {
          var whole = reader.takeAvailable(0)
          whole = try reader.take(9)
          for _ in 0..<3 {
            var part = try whole.take(3)
            while !part.isAtEnd {
              _ = try part.u8()
              taken += 1
            }
          }
        }
      }
    } catch {
      fault = error
    }
    #expect(fault?.reason == .tooMuch)
    #expect(steps == 0)
    #expect(taken < 9_000)
  }

  @Test("needs no more than 256 KiB of stack, of whatever protocol and on every link")
  func stack() throws {
    // Frames as they are, cut, with every byte at its maximum, and as long as they can be: all on one thread with a small stack.
    try onSmallStack {
      for sample in Corpus.all {
        for length in 0...sample.bytes.count { _ = decode(sample, cutTo: length) }
        var bytes = sample.bytes
        for at in bytes.indices {
          let old = bytes[at]
          bytes[at] = 0xff
          _ = decode(bytes, link: sample.link, wireLength: sample.wireLength)
          bytes[at] = old
        }
        for worst in WorstPayload.all(of: sample) { _ = worst.steps() }
      }
    }
  }

  /// Runs `body` on a thread with the stack that P3 names. One that needs more ends the process.
  private func onSmallStack(_ body: @escaping @Sendable () -> Void) throws {
    final class Work: Sendable {
      let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var attributes = pthread_attr_t()
    try #require(pthread_attr_init(&attributes) == 0)
    defer { pthread_attr_destroy(&attributes) }
    try #require(pthread_attr_setstacksize(&attributes, 256 << 10) == 0)
    var thread = pthread_t()
    let work = Unmanaged.passRetained(Work(body))
    let status = pthread_create(
      &thread, &attributes,
      { argument in
        if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
      }, work.toOpaque())
    try #require(status == 0, "no thread: \(String(cString: strerror(status)))")
    pthread_join(thread, nil)
  }
}
