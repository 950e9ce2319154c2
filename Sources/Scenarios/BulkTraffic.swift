import Wire

/// An endless stream of frames for measuring: memory does not depend on how many are taken.
///
/// `lan` is the wire of a busy home as its router's switch sees it: 48 hosts, 30 of them with IPv6, 4 seen in ARP and DHCP only, two
/// set-top boxes in a second network, 400 conversations at once with 8000 remote addresses, and the chatter of discovery. Of a hundred
/// frames about 80 are TCP, 9 QUIC, 4 DNS and 5 chatter. `flood` is hostile: each frame comes from a new MAC and new addresses.
///
///     for frame in BulkTraffic(.lan, seed: 1).prefix(2_000_000) { … }
package struct BulkTraffic: Sequence, IteratorProtocol, Sendable {
  package enum Mix: String, Sendable, CaseIterable { case lan, flood }

  private let mix: Mix
  private let snapLength: Int
  private var lan: BulkLAN
  private var waiting: [CapturedFrame] = []
  private var nextWaiting = 0

  package init(_ mix: Mix, seed: UInt64 = 1, framesPerSecond: Double = 2000, snapLength: Int = 262_144) {
    self.mix = mix
    self.snapLength = snapLength
    lan = BulkLAN(seed: seed, framesPerSecond: framesPerSecond)
  }

  package mutating func next() -> CapturedFrame? {
    while nextWaiting >= waiting.count {
      waiting.removeAll(keepingCapacity: true)
      nextWaiting = 0
      switch mix {
      case .lan: lan.burst(into: &waiting)
      case .flood: lan.flood(into: &waiting)
      }
    }
    var frame = waiting[nextWaiting]
    nextWaiting += 1
    if frame.bytes.count > snapLength { frame.bytes.removeLast(frame.bytes.count - snapLength) }
    return frame
  }
}

/// The home of the bulk mix: hosts, remotes, conversations and background.
struct BulkLAN: Sendable {
  struct Host: Sendable {
    var mac: MACAddress
    var ip: IPv4Address
    var name: String
    var gateway: IPv4Address
    var hasIPv6: Bool
    var linkLocal: IPv6Address { .linkLocal(of: mac) }
    var global: IPv6Address { IPv6Address(BulkLAN.prefix, of: mac) }
  }

  /// One conversation.
  struct Flow: Sendable {
    enum Kind: Sendable { case tcp, quic, television }
    var kind: Kind
    var near: MACAddress
    var far: MACAddress
    var nearAddress: IPAddress
    var farAddress: IPAddress
    var nearPort: UInt16
    var farPort: UInt16
    var nearSequence: UInt32
    var farSequence: UInt32
    var id: UInt16
    var left: Int
    var isBulk: Bool
    var isOpen = false
    var vlan: UInt16?
    var outerVLAN: UInt16?
  }

  static let prefix = IPv6Address(high: 0x2001_0db8_0001_0001, low: 0)
  static let router = MACAddress(bits: 0x3c7c_3f0a_0001)
  /// Makers of what stands in homes.
  private static let makers: [UInt64] = [
    0xb827eb, 0xdca632, 0x3c0754, 0xa4c361, 0x001132, 0x00155d, 0x5cf938, 0x441ca8, 0x70b3d5, 0xac84c6, 0x18b430, 0x240ac4, 0xe8db84,
    0x000c29, 0x60a44c, 0x001a11, 0x84d6d0, 0x50c7bf, 0x7085c2, 0x44d244,
  ]
  private static let names = [
    "desktop", "nas", "printer", "tv", "phone", "tablet", "thermostat", "camera", "bulb", "speaker", "laptop", "console", "watch", "hub",
    "vacuum", "plug",
  ]

  var random: Random
  /// Nanoseconds since 1970: 2026-01-01.
  var now: Int64 = 1_767_225_600_000_000_000
  private let burstGap: Double
  let floodGap: Int64
  var hosts: [Host] = []
  var setTopBoxes: [Host] = []
  private var flows: [Flow] = []
  private var turns = 0
  private var nextSpanningTree: Int64 = 0
  private var nextLLDP: Int64 = 0

