public import Model
import Wire

/// The same snapshot with nothing in it that tells whose network it is, so that its report can be posted in a forum.
///
/// Structure, roles, media, makers and figures stay. Names, the part of a MAC that is the device's own, public addresses and whatever
/// devices said in free text are replaced, in the sentences of explanations and findings too. What is not known to be harmless goes.
public enum ShareSafe {
  public static func applied(to snapshot: Snapshot) -> Snapshot {
    var mask = Mask(snapshot)
    return mask.masked(snapshot)
  }

  /// The same, and whom a subject is called there.
  public static func applied(to snapshot: Snapshot, about subject: Claim.Subject) -> (Snapshot, Claim.Subject) {
    var mask = Mask(snapshot)
    return (mask.masked(snapshot), mask.subject(subject))
  }
}

private struct Mask {
  private var pseudonyms: Pseudonyms
  private var scrubber: Scrubber
  /// Texts that may stay in part: what kind of box it is, by its bytes.
  private var kinds: [[UInt8]: WireText] = [:]

  init(_ snapshot: Snapshot) {
    let originals = Originals(snapshot)
    pseudonyms = Pseudonyms(avoiding: originals.macs.sorted(), originals.addresses.sorted())
    // In this order: devices are numbered as they are listed, subnets come before the addresses in them.
    for host in snapshot.hosts { _ = pseudonyms.mac(host.id) }
    for mac in originals.macs.sorted() { _ = pseudonyms.mac(mac) }
    for prefix in originals.prefixes.sorted(by: { ($0.length, $0) < ($1.length, $1) }) { _ = pseudonyms.prefix(prefix) }
    for address in originals.addresses.sorted() { _ = pseudonyms.address(address) }
    scrubber = Scrubber()
    for host in snapshot.hosts {
      for text in host.names.map(\.text) + (host.given?.name.map { [$0] } ?? []) { scrubber.learn(name: text, &pseudonyms) }
    }
    scrubber.settle()
    for host in snapshot.hosts {
      for text in [host.vendorClass, host.model] { if let text { kinds[text.bytes] = kind(text) } }
    }
    // Free texts of the evidence stand in sentences as well.
    for reason in originals.reasons {
      if case .free = scrubber.judge(reason.value, &pseudonyms), kinds[reason.value.bytes] == nil {
        scrubber.learn(text: reason.value, &pseudonyms)
      }
    }
    scrubber.settle()
  }

  private mutating func kind(_ text: WireText) -> WireText { WireText(scrubber.scrub(wire: text.uncleaned, &pseudonyms)) }

  mutating func subject(_ subject: Claim.Subject) -> Claim.Subject {
    switch subject {
    case .device(let mac): .device(pseudonyms.mac(mac))
    case .subnet(let prefix): .subnet(pseudonyms.prefix(prefix))
    case .address(let address): .address(pseudonyms.address(address))
    }
  }

  mutating func masked(_ snapshot: Snapshot) -> Snapshot {
    var out = snapshot
    capture(&out.capture)
    out.hosts = snapshot.hosts.map { host($0) }.sorted { $0.id < $1.id }
    out.subnets = snapshot.subnets.map { subnet($0, snapshot) }.sorted { $0.prefix < $1.prefix }
    for at in out.links.indices {
      out.links[at].from = pseudonyms.mac(out.links[at].from)
      out.links[at].to = pseudonyms.mac(out.links[at].to)
      verdict(&out.links[at].medium)
      reasons(&out.links[at].reasons)
    }
    for at in out.linkTypes.indices { macs(&out.linkTypes[at].devices) }
    for at in out.conversations.indices {
      out.conversations[at].a = end(out.conversations[at].a)
      out.conversations[at].b = end(out.conversations[at].b)
    }
    for at in out.interfaces.indices { out.interfaces[at].name = Mask.interface(out.interfaces[at].name) }
    for at in out.multicast.indices {
      out.multicast[at].group = pseudonyms.address(out.multicast[at].group)
      macs(&out.multicast[at].members)
      macs(&out.multicast[at].senders)
    }
    for at in out.findings.indices {
      out.findings[at].text = prose(out.findings[at].text, snapshot)
      macs(&out.findings[at].hosts)
      reasons(&out.findings[at].reasons)
    }
    return out
  }

