package import Wire

// UDP (RFC 768), TCP (RFC 9293), ICMP (RFC 792), ICMPv6 (RFC 4443), IGMP (RFC 2236, 3376), MLD (RFC 2710, 3810), VRRP (RFC 3768, 5798).

/// What UDP carries, with the ports and groups its protocol uses.
package struct Datagram: Hashable, Sendable {
  package var sourcePort: UInt16
  package var destinationPort: UInt16
  package var bytes: [UInt8]
  /// Where the protocol sends it unless somebody says otherwise.
  package var group: IPv4Address?
  package var group6: IPv6Address?
  package var hopLimit: UInt8?

  package init(
    _ sourcePort: UInt16, to destinationPort: UInt16, _ bytes: [UInt8], group: IPv4Address? = nil, group6: IPv6Address? = nil,
    hopLimit: UInt8? = nil
  ) {
    self.sourcePort = sourcePort
    self.destinationPort = destinationPort
    self.bytes = bytes
    self.group = group
    self.group6 = group6
    self.hopLimit = hopLimit
  }
}

package struct TCPFlags: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }
  package static let fin = TCPFlags(rawValue: 1)
  package static let syn = TCPFlags(rawValue: 2)
  package static let rst = TCPFlags(rawValue: 4)
  package static let psh = TCPFlags(rawValue: 8)
  package static let ack = TCPFlags(rawValue: 16)
}

extension Segment {
  package static func udp(_ datagram: Datagram, noise: Int = 0) -> Segment {
    var w = ByteWriter()
    w.u16(datagram.sourcePort)
    w.u16(datagram.destinationPort)
    w.u16(UInt16(clamping: 8 + datagram.bytes.count + noise))
    w.u16(0)
    w.append(datagram.bytes)
    var segment = Segment(.udp, w.bytes)
    segment.noise = noise
    segment.checksumAt = 6
    segment.coversAddresses = true
    segment.hopLimit = datagram.hopLimit
    return segment
  }

  package static func tcp(
    _ sourcePort: UInt16, to destinationPort: UInt16, sequence: UInt32, acknowledges: UInt32 = 0, _ flags: TCPFlags,
    window: UInt16 = 501, options: [UInt8] = [], data: [UInt8] = [], noise: Int = 0
  ) -> Segment {
    var w = ByteWriter()
    w.u16(sourcePort)
    w.u16(destinationPort)
    w.u32(sequence)
    w.u32(acknowledges)
    w.u8(UInt8(5 + options.count / 4) << 4)
    w.u8(flags.rawValue)
    w.u16(window)
    w.u32(0)
    w.append(options)
    w.append(data)
    var segment = Segment(.tcp, w.bytes)
    segment.noise = noise
    segment.checksumAt = 16
    segment.coversAddresses = true
    return segment
  }

  // ICMP

  package static func icmp(_ type: UInt8, code: UInt8 = 0, rest: UInt32 = 0, _ body: [UInt8] = []) -> Segment {
    var w = ByteWriter()
    w.u8(type)
    w.u8(code)
    w.u16(0)
    w.u32(rest)
    w.append(body)
    var segment = Segment(.icmp, w.bytes)
    segment.checksumAt = 2
    return segment
  }

  package static func echo(_ id: UInt16, _ sequence: UInt16, reply: Bool = false, length: Int = 56) -> Segment {
    icmp(reply ? 0 : 8, rest: UInt32(id) << 16 | UInt32(sequence), (0..<length).map { UInt8(truncatingIfNeeded: $0) })
  }

  /// A better next hop for where the quoted packet went (RFC 792).
  package static func redirect(to gateway: IPv4Address, quoting packet: Packet) -> Segment {
    icmp(5, code: 1, rest: gateway.bits, Array(packet.bytes.prefix(28)))
  }

  package static func timeExceeded(quoting packet: Packet) -> Segment { icmp(11, Array(packet.bytes.prefix(28))) }

  package static func unreachable(code: UInt8, mtu: UInt16 = 0, quoting packet: Packet) -> Segment {
    icmp(3, code: code, rest: UInt32(mtu), Array(packet.bytes.prefix(28)))
  }

  package static func icmpv6(_ type: UInt8, code: UInt8 = 0, _ body: [UInt8], hopLimit: UInt8? = nil) -> Segment {
    var segment = Segment(.icmpv6, [type, code, 0, 0] + body)
    segment.checksumAt = 2
    segment.coversAddresses = true
    segment.hopLimit = hopLimit
    return segment
  }

  package static func echo6(_ id: UInt16, _ sequence: UInt16, reply: Bool = false, length: Int = 56) -> Segment {
    var w = ByteWriter()
    w.u16(id)
    w.u16(sequence)
    w.append((0..<length).map { UInt8(truncatingIfNeeded: $0) })
    return icmpv6(reply ? 129 : 128, w.bytes)
  }

