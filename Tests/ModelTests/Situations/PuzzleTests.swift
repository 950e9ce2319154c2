import Fixtures
import Scenarios
import Testing
import Wire

@testable import Model

/// Two groups of addresses on one wire: situations 1 to 7 (`inference.md` 11 and 14).
@Suite("Two networks on one wire")
struct PuzzleTests {
  static let router = Box("gateway", "3c:37:86:20:00:40", "192.168.0.1")
  static let pc = Box("study", "60:a4:4c:20:00:0a", "192.168.0.12", vendorClass: "MSFT 5.0", hopLimit: 128)
  static let nas = Box("archive", "bc:5f:f4:20:00:0b", "192.168.0.10")
  static let box = Box("", "fc:8e:7e:20:00:23", "10.166.179.23", vendorClass: "cabletv-stb-3")
  static let headEnd = Box("", "00:17:10:20:00:01", "10.166.179.1", link: .coax, behind: router)
  static let scope = Box.Scope(gateway: "10.166.179.1", nameServers: ["10.161.0.10"], server: "10.166.176.1", leaseTime: 3600)
  static let home = prefix("192.168.0.0/24")
  static let other = prefix("10.166.179.0/24")

  static func family(_ server: Box = router) -> [Cue] {
    [
      At(4) {
        pc.dhcp(from: server)
        pc.probes()
        pc.netBIOS()
        pc.arp(for: server)
      },
      At(12) {
        nas.dhcp(from: server)
        nas.announces()
        nas.mdns([.init("_smb._tcp", port: 445)])
      },
      Every(60, from: 20, until: 300) { server.arp(for: pc) },
    ]
  }

  /// The operator's gateway looks for customers in other houses.
  static func neighbours(_ gateway: Box) -> [Cue] {
    [95, 149, 56, 187, 232].enumerated().map { i, last in At(30 + 21.7 * Double(i)) { gateway.arp(for: "10.166.179.\(last)") } }
  }

  static let restart = Scenario("story", seen: .host(pc), seed: 1) {
    At(0.5) {
      box.dhcp(from: headEnd, scope, relayed: true)
      box.announces()
      box.arp(for: headEnd)
    }
    family()
    neighbours(headEnd)
    Every(90, from: 15, until: 300) { box.arp(for: headEnd) }
    At(70) { box.web(Site("guide.example.org", "198.51.100.90"), via: headEnd, bytes: 60_000) }
    At(90) { pc.web(Site("www.example.com", "203.0.113.20"), via: router, bytes: 60_000) }
    At(100) {
      box.pings(headEnd, times: 4)
      pc.pings(router, times: 4)
    }
  }

  @Test("a host that hears the set-top box restart and its gateway search tells that the box is bridged to the operator")
  func host() {
    let seen = look(Self.restart)
    #expect(seen.capture.vantage == .host)
    #expect(seen.subnet("192.168.0.0/24")?.kind == .home, "\(seen.story)")
    let far = seen.subnets.first { $0.prefix.contains(ip("10.166.179.23")) }
    #expect(far?.kind == .operator)
    #expect(far?.servers.map(\.address) == [ip("10.166.176.1")])
    #expect(far?.gateways.first?.host == Self.headEnd.mac)
    #expect(seen.side(Self.box) == .bridged)
    #expect(seen.side(Self.headEnd) == .operatorSide)
    #expect(seen.side(Self.pc) == .nat)
    #expect(seen.roles(Self.box).contains(.setTopBox))
    #expect(seen.odd == [.twoSubnetsOneWire, .operatorBridgedDevice])
    let judged = judgement(Self.restart, on: Self.other)
    #expect(judged?.family == .bridged && judged?.member == .selectiveBridge)
    #expect(judged?.confidence == 0.99)
    #expect(judged?.remaining == [.selectiveBridge, .flatBridge])
  }

  @Test("a mirror of the same wire says the same, with the relay's name")
  func mirror() {
    let seen = look(Self.restart.seen(from: .mirror))
    let far = seen.subnet("10.166.179.0/24")
    #expect(far?.kind == .operator, "\(seen.story)")
    #expect(far?.source == .dhcp)
    #expect(far?.servers.first?.relay == ip("10.166.179.1"))
    #expect(far?.confidence ?? 0 >= 0.9)
    #expect(seen.side(Self.box) == .bridged)
    #expect(seen.side(Self.headEnd) == .operatorSide)
    #expect(seen.side(Self.nas) == .nat)
    #expect(seen.odd == [.twoSubnetsOneWire, .operatorBridgedDevice])
    let judged = judgement(Self.restart.seen(from: .mirror), on: Self.other)
    #expect(judged?.family == .bridged && judged?.member == .selectiveBridge)
    #expect(judged?.confidence == 0.99)
    #expect(judged?.remaining == [.selectiveBridge, .flatBridge])
    #expect(judged?.has(.relayedReply) == true && judged?.has(.usesOwnGateway) == true)
  }

