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

  @Test("survives each short run of bytes missing or doubled", arguments: Corpus.all)
  func runs(_ sample: Sample) {
    let bytes = sample.bytes
    for length in [1, 2, 3, 4, 6, 8, 12, 16, 20] where length < bytes.count {
      for at in 0...(bytes.count - length) {
        check(Array(bytes[..<at] + bytes[(at + length)...]), sample)
        check(Array(bytes[..<(at + length)] + bytes[at...]), sample)
      }
    }
  }

  @Test("survives the head of one sample with the tail of another of its kind", arguments: Corpus.all)
  func splices(_ sample: Sample) {
    for other in Corpus.all where other.dissector == sample.dissector && other.link == sample.link && other.name != sample.name {
      for at in 0..<min(sample.bytes.count, other.bytes.count) { check(Array(sample.bytes[..<at] + other.bytes[at...]), sample) }
    }
  }

  /// Ways for the same message to reach us: beside Ethernet the radio (monitor mode, a data frame from an access point), a tag, and the
  /// two forms of the "any" device, which know no destination but what kind it is.
  enum Way: CaseIterable {
    case tagged, wireless, cooked, cooked2

    var link: LinkType {
      switch self {
      case .tagged: .ethernet
      case .wireless: .ieee80211
      case .cooked: .linuxSLL
      case .cooked2: .linuxSLL2
      }
    }

    /// The bytes of an Ethernet frame as they come this way.
    func bytes(_ frame: [UInt8]) -> [UInt8] {
      let (to, from, type) = (frame[..<6], frame[6..<12], frame[12..<14])
      let isLLC = Int(frame[12]) << 8 | Int(frame[13]) < 0x600
      let kind: UInt8 = frame[0] & 1 == 0 ? 0 : frame[..<6].allSatisfy { $0 == 0xff } ? 1 : 2
      // Of 802.3 frames the length ends the message; the cooked header calls them 802.2.
      let end = isLLC ? min(frame.count, 14 + (Int(frame[12]) << 8 | Int(frame[13]))) : frame.count
      let protocolField: [UInt8] = isLLC ? [0, 4] : Array(type)
      switch self {
      case .tagged: return Array(to + from) + [0x81, 0, 0, 0] + frame[12...]
      case .wireless:
        let head: [UInt8] = [0x08, 0x02, 0, 0] + Array(to) + [2, 0, 0, 0, 0, 0xc0] + Array(from) + [0x10, 0]
        return head + (isLLC ? [] : [0xaa, 0xaa, 3, 0, 0, 0] + Array(type)) + frame[14..<end]
      case .cooked: return [0, kind, 0, 1, 0, 6] + Array(from) + [0, 0] + protocolField + frame[14..<end]
      case .cooked2: return protocolField + [0, 0, 0, 0, 0, 2, 0, 1, kind, 6] + Array(from) + [0, 0] + frame[14..<end]
      }
    }
  }

  @Test("says the same whichever way the message comes", arguments: Corpus.all)
  func ways(_ sample: Sample) {
    guard sample.link == .ethernet, sample.wireLength == sample.bytes.count, sample.bytes.count >= 14 else { return }
    let plain = decode(sample)
    guard plain.observations.dissector >= 0, plain.summary.vlanCount == 0, !plain.summary.flags.contains(.pppoe) else { return }
    // A key's frame tells over a cable whose station somebody is; the radio's header tells it anyway.
    let isToldByRadio = sample.dissector == "eapol"
    let expected = plain.claims.filter { $0 != .isLinkPartner }
    for way in Way.allCases {
      let bytes = way.bytes(sample.bytes)
      let said = decode(bytes, link: way.link)
      // Beside the message the radio's own header tells whose station its receiver is; and no cable ends at a card that only listens.
      let claims = said.observations.items.filter { $0.basis != "802.11" }.map(\.claim).filter { $0 != .isLinkPartner }
      switch way {
      case .wireless where isToldByRadio: #expect(Set(claims).isSubset(of: expected), "\(sample) \(way)")
      case .tagged, .wireless: #expect(claims == expected, "\(sample) \(way)")
      // What hangs on the destination is not known then; nothing else may be said in its place.
      case .cooked, .cooked2: #expect(Set(claims).isSubset(of: expected), "\(sample) \(way)")
      }
      for length in 0..<bytes.count {
        let cut = decode(Array(bytes.prefix(length)), link: way.link, wireLength: bytes.count)
        if cut.observations.items.count > said.observations.items.count { Issue.record("\(sample) \(way) cut to \(length)") }
      }
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
