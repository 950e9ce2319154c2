import Wire

// What the network is there for: transfers between boxes and with the internet.

/// One end of a TCP connection: an address, and the box whose frames carry it.
struct End: Sendable {
  var address: IPAddress
  var port: UInt16
  var carrier: Box
  var hopLimit: UInt8
  var isWindows: Bool
  var sequence: UInt32 = 0
  /// Seconds from here to the wire that the other end is on.
  var delay: Double

  init(_ box: Box, port: UInt16, overIPv6: Bool = false) {
    address = overIPv6 ? IPAddress(box.global ?? box.linkLocal) : IPAddress(box.ip)
    self.port = port
    carrier = box
    hopLimit = box.hopLimit
    isWindows = box.hopLimit == 128
    delay = box.latency
  }

  /// A server in the internet: its frames come from the router.
  init(_ site: Site, port: UInt16, through router: Box, overIPv6: Bool = false) {
    address = overIPv6 ? site.ipv6.map { IPAddress($0) } ?? IPAddress(site.ip) : IPAddress(site.ip)
    self.port = port
    carrier = router
    hopLimit = 64 - min(60, site.distance)
    isWindows = false
    delay = site.roundTrip / 2
  }
}

/// A TCP connection between two ends, segment by segment.
struct Connection {
  /// What stands before the bytes of each segment, so that other analysers find messages of the protocol there.
  enum Framing { case none, tls, netBIOS }

  var client: End
  var server: End
  var framing: Framing
  private let stamp: UInt32
  private let usesStamps: Bool

  init(_ client: End, _ server: End, framing: Framing, _ stage: inout Stage) {
    self.client = client
    self.server = server
    self.framing = framing
    self.client.sequence = stage.random.u32()
    self.server.sequence = stage.random.u32()
    stamp = stage.random.u32() / 2
    usesStamps = !client.isWindows && !server.isWindows
  }

  var largest: Int { (client.address.isIPv6 ? 1440 : 1460) - (usesStamps ? 12 : 0) }

  mutating func send(
    fromClient: Bool, _ flags: TCPFlags, data: [UInt8] = [], noise: Int = 0, options: [UInt8]? = nil, _ stage: inout Stage
  ) {
    let from = fromClient ? client : server
    let to = fromClient ? server : client
    let now = stamp &+ UInt32(truncatingIfNeeded: stage.now / 1_000_000)
    let segment = Segment.tcp(
      from.port, to: to.port, sequence: from.sequence, acknowledges: flags.contains(.ack) ? to.sequence : 0, flags,
      window: flags.contains(.syn) ? 64_240 : 501,
      options: options ?? (usesStamps ? TCPOptions.stamps(now, now &- 20) : []), data: data, noise: noise)
    let packet = Packet.ip(
      from: from.address, to: to.address, segment, hopLimit: from.hopLimit,
      id: from.address.isIPv4 ? stage.identification(from.carrier) : 0)
    stage.isTransfer = noise > 0
    stage.send(packet, from: from.carrier, to: to.carrier)
    stage.isTransfer = false
    let length = data.count + noise + (flags.contains(.syn) || flags.contains(.fin) ? 1 : 0)
    if fromClient { client.sequence &+= UInt32(length) } else { server.sequence &+= UInt32(length) }
  }

  private func oneWay(_ stage: inout Stage) { stage.pause(client.delay + server.delay + 0.000_05) }

  mutating func open(_ stage: inout Stage) {
    let mss: UInt16 = client.address.isIPv6 ? 1440 : 1460
    let now = stamp &+ UInt32(truncatingIfNeeded: stage.now / 1_000_000)
    send(
      fromClient: true, .syn, options: client.isWindows ? TCPOptions.windowsSYN(mss) : TCPOptions.linuxSYN(mss, now, 0), &stage)
    oneWay(&stage)
    send(
      fromClient: false, [.syn, .ack], options: usesStamps ? TCPOptions.linuxSYN(mss, now, now) : TCPOptions.windowsSYN(mss), &stage)
    oneWay(&stage)
    send(fromClient: true, .ack, &stage)
  }