  @Test("a second scope of the home router itself is routed there, not bridged")
  func secondScope() {
    let second = Self.router.at("10.166.179.1")
    let film = Scenario("second scope", seen: .mirror, seed: 3) {
      At(0.5) {
        Self.box.dhcp(from: second, Box.Scope(of: second))
        Self.box.announces()
        Self.box.arp(for: second)
      }
      Self.family()
      Every(60, from: 20, until: 240) { second.arp(for: Self.box) }
      At(70) { Self.box.web(Site("guide.example.org", "198.51.100.90"), via: second, bytes: 60_000) }
      At(90) { Self.pc.web(Site("www.example.com", "203.0.113.20"), via: Self.router, bytes: 60_000) }
    }
    for view in [film, film.seen(from: .host(Self.pc))] {
      let seen = look(view)
      let far = seen.subnets.first { $0.prefix.contains(ip("10.166.179.23")) }
      #expect(far?.gateways.first?.host == Self.router.mac, "\(seen.story)")
      #expect(seen.side(Self.box) != .bridged)
      #expect(seen.side(Self.router) != .operatorSide)
      #expect(
        seen.odd.isDisjoint(with: [.operatorBridgedDevice, .secondRouter, .rogueDHCPServer, .severalDHCPServers, .proxyARP, .ipConflict]))
      #expect(seen.odd.contains(.twoSubnetsOneWire))
      #expect(seen.host(Self.router)?.ipv4.count == 2)
      let judged = judgement(view, on: Self.other)
      #expect(judged?.family == .routed && judged?.member == .secondScope)
      #expect(judged.map { $0.confidence >= 0.95 } == true)
      #expect(judged?.remaining.first == .secondScope)
      #expect(judged.map { Set($0.remaining).isSubset(of: [.secondScope, .relayedScope]) } == true)
    }
    #expect(look(film).side(Self.box) == .nat)
    // At the router itself nobody hears which of its sockets the two share.
    let text = look(film).subnet("10.166.179.0/24")?.reason
    #expect(text?.contains("every socket") == true, "\(text ?? "")")
    let there = look(film.seen(from: .router(Self.router)))
    #expect(there.capture.vantage == .router, "\(there.story)")
    #expect(there.subnet("10.166.179.0/24")?.reason.contains("socket") == false)
  }

  @Test("a PC that gets an operator's address is on the operator's wire like everybody else")
  func flatBridge() {
    let second = Box("den", "a4:bb:6d:20:00:31", "10.166.179.77", vendorClass: "MSFT 5.0", hopLimit: 128)
    let film = Scenario("flat bridge", seen: .mirror, seed: 4) {
      At(0.5) {
        Self.box.dhcp(from: Self.headEnd, Self.scope, relayed: true, broadcast: true)
        Self.box.announces()
      }
      Self.family()
      Self.neighbours(Self.headEnd)
      At(40) {
        second.dhcp(from: Self.headEnd, Self.scope, relayed: true, broadcast: true)
        second.probes()
        second.netBIOS()
      }
      At(80) { second.web(Site("www.example.com", "203.0.113.20"), via: Self.headEnd, bytes: 60_000) }
    }
    let seen = look(film)
    #expect(seen.side(Self.box) == .bridged, "\(seen.story)")
    #expect(seen.side(second) == .bridged)
    #expect(seen.side(Self.pc) == .nat)
    #expect(seen.odd == [.twoSubnetsOneWire, .operatorBridgedDevice])
    #expect(Set(seen.findings.filter { $0.id == .operatorBridgedDevice }.flatMap(\.hosts)) == [Self.box.mac, second.mac])
    let judged = judgement(film, on: Self.other)
    #expect(judged?.family == .bridged && judged?.member == .flatBridge)
    #expect(judged?.confidence == 0.99)
    #expect(judged?.remaining == [.flatBridge])
    #expect(judged?.has(.pcGetsHomeOffer) == false)
  }

  @Test("a tag keeps the television apart, so that the wire is not shared")
  func tagged() {
    let film = Scenario("tag", seen: .mirror, seed: 5) {
      At(0.5) {
        Self.box.dhcp(from: Self.headEnd, Self.scope, relayed: true).inVLAN(20)
        Self.box.announces().inVLAN(20)
        Self.box.arp(for: Self.headEnd).inVLAN(20)
      }
      Self.family()
      At(70) { Self.box.web(Site("guide.example.org", "198.51.100.90"), via: Self.headEnd, bytes: 60_000).inVLAN(20) }
    }
    let seen = look(film)
    #expect(seen.subnet("10.166.179.0/24")?.vlan == 20, "\(seen.story)")
    #expect(seen.subnet("192.168.0.0/24")?.vlan == nil)
    #expect(seen.odd.contains(.vlanTagged))
    #expect(!seen.odd.contains(.twoSubnetsOneWire))
    #expect(seen.host(Self.box)?.vlans == [20])
    #expect(seen.finding(.vlanTagged)?.hosts.contains(Self.pc.mac) == false)
    let judged = judgement(film, on: Self.other)
    #expect(judged?.family == .tagged && judged?.member == .taggedVLAN)
    #expect(judged.map { $0.confidence >= 0.9 } == true)
    #expect(judged?.remaining == [.taggedVLAN])
    #expect(seen.side(Self.box) == .bridged)
  }

  @Test("another consumer router that made the second network is no operator")
  func consumerRouter() {
    let own = Box("travel", "e8:48:b8:20:00:60", "10.166.179.1")
    let film = Scenario("consumer router", seen: .mirror, seed: 6) {
      At(0.5) {
        Self.box.dhcp(from: own)
        Self.box.announces()
        Self.box.arp(for: own)
      }
      Self.family()
      At(50) { Self.box.pings(own, times: 5) }
      At(70) { Self.box.web(Site("guide.example.org", "198.51.100.90"), via: own, bytes: 60_000) }
      At(90) { Self.pc.web(Site("www.example.com", "203.0.113.20"), via: Self.router, bytes: 60_000) }
    }
    let seen = look(film)
    let far = seen.subnet("10.166.179.0/24")
    #expect(far?.kind != .operator, "\(seen.story)")
    #expect(far?.gateways.first?.host == own.mac)
    #expect(seen.side(Self.box) != .bridged)
    #expect(seen.side(own) != .operatorSide)
    #expect(seen.odd.contains(.twoSubnetsOneWire))
    // The box's own words speak for an operator: another router is likeliest, and not more than that.
    let judged = judgement(film, on: Self.other)
    #expect(judged?.family == .otherRouter && judged?.member == .otherRouter)
    #expect(judged.map { (0.5..<0.7).contains($0.confidence) } == true)
    #expect(judged?.remaining == [.otherRouter, .taggedVLAN, .secondScope, .selectiveBridge])
    #expect(!seen.odd.contains(.operatorBridgedDevice))
  }

  @Test(
    "a second router that nobody heard hand out addresses is no operator, whether it looks for absent devices or not",
    arguments: [("192.168.5", 0, 1), ("192.168.5", 6, 1), ("10.0.1", 0, 1), ("10.0.1", 6, 3)])
  func unnamedRouter(net: String, absent: Int, tries: Int) {
    let own = Box("", "e8:48:b8:20:00:60", "\(net).1")
    let tablet = Box("", "60:a4:4c:21:00:0a", "\(net).20")
    let seen = look(
      Scenario("unnamed router", seen: .mirror, seed: 6) {
        Self.family()
        At(50) {
          tablet.arp(for: own)
          tablet.pings(own, times: 5)
        }
        for device in 0..<absent {
          Every(1, from: 60 + 5 * Double(device), until: 60 + 5 * Double(device) + Double(tries) - 0.5) {
            own.arp(for: "\(net).\(100 + device)")
          }
        }
        Every(30, from: 70, until: 250) { tablet.web(Site("guide.example.org", "198.51.100.90"), via: own, bytes: 60_000) }
        At(90) { Self.pc.web(Site("www.example.com", "203.0.113.20"), via: Self.router, bytes: 60_000) }
      })
    let far = seen.subnets.first { $0.prefix.contains(ip("\(net).20")) }
    #expect(far != nil && far?.kind != .operator, "\(far?.reason ?? "") \(seen.story)")
    #expect(seen.side(tablet) != .bridged)
    #expect(seen.side(own) != .operatorSide)
    #expect(!seen.odd.contains(.operatorBridgedDevice))
  }

  @Test("a set-top box that only asks by ARP leaves the question open")
  func silent() {
    // Its maker is no proof either; nobody answers where we can hear it.
    let quiet = Box("", "fc:8e:7e:20:00:23", "10.166.179.23")
    let film = Scenario("arp only", seen: .host(Self.pc), seed: 7) {
      Self.family()
      Every(45, from: 3, until: 300) { quiet.arp(for: "10.166.179.1") }
    }
    let seen = look(film)
    let far = seen.subnets.first { $0.prefix.contains(ip("10.166.179.23")) }
    #expect(far?.source == .arp, "\(seen.story)")
    #expect(far?.kind == .unknown)
    #expect(far?.gateways.map(\.address) == [ip("10.166.179.1")])
    #expect(far?.gateways.first?.host == nil)
    #expect(seen.side(quiet) == nil)
    let judged = judgement(film, on: Self.other)
    #expect(judged.map { $0.confidence < 0.7 } == true)
    #expect(judged?.leaders == [.selectiveBridge, .secondScope])
    #expect(judged?.remaining == [.selectiveBridge, .secondScope, .relayedScope, .taggedVLAN])
    #expect(seen.odd == [.twoSubnetsOneWire])
  }
}
