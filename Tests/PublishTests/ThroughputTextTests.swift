import Fixtures
import Model
import Scenarios
import Testing
import Wire

@testable import Publish

/// What the page says of who uses the line.
@Suite("Throughput as text")
struct ThroughputTextTests {
  private static func text(_ snapshot: Snapshot) -> String {
    var out = ""
    TextReport(style: TextStyle(version: "1")).render(snapshot, into: &out)
    return out
  }

  private static func frame(_ bytes: [UInt8], _ link: LinkType) -> CapturedFrame {
    CapturedFrame(time: Scenario.someMorning, link: link, bytes: bytes, wireLength: bytes.count)
  }

  private static let packet = Packet.ipv4(
    from: ip4("192.168.0.3"), to: ip4("192.168.0.10"), .udp(Datagram(5000, to: 5001, [UInt8](repeating: 0x78, count: 60))))

  @Test("a link without hardware addresses has no devices, and the page says why and who talked")
  func withoutStations() {
    let page = Self.text(snapshot(of: [Self.frame(Self.packet.bytes, .raw)]))
    #expect(page.contains("0 devices"))
    #expect(page.contains("THROUGHPUT\nlargest conversations"), "\(page)")
    #expect(page.contains("192.168.0.10"))
    #expect(page.contains("Frames of link type RAW carry no hardware addresses, so no devices are listed"))
  }

  @Test("frames that name no sender make no device, and the page says so")
  func withoutSender() {
    let page = Self.text(snapshot(of: [Self.frame(Self.packet.frame(from: .zero, to: mac("02:00:00:00:00:01")), .ethernet)]))
    #expect(page.contains("No frame names a station that sent it"), "\(page)")
    #expect(page.contains("192.168.0.3"))
    #expect(!Self.text(snapshot(of: [])).contains("No frame names"))
  }

  @Test("a large stream to a group is listed with its sender and members, the link's own chatter is not")
  func streams() {
    let tuner = Box("tuner", "00:18:dd:60:00:80", "192.168.1.80")
    let television = Box("", "64:1c:ae:60:00:81", "192.168.1.81")
    let page = Self.text(
      Scenario("stream", transferLength: 96) {
        television.joins("239.77.0.5")
        tuner.mdns()
        At(1) { tuner.sendsStream(to: "239.77.0.5", seconds: 1, megabits: 2) }
      }.snapshot())
    let streams = page.split(separator: "\n").drop { !$0.hasPrefix("largest multicast streams") }
    #expect(streams.dropFirst().first?.contains("239.77.0.5") == true, "\(page)")
    #expect(streams.dropFirst().first?.hasSuffix(" 1") == true)
    #expect(!streams.contains { $0.contains("224.0.0.251") })
  }

  @Test("what the frames do not tell is called unknown, and only what was forwarded passed on")
  func unknown() {
    var seen = snapshot(of: [Self.frame(Self.packet.frame(from: mac("02:00:00:00:00:01")), .ethernet)])
    seen.hosts[0].traffic = Traffic()
    seen.hosts[0].traffic.sentBytes = 1000
    seen.hosts[0].traffic.localBytes = 100
    seen.hosts[0].traffic.carriedBytes = 300
    #expect(Self.text(seen).contains("0 / 10, passed on 30, unknown 60"))
  }

  @Test("devices of one name are told apart, and the nearest adapter's address is no riddle")
  func namesakes() {
    let one = Box("vault", "00:16:3e:30:00:01", "192.168.0.31")
    let other = Box("vault", "00:16:3e:30:00:02", "192.168.0.32")
    let lone = Box("desk", "00:16:3e:30:00:03", "192.168.0.33")
    let page = Self.text(
      Scenario("namesakes", seen: .mirror) {
        for box in [one, other, lone] { box.mdns() }
        At(1) { one.copies(9000, from: other) }
        At(2) { lone.copies(500, from: one) }
        At(3) {
          Talk { $0.send(.discoverListRequest, from: lone, to: mac("00:b0:52:00:00:01")) }
        }
      }.snapshot())
    #expect(page.contains("\nvault (00:01)") && page.contains("\nvault (00:02)"), "\(page)")
    #expect(page.contains("\ndesk  "))
    #expect(page.split(separator: "\n").contains { $0.contains("vault (00:01)") && $0.contains("vault (00:02)") })
    #expect(page.contains("the nearest adapter") && !page.contains("00:b0:52:00:00:01"))
  }

  @Test("interfaces that are not listened on are named, the first ones")
  func deaf() {
    var seen = snapshot(of: [Self.frame(Self.packet.frame(from: mac("02:00:00:00:00:01")), .ethernet)])
    #expect(!Self.text(seen).contains("Nothing is heard on"))
    seen.health.interfacesAwaited = (1...10).map { "lan\($0)" }
    #expect(Self.text(seen).contains("Nothing is heard on lan1, lan2"))
    #expect(Self.text(seen).contains("lan8 and 2 more"))
    #expect(!Self.text(seen).contains("lan9"))
  }

  @Test("a full table is said")
  func left() {
    var seen = snapshot(of: [Self.frame(Self.packet.frame(from: mac("02:00:00:00:00:01")), .ethernet)])
    #expect(!Self.text(seen).contains("than is kept"))
    seen.health.claimsLeft = 1
    #expect(Self.text(seen).contains("More was said about single devices than is kept"))
    seen.health.pairsEvicted = 1
    #expect(Self.text(seen).contains("More addresses talked with each other than are kept"))
  }
}
