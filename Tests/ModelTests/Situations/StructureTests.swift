import Fixtures
import Model
import Scenarios
import Testing
import Wire

private let router = Box("gateway", "d4:6e:0e:70:00:10", "192.168.1.1", ssid: "meadow", bssid: "d4:6e:0e:70:00:12")
private let pc = Box("desk", "60:a4:4c:70:00:0a", "192.168.1.20", vendorClass: "MSFT 5.0", hopLimit: 128)
private let nas = Box("archive", "bc:5f:f4:70:00:0b", "192.168.1.30")
private let web = Site("www.example.com", "203.0.113.20", ipv6: "2001:db8:77::20")

/// Homes of other structures: masks, VLANs, families, groups of routers, meshes, the air.
@Suite("Structures")
struct StructureTests {
  // MARK: Subnets

  @Test("masks of 22 and 25 bits are taken as they were given", arguments: [22, 25])
  func masks(_ length: Int) {
    let gateway = Box("gateway", "d4:6e:0e:70:00:10", length == 22 ? "10.0.4.1" : "10.0.4.129", prefixLength: length)
    let host = Box("alpha", "60:a4:4c:71:00:0a", length == 22 ? "10.0.7.200" : "10.0.4.200", prefixLength: length)
    let seen = look(
      Scenario("mask", seen: .mirror) {
        At(1) {
          host.dhcp(from: gateway)
          host.arp(for: gateway)
        }
      })
    #expect(seen.subnets.map(\.prefix) == [prefix(length == 22 ? "10.0.4.0/22" : "10.0.4.128/25")], "\(seen.story)")
    #expect(seen.subnets.first?.hosts == [host.mac, gateway.mac].sorted())
    #expect(seen.odd.isEmpty)
  }

  @Test("two routers alone in thirty bits are a network between routers")
  func transit() {
    let outer = Box("outer", "d4:6e:0e:70:00:10", "172.31.255.1", prefixLength: 30)
    let inner = Box("inner", "58:d5:6e:70:00:10", "172.31.255.2", prefixLength: 30)
    let seen = look(
      Scenario("transit", seen: .mirror) {
        At(1) {
          inner.dhcp(from: outer)
          inner.arp(for: outer)
        }
        At(5) {
          Talk { stage in
            for n in 0..<40 {
              let packet = Packet.ipv4(
                from: inner.ip, to: web.ip, .udp(Datagram(4000, to: 443, [1, 2, 3])), hopLimit: n % 2 == 0 ? 63 : 127, id: UInt16(n))
              stage.send(packet, from: inner, to: outer)
              stage.wait(0.05)
            }
          }
        }
      })
    #expect(seen.subnet("172.31.255.0/30")?.kind == .transit, "\(seen.story)")
    #expect(seen.capture.vantage != .host)
    #expect(seen.odd == [.natBehindDevice])
  }

  @Test("a trunk of three VLANs keeps three networks of one router apart")
  func trunk() {
    let seen = look(
      Scenario("trunk", seen: .mirror) {
        for (vlan, count) in [(10, 4), (20, 3), (30, 2)] {
          let gateway = router.at("192.168.\(vlan).1")
          At(Double(vlan)) {
            for n in 0..<count {
              let box = Box("box-\(vlan)-\(n)", "bc:5f:f4:7\(vlan / 10):01:0\(n)", "192.168.\(vlan).\(20 + n)")
              box.dhcp(from: gateway).inVLAN(UInt16(vlan))
              box.arp(for: gateway).inVLAN(UInt16(vlan))
            }
          }
        }
      })
    #expect(seen.subnets.map(\.vlan) == [10, 20, 30], "\(seen.story)")
    #expect(seen.subnets.map(\.kind) == [.home, .guest, .guest])
    #expect(seen.host(router)?.ipv4.count == 3)
    #expect(seen.hosts.filter { $0.id != router.mac }.allSatisfy { $0.behindModem?.answer == .nat })
    #expect(seen.odd == [.vlanTagged, .guestNetwork])
  }

