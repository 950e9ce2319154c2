import Fixtures
import Testing
import Wire

@Suite("Marks of messages")
struct MessageMarkTests {
  private static let toGroups = Corpus.all.filter { mark($0, $0.bytes) != nil }

  private static func mark(_ sample: Sample, _ bytes: [UInt8], wireLength: Int? = nil, seed: UInt64 = 1) -> UInt64? {
    var summary = FrameSummary()
    var mark: UInt64?
    lend(sample, bytes, wireLength) { frame in
      decoder.walk(frame, into: &summary)
      mark = MessageMark(frame, &summary, seed: seed)?.bits
    }
    return mark
  }

  private static let decoder = Decoder()

  private static func lend(_ sample: Sample, _ bytes: [UInt8], _ wireLength: Int?, _ body: (borrowing Frame) -> Void) {
    body(
      Frame(
        number: 1, time: Timestamp(nanoseconds: 1), interface: 0, link: sample.link, wireLength: wireLength ?? sample.wireLength,
        bytes: bytes.span.bytes))
  }

  private static func said(_ sample: Sample, _ bytes: [UInt8], wireLength: Int? = nil) -> [String] {
    var summary = FrameSummary()
    var out = Observations()
    lend(sample, bytes, wireLength) { decoder.decode($0, into: &summary, &out) }
    return out.items.map { String(describing: $0) } + ["\(String(describing: out.fault))", "\(out.left)", "\(summary.station)"]
  }

  @Test("whatever one byte or the length changes in what a message states, it changes its mark")
  func distinct() {
    #expect(Self.toGroups.count > 50)
    for sample in Self.toGroups {
      let (mark, said) = (Self.mark(sample, sample.bytes), Self.said(sample, sample.bytes))
      for at in sample.bytes.indices {
        for change in [0x01, 0x40, 0xff] as [UInt8] {
          var bytes = sample.bytes
          bytes[at] ^= change
          if Self.mark(sample, bytes) == mark, Self.said(sample, bytes) != said { Issue.record("\(sample): byte \(at)") }
        }
        let cut = Array(sample.bytes[..<at])
        if Self.mark(sample, cut) == mark, Self.said(sample, cut) != said { Issue.record("\(sample): cut to \(at)") }
      }
      let longer = sample.wireLength + 100
      if Self.mark(sample, sample.bytes, wireLength: longer) == mark, Self.said(sample, sample.bytes, wireLength: longer) != said {
        Issue.record("\(sample): longer on the wire")
      }
    }
  }

  @Test("the number of an IPv4 packet, which is another each time, leaves it")
  func repeated() {
    let sample = Corpus.sample("mdns", Self.name(in: "mdns"))
    var bytes = sample.bytes
    bytes[18] ^= 0x5a
    bytes[19] ^= 0xa5
    #expect(Self.mark(sample, bytes) == Self.mark(sample, sample.bytes))
  }

  /// The first sample of a protocol in a plain frame of IPv4.
  private static func name(in dissector: String) -> String {
    toGroups.first { $0.dissector == dissector && $0.link == .ethernet && $0.bytes[12] == 8 && $0.bytes[13] == 0 }?.name ?? ""
  }

  @Test("messages to one station and those of a radio have none; another seed makes another")
  func seeds() {
    for sample in Corpus.all {
      var summary = FrameSummary()
      Self.lend(sample, sample.bytes, nil) { Self.decoder.walk($0, into: &summary) }
      let mark = Self.mark(sample, sample.bytes)
      if !summary.isGroupDestination || summary.has(.isWireless) { #expect(mark == nil, "\(sample)") }
      if let mark { #expect(Self.mark(sample, sample.bytes, seed: 2) != mark, "\(sample)") }
    }
  }
}
