package import Wire

// HomePlug AV management messages (IEEE 1901, maker's messages of Qualcomm/Intellon) and Mediaxtream (Broadcom/Gigle).

extension Packet {
  /// An address that only the power line chip on the asker's own Ethernet segment answers to.
  package static let localAdapter = MACAddress(bits: 0x00b0_5200_0001)

  /// A public management message.
  package static func homePlug(_ type: UInt16, version: UInt8 = 1, _ body: [UInt8] = []) -> Packet {
    var w = ByteWriter()
    w.u8(version)
    w.u16LE(type)
    w.u16(0)
    w.append(body)
    // The shortest payload of a frame: fields of a reply are looked for up to here.
    w.pad(to: 46)
    return Packet(.homePlugAV, w.bytes)
  }

  /// A message of Qualcomm's own; version 0 has no fragmentation field.
  package static func homePlugVendor(_ type: UInt16, version: UInt8 = 0, _ body: [UInt8] = []) -> Packet {
    var w = ByteWriter()
    w.u8(version)
    w.u16LE(type)
    if version > 0 { w.u16(0) }
    w.append([0x00, 0xb0, 0x52])
    w.append(body)
    w.pad(to: 46)
    return Packet(.homePlugAV, w.bytes)
  }

  /// A station of a power line network, as the others list it.
  package struct PowerlineStation: Hashable, Sendable {
    var mac: MACAddress
    var terminal: UInt8
    var isCoordinator: Bool
    /// 1 (best) to 15.
    var signal: UInt8
    /// What it bridges first (BDA), and its rates in Mb/s.
    var bridged: MACAddress
    var transmit: UInt8
    var receive: UInt8
    package init(
      _ mac: MACAddress, _ terminal: UInt8, coordinator: Bool = false, signal: UInt8 = 3, bridged: MACAddress = .zero,
      transmit: UInt8 = 120,
      receive: UInt8 = 130
    ) {
      self.mac = mac
      self.terminal = terminal
      isCoordinator = coordinator
      self.signal = signal
      self.bridged = bridged
      self.transmit = transmit
      self.receive = receive
    }
  }

  static let powerlineNetwork: [UInt8] = [0x3a, 0x91, 0x5c, 0x07, 0xd2, 0x44, 0x0b]

  package static let discoverListRequest = homePlug(0x0014)

  /// CC_DISCOVER_LIST.CNF: the stations the answerer hears.
  package static func discoverList(_ stations: [PowerlineStation]) -> Packet {
    var w = ByteWriter()
    w.u8(UInt8(clamping: stations.count))
    for station in stations {
      w.mac(station.mac)
      w.append([station.terminal, 1, 0x01, station.isCoordinator ? 0x20 : 0, station.signal, 0x51])
    }
    w.u8(1)
    w.append(powerlineNetwork)
    w.append([1, 0, 1, 1, 0, 0])
    return homePlug(0x0015, w.bytes)
  }

  package static let bridgeInformationRequest = homePlug(0x6020)

  /// CM_BRG_INFO.CNF: the hosts on the answerer's own Ethernet side.
  package static func bridgeInformation(_ terminal: UInt8, _ hosts: [MACAddress]) -> Packet {
    var w = ByteWriter()
    w.u8(hosts.isEmpty ? 0 : 1)
    if !hosts.isEmpty {
      w.u8(terminal)
      w.u8(UInt8(clamping: hosts.count))
      for host in hosts { w.mac(host) }
    }
    return homePlug(0x6021, w.bytes)
  }

  package static let networkStatisticsRequest = homePlug(0x6048)

  /// CM_NW_STATS.CNF.
  package static func networkStatistics(_ stations: [PowerlineStation]) -> Packet {
    var w = ByteWriter()
    w.u8(UInt8(clamping: stations.count))
    for station in stations {
      w.mac(station.mac)
      w.append([station.transmit, station.receive])
    }
    return homePlug(0x6049, w.bytes)
  }

  package static let softwareVersionRequest = homePlugVendor(0xa000)

  /// VS_SW_VER.CNF; device 2 = INT6300, 3 = INT6400.
  package static func softwareVersion(_ device: UInt8, _ text: String) -> Packet {
    homePlugVendor(
      0xa001,
      [0, device, UInt8(clamping: text.utf8.count + 1)] + Array(text.utf8) + Array(repeating: 0, count: 65 - min(64, text.utf8.count)))
  }

  package static let networkInformationRequest = homePlugVendor(0xa038)

  /// VS_NW_INFO.CNF of version 0. `role`: 0 station, 2 coordinator.
  package static func networkInformation(terminal: UInt8, role: UInt8, coordinator: MACAddress, _ stations: [PowerlineStation]) -> Packet {
    var w = ByteWriter()
    w.u8(1)
    w.append(powerlineNetwork)
    w.append([1, terminal, role])
    w.mac(coordinator)
    w.append([1, UInt8(clamping: stations.count)])
    for station in stations {
      w.mac(station.mac)
      w.u8(station.terminal)
      w.mac(station.bridged)
      w.append([station.transmit, station.receive])
    }
    return homePlugVendor(0xa039, w.bytes)
  }

  // Mediaxtream

  private static func mediaxtream(_ type: UInt16, _ body: [UInt8]) -> Packet {
    var w = ByteWriter()
    w.u8(2)
    w.u16LE(type)
    w.u16(0)
    w.append([0x00, 0x1f, 0x84, 1])
    w.append(body)
    w.pad(to: 46)
    return Packet(.mediaxtream, w.bytes)
  }

  package static let mediaxtreamDiscoverRequest = mediaxtream(0xa070, [])
  /// `heardOn`: 0 or 1 its Ethernet side, 2 or 3 the power line.
  package static func mediaxtreamDiscover(heardOn interface: UInt8, name: String) -> Packet {
    mediaxtream(0xa071, [interface, 64] + Array(name.utf8.prefix(64)) + Array(repeating: 0, count: 64 - min(64, name.utf8.count)))
  }
  package static func mediaxtreamStatistics(_ stations: [(mac: MACAddress, transmit: UInt16, receive: UInt16)]) -> Packet {
    var w = ByteWriter()
    w.u8(UInt8(clamping: stations.count))
    for station in stations {
      w.mac(station.mac)
      w.u16LE(station.transmit)
      w.u16LE(station.receive)
    }
    return mediaxtream(0xa02d, w.bytes)
  }
}
