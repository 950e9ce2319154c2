import Wire

/// One MAC on the wire and what it moved. Bytes are those on the wire, at the link layer.
struct StationRow: TableRow {
  struct Flags: OptionSet, BitwiseCopyable {
    let rawValue: UInt16
    /// Sent a frame in an 802.1Q tag, and one without.
    static let tagged = Flags(rawValue: 1)
    static let untagged = Flags(rawValue: 2)
    /// Spoke some protocol that was understood, answered somebody, or sent TCP data: no invention of one frame.
    static let attested = Flags(rawValue: 8)

    // These stand where a frame's summary has them, so that they are taken over in one step.
    /// Sent IP, ARP or another protocol of hosts.
    static let sentIP = Flags(rawValue: 4)
    static let tunnel = Flags(rawValue: 32)
    static let wireless = Flags(rawValue: 64)
    static let pppoe = Flags(rawValue: 512)

    // And these are its direction, 13 bits up.
    /// The capture says that a frame with this address as source came in: then it is not our own, or not ours alone.
    static let heard = Flags(rawValue: 1 << 13)
    /// The capture says that our own machine sent frames with this address.
    static let sentByUs = Flags(rawValue: 2 << 13)

    /// Whether the capturing machine itself has this address.
    var isOurs: Bool { contains(.sentByUs) && !contains(.heard) }
  }

  let mac: UInt64
  var sentBytes: UInt64 = 0
  var receivedBytes: UInt64 = 0
  var sentFrames: UInt64 = 0
  var receivedFrames: UInt64 = 0
  var lastSeen: Int64 = 0
  /// Frames it sent to groups, and those it sent that are shorter than Ethernet allows: only the machine that captures sees frames before
  /// they are padded.
  private var groupFrames: UInt32 = 0
  var shortFrames: UInt32 = 0

  var firstSeen: Int64 = 0
  var firstFrame: UInt32 = 0
  /// The first frame it sent in an 802.1Q tag; 0 none.
  var firstTagged: UInt32 = 0
  var flags: Flags = []
  var switchPort: Int16 = -1
  var vlans: (UInt16, UInt16, UInt16, UInt16) = (0, 0, 0, 0)
  var rate = RateMeter()

  /// What evicted pairs of this station had moved, so that no byte is lost with them.
  var foldedInternet: UInt64 = 0
  var foldedLocal: UInt64 = 0
  /// What of it this station sent.
  var foldedInternetSent: UInt64 = 0
  var foldedLocalSent: UInt64 = 0

  init(_ key: MACAddress) { mac = key.bits }
  static func hash(_ key: MACAddress, _ seed: UInt64) -> UInt64 { mix(key.bits, seed) }
  func matches(_ key: MACAddress) -> Bool { mac == key.bits }
  func hash(_ seed: UInt64) -> UInt64 { mix(mac, seed) }

  /// Sent or received, to or from one station.
  var unicastFrames: Int { Int(clamping: sentFrames &+ receivedFrames) - Int(groupFrames) }

  /// Both directions, more than one frame and an understood protocol each make a station real.
  @inline(__always) var weight: Int {
    let volume = 64 - Int(min(sentFrames &+ receivedFrames, 1 << 40).leadingZeroBitCount)
    return volume + (sentFrames > 0 && receivedFrames > 0 ? 16 : 0) + (flags.contains(.attested) ? 8 : 0) + (sentFrames > 1 ? 8 : 0)
  }

  @inline(__always)
  mutating func sent(_ s: inout FrameSummary, _ number: UInt32, _ second: UInt32, toGroup: Bool) {
    let bytes = s.wireLength
    seen(s.time, number)
    sentFrames &+= 1
    sentBytes &+= UInt64(truncatingIfNeeded: bytes)
    if toGroup { groupFrames &+= 1 }
    rate.add(down: 0, up: bytes, second: second)
    flags.formUnion(Flags(&s))
    // Only frames that no wire has carried yet are shorter than Ethernet's 60 bytes.
    if bytes < 60 { shortFrames &+= 1 }
    if s.vlanCount > 0 { sentTagged(s.vlan, number) }
    if s.switchPort >= 0 { switchPort = s.switchPort }
  }

  @inline(__always)
  mutating func received(_ s: inout FrameSummary, _ number: UInt32, _ second: UInt32) {
    let bytes = s.wireLength
    seen(s.time, number)
    receivedFrames &+= 1
    receivedBytes &+= UInt64(truncatingIfNeeded: bytes)
    rate.add(down: bytes, up: 0, second: second)
  }

  @inline(__always)
  private mutating func seen(_ time: Timestamp, _ number: UInt32) {
    if firstFrame == 0 {
      firstSeen = time.nanoseconds
      firstFrame = number
    }
    if time.nanoseconds > lastSeen { lastSeen = time.nanoseconds }
  }

  @inline(never)
  private mutating func sentTagged(_ vlan: UInt16, _ number: UInt32) {
    note(vlan: vlan)
    if firstTagged == 0, vlan != 0 { firstTagged = number }
  }

  mutating func note(vlan: UInt16) {
    if vlans.0 == vlan || vlans.1 == vlan || vlans.2 == vlan || vlans.3 == vlan { return }
    if vlans.0 == 0 {
      vlans.0 = vlan
    } else if vlans.1 == 0 {
      vlans.1 = vlan
    } else if vlans.2 == 0 {
      vlans.2 = vlan
    } else if vlans.3 == 0 {
      vlans.3 = vlan
    }
  }
}

extension StationRow.Flags {
  @inline(__always)
  init(_ s: inout FrameSummary) {
    let taken: FrameSummary.Flags = [.hasIP, .tunnel, .isWireless, .pppoe]
    let tag: StationRow.Flags = s.vlanCount > 0 ? .tagged : .untagged
    self.init(rawValue: s.flags.intersection(taken).rawValue | UInt16(s.direction.rawValue) << 13 | tag.rawValue)
  }
}
