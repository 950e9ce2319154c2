import Fixtures
import FoundationEssentials
import Glibc
import Wire

/// What the fuzzer starts from and a replay runs through: every sample of `Tests/Corpus` as the input of each entry that can take it,
/// and every input of `Tests/Fuzz/Findings` that once broke something.
enum Seeds {
  struct Seed {
    var entry: String
    var name: String
    /// With the byte that picks the entry.
    var input: [UInt8]
  }

  static func all() -> [Seed] {
    var out: [Seed] = []
    func add(_ entry: String, _ name: String, _ bytes: [UInt8]) {
      guard let place = Entry.all.firstIndex(where: { $0.name == entry }) else { return }
      out.append(Seed(entry: entry, name: name, input: [UInt8(place)] + bytes))
    }
    var walk: [UInt8] = []
    var records: [UInt8] = []
    let decoder = Decoder()
    for sample in Corpus.all {
      let name = "\(sample.dissector)-\(sample.name)"
      guard let link = Entry.links.firstIndex(where: { $0.1 == sample.link }) else { continue }
      let cut = min(0xffff, max(0, sample.wireLength - sample.bytes.count))
      add("frame-\(Entry.links[link].0)", name, [UInt8(cut >> 8), UInt8(cut & 255)] + sample.bytes)

      var summary = FrameSummary()
      var said = Observations()
      decoder.decode(
        Frame(
          number: 1, time: Timestamp(nanoseconds: 0), interface: 0, link: sample.link, wireLength: sample.wireLength,
          bytes: sample.bytes.span.bytes),
        into: &summary, &said)
      if said.dissector >= 0 {
        let dissector = Dissector.all[said.dissector]
        for key in dissector.keys.indices.prefix(4) {
          let control = UInt8(key) | (summary.payloadIsCut ? 0x80 : 0)
          let payload = sample.bytes.dropFirst(summary.payloadOffset).prefix(summary.payloadLength)
          add(dissector.name, "\(name)-\(key)", [control] + payload)
        }
      }

      let head: [UInt8] = [1, UInt8(link), UInt8(sample.bytes.count >> 8), UInt8(sample.bytes.count & 255)]
      walk += head + sample.bytes
      if walk.count > 1500 {
        add("pipeline", "up-to-\(name)", walk)
        add("report", "up-to-\(name)", walk)
        walk = []
      }
      if sample.link == .ethernet, records.count < 1000 {
        let length = little(sample.bytes.count)
        records += little(1_700_000_000) + little(500_000) + length + little(sample.wireLength) + sample.bytes
      }
    }
    let inner = Corpus.all.filter { $0.link == .ethernet && $0.bytes.count > 54 && $0.bytes[12...13].elementsEqual([8, 0]) }.prefix(3)
    for sample in inner {
      for (name, head) in wrappings { add("frame-\(name)", "\(sample.dissector)-\(sample.name)", [0, 0] + head + sample.bytes[14...]) }
    }
    captures(records, add)
    let registry = "Registry,Assignment,Organization Name,Organization Address\r\nMA-L,002272,\"A \"\"quoted\"\" name, with comma\",X\r\n"
    add("vendors", "csv", Array(registry.utf8) + Array("MA-M,0022720,B,Y\nMA-S,002272000,C,\n".utf8))
    add("text", "mixed", Array("M\u{fc}ller's \u{202e}TV\u{1b}[31m".utf8) + [0xff, 0, 0x41, 0])
    for (name, text) in [("mac", "02:00:5e:00:00:01"), ("v4", "192.168.0.10/24"), ("v6", "fe80::1:2:3"), ("mapped", "::ffff:1.2.3.4")] {
      add("addresses", name, Array(text.utf8))
    }
    stored(add)
    for finding in findings() { add(finding.dissector, finding.name, finding.bytes) }
    return out
  }

  /// Inputs without their first byte, as annotated hex: `Findings/ENTRY/what-went-wrong.hex`.
  static func findings() -> [Sample] {
    let folder = Corpus.root.appendingPathComponent("Tests/Fuzz/Findings")
    let files = FileManager.default
    var out: [Sample] = []
    for entry in ((try? files.contentsOfDirectory(atPath: folder.path)) ?? []).sorted() {
      let place = folder.appendingPathComponent(entry)
      for file in ((try? files.contentsOfDirectory(atPath: place.path)) ?? []).sorted() where file.hasSuffix(".hex") {
        guard let text = try? String(contentsOf: place.appendingPathComponent(file), encoding: .utf8) else { continue }
        out.append(Corpus.parse(text, dissector: entry, name: String(file.dropLast(4))))
      }
    }
    return out
  }

