package import Wire

/// Scenarios is the room where networks are invented: a packet language (this file and `Packets/`), a scenario language
/// (`Scenario.swift`, `Box.swift`, `Talk.swift` and `Talks/`) and the example LANs (`Homes/`). It knows how boxes speak and what a
/// vantage point hears of it, never what the model concludes. It does no I/O, asks no clock and rolls no dice but its own: the same
/// scenario gives the same bytes.
///
/// The packet language has three layers, each a value that the next one takes: a `Datagram` is what UDP carries, a `Segment` what IP
/// carries, a `Packet` what Ethernet carries. Every builder fills in lengths and check sums, and knows the ports, groups and hop
/// limits that its protocol prescribes:
///
///     Packet.arpRequest("192.168.0.1", from: pc, "192.168.0.10").frame(from: pc)
///     Packet.ip(from: address, to: group, .udp(.mdns(answers: [.a("nas.local", address)]))).frame(from: nas)
package struct Packet: Hashable, Sendable {
  /// nil: 802.3 with a length field, `bytes` start with LLC.
  package var type: EtherType?
  package var bytes: [UInt8]
  /// Where the protocol sends it unless somebody says otherwise: its group, or everybody.
  package var destination: MACAddress
  /// 802.1Q and 802.1ad tags, outermost first.
  package var tags: [Tag] = []

  package struct Tag: Hashable, Sendable {
    var type: EtherType
    var control: UInt16
  }

  package init(_ type: EtherType?, _ bytes: [UInt8], to destination: MACAddress = .broadcast) {
    self.type = type
    self.bytes = bytes
    self.destination = destination
  }

  /// The frame's bytes as its sender hands them to the interface: neither padded nor with a check sequence.
  package func frame(from source: MACAddress, to other: MACAddress? = nil) -> [UInt8] {
    var w = ByteWriter()
    w.mac(other ?? destination)
    w.mac(source)
    for tag in tags {
      w.u16(tag.type.rawValue)
      w.u16(tag.control)
    }
    w.u16(type?.rawValue ?? UInt16(clamping: bytes.count))
    w.append(bytes)
    return w.bytes
  }

  /// As it looks on the wire: at least 60 bytes (IEEE 802.3, 3.2.8, without the check sequence).
  package static func padded(_ frame: [UInt8]) -> [UInt8] {
    frame.count < 60 ? frame + repeatElement(0, count: 60 - frame.count) : frame
  }

  /// In a VLAN: outside the tags it has already.
  package func inVLAN(_ id: UInt16, priority: UInt16 = 0, provider: Bool = false) -> Packet {
    var tagged = self
    tagged.tags.insert(Tag(type: provider ? .providerVLAN : .vlan, control: priority << 13 | id & 0xfff), at: 0)
    return tagged
  }

  /// Behind LLC: DSAP, SSAP, control.
  package static func llc(_ dsap: UInt8, _ ssap: UInt8, _ control: UInt8, _ body: [UInt8], to destination: MACAddress) -> Packet {
    Packet(nil, [dsap, ssap, control] + body, to: destination)
  }

  /// Behind LLC and SNAP.
  package static func snap(_ oui: UInt32, _ protocolID: UInt16, _ body: [UInt8], to destination: MACAddress) -> Packet {
    var w = ByteWriter()
    w.u8(UInt8(truncatingIfNeeded: oui >> 16))
    w.u16(UInt16(truncatingIfNeeded: oui))
    w.u16(protocolID)
    w.append(body)
    return llc(0xaa, 0xaa, 3, w.bytes, to: destination)
  }
}

/// The Internet check sum (RFC 1071).
enum Checksum {
  /// The running sum of 16-bit words; a last odd byte counts as the high one.
  static func sum(_ bytes: [UInt8], _ start: UInt32 = 0) -> UInt32 {
    var total = start
    var i = 0
    while i + 1 < bytes.count {
      total &+= UInt32(bytes[i]) << 8 | UInt32(bytes[i + 1])
      i += 2
    }
    if i < bytes.count { total &+= UInt32(bytes[i]) << 8 }
    return total
  }

  static func fold(_ sum: UInt32) -> UInt16 {
    var s = sum
    while s >> 16 != 0 { s = (s & 0xffff) + (s >> 16) }
    return UInt16(truncatingIfNeeded: s)
  }

  static func finish(_ sum: UInt32) -> UInt16 { ~fold(sum) }

