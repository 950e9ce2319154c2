import Fixtures
import Scenarios
import Testing
import Wire

@testable import Model

private let router = Box("gateway", "5c:a6:e6:c0:00:10", "192.168.1.1")
private let pc = Box("desk", "60:a4:4c:c0:00:0a", "192.168.1.20", vendorClass: "MSFT 5.0", hopLimit: 128)
private let nas = Box("archive", "00:11:32:c0:00:0b", "192.168.1.30")
private let laptop = Box("lap", "3c:22:fb:c0:00:57", "192.168.1.57")
private let headEnd = Box("", "00:17:10:c0:00:01", "10.20.0.1")
private let box = Box("", "20:83:f8:c0:00:23", "10.20.0.23")
private let web = Site("www.example.com", "203.0.113.20")
private let portal = Site("portal.example.com", "172.30.240.9")

/// What may be said when little was heard (`inference.md` 17): nobody restarted, somebody moved, somebody lies.
@Suite("Thin evidence")
struct ThinEvidenceTests {
  // MARK: Whose network it is

  private static func search(_ gateway: Box, _ lasts: [Int]) -> [Cue] {
    lasts.enumerated().map { i, last in At(10 + 9 * Double(i)) { gateway.arp(for: "10.20.0.\(last)") } }
  }

  private static func evening(_ operators: Box, lasts: [Int] = [95, 149, 56, 187, 232, 77, 101, 12, 240]) -> Scenario {
    Scenario("nobody restarts", seen: .mirror, seed: 17) {
      At(1) {
        pc.arp(for: router)
        box.arp(for: operators)
      }
      search(operators, lasts)
      At(20) { pc.web(web, via: router, bytes: 20_000) }
      At(25) { pc.copies(5_000, from: nas) }
      At(30) { box.web(portal, via: operators, bytes: 20_000) }
    }
  }

  @Test("a set-top box whose lease was not heard is the operator's by the signs that remain, and its network is not the home's")
  func noLease() {
    let seen = look(Self.evening(headEnd))
    let network = seen.subnet("10.20.0.0/24")
    #expect(network?.kind == .operator, "\(network?.reason ?? "") \(seen.story)")
    #expect(seen.side(box) == .bridged)
    #expect(seen.odd.contains(.operatorBridgedDevice))
    #expect(seen.subnet("192.168.1.0/24")?.kind == .home)
    #expect(seen.side(pc) == .nat)
  }

  @Test("a second network whose way out is another box is neither the home's nor behind NAT by default, and the text says what would tell")
  func openNetwork() {
    let other = Box("", "d8:c6:6a:c0:00:01", "10.20.0.1")
    let seen = look(
      Scenario("open", seen: .mirror, seed: 18) {
        At(1) {
          pc.arp(for: router)
          laptop.at("10.20.0.23").arp(for: other)
        }
        At(20) { pc.web(web, via: router, bytes: 20_000) }
        At(25) { pc.copies(5_000, from: nas) }
        At(30) { laptop.at("10.20.0.23").web(web, via: other, bytes: 20_000) }
      })
    let network = seen.subnet("10.20.0.0/24")
    #expect(network?.kind == .unknown, "\(network?.reason ?? "") \(seen.story)")
    #expect(network?.reason.contains("To find out") == true)
    #expect(seen.side(laptop) == nil)
  }

  @Test("private addresses alone are nobody's, answers from the internet or home-like neighbours make them the home's")
  func homeNeedsReason() {
    let bare = look(Scenario("bare", seen: .mirror, seed: 19) { At(1) { pc.arp(for: laptop) } })
    #expect(bare.subnets.first?.kind == .unknown, "\(bare.story)")
    let printer = Box("HP-LaserJet", "00:1b:a9:c0:00:31", "192.168.1.31")
    let peopled = look(
      Scenario("peopled", seen: .mirror, seed: 20) {
        At(1) {
          nas.announces()
          nas.mdns([.init("_adisk._tcp", port: 445)])
          printer.announces()
          printer.mdns([.init("_ipp._tcp", port: 631)])
        }
        At(5) { pc.copies(20_000, from: nas) }
      })
    #expect(peopled.subnets.first?.kind == .home, "\(peopled.subnets.first?.reason ?? "") \(peopled.story)")
    #expect(peopled.side(pc) == nil)
  }

  @Test("shared addresses are called the operators' and not public")
  func sharedRange() {
    let far = Box("", "44:4e:6d:c0:00:01", "100.105.0.1", prefixLength: 20)
    let own = Box("OpenWrt", "30:23:03:c0:00:01", "100.105.7.9", prefixLength: 20)
    let seen = look(
      Scenario("shared", seen: .mirror, seed: 21) {
        At(1) {
          own.dhcp(from: far)
          own.arp(for: far)
        }
      })
    let network = seen.subnet("100.105.0.0/20")
    #expect(network?.kind == .operator, "\(seen.story)")
    #expect(network?.reason.contains("ublic addresses") == false)
  }

