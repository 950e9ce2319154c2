import Fixtures
import Model
import Scenarios
import Testing
import Wire

private let router = Box("gateway", "74:24:9f:50:00:10", "192.168.1.1")
private let pc = Box("desk", "60:a4:4c:50:00:0a", "192.168.1.20", vendorClass: "MSFT 5.0", hopLimit: 128)
private let web = Site("www.example.com", "203.0.113.20")

/// What looks like a finding and is none (`inference.md` 9, last column); the others stand with their situations.
@Suite("False friends")
struct FalseFriendTests {
  @Test("a laptop that moves from its dock to the radio with its address is one laptop, not a conflict")
  func dock() {
    let docked = Box("travelmate", "8c:04:ba:50:00:30", "192.168.1.30")
    let radio = Box("travelmate", "f8:e4:e3:50:00:31", "192.168.1.30", link: .wifi, behind: router)
    let seen = look(
      Scenario("dock", seen: .mirror) {
        At(1) {
          pc.dhcp(from: router)
          docked.dhcp(from: router)
          docked.announces()
        }
        At(60) {
          radio.dhcp(from: router)
          radio.announces()
        }
        At(120) { docked.announces() }
        At(125) { radio.announces() }
      })
    #expect(seen.odd.isEmpty, "\(seen.story)")
  }

  @Test("an address that a server gives to the next device is no conflict")
  func movedAddress() {
    let first = Box("one", "8c:04:ba:50:00:40", "192.168.1.40")
    let next = Box("two", "8c:04:ba:51:00:41", "192.168.1.40")
    let seen = look(
      Scenario("moved", seen: .mirror) {
        At(1) {
          first.dhcp(from: router)
          first.announces()
        }
        At(400) {
          next.dhcp(from: router)
          next.probes()
        }
        Every(30, from: 410, until: 500) { next.arp(for: router) }
      })
    #expect(seen.odd.isEmpty, "\(seen.story)")
  }

  @Test("a DHCP relay at home forwards for clients, and translates nobody's address")
  func relay() {
    let relay = Box("core", "74:24:9f:51:00:10", "192.168.1.2")
    let server = Box("server", "74:24:9f:52:00:10", "192.168.1.5")
    let seen = look(
      Scenario("relay", seen: .mirror) {
        At(1) {
          relay.announces()
          server.announces()
          relay.arp(for: server)
        }
        for n in 0..<4 {
          At(5 + Double(n)) {
            let client = mac("8c:04:ba:52:00:0\(n)")
            relay.says(
              .dhcp(
                .discover, UInt32(n), client: client, relay: ip4("192.168.9.1"), hops: 1, relayed: true,
                [.clientID(client), .hostName("remote\(n)")]), to: server)
          }
        }
        At(20) { pc.dhcp(from: router) }
      })
    #expect(!seen.odd.contains(.macTranslatingBridge), "\(seen.story)")
    #expect(!seen.odd.contains(.dhcpStarved))
  }

  @Test("the operator's DHCP server beside the home's own is no intruder")
  func operatorsServer() {
    let headEnd = Box("", "00:17:10:50:00:01", "10.20.0.1")
    let box = Box("", "fc:8e:7e:50:00:23", "10.20.0.23", vendorClass: "iptv-stb-2")
    let seen = look(
      Scenario("two classes", seen: .mirror) {
        At(1) {
          box.dhcp(from: headEnd, .init(gateway: "10.20.0.1", server: "10.9.0.4", leaseTime: 3600), relayed: true, broadcast: true)
          box.announces()
          box.arp(for: headEnd)
        }
        At(5) {
          pc.dhcp(from: router)
          pc.announces()
          pc.arp(for: router)
        }
      })
    #expect(seen.odd == [.twoSubnetsOneWire, .operatorBridgedDevice], "\(seen.story)")
  }

  @Test("a cable modem's page at 192.168.100.1 is no second network")
  func modemPage() {
    let modem = Box("", "90:c7:92:50:00:64", "192.168.100.1")
    let seen = look(
      Scenario("modem page", seen: .mirror) {
        At(1) {
          pc.dhcp(from: router)
          pc.arp(for: router)
        }
        At(5) {
          modem.announces()
          router.arp(for: "192.168.100.1")
        }
        At(9) { pc.web(Site("modem.example", "192.168.100.1", distance: 1), via: router, bytes: 9_000, port: 80) }
      })
    #expect(!seen.odd.contains(.twoSubnetsOneWire), "\(seen.story)")
  }

