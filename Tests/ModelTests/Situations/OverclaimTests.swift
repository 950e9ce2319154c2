import Fixtures
import Model
import Scenarios
import Testing
import Wire

private let router = Box("gateway", "9c:c7:a6:51:00:10", "192.168.7.1", ipv6: ["2001:db8:7::1"])
private let pc = Box("desk", "60:a4:4c:51:00:0a", "192.168.7.20", ipv6: ["2001:db8:7::20"])

/// Roles, addresses and boxes of which frames show something, and not all.
@Suite("No more than the frames prove")
struct OverclaimTests {
  // MARK: Addresses that no maker gave

  private static func isRandomised(_ address: String, beside others: [String] = []) -> Bool? {
    let seen = look(
      Scenario("address") {
        for (at, text) in ([address] + others).enumerated() { Box("", text, "192.168.7.\(40 + at)").announces() }
      })
    return seen.host(mac(address))?.isRandomised
  }

  @Test("the local bit alone makes no private address", arguments: ["02:00:00:00:00:0a", "c2:00:54:f5:00:00", "fa:16:3e:61:7a:c5"])
  func madeByHand(address: String) {
    #expect(Self.isRandomised(address) == false)
  }

  @Test("addresses that count on, or are made of another's, are not made up for privacy; the others are")
  func madeFromAnother() {
    #expect(Self.isRandomised("9a:02:57:1e:8f:02", beside: ["9a:02:57:1e:8f:03"]) == false)
    #expect(Self.isRandomised("9e:c7:a6:51:00:12", beside: ["9c:c7:a6:51:00:10"]) == false)
    #expect(Self.isRandomised("3a:31:c4:51:7b:0a", beside: ["60:a4:4c:51:7b:0a"]) == false)
    #expect(Self.isRandomised("da:5f:13:90:2e:77", beside: ["9a:02:57:1e:8f:03", "60:a4:4c:51:7b:0a"]) == true)
  }

  @Test("who runs a network on the air has its number from the box's own")
  func accessPoint() {
    let point = Box("", "aa:31:c4:51:7b:0c", ssid: "burrow")
    #expect(look(Scenario("cell", seen: .monitor) { point.beacons(for: 1) }).host(point)?.isRandomised == false)
  }

  @Test("what operators are dialled at hides from nobody")
  func concentrator() {
    let far = Box("", "ca:01:0e:88:51:06")
    let answer = Scenario("answers", seen: .mirror) { Talk { $0.send(.pppoe(.offer, [.concentrator("BRAS-7")]), from: far, to: pc.mac) } }
    #expect(look(answer).host(far)?.isRandomised == false)
    #expect(look(Scenario("says something else") { far.announces() }).host(far)?.isRandomised == true)
  }

  // MARK: Virtual machines

  @Test("an address block alone makes a virtual machine no more than likely")
  func virtualMachine() {
    let guest = Box("", "08:00:27:51:00:07", "192.168.7.31")
    let seen = look(Scenario("guest") { guest.announces() })
    #expect(seen.medium(guest) == .virtual)
    for sure in [seen.host(guest)?.medium?.confidence, seen.host(guest)?.roleReasons.first?.confidence] {
      #expect(sure.map { (0.7..<0.9).contains($0) } == true, "\(seen.story)")
    }
  }

  @Test(
    "the machine's own adapter among its guests has their block, and is none of them",
    arguments: ["00:50:56:c0:00:08", "08:00:27:00:51:07", "0a:00:27:00:00:13"])
  func hypervisor(address: String) {
    let own = Box("", address, "192.168.56.1")
    let guest = Box("", "00:50:56:2a:51:07", "192.168.56.101")
    let seen = look(
      Scenario("host-only") {
        own.announces()
        guest.announces()
      })
    #expect(!seen.roles(own).contains(.virtualMachine), "\(seen.story)")
    #expect(seen.host(own)?.isRandomised == false)
    #expect(seen.roles(guest).contains(.virtualMachine))
  }