  @Test("desk phones in a VLAN of their own are wired, and nobody's guests")
  func voice() {
    let gateway = router.at("192.168.40.1")
    let phone = Box("SEP0C75BD700031", "0c:75:bd:70:00:31", "192.168.40.31")
    let seen = look(
      Scenario("voice", seen: .mirror) {
        At(1) {
          pc.dhcp(from: router)
          pc.arp(for: router)
          phone.dhcp(from: gateway).inVLAN(40)
          phone.arp(for: gateway).inVLAN(40)
        }
        Every(60, from: 3, until: 200) {
          phone.says(
            .cdp("SEP0C75BD700031", port: "Port 1", platform: "Cisco IP Phone 7940", software: "P003", capabilities: 0x90, phone.ip))
        }
      })
    #expect(seen.roles(phone).contains(.phone), "\(seen.story)")
    #expect(seen.medium(phone) != .wifi)
    #expect(seen.odd == [.vlanTagged])
  }

  @Test("without any server the network is known by its talk")
  func fixedAddresses() {
    let seen = look(
      Scenario("fixed", seen: .mirror) {
        At(1) {
          pc.announces()
          pc.arp(for: router)
          nas.announces()
          nas.arp(for: router)
        }
        At(5) {
          pc.web(web, via: router, bytes: 20_000)
          nas.web(web, via: router, bytes: 20_000)
        }
      })
    let home = seen.subnet("192.168.1.0/24")
    #expect(home?.source == .arp, "\(seen.story)")
    #expect(home?.gateways.map(\.host) == [router.mac])
    #expect(home?.kind == .home)
    #expect(home?.confidence ?? 1 < 0.9)
    #expect(seen.odd.isEmpty)
  }

  @Test("a home of IPv6 alone has its router, its server and its names")
  func onlyIPv6() {
    let gateway = Box("r6", "d4:6e:0e:71:00:10")
    let alpha = Box("alpha", "60:a4:4c:71:00:0a", ipv6: ["2001:db8:1:0:62a4:4cff:fe71:a"])
    let beta = Box("beta", "bc:5f:f4:71:00:0b", ipv6: ["2001:db8:1::b5"])
    let network = ip("2001:db8:1::").v6 ?? .any
    let seen = look(
      Scenario("ipv6", seen: .mirror) {
        At(1) {
          alpha.startsIPv6(with: gateway, [.prefix(network, 64)])
          beta.startsIPv6(with: gateway, [.prefix(network, 64)])
          beta.dhcpv6(from: gateway, address: "2001:db8:1::b5")
          alpha.solicits(gateway, isRouter: true)
        }
        At(9) { alpha.says(.echo6(1, 1), to: "2001:db8:77::20", through: gateway) }
      })
    #expect(seen.subnets.map(\.prefix) == [prefix("2001:db8:1::/64")], "\(seen.story)")
    #expect(seen.subnets.first?.gateways.compactMap(\.host) == [gateway.mac])
    #expect(seen.roles(gateway).contains(.router))
    #expect(seen.host(beta)?.ipv6.contains(ip("2001:db8:1::b5").v6 ?? .any) == true)
    #expect(seen.odd.isEmpty)
  }

  // MARK: Routers