  @Test("a priority tag is no VLAN")
  func priorityTag() {
    let seen = look(
      Scenario("priority", seen: .mirror) {
        At(1) {
          pc.dhcp(from: router)
          pc.arp(for: router).inVLAN(0)
        }
      })
    #expect(seen.odd.isEmpty, "\(seen.story)")
    #expect(seen.host(pc)?.vlans == [])
    #expect(seen.subnets.allSatisfy { $0.vlan == nil })
  }

  @Test("IPv6 beside IPv4 is one network with two families")
  func twoFamilies() {
    let seen = look(
      Scenario("dual stack", seen: .mirror) {
        At(1) {
          pc.dhcp(from: router)
          pc.announces()
          pc.startsIPv6(with: router, [.prefix(ip("2001:db8:50::").v6 ?? .any, 64)])
        }
      })
    #expect(seen.odd.isEmpty, "\(seen.story)")
    #expect(seen.subnets.map(\.kind) == [.home, .home])
  }

  @Test("a host with two addresses is no repeater")
  func aliases() {
    let server = Box("server", "74:24:9f:52:00:10", "192.168.1.5")
    let seen = look(
      Scenario("alias", seen: .mirror) {
        At(1) {
          pc.dhcp(from: router)
          server.announces()
          server.at("192.168.1.6").announces()
        }
        At(5) {
          pc.arp(for: server)
          pc.arp(for: server.at("192.168.1.6"))
        }
      })
    #expect(seen.odd.isEmpty, "\(seen.story)")
    #expect(seen.host(server)?.ipv4 == [ip4("192.168.1.5"), ip4("192.168.1.6")])
  }

  @Test("a virtual private network's end points and large packets make no router")
  func tunnels() {
    let seen = look(
      Scenario("vpn", seen: .mirror) {
        At(1) {
          pc.dhcp(from: router)
          pc.arp(for: router)
        }
        At(5) {
          Talk { stage in
            for n in 0..<40 {
              let inner = Datagram(51_820, to: 51_820, [UInt8](repeating: 4, count: 120 + n))
              stage.send(.ipv4(from: pc.ip, to: web.ip, .udp(inner), hopLimit: 128, id: UInt16(n)), from: pc, to: router)
              stage.wait(0.02)
              stage.send(.ipv4(from: web.ip, to: pc.ip, .udp(inner), hopLimit: 55, id: UInt16(n)), from: router, to: pc)
              stage.wait(0.02)
            }
          }
        }
      })
    #expect(seen.odd.isEmpty, "\(seen.story)")
    #expect(!seen.roles(pc).contains(.router))
  }

  @Test("a scan of the subnet by its owner is neither starvation nor a storm")
  func sweep() {
    let seen = look(
      Scenario("sweep", seen: .mirror) {
        At(1) {
          pc.dhcp(from: router)
          pc.announces()
        }
        for last in 2..<255 { At(5 + 0.1 * Double(last)) { pc.arp(for: "192.168.1.\(last)") } }
      })
    #expect(seen.odd.isEmpty, "\(seen.story)")
    #expect(seen.host(router)?.roles.contains(.gateway) == true)
    #expect(!seen.roles(pc).contains(.gateway))
  }

  @Test("many devices that start together after a power cut empty no pool")
  func powerCut() {
    let seen = look(
      Scenario("power cut", seen: .mirror) {
        for n in 0..<40 {
          At(1 + 0.7 * Double(n)) {
            let box = Box("thing-\(n)", "2c:f4:32:50:01:\(String(n + 16, radix: 16))", "192.168.1.\(60 + n)")
            box.dhcp(from: router)
            box.announces()
            box.mdns()
          }
        }
      })
    #expect(seen.odd.isEmpty, "\(seen.story)")
    #expect(seen.hosts.count == 41)
  }
}

extension FalseFriendTests {
  @Test("public addresses in an office are no customer's of an operator")
  func office() {
    let door = Box("", "00:13:7f:50:00:ff", "198.51.100.1")
    let desk = Box("gemini", "60:a4:4c:50:00:50", "198.51.100.50")
    let seen = look(
      Scenario("office", seen: .host(desk)) {
        At(1) {
          desk.announces()
          desk.arp(for: door)
        }
        for last in [7, 9, 30, 77] { At(Double(last)) { door.arp(for: "198.51.100.\(last)") } }
      })
    #expect(seen.odd.isEmpty, "\(seen.story)")
  }

