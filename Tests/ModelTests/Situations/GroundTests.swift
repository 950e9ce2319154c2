import Fixtures
import Model
import Scenarios
import Testing
import Wire

private let router = Box("gateway", "5c:a6:e6:80:00:10", "192.168.1.1")
private let pc = Box("desk", "60:a4:4c:80:00:0a", "192.168.1.20", vendorClass: "MSFT 5.0", hopLimit: 128)
private let nas = Box("archive", "bc:5f:f4:80:00:0b", "192.168.1.30")
private let web = Site("www.example.com", "203.0.113.20")

/// Claims that want more ground than they may seem to have: subnets and ways out of which little was heard (`inference.md` 1, 3 and 4).
@Suite("Ground for subnets and ways out")
struct GroundTests {
  // MARK: Subnets from talk

  @Test("one host's questions into foreign networks neither join them nor take its own away")
  func strayQuestions() {
    let seen = look(
      Scenario("strays", seen: .mirror) {
        At(1) {
          pc.arp(for: router)
          nas.arp(for: router)
          nas.announces()
        }
        for (n, address) in ["10.0.0.100", "100.64.134.249", "172.16.222.41"].enumerated() {
          At(10 + Double(n)) { pc.at(address).arp(for: "192.168.1.1") }
        }
        At(20) { nas.arp(for: "1.1.1.1") }
      })
    #expect(seen.subnets.map(\.prefix) == [prefix("192.168.1.0/24")], "\(seen.story)")
    #expect(seen.subnets.first?.hosts.count == 3)
  }

  @Test("made-up addresses live in one prefix, and a shout in it does not halve it")
  func linkLocalShout() {
    let lone = Box("", "dc:0e:a1:80:00:08", "169.254.133.211")
    let seen = look(
      Scenario("made up", seen: .mirror) {
        At(1) {
          lone.announces()
          lone.says(.udp(Datagram(137, to: 137, [UInt8](repeating: 0, count: 40))), to: "169.254.255.255")
        }
      })
    #expect(seen.subnets.map(\.prefix) == [prefix("169.254.0.0/16")], "\(seen.story)")
    // It never asked anybody for an address, and nothing says that it did.
    #expect(seen.finding(.linkLocalOnly)?.text.contains("DHCP") == false, "\(seen.story)")
  }

  @Test("a mask that a shout tells is proven by that frame, and what fits as well is said")
  func shout() {
    let one = Box("", "bc:5f:f4:81:00:01", "10.9.180.7")
    let two = Box("", "bc:5f:f4:81:00:02", "10.9.183.9")
    let frames = Scenario("shout", seen: .mirror) {
      At(1) {
        one.arp(for: "10.9.181.3")
        for box in [one, two] { box.says(.udp(Datagram(138, to: 138, [UInt8](repeating: 0, count: 40))), to: "10.9.183.255") }
      }
    }.frames()
    let seen = look(frames)
    let subnet = seen.subnets.first
    #expect(subnet?.prefix == prefix("10.9.180.0/22"), "\(seen.story)")
    #expect(subnet?.source == .broadcast)
    #expect(subnet?.lengths == 21...22 || subnet?.lengths == 22...22)
    #expect(subnet?.reasons.first?.value.display == "10.9.183.255")
    #expect(subnet?.reasons.first?.frame == 2)
  }

  // MARK: Ways out

  @Test("one question for the first address of a network makes a candidate, several askers a likely way out")
  func candidate() {
    let one = look(Scenario("one asks", seen: .mirror) { At(1) { pc.arp(for: router) } })
    let first = one.subnets.first?.gateways.first
    #expect(first?.address == ip("192.168.1.1"), "\(one.story)")
    #expect(first.map { $0.confidence < 0.7 && !$0.isNamed } == true)
    #expect(!one.roles(router).contains(.gateway))
    let many = look(
      Scenario("all ask", seen: .mirror) {
        At(1) {
          pc.arp(for: router)
          nas.arp(for: router)
        }
      })
    #expect(many.subnets.first?.gateways.first.map { (0.7..<0.9).contains($0.confidence) } == true, "\(many.story)")
    let named = look(Scenario("named", seen: .mirror) { At(1) { pc.dhcp(from: router) } })
    #expect(named.subnets.first?.gateways.first.map { $0.confidence >= 0.9 } == true, "\(named.story)")
  }

  @Test("what hosts really use as way out takes the place of what one looked for")
  func usedInstead() {
    let own = router.at("192.168.1.254")
    let seen = look(
      Scenario("used", seen: .mirror) {
        At(1) {
          pc.arp(for: "192.168.1.1")
          pc.arp(for: own)
          own.announces()
        }
        At(5) { pc.web(web, via: own, bytes: 20_000) }
      })
    #expect(seen.subnets.first?.gateways.map(\.address) == [ip("192.168.1.254")], "\(seen.story)")
    #expect(seen.subnets.first?.gateways.first.map { $0.confidence >= 0.9 } == true)
  }

