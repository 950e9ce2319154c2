public import Wire

/// One thing that a snapshot says about a device, a subnet or an address, whatever it is, with the records for it and against it: what
/// `why` prints and `evidence.json` holds. The snapshot keeps each verdict once, where it belongs; this is the one way to all of them.
public struct Claim: Sendable, Hashable {
  /// Whom it is about.
  public enum Subject: Sendable, Hashable {
    case device(MACAddress)
    case subnet(Prefix)
    /// An address that no device here has: a server beyond a relay, for instance.
    case address(IPAddress)
  }

  public enum Kind: String, Sendable, CaseIterable {
    // Of a device. `name` has its source as detail, `statement` what it is about.
    case name, maker, statement, role, address
    case madeUp = "made-up-address"
    case sameBox = "same-box"
    case side, medium, access, attachment
    case mediumUnclear = "medium-unclear"
    case attachmentUnclear = "attachment-unclear"
    // Of a subnet. `prefix` has its source as detail, `server` its relay.
    case prefix, kind, gateway, server, vlan
  }

  public var kind: Kind
  /// A word of the report, an address, or a text from the wire, by kind.
  public var value: WireText
  public var detail: String
  /// The device that it names, beside its subject.
  public var device: MACAddress?
  /// From 0 to 1; nil for what was merely said: that it was said is sure.
  public var confidence: Double?
  /// The strongest first.
  public var reasons: [Reason]
  public var against: [Reason]
  /// The explanation in words, where there is one.
  public var text: String

  public init(
    _ kind: Kind, _ value: WireText, detail: String = "", device: MACAddress? = nil, confidence: Double? = nil, reasons: [Reason] = [],
    against: [Reason] = [], text: String = ""
  ) {
    self.kind = kind
    self.value = value
    self.detail = detail
    self.device = device
    self.confidence = confidence
    self.reasons = reasons
    self.against = against
    self.text = text
  }

  init<Answer>(_ kind: Kind, _ value: String, _ verdict: Verdict<Answer>, detail: String = "", device: MACAddress? = nil) {
    self.init(
      kind, WireText(value), detail: detail, device: device, confidence: verdict.confidence,
      reasons: verdict.reasons.sorted { $0.weight > $1.weight }, against: verdict.against)
  }

  /// How sure a claim is that rests on the strongest of its records alone.
  static func confidence(in reasons: [Reason]) -> Double {
    let factor = odds(decibans: reasons.map(\.weight).max() ?? 0)
    return min(0.99, factor / (1 + factor))
  }

  /// What its strongest record is.
  public var basis: EvidenceKind { reasons.first?.kind ?? .inferred }
}

extension Snapshot {
  /// Everything that is claimed about a subject, findings aside; empty when nothing is known of it.
  public func claims(about subject: Claim.Subject) -> [Claim] {
    switch subject {
    case .device(let mac): host(mac)?.claims ?? []
    case .subnet(let prefix): subnets.first { $0.prefix == prefix }?.claims ?? []
    case .address(let address):
      subnets.flatMap { subnet in
        subnet.claims.filter { claim in
          (claim.kind == .gateway || claim.kind == .server) && IPAddress(claim.value.uncleaned) == address
            || claim.kind == .server && IPAddress(claim.detail) == address
        }.map { claim in
          var claim = claim
          claim.text = subnet.prefix.description
          return claim
        }
      }
    }
  }

  /// The findings that name a device, or concern a subnet's wire, servers or routers.
  public func findings(about subject: Claim.Subject) -> [Finding] {
    switch subject {
    case .device(let mac):
      let own = host(mac).map { [$0.id] + $0.virtualMACs } ?? [mac]
      return findings.filter { $0.hosts.contains(where: own.contains) }
    case .subnet(let prefix):
      guard let subnet = subnets.first(where: { $0.prefix == prefix }) else { return [] }
      let members = Set(subnet.hosts + subnet.gateways.compactMap(\.host) + subnet.servers.compactMap(\.host))
      return findings.filter { finding in
        finding.id.concernsSubnets
          && (finding.names(prefix)
            || !finding.hosts.isEmpty && finding.hosts.allSatisfy { host($0).map { members.contains($0.id) } ?? false })
      }
    case .address: return []
    }
  }
}

