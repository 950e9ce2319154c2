import Fixtures
import Model
import Scenarios
import Testing
import Wire

private let router = Box("gateway", "a0:63:91:40:00:10", "192.168.1.1")
private let pc = Box("desk", "60:a4:4c:40:00:0a", "192.168.1.20", vendorClass: "MSFT 5.0", hopLimit: 128)
private let nas = Box("archive", "bc:5f:f4:40:00:0b", "192.168.1.30")
private let web = Site("www.example.com", "203.0.113.20", ipv6: "2001:db8:77::20")

/// Whose addresses they are, and who routes: situations 13 to 16 and 21 to 24 (`inference.md` 14).
@Suite("Addresses and routers")
struct AddressTests {
  @Test("a sleep proxy that answers for a sleeper is no ARP proxy and no forger")
  func sleepProxy() {
    let proxy = Box("living-room", "f0:b3:ec:40:00:50", "192.168.1.50")
    let name = DomainName("archive.local")
    let seen = look(
      Scenario("sleep proxy", seen: .mirror, seed: 13) {
        At(1) {
          pc.dhcp(from: router)
          nas.dhcp(from: router)
          nas.announces()
          nas.mdns([.init("_smb._tcp", port: 445)])
          proxy.dhcp(from: router)
          proxy.announces()
          proxy.mdns([.init("_sleep-proxy._udp", "70-35-60-63 living-room", port: 53_100)])
        }
        At(20) {
          // It takes the sleeper's addresses over (RFC draft and Apple's mDNSResponder): announcement, records, answers.
          proxy.says(.mdns(answers: [.address(name, IPAddress(nas.ip))], additional: [.owner(nas.mac)]))
          proxy.says(.arpAnnouncement(nas.ip, from: proxy.mac))
        }
        Every(20, from: 25, until: 200) {
          pc.arp(for: "192.168.1.30")
          proxy.claims("192.168.1.30", to: pc)
        }
        At(60) { proxy.says(.mdns(answers: [.address(name, IPAddress(nas.ip))], additional: [.owner(nas.mac)])) }
      })
    #expect(seen.odd.isEmpty, "\(seen.story)")
    #expect(seen.host(nas)?.ipv4 == [ip4("192.168.1.30")])
    #expect(seen.host(proxy)?.ipv4 == [ip4("192.168.1.50")])
  }

  // MARK: Router groups

  private static let first = Box("", "00:1b:17:40:00:02", "192.168.1.2")
  private static let second = Box("", "00:1b:17:40:00:03", "192.168.1.3")
  private static let virtual = mac("00:00:5e:00:01:0a")

  private static func answersFor(_ member: Box, as address: MACAddress) -> Talk {
    Talk { stage in
      stage.send(.arpRequest(router.ip, from: pc.mac, pc.ip), from: pc)
      stage.wait(0.001)
      stage.send(.arpReply(from: address, router.ip, to: pc.mac, pc.ip), from: member, to: pc.mac, as: address)
    }
  }

  @Test("VRRP failover keeps the gateway: no forger, no conflict, no change")
  func failover() {
    let gateway = Self.first.at("192.168.1.1").with(mac: "00:00:5e:00:01:0a")
    let seen = look(
      Scenario("failover", seen: .mirror, seed: 14) {
        At(0.5) {
          pc.dhcp(from: Self.first, .init(gateway: "192.168.1.1", nameServers: ["192.168.1.1"], server: "192.168.1.2"))
          pc.announces()
          Self.first.announces()
          Self.second.announces()
          Self.second.arp(for: Self.first)
        }
        Every(1, from: 2, until: 60) { Self.first.vrrp(10, priority: 200, for: ["192.168.1.1"]) }
        Every(20, from: 4, until: 60) { Self.answersFor(Self.first, as: Self.virtual) }
        At(30) { pc.web(web, via: gateway, bytes: 30_000) }
        // The master goes down; the backup takes the role over.
        Every(1, from: 63.6, until: 150) { Self.second.vrrp(10, priority: 100, for: ["192.168.1.1"]) }
        At(63.7) {
          Talk { stage in
            stage.send(.arpAnnouncement(router.ip, from: Self.virtual), from: Self.second, to: .broadcast, as: Self.virtual)
          }
        }
        Every(20, from: 70, until: 150) { Self.answersFor(Self.second, as: Self.virtual) }
        At(90) { pc.web(web, via: gateway, bytes: 30_000) }
      })
    #expect(seen.odd.isEmpty, "\(seen.story)")
    let home = seen.subnet("192.168.1.0/24")
    #expect(home?.gateways.map(\.address) == [ip("192.168.1.1")])
    #expect(home?.kind == .home)
    let holder = seen.host(Self.virtual)
    #expect(holder?.id == Self.first.mac || holder?.id == Self.second.mac)
    #expect(home?.gateways.first?.host == holder?.id)
    #expect(seen.roles(Self.first).contains(.router))
    #expect(seen.host(Self.first)?.ipv4.contains(ip4("192.168.1.2")) == true)
    #expect(seen.host(Self.second)?.ipv4.contains(ip4("192.168.1.3")) == true)
    #expect(seen.side(pc) == .nat)
  }

