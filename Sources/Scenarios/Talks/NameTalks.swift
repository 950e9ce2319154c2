import Wire

// How boxes tell their names and what they offer.

extension Box {
  /// A service for mDNS: type, instance name, port and TXT strings.
  package struct Service: Hashable, Sendable {
    var type: String
    var instance: String?
    var port: UInt16
    var text: [String]
    /// - Parameter type: such as `_ipp._tcp`; the instance is called as the box unless it has a name.
    package init(_ type: String, _ instance: String? = nil, port: UInt16, _ text: [String] = []) {
      self.type = type
      self.instance = instance
      self.port = port
      self.text = text
    }
  }

  var hostName: DomainName { DomainName(labels: [name, "local"]) }

  func records(_ services: [Service]) -> [DNSRecord] {
    var records: [DNSRecord] = []
    for service in services {
      let type = DomainName(service.type + ".local")
      let instance = DomainName(instance: service.instance ?? name, of: type)
      records.append(.pointer(type, instance))
      records.append(.service(instance, service.port, hostName))
      records.append(.text(instance, service.text))
    }
    return records
  }

  /// Announces its name and services by mDNS, as a box does when it comes up.
  package func mdns(_ services: [Service] = [], overIPv6: Bool = false) -> Talk {
    Talk { stage in
      let address: DNSRecord = .address(self.hostName, IPAddress(self.ip))
      if self.ip.isHost {
        stage.send(.ipv4(from: self.ip, to: known4("224.0.0.251"), .igmpReport(known4("224.0.0.251"))), from: self)
        stage.pause(0.2)
        stage.send(.mdns(questions: [DNSQuestion(self.hostName, 255, unicast: true)], claims: [address]), from: self)
        stage.pause(0.5)
        stage.send(.mdns(answers: self.records(services) + [address]), from: self)
      }
      if overIPv6 {
        stage.pause(0.1)
        stage.send6(.mdns(answers: self.records(services) + [.address(self.hostName, IPAddress(self.linkLocal))]), from: self)
      }
    }
  }

  /// Answers once more what somebody asked.
  package func answersMDNS(_ services: [Service] = []) -> Talk {
    says(.mdns(answers: records(services) + [.address(hostName, IPAddress(ip))]))
  }

  /// Looks for a kind of service: proves nothing of itself.
  package func browses(_ type: String) -> Talk { says(.mdns(questions: [DNSQuestion(DomainName(type + ".local"), 12)])) }

  /// Asks LLMNR whether its own name is taken, as Windows does when it comes up.
  package func llmnr() -> Talk {
    Talk { stage in
      stage.send(.ipv4(from: self.ip, to: known4("224.0.0.252"), .igmpReport(known4("224.0.0.252"))), from: self)
      for _ in 0..<2 {
        stage.pause(0.1)
        stage.send(.llmnr(stage.random.u16(), question: DNSQuestion(DomainName(labels: [self.name]), 255), from: stage.port()), from: self)
      }
    }
  }

  /// Registers its NetBIOS names and announces itself to the browser.
  package func netBIOS(workgroup: String = "WORKGROUP", comment: String = "", server: Bool = true) -> Talk {
    Talk { stage in
      let names: [(String, UInt8, Bool)] = [(self.name, 0, false), (workgroup, 0, true)] + (server ? [(self.name, 0x20, false)] : [])
      for (name, suffix, group) in names {
        stage.send(.netBIOSRegistration(stage.random.u16(), name, suffix, group: group, self.ip), from: self)
        stage.pause(0.02)
      }
      stage.pause(2)
      stage.send(.hostAnnouncement(stage.random.u16(), self.name, workgroup: workgroup, from: self.ip, comment: comment), from: self)
    }
  }

  /// NOTIFY alive for the root device, its identifier and each type.
  package func upnp(_ types: [String], server: String, description: String = "/description.xml", port: UInt16 = 80) -> Talk {
    Talk { stage in
      let location = "http://\(self.ip)\(port == 80 ? "" : ":\(port)")\(description)"
      for type in ["upnp:rootdevice", "uuid:\(self.uuid)"] + types {
        stage.send(.ssdpNotify(type, uuid: self.uuid, location: location, server: server), from: self)
        stage.pause(0.03)
      }
    }
  }

