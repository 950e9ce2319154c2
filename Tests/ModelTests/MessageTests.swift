import Fixtures
import Scenarios
import Testing
import Wire

@testable import Model

/// Messages that are known and not read again: nobody may see it in what is recorded.
@Suite("Messages said again")
struct MessageTests {
  /// What the ledger holds, to the last count.
  private struct Recorded: Equatable {
    var subjects: [Subject]
    var evidence: [[Evidence]]
    var evicted: Int
    var left: Int
    var attested: [Bool]
  }

  private func recorded(_ pipeline: borrowing Pipeline) -> Recorded {
    let entries = pipeline.model.ledger.entries
    return Recorded(
      subjects: entries.map(\.subject), evidence: entries.map(\.evidence), evicted: pipeline.model.ledger.evictedSubjects,
      left: pipeline.model.ledger.leftClaims,
      attested: (0..<pipeline.model.stations.count).map { pipeline.model.stations[$0].flags.contains(.attested) })
  }

  /// Sends the same through a pipeline that knows messages again and one that reads each, and compares what they hold.
  private func expectSame(_ limits: Limits, _ frames: [(link: LinkType, wireLength: Int, bytes: [UInt8])], _ what: String) {
    var reading = limits
    reading.messages = 0
    var one = Pipeline(limits: limits)
    var other = Pipeline(limits: reading)
    for (at, item) in frames.enumerated() {
      let frame = Frame(
        number: at + 1, time: Timestamp(nanoseconds: 1_000_000_000 + Int64(at) * 1_000_000), interface: 0, link: item.link,
        wireLength: item.wireLength, bytes: item.bytes.span.bytes)
      one.process(frame)
      other.process(frame)
    }
    let areSame = recorded(one) == recorded(other)
    #expect(areSame, "\(what)")
    let (known, read) = (one.snapshot(), other.snapshot())
    #expect(known == read, "\(what)")
  }

  @Test("a home that says everything three times is the same home, read or known", arguments: Homes.all.map(\.name))
  func homes(_ name: String) {
    let frames = (Homes.all.first { $0.name == name }?.frames() ?? []).filter { $0.bytes.count < 600 }.prefix(4000)
      .map { ($0.link, $0.wireLength, $0.bytes) }
    #expect(!frames.isEmpty)
    expectSame(Limits(), frames + frames + frames, name)
  }

  @Test("and so is one that forgets: few subjects, few claims of each, few messages", arguments: 0..<40)
  func crowded(_ seed: Int) {
    var random = Random(seed: UInt64(seed) + 1)
    var limits = Limits()
    limits.subjects = 16 << random.below(4)
    limits.evidencePerSubject = 4 << random.below(3)
    limits.evidence = 64 << random.below(4)
    limits.messages = 4 << random.below(8)
    let samples = Corpus.all.filter { $0.link == .ethernet && $0.bytes.count >= 14 }
    var frames: [(link: LinkType, wireLength: Int, bytes: [UInt8])] = []
    for _ in 0..<3000 {
      let sample = samples[random.below(random.below(2) == 0 ? 20 : samples.count)]
      var bytes = sample.bytes
      bytes[11] = UInt8(random.below(4))
      frames.append((sample.link, sample.wireLength, bytes))
    }
    expectSame(limits, frames, "seed \(seed)")
  }

  @Test("a message to everybody is read twice, then known; one to a station is read each time")
  func reads() {
    for (sample, isToGroup) in [(Corpus.sample("lldp", "switch"), true), (Corpus.sample("arp", "request"), false)] {
      var bytes = sample.bytes
      if !isToGroup { bytes.replaceSubrange(0..<6, with: [0x00, 0x16, 0x3e, 0, 0, 1]) }
      let reads = Reads()
      var pipeline = Pipeline(decoder: Decoder(willDissect: { _, _ in reads.count += 1 }))
      for number in 1...10 {
        pipeline.process(
          Frame(
            number: number, time: Timestamp(seconds: Int64(number), nanoseconds: 0), interface: 0, link: sample.link,
            wireLength: sample.wireLength, bytes: bytes.span.bytes))
      }
      #expect(reads.count == (isToGroup ? 2 : 10), "\(sample)")
      let evidence = pipeline.model.ledger.entries.flatMap(\.evidence)
      #expect(evidence.allSatisfy { $0.count >= 10 && $0.lastFrame == 10 }, "\(sample)")
    }
  }

  private final class Reads: @unchecked Sendable { var count = 0 }
}