  @Test("who asks as the outer side of a router is a router whatever its class says, and its wire is the line to the operator")
  func residentialGateway() {
    let far = Box("", "00:1b:17:c0:00:fe", "10.174.216.1", prefixLength: 22)
    let own = Box("", "74:ac:b9:c0:00:04", "10.174.218.214", prefixLength: 22, vendorClass: "IPTV_RG")
    let seen = look(
      Scenario("line", seen: .mirror, seed: 22) {
        At(1) {
          own.says(.pppoe(.initiation))
          own.dhcp(from: far, .init(server: "10.174.216.1"))
        }
      })
    #expect(seen.roles(own).contains(.router) && !seen.roles(own).contains(.setTopBox), "\(seen.story)")
    #expect(seen.subnet("10.174.216.0/22")?.kind == .operator)
  }

  @Test("each sentence about a network goes when a sign that it states is taken away")
  func ablation() {
    func told(_ signs: Signs) -> String {
      let subnet = Subnet(Prefix(IPAddress("10.20.0.0") ?? IPAddress(box.ip), 24), source: .arp, confidence: 0.7)
      let model = NetworkModel(limits: Limits())
      let texts = ModemTexts(
        picture: Picture(model, linkTypes: [.ethernet]), isOneWire: true, subnet: subnet, home: nil, signs: signs, confidence: 0.95,
        judgement: Judgement(signs))
      return [texts.operators(), texts.bridged(), texts.routed(), texts.ownModem(), texts.otherRouter(), texts.own(isNamed: true)].joined()
    }
    /// Signs that a sentence states, each with its own frame.
    let stated: [Sign] = [
      .gatewayIsOperators, .searchesStrangers, .sharedRange, .asksAsRouter, .boxIsReceiver, .walledGarden, .televisionFromBeyond,
      .gatewayIsRouter, .routerServesBoth, .boxIsModem, .gatewayIsConsumers, .searcherIsOperators,
    ]
    var all = Signs()
    for (at, sign) in stated.enumerated() {
      all.add(sign, Reason(basis: "arp", field: "x", value: WireText(""), frame: 7001 + at, time: nil, weight: 0, kind: .measured))
    }
    let whole = told(all)
    for (at, sign) in stated.enumerated() {
      let frame = "frame \(7001 + at))"
      #expect(whole.contains(frame), "no sentence states \(sign)")
      #expect(!told(all.without(sign)).contains(frame), "\(sign)")
    }
  }

  // MARK: Time has a direction

  @Test("a newer lease replaces an older one, and who had the address before is no repeater")
  func newLease() {
    let later = pc.at("192.168.1.90")
    let seen = look(
      Scenario("moved", seen: .mirror, seed: 23) {
        At(1) {
          pc.dhcp(from: router)
          pc.arp(for: router)
        }
        At(5) { pc.web(web, via: router, bytes: 10_000) }
        At(600) {
          later.dhcp(from: router)
          later.arp(for: router)
        }
        At(610) { later.web(web, via: router, bytes: 10_000) }
      })
    #expect(seen.host(pc)?.ipv4 == [ip4("192.168.1.90")], "\(seen.story)")
    #expect(!seen.odd.contains(.macTranslatingBridge))
  }

  @Test("a router that was swapped is the gateway that changed, without waiting, and the new one is the gateway")
  func swapped() {
    let new = Box("", "d4:60:e3:c0:00:01", "192.168.1.1")
    let seen = look(
      Scenario("swap", seen: .mirror, seed: 24) {
        At(1) {
          pc.arp(for: router)
          nas.arp(for: router)
        }
        At(5) { pc.web(web, via: router, bytes: 10_000) }
        At(60) {
          new.announces()
          new.announces()
          pc.arp(for: new)
        }
        At(62) { pc.web(web, via: new, bytes: 10_000) }
      })
    #expect(seen.odd.contains(.gatewayChanged), "\(seen.story)")
    #expect(seen.subnet("192.168.1.0/24")?.gateways.first?.host == new.mac)
    #expect(seen.host(router)?.ipv4 == [router.ip])
  }

  // MARK: Who has an address

  @Test("who says to one victim, unasked, that he is the way out is a forger and no gateway", arguments: [true, false])
  func spoofing(toVictim: Bool) {
    let liar = Box("", "54:ee:75:c0:00:49", "192.168.1.66")
    let seen = look(
      Scenario("lie", seen: toVictim ? .host(pc) : .mirror, seed: 25) {
        At(1) { liar.arp(for: router) }
        Every(3, from: 5, until: 60) {
          if toVictim {
            liar.claims("192.168.1.1", to: pc)
          } else {
            liar.at("192.168.1.1").announces()
          }
        }
        At(20) { pc.pings(nas, times: 6) }
      })
    #expect(seen.finding(.arpSpoofing)?.hosts == [liar.mac], "\(seen.story)")
    #expect(!seen.roles(liar).contains(.gateway) && !seen.roles(liar).contains(.router))
    #expect(seen.host(liar)?.ipv4 == [liar.ip])
  }

