/// What a claim is about.
public enum Subject: Hashable, Sendable {
  case station(MACAddress)
  case address(IPAddress)
}

/// How strongly the protocol itself supports what it says (`protocols.md` 0): **a** the device or its bridge states the fact in a
/// protocol made for that; **b** it follows from protocol rules unless somebody lies; **c** usual, with known exceptions;
/// **d** a hint.
public enum Grade: UInt8, Sendable, Comparable {
  case d, c, b, a
  public static func < (x: Grade, y: Grade) -> Bool { x.rawValue < y.rawValue }
}

/// Where a claim comes from: stated by somebody, measured by us, or concluded from protocol rules.
public enum EvidenceKind: String, Sendable, CaseIterable {
  case declared, measured, inferred
}

/// A kind of link, in the report's words.
public enum Medium: String, Sendable, CaseIterable {
  case ethernet, wifi, powerline, moca, coax, virtual
}

/// What a device does in the network, in the report's words.
public enum Role: String, Sendable, CaseIterable {
  case router, gateway, nat
  case dhcpServer = "dhcp-server"
  case dnsServer = "dns-server"
  case `switch`
  case accessPoint = "access-point"
  case powerlineAdapter = "powerline-adapter"
  case setTopBox = "set-top-box"
  case modem, console, printer, phone, computer, tv, speaker, camera, storage, iot
  case virtualMachine = "virtual-machine"
  case host
}

/// How somebody showed that an address is his.
public enum Holding: UInt8, Sendable {
  /// Sender of an ARP request, or of any message that only the holder sends.
  case request
  /// Answered a question for it: true of the holder, of his bridge, and of a proxy.
  case reply
  /// Said so unasked to everybody.
  case announcement
  /// Was given it by a DHCP server.
  case lease
  /// States it in a message about himself (mDNS, LLTD, LLDP, MNDP …).
  case statement
}

/// What kind of name a name is.
public enum NameKind: UInt8, Sendable {
  /// The host's own name.
  case host
  /// What the owner called the box or one of its services ("Living room").
  case friendly
  /// The name of a whole system (LLDP, CDP).
  case system
  /// A workgroup or domain the host belongs to: no name of the host.
  case group
}

/// What a descriptive text describes.
public enum Trait: UInt8, Sendable {
  case model, manufacturer, operatingSystem, software, hardware
  /// DHCP option 60 and its like.
  case vendorClass
  case userClass
  /// DHCP options asked for, in order.
  case fingerprint
  case clientIdentifier
  /// An identifier that joins several protocols' talk of one box (UUID).
  case uuid
  /// A description's location: shown, never fetched.
  case location
  case domain
  case portName
  case comment
}

/// What a DHCP server gave or offered to one client (RFC 2131).
public struct Lease: Hashable, Sendable {
  public var address: IPv4Address
  /// nil when the mask was missing or not contiguous.
  public var prefix: Prefix?
  public var routers: [IPv4Address] = []
  public var nameServers: [IPv4Address] = []
  public var server: IPv4Address?
  /// giaddr: the relay's address on the client's wire.
  public var relay: IPv4Address?
  /// Seconds; nil not said.
  public var duration: UInt32?
  /// Destinations of options 33, 121 and 249 with their routers.
  public var routes: [Route] = []
  public var isOffer = false
  /// Hop limit with which the reply arrived, and whose frame carried it.
  public var hopLimit: UInt8 = 0
  public var carriedBy: MACAddress

  public struct Route: Hashable, Sendable {
    public var destination: Prefix
    public var router: IPv4Address
    public init(destination: Prefix, router: IPv4Address) {
      self.destination = destination
      self.router = router
    }
  }

  public init(address: IPv4Address, carriedBy: MACAddress) {
    self.address = address
    self.carriedBy = carriedBy
  }
}