  @Test("a way out that never told its address is seen all the same")
  func namelessWayOut() {
    let silent = Box("", "5c:a6:e6:80:00:10")
    let seen = look(
      Scenario("nameless", seen: .mirror) {
        At(1) { pc.announces() }
        At(5) { pc.web(web, via: silent, bytes: 20_000) }
      })
    let subnet = seen.subnets.first
    #expect(subnet?.gateways.isEmpty == true, "\(seen.story)")
    #expect(subnet?.nextHop?.host == silent.mac)
    #expect(subnet?.nextHop?.reasons.first?.frame ?? 0 > 0)
    #expect(subnet?.reason.contains("nobody was heard") == false)
    #expect(seen.side(pc) == .nat)
  }

  @Test("a server that names itself as the way out has not been heard to translate")
  func untold() {
    let seen = look(Scenario("lease only", seen: .mirror) { At(1) { pc.dhcp(from: router) } })
    #expect(seen.subnets.first?.reason.contains("and share its address.") == false, "\(seen.subnets.first?.reason ?? "")")
    #expect(seen.host(pc)?.behindModem?.confidence ?? 0 < 0.9)
    let online = look(
      Scenario("online", seen: .mirror) {
        At(1) {
          pc.dhcp(from: router)
          pc.arp(for: router)
        }
        At(5) { pc.web(web, via: router, bytes: 20_000) }
      })
    #expect(online.subnets.first?.reason.contains("and share its address.") == true)
    #expect(online.host(pc)?.behindModem?.confidence ?? 0 >= 0.9)
  }

  @Test("who is refused by the box that it sends to is not behind a translation")
  func refused() {
    let seen = look(
      Scenario("refused", seen: .mirror) {
        At(1) {
          pc.announces()
          pc.arp(for: router)
          router.arp(for: pc)
        }
        for n in 0..<5 {
          At(5 + Double(n)) { pc.says(.udp(Datagram(5000, to: 53, [UInt8](repeating: 0, count: 30))), to: "203.0.113.20", through: router) }
        }
      })
    #expect(seen.subnets.first?.gateways.first?.host == router.mac, "\(seen.story)")
    #expect(seen.subnets.first?.reason.contains("no answer from there was heard") == true)
    #expect(seen.side(pc) == nil)
  }

  // MARK: VLANs

  @Test("two stations that speak with and without labels put their network in no VLAN, and are not called apart")
  func mixedLabels() {
    let seen = look(
      Scenario("mixed", seen: .mirror) {
        At(1) {
          pc.resolves(web, at: nas).inVLAN(123)
          pc.resolves(web, at: nas)
          pc.resolves(web, at: nas).inVLAN(150)
        }
      })
    #expect(seen.subnets.allSatisfy { $0.vlan == nil }, "\(seen.story)")
    let tags = seen.finding(.vlanTagged)
    #expect(tags?.text.contains("kept apart") == false)
    #expect(tags?.reasons.map(\.value.display) == ["123", "150"])
    #expect(tags?.reasons.first?.frame == 1)
  }

  @Test("a capture of all interfaces at once does not show one wire")
  func cooked() {
    func arp(_ box: Box, for wanted: String) -> CapturedFrame {
      let packet = Packet.arpRequest(ip4(wanted), from: box.mac, box.ip)
      let header: [UInt8] = [0, 1, 0, 1, 0, 6] + box.mac.bytes + [0, 0, 8, 6]
      return CapturedFrame(
        time: Scenario.someMorning, link: .linuxSLL, bytes: header + packet.bytes, wireLength: header.count + packet.bytes.count)
    }
    let seen = look([arp(pc, for: "192.168.1.30"), arp(Box("", "bc:5f:f4:82:00:01", "10.1.10.5"), for: "10.1.10.9")])
    #expect(seen.subnets.count == 2, "\(seen.story)")
    #expect(!seen.odd.contains(.twoSubnetsOneWire))
  }

  @Test("networks that were never there at the same time share no wire")
  func oneAfterAnother() {
    let later = router.at("192.168.7.1")
    let visitor = Box("den", "60:a4:4c:82:00:0c", "192.168.7.20")
    let seen = look(
      Scenario("renumbered", seen: .mirror) {
        At(1) {
          pc.dhcp(from: router)
          pc.arp(for: router)
        }
        At(3000) {
          visitor.dhcp(from: later)
          visitor.arp(for: later)
        }
      })
    #expect(seen.subnets.count == 2, "\(seen.story)")
    #expect(!seen.odd.contains(.twoSubnetsOneWire))
    #expect(seen.subnets.allSatisfy { !$0.reason.contains("second network") })
  }

  @Test("two routers alone in a network of guessed length are between routers")
  func guessedTransit() {
    let other = Box("", "58:d5:6e:80:00:10", "10.118.10.2")
    let one = Box("", "58:d5:6e:81:00:10", "10.118.10.1")
    let seen = look(
      Scenario("two routers", seen: .mirror) {
        At(1) {
          for box in [one, other] { box.says(.cdp("R", port: "e0", platform: "1841", software: "12", capabilities: 1, box.ip)) }
        }
      })
    #expect(seen.subnets.first?.kind == .transit, "\(seen.story)")
  }
}
