// The TLVs of IEEE 1905.1 (6.4) and Wi-Fi EasyMesh (17.2) that say who is where. Layouts stand with each.

extension IEEE1905 {
  /// Device information: AL MAC 6, n 1; each interface: MAC 6, media type 2, length 1, information. Of 802.11: BSSID 6, role 1,
  /// bandwidth 1, channel centres 2.
  static func deviceInformation(
    _ value: inout ByteReader, _ context: inout Context, _ out: inout Observations
  ) throws(WireFault) {
    context.hasDeviceInformation = true
    let count = Int(try value.u8())
    var isAccessPoint = false
    for _ in 0..<count {
      let interface = try value.mac()
      let medium = medium(try value.u16())
      let length = Int(try value.u8())
      if interface.isStation, interface != context.node {
        out.note(context.node, .isSameBox(as: interface), "device information")
      }
      if let medium {
        out.note(interface, .carries(medium, rate: nil), "device information")
        context.media.append((interface, medium, false))
      }
      var information = try value.take(length)
      guard medium == .wifi, length >= 7 else { continue }
      let bssid = try information.mac()
      let role = try information.u8() & 0xf0
      // A radio that is off has no BSSID.
      guard bssid.isStation else { continue }
      switch role {
      case 0x00, 0xa0:
        out.note(context.node, .runsBSS(bssid, ssid: nil), "device information: access point")
        if !isAccessPoint { out.note(context.node, .playsRole(.accessPoint), "device information: access point") }
        isAccessPoint = true
      case 0x40:
        if let last = context.media.indices.last { context.media[last].isUplink = true }
        if bssid != interface { out.note(interface, .isStation(of: bssid, signal: nil), "uplink interface") }
      default: continue
      }
    }
  }

  /// Bridging tuples: n 1; each: k 1, MACs 6·k of the node's own interfaces.
  static func bridgingTuples(_ value: inout ByteReader, _ context: Context, _ out: inout Observations) throws(WireFault) {
    // Says nothing about identity that the device information did not.
    if context.hasDeviceInformation { return }
    let count = Int(try value.u8())
    for _ in 0..<count {
      let members = Int(try value.u8())
      for _ in 0..<members {
        let interface = try value.mac()
        if interface.isStation, interface != context.node { out.note(context.node, .isSameBox(as: interface), "bridging tuple") }
      }
    }
  }

  /// A host on one of the node's interfaces. Where nobody said what the interface is, only the acquaintance is sure.
  private static func noteHost(
    _ host: MACAddress, on interface: MACAddress, of count: Int, _ context: Context, _ field: String, _ out: inout Observations
  ) {
    guard host.isStation, host != context.node, host != interface else { return }
    if let medium = context.mediumBehind(interface) {
      out.note(context.node, .bridges(host, over: medium, of: count, rate: nil), field)
    } else {
      out.note(context.node, .neighbours(host, over: nil, direct: nil, rate: nil), field)
    }
  }

  /// Non-1905 neighbours: local MAC 6, then the MACs of hosts to the end.
  static func otherNeighbours(
    _ value: inout ByteReader, _ length: Int, _ context: Context, _ out: inout Observations
  ) throws(WireFault) {
    let interface = try value.mac()
    let count = length / 6 - 1
    for _ in 0..<256 where !value.isAtEnd || value.isCut {
      noteHost(try value.mac(), on: interface, of: count, context, "non-1905 neighbours", &out)
    }
  }

  /// 1905 neighbours: local MAC 6; each: AL MAC 6, flags 1: 80 = an ordinary bridge stands between.
  static func neighbours(_ value: inout ByteReader, _ context: Context, _ out: inout Observations) throws(WireFault) {
    let interface = try value.mac()
    let medium = context.medium(of: interface)
    for _ in 0..<256 where !value.isAtEnd || value.isCut {
      let other = try value.mac()
      let isDirect = try value.u8() & 0x80 == 0
      guard other.isStation, other != context.node else { continue }
      out.note(context.node, .neighbours(other, over: medium, direct: isDirect, rate: nil), "1905 neighbours")
    }
  }