  @Test("three boxes with the factory's address are in conflict, once each")
  func factoryAddress() {
    let three = (1...3).map { Box("", "d4:be:d9:c0:00:0\($0)", "192.168.0.120") }
    let seen = look(
      Scenario("rack", seen: .mirror, seed: 26) { for (n, one) in three.enumerated() { At(1 + 5 * Double(n)) { one.announces() } } })
    #expect(seen.finding(.ipConflict).map { Set($0.hosts) } == Set(three.map(\.mac)), "\(seen.story)")
  }

  @Test("a sleep proxy that names nobody holds the address of one that fell silent for him")
  func silentSleeper() {
    let base = Box("airport", "24:a2:e1:c0:00:17", "192.168.1.17")
    let player = Box("player", "c8:69:cd:c0:00:32", "192.168.1.32")
    let seen = look(
      Scenario("asleep", seen: .mirror, seed: 27) {
        At(1) {
          base.announces()
          base.mdns([.init("_sleep-proxy._udp", "70-35-60-63 base", port: 53_100)])
          player.announces()
          player.arp(for: base)
        }
        Every(5, from: 20, until: 40) { base.claims("192.168.1.32", to: pc) }
        At(21) { base.at("192.168.1.32").announces() }
      })
    #expect(seen.odd.isEmpty, "\(seen.story)")
    #expect(seen.host(base)?.ipv4 == [base.ip])
    #expect(seen.host(player)?.ipv4 == [player.ip])
  }

  @Test("one server that writes two addresses is one server")
  func twoIdentifiers() {
    let second = Box.Scope(gateway: "192.168.1.1", nameServers: ["192.168.1.1"], server: "192.168.1.2")
    let seen = look(
      Scenario("two ids", seen: .mirror, seed: 28) {
        At(1) {
          pc.dhcp(from: router)
          nas.dhcp(from: router, second)
          router.announces()
        }
      })
    #expect(seen.odd.isDisjoint(with: [.rogueDHCPServer, .severalDHCPServers]), "\(seen.story)")
  }

  @Test("a stray server is heard in a client's request that names it, though its answers are not heard")
  func strayServer() {
    let stray = Box("", "d8:0d:17:c0:00:01", "10.77.3.1")
    let guest = Box("visitor", "dc:a6:32:c0:00:44", "10.77.3.5")
    let seen = look(
      Scenario("stray", seen: .host(pc), seed: 29) {
        At(1) {
          pc.dhcp(from: router)
          pc.arp(for: router)
        }
        At(5) { pc.web(web, via: router, bytes: 20_000) }
        At(40) {
          guest.dhcp(from: stray)
          guest.arp(for: stray)
        }
      })
    #expect(seen.odd.contains(.rogueDHCPServer), "\(seen.story)")
    #expect(seen.subnet("10.77.3.0/24")?.kind == .unknown)
    #expect(!seen.odd.contains(.operatorBridgedDevice))
  }

  // MARK: Only asked for

  @Test("an address left over from elsewhere makes no network and no second gateway")
  func leftOver() {
    let seen = look(
      Scenario("visitor", seen: .mirror, seed: 30) {
        At(1) {
          pc.dhcp(from: router)
          pc.arp(for: router)
        }
        At(10) { laptop.at("10.20.30.57").arp(for: "10.20.30.1") }
        At(12) {
          laptop.dhcp(from: router)
          laptop.arp(for: router)
        }
      })
    #expect(seen.subnets.map(\.prefix) == [prefix("192.168.1.0/24")], "\(seen.story)")
    #expect(seen.host(laptop)?.ipv4 == [laptop.ip])
    #expect(!seen.odd.contains(.twoSubnetsOneWire))
  }

  @Test("neighbours that answer each other share one prefix as wide as they need")
  func wideMask() {
    let far = Box("", "26:12:ac:c0:00:01", "100.64.0.1", prefixLength: 10)
    let near = Box("", "90:5a:08:c0:00:1a", "100.99.73.162", prefixLength: 10)
    let seen = look(Scenario("wide", seen: .mirror, seed: 31) { Every(2, from: 1, until: 6) { far.arp(for: near) } })
    #expect(seen.subnets.map(\.prefix) == [prefix("100.64.0.0/10")], "\(seen.story)")
  }

