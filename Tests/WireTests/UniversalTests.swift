import Fixtures
import Testing
import Wire

/// What every dissector owes us, whatever it reads: run over every sample of the corpus (`reliability.md` 3.3 and T2).
@Suite("Every dissector")
struct UniversalTests {
  @Test("has a sample frame that reaches it")
  func sampled() {
    for dissector in Dissector.all {
      let samples = Corpus.all.filter { $0.dissector == dissector.name }
      #expect(!samples.isEmpty, "\(dissector.name) has no sample in Tests/Corpus/\(dissector.name)")
      let reached = samples.contains { sample in
        let said = decode(sample)
        return said.observations.dissector >= 0 && Dissector.all[said.observations.dissector].name == dissector.name
      }
      #expect(reached || samples.isEmpty, "no sample of \(dissector.name) reaches it")
    }
  }

  @Test("belongs to the folder of its samples")
  func known() {
    let names = Set(Dissector.all.map(\.name))
    for sample in Corpus.all { #expect(names.contains(sample.dissector) || sample.dissector == "headers", "\(sample)") }
  }

  @Test("says of a cut frame a part of what it says of the whole, and calls the cut ours", arguments: Corpus.all)
  func prefixes(_ sample: Sample) {
    let whole = Set(decode(sample).claims)
    let wholeIsSound = decode(sample).observations.fault == nil && decode(sample).summary.stop == nil
    for length in 0..<sample.bytes.count {
      let said = decode(sample, cutTo: length)
      let extra = said.claims.filter { !whole.contains($0) && !$0.isPartialText(of: whole) }
      #expect(extra.isEmpty, "\(sample) cut to \(length)")
      if wholeIsSound {
        #expect(
          said.observations.fault?.isSenderFault != true, "\(sample) cut to \(length): \(String(describing: said.observations.fault))")
        #expect(said.summary.stop?.isSenderFault != true, "\(sample) cut to \(length): \(String(describing: said.summary.stop))")
      }
    }
  }

  @Test("survives each byte and each 16-bit word at its extremes", arguments: Corpus.all)
  func extremes(_ sample: Sample) {
    var bytes = sample.bytes
    for at in bytes.indices {
      let old = bytes[at]
      for value: UInt8 in [0, 1, 0x7f, 0x80, 0xfe, 0xff, old &+ 1] {
        bytes[at] = value
        check(bytes, sample)
      }
      bytes[at] = old
      guard at + 1 < bytes.count else { continue }
      let next = bytes[at + 1]
      for value: UInt16 in [0, 1, 0x7fff, 0x8000, 0xffff] {
        bytes[at] = UInt8(value >> 8)
        bytes[at + 1] = UInt8(truncatingIfNeeded: value)
        check(bytes, sample)
      }
      bytes[at] = old
      bytes[at + 1] = next
    }
  }

  private func check(_ bytes: [UInt8], _ sample: Sample) {
    let said = decode(bytes, link: sample.link, wireLength: sample.wireLength)
    if said.observations.items.count > Observations.limit { Issue.record("\(sample): too many observations") }
    if said.summary.payloadEnd > bytes.count { Issue.record("\(sample): payload beyond the frame") }
  }
}

extension Observation.Claim {
  /// Whether this is a claim of the whole frame that knew less when the frame was cut: a lease with fewer routers, a medium without
  /// its rate, a station without its signal.
  func isPartialText(of whole: Set<Observation.Claim>) -> Bool {
    switch self {
    case .leased(let lease):
      whole.contains {
        if case .leased(let full) = $0 { full.address == lease.address } else { false }
      }
    case .carries(let medium, rate: nil):
      whole.contains {
        if case .carries(medium, _) = $0 { true } else { false }
      }
    case .isStation(of: let bssid, signal: nil):
      whole.contains {
        if case .isStation(of: bssid, _) = $0 { true } else { false }
      }
    default: false
    }
  }
}