  /// What other links put before an IPv4 packet.
  private static let wrappings: [(String, [UInt8])] = {
    let from: [UInt8] = [2, 0, 0, 0, 0, 1]
    let to: [UInt8] = [2, 0, 0, 0, 0, 2]
    let snap: [UInt8] = [0xaa, 0xaa, 3, 0, 0, 0, 8, 0]
    let data: [UInt8] = [0x08, 0x01, 0, 0] + to + from + to + [0x10, 0]
    let zeros = [UInt8](repeating: 0, count: 64)
    return [
      ("sll", [0, 4, 0, 1, 0, 6] + from + [0, 0, 8, 0]),
      ("sll2", [8, 0, 0, 0, 0, 0, 0, 2, 0, 1, 4, 6] + from + [0, 0]),
      ("radiotap", [0, 0, 14, 0, 0x2e, 0, 0, 0, 0, 12, 0x6c, 9, 0xa0, 0] + [0xc0, 0] + data + snap),
      ("radiotap", [0, 0, 15, 0, 0x2e, 0, 0, 0, 0, 12, 0x6c, 9, 0xa0, 0, 0xc0] + data + snap),
      ("802.11", data + snap),
      ("802.11", [0x88, 0x03, 0, 0] + to + from + to + [0x10, 0] + from + [0, 0] + snap),
      ("prism", [0x44, 0, 0, 0, 24, 0, 0, 0] + zeros.prefix(16) + data + snap),
      ("avs", [0x80, 0x21, 0x10, 1, 0, 0, 0, 64] + zeros.prefix(56) + data + snap),
      ("ppi", [0, 0, 32, 0, 105, 0, 0, 0, 2, 0, 20, 0] + zeros.prefix(20) + data + snap),
      ("pktap", [12, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0] + to + from + [8, 0]),
      ("dsa", to + from + [0xc0, 0x18, 0, 1, 8, 0]), ("edsa", to + from + [0xda, 0xda, 0, 0, 0xc0, 0x18, 0, 1, 8, 0]),
      ("dsa-brcm", to + from + [0x40, 0, 0, 3, 8, 0]), ("dsa-brcm-prepend", [0x40, 0, 0, 3] + to + from + [8, 0]),
      ("nflog", [2, 0, 0, 1, 16, 0, 8, 0, 0, 6, 0, 0] + from + [0, 0, 0, 1, 9, 0]),
      ("raw", []), ("ipv4", []), ("null", [2, 0, 0, 0]), ("loop", [0, 0, 0, 2]), ("ppp", [0xff, 3, 0, 0x21]), ("ppp", [0x21]),
      ("ppp-hdlc", [0xff, 3, 0, 0x21]), ("ppp-pppd", [0, 3, 0, 0x21]), ("ppp-direction", [1, 0xff, 3, 0, 0x21]),
      ("ppp-ether", [0x11, 0, 0, 1, 1, 0, 0, 0x21]), ("ipnet", Array(zeros.prefix(24))),
      ("ethernet", to + from + [0x81, 0, 0, 20, 0x88, 0x64, 0x11, 0, 0, 1, 0, 200, 0, 0x21]),
      ("ethernet", to + from + [0x88, 0x47, 0, 0, 0x11, 0xff]),
    ]
  }()