  @Test("of an HSRP pair the active one has the role's address, the other is no second router")
  func hotStandby() {
    let active = Box("", "00:1b:17:70:00:02", "192.168.1.2")
    let standby = Box("", "00:1b:17:70:00:03", "192.168.1.3")
    let virtual = mac("00:00:0c:07:ac:05")
    func hello(_ box: Box, _ state: UInt8) -> Talk {
      Talk { stage in
        let bytes: [UInt8] = [0, 0, state, 3, 10, 100, 5, 0] + Array("cisco".utf8) + [0, 0, 0, 192, 168, 1, 1]
        stage.send(
          .ipv4(from: box.ip, to: ip4("224.0.0.2"), .udp(Datagram(1985, to: 1985, bytes)), hopLimit: 1), from: box, to: nil,
          as: state == 16 ? virtual : nil)
      }
    }
    let role = Box("", "00:00:0c:07:ac:05", "192.168.1.1")
    func film(_ isKnown: Bool) -> Snapshot {
      look(
        Scenario("hsrp", seen: .mirror) {
          At(0.5) {
            pc.announces()
            nas.announces()
            if isKnown { active.announces() }
            standby.announces()
          }
          Every(3, from: 2, until: 90) {
            hello(active, 16)
            hello(standby, 8)
          }
          At(9) {
            pc.arp(for: role)
            nas.arp(for: role)
          }
          At(10) { pc.web(web, via: role, bytes: 20_000) }
        })
    }
    let seen = film(true)
    #expect(seen.host(virtual)?.id == active.mac, "\(seen.story)")
    #expect(seen.subnets.first?.gateways.map(\.host) == [active.mac])
    #expect(seen.roles(standby).contains(.router))
    #expect(seen.odd.isEmpty)
    // When the active one's own address was never heard, the role is nobody's for certain.
    let unknown = film(false)
    #expect(unknown.host(virtual)?.id == virtual, "\(unknown.story)")
    #expect(unknown.odd.isEmpty)
  }

  @Test("two routers that are both used are two ways out")
  func twoWaysOut() {
    let second = Box("lte", "58:d5:6e:70:00:20", "192.168.1.50")
    let seen = look(
      Scenario("two ways", seen: .mirror) {
        At(1) {
          pc.dhcp(from: router)
          pc.arp(for: router)
          nas.announces()
          second.announces()
          nas.arp(for: second)
        }
        At(9) { pc.web(web, via: router, bytes: 20_000) }
        for n in 1...8 { At(20 + Double(n)) { nas.web(Site("s\(n)", "198.51.100.\(n)"), via: second, bytes: 3_000) } }
      })
    #expect(seen.odd == [.secondRouter], "\(seen.story)")
    #expect(seen.finding(.secondRouter)?.hosts == [second.mac])
    #expect(seen.subnet("192.168.1.0/24")?.gateways.first?.host == router.mac)
  }

  @Test("a router whose own lease is private translates behind another one")
  func innerRouter() {
    let lan = Box("", "58:d5:6e:70:00:11", "192.168.50.1")
    let wan = Box("inner", "58:d5:6e:70:00:10", "192.168.1.50")
    let kid = Box("kid", "60:a4:4c:72:00:0a", "192.168.50.20")
    let seen = look(
      Scenario("inner", seen: .router(lan)) {
        At(1) {
          kid.dhcp(from: lan)
          kid.arp(for: lan)
          wan.dhcp(from: router).onFarSide()
        }
        At(9) { kid.web(web, via: lan, bytes: 20_000) }
      })
    #expect(seen.odd == [.doubleNAT], "\(seen.story)")
  }

  @Test("a camera that took the gateway's address is in conflict with it, and no router")
  func stolenAddress() {
    let camera = Box("camera", "00:40:8c:70:00:06", "192.168.1.1")
    let seen = look(
      Scenario("stolen", seen: .host(pc)) {
        At(1) {
          pc.dhcp(from: router)
          pc.announces()
        }
        Every(30, from: 10, until: 120) {
          camera.announces()
          router.arp(for: pc)
        }
      })
    #expect(seen.odd == [.ipConflict], "\(seen.story)")
    #expect(seen.subnet("192.168.1.0/24")?.gateways.map(\.host) == [router.mac])
    #expect(!seen.roles(camera).contains(.gateway))
    #expect(!seen.roles(camera).contains(.dnsServer))
  }

