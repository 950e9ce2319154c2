import Fixtures
import Model
import Scenarios
import Testing
import Wire

private let router = Box("gateway", "5c:a6:e6:90:00:10", "192.168.1.1")
private let pc = Box("desk", "60:a4:4c:90:00:0a", "192.168.1.20", vendorClass: "MSFT 5.0", hopLimit: 128)
private let nas = Box("archive", "bc:5f:f4:90:00:0b", "192.168.1.30")
private let web = Site("www.example.com", "203.0.113.20")

/// Where a file was made, from its frames alone: it does not say which ones its own machine sent (`inference.md` 2).
@Suite("Vantage")
struct VantageTests {
  private func heard(_ film: Scenario) -> Snapshot {
    look(
      film.frames().map { frame in
        var frame = frame
        frame.direction = .unknown
        return frame
      })
  }

  private static let everyday: [Cue] = [
    At(1) {
      pc.dhcp(from: router)
      pc.arp(for: router)
      nas.dhcp(from: router)
      nas.arp(for: router)
      nas.arp(for: pc)
    },
    At(10) { pc.web(web, via: router, bytes: 60_000) },
    At(20) { nas.web(web, via: router, bytes: 60_000) },
    At(30) { pc.copies(60_000, from: nas) },
  ]

  @Test("short frames tell the host and the router, padded ones a copy of the wire")
  func everyday() {
    let film = Scenario("everyday") { Self.everyday }
    #expect(heard(film.seen(from: .host(pc))).capture.vantage == .host)
    #expect(heard(film.seen(from: .host(pc))).capture.observer == pc.mac)
    #expect(heard(film.seen(from: .mirror)).capture.vantage == .mirror)
    #expect(heard(film.seen(from: .mirrorOf(router))).capture.vantage == .mirror)
  }

  @Test("a few frames tell nothing, be they as short as they like")
  func fewFrames() {
    let one = heard(Scenario("one frame", seen: .host(pc)) { pc.claims("192.168.1.20", to: router) })
    #expect(one.capture.vantage == .unknown, "\(one.story)")
    #expect(!one.findings.contains { $0.id == .halfVisible })
    let shouts = heard(
      Scenario("shouts", seen: .host(pc)) {
        At(1) {
          pc.announces()
          pc.arp(for: "192.168.1.1")
          pc.arp(for: "192.168.1.2")
        }
      })
    #expect(shouts.capture.vantage == .unknown, "\(shouts.story)")
  }

  @Test("who captures and hands out addresses, but is nobody's way out, is one host")
  func server() {
    let own = Box("server", "5c:a6:e6:91:00:10", "192.168.1.2")
    let seen = heard(
      Scenario("server", seen: .host(own)) {
        At(1) {
          pc.dhcp(from: own, .init(server: "192.168.1.2"))
          pc.arp(for: own)
          nas.dhcp(from: own, .init(server: "192.168.1.2"))
          nas.arp(for: own)
          own.arp(for: pc)
        }
        At(10) { pc.pings(own, times: 8) }
        At(20) { nas.pings(own, times: 8) }
      })
    #expect(seen.capture.vantage == .host, "\(seen.story)")
    #expect(seen.capture.observer == own.mac)
  }

  /// From frames alone a socket of the router and the bridge inside it look alike.
  @Test("the box that captures and lets one address of the internet in is the router, at its bridge or at its socket")
  func smallRouter() {
    let seen = heard(
      Scenario("router", seen: .host(router)) {
        At(1) {
          pc.arp(for: router)
          nas.arp(for: router)
          router.arp(for: pc)
        }
        At(10) { pc.web(web, via: router, bytes: 30_000) }
      })
    #expect([.router, .bridge].contains(seen.capture.vantage), "\(seen.story)")
    #expect(seen.capture.observer == router.mac)
    #expect(!seen.findings.contains { $0.id == .halfVisible })
  }

  @Test("one half of a radio handshake is heard at the access point, not on the station")
  func handshake() {
    let kettle = Box("kettle", "5c:cf:7f:90:00:33", "192.168.1.40")
    let point = mac("28:b2:bd:90:00:78")
    let key = [UInt8]([1, 3, 0, 95, 2, 0x01, 0x0a]) + [UInt8](repeating: 0, count: 92)
    let seen = heard(
      Scenario("handshake", seen: .host(kettle)) {
        At(0.5) { Talk { stage in for _ in 0..<2 { stage.send(Packet(.eapol, key, to: point), from: kettle, to: point) } } }
        At(1) {
          kettle.dhcp(from: router)
          kettle.arp(for: router)
        }
        At(5) { kettle.pings(router, times: 10) }
      })
    #expect(seen.capture.vantage == .unknown, "\(seen.story)")
  }

  @Test("two short senders that talk to each other alone do not make a bridge")
  func twoShort() {
    let phone = Box("phone", "60:a4:4c:92:00:0c", "192.168.1.41")
    var frames = Scenario("two", seen: .host(phone)) {
      At(1) { phone.arp(for: router) }
      At(5) { phone.pings(router, times: 10) }
    }.frames()
    // On a radio the router's own frames come as short as they were sent.
    for at in frames.indices {
      frames[at].direction = .unknown
      guard frames[at].bytes.count == 60, frames[at].bytes[12...13] == [8, 6] else { continue }
      frames[at].bytes = Array(frames[at].bytes[..<42])
      frames[at].wireLength = 42
    }
    let seen = look(frames)
    #expect(seen.capture.vantage == .unknown, "\(seen.story)")
  }

  @Test("one pair that was heard is no mirror port")
  func onePair() {
    let frames = Scenario("pair", seen: .mirror) { At(10) { pc.web(web, via: router, bytes: 60_000) } }.frames()
    #expect(look(frames).capture.vantage == .unknown)
  }
}
