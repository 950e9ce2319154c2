import Fixtures
import Model
import Scenarios
import Testing
import Wire

private let router = Box("gateway", "9c:53:22:60:00:10", "192.168.1.1")
private let pc = Box("desk", "60:a4:4c:60:00:0a", "192.168.1.20", vendorClass: "MSFT 5.0", hopLimit: 128)
private let nas = Box("archive", "bc:5f:f4:60:00:0b", "192.168.1.30")
private let web = Site("www.example.com", "203.0.113.20")

private func home() -> [Cue] {
  [
    At(0.5) {
      pc.dhcp(from: router)
      pc.probes()
      pc.arp(for: router)
    },
    At(8) {
      nas.dhcp(from: router)
      nas.announces()
      nas.arp(for: router)
    },
    Every(45, from: 20, until: 300) { router.arp(for: pc) },
  ]
}

/// Each finding in a home that has it (`inference.md` 9, `report.md`); what looks like it stands in `FalseFriendTests`.
@Suite("Findings")
struct FindingTests {
  // MARK: What moved

  @Test("a router that was replaced is a gateway that changed")
  func gatewayReplaced() {
    let next = router.with(mac: "e8:d8:d1:60:00:77")
    let seen = look(
      Scenario("replaced", seen: .host(pc), seed: 30) {
        At(0.5) {
          pc.dhcp(from: router)
          pc.announces()
        }
        Every(30, from: 5, until: 200) { router.arp(for: pc) }
        Every(30, from: 400, until: 600) { next.arp(for: pc) }
      })
    #expect(seen.odd == [.gatewayChanged], "\(seen.story)")
    #expect(seen.finding(.gatewayChanged)?.hosts == [router.mac, next.mac])
    #expect(seen.finding(.gatewayChanged)?.reasons.count == 2)
  }

  @Test("leases that name another router than before are a changed gateway")
  func gatewayOfLeases() {
    let other = Box("other", "e8:d8:d1:60:00:77", "192.168.1.254")
    let scope = Box.Scope(gateway: "192.168.1.254", server: "192.168.1.1")
    let seen = look(
      Scenario("another option 3", seen: .mirror, seed: 31) {
        home()
        At(5) { other.announces() }
        At(400) {
          pc.dhcpAgain(from: router, scope)
          pc.arp(for: other)
        }
        At(500) { nas.dhcpAgain(from: router, scope) }
        At(600) { pc.web(web, via: other, bytes: 20_000) }
      })
    #expect(seen.odd == [.gatewayChanged], "\(seen.story)")
    #expect(seen.finding(.gatewayChanged)?.hosts == [router.mac, other.mac])
  }

  @Test("two devices with one hardware address ask for addresses by different names in turn")
  func duplicateMAC() {
    let one = Box("camera-east", "00:e0:4c:60:00:01", "192.168.1.60")
    let two = Box("camera-west", "00:e0:4c:60:00:01", "192.168.1.61")
    let seen = look(
      Scenario("duplicate", seen: .mirror, seed: 32) {
        home()
        for turn in 0..<3 {
          At(20 + 60 * Double(turn)) { one.dhcp(from: router) }
          At(50 + 60 * Double(turn)) { two.dhcp(from: router) }
        }
      })
    #expect(seen.odd == [.duplicateMAC], "\(seen.story)")
    #expect(seen.finding(.duplicateMAC)?.hosts == [one.mac])
    #expect(seen.finding(.duplicateMAC)?.text.contains("camera-west") == true)
    // Renamed once, it stays one device.
    let renamed = look(
      Scenario("renamed", seen: .mirror, seed: 32) {
        home()
        At(20) { one.dhcp(from: router) }
        At(80) { two.dhcp(from: router) }
        At(150) { two.dhcp(from: router) }
      })
    #expect(renamed.odd.isEmpty, "\(renamed.story)")
  }

  // MARK: Who takes what is not his

  @Test("a forger is named, whether he answers or announces", arguments: [false, true])
  func spoofing(_ announces: Bool) {
    let forger = Box("guest-pc", "a8:93:4a:60:00:66", "192.168.1.66")
    let seen = look(
      Scenario("forger", seen: .mirror, seed: 33) {
        home()
        At(15) {
          forger.dhcp(from: router)
          forger.announces()
          forger.arp(for: router)
          forger.arp(for: pc)
        }
        Every(2, from: 30, until: 120) {
          if announces {
            forger.says(.arpAnnouncement(router.ip, from: forger.mac))
          } else {
            forger.claims("192.168.1.1", to: pc)
            forger.claims("192.168.1.20", to: router)
          }
        }
        Every(20, from: 35, until: 120) { router.arp(for: nas) }
      })
    #expect(seen.odd == [.arpSpoofing], "\(seen.story)")
    #expect(seen.finding(.arpSpoofing)?.hosts == [forger.mac])
    #expect(seen.subnet("192.168.1.0/24")?.gateways.first?.host == router.mac)
  }

