package import Wire

// How boxes get their addresses and find each other.

extension Box {
  // Anything

  /// Says a packet to its group or to everybody, or to one box.
  package func says(_ packet: Packet, to other: Box? = nil) -> Talk {
    Talk { stage in
      if let other { stage.send(packet, from: self, to: other) } else { stage.send(packet, from: self) }
    }
  }

  /// Says a UDP message to its group or to the subnet, or to one box.
  package func says(_ datagram: Datagram, to other: Box? = nil) -> Talk {
    Talk { stage in
      if let other { stage.send(datagram, from: self, to: other) } else { stage.send(datagram, from: self) }
    }
  }

  /// Says what IP carries, to an address; the frame goes to its group, to `through`, or to everybody.
  package func says(_ segment: Segment, to address: String, through next: Box? = nil, hopLimit: UInt8? = nil) -> Talk {
    let target = knownIP(address)
    return Talk { stage in
      let source = target.isIPv4 ? IPAddress(self.ip) : IPAddress(self.linkLocal)
      let packet = Packet.ip(from: source, to: target, segment, hopLimit: hopLimit ?? segment.hopLimit ?? self.hopLimit)
      if let next { stage.send(packet, from: self, to: next) } else { stage.send(packet, from: self) }
    }
  }

  // ARP

  /// Looks for a box and hears its answer.
  package func arp(for other: Box) -> Talk {
    Talk { stage in
      stage.send(.arpRequest(other.ip, from: self.mac, self.ip), from: self)
      stage.cross(self, other)
      stage.send(.arpReply(from: other.mac, other.ip, to: self.mac, self.ip), from: other, to: self)
    }
  }

  /// Looks for an address that nobody here answers for.
  package func arp(for address: String) -> Talk {
    let wanted = known4(address)
    return Talk { $0.send(.arpRequest(wanted, from: self.mac, self.ip), from: self) }
  }

  /// Tells everybody which address it has.
  package func announces() -> Talk { Talk { $0.send(.arpAnnouncement(self.ip, from: self.mac), from: self) } }

  /// Three probes, then two announcements (RFC 5227, 2.1.1 and 2.3).
  package func probes() -> Talk {
    Talk { stage in
      for _ in 0..<3 {
        stage.send(.arpProbe(self.ip, from: self.mac), from: self)
        stage.pause(1.4)
      }
      stage.send(.arpAnnouncement(self.ip, from: self.mac), from: self)
      stage.wait(2)
      stage.send(.arpAnnouncement(self.ip, from: self.mac), from: self)
    }
  }

  /// Answers for an address, asked or not, as a proxy, a sleep proxy or a forger does. `as`: the hardware address it names.
  package func claims(_ address: String, to other: Box, as mac: MACAddress? = nil) -> Talk {
    let claimed = known4(address)
    return Talk { $0.send(.arpReply(from: mac ?? self.mac, claimed, to: other.mac, other.ip), from: self, to: other) }
  }

  // DHCP

  private func identity(_ client: MACAddress) -> [DHCPOption] {
    var options: [DHCPOption] = [.clientID(client)]
    if let vendorClass { options.append(.vendorClass(vendorClass)) }
    if hopLimit == 128 {
      options.append(.parameters([1, 15, 3, 6, 44, 46, 47, 31, 33, 121, 249, 43]))
    } else {
      options.append(.parameters([1, 121, 3, 6, 15, 119, 252, 28, 51, 58, 59]))
    }
    return options
  }

  /// What a DHCP server gives besides the address.
  package struct Scope: Sendable {
    package var gateway: IPv4Address?
    package var nameServers: [IPv4Address]
    package var server: IPv4Address
    package var leaseTime: UInt32
    package var more: [DHCPOption]
    /// - Parameter server: option 54.
    package init(gateway: String? = nil, nameServers: [String] = [], server: String, leaseTime: UInt32 = 86_400, more: [DHCPOption] = []) {
      self.gateway = gateway.map(known4)
      self.nameServers = nameServers.map(known4)
      self.server = known4(server)
      self.leaseTime = leaseTime
      self.more = more
    }
    /// A home router that is gateway, resolver and server in one.
    package init(of router: Box) {
      self.init(gateway: "\(router.ip)", nameServers: ["\(router.ip)"], server: "\(router.ip)")
    }
  }

