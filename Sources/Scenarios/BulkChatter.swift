import Wire

// What boxes say beside their conversations, and what an attacker says.

extension BulkLAN {
  /// One message or exchange; the shares are those of homes.
  mutating func chatter(_ out: inout [CapturedFrame]) {
    gap()
    let host = hosts[random.below(48)]
    switch random.unit() {
    case ..<0.18: arp(&out)
    case ..<0.42: mdns(host, &out)
    case ..<0.59:
      let message: Datagram =
        random.unit() < 0.4
        ? .ssdpSearch("urn:dial-multiscreen-org:service:dial:1", from: 40_000)
        : .ssdpNotify(
          "upnp:rootdevice", uuid: "2f402f80-da50-11e1-9b23-\(String(host.mac.bits | 0x1000_0000_0000, radix: 16))",
          location: "http://\(host.ip):8008/desc.xml", server: "Linux/5.10, UPnP/1.0, Synth/1.0")
      udp(message, host, &out)
    case ..<0.73: neighbours(&out)
    case ..<0.785:
      if random.unit() < 0.6 {
        udp(.netBIOSQuery(random.u16(), host.name), host, &out, to: IPv4Address(0xc0a8_00ff))
      } else {
        udp(.llmnr(random.u16(), question: DNSQuestion("wpad"), from: 51_000), host, &out)
      }
    case ..<0.797: dhcp(hosts[random.below(52)], &out)
    case ..<0.84:
      if random.unit() < 0.7 {
        let (id, n) = (random.u16(), random.u16())
        let target = remote()
        emit(.ip(from: IPAddress(host.ip), to: target, .echo(id, n), id: n), host.mac, to: BulkLAN.router, &out)
        later(9000)
        emit(.ip(from: target, to: IPAddress(host.ip), .echo(id, n, reply: true), hopLimit: 54, id: n), BulkLAN.router, to: host.mac, &out)
      } else {
        emit(.ipv4(from: host.ip, to: IPv4Address(0xe000_0016), .igmpReport3([IPv4Address(0xe000_00fb)])), host.mac, &out)
      }
    case ..<0.85:
      if let target = remote().v4 {
        let pieces = Packet.ipv4Fragments(
          from: host.ip, to: target, .udp(Datagram(40_000, to: 40_001, []), noise: 1872), id: random.u16())
        for piece in pieces {
          emit(piece, host.mac, to: BulkLAN.router, &out)
          later(15)
        }
      }
    case ..<0.865: linkLayer(host, &out)
    default:
      let isClock = random.unit() < 0.2
      let datagram = isClock ? Datagram(123, to: 123, [0x23] + Array(repeating: 0, count: 47)) : Datagram(27_015, to: 27_015, [])
      let segment = Segment.udp(datagram, noise: isClock ? 0 : 60 + random.below(200))
      emit(.ip(from: IPAddress(host.ip), to: remote(), segment, id: random.u16()), host.mac, to: BulkLAN.router, &out)
    }
  }

  private mutating func udp(_ datagram: Datagram, _ host: Host, _ out: inout [CapturedFrame], to address: IPv4Address? = nil) {
    emit(.ipv4(from: host.ip, to: address ?? datagram.group ?? .broadcast, .udp(datagram), id: random.u16()), host.mac, &out)
  }

  private mutating func arp(_ out: inout [CapturedFrame]) {
    let place = random.below(54)
    let host = place < 52 ? hosts[place] : setTopBoxes[place - 52]
    switch random.unit() {
    case ..<0.5:
      emit(.arpRequest(host.gateway, from: host.mac, host.ip), host.mac, &out)
      later(200)
      emit(.arpReply(from: BulkLAN.router, host.gateway, to: host.mac, host.ip), BulkLAN.router, &out)
    case ..<0.8:
      emit(.arpRequest(host.ip, from: BulkLAN.router, host.gateway), BulkLAN.router, &out)
      later(300)
      emit(.arpReply(from: host.mac, host.ip, to: BulkLAN.router, host.gateway), host.mac, &out)
    case ..<0.9: emit(.arpAnnouncement(host.ip, from: host.mac), host.mac, &out)
    default: emit(.arpProbe(host.ip, from: host.mac), host.mac, &out)
    }
  }