  /// So many bytes one way at a rate, acknowledged every second segment.
  mutating func transfer(_ count: Int, down: Bool, bitsPerSecond: Double, _ stage: inout Stage) {
    var left = count
    var unacknowledged = 0
    while left > 0 {
      let part = min(left, largest)
      left -= part
      let head: [UInt8]
      switch framing {
      case .tls where part > 5: head = [0x17, 3, 3, UInt8((part - 5) >> 8), UInt8((part - 5) & 255)]
      case .netBIOS where part > 4: head = [0, 0, UInt8((part - 4) >> 8), UInt8((part - 4) & 255)]
      default: head = []
      }
      send(fromClient: !down, left == 0 ? [.psh, .ack] : .ack, data: head, noise: part - head.count, &stage)
      stage.pause(Double(part + 66) * 8 / bitsPerSecond)
      unacknowledged += 1
      if unacknowledged == 2 || left == 0 {
        send(fromClient: down, .ack, &stage)
        unacknowledged = 0
      }
    }
  }

  mutating func close(_ stage: inout Stage) {
    send(fromClient: true, [.fin, .ack], &stage)
    oneWay(&stage)
    send(fromClient: false, [.fin, .ack], &stage)
    oneWay(&stage)
    send(fromClient: true, .ack, &stage)
  }
}

extension Box {
  /// Asks the resolver for a site; the answer is the site's address.
  package func resolves(_ site: Site, at resolver: Box, overIPv6: Bool = false) -> Talk {
    Talk { stage in
      let id = stage.random.u16()
      let port = stage.port()
      let question = DNSQuestion(DomainName(site.name), overIPv6 ? 28 : 1)
      let address = overIPv6 ? site.ipv6.map { IPAddress($0) } ?? IPAddress(site.ip) : IPAddress(site.ip)
      stage.send(.dnsQuery(id, question, from: port), from: self, to: resolver)
      stage.cross(self, resolver)
      stage.pause(0.012)
      stage.send(.dnsAnswer(id, question, [.address(question.name, address, lifetime: 300)], to: port), from: resolver, to: self)
    }
  }

  /// Loads a page of so many bytes: question, answer, connection, bytes, end.
  package func web(
    _ site: Site, via router: Box, bytes: Int = 60_000, up: Int = 700, port: UInt16 = 443, overIPv6: Bool = false,
    megabits: Double = 30
  ) -> Talk {
    Talk { stage in
      self.resolves(site, at: router, overIPv6: overIPv6).play(&stage)
      stage.pause(0.004)
      var connection = Connection(
        End(self, port: stage.port(), overIPv6: overIPv6), End(site, port: port, through: router, overIPv6: overIPv6),
        framing: port == 443 ? .tls : .none, &stage)
      connection.open(&stage)
      connection.transfer(up, down: false, bitsPerSecond: megabits * 1e6, &stage)
      stage.pause(site.roundTrip)
      connection.transfer(bytes, down: true, bitsPerSecond: megabits * 1e6, &stage)
      stage.pause(0.05)
      connection.close(&stage)
    }
  }

  /// Watches: a chunk every `every` seconds at an average rate, over one connection.
  package func streams(
    from site: Site, via router: Box, seconds: Double, megabits: Double = 3, every period: Double = 4, port: UInt16 = 443,
    overIPv6: Bool = false
  ) -> Talk {
    Talk { stage in
      var connection = Connection(
        End(self, port: stage.port(), overIPv6: overIPv6), End(site, port: port, through: router, overIPv6: overIPv6),
        framing: port == 443 ? .tls : .none, &stage)
      connection.open(&stage)
      let end = stage.now + Int64(seconds * 1e9)
      let chunk = Int(megabits * 1e6 * period / 8)
      while stage.now < end {
        let next = stage.now + Int64(period * 1e9)
        connection.transfer(420, down: false, bitsPerSecond: 20e6, &stage)
        stage.pause(site.roundTrip)
        connection.transfer(chunk, down: true, bitsPerSecond: max(24e6, megabits * 4e6), &stage)
        stage.wait(Double(max(0, next - stage.now)) / 1e9)
      }
      connection.close(&stage)
    }
  }

