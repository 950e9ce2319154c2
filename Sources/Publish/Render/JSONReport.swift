public import Model
import Wire

/// The contract with programs: schema `lanatomy.report/1` (`report.md`). Unknown is an absent key.
public struct JSONReport: Renderer {
  let version: String

  public init(version: String) { self.version = version }

  public func render(_ snapshot: Snapshot, into out: inout String) {
    var json = JSONWriter()
    json.object { json in
      json.string("schema", "lanatomy.report/1")
      json.string("version", version)
      json.string("generated", Clock.utc(snapshot.taken))
      capture(snapshot.capture, &json)
      json.array("devices") { json in for host in snapshot.hosts { json.object { device(host, &$0) } } }
      json.array("subnets") { json in for subnet in snapshot.subnets { json.object { self.subnet(subnet, &$0) } } }
      json.array("links") { json in for link in snapshot.links { json.object { self.link(link, &$0) } } }
      json.array("linkTypes") { json in
        for use in snapshot.linkTypes {
          json.object { json in
            json.string("medium", use.medium?.rawValue ?? "unknown")
            json.array("devices") { json in for mac in use.devices { json.string(nil, mac.description) } }
            traffic(use.traffic, &json)
          }
        }
      }
      json.array("conversations") { json in
        for talk in snapshot.conversations {
          json.object { json in
            json.string("a", text(talk.a))
            json.string("b", text(talk.b))
            json.int("aToBBytes", talk.aToBBytes)
            json.int("bToABytes", talk.bToABytes)
            if let seen = talk.traffic { traffic(seen, &json) }
          }
        }
      }
      if let internet = snapshot.internet {
        json.array("interfaces") { json in
          for use in snapshot.interfaces {
            json.object { json in
              json.wire("name", use.name)
              traffic(use.traffic, &json)
            }
          }
        }
        json.object("internet") { traffic(internet, &$0) }
      }
      json.array("multicast") { json in
        for group in snapshot.multicast {
          json.object { json in
            json.string("group", group.group.description)
            json.array("members") { json in for mac in group.members { json.string(nil, mac.description) } }
            json.array("senders") { json in for mac in group.senders { json.string(nil, mac.description) } }
            json.int("bytes", group.bytes)
          }
        }
      }
      json.array("findings") { json in for finding in snapshot.findings { json.object { self.finding(finding, &$0) } } }
    }
    out += json.text
    out += "\n"
  }

  private func text(_ end: Endpoint) -> String {
    switch end {
    case .host(let mac): mac.description
    case .remote(let address): address.description
    }
  }

  private func capture(_ facts: CaptureFacts, _ json: inout JSONWriter) {
    json.object("capture") { json in
      json.string("source", facts.isLive ? "live" : "file")
      json.wire("name", facts.name)
      json.array("linkTypes") { json in for link in facts.linkTypes { json.string(nil, link.description) } }
      json.string("started", facts.started.map(Clock.utc))
      json.string("ended", facts.ended.map(Clock.utc))
      json.int("frames", facts.frames)
      json.int("bytes", facts.bytes)
      json.int("dropped", facts.dropped)
      json.int("duplicates", facts.duplicates)
      json.bool("truncated", facts.isTruncated)
      json.int("malformed", facts.malformed)
      json.string("filter", facts.filter.map { WireText.clean($0) })
      json.string("vantage", facts.vantage.rawValue)
    }
  }

  private func device(_ host: Host, _ json: inout JSONWriter) {
    json.string("id", host.id.description)
    json.string("mac", host.id.description)
    json.array("virtualMacs") { json in for mac in host.virtualMACs { json.string(nil, mac.description) } }
    json.string("vendor", host.vendor)
    json.bool("randomisedMac", host.isRandomised)
    json.array("ipv4") { json in for address in host.ipv4 { json.string(nil, address.description) } }
    json.array("ipv6") { json in for address in host.ipv6 { json.string(nil, address.description) } }
    json.array("names") { json in
      for name in host.names {
        json.object { json in
          json.wire("name", name.text)
          json.string("source", name.source)
        }
      }
    }
    json.wire("name", host.name)
    json.wire("vendorClass", host.vendorClass)
    json.wire("model", host.model)
    json.string("os", host.os)
    json.array("roles") { json in for role in host.roles { json.string(nil, role.rawValue) } }
    medium("medium", host.medium, &json)
    if host.access != nil, host.access?.answer != host.medium?.answer { medium("access", host.access, &json) }
    if let attached = host.attachedTo {
      json.string("attachedTo", attached.answer.description)
      json.ratio("attachmentConfidence", attached.confidence)
    }
    json.array("subnets") { json in for prefix in host.subnets { json.string(nil, prefix.description) } }
    json.string("behindModem", host.behindModem?.answer.rawValue ?? "unknown")
    if let behind = host.behindModem { json.ratio("behindModemConfidence", behind.confidence) }
    json.int("hops", host.hops)
    json.string("firstSeen", Clock.utc(host.firstSeen))
    json.string("lastSeen", Clock.utc(host.lastSeen))
    traffic(host.traffic, &json)
  }