  /// One good row of each table, as `Entry.history` reads them, and a small document.
  private static func stored(_ add: (String, String, [UInt8]) -> Void) {
    let early: [UInt8] = [5, 0, 0, 0]
    let late: [UInt8] = [5, 0, 0, 60]
    let minute: [UInt8] = [6, 0, 1]
    let sums = [UInt8]((1...12).map { [1, $0] }.joined())
    func text(_ kind: UInt8, _ text: String) -> [UInt8] { [kind, UInt8(text.utf8.count)] + Array(text.utf8) }
    func row(_ table: UInt8, _ values: [UInt8]...) -> [UInt8] { [table] + Array(values.joined()) }
    let null: [UInt8] = [0]
    func int(_ value: UInt8) -> [UInt8] { [1, value] }
    var rows = [
      row(0, int(2), int(2), null, early, late, int(30), text(7, "Anna"), null),
      row(2, int(0), minute, int(2), sums),
      row(3, int(1), minute, int(2), late, sums, int(1)),
      row(4, int(1), int(1), int(0)),
      row(5, int(1), early, late, text(8, "eth0"), text(7, "host")),
      row(6, int(1), [9, 12], early, late),
      row(7, int(0), minute),
    ]
    for kind in 0..<12 as Range<UInt8> {
      rows.append(row(1, int(kind), int(2), [9, kind], [8, 6, 10, 0, 0, 1, 0, 0], null, early, kind % 2 == 0 ? null : late))
    }
    for (at, bytes) in rows.enumerated() { add("history", "row-\(at)", bytes) }
    add("history", "all", Array(rows.joined()))
    let document = """
      {"schema": "lanatomy.evidence/1", "generated": "2026-01-10T12:00:00Z", "capture": {"source": "live", "name": "eth0", "frames": 9},
      "devices": [{"id": "02:00:5e:00:00:01", "subnets": ["10.0.0.0/24"], "claims": [
      {"kind": "address", "value": "10.0.0.1", "confidence": 0.9, "text": "t", "for": [{"rule": "arp", "frames": [1, 2], "text": "w"}]},
      {"kind": "name", "value": "printer", "detail": "mDNS"}, {"kind": "attachment", "device": "02:00:5e:00:00:02"}]}],
      "subnets": [{"prefix": "10.0.0.0/24", "devices": ["02:00:5e:00:00:01"], "claims": [{"kind": "side", "value": "operator"}]}],
      "findings": [{"id": "two-dhcp-servers", "text": "t", "devices": ["02:00:5e:00:00:01"], "for": []}]}
      """
    add("evidence", "small", Array(document.utf8))
  }

  private static func little(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
  private static func big(_ bytes: [UInt8]) -> [UInt8] {
    stride(from: 0, to: bytes.count - 3, by: 4).flatMap { bytes[$0..<($0 + 4)].reversed() }
  }

  private static func captures(_ records: [UInt8], _ add: (String, String, [UInt8]) -> Void) {
    let rest: [UInt8] = [2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 1, 0, 0, 0]
    let plain = little(0xa1b2_c3d4) + rest + records
    add("capture-file", "pcap", plain)
    add("capture-file", "pcap-nano", little(0xa1b2_3c4d) + rest + records)
    add("capture-file", "pcap-modified", little(0xa1b2_cd34) + rest + records)
    let header = little(0xa1b2_c3d4) + [0, 4, 0, 2] + [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 1]
    add(
      "capture-file", "pcap-swapped",
      Array(big(little(0xa1b2_c3d4)) + [0, 2, 0, 4] + header[8...] + big(little(1_700_000_000)))
        + big(little(5)) + big(little(4)) + big(little(60)) + [1, 2, 3, 4])

    // Section header, interface with a name and a resolution, a frame with its interface, a simple frame, statistics.
    let data: [UInt8] = [2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 6, 0, 1]
    func block(_ type: Int, _ body: [UInt8]) -> [UInt8] { little(type) + little(body.count + 12) + body + little(body.count + 12) }
    let next =
      block(0x0a0d_0d0a, little(0x1a2b_3c4d) + [1, 0, 0, 0] + [UInt8](repeating: 0xff, count: 8))
      + block(1, [1, 0, 0, 0] + little(0) + [2, 0, 4, 0] + Array("eth0".utf8) + [9, 0, 1, 0, 9, 0, 0, 0] + little(0))
      + block(6, little(0) + little(395_812) + little(0x1234_5678) + little(16) + little(60) + data + [2, 0, 4, 0, 1, 0, 0, 0] + little(0))
      + block(3, little(16) + data)
      + block(5, little(0) + little(395_812) + little(9) + [5, 0, 8, 0] + little(7) + little(0) + little(0))
    add("capture-file", "pcapng", next)
    // Gzip with one stored block; a wrong check sum comes after all frames.
    let length = [UInt8(plain.count & 255), UInt8(plain.count >> 8)]
    add("capture-file", "gzip", [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1] + length + length.map { ~$0 } + plain + little(0) + little(0))
  }

  /// One file for each seed, in a folder for each entry.
  static func write(to folder: String) {
    for seed in all() {
      let place = "\(folder)/\(seed.entry)"
      try? FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
      guard FileManager.default.createFile(atPath: "\(place)/\(seed.name)", contents: Data(seed.input)) else {
        fatalError("cannot write \(place)/\(seed.name)")
      }
    }
  }
}