  /// DISCOVER, OFFER, REQUEST, ACK.
  ///
  /// - Parameters:
  ///   - server: the box whose frames bring the answers: the server, or a relay.
  ///   - scope: what is given; nil: what a home router gives.
  ///   - relayed: the answers name `server`'s address as the relay's (giaddr), since the server is beyond it.
  ///   - broadcast: whether the client asks for answers to everybody.
  ///   - says: further options of the client.
  ///   - poses: the hardware address in its messages where that is not its own (chaddr behind a repeater).
  package func dhcp(
    from server: Box, _ scope: Scope? = nil, relayed: Bool = false, broadcast: Bool = false, says more: [DHCPOption] = [],
    as poses: MACAddress? = nil
  ) -> Talk {
    let scope = scope ?? Scope(of: server)
    let client = poses ?? mac
    return Talk { stage in
      let transaction = stage.random.u32()
      let common = self.identity(client) + (self.name.isEmpty ? [] : [.hostName(self.name)]) + more
      var given: [DHCPOption] = [.server(scope.server), .leaseTime(scope.leaseTime), .mask(self.prefixLength)]
      if let gateway = scope.gateway { given.append(.routers([gateway])) }
      if !scope.nameServers.isEmpty { given.append(.nameServers(scope.nameServers)) }
      given += scope.more

      func asks(_ kind: Datagram.DHCPKind, _ options: [DHCPOption]) {
        let message = Datagram.dhcp(kind, transaction, client: client, broadcast: broadcast, options)
        stage.send(
          .ipv4(from: .any, to: .broadcast, .udp(message), hopLimit: self.hopLimit, id: stage.identification(self)), from: self)
      }
      func answers(_ kind: Datagram.DHCPKind) {
        let message = Datagram.dhcp(
          kind, transaction, client: client, gets: self.ip, relay: relayed ? server.ip : .any, broadcast: broadcast, given)
        let packet = Packet.ipv4(
          from: server.ip, to: broadcast ? .broadcast : self.ip, .udp(message), hopLimit: relayed ? 255 : server.hopLimit,
          id: stage.identification(server))
        stage.know(self)
        stage.send(packet, from: server, to: broadcast ? .broadcast : self.mac)
      }
      asks(.discover, common)
      stage.cross(self, server)
      stage.pause(relayed ? 0.06 : 0.008)
      answers(.offer)
      stage.cross(self, server)
      stage.pause(0.01)
      asks(.request, [.requested(self.ip), .server(scope.server)] + common)
      stage.cross(self, server)
      stage.pause(relayed ? 0.06 : 0.012)
      answers(.ack)
    }
  }

  /// DISCOVERs that nobody answers, at growing distances.
  package func discovers(times: Int = 1, says more: [DHCPOption] = []) -> Talk {
    Talk { stage in
      let transaction = stage.random.u32()
      var gap = 4.0
      for turn in 0..<max(1, times) {
        let message = Datagram.dhcp(
          .discover, transaction, client: self.mac, seconds: UInt16(clamping: turn * 4),
          self.identity(self.mac) + (self.name.isEmpty ? [] : [.hostName(self.name)]) + more)
        stage.send(.ipv4(from: .any, to: .broadcast, .udp(message), id: stage.identification(self)), from: self)
        if turn + 1 < times { stage.pause(gap) }
        gap *= 2
      }
    }
  }

  /// After a restart: asks for the address it had (INIT-REBOOT); `server` answers.
  package func dhcpAgain(from server: Box, _ scope: Scope? = nil) -> Talk {
    let scope = scope ?? Scope(of: server)
    return Talk { stage in
      let transaction = stage.random.u32()
      let options = [.requested(self.ip)] + self.identity(self.mac) + [.hostName(self.name)]
      stage.send(
        .ipv4(
          from: .any, to: .broadcast, .udp(.dhcp(.request, transaction, client: self.mac, options)), id: stage.identification(self)),
        from: self)
      stage.cross(self, server)
      stage.pause(0.01)
      var given: [DHCPOption] = [.server(scope.server), .leaseTime(scope.leaseTime), .mask(self.prefixLength)]
      if let gateway = scope.gateway { given.append(.routers([gateway])) }
      if !scope.nameServers.isEmpty { given.append(.nameServers(scope.nameServers)) }
      stage.send(.dhcp(.ack, transaction, client: self.mac, gets: self.ip, given + scope.more), from: server, to: self)
    }
  }