  private mutating func capture(_ facts: inout CaptureFacts) {
    // People call files after themselves.
    facts.name = facts.isLive ? Mask.interface(facts.name) : WireText("capture")
    if facts.filter != nil { facts.filter = "hidden" }
    facts.observer = facts.observer.map { pseudonyms.mac($0) }
  }

  /// Of interfaces the usual names stay: those made of a MAC are longer.
  private static func interface(_ name: WireText) -> WireText {
    let isUsual = ["eth", "en", "wl", "br", "lo", "any"].contains { name.display.hasPrefix($0) } && name.display.utf8.count <= 9
    return isUsual ? name : WireText("interface")
  }

  private mutating func host(_ host: Host) -> Host {
    var out = host
    out.id = pseudonyms.mac(host.id)
    macs(&out.virtualMACs)
    out.ipv4 = host.ipv4.map { pseudonyms.v4($0) }
    out.ipv6 = host.ipv6.map { pseudonyms.v6($0) }
    for at in out.names.indices { out.names[at].text = WireText(scrubber.name(out.names[at].text, &pseudonyms)) }
    if let given = out.given?.name { out.given?.name = WireText(scrubber.name(given, &pseudonyms)) }
    out.vendorClass = host.vendorClass.map { kind($0) }
    out.model = host.model.map { kind($0) }
    out.os = host.os.map { scrubber.scrub(wire: $0, &pseudonyms) }
    reasons(&out.statements)
    verdicts(&out.roleReasons)
    verdicts(&out.holds)
    for at in out.holds.indices { out.holds[at].answer = pseudonyms.address(out.holds[at].answer) }
    verdicts(&out.joins)
    for at in out.joins.indices { out.joins[at].answer = pseudonyms.mac(out.joins[at].answer) }
    verdict(&out.medium)
    verdict(&out.access)
    if let attached = out.attachedTo { out.attachedTo?.answer = pseudonyms.mac(attached.answer) }
    verdict(&out.attachedTo)
    verdicts(&out.mediumUnclear)
    verdicts(&out.attachmentUnclear)
    for at in out.attachmentUnclear.indices { out.attachmentUnclear[at].answer = pseudonyms.mac(out.attachmentUnclear[at].answer) }
    verdict(&out.behindModem)
    out.subnets = host.subnets.map { pseudonyms.prefix($0) }
    return out
  }

  private mutating func subnet(_ subnet: Subnet, _ snapshot: Snapshot) -> Subnet {
    var out = subnet
    out.prefix = pseudonyms.prefix(subnet.prefix)
    for at in out.gateways.indices {
      out.gateways[at].address = pseudonyms.address(out.gateways[at].address)
      out.gateways[at].host = out.gateways[at].host.map { pseudonyms.mac($0) }
      reasons(&out.gateways[at].reasons)
    }
    if var hop = out.nextHop {
      hop.host = pseudonyms.mac(hop.host)
      reasons(&hop.reasons)
      out.nextHop = hop
    }
    for at in out.servers.indices {
      out.servers[at].address = pseudonyms.address(out.servers[at].address)
      out.servers[at].relay = out.servers[at].relay.map { pseudonyms.address($0) }
      out.servers[at].host = out.servers[at].host.map { pseudonyms.mac($0) }
      reasons(&out.servers[at].reasons)
    }
    macs(&out.hosts)
    out.reason = prose(out.reason, snapshot)
    reasons(&out.reasons)
    verdict(&out.judged)
    return out
  }

  private mutating func macs(_ macs: inout [MACAddress]) { for at in macs.indices { macs[at] = pseudonyms.mac(macs[at]) } }

  private mutating func end(_ end: Endpoint) -> Endpoint {
    switch end {
    case .host(let mac): .host(pseudonyms.mac(mac))
    case .remote(let address): .remote(pseudonyms.address(address))
    }
  }