  @Test("a router that answers for devices beyond it does not have their addresses")
  func remoteWorkers() {
    let seen = look(
      Scenario("proxy", seen: .mirror) {
        At(1) {
          pc.dhcp(from: router)
          pc.arp(for: router)
          nas.dhcp(from: router)
          nas.announces()
        }
        for n in 201...203 {
          At(Double(n)) {
            pc.arp(for: "192.168.1.\(n)")
            router.claims("192.168.1.\(n)", to: pc)
            Talk { stage in
              let answer = Packet.ipv4(from: ip4("192.168.1.\(n)"), to: pc.ip, .echo(1, 1, reply: true), hopLimit: 63)
              stage.send(answer, from: router, to: pc)
            }
          }
        }
      })
    #expect(seen.odd == [.proxyARP], "\(seen.story)")
    #expect(seen.host(router)?.ipv4 == [ip4("192.168.1.1")])
  }

  // MARK: Meshes and the air

  @Test("who hangs on a mesh node with a powerline behind it keeps his last hop, and his path goes over the line")
  func powerlineBackhaul() {
    let up = Box("up", "d4:6e:0e:71:00:10", "192.168.1.2", ssid: "meadow", bssid: "d4:6e:0e:71:00:12")
    let phone = Box("", "c6:70:2b:70:00:5a", "192.168.1.31", link: .wifi, behind: up, vendorClass: "android-dhcp-14")
    let line = up.mac.plus(4)
    let seen = look(
      Scenario("backhaul", seen: .bridge(router)) {
        Every(60, from: 1, until: 200) {
          router.discovers1905()
          up.discovers1905(twin: false)
        }
        At(3) {
          phone.dhcp(from: router)
          nas.dhcp(from: router)
          up.dhcp(from: router)
        }
        At(30) {
          router.queries1905(
            up,
            [
              .device(up.mac, [.ethernet(up.mac.plus(1)), .wifi(up.bssid, bssid: up.bssid), .powerline(line)]),
              .bridging([up.mac.plus(1), up.bssid, line]), .nodes(on: line, [(al: router.mac, bridged: true)]),
              .others(on: up.mac.plus(1), [nas.mac]), .operationalBSS(radio: up.bssid, [(bssid: up.bssid, ssid: "meadow")]),
              .clients(up.bssid, [phone.mac]), .agent,
            ])
        }
      })
    #expect(seen.attached(up) == router.mac, "\(seen.story)")
    #expect(seen.medium(up) == .powerline)
    #expect(seen.attached(phone) == up.mac)
    #expect(seen.medium(phone) == .wifi)
    #expect(seen.host(phone)?.path == [.wifi, .powerline])
    #expect(seen.host(phone)?.access?.answer == .wifi)
    #expect(seen.medium(nas) == .ethernet)
    #expect(seen.host(nas)?.path == [.ethernet, .powerline])
    #expect(seen.odd.isEmpty)
  }

  @Test("in the air a tablet that moved is on the access point it moved to")
  func roamingInTheAir() {
    let one = Box("one", "9c:c7:a6:74:00:10", ssid: "burrow", bssid: "9c:c7:a6:74:00:10")
    let two = Box("two", "9c:c7:a6:75:00:10", ssid: "burrow", bssid: "9c:c7:a6:75:00:10")
    let tablet = Box("tablet", "ae:31:0c:70:00:04", "192.168.1.33", link: .wifi, behind: one)
    let moved = Box("tablet", "ae:31:0c:70:00:04", "192.168.1.33", link: .wifi, behind: two)
    let guests = Box("guests", "9e:c7:a6:74:00:11", ssid: "Burrow-Gast", bssid: "9e:c7:a6:74:00:11")
    let seen = look(
      Scenario("air", seen: .monitor) {
        At(0) { one.beacons(for: 8) }
        At(0.03) { two.beacons(for: 8) }
        At(0.05) { guests.beacons(for: 8, protected: false) }
        At(1) { tablet.associates(with: one) }
        Every(0.4, from: 1.5, until: 4) { tablet.arp(for: router) }
        At(4.5) { moved.associates(with: two) }
        Every(0.4, from: 5, until: 8) { moved.arp(for: router) }
      })
    #expect(seen.attached(tablet) == two.mac, "\(seen.story)")
    #expect(seen.medium(tablet) == .wifi)
    #expect(seen.odd == [.guestNetwork])
  }
}
