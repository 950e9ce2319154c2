import CBench
import Fixtures
import Model
import Wire

/// A frame that is kept, to be sent through again and again.
private struct Kept {
  var dissector: Int
  var link: LinkType
  var wireLength: Int
  var bytes: [UInt8]

  func frame(_ number: Int, _ body: (borrowing Frame) -> Void) {
    body(
      Frame(
        number: number, time: Timestamp(nanoseconds: 1_700_000_000_000_000_000), interface: 0, link: link, wireLength: wireLength,
        bytes: bytes.span.bytes))
  }
}

/// What messages cost that say nothing new, beyond the header walk: each is sent once, then over and over.
func discoveryBench(_ capture: String?) {
  let decoder = Decoder()
  var summary = FrameSummary()
  var said = Observations()
  var samples: [Kept] = []
  for sample in Corpus.all {
    var kept = Kept(dissector: -1, link: sample.link, wireLength: sample.wireLength, bytes: sample.bytes)
    kept.frame(1) { decoder.decode($0, into: &summary, &said) }
    guard said.dissector >= 0 else { continue }
    kept.dissector = said.dissector
    samples.append(kept)
  }
  print("dissector         messages  ns_each  of_it_decoder  allocations_each")
  for place in Dissector.all.indices {
    let own = samples.filter { $0.dissector == place }
    if !own.isEmpty { report(Dissector.all[place].name, own, decoder) }
  }
  guard let capture else { return }
  // The mix of a real wire: the first few thousand messages of the capture.
  var mix: [Kept] = []
  drain(capture) { frame in
    guard mix.count < 4000 else { return }
    decoder.decode(frame, into: &summary, &said)
    if said.dissector >= 0 {
      mix.append(Kept(dissector: said.dissector, link: frame.link, wireLength: frame.wireLength, bytes: frame.bytes.copied()))
    }
  }
  for place in Set(mix.map(\.dissector)).sorted() {
    report("mix " + Dissector.all[place].name, mix.filter { $0.dissector == place }, decoder)
  }
  report("mix", mix, decoder)
}

private func report(_ name: String, _ messages: [Kept], _ decoder: Decoder) {
  var pipeline = Pipeline(decoder: decoder)
  var summary = FrameSummary()
  var said = Observations()
  var number = 0
  for message in messages { for _ in 0..<2 { message.frame(1) { pipeline.process($0) } } }
  let turns = max(1, 20_000 / messages.count)
  var whole: [Double] = []
  var decoded: [Double] = []
  var walked: [Double] = []
  var allocations = 0.0
  let count = Double(turns * messages.count)
  for _ in 0..<5 {
    let before = bench_allocations()
    let start = threadTime()
    for _ in 0..<turns { for message in messages { message.frame(1) { pipeline.process($0) } } }
    let afterWhole = threadTime()
    allocations = Double(bench_allocations() - before) / count
    for _ in 0..<turns { for message in messages { message.frame(1) { decoder.decode($0, into: &summary, &said) } } }
    let afterDecoding = threadTime()
    for _ in 0..<turns { for message in messages { message.frame(1) { decoder.walk($0, into: &summary) } } }
    let end = threadTime()
    number &+= summary.payloadEnd
    whole.append(Double(afterWhole - start) / count)
    decoded.append(Double(afterDecoding - afterWhole) / count)
    walked.append(Double(end - afterDecoding) / count)
  }
  let walk = walked.min() ?? 0
  print(
    padded(name, 18, left: true), padded("\(messages.count)", 7), padded(fixed((whole.min() ?? 0) - walk, 0), 8),
    padded(fixed((decoded.min() ?? 0) - walk, 0), 14), padded(fixed(allocations, 2), 17))
}

/// Calls of the allocator for each frame once the tables know everybody: the file is gone through twice with the same state, and the second time
/// counts. Of bulk frames it must be none.
func allocationBench(_ path: String) {
  var pipeline = Pipeline()
  drain(path) { pipeline.process($0) }
  var calls = [Int: (frames: Int, calls: Int)]()
  var bulkFrames = 0
  var bulkCalls = 0
  let decoder = Decoder()
  var summary = FrameSummary()
  var said = Observations()
  drain(path) { frame in
    decoder.decode(frame, into: &summary, &said)
    let before = bench_allocations()
    pipeline.process(frame)
    let made = Int(bench_allocations() - before)
    if said.dissector < 0 {
      bulkFrames += 1
      bulkCalls += made
    } else {
      calls[said.dissector, default: (0, 0)].frames += 1
      calls[said.dissector, default: (0, 0)].calls += made
    }
  }
  print("bulk frames \(bulkFrames) allocations \(bulkCalls)")
  let frames = calls.values.reduce(0) { $0 + $1.frames }
  let all = calls.values.reduce(0) { $0 + $1.calls }
  print("discovery frames \(frames) allocations \(all) each \(fixed(Double(all) / Double(max(1, frames)), 2))")
  for place in calls.keys.sorted() {
    guard let own = calls[place] else { continue }
    print("  \(Dissector.all[place].name) frames \(own.frames) each \(fixed(Double(own.calls) / Double(own.frames), 2))")
  }
}

/// What the worst frames of 9,216 bytes cost each dissector, in steps and in time (`reliability.md` P2: 10,000 and 2 ms at most).
func worstBench() {
  print("dissector           frames  steps_worst    ns_worst")
  for dissector in Dissector.all {
    var frames = 0
    var steps = 0
    var time = 0
    for worst in Corpus.all.filter({ $0.dissector == dissector.name }).flatMap(WorstPayload.all(of:)) {
      frames += 1
      var best = Int.max
      for _ in 0..<3 {
        let start = threadTime()
        steps = max(steps, worst.steps())
        best = min(best, threadTime() - start)
      }
      time = max(time, best)
    }
    print(padded(dissector.name, 18, left: true), padded("\(frames)", 7), padded("\(steps)", 12), padded("\(time)", 11))
  }
}