  /// Searches by SSDP; `answered` by a box, to it alone.
  package func searchesSSDP(_ type: String = "ssdp:all", answered by: Box? = nil, server: String = "Linux UPnP/1.0") -> Talk {
    Talk { stage in
      let port = stage.port()
      stage.send(.ssdpSearch(type, from: port), from: self)
      guard let by else { return }
      stage.cross(self, by)
      stage.pause(0.4)
      stage.send(
        .ssdpAnswer(type, uuid: by.uuid, location: "http://\(by.ip)/description.xml", server: server, to: port), from: by, to: self)
    }
  }

  /// WS-Discovery Hello.
  package func hello(_ types: String = "wsdp:Device pub:Computer", scopes: String = "") -> Talk {
    Talk { stage in
      stage.send(
        .wsdHello(types, uuid: self.uuid, scopes: scopes, at: "http://\(self.ip):5357/\(self.uuid)/", from: stage.port()), from: self)
    }
  }

  // LLTD

  /// Draws its network map: Discover, the Hellos of the responders with their properties, Reset.
  package func maps(_ responders: [(Box, [Packet.LLTDProperty])]) -> Talk {
    let mapper = mac
    return Talk { stage in
      let generation = stage.random.u16()
      stage.send(.lltdDiscover(from: mapper, generation: generation), from: self)
      for (box, properties) in responders {
        stage.pause(0.03)
        stage.send(.lltdHello(from: box.mac, mapper: mapper, generation: generation, box.lltdProperties(properties)), from: box)
      }
      stage.pause(0.3)
      stage.send(.lltdDiscover(from: mapper, generation: generation, heard: responders.map(\.0.mac)), from: self)
      stage.pause(0.3)
      stage.send(.lltdReset(from: mapper), from: self)
    }
  }

  /// A Hello to nobody in particular, as after a quick discovery.
  package func lltdHello(_ properties: [Packet.LLTDProperty] = []) -> Talk {
    Talk { stage in
      stage.send(.lltdHello(from: self.mac, mapper: .zero, generation: 0, service: 1, self.lltdProperties(properties)), from: self)
    }
  }

  /// What every responder says of itself, with `more` between.
  func lltdProperties(_ more: [Packet.LLTDProperty]) -> [Packet.LLTDProperty] {
    var all: [Packet.LLTDProperty] = [.hostID(mac)]
    let types = Set(more.map(\.type))
    if !types.contains(2) { all.append(.characteristics(0x2000_0000)) }
    if !types.contains(3) { all.append(.medium(link == .wifi ? 71 : link == .powerline ? 174 : 6)) }
    if ip.isHost { all.append(.ipv4(ip)) }
    all.append(.ipv6(linkLocal))
    all.append(.counterFrequency)
    if !types.contains(0x0c) { all.append(.speed(megabits: link == .wifi ? 54 : 100)) }
    all += more
    if !name.isEmpty, !types.contains(0x0f) { all.append(.name(name.uppercased())) }
    return all + [.icon, .qualityOfService]
  }

  /// The properties of a Wi-Fi responder.
  package static func onAir(_ point: Box, signal: Int32 = -52) -> [Packet.LLTDProperty] {
    [.infrastructure, .bssid(point.bssid), .ssid(point.ssid ?? ""), .maximumRate(halfMegabits: 108), .signal(signal), .radio(6)]
  }

  // Power line

