import Fixtures
import Model
import Scenarios
import Testing
import Wire

private let router = Box("gateway", "5c:a6:e6:a0:00:10", "192.168.1.1")
private let pc = Box("desk", "60:a4:4c:a0:00:0a", "192.168.1.20", vendorClass: "MSFT 5.0", hopLimit: 128)
private let web = Site("www.example.com", "203.0.113.20")

/// Which side of the modem somebody is on, and the findings that say so (`inference.md` 9 and 10).
@Suite("Sides of the modem")
struct SideTests {
  @Test("a public address alone does not say that the operator is next door")
  func publicAddress() {
    let gateway = Box("", "5c:a6:e6:a1:00:10", "198.51.100.1")
    let host = Box("campus", "60:a4:4c:a1:00:0a", "198.51.100.20")
    let seen = look(
      Scenario("campus", seen: .mirror) {
        At(1) {
          host.dhcp(from: gateway)
          host.arp(for: gateway)
        }
        At(5) { host.web(web, via: gateway, bytes: 20_000) }
      })
    #expect(seen.subnets.first?.kind == .unknown, "\(seen.story)")
    #expect(seen.side(host) == nil)
    #expect(seen.side(gateway) == nil)
    #expect(!seen.odd.contains(.operatorBridgedDevice))
  }

  @Test("between a relay and its server nobody is the operator's customer")
  func besideTheServer() {
    let server = Box("", "00:23:54:a0:00:01", "198.51.100.114")
    let relay = Box("", "00:23:eb:a0:00:29", "198.51.100.121")
    let client = mac("b8:27:eb:a0:00:c8")
    let seen = look(
      Scenario("leg", seen: .mirror) {
        At(1) {
          relay.says(.dhcp(.discover, 9, client: client, relay: relay.ip, hops: 1, relayed: true, [.clientID(client)]), to: server)
          server.says(
            .dhcp(
              .offer, 9, client: client, gets: ip4("198.51.100.123"), relay: relay.ip, relayed: true,
              [.server(server.ip), .leaseTime(600), .mask(29), .routers([relay.ip])]), to: relay)
        }
      })
    #expect(seen.subnets.allSatisfy { $0.kind != .operator }, "\(seen.story)")
    #expect(seen.hosts.allSatisfy { $0.behindModem == nil })
  }

  @Test("no single kind of evidence is called high")
  func oneFamily() {
    let headEnd = Box("", "5c:a6:e6:a2:00:01", "10.20.0.1")
    let box = Box("", "fc:8e:7e:a0:00:23", "10.20.0.23")
    let seen = look(
      Scenario("relay alone", seen: .mirror) {
        At(1) { box.dhcp(from: headEnd, .init(gateway: "10.20.0.1", server: "10.9.0.4"), relayed: true, broadcast: true) }
      })
    #expect(seen.subnets.first?.kind == .operator, "\(seen.story)")
    #expect(seen.host(box)?.behindModem.map { (0.7..<0.9).contains($0.confidence) } == true)
    #expect(seen.subnets.first?.reason.contains("Confidence: likely.") == true)
  }

  @Test("that a device is bridged is proven by a frame of that device")
  func ownProof() {
    let headEnd = Box("", "00:17:10:a0:00:01", "10.20.0.1")
    let scope = Box.Scope(gateway: "10.20.0.1", server: "10.9.0.4", leaseTime: 3600)
    let boxes = (1...2).map { Box("", "fc:8e:7e:a0:01:0\($0)", "10.20.0.2\($0)", vendorClass: "iptv-stb-2") }
    let frames = Scenario("two boxes", seen: .mirror) {
      At(1) {
        pc.dhcp(from: router)
        pc.arp(for: router)
      }
      for (n, box) in boxes.enumerated() {
        At(5 + 5 * Double(n)) {
          box.dhcp(from: headEnd, scope, relayed: true)
          box.announces()
          box.arp(for: headEnd)
        }
      }
    }.frames()
    let seen = look(frames)
    let findings = seen.findings.filter { $0.id == .operatorBridgedDevice }
    #expect(Set(findings.flatMap(\.hosts)) == Set(boxes.map(\.mac)), "\(seen.story)")
    for finding in findings {
      let frame = frames[(finding.reasons.first?.frame ?? 1) - 1]
      #expect(Array(frame.bytes[6..<12]) == finding.hosts.first?.bytes || Array(frame.bytes[0..<6]) == finding.hosts.first?.bytes)
    }
  }