  /// Copies bytes to or from another box of the LAN.
  package func copies(_ bytes: Int, from server: Box, port: UInt16 = 445, megabits: Double = 60) -> Talk {
    copy(bytes, server, port, megabits, down: true)
  }
  package func copies(_ bytes: Int, to server: Box, port: UInt16 = 445, megabits: Double = 60) -> Talk {
    copy(bytes, server, port, megabits, down: false)
  }

  private func copy(_ bytes: Int, _ server: Box, _ port: UInt16, _ megabits: Double, down: Bool) -> Talk {
    Talk { stage in
      self.arp(for: server).play(&stage)
      var connection = Connection(End(self, port: stage.port()), End(server, port: port), framing: port == 445 ? .netBIOS : .none, &stage)
      connection.open(&stage)
      connection.transfer(300, down: !down, bitsPerSecond: megabits * 1e6, &stage)
      connection.transfer(bytes, down: down, bitsPerSecond: megabits * 1e6, &stage)
      stage.pause(0.02)
      connection.close(&stage)
    }
  }

  /// Pings a box of the LAN.
  package func pings(_ other: Box, times: Int = 1) -> Talk {
    Talk { stage in
      let id = stage.random.u16()
      for sequence in 0..<max(1, times) {
        let number = UInt16(truncatingIfNeeded: sequence)
        stage.send(
          .ipv4(from: self.ip, to: other.ip, .echo(id, number), hopLimit: self.hopLimit, id: stage.identification(self)), from: self,
          to: other)
        stage.cross(self, other)
        stage.send(
          .ipv4(from: other.ip, to: self.ip, .echo(id, number, reply: true), hopLimit: other.hopLimit, id: stage.identification(other)),
          from: other, to: self)
        stage.wait(1)
      }
    }
  }

  /// A UDP stream to a group or to a box of the LAN, such as television.
  package func sendsStream(
    to group: String, port: UInt16 = 5004, source: String? = nil, seconds: Double, megabits: Double = 3, via receiver: Box? = nil,
    hopLimit: UInt8 = 60
  ) -> Talk {
    let target = known4(group)
    let from = source.map(known4) ?? ip
    return Talk { stage in
      let end = stage.now + Int64(seconds * 1e9)
      var sequence = stage.random.u16()
      let identity = stage.random.u32()
      while stage.now < end {
        // Seven transport-stream packets behind an RTP header (RFC 2250).
        var header = ByteWriter()
        header.u16(0x8021)
        header.u16(sequence)
        header.u32(UInt32(truncatingIfNeeded: stage.now / 11_111))
        header.u32(identity)
        sequence &+= 1
        for _ in 0..<7 {
          header.append([0x47, 0x1f, 0xff, 0x10])
          header.append(Noise.bytes[..<184])
        }
        let packet = Packet.ipv4(
          from: from, to: target, .udp(Datagram(port, to: port, header.bytes)), hopLimit: hopLimit, id: stage.identification(self))
        stage.isTransfer = true
        if let receiver { stage.send(packet, from: self, to: receiver) } else { stage.send(packet, from: self) }
        stage.isTransfer = false
        stage.pause(Double(header.count * 8) / (megabits * 1e6))
      }
    }
  }

  /// Joins or leaves an IPv4 group (IGMP version 2).
  package func joins(_ group: String) -> Talk { says(.igmpReport(known4(group)), to: group, hopLimit: 1) }
  package func leaves(_ group: String) -> Talk { says(.igmpLeave(known4(group)), to: "224.0.0.2", hopLimit: 1) }
  /// A general query: "who listens to what?".
  package func queriesGroups() -> Talk { says(.igmpQuery(), to: "224.0.0.1", hopLimit: 1) }

  /// VRRP from the virtual address of the group.
  package func vrrp(_ id: UInt8, priority: UInt8 = 100, for addresses: [String]) -> Talk {
    let protected = addresses.map(known4)
    return Talk { stage in
      stage.send(
        .ipv4(from: self.ip, to: known4("224.0.0.18"), .vrrp(id, priority: priority, protected), id: stage.identification(self)),
        from: self, to: nil, as: MACAddress(bits: 0x00_005e_0001_00 | UInt64(id)))
    }
  }
}