  /// Asks adapters whom they see and what they bridge, as the makers' tools do; each answers for itself.
  package func readsPowerline(_ adapters: [(box: Box, hosts: [Box])], local: Box? = nil, tables: Bool = true) -> Talk {
    let stations = adapters.enumerated().map { place, adapter in
      Packet.PowerlineStation(
        adapter.box.mac, UInt8(clamping: place + 1), coordinator: place == 0, signal: UInt8(clamping: 2 + place),
        bridged: adapter.hosts.first?.mac ?? .zero, transmit: UInt8(clamping: 140 - 9 * place), receive: UInt8(clamping: 125 + 6 * place))
    }
    @Sendable func others(than box: Box) -> [Packet.PowerlineStation] { stations.filter { $0.mac != box.mac } }
    return Talk { stage in
      stage.send(.discoverListRequest, from: self)
      for (box, _) in adapters {
        stage.cross(self, box)
        stage.send(.discoverList(others(than: box)), from: box, to: self)
      }
      if let local {
        stage.pause(0.3)
        stage.send(.softwareVersionRequest, from: self, to: Packet.localAdapter)
        stage.cross(self, local)
        stage.send(.softwareVersion(3, "INT6400-MAC-4-1-4102-00-3679-20090724-FINAL-B"), from: local, to: self)
        stage.pause(0.2)
        stage.send(.networkInformationRequest, from: self, to: Packet.localAdapter)
        stage.cross(self, local)
        let own = stations.first { $0.mac == local.mac }
        stage.send(
          .networkInformation(
            terminal: own?.terminal ?? 1, role: own?.isCoordinator == true ? 2 : 0, coordinator: stations.first?.mac ?? local.mac,
            others(than: local)),
          from: local, to: self)
      }
      guard tables else { return }
      for (place, adapter) in adapters.enumerated() {
        stage.pause(0.2)
        stage.send(.bridgeInformationRequest, from: self, to: adapter.box)
        stage.cross(self, adapter.box)
        stage.send(.bridgeInformation(UInt8(clamping: place + 1), adapter.hosts.map(\.mac)), from: adapter.box, to: self)
        stage.pause(0.1)
        stage.send(.networkStatisticsRequest, from: self, to: adapter.box)
        stage.cross(self, adapter.box)
        stage.send(.networkStatistics(others(than: adapter.box)), from: adapter.box, to: self)
      }
    }
  }

  // IEEE 1905

  /// Topology discovery, with its LLDP twin where nothing stands between node and listener.
  package func discovers1905(twin: Bool = true) -> Talk {
    Talk { stage in
      stage.send(.topologyDiscovery(self.mac, interface: self.mac, id: stage.random.u16()), from: self)
      if twin {
        stage.wait(0.000_02)
        stage.send(.discoveryTwin(self.mac, interface: self.mac), from: self)
      }
    }
  }

  /// Asks a node and hears what it says of itself.
  package func queries1905(_ node: Box, _ tlvs: [Packet.TLV1905]) -> Talk {
    Talk { stage in
      let id = stage.random.u16()
      stage.send(.topologyQuery(id: id), from: self, to: node)
      stage.cross(self, node)
      stage.pause(0.004)
      stage.send(.topologyResponse(id: id, tlvs), from: node, to: self)
    }
  }

  // Radio

  /// Beacons of an access point for so many seconds, ten a second.
  package func beacons(for seconds: Double, channel: UInt16 = 2437, protected: Bool = true) -> Talk {
    Talk { stage in
      var sequence = stage.random.u16()
      let end = stage.now + Int64(seconds * 1e9)
      var time = UInt64(stage.random.u32())
      while stage.now < end {
        stage.send(
          RadioFrame.beacon(
            self.bssid, ssid: self.ssid ?? self.name, protected: protected, channel: channel, sequence: sequence & 0xfff, time: time),
          from: self)
        sequence &+= 1
        time &+= 102_400
        stage.wait(0.1024)
      }
    }
  }

  /// Joins its access point: association request and response.
  package func associates(with point: Box, channel: UInt16 = 2437) -> Talk {
    Talk { stage in
      stage.send(RadioFrame.associationRequest(self.mac, point.bssid, ssid: point.ssid ?? "", sequence: 1, channel: channel), from: self)
      stage.wait(0.002)
      stage.send(RadioFrame.associationResponse(self.mac, point.bssid, sequence: 1, channel: channel), from: point)
    }
  }
}