  @Test("of two routers alone on a wire none is the second")
  func routersAlone() {
    let one = Box("", "00:13:7f:51:00:01", "192.168.12.1")
    let two = Box("", "00:13:7f:51:00:02", "192.168.12.2")
    let seen = look(
      Scenario("two routers", seen: .mirror) {
        Every(60, from: 1, until: 300) {
          one.says(.cdp("R1", port: "Fa0/0", platform: "Cisco 2691", software: "IOS", capabilities: 1, one.ip))
          two.says(.cdp("R2", port: "Fa0/0", platform: "Cisco 2691", software: "IOS", capabilities: 1, two.ip))
        }
        At(5) { one.arp(for: two) }
      })
    #expect(seen.roles(one).contains(.router), "\(seen.story)")
    #expect(seen.odd.isEmpty)
  }

  @Test("a router of IPv6 that answers for its IPv4 address is no proxy")
  func routerOfBoth() {
    let six = Box("", "74:24:9f:53:00:02", "192.168.1.2")
    let seen = look(
      Scenario("six", seen: .mirror) {
        At(1) {
          pc.dhcp(from: router)
          pc.arp(for: six)
        }
        Every(60, from: 2, until: 200) { six.advertises([.prefix(ip("fd10:77be:50::").v6 ?? .any, 64)]) }
      })
    #expect(!seen.odd.contains(.proxyARP), "\(seen.story)")
  }

  @Test("a router that looks for devices that left the house shows no network larger than the house")
  func absentDevices() {
    let seen = look(
      Scenario("absent", seen: .mirror) {
        At(2) { pc.arp(for: router) }
        At(5) { pc.web(web, via: router) }
        for device in 31...36 { At(Double(device)) { router.arp(for: "192.168.1.\(device)") } }
        At(60) { pc.web(web, via: router) }
      })
    let subnet = seen.subnets.first { $0.prefix.contains(ip("192.168.1.20")) }
    #expect(subnet != nil && subnet?.kind != .operator, "\(subnet?.reason ?? "") \(seen.story)")
    #expect(seen.side(pc) != .bridged, "\(seen.story)")
  }

  @Test("a repeater with a house full of devices behind it is not somebody who empties the address pool", arguments: [false, true])
  func busyRepeater(isSeenByHost: Bool) {
    let repeater = Box("", "ec:08:6b:55:00:40", "192.168.1.40", link: .wifi, behind: router)
    func things(_ n: Int) -> (Box, MACAddress) {
      (Box("", "ec:08:6b:55:00:40", "192.168.1.\(50 + n)", link: .wifi, behind: router), mac("a4:cf:12:55:00:\(50 + n)"))
    }
    let seen = look(
      Scenario("busy repeater", seen: isSeenByHost ? .host(pc) : .mirror) {
        At(1) {
          pc.dhcp(from: router)
          repeater.dhcp(from: router)
          repeater.announces()
        }
        for n in 0..<20 {
          At(10 + 2 * Double(n)) {
            things(n).0.dhcp(from: router, as: things(n).1)
            things(n).0.announces()
          }
        }
        Every(60, from: 60, until: 200) { for n in 0..<20 { things(n).0.arp(for: router) } }
      })
    #expect(seen.finding(.dhcpStarved) == nil, "\(seen.story)")
    let behind = (0..<20).filter { seen.attached(Box("", things($0).1.description, "0.0.0.0")) == repeater.mac }
    #expect(behind.count == 20, "\(seen.story)")
  }

  @Test("public addresses on the wire say that nothing translates, and not whose wire it is")
  func publicBlock() {
    let gate = Box("", "74:24:9f:53:00:01", "198.51.100.1")
    let one = Box("", "60:a4:4c:53:00:0a", "198.51.100.20")
    let two = Box("", "60:a4:4c:54:00:0b", "198.51.100.21")
    let seen = look(
      Scenario("public", seen: .mirror) {
        At(2) {
          one.arp(for: gate)
          two.arp(for: gate)
        }
        At(5) {
          one.web(web, via: gate)
          two.web(web, via: gate)
        }
      })
    let subnet = seen.subnets.first { $0.prefix.contains(ip("198.51.100.20")) }
    #expect(subnet?.kind == .unknown, "\(subnet?.reason ?? "") \(seen.story)")
    #expect(subnet?.reason.contains("operator") == false)
    #expect(!seen.odd.contains(.operatorBridgedDevice), "\(seen.story)")
  }
}
