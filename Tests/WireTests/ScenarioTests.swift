import Fixtures
import Glibc
import Scenarios
import Testing
import Wire

private let router = Box("router", "00:1d:d1:00:00:01", "192.168.0.1", ssid: "net")
private let pc = Box("desk", "60:a4:4c:00:00:0a", "192.168.0.10")
private let nas = Box("nas", "00:11:32:00:00:0b", "192.168.0.11")
private let phone = Box("", "5e:00:00:00:00:0c", "192.168.0.12", link: .wifi, behind: router)
private let tablet = Box("tablet", "5e:00:00:00:00:0d", "192.168.0.13", link: .wifi, behind: router)

@Suite("A scenario")
struct ScenarioTests {
  @Test("is written in a few lines, and heard by a host in its order")
  func short() {
    let frames = Scenario("a lease", seen: .host(pc)) {
      pc.dhcp(from: router)
      At(3) {
        pc.arp(for: router)
        nas.announces()
      }
      Every(60, from: 10, until: 200) { router.says(.rldp) }
    }.frames()
    #expect(frames.count == 4 + 2 + 1 + 4)
    #expect(frames.map(\.time) == frames.map(\.time).sorted())
    #expect(
      frames.flatMap { decode($0).claims(about: "00:11:32:00:00:0b") }.first == .holds(ip("192.168.0.11"), .announcement))
  }

  @Test("gives the same bytes each time, others with another seed", arguments: Homes.all)
  func deterministic(_ home: Scenario) {
    // The beginning will do: the rest is played with the same dice.
    var first = home
    first.snapLength = 64
    let once = first.pcap()
    #expect(once == first.pcap())
    first.seed &+= 1
    #expect(once != first.pcap())
  }

  @Test("makes frames that decode to their end", arguments: Homes.all)
  func decodes(_ home: Scenario) {
    let frames = home.frames()
    #expect(frames.count > 200)
    for (place, frame) in frames.enumerated() {
      let said = decode(frame, number: place + 1)
      let stop = said.summary.stop
      let fault = said.observations.fault
      if stop != nil { Issue.record("\(home.name), frame \(place + 1): the header walk stopped: \(String(describing: stop))") }
      if fault?.isSenderFault == true { Issue.record("\(home.name), frame \(place + 1): \(String(describing: fault))") }
    }
  }

  @Test("makes frames whose check sums are right", arguments: Homes.all + [zoo])
  func checksums(_ home: Scenario) {
    for (place, frame) in home.seen(from: .mirror).frames().enumerated() where frame.bytes.count == frame.wireLength {
      if let wrong = wrongChecksum(frame.bytes) { Issue.record("\(home.name), frame \(place + 1): \(wrong)") }
    }
  }

  @Test("lets a bridge that nobody stands behind hear only what is for everybody", arguments: Homes.all)
  func groups(_ home: Scenario) {
    let frames = home.seen(from: .bridge(Box("", "02:00:00:00:00:01"))).frames()
    #expect(!frames.isEmpty)
    #expect(
      frames.allSatisfy { frame in
        let destination = decode(frame).summary.destination
        return destination.isGroup || destination == Packet.localAdapter
      })
  }
}

@Suite("A vantage")
struct VantageTests {
  private static let film = Scenario("talk") {
    pc.arp(for: nas)
    phone.arp(for: tablet)
    phone.pings(nas)
  }
  private func heard(_ vantage: Scenario.Vantage) -> [String] {
    Self.film.seen(from: vantage).frames().map { frame in
      let summary = decode(frame).summary
      return "\(summary.source.bits & 15)>\(summary.destination.isGroup ? "all" : "\(summary.destination.bits & 15)")"
    }
  }

  @Test("of a host hears what is for everybody and its own")
  func host() {
    #expect(heard(.host(nas)) == ["10>all", "11>10", "12>all", "12>11", "11>12"])
    #expect(heard(.host(router)) == ["10>all", "12>all"])
  }

  @Test("of a switch's mirror misses what stays behind the access point")
  func mirror() {
    #expect(heard(.mirror) == ["10>all", "11>10", "12>all", "12>11", "11>12"])
  }

  @Test("of one mirrored port hears what goes in or out there")
  func port() {
    #expect(heard(.mirrorOf(router)) == ["10>all", "12>all", "12>11", "11>12"])
  }