  @Test("a router pair that moves the address without a virtual MAC is no forger either")
  func failoverWithoutVirtualMAC() {
    let group = ip4("224.0.0.18")
    func advertises(_ box: Box) -> Talk {
      Talk { $0.send(.ipv4(from: box.ip, to: group, .vrrp(10, [router.ip])), from: box) }
    }
    let seen = look(
      Scenario("plain failover", seen: .mirror, seed: 15) {
        At(0.5) {
          pc.dhcp(from: Self.first, .init(gateway: "192.168.1.1", nameServers: ["192.168.1.1"], server: "192.168.1.2"))
          pc.announces()
          Self.first.announces()
          Self.second.announces()
        }
        Every(1, from: 2, until: 60) { advertises(Self.first) }
        At(2.2) { Self.first.at("192.168.1.1").announces() }
        Every(15, from: 4, until: 60) { Self.answersFor(Self.first, as: Self.first.mac) }
        Every(1, from: 63.6, until: 150) { advertises(Self.second) }
        At(63.7) {
          Self.second.at("192.168.1.1").announces()
          Self.second.at("192.168.1.1").announces()
        }
        Every(15, from: 65, until: 150) { Self.answersFor(Self.second, as: Self.second.mac) }
      })
    #expect(seen.odd.isEmpty, "\(seen.story)")
  }

  // MARK: Translation

  @Test("a second private router on the way out means that addresses are translated twice")
  func doubleTranslation() {
    let outer = Box("", "a0:63:91:40:00:10", "10.0.0.138")
    let seen = look(
      Scenario("double nat", seen: .host(pc), seed: 16) {
        At(0.5) {
          pc.dhcp(from: router)
          pc.announces()
          pc.arp(for: router)
        }
        At(10) { pc.web(web, via: router, bytes: 20_000) }
        At(20) {
          Talk { stage in
            for hops in 1..<4 {
              let probe = Packet.ipv4(from: pc.ip, to: web.ip, .echo(7, UInt16(hops)), hopLimit: UInt8(hops))
              stage.send(probe, from: pc, to: router)
              stage.wait(0.01)
              let from = hops == 1 ? router.ip : hops == 2 ? outer.ip : ip4("198.51.100.1")
              let left: UInt8 = 65 - UInt8(hops)
              stage.send(.ipv4(from: from, to: pc.ip, .timeExceeded(quoting: probe), hopLimit: left), from: router, to: pc)
              stage.wait(0.05)
            }
          }
        }
      })
    #expect(seen.odd == [.doubleNAT], "\(seen.story)")
    #expect(seen.finding(.doubleNAT)?.reasons.first?.value.display == "10.0.0.138")
    #expect(seen.host(router)?.ipv4 == [ip4("192.168.1.1")])
  }

  @Test("virtual machines are virtual, and a host that forwards for one translates for nobody")
  func virtualMachines() {
    let host = Box("workshop", "d8:cb:8a:40:00:60", "192.168.1.60")
    let bridged = Box("builder", "52:54:00:40:00:61", "192.168.1.61")
    let seen = look(
      Scenario("vm host", seen: .mirror, seed: 17) {
        At(0.5) {
          pc.dhcp(from: router)
          host.dhcp(from: router)
          host.announces()
          bridged.dhcp(from: router)
          bridged.announces()
        }
        At(5) { host.web(web, via: router, bytes: 60_000) }
        At(9) { bridged.web(web, via: router, bytes: 60_000) }
        At(12) {
          // A guest behind the host's own translation: one hop less, under the host's address.
          Talk { stage in
            for n in 0..<60 {
              stage.send(
                .ipv4(
                  from: host.ip, to: web.ip, .udp(Datagram(50_000, to: 443, [UInt8](repeating: 1, count: 40))), hopLimit: 63, id: UInt16(n)),
                from: host, to: router)
              stage.wait(0.05)
            }
          }
        }
      })
    #expect(seen.medium(bridged) == .virtual, "\(seen.story)")
    #expect(seen.roles(bridged).contains(.virtualMachine))
    #expect(!seen.roles(host).contains(.router))
    #expect(seen.odd.isEmpty)
  }

  // MARK: IPv6