  // Groups

  private static func igmp(_ bytes: [UInt8]) -> Segment {
    var segment = Segment(.igmp, bytes)
    segment.checksumAt = 2
    segment.hopLimit = 1
    // Router alert (RFC 2113).
    segment.options = [148, 4, 0, 0]
    return segment
  }

  /// To 224.0.0.1, or to the group it asks for.
  package static func igmpQuery(_ group: IPv4Address = .any, seconds: UInt8 = 10) -> Segment {
    var w = ByteWriter()
    w.append([0x11, seconds &* 10, 0, 0])
    w.ipv4(group)
    // Version 3: robustness 2, interval 125 s, no sources.
    w.append([2, 125, 0, 0])
    return igmp(w.bytes)
  }

  /// Version 2; goes to the group itself.
  package static func igmpReport(_ group: IPv4Address) -> Segment { igmp2(0x16, group) }
  /// Goes to 224.0.0.2.
  package static func igmpLeave(_ group: IPv4Address) -> Segment { igmp2(0x17, group) }

  private static func igmp2(_ type: UInt8, _ group: IPv4Address) -> Segment {
    var w = ByteWriter()
    w.append([type, 0, 0, 0])
    w.ipv4(group)
    return igmp(w.bytes)
  }

  /// Version 3, to 224.0.0.22: now listens to all sources of these groups.
  package static func igmpReport3(_ groups: [IPv4Address]) -> Segment {
    var w = ByteWriter()
    w.append([0x22, 0, 0, 0, 0, 0])
    w.u16(UInt16(clamping: groups.count))
    for group in groups {
      w.append([4, 0, 0, 0])
      w.ipv4(group)
    }
    return igmp(w.bytes)
  }

  private static func mld(_ type: UInt8, _ body: [UInt8]) -> Segment {
    var segment = icmpv6(type, body, hopLimit: 1)
    segment.extensions = [.routerAlert]
    return segment
  }

  /// To ff02::1.
  package static func mldQuery(_ group: IPv6Address = .any) -> Segment {
    var w = ByteWriter()
    w.u16(10_000)
    w.u16(0)
    w.ipv6(group)
    w.append([2, 125, 0, 0])
    return mld(130, w.bytes)
  }

  /// Version 2, to ff02::16.
  package static func mldReport(_ groups: [IPv6Address]) -> Segment {
    var w = ByteWriter()
    w.u16(0)
    w.u16(UInt16(clamping: groups.count))
    for group in groups {
      w.append([4, 0, 0, 0])
      w.ipv6(group)
    }
    return mld(143, w.bytes)
  }

  /// Version 2, to 224.0.0.18 with hop limit 255.
  package static func vrrp(_ id: UInt8, priority: UInt8 = 100, _ addresses: [IPv4Address]) -> Segment {
    var w = ByteWriter()
    w.append([0x21, id, priority, UInt8(clamping: addresses.count), 0, 1, 0, 0])
    for address in addresses { w.ipv4(address) }
    w.zeros(8)
    var segment = Segment(.vrrp, w.bytes)
    segment.checksumAt = 6
    segment.hopLimit = 255
    return segment
  }

  /// Version 3, to 224.0.0.18 or ff02::12; interval in 1/100 s.
  package static func vrrp3(_ id: UInt8, priority: UInt8 = 100, _ addresses: [IPAddress]) -> Segment {
    var w = ByteWriter()
    w.append([0x31, id, priority, UInt8(clamping: addresses.count), 0, 100, 0, 0])
    for address in addresses {
      if let v4 = address.v4 { w.ipv4(v4) } else if let v6 = address.v6 { w.ipv6(v6) }
    }
    var segment = Segment(.vrrp, w.bytes)
    segment.checksumAt = 6
    segment.coversAddresses = true
    segment.hopLimit = 255
    return segment
  }
}

/// TCP options (RFC 9293, 7323): the order tells stacks apart, as on real wires.
enum TCPOptions {
  static func linuxSYN(_ mss: UInt16, _ stamp: UInt32, _ echo: UInt32) -> [UInt8] {
    var w = ByteWriter()
    w.append([2, 4])
    w.u16(mss)
    w.append([4, 2, 8, 10])
    w.u32(stamp)
    w.u32(echo)
    w.append([1, 3, 3, 7])
    return w.bytes
  }

  static func windowsSYN(_ mss: UInt16) -> [UInt8] {
    var w = ByteWriter()
    w.append([2, 4])
    w.u16(mss)
    w.append([1, 3, 3, 8, 1, 1, 4, 2])
    return w.bytes
  }

  static func stamps(_ stamp: UInt32, _ echo: UInt32) -> [UInt8] {
    var w = ByteWriter()
    w.append([1, 1, 8, 10])
    w.u32(stamp)
    w.u32(echo)
    return w.bytes
  }
}