  private mutating func mdns(_ host: Host, _ out: inout [CapturedFrame]) {
    let own = DomainName(host.name + ".local")
    let message: Datagram
    if random.unit() < 0.4 {
      let types = ["_googlecast._tcp.local", "_airplay._tcp.local", "_ipp._tcp.local", "_services._dns-sd._udp.local"]
      message = .mdns(questions: [DNSQuestion(DomainName(random.pick(types)), 12)])
    } else {
      let type = DomainName(random.pick(["_http._tcp.local", "_ipp._tcp.local", "_airplay._tcp.local", "_smb._tcp.local"]))
      let instance = DomainName(instance: host.name, of: type)
      message = .mdns(answers: [
        .pointer(type, instance), .service(instance, 8080, own), .text(instance, ["txtvers=1", "model=Synth,1", "fw=20260101.1.22"]),
        .address(own, IPAddress(host.ip)),
      ])
    }
    if host.hasIPv6, random.unit() < 0.4, let group = message.group6 {
      emit(.ipv6(from: host.linkLocal, to: group, .udp(message)), host.mac, &out)
    } else {
      emit(.ipv4(from: host.ip, to: message.group ?? .broadcast, .udp(message), hopLimit: 255, id: random.u16()), host.mac, &out)
    }
  }

  private mutating func neighbours(_ out: inout [CapturedFrame]) {
    let host = busy6()
    let gateway = IPv6Address(high: 0xfe80_0000_0000_0000, low: 1)
    switch random.unit() {
    case ..<0.35:
      emit(
        .ipv6(from: host.linkLocal, to: gateway.solicitedNode, .neighbourSolicitation(gateway, [.source(host.mac)])), host.mac, &out)
      later(200)
      emit(
        .ipv6(from: gateway, to: host.linkLocal, .neighbourAdvertisement(gateway, router: true, [.target(BulkLAN.router)])), BulkLAN.router,
        to: host.mac, &out)
    case ..<0.6:
      emit(
        .ipv6(from: gateway, to: host.global.solicitedNode, .neighbourSolicitation(host.global, [.source(BulkLAN.router)])),
        BulkLAN.router, &out)
      later(200)
      emit(
        .ipv6(from: host.global, to: gateway, .neighbourAdvertisement(host.global, [.target(host.mac)])), host.mac, to: BulkLAN.router, &out
      )
    case ..<0.75:
      let options: [Segment.NDOption] = [
        .source(BulkLAN.router), .prefix(BulkLAN.prefix), .prefix(IPv6Address(high: 0xfd12_3456_789a_0001, low: 0)),
      ]
      emit(.ipv6(from: gateway, to: .allNodes, .routerAdvertisement(options)), BulkLAN.router, &out)
    case ..<0.9:
      let groups = [IPv6Address(high: 0xff02_0000_0000_0000, low: 0xfb)]
      emit(.ipv6(from: host.linkLocal, to: IPv6Address(high: 0xff02_0000_0000_0000, low: 0x16), .mldReport(groups)), host.mac, &out)
    default:
      emit(.ip(from: IPAddress(host.global), to: remote6(), .echo6(1, random.u16())), host.mac, to: BulkLAN.router, &out)
    }
  }

