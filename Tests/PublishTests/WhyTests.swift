import Fixtures
import Scenarios
import Testing
import Wire

@testable import Model
@testable import Publish

/// `why`: every claim about one thing, from a snapshot or from the document that a daemon published of it.
@Suite("Why")
struct WhyTests {
  private static let style = TextStyle(version: "golden")
  private static let story = CableHome.scenario.snapshot()

  private static func subjects(_ snapshot: Snapshot) -> [Claim.Subject] {
    snapshot.hosts.map { .device($0.id) } + snapshot.subnets.map { .subnet($0.prefix) }
  }

  private static func why(_ subject: Claim.Subject, _ snapshot: Snapshot) -> String {
    WhyReport(style: style, about: subject).text(snapshot)
  }
  private static func json(_ subject: Claim.Subject?, _ snapshot: Snapshot) -> String {
    EvidenceReport(version: "golden", about: subject).text(snapshot)
  }

  @Test("the story's question is answered as it was reviewed, in each form", arguments: ["box", "network", "server", "adapter", "shared"])
  func golden(what: String) throws {
    Golden.utc
    var snapshot = Self.story
    snapshot.capture.name = WireText("cable home")
    let words = ["box": CableHome.setTopBox.mac.description, "network": "10.166.179.x", "server": "10.166.176.1", "adapter": "40:7e"]
    var subject = try #require(SubjectSearch(snapshot).find(words[what] ?? "10.166.179.23").first)
    if what == "shared" { (snapshot, subject) = ShareSafe.applied(to: snapshot, about: subject) }
    for (form, text) in [("txt", Self.why(subject, snapshot)), ("json", Self.json(subject, snapshot))] {
      let difference = Golden.difference("cable-home-why-\(what).\(form)", text)
      #expect(difference == nil, "\(difference ?? "")")
    }
  }