  static func sum(_ address: IPAddress) -> UInt32 {
    var words: UInt32 = 0
    if let v4 = address.v4 { return v4.bits >> 16 + v4.bits & 0xffff }
    for half in [address.high, address.low] {
      for shift: UInt64 in [48, 32, 16, 0] { words += UInt32(truncatingIfNeeded: half >> shift & 0xffff) }
    }
    return words
  }
}

/// The bytes of mass transfers: noise whose sums are known beforehand, so that a full segment costs a copy and no summing.
enum Noise {
  static let bytes: [UInt8] = {
    var random = Random(seed: 0x6e6f_6973_65)
    return (0..<2048).map { _ in UInt8(truncatingIfNeeded: random.next() >> 33) }
  }()

  /// The sum of the first n bytes.
  static let sums: [UInt32] = {
    var sums: [UInt32] = [0]
    sums.reserveCapacity(bytes.count + 1)
    for (i, byte) in bytes.enumerated() { sums.append(sums[i] + (i & 1 == 0 ? UInt32(byte) << 8 : UInt32(byte))) }
    return sums
  }()

  /// The sum of the first `count` bytes when they begin at `offset` of what is summed.
  static func sum(_ count: Int, at offset: Int) -> UInt32 {
    let folded = Checksum.fold(sums[count])
    return UInt32(offset & 1 == 0 ? folded : folded.byteSwapped)
  }
}

/// SplitMix64: small, fast, and the same numbers everywhere.
package struct Random: Sendable, RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  /// 0 to 1, without 1.
  package mutating func unit() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }
  package mutating func below(_ count: Int) -> Int { Int(truncatingIfNeeded: next() >> 1) % max(1, count) }
  package mutating func u16() -> UInt16 { UInt16(truncatingIfNeeded: next() >> 40) }
  package mutating func u32() -> UInt32 { UInt32(truncatingIfNeeded: next() >> 32) }
  package mutating func pick<T>(_ from: [T]) -> T { from[below(from.count)] }
}

/// Text that the writer of a scenario vouches for.
func known(_ mac: String) -> MACAddress { MACAddress(mac) ?? { fatalError("no MAC address: \(mac)") }() }
func known4(_ text: String) -> IPv4Address { IPv4Address(text) ?? { fatalError("no IPv4 address: \(text)") }() }
func known6(_ text: String) -> IPv6Address { IPv6Address(text) ?? { fatalError("no IPv6 address: \(text)") }() }
func knownIP(_ text: String) -> IPAddress { IPAddress(text) ?? { fatalError("no address: \(text)") }() }

extension MACAddress {
  /// 01:00:5e and the low 23 bits of the group (RFC 1112, 6.4).
  package static func group(_ v4: IPv4Address) -> MACAddress { MACAddress(bits: 0x0100_5e00_0000 | UInt64(v4.bits & 0x7f_ffff)) }
  /// 33:33 and the low 32 bits of the group (RFC 2464, 7).
  package static func group(_ v6: IPv6Address) -> MACAddress { MACAddress(bits: 0x3333_0000_0000 | v6.low & 0xffff_ffff) }
  /// The same address with another last byte, as makers count the interfaces of one box.
  package func plus(_ count: Int) -> MACAddress { MACAddress(bits: bits &+ UInt64(truncatingIfNeeded: count)) }
}

extension IPv6Address {
  /// An address whose interface identifier is made of a MAC (RFC 4291, appendix A).
  package init(_ prefix: IPv6Address, of mac: MACAddress) {
    let flipped = mac.bits ^ 0x0200_0000_0000
    self.init(high: prefix.high, low: (flipped >> 24) << 40 | 0xff_fe00_0000 | flipped & 0xff_ffff)
  }
  package static func linkLocal(of mac: MACAddress) -> IPv6Address {
    IPv6Address(IPv6Address(high: 0xfe80_0000_0000_0000, low: 0), of: mac)
  }
  /// ff02::1:ffXX:XXXX, where questions for an address go (RFC 4291, 2.7.1).
  package var solicitedNode: IPv6Address { IPv6Address(high: 0xff02_0000_0000_0000, low: 0x1_ff00_0000 | low & 0xff_ffff) }
  package static let allNodes = IPv6Address(high: 0xff02_0000_0000_0000, low: 1)
  package static let allRouters = IPv6Address(high: 0xff02_0000_0000_0000, low: 2)
}
