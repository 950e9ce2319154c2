import Fixtures
import Model
import Scenarios
import Testing
import Wire

/// Whoever starts to listen in the middle, or loses frames, knows less: no claim turns into another one.
@Suite("Parts of a capture")
struct PartialTests {
  /// Which frames are heard.
  enum Part: String, CaseIterable, CustomTestStringConvertible {
    case firstEighth, firstHalf, secondHalf, lastFifth, middle
    case noneOfDHCP, onlyARP, noARP, onlyGroups
    case everyOther, everyThird, oneOfFive, scattered

    var testDescription: String { rawValue }
    var endsEarly: Bool { self == .firstEighth || self == .firstHalf || self == .middle }

    func of(_ frames: [CapturedFrame]) -> [CapturedFrame] {
      let count = frames.count
      return switch self {
      case .firstEighth: Array(frames[..<(count / 8)])
      case .firstHalf: Array(frames[..<(count / 2)])
      case .secondHalf: Array(frames[(count / 2)...])
      case .lastFifth: Array(frames[(count * 4 / 5)...])
      case .middle: Array(frames[(count / 3)..<(count * 2 / 3)])
      case .noneOfDHCP: frames.filter { !Part.holds($0, [0x63, 0x82, 0x53, 0x63]) }
      case .onlyARP: frames.filter { Part.holds($0, [0x08, 0x06, 0x00, 0x01]) }
      case .noARP: frames.filter { !Part.holds($0, [0x08, 0x06, 0x00, 0x01]) }
      case .onlyGroups: frames.filter { $0.bytes.first.map { $0 & 1 != 0 } ?? false }
      case .everyOther: frames.indices.filter { $0 % 2 == 1 }.map { frames[$0] }
      case .everyThird: frames.indices.filter { $0 % 3 == 1 }.map { frames[$0] }
      case .oneOfFive: frames.indices.filter { $0 % 5 == 2 }.map { frames[$0] }
      case .scattered: frames.indices.filter { ($0 &* 2_654_435_761) >> 7 & 1 == 0 }.map { frames[$0] }
      }
    }

    private static func holds(_ frame: CapturedFrame, _ bytes: [UInt8]) -> Bool {
      frame.bytes.indices.contains { frame.bytes[$0...].starts(with: bytes) }
    }
  }

