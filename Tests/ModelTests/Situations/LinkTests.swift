import Fixtures
import Model
import Scenarios
import Testing
import Wire

private let router = Box("gateway", "9c:c7:a6:31:00:10", "192.168.2.1", ssid: "burrow", bssid: "9c:c7:a6:31:00:12")
private let pc = Box("study", "60:a4:4c:31:00:0a", "192.168.2.20", vendorClass: "MSFT 5.0", hopLimit: 128)

/// Where devices are attached, and over what: situations 8 to 12 and 17 to 20 (`inference.md` 14).
@Suite("Links")
struct LinkTests {
  // MARK: Powerline

  @Test("a PC that says Ethernet behind a powerline adapter reaches the gateway over powerline")
  func powerline() {
    let near = Box("", "f4:06:8d:31:00:0a", link: .powerline)
    let far = Box("", "f4:06:8d:31:00:0b", link: .powerline, behind: near)
    let third = Box("", "f4:06:8d:31:00:0c", link: .powerline, behind: near)
    let console = Box("console", "7c:bb:8a:31:00:05", "192.168.2.21", behind: far)
    let printer = Box("printer", "00:1e:0b:31:00:06", "192.168.2.22", behind: third)
    let den = Box("den", "d8:cb:8a:31:00:07", "192.168.2.23", behind: third, vendorClass: "MSFT 5.0", hopLimit: 128)
    let seen = look(
      Scenario("powerline", seen: .host(pc), seed: 8) {
        At(1) {
          pc.dhcp(from: router)
          pc.announces()
        }
        At(3) {
          console.dhcp(from: router)
          printer.dhcp(from: router)
          den.dhcp(from: router)
          den.announces()
          router.arp(for: pc)
        }
        At(20) { pc.maps([(den, []), (printer, [])]) }
        At(30) { pc.readsPowerline([(near, [pc, router]), (far, [console]), (third, [printer, den])], local: near) }
      })
    #expect(seen.medium(console) == .powerline, "\(seen.story)")
    #expect(seen.medium(printer) == .powerline)
    #expect(seen.medium(den) == .powerline)
    #expect(seen.host(den)?.access?.answer == .ethernet)
    #expect(seen.attached(console) == far.mac)
    #expect(seen.attached(den) == third.mac)
    // Behind the gateway's own adapter no power line lies between.
    #expect(seen.medium(pc) != .powerline)
    for adapter in [near, far, third] { #expect(seen.roles(adapter).contains(.powerlineAdapter)) }
    #expect(seen.odd.isEmpty)
  }

  @Test("Mediaxtream adapters tell which of them is our own, and nothing of where the gateway is")
  func mediaxtream() {
    let own = Box("", "00:1f:84:31:00:0a", link: .powerline)
    let far = Box("", "00:1f:84:31:00:0b", link: .powerline, behind: own)
    let seen = look(
      Scenario("mediaxtream", seen: .host(pc), seed: 9) {
        At(1) {
          pc.dhcp(from: router)
          pc.announces()
        }
        Every(60, from: 5, until: 200) {
          pc.says(.mediaxtreamDiscoverRequest)
          own.says(.mediaxtreamDiscover(heardOn: 0, name: "study"), to: pc)
          far.says(.mediaxtreamDiscover(heardOn: 2, name: "hall"), to: pc)
          own.says(.mediaxtreamStatistics([(mac: far.mac, transmit: 220, receive: 180)]), to: pc)
        }
      })
    #expect(seen.attached(pc) == own.mac, "\(seen.story)")
    #expect(seen.host(pc)?.attachedTo?.confidence ?? 0 >= 0.9)
    #expect(seen.medium(own) == .powerline)
    #expect(seen.medium(far) == .powerline)
    #expect(seen.roles(own).contains(.powerlineAdapter))
    #expect(seen.medium(router) != .powerline)
    #expect(seen.odd.isEmpty)
  }

  // MARK: IEEE 1905

  private static func node(_ node: Box, uplink: Packet.Interface1905, clients: [Box], bridged: Bool = false) -> [Packet.TLV1905] {
    [
      .device(node.mac, [.ethernet(node.mac.plus(1)), .wifi(node.bssid, bssid: node.bssid), uplink]),
      .nodes(on: uplink.mac, [(al: router.mac, bridged: bridged)]),
      .operationalBSS(radio: node.bssid, [(bssid: node.bssid, ssid: "burrow")]), .clients(node.bssid, clients.map(\.mac)),
    ]
  }

  @Test("in a mesh of two agents a roaming phone hangs on the one it joined last")
  func roaming() {
    let up = Box("up", "9c:c7:a6:32:00:10", "192.168.2.2", link: .wifi, behind: router, ssid: "burrow", bssid: "9c:c7:a6:32:00:12")
    let shed = Box("shed", "9c:c7:a6:33:00:10", "192.168.2.3", ssid: "burrow", bssid: "9c:c7:a6:33:00:12")
    let phone = Box("", "c6:70:2b:31:00:5a", "192.168.2.31", link: .wifi, behind: up, vendorClass: "android-dhcp-14")
    let air = Packet.Interface1905.wifi(up.mac.plus(4), bssid: router.bssid, station: true)
    let cable = Packet.Interface1905.ethernet(shed.mac.plus(3))
    let seen = look(
      Scenario("mesh", seen: .bridge(router), seed: 10) {
        Every(60, from: 1, until: 400) {
          router.discovers1905()
          up.discovers1905()
          shed.discovers1905()
        }
        At(5) {
          pc.dhcp(from: router)
          phone.dhcp(from: router)
          phone.announces()
        }
        At(30) {
          router.queries1905(up, Self.node(up, uplink: air, clients: [phone]) + [.agent])
          router.queries1905(shed, Self.node(shed, uplink: cable, clients: []) + [.agent])
        }
        At(200) {
          shed.says(.topologyNotification(shed.mac, id: 7, [.association(phone.mac, shed.bssid)]))
          up.says(.topologyNotification(up.mac, id: 8, [.association(phone.mac, up.bssid, joined: false)]))
        }
        At(230) {
          router.queries1905(up, Self.node(up, uplink: air, clients: []) + [.agent])
          router.queries1905(shed, Self.node(shed, uplink: cable, clients: [phone]) + [.agent])
        }
      })
    #expect(seen.attached(phone) == shed.mac, "\(seen.story)")
    #expect(seen.medium(phone) == .wifi)
    #expect(seen.attached(up) == router.mac)
    #expect(seen.medium(up) == .wifi)
    #expect(seen.attached(shed) == router.mac)
    #expect(seen.medium(shed) == .ethernet)
    #expect(seen.roles(shed).contains(.accessPoint))
    #expect(seen.odd.isEmpty)
  }

  @Test("a 1905 node beyond an ordinary bridge is attached less surely than one that is a direct neighbour")
  func bridgeBetween() {
    func film(bridged: Bool) -> Snapshot {
      let shed = Box("shed", "9c:c7:a6:33:00:10", "192.168.2.3", ssid: "burrow", bssid: "9c:c7:a6:33:00:12")
      return look(
        Scenario("bridge between", seen: .bridge(router), seed: 11) {
          Every(60, from: 1, until: 300) {
            router.discovers1905()
            shed.discovers1905(twin: !bridged)
          }
          At(5) { pc.dhcp(from: router) }
          At(30) {
            router.queries1905(
              shed, Self.node(shed, uplink: .ethernet(shed.mac.plus(3)), clients: [], bridged: bridged) + [.agent])
          }
        })
    }
    let direct = film(bridged: false).host(mac("9c:c7:a6:33:00:10"))?.attachedTo
    let beyond = film(bridged: true).host(mac("9c:c7:a6:33:00:10"))?.attachedTo
    #expect(direct?.answer == router.mac)
    #expect(direct?.confidence ?? 0 > 0.97)
    #expect(beyond?.confidence ?? 0 < 0.95)
    #expect(beyond == nil || beyond?.answer == router.mac)
  }

  // MARK: Bridges that cannot be seen

  @Test("a repeater that puts its own address on frames is named, with the devices behind it")
  func repeater() {
    let repeater = Box("repeater", "ec:08:6b:31:00:40", "192.168.2.40", link: .wifi, behind: router)
    let camera = Box("camera", "ec:08:6b:31:00:40", "192.168.2.41", link: .wifi, behind: router)
    let plug = Box("plug", "ec:08:6b:31:00:40", "192.168.2.42", link: .wifi, behind: router)
    let seen = look(
      Scenario("repeater", seen: .mirror, seed: 12) {
        At(1) { pc.dhcp(from: router) }
        At(2) {
          repeater.dhcp(from: router)
          repeater.announces()
        }
        At(5) {
          camera.dhcp(from: router, as: mac("a4:cf:12:31:00:41"))
          camera.announces()
          plug.dhcp(from: router, as: mac("2c:f4:32:31:00:42"))
          plug.announces()
        }
        Every(30, from: 20, until: 120) {
          camera.arp(for: router)
          plug.arp(for: router)
        }
      })
    #expect(seen.odd == [.macTranslatingBridge], "\(seen.story)")
    #expect(seen.finding(.macTranslatingBridge)?.hosts == [repeater.mac])
    #expect(seen.host(mac("a4:cf:12:31:00:41"))?.attachedTo?.answer == repeater.mac)
  }

  @Test("loop-detecting frames of two switches with the factory's address make no device, and break nothing")
  func unmanagedSwitches() {
    let one = Box("", "52:54:4c:83:05:b0")
    let seen = look(
      Scenario("two rhythms", seen: .host(pc), seed: 17) {
        At(1) {
          pc.dhcp(from: router)
          pc.announces()
        }
        Every(215, from: 31, until: 1200) { one.says(.rldp) }
        Every(47, from: 12, until: 1200) { one.says(.rldp) }
        Every(60, from: 5, until: 1200) { router.arp(for: pc) }
      })
    #expect(seen.host(one) == nil, "\(seen.story)")
    #expect(seen.odd.isEmpty)
  }

  // MARK: Radio

  @Test("an observer on Wi-Fi measures his own radio: no medium of others comes from timing")
  func observerOnWiFi() {
    let laptop = Box("laptop", "70:4f:57:31:00:b1", "192.168.2.25", link: .wifi, behind: router)
    let nas = Box("nas", "bc:5f:f4:31:00:0b", "192.168.2.30")
    let seen = look(
      Scenario("wireless observer", seen: .host(laptop), seed: 18) {
        At(1) {
          laptop.dhcp(from: router)
          laptop.announces()
        }
        Every(10, from: 5, until: 200) {
          laptop.pings(nas, times: 2)
          laptop.pings(router, times: 2)
        }
      })
    #expect(seen.host(nas)?.medium == nil, "\(seen.story)")
    #expect(seen.host(router)?.medium == nil)
    #expect(seen.odd.isEmpty)
  }

  @Test("four-address frames between two access points make neither a station of the other's clients")
  func wds() {
    let near = Box("near", "9c:c7:a6:34:00:10", ssid: "burrow", bssid: "9c:c7:a6:34:00:10")
    let far = Box("far", "9c:c7:a6:35:00:10", ssid: "burrow", bssid: "9c:c7:a6:35:00:10")
    let tablet = Box("tablet", "ae:31:0c:31:00:04", "192.168.2.33", link: .wifi, behind: far)
    let noise = [UInt8](repeating: 0xd5, count: 120)
    let seen = look(
      Scenario("wds", seen: .monitor, seed: 19) {
        At(0) { near.beacons(for: 4) }
        At(0.05) { far.beacons(for: 4) }
        At(1) { tablet.associates(with: far) }
        Every(0.2, from: 1.5, until: 4) {
          tablet.says(.arpRequest(router.ip, from: tablet.mac, tablet.ip), to: pc)
          Talk { stage in
            stage.send(.wds(near.bssid, from: far.bssid, to: pc.mac, source: tablet.mac, sequence: 9, noise), from: far)
            stage.wait(0.01)
            stage.send(.wds(far.bssid, from: near.bssid, to: tablet.mac, source: pc.mac, sequence: 9, noise), from: near)
          }
        }
      })
    #expect(seen.capture.vantage == .monitor, "\(seen.story)")
    #expect(seen.attached(tablet) == far.mac)
    #expect(seen.medium(tablet) == .wifi)
    #expect(seen.roles(near).contains(.accessPoint))
    #expect(seen.roles(far).contains(.accessPoint))
    // The PC's frames came over the air, but it is no station of anybody.
    #expect(seen.host(pc)?.attachedTo?.answer != near.mac)
    #expect(seen.medium(pc) != .wifi)
    #expect(seen.odd.isEmpty)
  }

  @Test("a station hangs on the box that its radio's number is next to, and that makes the box nothing more")
  func radioByNumber() {
    let laptop = Box("laptop", "70:4f:57:31:00:08", "192.168.2.24", link: .wifi, behind: router)
    let seen = look(
      Scenario("radio by number", seen: .host(pc), seed: 21) {
        At(1) {
          pc.dhcp(from: router)
          laptop.dhcp(from: router)
          router.arp(for: pc)
        }
        At(20) { pc.maps([(laptop, Box.onAir(router))]) }
      })
    #expect(seen.attached(laptop) == router.mac, "\(seen.story)")
    #expect(seen.host(router)?.virtualMACs == [mac("9c:c7:a6:31:00:12")])
    #expect(!seen.roles(router).contains(.accessPoint))
  }

  @Test("one forged Hello does not put a wired printer on the air")
  func forgedHello() {
    let printer = Box("printer", "00:1e:0b:31:00:06", "192.168.2.22")
    let forged: [Packet.LLTDProperty] = [
      .medium(71), .infrastructure, .bssid(mac("02:66:31:00:00:01")), .ssid("burrow"), .signal(-40),
    ]
    let seen = look(
      Scenario("forged hello", seen: .host(pc), seed: 20) {
        At(1) {
          pc.dhcp(from: router)
          printer.dhcp(from: router)
          printer.announces()
        }
        Every(60, from: 10, until: 400) { printer.lltdHello() }
        At(205) { printer.lltdHello(forged) }
      })
    #expect(seen.medium(printer) == .ethernet, "\(seen.story)")
    #expect(seen.host(printer)?.medium?.against.isEmpty == false)
    #expect(seen.host(printer)?.attachedTo?.answer != mac("02:66:31:00:00:01"))
    #expect(seen.host(mac("02:66:31:00:00:01")) == nil)
  }

  @Test("an access point that was never heard itself is explained alike each time, whoever of its stations is asked first")
  func unheardPoint() {
    let point = mac("c0:02:00:51:00:15")
    var pipeline = Pipeline()
    for (at, last) in [UInt8(0x0a), 0x0b, 0x0c, 0x0d].enumerated() {
      // 802.11 data to the distribution system: address 1 is the BSSID, 2 the station, 3 whom it is for. ARP inside.
      let arp: [UInt8] = [0xaa, 0xaa, 3, 0, 0, 0, 8, 6, 0, 1, 8, 0, 6, 4, 0, 1]
      let station: [UInt8] = [0x5c, 0xa6, 0xe6, 0x51, 0, last]
      let bytes =
        [0x08, 0x01, 0, 0] + point.bytes + station + [UInt8](repeating: 0xff, count: 6) + [UInt8(at) << 4, 0] + arp + station
        + [192, 168, 7, last] + [UInt8](repeating: 0, count: 6) + [192, 168, 7, 1]
      pipeline.process(
        Frame(
          number: at + 1, time: Timestamp(seconds: 1_700_000_000 + Int64(at), nanoseconds: 0), interface: 0, link: .ieee80211,
          wireLength: bytes.count, bytes: bytes.span.bytes))
    }
    let first = pipeline.snapshot()
    #expect(first.host(point)?.roles == [.accessPoint], "\(first.story)")
    // The order of a hash table follows from where it lies: what is kept makes the next one lie elsewhere.
    var kept: [(Snapshot, [Int])] = []
    for turn in 0..<64 { kept.append((pipeline.snapshot(), [Int](repeating: 0, count: 8 + turn))) }
    #expect(kept.allSatisfy { $0.0 == first })
  }
}