  @Test("what comes from the internet comes through the hypervisor's gateway, which is no guest")
  func virtualGateway() {
    let hypervisor = Box("", "52:54:00:12:35:02", "10.0.2.2")
    let guest = Box("", "08:00:27:51:00:07", "10.0.2.15")
    let seen = look(
      Scenario("guest's way out", seen: .mirror) {
        guest.dhcp(from: hypervisor)
        guest.web(Site("www.example.com", "203.0.113.20"), via: hypervisor, bytes: 9000)
      })
    #expect(!seen.roles(hypervisor).contains(.virtualMachine), "\(seen.story)")
    #expect(seen.roles(guest).contains(.virtualMachine))
  }

  // MARK: Roles

  @Test("who answers DHCPv6 is a DHCP server")
  func dhcpv6() {
    let server = Box("", "60:a4:4c:51:00:0b", "192.168.7.9", ipv6: ["2001:db8:7::9"])
    let seen = look(Scenario("dhcpv6", seen: .mirror) { pc.dhcpv6(from: server, address: "2001:db8:7::20") })
    #expect(seen.roles(server).contains(.dhcpServer), "\(seen.story)")
    #expect(!seen.roles(pc).contains(.dhcpServer))
  }

  @Test("who forwards, and looks for a router itself, is not the wire's router; who advertises itself is")
  func forwardingHost() {
    let looks = look(
      Scenario("forwarding host", seen: .mirror) {
        pc.startsIPv6()
        Talk { stage in
          stage.send(.ipv6(from: pc.linkLocal, to: .allRouters, .routerSolicitation([.source(pc.mac)])), from: pc)
        }
        router.solicits(pc, isRouter: true)
      })
    #expect(!looks.roles(pc).contains(.router), "\(looks.story)")
    let advertises = look(
      Scenario("router", seen: .mirror) {
        Talk { stage in
          stage.send(.ipv6(from: router.linkLocal, to: .allRouters, .routerSolicitation([.source(router.mac)])), from: router)
        }
        router.advertises([.source(router.mac)])
        pc.solicits(router, isRouter: true)
      })
    #expect(advertises.roles(router).contains(.router), "\(advertises.story)")
  }

  @Test("the address of a role of routers is a router's, that of a role that servers share is not")
  func groups() {
    let hsrp = Box("", "00:00:0c:07:ac:01", "192.168.7.6")
    let seen = look(Scenario("hsrp") { hsrp.announces() })
    #expect(seen.roles(hsrp) == [.router], "\(seen.story)")
    let carp = Box("", "00:00:5e:00:01:01", "192.168.7.7")
    #expect(look(Scenario("carp") { carp.announces() }).roles(carp) == [.host])
    let vrrp = look(Scenario("vrrp") { router.vrrp(1, for: ["192.168.7.7"]) })
    #expect(vrrp.host(carp)?.roles == [.router], "\(vrrp.story)")
  }

  // MARK: References

  /// Devices that a snapshot speaks of and does not list. The end of a conversation may be a station that was only spoken to.
  private static func strangers(_ seen: Snapshot) -> Set<MACAddress> {
    var named = Set(seen.hosts.compactMap { $0.attachedTo?.answer } + seen.links.flatMap { [$0.from, $0.to] })
    for subnet in seen.subnets {
      named.formUnion(subnet.hosts + (subnet.gateways.map(\.host) + subnet.servers.map(\.host) + [subnet.nextHop?.host]).compactMap(\.self))
    }
    for group in seen.multicast { named.formUnion(group.members + group.senders) }
    let further = Set(seen.hosts.flatMap(\.virtualMACs))
    for talk in seen.conversations { for case .host(let mac) in [talk.a, talk.b] where further.contains(mac) { named.insert(mac) } }
    for finding in seen.findings { named.formUnion(finding.hosts) }
    return named.subtracting(seen.hosts.map(\.id))
  }

