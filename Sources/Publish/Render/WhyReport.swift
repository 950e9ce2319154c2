public import Model
import Wire

/// Every claim about one device, subnet or address with the records it rests on, the strongest first: what was declared, measured and
/// inferred apart, what speaks against it, and what nothing that was heard tells.
public struct WhyReport: Renderer {
  let style: TextStyle
  let subject: Claim.Subject

  public init(style: TextStyle, about subject: Claim.Subject) {
    self.style = style
    self.subject = subject
  }

  public func render(_ snapshot: Snapshot, into out: inout String) {
    var page = Page(style: style)
    page.line("lanatomy  " + Label.captured(snapshot))
    page.line(Label.heard(snapshot))
    page.line("")
    switch subject {
    case .device(let mac): if let host = snapshot.host(mac) { device(host, snapshot, &page) }
    case .subnet(let prefix): if let subnet = snapshot.subnets.first(where: { $0.prefix == prefix }) { network(subnet, snapshot, &page) }
    case .address(let address): self.address(address, snapshot, &page)
    }
    findings(snapshot, &page)
    if case .device(let mac) = subject, let host = snapshot.host(mac) { unknown(Unknown.about(host, snapshot), snapshot, &page) }
    if case .subnet(let prefix) = subject, let subnet = snapshot.subnets.first(where: { $0.prefix == prefix }) {
      unknown(Unknown.about(subnet), snapshot, &page)
    }
    page.line("")
    page.entry(
      "",
      "[+25] is the weight of a record: +10 makes a claim ten times likelier, a minus less likely. high, likely, perhaps: how sure a claim is. Frames are numbered as Wireshark numbers them."
    )
    out += page.text
  }

  // MARK: A device

  private func device(_ host: Host, _ snapshot: Snapshot, _ page: inout Page) {
    let words = WhyWords(snapshot)
    page.line(Label.name(host) + "  " + host.id.description + (Label.maker(host).isEmpty ? "" : "  " + Label.maker(host)))
    page.line("heard from \(Clock.localTime(host.firstSeen)) to \(Clock.localTime(host.lastSeen))")
    let claims = host.claims
    section("WHAT IT IS", WhyReport.joined(claims), [.name, .role, .maker, .madeUp, .statement, .sameBox], words, &page)
    section("ITS ADDRESSES", claims, [.address], words, &page)
    let networks = snapshot.subnets.filter { host.subnets.contains($0.prefix) }
    if !networks.isEmpty || host.behindModem != nil {
      page.title("ITS NETWORK, AND WHY THAT ONE")
      for subnet in networks { membership(subnet, of: host, words, &page) }
      if let side = claims.first(where: { $0.kind == .side }) {
        let shown = networks.first { $0.judged?.reasons == host.behindModem?.reasons }
        statement(words.sentence(side), side, &page)
        if let shown {
          page.entry("  ", "The records are those of \(shown.prefix) above.")
        } else {
          records(side, &page)
        }
      }
    }
    // The own interface is said once where nothing slower follows.
    let isPlain = host.access == nil || host.access?.answer == host.medium?.answer
    let links: [Claim.Kind] = [.attachment, .attachmentUnclear, .medium, .mediumUnclear] + (isPlain ? [] : [.access])
    section("HOW IT IS CONNECTED", claims, links, words, &page)
  }

  /// What several messages tell alike is one line.
  private static func joined(_ claims: [Claim]) -> [Claim] {
    var out: [Claim] = []
    for claim in claims {
      let same = { (other: Claim) in
        other.kind == claim.kind && other.value == claim.value && (claim.kind == .name || other.detail == claim.detail)
          && other.detail != "config"
      }
      if claim.kind == .name || claim.kind == .statement, let at = out.firstIndex(where: same) {
        out[at].reasons += claim.reasons
      } else {
        out.append(claim)
      }
    }
    return out
  }

  /// A subnet as one of its devices sees it.
  private func membership(_ subnet: Subnet, of host: Host, _ words: WhyWords, _ page: inout Page) {
    for claim in subnet.claims where claim.kind == .kind {
      whose("\(subnet.prefix), where it lives, is \(words.kind(subnet)).", claim, subnet, &page)
    }
    page.entry("  ", words.ways(subnet, besides: host) + " 'lanatomy why \(subnet.prefix)' tells all about that network.")
  }

  private func whose(_ text: String, _ claim: Claim, _ subnet: Subnet, _ page: inout Page) {
    // How sure one is of not knowing says nothing.
    if subnet.kind == .unknown { page.entry("", text) } else { statement(text, claim, &page) }
    if !claim.text.isEmpty { page.entry("  ", claim.text) }
    records(claim, &page)
  }

  // MARK: A subnet