  @Test("a Thread border router's route is no router of the home")
  func threadBorderRouter() {
    let border = Box("hub", "e4:5f:01:40:00:70", "192.168.1.70")
    let seen = look(
      Scenario("thread", seen: .host(pc), seed: 21) {
        At(0.5) {
          pc.dhcp(from: router)
          border.dhcp(from: router)
          border.announces()
          pc.arp(for: router)
        }
        Every(120, from: 2, until: 600) {
          router.advertises([.prefix(ip("2001:db8:40::").v6 ?? .any, 64)])
          border.advertises([.route(ip("fd12:3456:789a:1::").v6 ?? .any, 64)], lifetime: 0)
        }
        At(9) { border.mdns([.init("_meshcop._udp", port: 49_154)], overIPv6: true) }
      })
    #expect(seen.odd.isEmpty, "\(seen.story)")
    #expect(!seen.roles(border).contains(.router))
    #expect(seen.subnets.filter { !$0.prefix.address.isIPv4 }.map(\.prefix) == [prefix("2001:db8:40::/64")])
    #expect(seen.subnet("2001:db8:40::/64")?.gateways.compactMap(\.host) == [router.mac])
  }

  // MARK: Floods and failures

  @Test("television that reaches a host which never asked for it floods the switch")
  func multicastWithoutSnooping() {
    let tuner = Box("tuner", "00:18:dd:40:00:80", "192.168.1.80")
    let television = Box("tv", "64:1c:ae:40:00:81", "192.168.1.81")
    let film = Scenario("iptv", seen: .host(pc), seed: 22, transferLength: 96) {
      At(0.5) {
        pc.dhcp(from: router)
        tuner.dhcp(from: router)
        television.dhcp(from: router)
        television.announces()
        television.joins("239.77.0.5")
      }
      At(10) { tuner.sendsStream(to: "239.77.0.5", seconds: 20, megabits: 4) }
    }
    let seen = look(film)
    #expect(seen.odd == [.multicastFlood], "\(seen.story)")
    #expect(seen.finding(.multicastFlood)?.hosts.contains(tuner.mac) == true)
    #expect(seen.finding(.multicastFlood)?.text.contains("239.77.0.5") == true)
    // Whoever watches gets what he asked for, and a mirror shows everything by its trade.
    let watching = look(
      Scenario("watching", seen: .host(television), seed: 22, transferLength: 96) {
        At(0.5) {
          television.dhcp(from: router)
          television.joins("239.77.0.5")
        }
        At(10) { tuner.sendsStream(to: "239.77.0.5", seconds: 20, megabits: 4) }
      })
    #expect(watching.odd.isEmpty, "\(watching.story)")
    #expect(look(film.seen(from: .mirror)).odd.isEmpty)
  }

  @Test("a device that nobody gave an address says so itself")
  func linkLocalOnly() {
    let lost = Box("", "7c:bb:8a:40:00:90", "169.254.77.3")
    let seen = look(
      Scenario("no answer", seen: .host(pc), seed: 23) {
        At(0.5) {
          pc.dhcp(from: router)
          pc.announces()
        }
        At(5) { lost.discovers(times: 3) }
        At(40) { lost.probes() }
        At(50) { lost.mdns() }
      })
    #expect(seen.odd == [.linkLocalOnly], "\(seen.story)")
    #expect(seen.finding(.linkLocalOnly)?.hosts == [lost.mac])
    #expect(seen.subnet("169.254.0.0/16")?.kind == .linkLocal)
    #expect(!seen.odd.contains(.twoSubnetsOneWire))
  }

  @Test("frames with one byte wrong make no device of nothing, and stop nothing", arguments: [0x01, 0x80, 0xff] as [UInt8])
  func malformed(_ change: UInt8) {
    var pipeline = Pipeline()
    var number = 0
    for sample in Corpus.all {
      for at in stride(from: 0, to: sample.bytes.count, by: 3) {
        var bytes = sample.bytes
        bytes[at] ^= change
        number += 1
        let time = Timestamp(nanoseconds: 1_700_000_000_000_000_000 + Int64(number) * 1_000_000)
        pipeline.process(
          Frame(
            number: number, time: time, interface: 0, link: sample.link, wireLength: max(sample.wireLength, bytes.count),
            bytes: bytes.span.bytes))
      }
    }
    let seen = pipeline.snapshot()
    #expect(seen.capture.frames == number)
    #expect(seen.hosts.allSatisfy { $0.id.isStation && !$0.id.isZero && !$0.id.isGroup })
    #expect(seen.hosts.allSatisfy { host in host.attachedTo?.answer != host.id })
    #expect(seen.hosts.allSatisfy { $0.addresses.allSatisfy { !$0.isMulticast && $0 != .none } })
    for finding in seen.findings { #expect(finding.reasons.allSatisfy { ($0.frame ?? 1) <= number }) }
  }
}