  @Test("that a range of addresses is the standard's is nobody's word")
  func linkLocal() throws {
    let lone = Box("console", "7c:ed:8d:b2:00:05", "169.254.7.9")
    let seen = Scenario("no answer", seen: .mirror) { At(1) { lone.announces() } }.snapshot()
    let text = Self.why(try #require(seen.subnets.first.map { .subnet($0.prefix) }), seen)
    #expect(text.contains("169.254.0.0/16 is its range of addresses, as the standard fixes it."), "\(text)")
    #expect(!text.contains("own word"))
  }

  @Test("the answer to \"why 10.166.179.x\" names the words that the box said, the relay, the server and the frames")
  func story() throws {
    let subject = try #require(SubjectSearch(Self.story).find("10.166.179.23").first)
    let text = Self.why(subject, Self.story).split { $0 == "\n" || $0 == " " }.joined(separator: " ")
    for part in [
      "It is a set-top box. (high)", "10.166.179.0/24, where it lives, is a network of the operator. (high)",
      "do not belong to your home network, although they use the same cable", "\"cabletv-stb-2:HD-DVR\", frame 1",
      "it chose a DHCP server outside both networks: DHCP", "10.166.176.1", "came through a relay", "frame 2 [+8]",
      "It is not behind the home's router",
    ] {
      #expect(text.contains(part), "\(part)\n\(text)")
    }
  }

  @Test("every claim has its record, names frames of the capture, and stands in text and document alike", arguments: Homes.all)
  func complete(home: Scenario) throws {
    Golden.utc
    let snapshot = home.snapshot()
    let document = Self.json(nil, snapshot)
    try StrictDocuments.checkJSON(document)
    let read = try #require(EvidenceReader.snapshot(Array(document.utf8)))
    for subject in Self.subjects(snapshot) {
      let claims = snapshot.claims(about: subject)
      #expect(!claims.isEmpty)
      for claim in claims where claim.kind != .vlan {
        #expect(!claim.reasons.isEmpty, "\(subject) \(claim.kind.rawValue) \(claim.value.display)")
        #expect(zip(claim.reasons, claim.reasons.dropFirst()).allSatisfy { $0.weight >= $1.weight }, "\(claim)")
        for reason in claim.reasons + claim.against {
          #expect(reason.frame.map { (1...snapshot.capture.frames).contains($0) } ?? true)
        }
        if let sure = claim.confidence { #expect(sure > 0 && sure <= 0.99, "\(claim)") }
      }
      let text = Self.why(subject, snapshot)
      for line in text.split(separator: "\n") { #expect(Page.columns(String(line)) <= Page.width, "\(line)") }
      // What the daemon published says the same, in both forms.
      #expect(Self.why(subject, read) == text)
      #expect(Self.json(subject, read) == Self.json(subject, snapshot))
    }
    #expect(Self.json(nil, read) == document)
  }

  @Test("an address that two devices show says so for both")
  func conflict() throws {
    let router = Box("gateway", "a0:63:91:40:00:10", "192.168.1.1")
    let one = Box("desk", "60:a4:4c:40:00:0a", "192.168.1.20")
    let other = Box("attic", "60:a4:4c:40:00:0b", "192.168.1.20")
    let snapshot = Scenario("conflict", seen: .mirror, seed: 3) {
      At(1) { one.dhcp(from: router) }
      At(5) { one.announces() }
      At(9) { other.announces() }
      At(12) { one.announces() }
    }.snapshot()
    let found = SubjectSearch(snapshot).find("192.168.1.20")
    #expect(found.count == 2)
    for (mac, rival) in [(one.mac, other.mac), (other.mac, one.mac)] where snapshot.host(mac) != nil {
      let claim = try #require(snapshot.claims(about: .device(mac)).first { $0.kind == .address })
      #expect(claim.against.contains { $0.value == WireText(rival.description) }, "\(claim)")
    }
    // The one that a server gave it is the surer one.
    let sure = [one, other].map { box in snapshot.claims(about: .device(box.mac)).first { $0.kind == .address }?.confidence ?? 0 }
    #expect(sure[0] > sure[1], "\(sure)")
  }

  @Test("what nobody told is said to be unknown, with what would decide it")
  func unknown() {
    let router = Box("gateway", "a0:63:91:40:00:10", "192.168.1.1")
    let mute = Box("", "60:a4:4c:40:00:0c", "192.168.1.30")
    let snapshot = Scenario("mute", seen: .mirror, seed: 4) {
      At(1) { mute.arp(for: router) }
      At(5) { mute.announces() }
    }.snapshot()
    let text = Self.why(.device(mute.mac), snapshot)
    for part in ["Its name: it told none.", "What it is: nothing", "How it is connected", "What it hangs on", "To find out: "] {
      #expect(text.contains(part), "\(text)")
    }
  }

  @Test("two records that contradict each other leave it open, and both are shown")
  func unclear() {
    var scale = Scale.example()
    #expect(scale.verdict(others: 3) == nil)
    #expect(scale.unclear(others: 3).map(\.answer) == [.wifi, .ethernet])
    scale = Scale.example(second: 3)
    #expect(scale.unclear(others: 3).isEmpty && scale.verdict(others: 3)?.answer == .wifi)
    var snapshot = Self.story
    snapshot.hosts[0].medium = nil
    snapshot.hosts[0].mediumUnclear = Scale.example().unclear(others: 3)
    let text = Self.why(.device(snapshot.hosts[0].id), snapshot)
    #expect(text.contains("may be connected by Wi-Fi; another record says otherwise"))
    #expect(text.contains("connected by Ethernet cable; another"))
    #expect(text.contains("the records above contradict each other"))
  }

  // MARK: Whom a word means

  @Test(
    "a device, an address or a subnet is found by every name it goes by",
    arguments: [
      ("den-pc", "d8:cb:8a:15:ee:03"), ("DEN-PC", "d8:cb:8a:15:ee:03"), ("D8-CB-8A-15-EE-03", "d8:cb:8a:15:ee:03"),
      ("ee:03", "d8:cb:8a:15:ee:03"), ("192.168.0.14", "d8:cb:8a:15:ee:03"), ("phone 2e:77", "da:5f:13:90:2e:77"),
      ("(phone 2e:77)", "da:5f:13:90:2e:77"), ("gateway", "00:1d:d1:5a:20:10"), ("router", "00:1d:d1:5a:20:10"),
      ("internet", "00:1d:d1:5a:20:10"), ("operator's gateway", "00:01:5c:64:90:02"), ("10.166.179.0/24", "10.166.179.0/24"),
      ("10.166.179.x", "10.166.179.0/24"), ("10.166.179.*", "10.166.179.0/24"), ("10.166.179", "10.166.179.0/24"),
      ("10.166.179.0", "10.166.179.0/24"), ("10.166.179.128/25", "10.166.179.0/24"), ("192.168.x.x", "192.168.0.0/24"),
      ("10.166.176.1", "10.166.176.1"),
    ])
  func search(word: String, wanted: String) {
    let search = SubjectSearch(Self.story)
    let found = search.find(word)
    #expect(found.count == 1 && found.first.map { search.line($0).contains(wanted) } == true, "\(word): \(found.map(search.line))")
  }

  @Test("what means nothing here is not found, and what is nearest comes first")
  func nearest() {
    func distance(_ a: String, _ b: String) -> Int { abs(a.utf8.count - b.utf8.count) + zip(a.utf8, b.utf8).count { $0 != $1 } }
    let search = SubjectSearch(Self.story)
    for word in ["", "den", "10.0.0.1", "8.8.8.8", "203.0.113.20", "00:11:22:33:44:55", "10.0.0.0/24", "x.x.x.x", "..", "é", "2e"] {
      #expect(search.find(word).isEmpty, "\(word)")
    }
    #expect(search.nearest(to: "den-pd", distance).first.map(search.line)?.hasPrefix("den-pc") == true)
    #expect(search.nearest(to: "laptop", distance).first.map(search.line)?.hasPrefix("kitchen-laptop") == true)
    #expect(
      search.nearest(to: "192.168.0.99", distance).first == .subnet(Prefix("192.168.0.0/24") ?? Prefix(IPAddress(high: 0, low: 0), 0)))
    #expect(SubjectSearch(Snapshot()).nearest(to: "a", distance).isEmpty)
  }

  @Test("two devices of one name are both offered")
  func ambiguous() {
    var snapshot = Self.story
    for at in snapshot.hosts.indices.prefix(2) { snapshot.hosts[at].names = [HostName(text: WireText("twin"), source: "dhcp", frame: 1)] }
    #expect(SubjectSearch(snapshot).find("twin").count == 2)
    // The exact name comes before one that differs in case.
    snapshot.hosts[1].names = [HostName(text: WireText("Twin"), source: "dhcp", frame: 1)]
    #expect(SubjectSearch(snapshot).find("Twin") == [.device(snapshot.hosts[1].id)])
    #expect(SubjectSearch(snapshot).find("TWIN").count == 2)
  }

  // MARK: The document

  @Test(
    "what is no whole document of ours is refused",
    arguments: [
      "", "{", "[]", "null", "{\"schema\": \"lanatomy.report/1\"}", "{\"schema\": \"lanatomy.evidence/1\"", "{\"schema\": 1}",
      "{\"schema\": \"lanatomy.evidence/1\"} x", "{\"schema\": \"lanatomy.evidence/1\", \"devices\": [}", "{\"a\" 1}", "\"\\ud800\"",
      "{\"schema\": \"lanatomy.evidence/1\",}",
    ])
  func refused(text: String) {
    #expect(EvidenceReader.snapshot(Array(text.utf8)) == nil)
  }

  @Test("strange values in it are left out, and no depth or cut stops the program")
  func strange() {
    let text =
      "{\"schema\": \"lanatomy.evidence/1\", \"devices\": [1, {\"id\": \"x\"}, {\"id\": \"00:11:22:33:44:55\", \"claims\": [{\"kind\": \"medium\", \"value\": \"rope\"}, {\"kind\": \"role\"}, {}]}], \"findings\": [{\"id\": \"rain\"}], \"subnets\": [{\"prefix\": \"10.0.0.0/99\"}]}"
    let snapshot = EvidenceReader.snapshot(Array(text.utf8))
    #expect(snapshot?.hosts.count == 1 && snapshot?.hosts.first?.medium == nil && snapshot?.hosts.first?.roles == [.host])
    #expect(snapshot?.findings.isEmpty == true && snapshot?.subnets.isEmpty == true)
    let deep = "{\"schema\": \"lanatomy.evidence/1\", \"devices\": " + String(repeating: "[", count: 100_000)
    #expect(EvidenceReader.snapshot(Array(deep.utf8)) == nil)
    let whole = Array(Self.json(nil, PlainFlat.scenario.snapshot()).utf8)
    for end in stride(from: 0, to: whole.count - 2, by: 997) { #expect(EvidenceReader.snapshot(Array(whole[..<end])) == nil) }
  }
}

extension Scale<Medium> {
  /// Wi-Fi at 25 beside Ethernet.
  static func example(second: Int = 24) -> Scale<Medium> {
    func reason(_ weight: Int) -> Reason {
      Reason(basis: "lltd", field: "medium", value: WireText("x"), frame: 3, time: nil, weight: weight, kind: .declared)
    }
    var scale = Scale<Medium>()
    scale.add(.ethernet, reason(second), .selfDeclared)
    scale.add(.wifi, reason(25), .reported)
    return scale
  }
}
