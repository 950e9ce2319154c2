import Fixtures
import Model
import Scenarios
import Testing
import Wire

/// Plays a film and looks at what is concluded, with what holds for every report: a claim names its proof, and none is surer than it may
/// be.
func look(_ film: Scenario, at location: SourceLocation = #_sourceLocation) -> Snapshot {
  let frames = film.frames()
  return look(frames, at: location)
}

func look(_ frames: [CapturedFrame], at location: SourceLocation = #_sourceLocation) -> Snapshot {
  let seen = snapshot(of: frames)
  for finding in seen.findings {
    let needsProof = ![.halfVisible, .captureLoss, .hostFlood].contains(finding.id)
    let proof = finding.reasons.contains { !$0.basis.isEmpty && (1...max(1, frames.count)).contains($0.frame ?? 0) }
    #expect(proof || !needsProof, "\(finding.id.rawValue) names no frame: \(finding.text)", sourceLocation: location)
  }
  for host in seen.hosts {
    for (sure, reasons) in [
      (host.medium?.confidence, host.medium?.reasons), (host.access?.confidence, host.access?.reasons),
      (host.attachedTo?.confidence, host.attachedTo?.reasons), (host.behindModem?.confidence, host.behindModem?.reasons),
    ] {
      guard let sure, let reasons else { continue }
      #expect(sure > 0 && sure <= 0.99, "\(host.id): confidence \(sure)", sourceLocation: location)
      #expect(!reasons.isEmpty, "\(host.id): a claim without a reason", sourceLocation: location)
    }
  }
  return seen
}

extension Snapshot {
  /// Ids of all findings but the one that every host's view has.
  var odd: Set<Finding.ID> { Set(findings.map(\.id)).subtracting([.halfVisible]) }

  func finding(_ id: Finding.ID) -> Finding? { findings.first { $0.id == id } }
  func host(_ box: Box) -> Host? { host(box.mac) }
  func subnet(_ text: String) -> Subnet? { subnets.first { $0.prefix.description == text } }
  func medium(_ box: Box) -> Medium? { host(box)?.medium?.answer }
  func side(_ box: Box) -> BehindModem? { host(box)?.behindModem?.answer }
  func roles(_ box: Box) -> [Role] { host(box)?.roles ?? [] }
  func attached(_ box: Box) -> MACAddress? { host(box)?.attachedTo?.answer }

  /// What a person would want to see when an expectation failed.
  var story: String {
    var lines: [String] = ["\(capture.vantage.rawValue), \(capture.frames) frames"]
    for host in hosts {
      let addresses = host.addresses.map(\.description).joined(separator: " ")
      let medium = host.medium.map { "\($0.answer) \($0.confidence)" } ?? "-"
      lines.append(
        "  \(host.id) \(host.virtualMACs) \(addresses) '\(host.name?.display ?? "")' \(host.roles.map(\.rawValue)) \(medium) "
          + "on \(host.attachedTo.map { "\($0.answer)" } ?? "-") \(host.behindModem.map { "\($0.answer) \($0.confidence)" } ?? "-")")
    }
    for subnet in subnets {
      lines.append(
        "  \(subnet.prefix) \(subnet.kind) by \(subnet.source) vlan \(subnet.vlan ?? 0) gateways "
          + "\(subnet.gateways.map { "\($0.address)@\($0.host?.description ?? "?")" }) servers "
          + "\(subnet.servers.map { "\($0.address)/\($0.relay?.description ?? "-")" }) \(subnet.hosts) \(subnet.confidence)")
    }
    for finding in findings { lines.append("  ! \(finding.id.rawValue): \(finding.text)") }
    return lines.joined(separator: "\n")
  }
}
