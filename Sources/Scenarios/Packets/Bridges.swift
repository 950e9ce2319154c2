package import Wire

// What switches, bridges and routers say of themselves: LLDP (IEEE 802.1AB), CDP, STP (IEEE 802.1D), RLDP (Realtek RTL8305NB data
// sheet), PPPoE discovery and session (RFC 2516).

extension Packet {
  // LLDP

  package struct LLDPTLV: Hashable, Sendable {
    var type: UInt16
    var bytes: [UInt8]
    package init(_ type: UInt16, _ bytes: [UInt8]) {
      self.type = type
      self.bytes = bytes
    }
    package static func chassis(_ mac: MACAddress) -> LLDPTLV { LLDPTLV(1, [4] + mac.bytes) }
    package static func port(_ mac: MACAddress) -> LLDPTLV { LLDPTLV(2, [3] + mac.bytes) }
    package static func port(name: String) -> LLDPTLV { LLDPTLV(2, [5] + Array(name.utf8)) }
    package static func lifetime(_ seconds: UInt16) -> LLDPTLV { LLDPTLV(3, [UInt8(seconds >> 8), UInt8(seconds & 255)]) }
    package static func portDescription(_ text: String) -> LLDPTLV { LLDPTLV(4, Array(text.utf8)) }
    package static func systemName(_ text: String) -> LLDPTLV { LLDPTLV(5, Array(text.utf8)) }
    package static func systemDescription(_ text: String) -> LLDPTLV { LLDPTLV(6, Array(text.utf8)) }
    package static func capabilities(_ has: UInt16, enabled: UInt16? = nil) -> LLDPTLV {
      var w = ByteWriter()
      w.u16(has)
      w.u16(enabled ?? has)
      return LLDPTLV(7, w.bytes)
    }
    package static func management(_ ip: IPv4Address, interface: UInt32 = 1) -> LLDPTLV {
      var w = ByteWriter()
      w.append([5, 1])
      w.ipv4(ip)
      w.u8(2)
      w.u32(interface)
      w.u8(0)
      return LLDPTLV(8, w.bytes)
    }
    /// IEEE 802.3 MAC/PHY: 16 = 100BASE-TX full duplex, 30 = 1000BASE-T full duplex.
    package static func mau(_ type: UInt16) -> LLDPTLV {
      LLDPTLV(127, [0, 0x12, 0x0f, 1, 3, 0x6c, 0x11, UInt8(type >> 8), UInt8(type & 255)])
    }
    package static func vlan(_ id: UInt16) -> LLDPTLV { LLDPTLV(127, [0, 0x80, 0xc2, 1, UInt8(id >> 8), UInt8(id & 255)]) }
  }

  package static func lldp(_ tlvs: [LLDPTLV]) -> Packet {
    var w = ByteWriter()
    for tlv in tlvs + [LLDPTLV(0, [])] {
      w.u16(tlv.type << 9 | UInt16(clamping: tlv.bytes.count) & 0x1ff)
      w.append(tlv.bytes)
    }
    return Packet(.lldp, w.bytes, to: MACAddress(bits: 0x0180_c200_000e))
  }

  // CDP

  /// - Parameter capabilities: 1 router, 2 transparent bridge, 8 switch, 0x10 host.
  package static func cdp(
    _ device: String, port: String, platform: String, software: String, capabilities: UInt32, _ address: IPv4Address? = nil
  ) -> Packet {
    var w = ByteWriter()
    w.append([2, 180, 0, 0])
    func tlv(_ type: UInt16, _ bytes: [UInt8]) {
      w.u16(type)
      w.u16(UInt16(clamping: bytes.count + 4))
      w.append(bytes)
    }
    tlv(1, Array(device.utf8))
    if let address {
      var a = ByteWriter()
      a.u32(1)
      a.append([1, 1, 0xcc, 0, 4])
      a.ipv4(address)
      tlv(2, a.bytes)
    }
    tlv(3, Array(port.utf8))
    var c = ByteWriter()
    c.u32(capabilities)
    tlv(4, c.bytes)
    tlv(5, Array(software.utf8))
    tlv(6, Array(platform.utf8))
    // Cisco sums the last odd byte unlike everybody else; an even length avoids the question.
    if w.count & 1 == 1 { tlv(0x0b, [1]) }
    w.put16(Checksum.finish(Checksum.sum(w.bytes)), at: 2)
    return snap(0x00000c, 0x2000, w.bytes, to: MACAddress(bits: 0x0100_0ccc_cccc))
  }