  private mutating func dhcp(_ host: Host, _ out: inout [CapturedFrame]) {
    let transaction = random.u32()
    let asks: [DHCPOption] = [
      .clientID(host.mac), .hostName(host.name), .vendorClass("dhcpcd-9.4.1"), .parameters([1, 3, 6, 12, 15, 26, 28, 51]),
    ]
    let gives: [DHCPOption] = [
      .server(host.gateway), .leaseTime(86_400), .mask(24), .routers([host.gateway]), .nameServers([host.gateway]),
    ]
    for kind in [Datagram.DHCPKind.discover, .offer, .request, .ack] {
      let isReply = kind.isReply
      let message = Datagram.dhcp(kind, transaction, client: host.mac, gets: isReply ? host.ip : .any, isReply ? gives : asks)
      emit(
        .ipv4(from: isReply ? host.gateway : .any, to: isReply ? host.ip : .broadcast, .udp(message), id: random.u16()),
        isReply ? BulkLAN.router : host.mac, to: isReply ? host.mac : .broadcast, &out)
      later(3000)
    }
    guard host.hasIPv6 else { return }
    let solicit = Datagram.dhcpv6(.solicit, transaction, [.client(host.mac), .requests([23, 24]), .address(nil)])
    emit(.ipv6(from: host.linkLocal, to: IPv6Address(high: 0xff02_0000_0000_0000, low: 0x1_0002), .udp(solicit)), host.mac, &out)
  }

  private mutating func linkLayer(_ host: Host, _ out: inout [CapturedFrame]) {
    let packet: Packet
    switch random.below(6) {
    case 0: packet = .lltdDiscover(from: host.mac, generation: 1)
    case 1: packet = .discoverListRequest
    case 2: packet = .topologyDiscovery(host.mac, interface: host.mac, id: random.u16())
    case 3: packet = Packet(.eapol, [1, 1, 0, 0], to: MACAddress(bits: 0x0180_c200_0003))
    case 4: packet = .cdp("switch", port: "1", platform: "Synthetic", software: "1.0", capabilities: 8)
    default: packet = .rldp
    }
    emit(packet, host.mac, &out)
  }

  // Hostile

  mutating func flood(into out: inout [CapturedFrame]) {
    now += floodGap
    let mac = MACAddress(bits: random.next() & 0xfeff_ffff_ffff)
    let ip = IPv4Address((1 + UInt32(random.below(223))) << 24 | random.u32() >> 8)
    switch random.unit() {
    case ..<0.4:
      let target = IPv4Address(0xc0a8_0000 | UInt32(random.below(256)))
      emit(.arp(random.unit() < 0.5 ? 1 : 2, from: mac, ip, to: .zero, target), mac, to: .broadcast, &out)
    case ..<0.7:
      let target = IPv4Address((1 + UInt32(random.below(223))) << 24 | random.u32() >> 8)
      let segment = Segment.tcp(random.u16(), to: random.u16(), sequence: random.u32(), .syn)
      emit(.ipv4(from: ip, to: target, segment), mac, to: BulkLAN.router, &out)
    case ..<0.85:
      let source = IPv6Address(high: 0x2001_0db8_0000_0000 | random.next() >> 32, low: random.next())
      let target = IPv6Address(high: 0x2001_0db8_0000_0000 | random.next() >> 32, low: random.next())
      let datagram = Datagram(1024 + UInt16(random.below(256)), to: 1024 + UInt16(random.below(256)), [])
      emit(.ipv6(from: source, to: target, .udp(datagram, noise: 64)), mac, to: BulkLAN.router, &out)
    case ..<0.95:
      let name = String(random.next() | 1 << 63, radix: 16)
      let message = Datagram.dhcp(.discover, random.u32(), client: mac, [.hostName(name)])
      emit(.ipv4(from: .any, to: .broadcast, .udp(message)), mac, &out)
    default:
      let name = DomainName(labels: [String(random.next() | 1 << 63, radix: 16), "local"])
      let message = Datagram.mdns(answers: [.address(name, IPAddress(ip))])
      emit(.ipv4(from: ip, to: message.group ?? .broadcast, .udp(message), hopLimit: 255), mac, &out)
    }
  }
}