  @Test("an access point that only its stations show is a device, with nothing but its stations to show for it")
  func unheardAccessPoint() {
    let bssid = mac("28:b2:bd:51:41:78")
    let tablet = Box("tablet", "5c:cf:7f:51:d9:02", "192.168.7.33")
    let seen = look(
      Scenario("one way", seen: .monitor) {
        Talk { stage in
          let body = RadioFrame.open(.arpRequest(router.ip, from: tablet.mac, tablet.ip))
          stage.send(.toDS(tablet.mac, bssid, to: .broadcast, sequence: 1, protected: false, body), from: tablet)
        }
      })
    #expect(seen.attached(tablet) == bssid, "\(seen.story)")
    #expect(seen.host(bssid)?.roles == [.accessPoint])
    #expect(seen.host(bssid)?.traffic.sentFrames == 0)
    #expect(seen.host(bssid)?.firstSeen == seen.host(tablet)?.firstSeen)
    #expect(Self.strangers(seen).isEmpty)
    // It is never heard, so that its silence is no leaving.
    var attendance = Attendance()
    var later = seen
    for minutes in [0, 30, 60] as [Int64] {
      later.elapsed = minutes * 60_000_000_000
      attendance.attend(&later)
    }
    #expect(later.host(bssid)?.isPresent == true)
    #expect(later.host(tablet)?.isPresent == false)
  }

  @Test("every address of a box is called by the box", arguments: Homes.all)
  func aliases(home: Scenario) {
    #expect(Self.strangers(home.snapshot()).isEmpty)
  }

  @Test("what a machine sends from two interfaces is one device everywhere")
  func twoInterfaces() {
    let inner = Box("", "00:e0:4c:51:01:9d", "192.168.7.1")
    let outer = Box("", "00:e0:4c:51:01:90", "100.71.9.20")
    var frames = [inner, outer].flatMap { box in Scenario("cooked") { box.announces() }.frames() }
    for at in frames.indices { frames[at].direction = .sent }
    let seen = look(frames)
    #expect(seen.hosts.map(\.id) == [outer.mac], "\(seen.story)")
    #expect(seen.subnets.count == 2)
    #expect(Self.strangers(seen).isEmpty)
  }

  // MARK: Boxes

  @Test("radios with one identifier and numbers in a run are one access point; either alone is not enough")
  func radiosOfOneBox() {
    let setup: [UInt8] =
      [0x00, 0x50, 0xf2, 0x04, 0x10, 0x4a, 0, 1, 0x10, 0x10, 0x47, 0, 16] + Array(1...16) + [0x10, 0x11, 0, 4] + Array("FBox".utf8)
    func cell(_ mac: String, hasIdentifier: Bool) -> Talk {
      let box = Box("", mac, ssid: "burrow")
      return Talk { stage in
        var beacon = RadioFrame.beacon(box.bssid, ssid: "burrow", sequence: 1)
        if hasIdentifier { beacon.bytes += [221, UInt8(setup.count)] + setup }
        stage.send(beacon, from: box)
      }
    }
    func boxes(_ cells: [(String, Bool)]) -> [Host] {
      look(Scenario("cells", seen: .monitor) { for (mac, hasIdentifier) in cells { cell(mac, hasIdentifier: hasIdentifier) } }).hosts
    }
    let one = boxes([("00:0d:58:51:88:09", true), ("00:0d:58:51:88:0a", true), ("00:0d:58:51:88:0b", true)])
    #expect(one.map(\.id.description) == ["00:0d:58:51:88:09"])
    #expect(one.flatMap(\.names).map(\.text.display) == ["FBox"])
    #expect(boxes([("00:0d:58:51:88:09", false), ("00:0d:58:51:88:0a", false)]).count == 2)
    #expect(boxes([("00:0d:58:51:88:09", true), ("00:0d:58:61:00:0a", true)]).count == 2)
  }
}

@Suite("Makers' names")
struct VendorNameTests {
  @Test("placeholders of the registry are nobody's names, and a role's address is no maker's")
  func placeholders() {
    let macs = ["00:00:01:00:00:05", "00:00:02:00:00:05", "00:00:5e:00:01:01", "00:00:5e:10:00:01"].map(mac)
    var names = VendorNames(for: macs)
    names.read(Array("MA-L,000001,Private,\nMA-L,000002,\"Private Makers, Inc\",\nMA-L,00005E,\"ICANN, IANA Department\",\n".utf8))
    #expect(macs.map(names.name(of:)) == [nil, "Private Makers, Inc", nil, "ICANN, IANA Department"])
  }
}