  @Test("of a bridge hears what passes through it, from radio to radio too")
  func bridge() {
    #expect(heard(.bridge(router)) == ["10>all", "12>all", "13>12", "12>11", "11>12"])
  }

  @Test("does not pad the frames that its own host sends")
  func padding() {
    let frames = Self.film.seen(from: .host(pc)).frames()
    #expect(frames[0].direction == .sent)
    #expect(frames[0].bytes.count == 42)
    #expect(frames[1].direction == .received)
    #expect(frames[1].bytes.count == 60)
  }

  @Test("in monitor mode sees stations and their access point, not what they say")
  func monitor() {
    let said = Self.film.seen(from: .monitor).frames().map { decode($0) }
    #expect(said.allSatisfy { $0.summary.stop == nil && $0.summary.has(.isWireless) })
    #expect(said.contains { $0.summary.wireless.toDS && $0.summary.source == phone.mac && $0.summary.wireless.bssid == router.mac })
    #expect(said.contains { $0.summary.wireless.fromDS && $0.summary.destination == phone.mac })
    #expect(said.allSatisfy { $0.summary.wireless.isProtected })
  }

  @Test("follows a station that moves to another access point")
  func roaming() {
    let other = Box("other", "00:1d:d1:00:00:02", ssid: "net")
    let moved = Box("", "5e:00:00:00:00:0c", "192.168.0.12", link: .wifi, behind: other)
    let film = Scenario("walk", seen: .mirrorOf(other)) {
      phone.pings(pc)
      moved.announces()
      pc.pings(moved)
    }
    #expect(film.frames().count == 3)
  }

  @Test("of a router hears both its sides apart")
  func router_() {
    let film = Scenario("two sides", seen: .router(router)) {
      pc.arp(for: router)
      router.says(.pppoe(.initiation)).onFarSide()
    }
    #expect(film.frames().map(\.interface) == [0, 0, 1])
    #expect(film.seen(from: .mirror).frames().count == 2)
  }
}

@Suite("The packet language")
struct PacketTests {
  @Test("writes an IPv4 header whose check sum is the one of the textbook")
  func header() {
    let datagram = Datagram(1, to: 2, Array(repeating: 0, count: 87))
    let packet = Packet.ipv4(from: ip4("192.168.0.1"), to: ip4("192.168.0.199"), .udp(datagram))
    // 4500 + 0073 + 0000 + 4000 + 4011 + c0a8 + 0001 + c0a8 + 00c7 = 2479c; 479c + 2 = 479e; its complement is b861.
    #expect(
      Array(packet.bytes.prefix(20)) == [
        0x45, 0, 0, 0x73, 0, 0, 0x40, 0, 0x40, 0x11, 0xb8, 0x61, 192, 168, 0, 1, 192, 168, 0, 199,
      ])
  }

  @Test("writes a UDP check sum over the addresses too")
  func datagram() {
    let packet = Packet.ipv4(from: ip4("10.0.0.1"), to: ip4("10.0.0.2"), .udp(Datagram(1, to: 2, [0x68, 0x69])))
    // 0a00 + 0001 + 0a00 + 0002 + 0011 + 000a, then 0001 + 0002 + 000a + 6869 = 7c94; its complement is 836b.
    #expect(Array(packet.bytes.suffix(10)) == [0, 1, 0, 2, 0, 10, 0x83, 0x6b, 0x68, 0x69])
  }

  @Test("writes ARP byte for byte as the sample says")
  func arp() {
    let frame = Packet.arpRequest(ip4("192.168.0.1"), from: mac("02:00:00:00:00:0a"), ip4("192.168.0.10")).frame(
      from: mac("02:00:00:00:00:0a"))
    #expect(Packet.padded(frame) == Corpus.sample("arp", "request").bytes)
  }

  @Test("puts tags outside the type, the last one given outermost")
  func tags() {
    let frame = Packet.rldp.inVLAN(20, priority: 5).inVLAN(100, provider: true).frame(from: mac("02:00:00:00:00:0a"))
    #expect(Array(frame[12..<22]) == [0x88, 0xa8, 0, 100, 0x81, 0, 0xa0, 20, 0x88, 0x99])
    #expect(decode(frame).summary.vlanIDs == [100, 20])
  }

  @Test("points back to names that were written before")
  func compression() {
    let message = Datagram.mdns(answers: [.pointer("_ssh._tcp.local", "a._ssh._tcp.local")])
    #expect(Array(message.bytes.suffix(6)) == [0, 4, 1, 0x61, 0xc0, 12])
  }

  @Test("cuts a packet into fragments that join again")
  func fragments() {
    let pieces = Packet.ipv4Fragments(
      from: ip4("10.0.0.1"), to: ip4("10.0.0.2"), .udp(Datagram(5, to: 6, (0..<2000).map { UInt8($0 & 255) })), id: 7)
    #expect(pieces.map { $0.bytes.count } == [1500, 548])
    #expect(pieces.map { $0.bytes[6] } == [0x20, 0])
    #expect(pieces[1].bytes[7] == 185)
  }

  @Test("makes groups of the addresses they stand for")
  func groups() {
    #expect(MACAddress.group(ip4("239.255.255.250")) == mac("01:00:5e:7f:ff:fa"))
    #expect(MACAddress.group(IPv6Address.linkLocal(of: pc.mac).solicitedNode) == mac("33:33:ff:00:00:0a"))
    #expect(IPv6Address.linkLocal(of: pc.mac).embeddedMAC == pc.mac)
  }
}

