import Fixtures
import Model
import Scenarios
import Testing
import Wire

@testable import Publish

/// P32 and P33: whatever a device calls itself, every output stays what it is, and no name is lost.
@Suite("Hostile names")
struct HostileNameTests {
  private static let style = TextStyle(version: "1")

  /// A home whose devices ask for addresses under these names, with the same texts as vendor class.
  private static func home(_ names: [[UInt8]]) -> Snapshot {
    let router = Box("", "00:1d:d1:5a:20:10", "10.20.0.1", prefixLength: 20)
    return Scenario("names") {
      for (at, name) in names.enumerated() {
        At(Double(at)) {
          device(at).dhcp(from: router, says: name.isEmpty ? [] : [DHCPOption(12, name), DHCPOption(60, name)])
          // Real devices speak when they have their address; who only ever asks for one is taken for an invention.
          device(at).announces()
        }
      }
    }.snapshot()
  }

  private static func device(_ at: Int) -> Box {
    Box("", "3c:a6:f6:00:\(hex(at >> 8)):\(hex(at & 255))", "10.20.\(at / 250 + 1).\(at % 250 + 1)", prefixLength: 20)
  }

  private static func hex(_ n: Int) -> String { (n < 16 ? "0" : "") + String(n, radix: 16) }

  /// The same home with each device called so, whatever the protocols made of it.
  private static func renamed(_ snapshot: Snapshot, _ names: [[UInt8]]) -> Snapshot {
    var out = snapshot
    var at = 0
    for place in out.hosts.indices where out.hosts[place].id.oui == 0x3c_a6f6 && at < names.count {
      out.hosts[place].names = [HostName(text: WireText(names[at]), source: "dhcp", frame: 1)]
      out.hosts[place].vendorClass = WireText(names[at])
      out.hosts[place].model = WireText(names[at])
      out.hosts[place].roles = [.computer]
      at += 1
    }
    if let host = out.hosts.first(where: { $0.id.oui == 0x3c_a6f6 }) {
      out.capture.name = host.names[0].text
      out.subnets[0].reason = "It told what it is: \"\(host.names[0].text.display)\"."
      out.subnets[0].reasons = names.map {
        Reason(basis: "dhcp", field: "option 12", value: WireText($0), frame: 1, time: nil, weight: 1, kind: .declared)
      }
    }
    return out
  }

  /// What `why` says of every device.
  private static func why(_ snapshot: Snapshot) -> String {
    snapshot.hosts.map { WhyReport(style: style, about: .device($0.id)).text(snapshot) }.joined()
  }

  private static let plain = (0..<HostileNames.all.count).map { Array("plain-\(1000 + $0)".utf8) }
  private static let heard = home(HostileNames.all)
  private static let calm = home(plain)
  private static let hostile = renamed(calm, HostileNames.all)
  private static let harmless = renamed(calm, plain)

  @Test("there are more than five hundred of them, and each reaches a report through DHCP or is refused there")
  func count() {
    #expect(HostileNames.all.count >= 500)
    let shown = Set(Self.heard.hosts.flatMap { $0.names.map(\.text) })
    #expect(shown.count > HostileNames.all.count * 3 / 4, "\(shown.count) of \(HostileNames.all.count)")
    // P33: what is displayed alike is still told apart.
    #expect(Self.heard.hosts.count == HostileNames.all.count + 1)
  }

  @Test("no output holds a byte that steers a terminal, or a character that nobody sees", arguments: ReportFormat.allCases)
  func clean(format: ReportFormat) {
    for snapshot in [Self.heard, Self.hostile] {
      for safe in [snapshot, ShareSafe.applied(to: snapshot)] {
        let text = format.renderer(Self.style).text(safe)
        let scalars = Set(text.unicodeScalars)
        for scalar in scalars where scalar != "\n" && WireText.clean(String(Character(scalar))) != String(Character(scalar)) {
          Issue.record("U+\(String(scalar.value, radix: 16)) in \(format.rawValue)")
        }
        #expect(!scalars.contains { $0.value < 0x20 && $0 != "\n" || $0.value == 0x7f || (0x80..<0xa0).contains($0.value) })
      }
    }
  }

