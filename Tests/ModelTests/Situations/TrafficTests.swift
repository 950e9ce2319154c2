import Fixtures
import Model
import Scenarios
import Testing
import Wire

private let router = Box("", "3c:37:86:50:00:01", "192.168.1.1")
private let pc = Box("study", "60:a4:4c:50:00:0a", "192.168.1.20", hopLimit: 128)
private let nas = Box("archive", "bc:5f:f4:50:00:0b", "192.168.1.30")
private let web = Site("www.example.com", "203.0.113.20")

/// One datagram, as it is on the wire: nothing else is known of who sends it.
private func packet(
  _ box: Box, _ from: String, to address: String, at other: Box? = nil, hops: UInt8 = 64, group: MACAddress? = nil
) -> Talk {
  Talk { stage in
    let segment = Segment.udp(Datagram(50_000, to: 50_001, [UInt8](repeating: 7, count: 200)))
    let sent = Packet.ip(from: ip(from), to: ip(address), segment, hopLimit: hops)
    stage.send(sent, from: box, to: other?.mac ?? group)
    stage.wait(0.01)
  }
}

extension Snapshot {
  fileprivate func traffic(_ box: Box) -> Traffic { host(box)?.traffic ?? Traffic() }
  fileprivate func addresses(_ box: Box) -> [IPAddress] { host(box)?.addresses ?? [] }
}

/// Where a device's bytes went, and whose they are: only as far as the frames prove it.
@Suite("Who moved what, and where to")
struct TrafficTests {
  // MARK: Whose addresses

  @Test("a host of a public network that never asked for anybody has its address, and talks with the internet itself")
  func publicHost() {
    let host = Box("", "00:24:7e:50:00:01")
    let gateway = Box("", "00:13:7f:50:00:02")
    let seen = look(
      Scenario("campus") {
        packet(host, "198.51.100.118", to: "203.0.113.20", at: gateway)
        packet(gateway, "203.0.113.20", to: "198.51.100.118", at: host, hops: 51)
      })
    #expect(seen.addresses(host) == [ip("198.51.100.118")], "\(seen.story)")
    #expect(seen.traffic(host).internetBytes == seen.traffic(host).total)
    #expect(seen.traffic(host).carriedBytes == 0)
    #expect(seen.addresses(gateway).isEmpty)
    #expect(seen.traffic(gateway).carriedBytes == seen.traffic(gateway).total)
    #expect(seen.conversations.first?.a == .host(host.mac))
    // Whose network it is, a packet does not say.
    #expect(seen.subnets.isEmpty)
  }

  @Test("an answer in the name of a server in the internet does not make the router that server")
  func transparentProxy() {
    let seen = look(
      Scenario("intercepted") {
        packet(pc, "192.168.1.20", to: "203.0.113.53", at: router, hops: 128)
        packet(router, "203.0.113.53", to: "192.168.1.20", at: pc, hops: 64)
      })
    #expect(seen.addresses(router).isEmpty, "\(seen.story)")
    #expect(seen.traffic(router).carriedBytes == seen.traffic(router).total)
    #expect(seen.traffic(pc).internetBytes == seen.traffic(pc).total)
  }

  @Test(
    "what was sent for this link alone is its sender's own",
    arguments: [("224.0.0.1", 1), ("239.255.255.250", 1), ("224.0.0.251", 255), ("224.0.0.251", 10)] as [(String, UInt8)])
  func linkOnly(_ group: String, _ hops: UInt8) {
    let box = Box("", "98:da:c4:50:00:01")
    let seen = look(Scenario("group") { packet(box, "192.168.7.1", to: group, hops: hops) })
    #expect(seen.addresses(box) == [ip("192.168.7.1")], "\(seen.story)")
    #expect(seen.traffic(box).localBytes == seen.traffic(box).total)
    #expect(seen.subnet("192.168.7.0/24")?.hosts == [box.mac])
  }

  @Test("a stream that came over routers is not its last router's")
  func forwardedStream() {
    let box = Box("", "98:da:c4:50:00:01")
    let seen = look(Scenario("stream") { packet(box, "192.168.7.1", to: "230.200.201.23", hops: 7) })
    #expect(seen.addresses(box).isEmpty, "\(seen.story)")
    #expect(seen.subnets.isEmpty)
  }

