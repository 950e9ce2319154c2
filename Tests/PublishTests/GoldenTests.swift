import Fixtures
import Model
import Scenarios
import Testing
import Wire

@testable import Publish

/// Each example home through each renderer, compared with what was reviewed.
@Suite("Golden reports")
struct GoldenTests {
  @Test("are as they were reviewed", arguments: Homes.all, ReportFormat.allCases)
  func report(home: Scenario, format: ReportFormat) {
    Golden.utc
    var snapshot = home.snapshot()
    snapshot.capture.name = WireText(home.name)
    let text = format.renderer(TextStyle(version: "golden")).text(snapshot)
    let name = home.name.split(separator: " ").joined(separator: "-")
    let difference = Golden.difference("\(name).\(format == .text ? "txt" : format.rawValue)", text)
    #expect(difference == nil, "\(difference ?? "")")
  }

  @Test("of the story's home are as they were reviewed when they can be shared", arguments: ReportFormat.allCases)
  func shared(format: ReportFormat) {
    Golden.utc
    let text = format.renderer(TextStyle(version: "golden")).text(ShareSafe.applied(to: CableHome.scenario.snapshot()))
    let difference = Golden.difference("cable-home-shared.\(format == .text ? "txt" : format.rawValue)", text)
    #expect(difference == nil, "\(difference ?? "")")
  }
}
