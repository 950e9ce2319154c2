import Fixtures
import Testing
import Wire

@Suite("What is used again for each frame")
struct ReuseTests {
  @Test("a summary holds nothing of the frame before")
  func summary() {
    let decoder = Decoder()
    var used = FrameSummary()
    var said = Observations()
    for sample in Corpus.all {
      let frame = Frame(
        number: 1, time: Timestamp(nanoseconds: 1), interface: 0, link: sample.link, wireLength: sample.wireLength,
        bytes: sample.bytes.span.bytes)
      decoder.decode(frame, into: &used, &said)
      var fresh = FrameSummary()
      var freshlySaid = Observations()
      decoder.decode(frame, into: &fresh, &freshlySaid)
      #expect(String(describing: used) == String(describing: fresh), "\(sample)")
      #expect(said.items == freshlySaid.items, "\(sample)")
    }
  }

  @Test("equal observations have equal marks, and marks tell most others apart")
  func marks() {
    var seen: [UInt64: Set<Observation>] = [:]
    for sample in Corpus.all {
      for (one, other) in zip(decode(sample).observations.items, decode(sample).observations.items) {
        #expect(one.mark == other.mark)
        seen[one.mark, default: []].insert(one)
      }
    }
    let shared = seen.values.filter { Set($0.map(\.subject)).count < $0.count }.count
    #expect(shared * 10 < seen.count, "\(shared) of \(seen.count) marks stand for several claims about one subject")
  }
}