  init(seed: UInt64, framesPerSecond: Double) {
    random = Random(seed: seed)
    // A burst has about eight frames, most of them back to back.
    burstGap = 1e9 / Swift.max(1, framesPerSecond) * 5.4
    floodGap = Int64(1e9 / Swift.max(1, framesPerSecond))
    let home = IPv4Address(0xc0a8_0001)
    for i in 0..<52 {
      let maker = i < 48 ? BulkLAN.makers[i % BulkLAN.makers.count] : 0x02aa00
      hosts.append(
        Host(
          mac: MACAddress(bits: maker << 24 | random.next() >> 40), ip: IPv4Address(0xc0a8_000a + UInt32(i < 48 ? i : i + 142)),
          name: "\(BulkLAN.names[i % 16])-\(i)", gateway: home, hasIPv6: i < 48 && i % 8 < 5))
    }
    for i in 0..<2 {
      setTopBoxes.append(
        Host(
          mac: MACAddress(bits: 0x0003_9110_2030 + UInt64(i)), ip: IPv4Address(0x0aa6_b328 + UInt32(i)), name: "stb-\(i)",
          gateway: IPv4Address(0x0aa6_b301), hasIPv6: false))
    }
  }

  // Who and what

  /// A few are much busier than the rest.
  mutating func busy() -> Host {
    let x = random.unit()
    return hosts[Int(x * x * x * 48)]
  }
  mutating func busy6() -> Host {
    while true {
      let host = busy()
      if host.hasIPv6 { return host }
    }
  }
  /// 198.18/15 is set aside for measuring (RFC 2544): 6000 of its addresses, the first ones often.
  mutating func remote() -> IPAddress {
    let x = random.unit()
    return IPAddress(IPv4Address(0xc612_0000 + UInt32(x * x * x * 6000) &* 21))
  }
  mutating func remote6() -> IPAddress {
    let x = random.unit()
    let n = UInt64(x * x * x * 2500)
    return IPAddress(high: 0x2001_0db8_0200_0000 | (n & 63) << 32, low: n &* 7 + 1)
  }
  /// In frames: Pareto's law, mean about 50.
  private mutating func size() -> Int {
    // A table of powers would hide what this is: 6 / u^0.78, here by interpolation between its octaves.
    var u = 1 - random.unit() * 0.9993
    var scale = 6.0
    while u < 0.5 {
      u *= 2
      scale *= 1.717
    }
    return Int(scale * (1 + (1 - u) * 1.434))
  }
  mutating func gap() { now += Int64(random.unit() * 2 * burstGap) }
  mutating func later(_ microseconds: Int) { now += Int64(microseconds) * 1000 }

  func emit(_ packet: Packet, _ from: MACAddress, to: MACAddress? = nil, _ out: inout [CapturedFrame]) {
    let bytes = Packet.padded(packet.frame(from: from, to: to))
    out.append(CapturedFrame(time: Timestamp(nanoseconds: now), bytes: bytes, wireLength: bytes.count))
  }

  // Bursts

  mutating func burst(into out: inout [CapturedFrame]) {
    while flows.count < 400 { flows.append(newFlow(&out)) }
    turns += 1
    let place = random.below(flows.count)
    if flows[place].left <= 0 {
      var over = flows[place]
      close(&over, &out)
      flows[place] = newFlow(&out)
    } else {
      advance(place, &out)
    }
    if turns & 3 == 0 { chatter(&out) }
    if now >= nextSpanningTree {
      nextSpanningTree = now + 2_000_000_000
      emit(.stp(root: BulkLAN.router, bridge: BulkLAN.router, port: 1), BulkLAN.router, &out)
    }
    if now >= nextLLDP {
      nextLLDP = now + 30_000_000_000
      emit(
        .lldp([
          .chassis(BulkLAN.router), .port(name: "p1"), .lifetime(120), .systemName("switch"), .systemDescription("Synthetic switch"),
          .capabilities(0x14, enabled: 4), .management(IPv4Address(0xc0a8_0002)),
        ]), BulkLAN.router.plus(1), &out)
    }
  }