  @Test("what why says of them is as clean, fits the page, and is the same from the daemon's document")
  func why() throws {
    for snapshot in [Self.heard, Self.hostile, ShareSafe.applied(to: Self.heard)] {
      let text = Self.why(snapshot)
      for scalar in Set(text.unicodeScalars) where scalar != "\n" {
        #expect(WireText.clean(String(Character(scalar))) == String(Character(scalar)), "U+\(String(scalar.value, radix: 16))")
      }
      for line in text.split(separator: "\n") { #expect(Page.columns(String(line)) <= Page.width, "\(line)") }
      let document = EvidenceReport(version: "1").text(snapshot)
      try StrictDocuments.checkJSON(document)
      let read = try #require(EvidenceReader.snapshot(Array(document.utf8)))
      #expect(read.hosts.map { $0.names.map(\.text) } == snapshot.hosts.map { $0.names.map(\.text) })
      // Roles that were only written in, to have names in them, have no record.
      guard snapshot.hosts.allSatisfy({ $0.roles == [.host] || !$0.roleReasons.isEmpty }) else { continue }
      let again = Self.why(read)
      let other = zip(text.split(separator: "\n"), again.split(separator: "\n")).first { $0 != $1 }
      #expect(again == text, "\(other.map { "\($0.0) is now \($0.1)" } ?? "cut")")
    }
    // Each is found by what was shown of it, by its bytes first.
    let search = SubjectSearch(Self.hostile)
    for host in Self.hostile.hosts where !(host.name?.isEmpty ?? true) {
      guard let name = host.name, MACAddress(name.uncleaned) == nil, IPAddress(name.uncleaned) == nil else { continue }
      #expect(search.find(name.display).contains(.device(host.id)), "\(name.display)")
    }
  }

  @Test("the text has the lines it has with plain names, and each fits the page")
  func lines() {
    let hostile = TextReport(style: Self.style).text(Self.hostile).split(separator: "\n", omittingEmptySubsequences: false)
    let plain = TextReport(style: Self.style).text(Self.harmless).split(separator: "\n", omittingEmptySubsequences: false)
    #expect(hostile.count == plain.count)
    for line in hostile { #expect(Page.columns(String(line)) <= Page.width, "\(line)") }
  }

  @Test("the JSON parses, keeps each name apart and its exact bytes beside it")
  func json() throws {
    for snapshot in [Self.heard, Self.hostile, ShareSafe.applied(to: Self.hostile)] {
      try StrictDocuments.checkJSON(JSONReport(version: "1").text(snapshot))
    }
    let text = JSONReport(version: "1").text(Self.hostile)
    for name in HostileNames.all where WireText(name).isAltered {
      #expect(text.contains("\"raw\": \"\(WireText(name).hex)\""))
    }
  }

  @Test("the SVG is well formed, and has the elements and attributes it has with plain names")
  func svg() throws {
    let hostile = try StrictDocuments.elements(of: SVGMap(version: "1").text(Self.hostile))
    let plain = try StrictDocuments.elements(of: SVGMap(version: "1").text(Self.harmless))
    #expect(hostile.sorted() == plain.sorted())
    _ = try StrictDocuments.elements(of: SVGMap(version: "1").text(Self.heard))
    // No script, no event, nothing from elsewhere.
    let text = SVGMap(version: "1").text(Self.hostile)
    #expect(
      !plain.contains {
        $0.hasPrefix("script") || $0.contains(" on") || $0.contains("xlink") || $0.hasPrefix("image") || $0.hasPrefix("a ")
      })
    #expect(!text.contains("href=\"http"))
  }

  @Test("the graph has the words it has with plain names, and its strings end where they should")
  func dot() throws {
    let hostile = try StrictDocuments.tokens(of: DOTGraph().text(Self.hostile))
    let plain = try StrictDocuments.tokens(of: DOTGraph().text(Self.harmless))
    #expect(hostile.words == plain.words)
    #expect(hostile.strings.count == plain.strings.count)
    _ = try StrictDocuments.tokens(of: DOTGraph().text(Self.heard))
  }

  @Test("honest names in any script show as they are")
  func honest() {
    let snapshot = Self.renamed(Self.home(Array(Self.plain.prefix(HostileNames.honest.count))), HostileNames.honest.map { Array($0.utf8) })
    let json = JSONReport(version: "1").text(snapshot)
    let text = TextReport(style: Self.style).text(snapshot)
    for name in HostileNames.honest {
      #expect(json.contains(name) && text.contains(name), "\(name)")
    }
  }

  @Test("Graphviz reads every graph", .enabled(if: Graphviz.isHere), arguments: Homes.all.indices.map { $0 } + [-1])
  func graphviz(at: Int) throws {
    let text = DOTGraph().text(at < 0 ? Self.hostile : Homes.all[at].snapshot())
    #expect(try Graphviz.reads(text))
  }
}
