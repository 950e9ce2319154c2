import Fixtures
import Testing
import Wire

/// One bad record hides nothing else (`reliability.md` P4, T4).
@Suite("One bad record")
struct IsolationTests {
  /// Protocols whose messages are lists in which one record can be bad by itself and is told as such. The others state one thing, have
  /// records of one length any of which is one (HomePlug, VRRP), or texts any of which is one (SSDP, PPPoE); and a bad name in a DNS
  /// message costs itself quietly (`protocols.md` 0, limit 5), which has tests of its own.
  static let withRecords = [
    "802.11", "cdp", "dhcp", "dhcpv6", "dns", "edp", "fdp", "ieee1905", "igmp", "lldp", "lltd", "mdns", "mld", "mndp", "ndp",
    "nsdp", "ubiquiti",
  ]

  private static let values: [UInt8] = [0, 1, 2, 3, 5, 6, 0x10, 0x7f, 0x80, 0xff]

  /// Calls `body` with every way to damage one byte of the payload of a sample that is sound.
  private func damage(_ sample: Sample, _ body: (_ at: Int, _ value: UInt8, _ whole: Decoded, _ said: Decoded) -> Void) {
    let whole = decode(sample)
    guard whole.observations.fault == nil, whole.summary.stop == nil, whole.observations.dissector >= 0 else { return }
    var bytes = sample.bytes
    for at in whole.summary.payloadOffset..<whole.summary.payloadEnd {
      let old = bytes[at]
      for value in Self.values where value != old {
        bytes[at] = value
        body(at, value, whole, decode(bytes, link: sample.link, wireLength: sample.wireLength))
      }
      bytes[at] = old
    }
  }

  @Test("is told as the sender's fault, and those before and behind it are learned", arguments: withRecords)
  func isolated(_ name: String) {
    var isIsolated = false
    for sample in Corpus.all where sample.dissector == name && !isIsolated {
      damage(sample) { _, _, whole, said in
        guard said.observations.fault?.isSenderFault == true else { return }
        let kept = Set(said.claims)
        let lost = whole.claims.indices.filter { !kept.contains(whole.claims[$0]) }
        guard let first = lost.first, let last = lost.last else { return }
        if first > 0, last < whole.claims.count - 1 { isIsolated = true }
      }
    }
    #expect(isIsolated, "no bad record of \(name) leaves both its neighbours")
  }

  @Test("unsays nothing that stood before it", arguments: Corpus.all)
  func before(_ sample: Sample) {
    // An option of length 0 makes a neighbour discovery message void as a whole (RFC 4861, 4.6).
    if sample.dissector == "ndp" { return }
    var before = (at: -1, claims: [Observation.Claim]())
    damage(sample) { at, value, _, said in
      if before.at != at { before = (at, decode(sample, cutTo: at).claims) }
      let now = Set(said.claims)
      // The byte may have become a second record of a kind, which counts in place of the first.
      let kinds = Set(said.claims.map(\.kind))
      let unsaid = before.claims.filter { !now.contains($0) && !$0.isPartialText(of: now) && !kinds.contains($0.kind) }
      if !unsaid.isEmpty { Issue.record("\(sample): \(value) at \(at) unsays \(unsaid)") }
    }
  }
}

extension Observation.Claim {
  /// Its case, without what it holds.
  fileprivate var kind: Substring { String(describing: self).prefix { $0 != "(" } }
}
