import Fixtures
import Model
import Scenarios
import Testing
import Wire

@testable import Publish

/// The words of the text report where a home has one, none or many of a thing.
@Suite("The text report's words")
struct ReportTextTests {
  private static let host = Box("", "60:a4:4c:61:00:0a", "192.168.0.30")

  private static func text(_ snapshot: Snapshot) -> String {
    Golden.utc
    return TextReport(style: TextStyle(version: "1")).text(snapshot)
  }

  private static func one(_ change: (inout Host) -> Void = { _ in }) -> Snapshot {
    var snapshot = Scenario("one") { host.announces() }.snapshot()
    change(&snapshot.hosts[0])
    return snapshot
  }

  @Test("one frame is one frame")
  func numbers() {
    let text = Self.text(Self.one())
    #expect(text.contains("1 frame, ") && !text.contains("1 frames"))
    #expect(text.contains("1 device · 1 subnet\n"))
  }

  @Test("a capture over several days says both")
  func days() {
    var snapshot = Self.one()
    let start = Timestamp(seconds: 1_360_855_657, nanoseconds: 0)
    snapshot.capture.started = start
    snapshot.capture.ended = Timestamp(seconds: 1_413_056_123, nanoseconds: 0)
    #expect(Label.captured(snapshot).hasSuffix("604 days, 2013-02-14 15:27:37 to 2014-10-11 19:35:23 +0000"), "\(Label.captured(snapshot))")
    snapshot.capture.ended = start
    #expect(Label.captured(snapshot).hasSuffix("0 s, 15:27:37 to 15:27:37 +0000 on 2013-02-14"), "\(Label.captured(snapshot))")
    snapshot.capture.isLive = true
    #expect(Label.captured(snapshot).hasSuffix("0 s, 15:27:37 to 15:27:37 +0000"))
  }

  @Test("the signs that stand in the map are explained, and no others")
  func legend() {
    #expect(Self.text(Self.one()).contains("(brackets): it told no name.\n"))
    let named = Self.one { $0.names = [HostName(text: WireText("desk"), source: "dhcp", frame: 1)] }
    #expect(!Self.text(named).contains("brackets"))
    let linked = Self.one {
      $0.names = [HostName(text: WireText("desk"), source: "dhcp", frame: 1)]
      let reason = Reason(basis: "lltd", field: "medium", value: WireText("6"), frame: 1, time: nil, weight: 25, kind: .declared)
      $0.medium = Verdict(.ethernet, confidence: 0.99, reasons: [reason])
    }
    #expect(Self.text(linked).contains("\nhigh, likely, perhaps: how sure its link type is, and who says so.\n"))
  }

  @Test("all IPv4 addresses of a device stand in the map, a crowd of them as a number")
  func addresses() {
    let several = Self.one { $0.ipv4 = [30, 31, 32].map { ip4("192.168.0.\($0)") } }
    let lines = Self.text(several).split(separator: "\n")
    let first = lines.firstIndex { $0.contains("192.168.0.30  60:a4") || $0.contains("192.168.0.30 60:a4") }
    #expect(
      first.map { lines[($0 + 1)...($0 + 2)].map { $0.split(separator: " ").last.map(String.init) } } == ["192.168.0.31", "192.168.0.32"])
    let dot = DOTGraph().text(several)
    #expect(dot.contains("192.168.0.31") && dot.contains("192.168.0.32"))
    let crowd = Self.text(Self.one { $0.ipv4 = (1...30).map { ip4("192.168.0.\($0)") } })
    #expect(crowd.contains("192.168.0.9\n") && !crowd.contains("192.168.0.10") && crowd.contains("and 21 more"))
  }

  @Test("that a device has more addresses than the map shows is said")
  func hidden() {
    let note = "--format json lists both."
    #expect(!Self.text(Self.one { $0.ipv6 = [ip("fe80::a").v6].compactMap(\.self) }).contains(note))
    #expect(Self.text(Self.one { $0.ipv6 = [ip("2001:db8::a").v6].compactMap(\.self) }).contains(note))
  }

  @Test("a device without a name is called by what it is, its model or its maker, or why it has none")
  func names() {
    #expect(Label.name(Self.one().hosts[0]) == "(00:0a)")
    #expect(Label.name(Self.one { $0.model = WireText("SG 200-08P") }.hosts[0]) == "(SG 200-08P 00:0a)")
    let made = ["da:5f:13:90:2e:77", "02:00:00:00:00:0a", "00:00:5e:00:01:01"].map { text in
      let seen = Scenario("made") { Box("", text, "192.168.0.9").announces() }.snapshot()
      return Label.maker(seen.hosts[0])
    }
    #expect(made == ["private", "self-set", "shared"])
  }

  @Test("what an address alone tells is no more than likely, and told once")
  func virtual() {
    let text = Self.text(Scenario("guest") { Box("desk", "08:00:27:61:00:07", "192.168.0.31").announces() }.snapshot())
    #expect(text.contains("(virtual machine 00:07) ") && text.contains(" likely, its MAC\n"), "\(text)")
  }

  @Test("a device without a name shows the roles that it is not called by")
  func otherRoles() {
    let snapshot = Self.one { $0.roles = [.dhcpServer, .computer] }
    #expect(Label.name(snapshot.hosts[0]) == "(DHCP 00:0a)")
    #expect(Label.otherRoles(snapshot.hosts[0]) == "computer")
  }
}