  @Test("a flood of made-up clients is starvation, and none of them is a device", arguments: [false, true])
  func starvation(_ fromOneStation: Bool) {
    let attacker = Box("", "a8:93:4a:60:00:66", "192.168.1.66")
    let seen = look(
      Scenario("starvation", seen: .mirror, seed: 34) {
        home()
        At(12) { attacker.announces() }
        for n in 0..<60 {
          At(20 + 0.2 * Double(n)) {
            Talk { stage in
              let client = MACAddress(bits: 0x4e_11_22_00_00_00 | UInt64(stage.random.u16()) << 8 | UInt64(n))
              let message = Datagram.dhcp(.discover, stage.random.u32(), client: client, [.parameters([1, 3, 6])])
              stage.send(
                .ipv4(from: .any, to: .broadcast, .udp(message)), from: attacker, to: .broadcast, as: fromOneStation ? attacker.mac : client
              )
            }
          }
        }
      })
    #expect(seen.odd == [.dhcpStarved], "\(seen.story)")
    #expect(seen.finding(.dhcpStarved)?.hosts == (fromOneStation ? [attacker.mac] : []))
    #expect(seen.hosts.count == 4)
  }

  @Test("a second box that advertises itself as router beside the home's is rogue", arguments: [false, true])
  func rogueAdvertisement(_ isThreadRouter: Bool) {
    let rogue = Box("tablet", "a8:93:4a:60:00:67", "192.168.1.67")
    let seen = look(
      Scenario("rogue", seen: .host(pc), seed: 35) {
        home()
        At(10) { rogue.dhcp(from: router) }
        Every(60, from: 2, until: 200) { router.advertises([.prefix(ip("2001:db8:60::").v6 ?? .any, 64)]) }
        Every(60, from: 20, until: 200) {
          rogue.advertises([.prefix(ip("2001:db8:666::").v6 ?? .any, 64)], lifetime: isThreadRouter ? 0 : 1800)
        }
      })
    #expect(seen.odd == (isThreadRouter ? [] : [.rogueRA]), "\(seen.story)")
    if !isThreadRouter { #expect(seen.finding(.rogueRA)?.hosts == [rogue.mac]) }
  }

  @Test("two servers that both answer are several, and the one beside the gateway is the intruder")
  func rogueServer() {
    let travel = Box("travel", "a4:2b:b0:60:00:99", "192.168.8.1")
    let lost = Box("lost", "8c:04:ba:60:00:30", "192.168.8.30")
    let seen = look(
      Scenario("rogue server", seen: .mirror, seed: 36) {
        home()
        At(15) {
          lost.dhcp(from: travel)
          lost.announces()
          lost.arp(for: travel)
        }
        At(30) { pc.web(web, via: router, bytes: 20_000) }
      })
    #expect(seen.odd.isSuperset(of: [.severalDHCPServers, .rogueDHCPServer]), "\(seen.story)")
    #expect(seen.odd.isSubset(of: [.severalDHCPServers, .rogueDHCPServer, .twoSubnetsOneWire, .secondRouter]))
    #expect(seen.finding(.rogueDHCPServer)?.hosts == [travel.mac])
  }

  // MARK: Who hides what

  @Test("a router that translates behind another one has devices that cannot be seen")
  func hiddenDevices() {
    let inner = Box("cottage", "58:d5:6e:60:00:50", "192.168.1.50")
    func packets(_ hops: UInt8, _ count: Int) -> Talk {
      Talk { stage in
        for n in 0..<count {
          let packet = Packet.ipv4(
            from: inner.ip, to: web.ip, .udp(Datagram(40_000, to: 443, [UInt8](repeating: 7, count: 60))), hopLimit: hops, id: UInt16(n))
          stage.send(packet, from: inner, to: router)
          stage.pause(0.1)
        }
      }
    }
    let seen = look(
      Scenario("cascade", seen: .mirror, seed: 37) {
        home()
        At(10) {
          inner.dhcp(from: router)
          inner.announces()
        }
        At(20) { packets(63, 30) }
        At(25) { packets(127, 30) }
        At(30) { packets(64, 4) }
      })
    #expect(seen.odd == [.natBehindDevice], "\(seen.story)")
    #expect(seen.finding(.natBehindDevice)?.hosts == [inner.mac])
    #expect(seen.roles(inner).contains(.nat))
  }

  // MARK: Guests

  @Test("a second scope of the home's router for devices that keep to themselves is for guests", arguments: [nil, 30] as [UInt16?])
  func guests(_ vlan: UInt16?) {
    let second = router.at("192.168.30.1").with(mac: "9e:53:22:60:00:11")
    let phone = Box("", "5e:0c:60:00:00:31", "192.168.30.31", link: .wifi, behind: router, vendorClass: "android-dhcp-14")
    let seen = look(
      Scenario("guests", seen: .mirror, seed: 38) {
        home()
        At(15) {
          if let vlan {
            phone.dhcp(from: second).inVLAN(vlan)
            phone.announces().inVLAN(vlan)
            phone.arp(for: second).inVLAN(vlan)
          } else {
            phone.dhcp(from: second)
            phone.announces()
            phone.arp(for: second)
          }
        }
        At(40) { pc.web(web, via: router, bytes: 20_000) }
      })
    #expect(seen.subnet("192.168.30.0/24")?.kind == .guest, "\(seen.story)")
    #expect(seen.subnet("192.168.1.0/24")?.kind == .home)
    #expect(seen.odd == (vlan == nil ? [.guestNetwork, .twoSubnetsOneWire] : [.guestNetwork, .vlanTagged]))
    #expect(seen.finding(.guestNetwork)?.hosts == [phone.mac])
    #expect(seen.side(phone) == .nat)
  }

  // MARK: What is loud

  @Test("broadcasts that stay loud for ten seconds are named with who sends them")
  func storm() {
    func film(_ seconds: Double) -> Snapshot {
      look(
        Scenario("storm", seen: .host(pc), seed: 39) {
          home()
          At(30) {
            Talk { stage in
              for _ in 0..<Int(seconds * 400) {
                stage.send(.arpRequest(ip4("192.168.1.99"), from: nas.mac, nas.ip), from: nas)
                stage.wait(0.002_5)
              }
            }
          }
        })
    }
    let loud = film(15)
    #expect(loud.odd == [.highBroadcast], "\(loud.story)")
    #expect(loud.finding(.highBroadcast)?.hosts == [nas.mac])
    #expect(film(5).odd.isEmpty)
  }

  @Test("lost frames and too many stations are said")
  func losses() {
    var limits = Limits()
    limits.stations = 16
    var pipeline = Pipeline(limits: limits)
    let frames = Scenario(
      "flood", { for n in 0..<80 { Box("", "00:e0:4c:61:00:\(String(n + 16, radix: 16))", "10.0.0.\(n + 1)").announces() } }
    )
    .frames()
    for (at, film) in frames.enumerated() {
      pipeline.process(
        Frame(
          number: at + 1, time: film.time, interface: 0, link: film.link, wireLength: film.wireLength, bytes: film.bytes.span.bytes))
    }
    var context = CaptureContext()
    context.dropped = 7
    let seen = pipeline.snapshot(context)
    #expect(seen.odd.isSuperset(of: [.captureLoss, .hostFlood]))
  }

  @Test("a flood of made-up stations is gone from the report some minutes after it, and the home is not")
  func floodIsOver() {
    let nas = Box("", "00:11:32:00:00:01", "10.0.0.250")
    let mute = Box("", "00:11:32:00:00:02", "10.0.0.251")
    func hex(_ n: Int) -> String { (n < 16 ? "0" : "") + String(n, radix: 16) }
    let film = Scenario("flood") {
      At(0) {
        for n in 0..<1100 { Box("", "00:e0:4c:61:\(hex(n >> 8)):\(hex(n & 255))", "10.0.\(n / 250 + 1).\(n % 250)").announces() }
      }
      // It asks nobody and nobody answers it, but it goes on; and one that comes later says no more than they did.
      Every(60, until: 600) { nas.announces() }
      At(590) { mute.announces() }
    }
    let after = snapshot(of: film.frames())
    #expect(after.hosts.map(\.id) == [nas.mac, mute.mac])
    #expect(after.health.stationsUnlisted == 1100)
    #expect(after.odd.contains(.hostFlood))
  }
}