  private mutating func newFlow(_ out: inout [CapturedFrame]) -> Flow {
    let x = random.unit()
    let kind: Flow.Kind = x < 0.80 || (x >= 0.93 && x < 0.985) ? .tcp : x < 0.93 ? .quic : .television
    let overIPv6 = (0.62..<0.80).contains(x) || (0.90..<0.93).contains(x)
    let isLocal = (0.93..<0.985).contains(x)
    var near = overIPv6 ? busy6() : busy()
    if x < 0.04 || kind == .television { near = setTopBoxes[random.below(2)] }
    var far = BulkLAN.router
    var farAddress = overIPv6 ? remote6() : remote()
    var port: UInt16 = random.unit() < 0.8 ? 443 : 80
    if isLocal {
      let other = hosts[random.unit() < 0.7 ? 1 : random.below(48)]
      let peer = other.mac == near.mac ? hosts[2] : other
      (far, farAddress, port) = (peer.mac, IPAddress(peer.ip), random.pick([445, 22, 8080, 9100, 631]))
      if peer.mac == near.mac { near = hosts[3] }
    } else if kind != .television, random.unit() < 0.7 {
      dns(near, overIPv6, farAddress, &out)
    }
    if kind == .quic { port = 443 }
    if kind == .television {
      farAddress = IPAddress(IPv4Address(0xef64_0101 + UInt32(random.below(20))))
      port = 5004
    }
    let tag = random.unit()
    return Flow(
      kind: kind, near: near.mac, far: far, nearAddress: overIPv6 ? IPAddress(near.global) : IPAddress(near.ip), farAddress: farAddress,
      nearPort: 32_768 + UInt16(random.below(28_000)), farPort: port, nearSequence: random.u32(), farSequence: random.u32(),
      id: random.u16(), left: isLocal ? size() * 2 : size(), isBulk: random.unit() < 0.55, vlan: tag < 0.03 ? 20 : nil,
      outerVLAN: tag < 0.003 ? 100 : nil)
  }

  private mutating func dns(_ host: Host, _ overIPv6: Bool, _ answer: IPAddress, _ out: inout [CapturedFrame]) {
    let x = random.unit()
    let n = Int(x * x * x * 60)
    let name = DomainName(random.pick(["cdn\(n).example.com", "api\(n).example.net", "video\(n).example.org", "www.shop\(n).example.com"]))
    let question = DNSQuestion(name, overIPv6 ? 28 : 1)
    let port = 32_768 + UInt16(random.below(28_000))
    let id = random.u16()
    gap()
    emit(.ipv4(from: host.ip, to: host.gateway, .udp(.dnsQuery(id, question, from: port)), id: id), host.mac, to: BulkLAN.router, &out)
    later(300 + random.below(9000))
    emit(
      .ipv4(from: host.gateway, to: host.ip, .udp(.dnsAnswer(id, question, [.address(name, answer, lifetime: 300)], to: port)), id: id),
      BulkLAN.router, to: host.mac, &out)
  }

  private func tagged(_ packet: Packet, _ flow: Flow) -> Packet {
    guard let vlan = flow.vlan else { return packet }
    let inner = packet.inVLAN(vlan)
    return flow.outerVLAN.map { inner.inVLAN($0, provider: true) } ?? inner
  }

  private func packet(_ flow: inout Flow, up: Bool, _ segment: Segment) -> Packet {
    flow.id &+= 1
    let isLocal = flow.far != BulkLAN.router
    return tagged(
      .ip(
        from: up ? flow.nearAddress : flow.farAddress, to: up ? flow.farAddress : flow.nearAddress, segment,
        hopLimit: up || isLocal ? 64 : 56, id: flow.id), flow)
  }

  private mutating func tcp(
    _ flow: inout Flow, up: Bool, _ flags: TCPFlags, data: [UInt8] = [], noise: Int = 0, options: [UInt8]? = nil,
    _ out: inout [CapturedFrame]
  ) {
    let stamp = UInt32(truncatingIfNeeded: now >> 20)
    let segment = Segment.tcp(
      up ? flow.nearPort : flow.farPort, to: up ? flow.farPort : flow.nearPort, sequence: up ? flow.nearSequence : flow.farSequence,
      acknowledges: flags.contains(.ack) ? (up ? flow.farSequence : flow.nearSequence) : 0, flags,
      options: options ?? TCPOptions.stamps(stamp, stamp &- 9), data: data, noise: noise)
    let length = UInt32(data.count + noise + (flags.contains(.syn) || flags.contains(.fin) ? 1 : 0))
    emit(packet(&flow, up: up, segment), up ? flow.near : flow.far, to: up ? flow.far : flow.near, &out)
    if up { flow.nearSequence &+= length } else { flow.farSequence &+= length }
  }

  private mutating func open(_ flow: inout Flow, _ out: inout [CapturedFrame]) {
    flow.isOpen = true
    let mss: UInt16 = flow.nearAddress.isIPv4 ? 1460 : 1440
    let stamp = UInt32(truncatingIfNeeded: now >> 20)
    gap()
    tcp(&flow, up: true, .syn, options: TCPOptions.linuxSYN(mss, stamp, 0), &out)
    later(1000 + random.below(2500))
    tcp(&flow, up: false, [.syn, .ack], options: TCPOptions.linuxSYN(mss, stamp, stamp), &out)
    later(20)
    tcp(&flow, up: true, .ack, &out)
    later(60)
    tcp(&flow, up: true, [.psh, .ack], data: BulkLAN.clientHello, &out)
  }