  private func medium(_ key: String, _ verdict: Verdict<Medium>?, _ json: inout JSONWriter) {
    json.object(key) { json in
      json.string("value", verdict?.answer.rawValue ?? "unknown")
      json.ratio("confidence", verdict?.confidence ?? 0)
      json.evidence((verdict?.reasons ?? []) + (verdict?.against ?? []))
    }
  }

  private func pair(_ key: String, _ down: Int, _ up: Int, _ json: inout JSONWriter) {
    json.object(key) { json in
      json.int("down", down)
      json.int("up", up)
    }
  }

  private func traffic(_ traffic: Traffic, _ json: inout JSONWriter) {
    json.object("traffic") { json in
      // Of the internet line only bytes are known.
      let knowsFrames = traffic.sentFrames + traffic.receivedFrames > 0 || traffic.sentBytes + traffic.receivedBytes == 0
      json.int("sentFrames", knowsFrames ? traffic.sentFrames : nil)
      json.int("sentBytes", traffic.sentBytes)
      json.int("receivedFrames", knowsFrames ? traffic.receivedFrames : nil)
      json.int("receivedBytes", traffic.receivedBytes)
      json.int("internetBytes", traffic.internetBytes)
      json.int("localBytes", traffic.localBytes)
      json.int("operatorBytes", traffic.operatorBytes > 0 || traffic.today != nil ? traffic.operatorBytes : nil)
      json.int("rateDown", traffic.rateDown)
      json.int("rateUp", traffic.rateUp)
      if let today = traffic.today, let month = traffic.month {
        json.object("rates") { json in
          pair("1s", traffic.rates.secondDown, traffic.rates.secondUp, &json)
          pair("10s", traffic.rateDown, traffic.rateUp, &json)
          pair("1m", traffic.rates.minuteDown, traffic.rates.minuteUp, &json)
          pair("5m", traffic.rates.minutesDown, traffic.rates.minutesUp, &json)
        }
        pair("today", today.down, today.up, &json)
        pair("month", month.down, month.up, &json)
      }
      json.int("peak", traffic.peak)
      json.string("peakAt", traffic.peakAt.map(Clock.utc))
      json.bool("lowerBound", traffic.isLowerBound)
    }
  }

  private func subnet(_ subnet: Subnet, _ json: inout JSONWriter) {
    json.string("prefix", subnet.prefix.description)
    json.string("kind", subnet.kind.rawValue)
    json.string("prefixSource", subnet.source.rawValue)
    json.array("gateways") { json in
      for gateway in subnet.gateways {
        json.object { json in
          json.string("ip", gateway.address.description)
          json.string("device", gateway.host?.description)
          json.ratio("confidence", gateway.confidence)
        }
      }
    }
    if let hop = subnet.nextHop {
      json.object("nextHop") { json in
        json.string("device", hop.host.description)
        json.evidence(hop.reasons)
      }
    }
    json.array("dhcpServers") { json in
      for server in subnet.servers {
        json.object { json in
          json.string("ip", server.address.description)
          json.string("relay", server.relay?.description)
          json.string("device", server.host?.description)
        }
      }
    }
    json.int("vlan", subnet.vlan.map { Int($0) })
    json.array("devices") { json in for mac in subnet.hosts { json.string(nil, mac.description) } }
    json.ratio("confidence", subnet.confidence)
    json.string("reason", subnet.reason)
    json.evidence(subnet.evidence)
    traffic(subnet.traffic, &json)
  }

  private func link(_ link: Link, _ json: inout JSONWriter) {
    json.string("from", link.from.description)
    json.string("to", link.to.description)
    medium("medium", link.medium, &json)
    json.int("rate", link.rate?.bitsPerSecond)
    json.evidence(link.reasons)
  }

  private func finding(_ finding: Finding, _ json: inout JSONWriter) {
    json.string("id", finding.id.rawValue)
    json.string("severity", finding.severity.rawValue)
    json.string("text", finding.text)
    json.array("devices") { json in for mac in finding.hosts { json.string(nil, mac.description) } }
    json.evidence(finding.reasons)
  }
}