  @Test("addresses inside a network that others show are their senders', several of one device too; a forwarded one is not")
  func insideNetwork() {
    let quiet = Box("", "78:92:9c:50:00:05")
    let bridge = Box("", "78:92:9c:50:00:06")
    let seen = look(
      Scenario("inside") {
        pc.announces()
        pc.arp(for: "192.168.1.1")
        packet(quiet, "192.168.1.64", to: "192.168.1.20", at: pc)
        packet(quiet, "192.168.1.105", to: "192.168.1.20", at: pc)
        packet(bridge, "192.168.1.77", to: "192.168.1.20", at: pc, hops: 61)
      })
    #expect(seen.addresses(quiet) == [ip("192.168.1.64"), ip("192.168.1.105")], "\(seen.story)")
    #expect(seen.addresses(bridge).isEmpty)
    #expect(seen.traffic(bridge).carriedBytes == seen.traffic(bridge).total)
    #expect(seen.traffic(quiet).localBytes == seen.traffic(quiet).total)
  }

  @Test("a self-made address does not hide the one that a device really uses")
  func besideLinkLocal() {
    let box = Box("", "dc:0e:a1:50:00:01", "169.254.133.211")
    let seen = look(
      Scenario("both") {
        box.announces()
        packet(box, "192.168.103.8", to: "192.168.103.9", at: nas, hops: 128)
      })
    #expect(seen.addresses(box) == [ip("169.254.133.211"), ip("192.168.103.8")], "\(seen.story)")
    #expect(seen.traffic(box).carriedBytes == 0)
    #expect(seen.finding(.linkLocalOnly) == nil)
  }

  @Test("neighbours of one IPv6 network that forward nothing have their addresses, in a dial-in too")
  func globalIPv6() {
    let host = Box("", "b8:ce:f6:50:00:01")
    let seen = look(
      Scenario("v6") {
        packet(host, "2001:db8:40::d", to: "2001:db8:90::1", at: router)
        packet(host, "2001:db8:40::e", to: "2001:db8:90::1", at: router)
        packet(router, "2001:db8:90::1", to: "2001:db8:40::d", at: host, hops: 55)
        packet(router, "2001:db8:91::1", to: "2001:db8:40::d", at: host, hops: 64)
      })
    #expect(seen.addresses(host) == [ip("2001:db8:40::d"), ip("2001:db8:40::e")], "\(seen.story)")
    #expect(seen.traffic(host).internetBytes == seen.traffic(host).total)
    #expect(seen.addresses(router).isEmpty)
  }

  // MARK: Where to

  @Test("what stays in the network is local, also for who has not yet taken its address")
  func offered() {
    let client = Box("", "00:0b:82:50:00:01")
    let seen = look(
      Scenario("offer") {
        pc.dhcp(from: router)
        packet(router, "192.168.1.1", to: "192.168.1.77", at: client)
        packet(client, "0.0.0.0", to: "255.255.255.255")
      })
    #expect(seen.traffic(router).localBytes == seen.traffic(router).total, "\(seen.story)")
    #expect(seen.traffic(client).localBytes == seen.traffic(client).total)
    #expect(seen.conversations.contains { Set([$0.a, $0.b]) == [.host(router.mac), .host(client.mac)] })
  }

  @Test("link-local addresses are local for both, whoever has them")
  func linkLocal() {
    let seen = look(
      Scenario("link-local") {
        packet(pc, "fe80::1:20", to: "fe80::1:30", at: nas, hops: 255)
        packet(nas, "192.168.1.30", to: "192.168.1.20", at: pc)
      })
    #expect(seen.traffic(pc).localBytes == seen.traffic(pc).total, "\(seen.story)")
    #expect(seen.traffic(nas).localBytes == seen.traffic(nas).total)
  }

  @Test("a private address behind the router is neither the operator's nor the internet's")
  func beyondRouter() {
    let seen = look(
      Scenario("beyond") {
        pc.dhcp(from: router)
        packet(pc, "192.168.1.20", to: "192.168.100.1", at: router, hops: 128)
        packet(router, "192.168.100.1", to: "192.168.1.20", at: pc, hops: 63)
      })
    let moved = seen.traffic(pc)
    #expect(moved.operatorBytes == 0 && moved.internetBytes == 0, "\(seen.story)")
    #expect(moved.localBytes > 0 && moved.localBytes < moved.total)
    #expect(seen.traffic(router).carriedBytes == moved.total - moved.localBytes)
  }