  private mutating func close(_ flow: inout Flow, _ out: inout [CapturedFrame]) {
    guard flow.kind == .tcp, flow.isOpen else { return }
    gap()
    tcp(&flow, up: true, [.fin, .ack], &out)
    later(40)
    tcp(&flow, up: false, [.fin, .ack], &out)
    later(20)
    tcp(&flow, up: true, .ack, &out)
  }

  private mutating func advance(_ place: Int, _ out: inout [CapturedFrame]) {
    // Taken out for the while, so that the flow and the dice can change together.
    var flow = flows[place]
    defer { flows[place] = flow }
    switch flow.kind {
    case .tcp where !flow.isOpen: open(&flow, &out)
    case .tcp where flow.isBulk:
      let count = 2 + random.below(14)
      flow.left -= count + count / 2
      let full = flow.nearAddress.isIPv4 ? 1448 : 1428
      gap()
      for i in 0..<count {
        if i > 0 { later(12 + i & 3) }
        tcp(&flow, up: false, .ack, noise: full, &out)
        if i & 1 == 1 {
          later(30)
          tcp(&flow, up: true, .ack, &out)
        }
      }
      if random.unit() < 0.2 {
        later(60)
        flow.left -= 1
        tcp(&flow, up: true, [.psh, .ack], noise: 40 + random.below(600), &out)
      }
    case .tcp:
      flow.left -= 4
      let x = random.unit()
      gap()
      tcp(&flow, up: true, [.psh, .ack], noise: 30 + Int(x * x * 1380), &out)
      later(40)
      tcp(&flow, up: false, .ack, &out)
      later(60)
      tcp(&flow, up: false, [.psh, .ack], noise: 1 + random.below(1428), &out)
      later(25)
      tcp(&flow, up: true, .ack, &out)
    case .quic:
      if !flow.isOpen {
        flow.isOpen = true
        gap()
        quic(&flow, up: true, 1250, long: true, &out)
        later(9000)
        quic(&flow, up: false, 1250, long: true, &out)
        return
      }
      let count = 1 + random.below(10)
      flow.left -= count
      gap()
      for i in 0..<count {
        if i > 0 { later(15) }
        let up = random.unit() < 0.3
        quic(&flow, up: up, up ? 30 + random.below(30) : 1232, long: false, &out)
      }
    case .television:
      let count = 1 + random.below(10)
      flow.left -= count
      gap()
      guard let group = flow.farAddress.v4 else { return }
      for i in 0..<count {
        if i > 0 { later(15) }
        flow.id &+= 1
        let datagram = Datagram(5004, to: 5004, [0x80, 0x21, UInt8(flow.id >> 8), UInt8(flow.id & 255), 0, 0, 0, 0, 0, 0, 0, 1])
        let packet = Packet.ipv4(from: IPv4Address(0x0aa1_0409), to: group, .udp(datagram, noise: 1316), id: flow.id)
        emit(tagged(packet, flow), BulkLAN.router, &out)
      }
    }
  }

  private mutating func quic(_ flow: inout Flow, up: Bool, _ count: Int, long: Bool, _ out: inout [CapturedFrame]) {
    let head: [UInt8] = long ? [0xc3, 0, 0, 0, 1, 8] : [0x43, 0x9a]
    let datagram = Datagram(up ? flow.nearPort : 443, to: up ? 443 : flow.nearPort, head)
    let segment = Segment.udp(datagram, noise: count - head.count)
    emit(packet(&flow, up: up, segment), up ? flow.near : flow.far, to: up ? flow.far : flow.near, &out)
  }

  /// A TLS client hello with a server name (RFC 8446, 4.1.2).
  private static let clientHello: [UInt8] = {
    let name = Array("static.example.com".utf8)
    var e = ByteWriter()
    e.u16(0)
    e.u16(UInt16(name.count + 5))
    e.u16(UInt16(name.count + 3))
    e.u8(0)
    e.u16(UInt16(name.count))
    e.append(name)
    e.append([0, 0x2b, 0, 3, 2, 3, 4])
    var b = ByteWriter()
    b.append([3, 3])
    b.append(Noise.bytes[..<32])
    b.u8(32)
    b.append(Noise.bytes[32..<64])
    b.append([0, 4, 0x13, 1, 0x13, 2, 1, 0])
    b.u16(UInt16(e.count))
    b.append(e.bytes)
    var w = ByteWriter()
    w.append([0x16, 3, 1])
    w.u16(UInt16(b.count + 4))
    w.append([1, 0])
    w.u16(UInt16(b.count))
    w.append(b.bytes)
    return w.bytes
  }()
}
