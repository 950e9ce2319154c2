import Fixtures
import Model
import Scenarios
import Testing
import Wire

private let router = Box("gateway", "02:00:00:00:00:01", "192.168.0.1")
private let host = Box("", "02:00:00:00:00:0a", "192.168.0.10")

/// Traffic that made other monitors crash or say something wrong (`../shared/captures/known-bugs.md`).
@Suite("Known bugs of the field")
struct KnownBugTests {
  private static func frame(_ bytes: [UInt8], link: LinkType = .ethernet) -> CapturedFrame {
    CapturedFrame(time: Scenario.someMorning, link: link, bytes: bytes, wireLength: bytes.count)
  }

  @Test("a probe is no address")
  func probe() {
    let seen = look(Scenario("probe") { host.says(.arpProbe(ip4("192.168.0.50"), from: host.mac)) })
    #expect(seen.hosts.map(\.id) == [host.mac])
    #expect(seen.host(host)?.addresses == [])
    #expect(seen.subnets.allSatisfy { !$0.prefix.contains(ip("0.0.0.0")) })
    #expect(seen.findings.isEmpty)
  }

  @Test("a second subnet on the wire is not an error")
  func secondSubnet() {
    let other = Box("", "02:00:00:00:00:77", "10.166.179.21")
    let seen = look(
      Scenario("second subnet") {
        host.arp(for: "192.168.0.1")
        other.arp(for: "10.166.179.1")
      })
    #expect(seen.subnets.map(\.hosts) == [[other.mac], [host.mac]])
    #expect(seen.subnets.map { $0.gateways.map(\.address) } == [[ip("10.166.179.1")], [ip("192.168.0.1")]])
    #expect(seen.odd.isSubset(of: [.twoSubnetsOneWire]))
    #expect(seen.findings.allSatisfy { $0.severity == .info })
  }

  @Test("the all-zero MAC is no device, but its bytes count")
  func zeroMAC() {
    let packet = Packet.ipv4(from: ip4("192.168.0.3"), to: host.ip, .udp(Datagram(5000, to: 5001, [UInt8](repeating: 0x78, count: 18))))
    let seen = look([Self.frame(packet.frame(from: .zero, to: host.mac))])
    #expect(seen.host(.zero) == nil)
    #expect(seen.hosts.allSatisfy { !$0.addresses.contains(ip("192.168.0.3")) })
    #expect(seen.capture.bytes == 60)
    #expect(seen.findings.isEmpty)
  }

  @Test("an mDNS answer that ends inside a name makes no name, and one malformed frame")
  func shortMDNS() {
    let message: [UInt8] = [0, 0, 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0x3f, 0x61, 0x62, 0x63]
    let packet = Packet.ipv4(from: host.ip, to: ip4("224.0.0.251"), .udp(Datagram(5353, to: 5353, message)), hopLimit: 255)
    let seen = look([Self.frame(Packet.padded(packet.frame(from: host.mac)))])
    #expect(seen.capture.malformed == 1)
    #expect(seen.host(host)?.names == [])
  }

  @Test("a radio that speaks for a wired machine keeps its addresses, and the machine is known behind it")
  func clientBridge() {
    let first = Box("", "02:00:00:00:00:0a", "192.168.0.20")
    let charger = Box("charger", "02:00:00:00:00:0a", "192.168.0.21")
    let seen = look(
      Scenario("client bridge") {
        first.claims("192.168.0.20", to: router)
        first.claims("192.168.0.21", to: router)
        charger.says(
          .dhcp(.discover, 7, client: mac("02:00:00:00:00:0b"), [.clientID(mac("02:00:00:00:00:0b")), .hostName("charger")]))
      })
    #expect(seen.host(first)?.ipv4 == [ip4("192.168.0.20"), ip4("192.168.0.21")], "\(seen.story)")
    #expect(seen.host(mac("02:00:00:00:00:0b"))?.names.map(\.text.display) == ["charger"])
    #expect(seen.host(mac("02:00:00:00:00:0b"))?.attachedTo?.answer == first.mac)
    #expect(seen.host(first)?.names == [])
    #expect(seen.odd == [.macTranslatingBridge])
  }

