package import Wire

// IEEE 1905.1 and Wi-Fi EasyMesh control messages.

extension Packet {
  package static let controlGroup1905 = MACAddress(bits: 0x0180_c200_0013)

  package struct TLV1905: Hashable, Sendable {
    var type: UInt8
    var bytes: [UInt8]
    package init(_ type: UInt8, _ bytes: [UInt8]) {
      self.type = type
      self.bytes = bytes
    }
    package static func node(_ al: MACAddress) -> TLV1905 { TLV1905(1, al.bytes) }
    package static func sender(_ interface: MACAddress) -> TLV1905 { TLV1905(2, interface.bytes) }
    package static func device(_ al: MACAddress, _ interfaces: [Interface1905]) -> TLV1905 {
      var w = ByteWriter()
      w.mac(al)
      w.u8(UInt8(clamping: interfaces.count))
      for interface in interfaces {
        w.mac(interface.mac)
        w.u16(interface.media)
        w.u8(UInt8(clamping: interface.info.count))
        w.append(interface.info)
      }
      return TLV1905(3, w.bytes)
    }
    package static func bridging(_ ports: [MACAddress]) -> TLV1905 {
      TLV1905(4, [1, UInt8(clamping: ports.count)] + ports.flatMap(\.bytes))
    }
    /// Ordinary hosts heard on an interface.
    package static func others(on interface: MACAddress, _ hosts: [MACAddress]) -> TLV1905 {
      TLV1905(6, interface.bytes + hosts.flatMap(\.bytes))
    }
    /// Nodes heard on an interface; `bridged`: an ordinary bridge stands between.
    package static func nodes(on interface: MACAddress, _ nodes: [(al: MACAddress, bridged: Bool)]) -> TLV1905 {
      TLV1905(7, interface.bytes + nodes.flatMap { $0.al.bytes + [$0.bridged ? 0x80 : 0] })
    }
    package static func identification(name: String, maker: String, model: String) -> TLV1905 {
      TLV1905(0x15, [name, maker, model].flatMap { Array($0.utf8.prefix(63)) + Array(repeating: 0, count: 64 - min(63, $0.utf8.count)) })
    }
    package static let controller = TLV1905(0x80, [1, 0])
    package static let agent = TLV1905(0x80, [1, 1])
    package static func operationalBSS(radio: MACAddress, _ networks: [(bssid: MACAddress, ssid: String)]) -> TLV1905 {
      var w = ByteWriter()
      w.u8(1)
      w.mac(radio)
      w.u8(UInt8(clamping: networks.count))
      for network in networks {
        w.mac(network.bssid)
        w.u8(UInt8(clamping: network.ssid.utf8.count))
        w.text(network.ssid)
      }
      return TLV1905(0x83, w.bytes)
    }
    package static func clients(_ bssid: MACAddress, _ stations: [MACAddress], age: UInt16 = 60) -> TLV1905 {
      var w = ByteWriter()
      w.u8(1)
      w.mac(bssid)
      w.u16(UInt16(clamping: stations.count))
      for station in stations {
        w.mac(station)
        w.u16(age)
      }
      return TLV1905(0x84, w.bytes)
    }
    package static func association(_ station: MACAddress, _ bssid: MACAddress, joined: Bool = true) -> TLV1905 {
      TLV1905(0x92, station.bytes + bssid.bytes + [joined ? 0x80 : 0])
    }
  }

  /// An interface of a node with its kind of medium.
  package struct Interface1905: Hashable, Sendable {
    package var mac: MACAddress
    var media: UInt16
    var info: [UInt8]
    package static func ethernet(_ mac: MACAddress) -> Interface1905 { Interface1905(mac: mac, media: 0x0001, info: []) }
    package static func powerline(_ mac: MACAddress) -> Interface1905 {
      Interface1905(mac: mac, media: 0x0201, info: powerlineNetwork)
    }
    /// 802.11ac as an access point (role 0), or as a station of another one's BSS (role 0x40).
    package static func wifi(_ mac: MACAddress, bssid: MACAddress, station: Bool = false) -> Interface1905 {
      Interface1905(mac: mac, media: 0x0105, info: bssid.bytes + [station ? 0x40 : 0, 2, 42, 0])
    }
  }

  package static func ieee1905(_ type: UInt16, id: UInt16, _ tlvs: [TLV1905], to destination: MACAddress = controlGroup1905) -> Packet {
    var w = ByteWriter()
    w.u16(0)
    w.u16(type)
    w.u16(id)
    w.u8(0)
    w.u8(0x80)
    for tlv in tlvs + [TLV1905(0, [])] {
      w.u8(tlv.type)
      w.u16(UInt16(clamping: tlv.bytes.count))
      w.append(tlv.bytes)
    }
    return Packet(.ieee1905, w.bytes, to: destination)
  }

  package static func topologyDiscovery(_ al: MACAddress, interface: MACAddress, id: UInt16) -> Packet {
    ieee1905(0, id: id, [.node(al), .sender(interface)])
  }
  /// The LLDP twin that the standard sends with each discovery, and that no ordinary bridge forwards.
  package static func discoveryTwin(_ al: MACAddress, interface: MACAddress) -> Packet {
    lldp([.chassis(al), .port(interface), .lifetime(180)])
  }
  package static func topologyQuery(id: UInt16) -> Packet { ieee1905(2, id: id, []) }
  package static func topologyResponse(id: UInt16, _ tlvs: [TLV1905]) -> Packet { ieee1905(3, id: id, tlvs) }
  package static func topologyNotification(_ al: MACAddress, id: UInt16, _ more: [TLV1905] = []) -> Packet {
    ieee1905(1, id: id, [.node(al)] + more)
  }
}