  /// Link metrics: AL MAC 6, neighbour's AL MAC 6; each link: interface 6, neighbour's interface 6, media type 2, then of the
  /// transmitter: bridge 1, errors 4, packets 4, throughput 2, availability 2, PHY rate 2 (Mb/s, ffff unknown).
  static func linkMetric(
    _ value: inout ByteReader, recordLength: Int, _ field: String, _ out: inout Observations
  ) throws(WireFault) {
    let node = try value.mac()
    let other = try value.mac()
    guard other.isStation, other != node else { return }
    for _ in 0..<256 where value.remaining >= recordLength || value.isCut {
      var link = try value.take(recordLength)
      let interface = try link.mac()
      let otherInterface = try link.mac()
      let medium = medium(try link.u16())
      var isDirect: Bool?
      var rate: Rate?
      if recordLength == 29 {
        isDirect = try link.u8() == 0
        try link.skip(12)
        let megabits = try link.u16()
        rate = megabits > 0 && megabits != 0xffff ? Rate(megabits: Int(megabits)) : nil
      }
      if interface.isStation, interface != node { out.note(node, .isSameBox(as: interface), field) }
      if otherInterface.isStation, otherInterface != other { out.note(other, .isSameBox(as: otherInterface), field, grade: .b) }
      out.note(node, .neighbours(other, over: medium, direct: isDirect, rate: rate), field)
    }
  }

  /// Generic PHY: AL MAC 6, n 1; each interface: MAC 6, OUI 3, variant 1, name 32, lengths of URL and information 1 each, both.
  static func genericPHY(
    _ value: inout ByteReader, _ header: Header, _ source: MACAddress, _ context: inout Context, _ out: inout Observations
  ) throws(WireFault) {
    name(try value.mac(), header, source, "generic PHY", &context, &out)
    let count = Int(try value.u8())
    for _ in 0..<count {
      let interface = try value.mac()
      try value.skip(4)
      let phy = try value.text(32).untilNUL.trimmed
      let rest = Int(try value.u8()) + Int(try value.u8())
      if interface.isStation, interface != context.node { out.note(context.node, .isSameBox(as: interface), "generic PHY") }
      if !phy.isEmpty { out.note(interface, .has(.hardware, phy), "generic PHY") }
      try value.skip(rest)
    }
  }

  /// Device identification: friendly name 64, manufacturer 64, model 64, padded with NUL.
  static func deviceIdentification(_ value: inout ByteReader, _ context: Context, _ out: inout Observations) throws(WireFault) {
    let friendly = try value.text(64).untilNUL.trimmed
    if !friendly.isEmpty { out.note(context.node, .isNamed(friendly, .friendly), "device identification") }
    let manufacturer = try value.text(64).untilNUL.trimmed
    if !manufacturer.isEmpty { out.note(context.node, .has(.manufacturer, manufacturer), "device identification") }
    let model = try value.text(64).untilNUL.trimmed
    if !model.isEmpty { out.note(context.node, .has(.model, model), "device identification") }
  }

  /// IPv4: n 1; each interface: MAC 6, n 1; each address: kind 1 (1 from DHCP), address 4, DHCP server 4.
  static func addresses4(_ value: inout ByteReader, _ out: inout Observations) throws(WireFault) {
    let count = Int(try value.u8())
    for _ in 0..<count {
      let interface = try value.mac()
      let addresses = Int(try value.u8())
      for _ in 0..<addresses {
        let kind = try value.u8()
        let address = IPAddress(try value.ipv4())
        if address.isHost { out.note(interface, .holds(address, .statement), "IPv4") }
        let server = IPAddress(try value.ipv4())
        if kind == 1, server.isHost { out.note(.address(server), .playsRole(.dhcpServer), "IPv4: DHCP server", grade: .b) }
      }
    }
  }

  /// IPv6: n 1; each interface: MAC 6, link-local address 16, n 1; each address: kind 1, address 16, its origin 16.
  static func addresses6(_ value: inout ByteReader, _ out: inout Observations) throws(WireFault) {
    let count = Int(try value.u8())
    for _ in 0..<count {
      let interface = try value.mac()
      let local = IPAddress(try value.ipv6())
      if local.isHost, local.isLinkLocal { out.note(interface, .holds(local, .statement), "IPv6") }
      let addresses = Int(try value.u8())
      for _ in 0..<addresses {
        try value.skip(1)
        let address = IPAddress(try value.ipv6())
        if address.isHost { out.note(interface, .holds(address, .statement), "IPv6") }
        try value.skip(16)
      }
    }
  }

