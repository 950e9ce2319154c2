/// The fixed-size digest of a frame's headers: what was read, and where reading stopped. Lives on the stack and is reused.
public struct FrameSummary: Sendable, BitwiseCopyable {
  // Computed, not stored: a constant of another room would be a call at each use.
  public struct Flags: OptionSet, Sendable, BitwiseCopyable {
    public let rawValue: UInt16
    @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }
    /// `source` and `destination` were on the wire (cooked links have no destination, tunnels neither).
    @inlinable public static var hasSource: Flags { Flags(rawValue: 1) }
    @inlinable public static var hasDestination: Flags { Flags(rawValue: 2) }
    /// `sourceAddress` and `destinationAddress` are those of the outermost IP header.
    @inlinable public static var hasIP: Flags { Flags(rawValue: 4) }
    @inlinable public static var hasPorts: Flags { Flags(rawValue: 8) }
    /// A fragment behind the first: its payload is no header of anything.
    @inlinable public static var laterFragment: Flags { Flags(rawValue: 16) }
    /// What follows the IP header is another network: its addresses are no stations of this wire.
    @inlinable public static var tunnel: Flags { Flags(rawValue: 32) }
    /// An 802.11 frame: `wireless` is filled.
    @inlinable public static var isWireless: Flags { Flags(rawValue: 64) }
    /// Payload that cannot be read: 802.11 protected, MACsec, ESP.
    @inlinable public static var encrypted: Flags { Flags(rawValue: 128) }
    /// A link without stations (PPP, raw IP): addresses only.
    @inlinable public static var pointToPoint: Flags { Flags(rawValue: 256) }
    /// Carried through a PPPoE session: the addresses belong to the dial-in, not to this wire.
    @inlinable public static var pppoe: Flags { Flags(rawValue: 512) }
    /// 802.3 with LLC instead of an EtherType.
    @inlinable public static var isLLC: Flags { Flags(rawValue: 1024) }
    /// A radio said that the frame's check sum is wrong: counted, believed in nothing.
    @inlinable public static var badFCS: Flags { Flags(rawValue: 2048) }
    /// Bound for every receiver as the capturing kernel saw it, where no destination address was kept.
    @inlinable public static var cookedGroup: Flags { Flags(rawValue: 4096) }
  }

  // From the capture.
  public var number = 0
  public var time = Timestamp(nanoseconds: 0)
  public var interface = 0
  public var link = LinkType.ethernet
  public var wireLength = 0
  public var capturedLength = 0
  public var direction = Direction.unknown

  // Read from the frame. What starts as zero lies together, so that `reset` is a few wide stores.
  public var destination = MACAddress.zero
  public var source = MACAddress.zero
  public var sourceAddress = IPAddress.none
  public var destinationAddress = IPAddress.none
  /// What is left for a dissector, from the frame's first byte; ends where the innermost length says.
  public var payloadOffset = 0
  public var payloadEnd = 0
  public var snap: UInt64 = 0
  /// VLAN identifiers from the outside in; `vlanCount` of them are valid. Priority tags (VID 0) are among them.
  public var vlans: (UInt16, UInt16, UInt16, UInt16) = (0, 0, 0, 0)
  /// LLC: DSAP, SSAP and control; behind SNAP the OUI and protocol identifier, in `snap`.
  public var llc: UInt32 = 0
  public var sourcePort = Port(0)
  public var destinationPort = Port(0)
  public var flags: Flags = []
  /// The innermost EtherType, 0 behind plain LLC.
  public var etherType = EtherType(0)
  public var vlanCount: UInt8 = 0
  /// Whether the payload was longer on the wire than what was captured.
  public var payloadIsCut = false
  public var hopLimit: UInt8 = 0
  public var icmpType: UInt8 = 0
  public var icmpCode: UInt8 = 0
  public var tcpFlags: UInt8 = 0
  public var ipProtocol = IPProtocol.none
  /// The port of the switch chip that a tag of it names (DSA), else -1.
  public var switchPort: Int16 = -1
  /// Why the walk stopped early; nil when it did not.
  public var stop: WireFault? = nil
  public var wireless = WirelessSummary()

  public init() {}

  /// As new, but for what the capture says of each frame: set in place, since a fresh value would be made and then copied.
  @inline(__always)
  mutating func reset() {
    // Of the frame before, whose link it still is: Ethernet never fills it.
    if link != .ethernet { wireless = WirelessSummary() }
    destination = .zero
    source = .zero
    sourceAddress = .none
    destinationAddress = .none
    payloadOffset = 0
    payloadEnd = 0
    snap = 0
    vlans = (0, 0, 0, 0)
    llc = 0
    sourcePort = Port(0)
    destinationPort = Port(0)
    flags = []
    etherType = EtherType(0)
    vlanCount = 0
    payloadIsCut = false
    hopLimit = 0
    icmpType = 0
    icmpCode = 0
    tcpFlags = 0
    ipProtocol = .none
    switchPort = -1
    stop = nil
  }

  @inlinable public var vlan: UInt16 { vlanCount > 0 ? vlans.0 : 0 }
  @inlinable public var isGroupDestination: Bool { destination.isGroup || flags.contains(.cookedGroup) }
  /// Whether the headers contradict themselves.
  @inlinable public var hasSenderFault: Bool { if let stop { stop.isSenderFault } else { false } }
  @inlinable public func has(_ flag: Flags) -> Bool { flags.contains(flag) }
  public var payloadLength: Int { max(0, payloadEnd - payloadOffset) }

  /// The station that sent the frame, zero when the frame does not say: what a dissector's claims are mostly about.
  public var station: MACAddress { flags.contains(.hasSource) && source.isStation ? source : .zero }

  /// All VLAN identifiers, outermost first.
  public var vlanIDs: [UInt16] {
    [vlans.0, vlans.1, vlans.2, vlans.3].prefix(Int(vlanCount)).map { $0 }
  }
}

/// What an 802.11 header says besides source and destination (IEEE 802.11-2020, 9.2, 9.3).
public struct WirelessSummary: Sendable, BitwiseCopyable {
  /// 0 management, 1 control, 2 data.
  public var type: UInt8 = 0
  public var subtype: UInt8 = 0
  public var toDS = false
  public var fromDS = false
  public var isProtected = false
  public var powerManagement = false
  public var receiver = MACAddress.zero
  public var transmitter = MACAddress.zero
  /// Zero when the frame names none (WDS).
  public var bssid = MACAddress.zero
  /// dBm; 0 unknown.
  public var signal: Int8 = 0
  /// Units of 500 kb/s; 0 unknown.
  public var rate: UInt16 = 0
  /// MHz; 0 unknown.
  public var frequency: UInt16 = 0

  public init() {}
}