  private func network(_ subnet: Subnet, _ snapshot: Snapshot, _ page: inout Page) {
    let words = WhyWords(snapshot)
    page.line("\(subnet.prefix)  \(Label.kind(subnet)), \(subnet.hosts.count) device\(subnet.hosts.count == 1 ? "" : "s")")
    let claims = subnet.claims
    page.title("WHOSE NETWORK IT IS, AND WHY")
    for claim in claims where claim.kind == .kind {
      whose("It is \(words.kind(subnet)).", claim, subnet, &page)
    }
    section("ITS SIZE", claims, [.prefix], words, &page)
    section("ITS WAY OUT", claims, [.gateway], words, &page)
    section("WHO HANDS OUT ITS ADDRESSES", claims, [.server], words, &page)
    section("ITS LABEL", claims, [.vlan], words, &page)
    guard !subnet.hosts.isEmpty else { return }
    page.title("WHO LIVES IN IT")
    for mac in subnet.hosts.prefix(WhyReport.listed) {
      guard let host = snapshot.host(mac) else { continue }
      let here = host.addresses.filter(subnet.prefix.contains).map(\.description)
      page.entry(Page.pad(Label.name(host), 27) + mac.description + "  ", here.isEmpty ? "address not known" : here.joined(separator: ", "))
    }
    if subnet.hosts.count > WhyReport.listed { page.line("… and \(subnet.hosts.count - WhyReport.listed) more") }
  }

  /// More devices than a page of explanation needs.
  private static let listed = 64

  // MARK: An address

  private func address(_ address: IPAddress, _ snapshot: Snapshot, _ page: inout Page) {
    page.line("\(address)  an address that no device here has")
    page.title("WHAT IT IS FOR")
    let words = WhyWords(snapshot)
    for claim in snapshot.claims(about: .address(address)) {
      statement(words.part(claim, of: address), claim, &page)
      records(claim, &page)
    }
  }

  // MARK: Parts

  private func section(_ title: String, _ claims: [Claim], _ kinds: [Claim.Kind], _ words: WhyWords, _ page: inout Page) {
    let own = kinds.flatMap { kind in claims.filter { $0.kind == kind } }
    guard !own.isEmpty else { return }
    page.title(title)
    for claim in own {
      switch claim.kind {
      case .name, .maker, .statement:
        // Merely said: the record is the whole of it.
        page.entry("", words.sentence(claim))
      default:
        statement(words.sentence(claim), claim, &page)
        records(claim, &page)
      }
    }
  }

  private func statement(_ text: String, _ claim: Claim, _ page: inout Page) {
    page.entry("", text + (claim.confidence.map { " \(Label.sure($0))" } ?? ""))
  }

  private func records(_ claim: Claim, _ page: inout Page) {
    if claim.reasons.isEmpty, claim.against.isEmpty { return page.line("  no record was kept") }
    for kind in EvidenceKind.allCases { lines(kind.rawValue, claim.reasons.filter { $0.kind == kind }, &page) }
    lines("against", claim.against, &page)
  }

  private func lines(_ head: String, _ reasons: [Reason], _ page: inout Page) {
    // What several frames prove alike is one line.
    var groups: [[Reason]] = []
    for reason in reasons {
      if let at = groups.firstIndex(where: { $0[0].why == reason.why && $0[0].basis == reason.basis && $0[0].field == reason.field }) {
        groups[at].append(reason)
      } else {
        groups.append([reason])
      }
    }
    for (at, group) in groups.enumerated() { page.entry("  " + Page.pad(at == 0 ? head : "", 10), WhyWords.record(group)) }
  }

  private func findings(_ snapshot: Snapshot, _ page: inout Page) {
    let findings = snapshot.findings(about: subject)
    guard !findings.isEmpty else { return }
    var shown = snapshot.claims(about: subject)
    if case .device(let mac) = subject { shown += (snapshot.host(mac)?.subnets ?? []).flatMap { snapshot.claims(about: .subnet($0)) } }
    let records = Set(shown.flatMap { $0.reasons + $0.against })
    page.title("FINDINGS")
    for finding in findings {
      guard !finding.reasons.allSatisfy(records.contains) else {
        page.entry("", finding.text + Label.frames(finding.reasons))
        continue
      }
      page.entry("", finding.text)
      for kind in EvidenceKind.allCases { lines(kind.rawValue, finding.reasons.filter { $0.kind == kind }, &page) }
    }
  }

  private func unknown(_ unknown: [Unknown], _ snapshot: Snapshot, _ page: inout Page) {
    guard !unknown.isEmpty else { return }
    page.title("NOT KNOWN")
    for item in unknown {
      page.entry("", item.text)
      page.entry("  ", "To find out: " + item.decides)
    }
    if let limit = Label.limits(snapshot).first { page.entry("", limit) }
  }
}