  @Test("who answers a dialler is on the operator's side, and a PC that dials is not behind a router")
  func concentrator() {
    let far = Box("", "00:90:1a:a0:00:9c")
    let seen = look(
      Scenario("dials", seen: .mirror) {
        At(1) {
          Talk { stage in
            stage.send(.pppoe(.initiation), from: pc, to: .broadcast)
            stage.wait(0.01)
            stage.send(.pppoe(.offer, [.concentrator("BRAS-7"), .service()]), from: far, to: pc.mac)
            stage.wait(0.01)
            stage.send(.pppoe(.request), from: pc, to: far.mac)
            stage.wait(0.01)
            stage.send(.pppoe(.confirmation, session: 7, [.concentrator("BRAS-7"), .service()]), from: far, to: pc.mac)
          }
        }
      })
    #expect(seen.side(far) == .operatorSide, "\(seen.story)")
    #expect(seen.side(pc) == .bridged)
    #expect(seen.host(pc)?.behindModem?.confidence ?? 1 < 0.9)
    let alone = look(Scenario("nobody answers", seen: .mirror) { Talk { $0.send(.pppoe(.initiation), from: pc, to: .broadcast) } })
    #expect(alone.side(pc) == nil)
  }

  @Test("a device that made up its address after nobody answered found no server; one with another address has one")
  func linkLocal() {
    let lone = Box("console", "7c:ed:8d:a0:00:05", "169.254.7.9")
    let seen = look(
      Scenario("no answer", seen: .mirror) {
        At(1) { lone.discovers(times: 3) }
        At(60) { lone.announces() }
      })
    #expect(seen.odd == [.linkLocalOnly], "\(seen.story)")
    let second = look(
      Scenario("elsewhere at home", seen: .mirror) {
        At(1) { lone.discovers(times: 3) }
        At(60) {
          lone.announces()
          lone.at("192.168.103.8").says(.udp(Datagram(5000, to: 5001, [1, 2, 3])), to: "192.168.103.255")
        }
      })
    #expect(!second.odd.contains(.linkLocalOnly), "\(second.story)")
  }

  @Test("two servers whose addresses somebody numbered in a row are two servers")
  func numberedServers() {
    let one = Box("", "9a:02:57:a0:8f:02", "10.10.10.2")
    let two = Box("", "9a:02:57:a0:8f:03", "10.10.10.3")
    let client = Box("", "e4:5f:01:a0:92:9c", "10.10.10.14")
    let seen = look(
      Scenario("containers", seen: .mirror) {
        At(1) {
          client.dhcp(from: one)
          one.announces()
        }
        At(2) {
          client.dhcp(from: two)
          two.announces()
        }
      })
    #expect(seen.odd.contains(.severalDHCPServers), "\(seen.story)")
    #expect(Set(seen.finding(.severalDHCPServers)?.hosts ?? []) == [one.mac, two.mac])
  }

  @Test("an IPv6 neighbour whose address another one takes is told, as an IPv4 one is")
  func neighbourTaken() {
    let victim = Box("", "60:a4:4c:a3:00:0a")
    let asker = Box("", "60:a4:4c:a3:00:0b")
    let taker = Box("", "60:a4:4c:a3:00:0c")
    let address = victim.linkLocal
    let seen = look(
      Scenario("taken", seen: .mirror) {
        At(1) { asker.solicits(victim) }
        for n in 0..<3 {
          At(20 + 5 * Double(n)) {
            Talk { stage in
              stage.send(
                .ipv6(from: address, to: asker.linkLocal, .neighbourAdvertisement(address, [.target(taker.mac)])), from: taker,
                to: asker.mac)
            }
          }
        }
      })
    #expect(seen.odd.contains(.ipConflict), "\(seen.story)")
    #expect(Set(seen.finding(.ipConflict)?.hosts ?? []) == [victim.mac, taker.mac])
  }
}
