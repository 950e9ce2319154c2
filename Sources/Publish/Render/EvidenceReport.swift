public import Model
import Wire

/// Every claim with its records, for programs and for `why` itself: schema `lanatomy.evidence/1`. A daemon publishes it whole, beside the
/// report; `why --json` writes the part about one subject. Keys, shapes and "not known" as in the report.
public struct EvidenceReport: Renderer {
  static let schema = "lanatomy.evidence/1"
  let version: String
  let subject: Claim.Subject?

  /// - Parameter subject: about what; nil for everything.
  public init(version: String, about subject: Claim.Subject? = nil) {
    self.version = version
    self.subject = subject
  }

  public func render(_ snapshot: Snapshot, into out: inout String) {
    var json = JSONWriter()
    json.object { json in
      json.string("schema", EvidenceReport.schema)
      json.string("version", version)
      json.string("generated", Clock.utc(snapshot.taken))
      capture(snapshot.capture, &json)
      json.array("devices") { json in
        for host in snapshot.hosts where concerns(host) { json.object { device(host, snapshot, &$0) } }
      }
      json.array("subnets") { json in
        for subnet in snapshot.subnets where concerns(subnet, snapshot) { json.object { self.subnet(subnet, snapshot, &$0) } }
      }
      if case .address(let address)? = subject {
        json.object("address") { json in
          json.string("ip", address.description)
          claims(snapshot.claims(about: .address(address)), &json)
        }
      }
      json.array("findings") { json in
        for finding in subject.map(snapshot.findings) ?? snapshot.findings {
          json.object { json in
            json.string("id", finding.id.rawValue)
            json.string("text", finding.text)
            json.array("devices") { json in for mac in finding.hosts { json.string(nil, mac.description) } }
            json.evidence(finding.reasons, as: "for", explains: true)
          }
        }
      }
    }
    out += json.text
    out += "\n"
  }

  private func concerns(_ host: Host) -> Bool {
    guard let subject else { return true }
    return subject == .device(host.id)
  }

  /// A device's networks are a part of its story.
  private func concerns(_ subnet: Subnet, _ snapshot: Snapshot) -> Bool {
    switch subject {
    case nil: true
    case .device(let mac): snapshot.host(mac)?.subnets.contains(subnet.prefix) ?? false
    case .subnet(let prefix): prefix == subnet.prefix
    case .address: false
    }
  }

  private func capture(_ facts: CaptureFacts, _ json: inout JSONWriter) {
    json.object("capture") { json in
      json.string("source", facts.isLive ? "live" : "file")
      json.wire("name", facts.name)
      json.string("started", facts.started.map(Clock.utc))
      json.string("ended", facts.ended.map(Clock.utc))
      json.int("frames", facts.frames)
      json.int("bytes", facts.bytes)
      json.int("dropped", facts.dropped)
      json.bool("truncated", facts.isTruncated)
      json.int("malformed", facts.malformed)
      json.string("vantage", facts.vantage.rawValue)
    }
  }

  private func device(_ host: Host, _ snapshot: Snapshot, _ json: inout JSONWriter) {
    json.string("id", host.id.description)
    json.array("subnets") { json in for prefix in host.subnets { json.string(nil, prefix.description) } }
    json.string("firstSeen", Clock.utc(host.firstSeen))
    json.string("lastSeen", Clock.utc(host.lastSeen))
    claims(host.claims, &json)
    unknown(Unknown.about(host, snapshot), &json)
  }

  private func subnet(_ subnet: Subnet, _ snapshot: Snapshot, _ json: inout JSONWriter) {
    json.string("prefix", subnet.prefix.description)
    json.array("devices") { json in for mac in subnet.hosts { json.string(nil, mac.description) } }
    claims(subnet.claims, &json)
    unknown(Unknown.about(subnet), &json)
  }

  private func claims(_ claims: [Claim], _ json: inout JSONWriter) {
    json.array("claims") { json in
      for claim in claims {
        json.object { json in
          json.string("kind", claim.kind.rawValue)
          json.wire("value", claim.value)
          if !claim.detail.isEmpty { json.string("detail", claim.detail) }
          json.string("device", claim.device?.description)
          if let confidence = claim.confidence { json.ratio("confidence", confidence) }
          json.string("basis", claim.basis.rawValue)
          if !claim.text.isEmpty { json.string("text", claim.text) }
          json.evidence(claim.reasons, as: "for", explains: true)
          json.evidence(claim.against, as: "against", explains: true)
        }
      }
    }
  }

  private func unknown(_ unknown: [Unknown], _ json: inout JSONWriter) {
    json.array("unknown") { json in
      for item in unknown {
        json.object { json in
          json.string("text", item.text)
          json.string("decides", item.decides)
        }
      }
    }
  }
}
