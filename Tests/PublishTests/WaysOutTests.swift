import Fixtures
import Model
import Scenarios
import Testing
import Wire

@testable import Publish

private let router = Box("", "5c:a6:e6:b0:00:10", "192.168.1.1")
private let pc = Box("desk", "60:a4:4c:b0:00:0a", "192.168.1.20")

/// How sure a way out is, in every form of the report.
@Suite("Ways out in the report")
struct WaysOutTests {
  private func text(_ snapshot: Snapshot) -> String { TextReport(style: TextStyle(version: "1")).text(snapshot) }

  @Test("what one host looked for is perhaps the way out, and no root of the map")
  func candidate() {
    let seen = Scenario("asks", seen: .mirror) { At(1) { pc.arp(for: router) } }.snapshot()
    #expect(text(seen).contains("perhaps gateway 192.168.1.1"), "\(text(seen))")
    #expect(text(seen).contains("way out not seen"))
    #expect(JSONReport(version: "1").text(seen).contains("\"confidence\": 0.66"))
  }

  @Test("a way out that was named but not heard is said to be both")
  func named() {
    let server = Box("", "5c:a6:e6:b1:00:05", "192.168.1.5")
    let seen = Scenario("named", seen: .mirror) {
      At(1) { pc.dhcp(from: server, .init(gateway: "192.168.1.254", server: "192.168.1.5")) }
    }.snapshot()
    #expect(text(seen).contains("its way out, 192.168.1.254, was not heard"), "\(text(seen))")
    #expect(!text(seen).contains("way out not seen"))
  }

  @Test("the mask of addresses that devices make up is the standard's, and nobody's word")
  func linkLocal() {
    let lone = Box("console", "7c:ed:8d:b2:00:05", "169.254.7.9")
    let page = text(Scenario("no answer", seen: .mirror) { At(1) { lone.announces() } }.snapshot())
    #expect(page.contains("mask as the standard fixes it"), "\(page)")
    #expect(!page.contains("own word"))
  }

  @Test("a way out that told no address is the root of the map, and is kept secret where names are")
  func nameless() {
    let silent = Box("", "5c:a6:e6:b2:00:10")
    let seen = Scenario("nameless", seen: .mirror) {
      At(1) { pc.announces() }
      At(5) { pc.web(Site("www.example.com", "203.0.113.20"), via: silent, bytes: 20_000) }
    }.snapshot()
    #expect(text(seen).contains("way out through"), "\(text(seen))")
    #expect(!text(seen).contains("way out not seen"))
    #expect(JSONReport(version: "1").text(seen).contains("\"nextHop\""))
    let safe = ShareSafe.applied(to: seen)
    #expect(safe.subnets.first?.nextHop.map { hop in safe.host(hop.host) != nil } == true)
    for form in ReportFormat.allCases {
      #expect(!form.renderer(TextStyle(version: "1")).text(safe).contains("b2:00:10"), "\(form.rawValue)")
    }
  }
}
