package import Wire

// Neighbour discovery for IPv6: RFC 4861, 4862, 4191, 8106. All of it with hop limit 255.

extension Segment {
  /// An option of neighbour discovery: type, then its length in units of 8 bytes.
  package struct NDOption: Hashable, Sendable {
    var bytes: [UInt8]

    init(_ type: UInt8, _ body: [UInt8]) {
      let units = (body.count + 2 + 7) / 8
      bytes = [type, UInt8(clamping: units)] + body + Array(repeating: 0, count: units * 8 - body.count - 2)
    }

    package static func source(_ mac: MACAddress) -> NDOption { NDOption(1, mac.bytes) }
    package static func target(_ mac: MACAddress) -> NDOption { NDOption(2, mac.bytes) }
    package static func prefix(
      _ prefix: IPv6Address, _ length: UInt8 = 64, onLink: Bool = true, autonomous: Bool = true, valid: UInt32 = 86_400
    ) -> NDOption {
      var w = ByteWriter()
      w.u8(length)
      w.u8((onLink ? 0x80 : 0) | (autonomous ? 0x40 : 0))
      w.u32(valid)
      w.u32(valid / 2)
      w.u32(0)
      w.ipv6(prefix)
      return NDOption(3, w.bytes)
    }
    package static func mtu(_ value: UInt32) -> NDOption {
      var w = ByteWriter()
      w.u16(0)
      w.u32(value)
      return NDOption(5, w.bytes)
    }
    package static func route(_ prefix: IPv6Address, _ length: UInt8, lifetime: UInt32 = 1800) -> NDOption {
      var w = ByteWriter()
      w.u8(length)
      w.u8(0)
      w.u32(lifetime)
      w.u64(prefix.high)
      if length > 64 { w.u64(prefix.low) }
      return NDOption(24, w.bytes)
    }
    package static func resolvers(_ servers: [IPv6Address], lifetime: UInt32 = 1800) -> NDOption {
      var w = ByteWriter()
      w.u16(0)
      w.u32(lifetime)
      for server in servers { w.ipv6(server) }
      return NDOption(25, w.bytes)
    }
    package static func searchList(_ domain: DomainName, lifetime: UInt32 = 1800) -> NDOption {
      var w = ByteWriter()
      w.u16(0)
      w.u32(lifetime)
      w.append(domain.bytes)
      return NDOption(31, w.bytes)
    }
  }

  private static func nd(_ type: UInt8, _ fixed: ByteWriter, _ options: [NDOption]) -> Segment {
    icmpv6(type, fixed.bytes + options.flatMap(\.bytes), hopLimit: 255)
  }

  /// To ff02::2.
  package static func routerSolicitation(_ options: [NDOption] = []) -> Segment {
    var w = ByteWriter()
    w.u32(0)
    return nd(133, w, options)
  }

  /// To ff02::1.
  package static func routerAdvertisement(lifetime: UInt16 = 1800, managed: Bool = false, other: Bool = false, _ options: [NDOption])
    -> Segment
  {
    var w = ByteWriter()
    w.u8(64)
    w.u8((managed ? 0x80 : 0) | (other ? 0x40 : 0))
    w.u16(lifetime)
    w.u32(0)
    w.u32(0)
    return nd(134, w, options)
  }

  /// To the target's solicited-node group.
  package static func neighbourSolicitation(_ target: IPv6Address, _ options: [NDOption] = []) -> Segment {
    var w = ByteWriter()
    w.u32(0)
    w.ipv6(target)
    return nd(135, w, options)
  }

  package static func neighbourAdvertisement(
    _ target: IPv6Address, router: Bool = false, solicited: Bool = true, override: Bool = true, _ options: [NDOption]
  ) -> Segment {
    var w = ByteWriter()
    w.u32((router ? 0x8000_0000 : 0) | (solicited ? 0x4000_0000 : 0) | (override ? 0x2000_0000 : 0))
    w.ipv6(target)
    return nd(136, w, options)
  }

  package static func redirect6(to better: IPv6Address, for destination: IPv6Address, _ options: [NDOption] = []) -> Segment {
    var w = ByteWriter()
    w.u32(0)
    w.ipv6(better)
    w.ipv6(destination)
    return nd(137, w, options)
  }
}