/// Everything a frame can state about the network, independent of the protocol that stated it: the waist of the house.
///
/// Forty protocols produce observations, a dozen rules consume them, neither knows the other. The subject of a claim is the station
/// or address that the claim is about, not always the one that made it.
public struct Observation: Hashable, Sendable {
  public enum Claim: Hashable, Sendable {
    // Addresses and who talks for whom
    case holds(IPAddress, Holding)
    /// Is about to take an address (ARP probe, duplicate address detection, DHCP request): it does not hold it yet.
    case wants(IPAddress)
    /// Looked for `IPAddress` on its own link, as `from`.
    case seeks(IPAddress, from: IPAddress)
    /// Sends frames in the name of another hardware address (chaddr, ARP sender or unit id that is not the Ethernet source).
    case speaksFor(MACAddress)
    /// Both addresses belong to one box (LLDP chassis, AL MAC, host id).
    case isSameBox(as: MACAddress)
    /// A frame's source that belongs to no device: a mapper's training address, a made-up client.
    case isFictitious
    /// Answers for a sleeping station (mDNS sleep proxy).
    case guards(MACAddress)
    /// The source is the address of a router role (VRRP, HSRP, CARP); `real` is the member's own address where it is known.
    case isVirtualRouter(real: MACAddress?, address: IPAddress?)

    // Names and descriptions
    case isNamed(WireText, NameKind)
    case has(Trait, WireText)
    /// Offers a service: a DNS-SD type, a UPnP device or service type, a WS-Discovery type.
    case offers(WireText)
    case playsRole(Role)

    // Subnets, routers, servers
    /// Apart in memory: the only claim of a hundred bytes, where the others have thirty.
    indirect case leased(Lease)
    /// A client asked for a lease; `server` where it named the one it chose (option 54), `relay` where the request came through one.
    case requestsLease(server: IPv4Address?, relay: IPv4Address?)
    case releasesLease(IPv4Address)
    case refusedLease(server: IPv4Address?)
    /// Router advertisement: lifetime in seconds, 0 = not a default router.
    case advertisesRouter(lifetime: Int)
    case advertisesPrefix(Prefix, onLink: Bool)
    case advertisesRoute(Prefix)
    /// Recommends these resolvers (RA, DHCPv6).
    case namesServer(IPAddress)
    /// NA with the router flag: forwards packets.
    case forwards
    /// Router solicitation: looks for a router, as hosts do (RFC 4861, 6.3.7).
    case solicitsRouters
    /// Redirect: a better next hop for a destination.
    case redirects(to: IPAddress, for: IPAddress)
    /// DHCPv6: answers clients; gave out an address or a delegated prefix.
    case servesDHCPv6
    case delegatedPrefix(Prefix)
    /// Asks for a prefix to hand on: a router on its upstream side.
    case requestsDelegation
    /// Its address on the far side, as it says itself (IGD).
    case hasOuterAddress(IPAddress)
    /// Is on the translated, or on the public, side of a NAT.
    case translatesAddresses
    case dialsPPPoE
    case answersPPPoE(WireText)
    /// DHCP relay information: the modem or port the client is behind (option 82).
    case relayAgent(circuit: WireText?, remote: WireText?)
    /// Carries another network inside its packets (6in4, DS-Lite, GRE, VXLAN).
    case tunnels(IPProtocol, to: IPAddress)

    // Links and media
    /// Its own interface is of this kind.
    case carries(Medium, rate: Rate?)
    /// 802.11: is a station of this BSS; signal in dBm.
    case isStation(of: MACAddress, signal: Int8?)
    case leavesStation(MACAddress)
    /// Runs this BSS.
    case runsBSS(MACAddress, ssid: WireText?)
    /// Heard directly on a channel (MHz).
    case channel(Int)
    /// Has this host behind one of its ports or radios of this kind; `of` = how many it listed in all.
    case bridges(MACAddress, over: Medium, of: Int, rate: Rate?)
    /// Speaks to this neighbour of the same kind over this kind of link; `direct` false when an ordinary bridge stands between.
    case neighbours(MACAddress, over: Medium?, direct: Bool?, rate: Rate?)
    /// Spanning tree: which bridge, which port of it we hear, and the way to the root.
    case bridgePort(bridge: MACAddress, port: UInt16, root: MACAddress, cost: UInt32)
    /// A loop-detecting switch is somewhere in this layer-2 domain.
    case loopDetects(WireText)
    /// Which side it heard the asker on: its Ethernet port or the power line.
    case hears(MACAddress, over: Medium)
    case joins(IPAddress)
    case leaves(IPAddress)
    case queriesGroups
    /// Sent a frame that no bridge by the standard forwards: is at the other end of our cable, unless a bridge between breaks the rule.
    case isLinkPartner
  }