  @Test("a private hop that answers with all its hops is the router's second address; one beyond is a double translation that may be")
  func hops() {
    func seen(_ hopLimit: UInt8, _ from: String) -> Snapshot {
      look(
        Scenario("trace", seen: .mirror, seed: 32) {
          At(1) {
            pc.dhcp(from: router)
            pc.arp(for: router)
          }
          At(5) { pc.web(web, via: router, bytes: 10_000) }
          At(9) {
            Talk { stage in
              let probe = Packet.ipv4(from: pc.ip, to: ip4("203.0.113.20"), .udp(Datagram(40_000, to: 33_434, [1, 2, 3, 4])), hopLimit: 2)
              stage.send(probe, from: pc, to: router)
              stage.send(
                .ipv4(from: ip4(from), to: pc.ip, .timeExceeded(quoting: probe), hopLimit: hopLimit), from: router, to: pc)
            }
          }
        })
    }
    #expect(!seen(64, "10.0.0.1").odd.contains(.doubleNAT))
    let beyond = seen(63, "10.0.0.1").finding(.doubleNAT)
    #expect(beyond?.text.contains("may") == true, "\(beyond?.text ?? "none")")
  }

  // MARK: Roles by word

  @Test(
    "short words stand as words, and behaviour comes before them",
    arguments: [
      ("ZX.IPSTB", Role.setTopBox), ("DVB-C Box 4", .setTopBox), ("acme-DVR2", .setTopBox), ("IPTV_RG", .router), ("HGW-7", .router),
    ])
  func words(_ text: String, _ role: Role) {
    let hints = RoleHints.matching(WireText(text), in: .vendorClass)
    #expect(hints.map(\.role).contains(role), "\(hints.map(\.words))")
    #expect(role != .router || !hints.map(\.role).contains(.setTopBox))
  }

  @Test("parts of other words say nothing", arguments: ["Jonas-MBP", "stbarnabas", "Forge", "advertising"])
  func noWords(_ text: String) {
    #expect(RoleHints.matching(WireText(text), in: .name).isEmpty)
    #expect(RoleHints.matching(WireText(text), in: .vendorClass).isEmpty)
  }

  // MARK: Traffic

  @Test("the bytes of a subnet are those of its addresses, each frame once")
  func subnetBytes() {
    let second = router.at("10.30.0.1")
    let tv = Box("tv", "00:09:a7:c0:00:30", "10.30.0.30")
    let frames = Scenario("two scopes", seen: .mirror, seed: 33) {
      At(1) {
        pc.dhcp(from: router)
        pc.arp(for: router)
        tv.dhcp(from: second)
        tv.arp(for: second)
      }
      At(5) { pc.web(web, via: router, bytes: 40_000) }
      At(9) { tv.web(web, via: second, bytes: 2_000) }
    }.frames()
    let seen = look(frames)
    let wire = frames.reduce(0) { $0 + $1.wireLength }
    let totals = seen.subnets.map(\.traffic.total)
    #expect(totals.reduce(0, +) <= wire, "\(totals) \(wire) \(seen.story)")
    let (home, other) = (seen.subnet("192.168.1.0/24")?.traffic.total ?? 0, seen.subnet("10.30.0.0/24")?.traffic.total ?? 0)
    #expect(home > 40_000 && other < 12_000 && other > 2_000, "\(home) \(other)")
  }

  @Test("a frame on two interfaces of one capture was on the wire once, and no frame has four gigabytes")
  func lengths() {
    let frames = Scenario("one page", seen: .mirror, seed: 34) { At(1) { pc.web(web, via: router, bytes: 10_000) } }.frames()
    func seen(_ change: (Int, CapturedFrame, inout Pipeline) -> Void) -> Snapshot {
      var pipeline = Pipeline()
      for (at, frame) in frames.enumerated() { change(at, frame, &pipeline) }
      return pipeline.snapshot()
    }
    func process(_ frame: CapturedFrame, number: Int, interface: Int, length: Int? = nil, _ pipeline: inout Pipeline) {
      pipeline.process(
        Frame(
          number: number, time: Timestamp(nanoseconds: frame.time.nanoseconds + Int64(interface) * 50_000), interface: interface,
          link: frame.link, wireLength: length ?? frame.wireLength, bytes: frame.bytes.span.bytes))
    }
    let once = seen { at, frame, pipeline in process(frame, number: at + 1, interface: 0, &pipeline) }
    let twice = seen { at, frame, pipeline in
      process(frame, number: 2 * at + 1, interface: 0, &pipeline)
      process(frame, number: 2 * at + 2, interface: 1, &pipeline)
    }
    #expect(twice.capture.duplicates == frames.count)
    #expect(twice.hosts.map(\.traffic.total) == once.hosts.map(\.traffic.total))
    let huge = seen { at, frame, pipeline in process(frame, number: at + 1, interface: 0, length: 4_294_967_280, &pipeline) }
    #expect(huge.capture.bytes < 1_000_000 && huge.capture.malformed == frames.count)
  }
}