  private mutating func verdict<Answer>(_ verdict: inout Verdict<Answer>?) {
    guard var known = verdict else { return }
    reasons(&known.reasons)
    reasons(&known.against)
    verdict = known
  }

  private mutating func verdicts<Answer>(_ verdicts: inout [Verdict<Answer>]) {
    for at in verdicts.indices {
      reasons(&verdicts[at].reasons)
      reasons(&verdicts[at].against)
    }
  }

  private mutating func reasons(_ reasons: inout [Reason]) {
    for at in reasons.indices { reasons[at].value = value(reasons[at].value) }
  }

  private mutating func value(_ text: WireText) -> WireText {
    if let kind = kinds[text.bytes] { return kind }
    switch scrubber.judge(text, &pseudonyms) {
    case .harmless(let safe): return WireText(safe)
    case .free: return WireText(scrubber.name(text, &pseudonyms, orAs: "text"))
    }
  }

  private mutating func prose(_ text: String, _ snapshot: Snapshot) -> String {
    scrubber.scrub(prose: text, snapshot, kinds, &pseudonyms)
  }
}

/// Every address in a snapshot, wherever it stands.
private struct Originals {
  var macs = Set<MACAddress>()
  var addresses = Set<IPAddress>()
  var prefixes = Set<Prefix>()
  var reasons: [Reason] = []

  init(_ snapshot: Snapshot) {
    for host in snapshot.hosts {
      macs.formUnion([host.id] + host.virtualMACs)
      if let box = host.attachedTo?.answer { macs.insert(box) }
      addresses.formUnion(host.addresses)
      prefixes.formUnion(host.subnets)
      add(host.medium)
      add(host.access)
      add(host.attachedTo)
      add(host.behindModem)
      for verdict in host.roleReasons { add(verdict) }
      for verdict in host.holds { add(verdict) }
      for verdict in host.joins { add(verdict) }
      for verdict in host.mediumUnclear { add(verdict) }
      for verdict in host.attachmentUnclear {
        macs.insert(verdict.answer)
        add(verdict)
      }
      reasons += host.statements
    }
    for subnet in snapshot.subnets {
      prefixes.insert(subnet.prefix)
      macs.formUnion(subnet.hosts)
      for gateway in subnet.gateways {
        addresses.insert(gateway.address)
        if let host = gateway.host { macs.insert(host) }
        reasons += gateway.reasons
      }
      if let hop = subnet.nextHop {
        macs.insert(hop.host)
        reasons += hop.reasons
      }
      for server in subnet.servers {
        addresses.insert(server.address)
        if let relay = server.relay { addresses.insert(relay) }
        if let host = server.host { macs.insert(host) }
        reasons += server.reasons
      }
      reasons += subnet.reasons
      add(subnet.judged)
    }
    for link in snapshot.links {
      macs.formUnion([link.from, link.to])
      add(link.medium)
      reasons += link.reasons
    }
    for talk in snapshot.conversations {
      for end in [talk.a, talk.b] {
        switch end {
        case .host(let mac): macs.insert(mac)
        case .remote(let address): addresses.insert(address)
        }
      }
    }
    for group in snapshot.multicast { macs.formUnion(group.members + group.senders) }
    for finding in snapshot.findings {
      macs.formUnion(finding.hosts)
      reasons += finding.reasons
    }
    if let observer = snapshot.capture.observer { macs.insert(observer) }
    for reason in reasons {
      if let mac = MACAddress(reason.value.uncleaned) { macs.insert(mac) }
      if let address = IPAddress(reason.value.uncleaned) { addresses.insert(address) }
      if let prefix = Prefix(reason.value.uncleaned) { prefixes.insert(prefix) }
    }
    macs = macs.filter(\.isStation)
  }

  private mutating func add<Answer>(_ verdict: Verdict<Answer>?) {
    guard let verdict else { return }
    reasons += verdict.reasons + verdict.against
  }
}