extension Finding {
  /// Whether its sentence speaks of a subnet.
  fileprivate func names(_ prefix: Prefix) -> Bool {
    let word = Array(prefix.description.utf8)
    return text.utf8.split { $0 == 0x20 || $0 == 0x2c || $0 == 0x28 || $0 == 0x29 }.contains { part in
      // The full stop behind it is the sentence's.
      part.elementsEqual(word) || part.last == 0x2e && part.dropLast().elementsEqual(word)
    }
  }
}

extension Finding.ID {
  fileprivate var concernsSubnets: Bool {
    switch self {
    case .twoSubnetsOneWire, .operatorBridgedDevice, .severalDHCPServers, .rogueDHCPServer, .gatewayChanged, .doubleNAT, .secondRouter,
      .proxyARP, .rogueRA, .linkLocalOnly, .dhcpStarved, .guestNetwork, .vlanTagged:
      true
    default: false
    }
  }
}

extension Host {
  /// The claims about the device, in the order in which a reader asks.
  public var claims: [Claim] {
    var out: [Claim] = names.map { name in
      let isOwners = name.source == "config"
      let reason = Reason(
        basis: name.source, field: name.field, value: name.text, frame: name.frame > 0 ? name.frame : nil, time: nil,
        weight: isOwners ? Reason.ownersWeight : 25, kind: .declared, why: isOwners ? "the configuration says so" : "")
      return Claim(.name, name.text, detail: name.source, reasons: [reason])
    }
    if let vendor {
      let block = WireText(String(id.description.prefix(8)))
      out.append(
        Claim(
          .maker, WireText(vendor),
          reasons: [
            Reason(
              basis: "oui", field: "source", value: block, frame: nil, time: nil, weight: 15, kind: .inferred,
              why: "the registry of makers has its block of addresses")
          ]))
    }
    if isRandomised {
      let bit = Reason(
        basis: "ethernet", field: "source", value: WireText(id.description), frame: nil, time: nil, weight: 15, kind: .measured,
        why: "the bit is set that marks addresses which no maker gave out")
      out.append(Claim(.madeUp, WireText(id.description), confidence: Claim.confidence(in: [bit]), reasons: [bit]))
    }
    out += statements.map { Claim(.statement, $0.value, detail: $0.why, reasons: [$0]) }
    if let kind = given?.kind {
      out.append(Claim(.role, WireText(kind.rawValue), confidence: 1, reasons: [.owners("kind", kind.rawValue)]))
    }
    out += roleReasons.map { Claim(.role, $0.answer.rawValue, $0) }
    out += holds.map { Claim(.address, $0.answer.description, $0) }
    out += joins.map { Claim(.sameBox, $0.answer.description, $0, device: $0.answer) }
    if let side = behindModem { out.append(Claim(.side, side.answer.rawValue, side)) }
    if let medium { out.append(Claim(.medium, medium.answer.rawValue, medium)) }
    out += mediumUnclear.map { Claim(.mediumUnclear, $0.answer.rawValue, $0) }
    if let access { out.append(Claim(.access, access.answer.rawValue, access)) }
    if let box = attachedTo { out.append(Claim(.attachment, box.answer.description, box, device: box.answer)) }
    out += attachmentUnclear.map { Claim(.attachmentUnclear, $0.answer.description, $0, device: $0.answer) }
    return out
  }

