public import Wire

public struct Subnet: Sendable, Hashable {
  public enum Kind: String, Sendable, CaseIterable {
    case home, `operator`, guest
    case linkLocal = "link-local"
    case transit, unknown
  }

  /// From where its length is known.
  public enum Source: String, Sendable, CaseIterable {
    case dhcp, ra, interface, declared, broadcast, arp, guess
  }

  public struct Gateway: Sendable, Hashable {
    public var address: IPAddress
    public var host: MACAddress?
    public var reasons: [Reason]
    /// Boxes that had the address before.
    public var formerHosts: [MACAddress] = []

    public init(address: IPAddress, host: MACAddress?, reasons: [Reason]) {
      self.address = address
      self.host = host
      self.reasons = reasons
    }
  }

  public struct Server: Sendable, Hashable {
    public var address: IPAddress
    public var relay: IPAddress?
    public var host: MACAddress?
    public var reasons: [Reason]
  }

  /// The station that the subnet's hosts use as their way out, where nobody told its address.
  public struct NextHop: Sendable, Hashable {
    public var host: MACAddress
    public var reasons: [Reason]
  }

  public var prefix: Prefix
  /// Lengths that fit as well as the one shown, where nobody stated the mask and a broadcast left more than one.
  public var lengths: ClosedRange<Int>?
  public var kind: Kind
  public var source: Source
  public var gateways: [Gateway] = []
  public var nextHop: NextHop?
  public var servers: [Server] = []
  public var vlan: UInt16?
  public var hosts: [MACAddress] = []
  public var confidence: Double
  /// Why it is of that kind, in words.
  public var reason: String
  /// What proves the prefix.
  public var reasons: [Reason] = []
  /// How sure the prefix is by itself.
  public var prefixConfidence: Double
  /// What proves the kind; nil until it was judged.
  public var judged: Verdict<Kind>?
  public var traffic = Traffic()

  init(_ prefix: Prefix, source: Source, confidence: Double) {
    self.prefix = prefix
    kind = .unknown
    self.source = source
    self.confidence = confidence
    prefixConfidence = confidence
    reason = ""
  }

  /// The records of the report: of an operator's network also those that make it his.
  public var evidence: [Reason] {
    guard kind == .operator, let judged else { return reasons }
    return (judged.reasons + judged.against + reasons).deduplicated()
  }
}

extension Subnet.Gateway {
  /// How sure it is, 0 to 1, that this is the way out (`inference.md` 4).
  public var confidence: Double {
    var scale = Scale<Bool>()
    for reason in reasons { scale.add(true, reason, reason.basis == "ip" ? .routing : .addressing) }
    return scale.verdict(others: 1)?.confidence ?? 0
  }

  /// Whether somebody said so, or it was seen to be used; else it was only looked for.
  public var isNamed: Bool { reasons.contains { $0.weight >= 15 } }
}