  @Test("several addresses of one MAC are one host with all of them")
  func manyAddresses() {
    let seen = look(
      Scenario("many addresses") {
        for last in 30...32 { host.claims("192.168.0.\(last)", to: router) }
      })
    #expect(seen.host(host)?.ipv4 == (30...32).map { ip4("192.168.0.\($0)") })
    #expect(seen.odd.isEmpty, "\(seen.story)")
  }

  @Test("a probe whose sender address is broken makes no conflict and no second device")
  func brokenProbe() {
    let gear = Box("", "00:be:75:00:00:01")
    let seen = look(
      Scenario("broken probe") {
        host.announces()
        gear.says(.arp(1, from: mac("00:00:00:12:34:56"), .any, to: .zero, ip4("192.168.0.10")))
        Pause(1)
        host.announces()
      })
    #expect(seen.odd.isEmpty, "\(seen.story)")
    #expect(seen.hosts.map(\.id) == [gear.mac, host.mac])
    #expect(seen.host(gear)?.ipv4 == [])
  }

  @Test("a cooked frame without a link address is counted and makes neither device nor subnet")
  func cookedWithoutAddress() {
    let packet = Packet.ipv4(
      from: ip4("203.0.113.5"), to: ip4("192.0.2.9"), .udp(Datagram(53, to: 5000, [UInt8](repeating: 0, count: 20))))
    let header: [UInt8] = [0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0]
    let seen = look([Self.frame(header + packet.bytes, link: .linuxSLL)])
    #expect(seen.hosts.isEmpty, "\(seen.story)")
    #expect(seen.subnets.isEmpty)
    #expect(seen.capture.bytes == 16 + packet.bytes.count)
  }

  @Test("frames of a link type that nobody here reads are counted, and the report names the type")
  func unreadLinkType() {
    let seen = look([Self.frame([UInt8](repeating: 0x45, count: 60), link: LinkType(147))])
    #expect(seen.capture.bytes == 60)
    #expect(seen.hosts.isEmpty, "\(seen.story)")
    #expect(seen.health.unreadLinkTypes == ["LINKTYPE_147"])
    let read = look([Self.frame([UInt8](repeating: 0, count: 60))])
    #expect(read.health.unreadLinkTypes.isEmpty)
  }

  @Test("a later fragment has no header of the next protocol")
  func laterFragment() {
    // Bytes that would be an mDNS answer if they were read.
    let named = Datagram.mdns(answers: [.address(DomainName("ghost.local"), ip("192.168.0.66"))])
    let pieces = Packet.ipv4Fragments(from: host.ip, to: ip4("224.0.0.251"), .udp(named), mtu: 28, id: 77).dropFirst()
    let whole = Packet.ipv4(from: host.ip, to: ip4("224.0.0.251"), .udp(named), fragment: (offset: 1480, more: false))
    let seen = look(pieces.map { Self.frame($0.frame(from: host.mac)) } + [Self.frame(whole.frame(from: host.mac))])
    #expect(seen.host(host)?.names == [])
    #expect(seen.host(host)?.ipv4.contains(ip4("192.168.0.66")) == false)
    #expect(seen.capture.malformed == 0)
  }

  @Test("a mirror port that shows ARP of two VLANs keeps their subnets apart")
  func probesInVLANs() {
    let guest = Box("", "02:00:00:00:00:77", "192.168.7.21")
    let seen = look(
      Scenario("vlans") {
        host.arp(for: "192.168.0.1")
        guest.arp(for: "192.168.7.1").inVLAN(7)
      })
    #expect(seen.subnets.map(\.vlan) == [nil, 7])
    #expect(seen.odd == [.vlanTagged])
  }
}