  @Test("another address of a box on this wire is local")
  func otherAddress() {
    let seen = look(
      Scenario("two networks") {
        pc.dhcp(from: router)
        nas.at("172.16.222.41").announces()
        packet(pc, "192.168.1.20", to: "172.16.222.41", at: router, hops: 128)
        packet(router, "192.168.1.20", to: "172.16.222.41", at: nas, hops: 127)
      })
    #expect(seen.traffic(pc).localBytes == seen.traffic(pc).total, "\(seen.story)")
    #expect(seen.traffic(router).carriedBytes > 0)
  }

  @Test("what a bridged box reaches in the operator's network is the operator's, what a device at home reaches in private is not")
  func operatorNetwork() {
    let seen = look(
      Scenario("television", seen: .mirror, seed: 1) {
        At(0.5) {
          PuzzleTests.box.dhcp(from: PuzzleTests.headEnd, PuzzleTests.scope, relayed: true)
          PuzzleTests.box.arp(for: PuzzleTests.headEnd)
        }
        PuzzleTests.family()
        PuzzleTests.neighbours(PuzzleTests.headEnd)
        At(60) {
          packet(PuzzleTests.box, "10.166.179.23", to: "10.161.0.10", at: PuzzleTests.headEnd)
          packet(PuzzleTests.pc, "192.168.0.12", to: "10.161.0.10", at: PuzzleTests.router, hops: 128)
        }
      })
    #expect(seen.subnet("10.166.179.0/24")?.kind == .operator, "\(seen.story)")
    #expect(seen.traffic(PuzzleTests.box).operatorBytes == 242)
    #expect(seen.traffic(PuzzleTests.pc).operatorBytes == 0)
  }

  @Test("who is asked to pass on and was never seen to do so did not")
  func refused() {
    let seen = look(
      Scenario("refused") {
        pc.dhcp(from: router)
        packet(pc, "192.168.1.20", to: "203.0.113.20", at: router, hops: 128)
      })
    #expect(seen.traffic(router).carriedBytes == 0, "\(seen.story)")
    #expect(seen.traffic(router).localBytes == seen.traffic(router).total - 242)
  }

  // MARK: Counting

  @Test("a frame that a switch sends to itself counts at both ends, as every unicast frame does")
  func loopTest() {
    let bridge = Box("", "00:1f:6d:50:00:04")
    let bytes = Packet(EtherType(0x9000), [UInt8](repeating: 0, count: 46)).frame(from: bridge.mac, to: bridge.mac)
    let seen = look([CapturedFrame(time: Scenario.someMorning, bytes: bytes, wireLength: bytes.count)])
    let moved = seen.traffic(bridge)
    #expect((moved.sentBytes, moved.receivedBytes, moved.localBytes) == (60, 60, 120))
    #expect(moved.peak == 960)
  }

  @Test("what is encrypted in the air may be for anybody")
  func encrypted() {
    let station = Box("", "3c:a6:f6:50:00:01", link: .wifi)
    let point = mac("60:22:32:50:00:02")
    let body = RadioFrame.protected(100, packetNumber: 1)
    let seen = look(
      [RadioFrame.toDS(station.mac, point, to: router.mac, sequence: 1, body), .beacon(point, ssid: "home", sequence: 1)].enumerated().map {
        CapturedFrame(
          time: Scenario.someMorning.adding(Double($0)), link: .radiotap, bytes: $1.bytes, wireLength: $1.bytes.count)
      })
    #expect(seen.traffic(station).localBytes == 0, "\(seen.story)")
    #expect(seen.host(point)?.traffic.localBytes == seen.host(point)?.traffic.total)
  }

  @Test("the largest conversation is listed when only one end ever spoke")
  func silentEnd() {
    let silent = mac("f0:a2:25:50:00:81")
    let seen = look(
      Scenario("silent") {
        for _ in 0..<9 { Talk { $0.send(Packet(EtherType(0x88b5), [UInt8](repeating: 0, count: 400), to: silent), from: nas) } }
        pc.arp(for: router)
      })
    #expect(seen.host(silent) == nil)
    let largest = seen.conversations.first
    #expect(largest.map { Set([$0.a, $0.b]) } == [.host(nas.mac), .host(silent)], "\(seen.story)")
  }

  @Test("the busiest second is told beyond 2106 too")
  func farFuture() {
    var frames = Scenario("future") { packet(pc, "192.168.1.20", to: "203.0.113.20", at: router) }.frames()
    let then = Timestamp(seconds: 4_323_280_304, nanoseconds: 5)
    for at in frames.indices { frames[at].time = then }
    #expect(look(frames).traffic(pc).peakAt == Timestamp(seconds: 4_323_280_304, nanoseconds: 0))
  }
}