@Suite("A capture file of a scenario")
struct CaptureFileTests {
  @Test("opens with its precision, snap length and link type, and keeps the length on the wire")
  func file() {
    var film = Scenario("one frame", seen: .host(pc)) { pc.web(Site("www.example.com", "203.0.113.9"), via: router, bytes: 5000) }
    film.snapLength = 60
    let bytes = film.pcap(.nanoseconds)
    #expect(Array(bytes[0..<4]) == [0x4d, 0x3c, 0xb2, 0xa1])
    #expect(Array(bytes[16..<24]) == [60, 0, 0, 0, 1, 0, 0, 0])
    let frames = film.frames()
    #expect(frames.allSatisfy { $0.bytes.count <= 60 })
    #expect(frames.contains { $0.wireLength == 1514 })
    #expect(bytes.count == 24 + frames.reduce(0) { $0 + 16 + $1.bytes.count })
    #expect(Array(film.seen(from: .monitor).pcap()[20..<24]) == [127, 0, 0, 0])
  }
}

@Suite("Bulk traffic")
struct BulkTrafficTests {
  @Test("has the shares of a busy home")
  func shares() {
    var tcp = 0
    var quic = 0
    var bytes = 0
    let count = 20_000
    for frame in BulkTraffic(.lan, snapLength: 128).prefix(count) {
      let said = decode(frame)
      let summary = said.summary
      if summary.stop != nil { Issue.record("\(String(describing: summary.stop))") }
      if summary.ipProtocol == .tcp { tcp += 1 }
      if summary.ipProtocol == .udp, summary.sourcePort == .https || summary.destinationPort == .https { quic += 1 }
      bytes += frame.wireLength
    }
    #expect((70...88).contains(tcp * 100 / count), "\(tcp)")
    #expect((4...15).contains(quic * 100 / count), "\(quic)")
    #expect((500...760).contains(bytes / count), "\(bytes / count)")
  }

  @Test("keeps its pace: so many frames a second")
  func pace() {
    let frames = Array(BulkTraffic(.lan, framesPerSecond: 2000, snapLength: 64).prefix(40_000))
    let seconds = frames[39_999].time.since(frames[20_000].time)
    #expect((6...16).contains(seconds), "\(seconds)")
    #expect(zip(frames, frames.dropFirst()).allSatisfy { $0.time <= $1.time })
  }

  @Test("is the same for the same seed")
  func deterministic() {
    #expect(BulkTraffic(.lan, seed: 3).prefix(3000).elementsEqual(BulkTraffic(.lan, seed: 3).prefix(3000)))
    #expect(!BulkTraffic(.lan, seed: 3).prefix(300).elementsEqual(BulkTraffic(.lan, seed: 4).prefix(300)))
  }