  // IPv6

  /// Takes its link-local address, joins its groups, asks for routers and hears the advertisement.
  package func startsIPv6(with router: Box? = nil, _ options: [Segment.NDOption] = []) -> Talk {
    Talk { stage in
      let own = self.linkLocal
      stage.send(.ipv6(from: .any, to: own.solicitedNode, .neighbourSolicitation(own)), from: self)
      stage.pause(0.4)
      stage.send(.ipv6(from: own, to: known6("ff02::16"), .mldReport([own.solicitedNode, known6("ff02::fb")])), from: self)
      guard let router else { return }
      stage.pause(0.3)
      stage.send(.ipv6(from: own, to: .allRouters, .routerSolicitation([.source(self.mac)])), from: self)
      stage.cross(self, router)
      router.advertises(options).play(&stage)
      for address in self.ipv6 {
        stage.pause(0.5)
        stage.send(.ipv6(from: .any, to: address.solicitedNode, .neighbourSolicitation(address)), from: self)
      }
    }
  }

  /// A router advertisement to everybody.
  package func advertises(_ options: [Segment.NDOption], lifetime: UInt16 = 1800, managed: Bool = false, other: Bool = false) -> Talk {
    Talk { stage in
      let message = Segment.routerAdvertisement(lifetime: lifetime, managed: managed, other: other, [.source(self.mac)] + options)
      stage.send(.ipv6(from: self.linkLocal, to: .allNodes, message), from: self)
    }
  }

  /// Neighbour solicitation for an address of another box, and its answer.
  package func solicits(_ other: Box, for address: IPv6Address? = nil, isRouter: Bool = false) -> Talk {
    Talk { stage in
      let target = address ?? other.linkLocal
      stage.send(.ipv6(from: self.linkLocal, to: target.solicitedNode, .neighbourSolicitation(target, [.source(self.mac)])), from: self)
      stage.cross(self, other)
      stage.know(self)
      stage.send(
        .ipv6(from: target, to: self.linkLocal, .neighbourAdvertisement(target, router: isRouter, [.target(other.mac)])), from: other,
        to: self)
    }
  }

  /// DHCPv6: solicit, advertise, request, reply. With a `delegated` prefix it asks as a router does.
  package func dhcpv6(from server: Box, address: String? = nil, delegated prefix: String? = nil) -> Talk {
    let given = address.map(known6)
    let delegated = prefix.map(known6)
    return Talk { stage in
      let transaction = stage.random.u32() & 0xff_ffff
      func wants(_ full: Bool) -> [Datagram.DHCPv6Option] {
        var options: [Datagram.DHCPv6Option] = []
        if given != nil { options.append(.address(full ? given : nil)) }
        if delegated != nil { options.append(.delegation(full ? delegated : nil)) }
        return options
      }
      let asks: [Datagram.DHCPv6Option] = [.client(self.mac), .requests([23, 24])] + (self.name.isEmpty ? [] : [.fqdn(self.name)])
      let answers: [Datagram.DHCPv6Option] = [.client(self.mac), .server(server.mac)] + wants(true) + [.resolvers([server.linkLocal])]
      func replies(_ kind: Datagram.DHCPv6Kind) {
        stage.cross(self, server)
        stage.pause(0.01)
        stage.know(self)
        stage.send(
          .ipv6(from: server.linkLocal, to: self.linkLocal, .udp(.dhcpv6(kind, transaction, answers))), from: server, to: self)
        stage.pause(0.02)
      }
      stage.send6(.dhcpv6(.solicit, transaction, asks + wants(false)), from: self)
      replies(.advertise)
      stage.send6(.dhcpv6(.request, transaction, [.server(server.mac)] + asks + wants(true)), from: self)
      replies(.reply)
    }
  }
}