  public var subject: Subject
  public var claim: Claim
  /// Where a reader looks it up: "option 60", "sender protocol address".
  public var field: String
  /// Which protocol said so: the dissector's name.
  public var basis: String
  public var grade: Grade
  public var kind: EvidenceKind
  /// The value as the reader of the frame sees it, where the claim does not hold it.
  public var text: WireText?

  @inline(__always)
  public init(
    _ subject: Subject, _ claim: Claim, field: String, basis: String, grade: Grade = .a, kind: EvidenceKind = .declared,
    text: WireText? = nil
  ) {
    self.subject = subject
    self.claim = claim
    self.field = field
    self.basis = basis
    self.grade = grade
    self.kind = kind
    self.text = text
  }
}

/// Bits per second.
public struct Rate: Hashable, Comparable, Sendable {
  public var bitsPerSecond: Int
  public init(bitsPerSecond: Int) { self.bitsPerSecond = max(0, bitsPerSecond) }
  public init(megabits: Int) { self.init(bitsPerSecond: min(max(0, megabits), 10_000_000) * 1_000_000) }
  public static func < (a: Rate, b: Rate) -> Bool { a.bitsPerSecond < b.bitsPerSecond }
}

/// The observations of one frame: a buffer that is reused, with a ceiling.
public struct Observations: Sendable {
  /// A frame that states more is one that floods (`protocols.md` 0, limit 7).
  public static let limit = 256

  public private(set) var items: [Observation] = []
  /// How many did not fit.
  public private(set) var left = 0
  /// What stopped the dissector, if anything did.
  public private(set) var fault: WireFault?
  /// Which dissector ran: its place in `Dissector.all`, -1 none.
  public private(set) var dissector = -1
  /// Set by the decoder before a dissector runs.
  private var basis = ""
  /// Nobody had anything to say: true of bulk frames.
  public private(set) var isClean = true

  public init() { items.reserveCapacity(32) }

  @inline(__always)
  public mutating func reset() {
    if isClean { return }
    items.removeAll(keepingCapacity: true)
    left = 0
    fault = nil
    dissector = -1
    isClean = true
  }

  /// What is noted from here on comes from the dissector at a place (-1: from the headers), under the protocol's name.
  mutating func begin(_ place: Int, basis name: String) {
    dissector = place
    basis = name
    isClean = false
  }

  @inlinable public var isEmpty: Bool { items.isEmpty }
  /// Whether the message contradicts itself.
  @inlinable public var hasSenderFault: Bool { if let fault { fault.isSenderFault } else { false } }

  /// Lends each in turn. Nobody changes it; it comes `inout` because what is merely lent would be copied first, with its texts.
  public mutating func forEach(_ body: (inout Observation) -> Void) {
    var items = items.mutableSpan
    for at in items.indices { body(&items[at]) }
  }

  /// Notes one claim. `field` is where in the message it stands, in the words of its standard.
  public mutating func note(
    _ subject: Subject, _ claim: Observation.Claim, _ field: String, grade: Grade = .a, kind: EvidenceKind = .declared,
    text: WireText? = nil
  ) {
    guard items.count < Observations.limit else {
      left &+= 1
      return
    }
    items.append(Observation(subject, claim, field: field, basis: basis, grade: grade, kind: kind, text: text))
  }

  /// Notes a claim about a station, unless the address cannot be one.
  public mutating func note(
    _ station: MACAddress, _ claim: Observation.Claim, _ field: String, grade: Grade = .a, kind: EvidenceKind = .declared,
    text: WireText? = nil
  ) {
    guard station.isStation else { return }
    note(.station(station), claim, field, grade: grade, kind: kind, text: text)
  }

  /// A record inside the message was bad; what stands around it counts. The first one is kept.
  public mutating func tally(_ fault: WireFault) {
    if self.fault == nil { self.fault = fault }
  }
}