  @Test("has right check sums", arguments: BulkTraffic.Mix.allCases)
  func checksums(_ mix: BulkTraffic.Mix) {
    for frame in BulkTraffic(mix).prefix(3000) { #expect(wrongChecksum(frame.bytes) == nil) }
  }

  @Test("as a flood never repeats a station")
  func flood() {
    let stations = BulkTraffic(.flood).prefix(5000).map { decode($0).summary.source }
    #expect(Set(stations).count == 5000)
    #expect(stations.allSatisfy { !$0.isGroup })
  }
}

/// An independent look, where there is one: no analyser may call a frame of ours malformed.
@Suite("tshark", .enabled(if: hasTShark, "tshark is not installed: nobody but us looks at the scenarios' frames"))
struct TSharkTests {
  @Test(
    "finds no malformed frame and no wrong check sum",
    arguments: Homes.all + [zoo, zoo.seen(from: Scenario.Vantage.monitor), air] as [Scenario])
  func wellFormed(_ home: Scenario) throws {
    let path = "/tmp/lanatomy-scenario-\(getpid())-\(home.name.filter { $0 != " " })-\(home.vantage.isMonitor).pcap"
    let file = try #require(fopen(path, "w"))
    let bytes = home.pcap()
    #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    fclose(file)
    defer { unlink(path) }
    let sums = ["ip", "tcp", "udp", "icmp", "icmpv6", "igmp", "vrrp", "cdp"].map { "\($0).checksum.status == \"Bad\"" }
    let options = ["ip", "tcp", "udp"].map { "-o \($0).check_checksum:TRUE" }.joined(separator: " ")
    let filter = (["_ws.malformed", "_ws.expert.severity >= 0x800000"] + sums).joined(separator: " || ")
    let output = try #require(popen("tshark \(options) -r \(path) -Y '\(filter)' 2>/dev/null", "r"))
    var line = [CChar](repeating: 0, count: 400)
    var found: [String] = []
    while found.count < 5, fgets(&line, 400, output) != nil {
      found.append(String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
    pclose(output)
    #expect(found.isEmpty)
  }
}

private let hasTShark = system("command -v tshark >/dev/null 2>&1") == 0

extension Scenario.Vantage {
  fileprivate var isMonitor: Bool { if case .monitor = self { true } else { false } }
}

/// One of everything that no home happens to say.
private let zoo = Scenario("zoo") {
  pc.says(.stp(root: router.mac, cost: 4, bridge: pc.mac, port: 3))
  pc.says(.stp(root: router.mac, cost: 20_000, bridge: pc.mac, port: 3, rapid: true))
  pc.says(.cdp("sw-1", port: "Gi0/1", platform: "cisco WS-C2960", software: "IOS 15", capabilities: 0x28, ip4("192.168.0.2")))
  pc.says(
    .lldp([
      .chassis(pc.mac), .port(name: "eth0"), .lifetime(120), .portDescription("uplink"), .systemName("sw"), .systemDescription("Linux"),
      .capabilities(0x14), .management(ip4("192.168.0.2")), .mau(30), .vlan(1),
    ]))
  pc.says(.rldp).inVLAN(7)
  router.vrrp(9, for: ["192.168.0.254"])
  router.says(.vrrp3(9, [ip("192.168.0.254")]), to: "224.0.0.18")
  router.says(.vrrp3(9, [ip("fe80::9")]), to: "ff02::12")
  router.says(.pppoe(.initiation, [.service(), .hostUnique([1, 2, 3, 4])]))
  router.says(.pppoe(.offer, [.service(), .concentrator("bras-1"), .cookie([9, 9])]), to: pc)
  router.says(.pppoe(session: 0x11, .ipv4(from: ip4("203.0.113.1"), to: ip4("203.0.113.2"), .echo(1, 1))), to: pc)
  pc.says(.homePlug(0x6034))
  pc.says(.mediaxtreamDiscover(heardOn: 1, name: "plug"))
  pc.says(.lltdDiscover(from: pc.mac, generation: 3, service: 1))
  pc.netBIOS()
  pc.says(.netBIOSQuery(7, "NAS", 0x20))
  pc.says(.netBIOSStatus(7, [("NAS", 0, false), ("HOME", 0, true)], unit: pc.mac), to: nas)
  pc.says(.llmnr(5, answers: [.address("desk", ip("192.168.0.10"))], to: DNSQuestion("desk"), port: 50_000), to: nas)
  pc.says(.mdns(questions: [DNSQuestion("_ssh._tcp.local", 12)], additional: [.owner(nas.mac)]))
  pc.says(
    .redirect(to: ip4("192.168.0.254"), quoting: .ipv4(from: ip4("192.168.0.11"), to: ip4("10.0.0.1"), .echo(1, 1))), to: "192.168.0.11")
  pc.says(.timeExceeded(quoting: .ipv4(from: ip4("192.168.0.11"), to: ip4("10.0.0.1"), .echo(1, 1))), to: "192.168.0.11")
  pc.says(.igmpReport3([ip4("239.1.2.3")]), to: "224.0.0.22")
  pc.leaves("239.1.2.3")
  pc.says(.redirect6(to: router.linkLocal, for: IPv6Address(high: 0x2001_0db8_0000_0000, low: 9), [.target(router.mac)]), to: "ff02::1")
  router.dhcpv6(from: nas, address: "2001:db8::7", delegated: "2001:db8:7::")
  router.sendsStream(to: "239.100.1.1", seconds: 0.1)
  pc.searchesSSDP(answered: nas)
  nas.dhcp(
    from: router,
    .init(
      server: "192.168.0.1",
      more: [
        .domain("home.example"), .routes([(prefix("10.20.0.0/16"), ip4("192.168.0.2"))]),
        .vendorInformation(3561, [4: Array("00D09E".utf8)]),
        .relayInformation(circuit: [0, 4, 0, 1], remote: pc.mac.bytes),
      ]), relayed: true, broadcast: true, says: [.userClass("iPXE"), .fqdn("nas.home.example")])
  nas.discovers(times: 2)
  nas.dhcpAgain(from: router)
  nas.says(
    Segment.udp(Datagram(9, to: 9, [1, 2, 3])), to: "ff02::1")
  Talk { stage in
    for piece in Packet.ipv4Fragments(from: pc.ip, to: nas.ip, .echo(3, 4, length: 2000), id: 99) { stage.send(piece, from: pc, to: nas) }
    stage.send(
      .ipv6(from: pc.linkLocal, to: nas.linkLocal, .echo6(1, 1), extensions: [.routerAlert, .emptyDestination]), from: pc, to: nas)
  }
  phone.pings(pc)
}

private let air = Scenario("air", seen: .monitor) {
  router.beacons(for: 0.5)
  phone.associates(with: router)
  Talk { stage in
    stage.send(RadioFrame.leaving(phone.mac, router.bssid, sequence: 3), from: phone)
    stage.send(
      RadioFrame.wds(router.mac, from: pc.mac, to: nas.mac, source: phone.mac, sequence: 4, RadioFrame.protected(80, packetNumber: 9)),
      from: pc)
    stage.send(
      RadioFrame.toDS(
        phone.mac, router.bssid, to: .broadcast, sequence: 5, protected: false,
        RadioFrame.open(.arpRequest(ip4("192.168.0.1"), from: phone.mac, phone.ip))), from: phone)
  }
}

/// Sums up by hand what an honest receiver would; nil when all is right. Only whole, unfragmented packets are looked at.
private func wrongChecksum(_ frame: [UInt8]) -> String? {
  func word(_ at: Int) -> Int { Int(frame[at]) << 8 | Int(frame[at + 1]) }
  func folded(_ range: Range<Int>, _ extra: Int = 0) -> Int {
    var sum = extra
    for at in stride(from: range.lowerBound, to: range.upperBound, by: 2) {
      sum += Int(frame[at]) << 8 | (at + 1 < range.upperBound ? Int(frame[at + 1]) : 0)
    }
    while sum > 0xffff { sum = sum & 0xffff + sum >> 16 }
    return sum
  }
  var at = 12
  while word(at) == 0x8100 || word(at) == 0x88a8 { at += 4 }
  let type = word(at)
  at += 2
  var ipProtocol = 0
  var start = 0
  var end = 0
  var addresses = 0..<0
  if type == 0x0800 {
    let header = Int(frame[at] & 15) * 4
    guard folded(at..<at + header) == 0xffff else { return "IPv4 header" }
    guard word(at + 6) & 0x3fff == 0 else { return nil }
    (ipProtocol, start, end, addresses) = (Int(frame[at + 9]), at + header, at + word(at + 2), at + 12..<at + 20)
  } else if type == 0x86dd {
    (ipProtocol, start, end, addresses) = (Int(frame[at + 6]), at + 40, at + 40 + word(at + 4), at + 8..<at + 40)
    while ipProtocol == 0 || ipProtocol == 60 {
      ipProtocol = Int(frame[start])
      start += 8 + Int(frame[start + 1]) * 8
    }
  } else {
    return nil
  }
  let pseudo = folded(addresses) + ipProtocol + end - start
  switch ipProtocol {
  case 1, 2: return folded(start..<end) == 0xffff ? nil : "ICMP or IGMP"
  case 6, 17, 58: return folded(start..<end, pseudo) == 0xffff ? nil : "protocol \(ipProtocol)"
  default: return nil
  }
}