  // STP

  /// A configuration message, or of RSTP.
  package static func stp(
    root: MACAddress, cost: UInt32 = 0, bridge: MACAddress, port: UInt16, rapid: Bool = false, priority: UInt16 = 0x8000, age: UInt16 = 0
  ) -> Packet {
    var w = ByteWriter()
    w.u16(0)
    w.u8(rapid ? 2 : 0)
    w.u8(rapid ? 2 : 0)
    // Designated port, learning, forwarding.
    w.u8(rapid ? 0x3c : 0)
    w.u16(priority)
    w.mac(root)
    w.u32(cost)
    w.u16(priority)
    w.mac(bridge)
    w.u16(0x8000 | port)
    for seconds: UInt16 in [age, 20, 2, 15] { w.u16(seconds << 8) }
    if rapid { w.u8(0) }
    return llc(0x42, 0x42, 3, w.bytes, to: MACAddress(bits: 0x0180_c200_0000))
  }

  /// The loop-detection frame of Realtek's switch chips.
  package static let rldp = Packet(.realtek, [0x23, 0x00] + Array(repeating: 0, count: 44))
  /// The source address of chips whose maker gave them none.
  package static let rldpDefaultSource = MACAddress(bits: 0x5254_4c83_05b0)

  // PPPoE

  package enum PPPoECode: UInt8, Sendable {
    case offer = 0x07, initiation = 0x09, request = 0x19, confirmation = 0x65, termination = 0xa7
  }

  package struct PPPoETag: Hashable, Sendable {
    var type: UInt16
    var bytes: [UInt8]
    package init(_ type: UInt16, _ bytes: [UInt8]) {
      self.type = type
      self.bytes = bytes
    }
    package static func service(_ name: String = "") -> PPPoETag { PPPoETag(0x0101, Array(name.utf8)) }
    package static func concentrator(_ name: String) -> PPPoETag { PPPoETag(0x0102, Array(name.utf8)) }
    package static func hostUnique(_ bytes: [UInt8]) -> PPPoETag { PPPoETag(0x0103, bytes) }
    package static func cookie(_ bytes: [UInt8]) -> PPPoETag { PPPoETag(0x0104, bytes) }
  }

  package static func pppoe(_ code: PPPoECode, session: UInt16 = 0, _ tags: [PPPoETag] = [.service()]) -> Packet {
    var body = ByteWriter()
    for tag in tags {
      body.u16(tag.type)
      body.u16(UInt16(clamping: tag.bytes.count))
      body.append(tag.bytes)
    }
    return Packet(.pppoeDiscovery, pppoeHeader(code.rawValue, session, body.count) + body.bytes)
  }

  /// An IP packet through a session.
  package static func pppoe(session: UInt16, _ inner: Packet) -> Packet {
    let ppp: [UInt8] = inner.type == .ipv6 ? [0, 0x57] : [0, 0x21]
    return Packet(.pppoeSession, pppoeHeader(0, session, inner.bytes.count + 2) + ppp + inner.bytes)
  }

  private static func pppoeHeader(_ code: UInt8, _ session: UInt16, _ length: Int) -> [UInt8] {
    var w = ByteWriter()
    w.u8(0x11)
    w.u8(code)
    w.u16(session)
    w.u16(UInt16(clamping: length))
    return w.bytes
  }
}