  @Test("claim nothing else than the whole", arguments: Homes.all, Part.allCases)
  func part(home: Scenario, part: Part) {
    let frames = home.frames()
    let whole = snapshot(of: frames)
    let seen = look(part.of(frames))
    for host in seen.hosts {
      let known = whole.host(host.id)
      // Its own interface is cabled, as it says, even where a power line lies beyond that was not heard of.
      if let medium = host.medium?.answer, medium != .ethernet || host.access?.answer != .ethernet {
        #expect(known?.medium.map { $0.answer == medium } != false, "\(host.id) \(medium): \(whole.story)\n\(seen.story)")
      }
      // Who moves hung elsewhere before.
      if !part.endsEarly, let parent = host.attachedTo?.answer, let other = known?.attachedTo?.answer {
        #expect(whole.host(parent)?.id == whole.host(other)?.id, "\(host.id) on \(parent): \(seen.story)")
      }
      if let side = host.behindModem?.answer {
        #expect(known?.behindModem.map { $0.answer == side } != false, "\(host.id) \(side): \(seen.story)")
      }
      // One who does both may have been heard doing one; what nobody plays in the whole, nobody plays in a part.
      for role in host.roles where role == .router || role == .gateway || role == .nat || role == .dhcpServer || role == .accessPoint {
        #expect(known?.roles.contains(role) != false, "\(host.id) \(role): \(seen.story)")
      }
    }
    for subnet in seen.subnets {
      guard let known = whole.subnets.first(where: { $0.prefix.contains(subnet.prefix.address) }) else { continue }
      // That guests keep to themselves is judged by what is not heard.
      let kinds = [subnet.kind, known.kind].map { $0 == .guest ? .home : $0 }
      if !kinds.contains(.unknown) { #expect(kinds[0] == kinds[1], "\(subnet.prefix): \(seen.story)") }
      for gateway in subnet.gateways where gateway.confidence >= 0.7 {
        #expect(known.gateways.contains { $0.address == gateway.address }, "\(subnet.prefix) by \(gateway.address): \(seen.story)")
      }
    }
    let ids = Set(whole.findings.map(\.id))
    for finding in seen.findings where finding.id != .halfVisible && finding.id != .guestNetwork {
      #expect(ids.contains(finding.id), "\(finding.text) \(seen.story)")
    }
  }

  // MARK: What made wrong claims of less

  private static let router = Box("gateway", "5c:a6:e6:40:00:10", "192.168.0.1")
  private static let pc = Box("desk", "60:a4:4c:40:00:0a", "192.168.0.20", vendorClass: "MSFT 5.0")
  private static let laptop = Box("lap", "60:a4:4c:40:00:0b", "192.168.0.21")
  private static let headEnd = Box("", "00:01:5c:40:00:02", "10.166.179.1")
  private static let box = Box("", "68:63:59:40:00:31", "10.166.179.23", vendorClass: "STB-1")

  @Test("the operator's own equipment is no customer of his, though nothing names it as the way out")
  func headEnd() {
    let far = Box("", "00:01:5c:40:00:03", "10.166.176.1")
    let seen = look(
      Scenario("no relay heard", seen: .mirror) {
        At(1) { Self.pc.dhcp(from: Self.router) }
        At(2) { Self.box.dhcp(from: far, .init(gateway: nil, server: "10.166.176.1")) }
        At(5) { Self.headEnd.announces() }
        At(6) { Self.headEnd.arp(for: Self.box) }
      })
    #expect(seen.side(Self.headEnd) != .bridged, "\(seen.story)")
    #expect(seen.finding(.operatorBridgedDevice)?.hosts.contains(Self.headEnd.mac) != true)
  }

  @Test("of two networks of which nothing is proven, neither is called the home's")
  func twoUnproven() {
    let seen = look(
      Scenario("only questions", seen: .mirror) {
        At(1) { Self.headEnd.arp(for: Self.box) }
        At(2) { Self.pc.arp(for: Self.laptop) }
        At(30) { Self.headEnd.arp(for: Self.box) }
        At(31) { Self.laptop.arp(for: Self.pc) }
      })
    #expect(seen.subnet("10.166.179.0/24")?.kind == .unknown, "\(seen.story)")
    #expect(seen.subnet("192.168.0.0/24")?.kind == .unknown)
    // By itself it is beside no other network, and the text does not say so.
    let alone = look(Scenario("alone", seen: .mirror) { At(1) { Self.headEnd.arp(for: Self.box) } })
    let text = alone.subnet("10.166.179.0/24")?.reason ?? ""
    #expect(text.contains("is open") && !text.contains("another network"), "\(text)")
  }

  @Test("a server that all look for is no way out where somebody has the number of one")
  func popularServer() {
    let server = Box("vault", "00:11:32:40:00:0c", "192.168.0.10")
    let film = Scenario("popular", seen: .mirror) {
      At(1) { Self.pc.arp(for: server) }
      At(2) { Self.laptop.arp(for: server) }
      At(3) { Self.router.arp(for: Self.pc) }
    }
    #expect(look(film).subnet("192.168.0.0/24")?.gateways.isEmpty == true, "\(look(film).story)")
  }

  @Test("who answers for the router's address is not the way out that others take him for")
  func pretender() {
    let liar = Box("", "b8:27:eb:40:00:22", "192.168.0.22")
    let site = Site("www.example.com", "203.0.113.44")
    let seen = look(
      Scenario("no DHCP heard", seen: .mirror) {
        At(1) {
          Self.router.announces()
          liar.announces()
        }
        At(2) { Self.pc.arp(for: Self.router) }
        At(3) { Self.pc.web(site, via: Self.router, bytes: 9000) }
        Every(2, from: 5, until: 15) { liar.claims("192.168.0.1", to: Self.pc) }
        At(20) { Self.pc.web(site, via: liar, bytes: 90_000) }
      })
    #expect(seen.subnet("192.168.0.0/24")?.gateways.map(\.address) == [ip("192.168.0.1")], "\(seen.story)")
    #expect(!seen.roles(liar).contains(.gateway))
  }

  @Test("the first address behind an adapter says nothing of a power line before it, until the way out is known to be elsewhere")
  func firstBehindAdapter() {
    let near = Box("", "f4:06:8d:40:00:01")
    let far = Box("", "f4:06:8d:40:00:02")
    func film(_ other: MACAddress) -> Scenario {
      Scenario("first addresses", seen: .mirror) {
        At(1) { Self.pc.dhcp(from: Self.router) }
        At(2) { Self.pc.web(Site("www.example.com", "203.0.113.44"), via: Self.router, bytes: 9000) }
        At(5) {
          near.says(
            .networkInformation(
              terminal: 1, role: 2, coordinator: near.mac,
              [Packet.PowerlineStation(near.mac, 1, bridged: Self.pc.mac), Packet.PowerlineStation(far.mac, 2, bridged: other)]),
            to: Self.laptop)
        }
      }
    }
    #expect(look(film(Self.laptop.mac)).medium(Self.pc) != .powerline, "\(look(film(Self.laptop.mac)).story)")
    // Another one's list, which is no adapter's, does not say where the adapters are.
    let node = Box("", "9c:3d:cf:40:00:10")
    let beside = Scenario("a mesh beside it", seen: .mirror) {
      At(1) { Self.pc.dhcp(from: Self.router) }
      At(2) { Self.pc.web(Site("www.example.com", "203.0.113.44"), via: Self.router, bytes: 9000) }
      At(4) {
        node.says(
          .topologyResponse(
            id: 7, [.node(node.mac), .device(node.mac, [.ethernet(node.mac)]), .others(on: node.mac, [Self.router.mac])]), to: Self.laptop)
      }
      At(5) {
        near.says(
          .networkInformation(
            terminal: 1, role: 2, coordinator: near.mac, [Packet.PowerlineStation(near.mac, 1, bridged: Self.pc.mac)]), to: Self.laptop)
      }
    }
    #expect(look(beside).medium(Self.pc) != .powerline, "\(look(beside).story)")
    #expect(look(film(Self.router.mac)).medium(Self.pc) == .powerline, "\(look(film(Self.router.mac)).story)")
  }

  @Test("whom the operator serves alone may be the home's router itself, where nothing says otherwise")
  func onlyCustomer() {
    let far = Box("", "00:01:5c:40:00:03", "81.83.64.1")
    let customer = Box("", "00:1d:7e:40:00:99", "81.83.71.214", prefixLength: 20)
    let seen = look(
      Scenario("modem's wire", seen: .mirror) {
        At(1) { customer.dhcp(from: far, .init(gateway: "81.83.64.1", server: "81.82.0.1")) }
      })
    #expect(seen.finding(.operatorBridgedDevice) == nil, "\(seen.story)")
  }

  @Test("a router's answer for one address of another network may be for its own")
  func secondAddress() {
    let there = Self.router.at("10.0.4.2")
    let guest = Box("", "60:a4:4c:40:00:0c", "10.0.4.15")
    let film = Scenario("one answer", seen: .mirror) {
      At(1) { Self.pc.dhcp(from: Self.router) }
      At(2) { Self.router.announces() }
      At(3) { guest.arp(for: there) }
    }
    #expect(look(film).finding(.proxyARP) == nil, "\(look(film).story)")
  }
}
