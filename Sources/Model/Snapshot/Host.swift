public import Wire

/// A box in the home with one or more stations: the report's device.
public struct Host: Sendable, Hashable {
  public var id: MACAddress
  /// Further addresses of the same box, and addresses of router roles it plays.
  public var virtualMACs: [MACAddress] = []
  public var vendor: String?
  public var isRandomised = false
  public var ipv4: [IPv4Address] = []
  public var ipv6: [IPv6Address] = []
  /// What proves each address to be its own, in the order of the addresses, at most `Host.holdLimit`.
  public var holds: [Verdict<IPAddress>] = []
  /// What proves each of `virtualMACs` to be the same box's, in their order.
  public var joins: [Verdict<MACAddress>] = []
  /// The best first.
  public var names: [HostName] = []
  public var vendorClass: WireText?
  public var model: WireText?
  public var os: String?
  /// What it says of its make, model, system and services, at most `Host.statementLimit`.
  public var statements: [Reason] = []
  public var roles: [Role] = []
  public var roleReasons: [Verdict<Role>] = []
  /// Its last hop.
  public var medium: Verdict<Medium>?
  /// The kinds of link from it to the gateway, where they are more than one and known.
  public var path: [Medium] = []
  /// Its own interface.
  public var access: Verdict<Medium>?
  public var attachedTo: Verdict<MACAddress>?
  /// Answers that stand against each other, so that neither is given.
  public var mediumUnclear: [Verdict<Medium>] = []
  public var attachmentUnclear: [Verdict<MACAddress>] = []
  public var subnets: [Prefix] = []
  public var behindModem: Verdict<BehindModem>?
  public var hops: Int?
  public var firstSeen = Timestamp(nanoseconds: 0)
  public var lastSeen = Timestamp(nanoseconds: 0)
  public var traffic = Traffic()
  /// Whether it is there: false when it released its address or was silent for longer than it ever is (`inference.md` 9, `device-gone`).
  /// Only a daemon can tell; a report of one capture says nothing of it.
  public var isPresent = true
  /// When it was last heard before this program was started, where the history knows it.
  public var lastKnown: Timestamp?
  /// When it last gave its address back.
  public var releasedAt: Timestamp?
  /// What the owner says about it in the configuration.
  public var given: Given?
  /// VLANs it spoke in.
  public var vlans: [UInt16] = []

  /// More addresses than anybody asks about; who forges his senders has thousands.
  public static let holdLimit = 64
  /// More than a box has to say of itself.
  public static let statementLimit = 16

  public init(id: MACAddress) { self.id = id }

  public var addresses: [IPAddress] { ipv4.map { IPAddress($0) } + ipv6.map { IPAddress($0) } }
  /// The name to show.
  public var name: WireText? { names.first?.text }
}

/// What the owner of the network says about a device.
public struct Given: Sendable, Hashable {
  public var name: WireText?
  public var kind: Role?
  /// Whether it belongs here: then its coming is no news.
  public var isExpected: Bool

  public init(name: WireText? = nil, kind: Role? = nil, isExpected: Bool = true) {
    self.name = name
    self.kind = kind
    self.isExpected = isExpected
  }
}

public struct HostName: Sendable, Hashable {
  public var text: WireText
  /// The protocol that told it.
  public var source: String
  /// Where in the protocol's message.
  public var field: String
  public var frame: Int

  public init(text: WireText, source: String, frame: Int, field: String = "") {
    self.text = text
    self.source = source
    self.frame = frame
    self.field = field
  }
}

/// On which side of the modem a device lives (`inference.md` 10).
public enum BehindModem: String, Sendable, CaseIterable {
  case nat, bridged
  case isModem = "is-modem"
  case operatorSide = "operator-side"
}