  /// Takes a claim back from where it was written; false when this is none about a device.
  public mutating func take(_ claim: Claim) -> Bool {
    func verdict<Answer>(_ answer: Answer?) -> Verdict<Answer>? {
      answer.map { Verdict($0, confidence: claim.confidence ?? 0, reasons: claim.reasons, against: claim.against) }
    }
    let word = claim.value.uncleaned
    let said = claim.reasons.first
    switch claim.kind {
    case .name: names.append(HostName(text: claim.value, source: claim.detail, frame: said?.frame ?? 0, field: said?.field ?? ""))
    case .maker: vendor = word
    case .madeUp: isRandomised = true
    case .statement: if let said { statements.append(said) }
    case .role:
      guard let role = Role(rawValue: word) else { return false }
      if !roles.contains(role) { roles.append(role) }
      if said?.basis == "config" {
        given = Given(name: given?.name, kind: role)
      } else if let verdict = verdict(role) {
        roleReasons.append(verdict)
      }
    case .address:
      guard let address = IPAddress(word), let verdict = verdict(address) else { return false }
      holds.append(verdict)
      if let v4 = address.v4 { ipv4.append(v4) } else { ipv6.append(IPv6Address(high: address.high, low: address.low)) }
    case .sameBox:
      guard let mac = MACAddress(word), let verdict = verdict(mac) else { return false }
      virtualMACs.append(mac)
      joins.append(verdict)
    case .side: behindModem = verdict(BehindModem(rawValue: word))
    case .medium: medium = verdict(Medium(rawValue: word))
    case .mediumUnclear: mediumUnclear += [verdict(Medium(rawValue: word))].compactMap(\.self)
    case .access: access = verdict(Medium(rawValue: word))
    case .attachment: attachedTo = verdict(MACAddress(word))
    case .attachmentUnclear: attachmentUnclear += [verdict(MACAddress(word))].compactMap(\.self)
    case .prefix, .kind, .gateway, .server, .vlan: return false
    }
    return true
  }
}

extension Subnet {
  /// The claims about the subnet, in the order in which a reader asks.
  public var claims: [Claim] {
    var out = [
      Claim(
        .kind, WireText(kind.rawValue), confidence: judged?.confidence ?? confidence, reasons: judged?.reasons ?? [],
        against: judged?.against ?? [], text: reason),
      Claim(.prefix, WireText(prefix.description), detail: source.rawValue, confidence: prefixConfidence, reasons: reasons),
    ]
    out += gateways.map {
      Claim(
        .gateway, WireText($0.address.description), device: $0.host, confidence: Claim.confidence(in: $0.reasons), reasons: $0.reasons)
    }
    out += servers.map {
      Claim(
        .server, WireText($0.address.description), detail: $0.relay?.description ?? "", device: $0.host,
        confidence: Claim.confidence(in: $0.reasons), reasons: $0.reasons)
    }
    if let vlan { out.append(Claim(.vlan, WireText(String(vlan)))) }
    for at in out.indices { out[at].reasons.sort { $0.weight > $1.weight } }
    return out
  }

  /// A subnet as it was written.
  public init(_ prefix: Prefix, hosts: [MACAddress]) {
    self.init(prefix, source: .guess, confidence: 0)
    self.hosts = hosts
  }

  /// Takes a claim back from where it was written; false when this is none about a subnet.
  public mutating func take(_ claim: Claim) -> Bool {
    let word = claim.value.uncleaned
    switch claim.kind {
    case .kind:
      guard let kind = Kind(rawValue: word) else { return false }
      self.kind = kind
      reason = claim.text
      confidence = claim.confidence ?? 0
      judged = Verdict(kind, confidence: confidence, reasons: claim.reasons, against: claim.against)
    case .prefix:
      guard let source = Source(rawValue: claim.detail) else { return false }
      self.source = source
      prefixConfidence = claim.confidence ?? 0
      reasons = claim.reasons
    case .gateway:
      guard let address = IPAddress(word) else { return false }
      gateways.append(Gateway(address: address, host: claim.device, reasons: claim.reasons))
    case .server:
      guard let address = IPAddress(word) else { return false }
      servers.append(Server(address: address, relay: IPAddress(claim.detail), host: claim.device, reasons: claim.reasons))
    case .vlan: vlan = UInt16(word)
    default: return false
    }
    return true
  }
}
