package import Wire

// Link Layer Topology Discovery ([MS-LLTD], Windows Rally LLTD 1.0.9).

extension Packet {
  /// A property in a Hello.
  package struct LLTDProperty: Hashable, Sendable {
    var type: UInt8
    var bytes: [UInt8]
    package init(_ type: UInt8, _ bytes: [UInt8]) {
      self.type = type
      self.bytes = bytes
    }
    private static func word(_ type: UInt8, _ value: UInt32) -> LLTDProperty {
      var w = ByteWriter()
      w.u32(value)
      return LLTDProperty(type, w.bytes)
    }
    package static func hostID(_ mac: MACAddress) -> LLTDProperty { LLTDProperty(1, mac.bytes) }
    /// 0x8000_0000 public side of a NAT, 0x4000_0000 private side, 0x2000_0000 full duplex, 0x1000_0000 has a web page.
    package static func characteristics(_ bits: UInt32) -> LLTDProperty { word(2, bits) }
    /// An IANA interface type: 6 Ethernet, 71 Wi-Fi, 174 power line.
    package static func medium(_ interfaceType: UInt32) -> LLTDProperty { word(3, interfaceType) }
    package static let infrastructure = LLTDProperty(4, [1])
    package static func bssid(_ mac: MACAddress) -> LLTDProperty { LLTDProperty(5, mac.bytes) }
    package static func ssid(_ text: String) -> LLTDProperty { LLTDProperty(6, Array(text.utf8.prefix(32))) }
    package static func ipv4(_ ip: IPv4Address) -> LLTDProperty { word(7, ip.bits) }
    package static func ipv6(_ ip: IPv6Address) -> LLTDProperty {
      var w = ByteWriter()
      w.ipv6(ip)
      return LLTDProperty(8, w.bytes)
    }
    package static func maximumRate(halfMegabits: UInt16) -> LLTDProperty {
      LLTDProperty(9, [UInt8(halfMegabits >> 8), UInt8(halfMegabits & 255)])
    }
    package static let counterFrequency = LLTDProperty(0x0a, [0, 0, 0, 0, 0, 0x0f, 0x42, 0x40])
    package static func speed(megabits: UInt32) -> LLTDProperty { word(0x0c, megabits * 10_000) }
    package static func signal(_ dBm: Int32) -> LLTDProperty { word(0x0d, UInt32(bitPattern: dBm)) }
    /// Fetched on demand: only its type is said.
    package static let icon = LLTDProperty(0x0e, [])
    package static func name(_ text: String) -> LLTDProperty {
      LLTDProperty(0x0f, text.utf16.prefix(16).flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] })
    }
    package static let qualityOfService = word(0x14, 0xe000_0000)
    package static func radio(_ kind: UInt8) -> LLTDProperty { LLTDProperty(0x15, [kind]) }
  }

  package static func lltd(
    _ function: UInt8, service: UInt8 = 0, from source: MACAddress, to destination: MACAddress = .broadcast, sequence: UInt16 = 0,
    _ body: [UInt8]
  ) -> Packet {
    var w = ByteWriter()
    w.append([1, service, 0, function])
    w.mac(destination)
    w.mac(source)
    w.u16(sequence)
    w.append(body)
    return Packet(.lltd, w.bytes, to: destination)
  }

  /// A mapper's call; `heard` are stations that need not answer again.
  package static func lltdDiscover(
    from mapper: MACAddress, generation: UInt16, transaction: UInt16 = 1, service: UInt8 = 0, heard: [MACAddress] = []
  ) -> Packet {
    var w = ByteWriter()
    w.u16(generation)
    w.u16(UInt16(clamping: heard.count))
    for station in heard { w.mac(station) }
    return lltd(0, service: service, from: mapper, sequence: transaction, w.bytes)
  }

  package static func lltdHello(
    from source: MACAddress, mapper: MACAddress, apparent: MACAddress? = nil, generation: UInt16, service: UInt8 = 0,
    _ properties: [LLTDProperty]
  ) -> Packet {
    var w = ByteWriter()
    w.u16(generation)
    w.mac(mapper)
    w.mac(apparent ?? mapper)
    for property in properties {
      w.u8(property.type)
      w.u8(UInt8(clamping: property.bytes.count))
      w.append(property.bytes)
    }
    w.u8(0)
    return lltd(1, service: service, from: source, w.bytes)
  }

  /// Whoever hears it forgets the mapper.
  package static func lltdReset(from mapper: MACAddress, service: UInt8 = 0) -> Packet {
    lltd(8, service: service, from: mapper, [])
  }
}