  /// L2 neighbours: n 1; each local interface: MAC 6, n 2; each neighbour: MAC 6, k 2, MACs 6·k behind it. All of them are behind
  /// this interface.
  static func l2Neighbours(_ value: inout ByteReader, _ context: Context, _ out: inout Observations) throws(WireFault) {
    let count = Int(try value.u8())
    for _ in 0..<count {
      let interface = try value.mac()
      let neighbours = Int(try value.u16())
      for _ in 0..<neighbours {
        let neighbour = try value.mac()
        let behind = Int(try value.u16())
        noteHost(neighbour, on: interface, of: neighbours, context, "L2 neighbours", &out)
        for _ in 0..<behind {
          noteHost(try value.mac(), on: interface, of: neighbours + behind, context, "L2 neighbours: behind", &out)
        }
      }
    }
  }

  private static let controller = WireText("EasyMesh controller")
  private static let agent = WireText("EasyMesh agent")

  /// Supported service: n 1; each: 0 controller, 1 agent.
  static func supportedService(_ value: inout ByteReader, _ context: Context, _ out: inout Observations) throws(WireFault) {
    let count = Int(try value.u8())
    for _ in 0..<count {
      switch try value.u8() {
      case 0: out.note(context.node, .offers(controller), "supported service")
      case 1: out.note(context.node, .offers(agent), "supported service")
      default: continue
      }
    }
  }

  /// AP operational BSS: radios 1; each: radio id 6, n 1; each BSS: BSSID 6, SSID length 1, SSID.
  static func operationalBSS(_ value: inout ByteReader, _ context: Context, _ out: inout Observations) throws(WireFault) {
    let radios = Int(try value.u8())
    var isAccessPoint = false
    for _ in 0..<radios {
      try value.skip(6)
      let count = Int(try value.u8())
      for _ in 0..<count {
        let bssid = try value.mac()
        let length = Int(try value.u8())
        let ssid = try value.text(length)
        guard bssid.isStation else { continue }
        out.note(context.node, .runsBSS(bssid, ssid: ssid.isEmpty || length > 32 ? nil : ssid), "AP operational BSS")
        if !isAccessPoint { out.note(context.node, .playsRole(.accessPoint), "AP operational BSS") }
        isAccessPoint = true
      }
    }
  }

  /// Associated clients: n 1; each BSS: BSSID 6, k 2; each station: MAC 6, seconds since it joined 2.
  static func associatedClients(_ value: inout ByteReader, _ out: inout Observations) throws(WireFault) {
    let count = Int(try value.u8())
    for _ in 0..<count {
      let bssid = try value.mac()
      let stations = Int(try value.u16())
      for _ in 0..<stations {
        let station = try value.mac()
        try value.skip(2)
        guard bssid.isStation else { continue }
        out.note(station, .isStation(of: bssid, signal: nil), "associated clients")
      }
    }
  }

  /// Client association event: station 6, BSSID 6, 80 joined or 0 left.
  static func associationEvent(_ value: inout ByteReader, _ out: inout Observations) throws(WireFault) {
    let station = try value.mac()
    let bssid = try value.mac()
    let hasJoined = try value.u8() & 0x80 != 0
    guard bssid.isStation else { return }
    out.note(station, hasJoined ? .isStation(of: bssid, signal: nil) : .leavesStation(bssid), "association event")
  }

  /// Associated station link metrics: station 6, n 1; each BSS: BSSID 6, age 4, down 4, up 4 (Mb/s), RCPI 1 (dBm = RCPI/2 – 110).
  static func stationMetrics(_ value: inout ByteReader, _ out: inout Observations) throws(WireFault) {
    let station = try value.mac()
    let count = Int(try value.u8())
    for _ in 0..<count {
      var record = try value.take(19)
      let bssid = try record.mac()
      try record.skip(4)
      let down = Int(try record.u32())
      let up = Int(try record.u32())
      let rcpi = try record.u8()
      guard bssid.isStation else { continue }
      // Above 220 the values are reserved; 255 is unknown.
      let signal: Int8? = rcpi > 0 && rcpi < 220 ? Int8(Int(rcpi) / 2 - 110) : nil
      out.note(station, .isStation(of: bssid, signal: signal), "STA link metrics")
      if max(down, up) > 0 { out.note(station, .carries(.wifi, rate: Rate(megabits: max(down, up))), "STA link metrics") }
    }
  }
}
