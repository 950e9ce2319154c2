import CLinux
import Glibc
import Testing
import Wire

@testable import Capture

@Suite("interfaces")
struct InterfaceTests {
  @Test("names that play tricks are refused, honest and libpcap's own ones are not")
  func names() {
    for name in ["eth0", "wlp3s0", "br-1a2b3c4d5e6f", "eth0.20", "any", "nflog", "nflog:5", "nfqueue:0", "bluetooth-monitor", "ümlaut"] {
      #expect(InterfaceFacts.problem(withName: name) == nil, "\(name)")
    }
    for name in ["", ".", "..", "../x", "a/b", "a b", "a\tb", "eth0:1", "nflog:x", "abcdefghijklmnop", "a\0b", "a\u{1b}", "rpcap://x/y"] {
      #expect(InterfaceFacts.problem(withName: name) != nil, "\(name)")
    }
    #expect(InterfaceFacts.problem(withName: String(repeating: "\u{1b}x", count: 4000))?.utf8.count ?? 0 < 600)
  }

  @Test("a file is no interface: libpcap would open it")
  func noFiles() {
    do {
      _ = try LiveCapture(CaptureSettings(interfaces: ["/tmp/x.pcap"]))
      Issue.record("it was opened")
    } catch { #expect(error.exitStatus == 64) }
  }

  @Test("settings are checked")
  func settings() {
    var settings = CaptureSettings(interfaces: ["eth0"])
    #expect(settings.problems().isEmpty)
    settings.snapLength = 13
    settings.bufferBytes = 1
    #expect(settings.problems().count == 2)
  }

  @Test("all rings together take 32 MiB at most")
  func rings() {
    func ring(_ count: Int) -> Int {
      CaptureSettings(interfaces: (0..<count).map { "if\($0)" }).ringBytes
    }
    #expect(ring(1) == 16 << 20)
    #expect(ring(2) == 16 << 20)
    #expect(ring(4) == 8 << 20)
    #expect(ring(64) == 512 << 10)
  }

  @Test("the kernel's list has the loopback interface, with its addresses")
  func list() throws {
    let all = try InterfaceFacts.all()
    let loopback = try #require(all.first { $0.kind == .loopback })
    #expect(loopback.mac == nil)
    #expect(!loopback.isOffered)
    #expect(all.allSatisfy { $0.index > 0 && !$0.name.isEmpty })
    #expect(try InterfaceFacts.all(pseudo: true).dropFirst(all.count).allSatisfy { $0.kind == .pseudo && !$0.isOffered })
  }

  /// Builds a netlink message's attributes.
  struct Attributes {
    var writer = ByteWriter()

    mutating func add(_ type: Int, _ value: [UInt8]) {
      writer.u16LE(UInt16(value.count + 4))
      writer.u16LE(UInt16(type))
      writer.append(value)
      writer.zeros((4 - value.count % 4) % 4)
    }
  }

  static func link() -> [UInt8] {
    var out = Attributes()
    out.writer.append([0, 0, 1, 0, 3, 0, 0, 0, 0x43, 0x10, 1, 0, 0, 0, 0, 0])
    out.add(IFLA_IFNAME, Array("lan0\0".utf8))
    out.add(IFLA_ADDRESS, [2, 0, 0, 0, 0, 10])
    out.add(IFLA_MTU, [0xdc, 5, 0, 0])
    out.add(IFLA_MASTER, [9, 0, 0, 0])
    var inner = Attributes()
    inner.add(IFLA_INFO_KIND, Array("veth\0".utf8))
    out.add(IFLA_LINKINFO, inner.writer.bytes)
    return out.writer.bytes
  }

  static func address() -> [UInt8] {
    var out = Attributes()
    out.writer.append([2, 24, 0x80, 0, 3, 0, 0, 0])
    out.add(IFA_ADDRESS, [192, 168, 0, 1])
    out.add(IFA_LOCAL, [192, 168, 0, 10])
    return out.writer.bytes
  }

  static func route() -> [UInt8] {
    var out = Attributes()
    out.writer.append([2, 0, 0, 0, 254, 3, 0, 1, 0, 0, 0, 0])
    out.add(Int(RTA_PRIORITY.rawValue), [100, 0, 0, 0])
    var hop = Attributes()
    hop.writer.append([16, 0, 0, 0, 3, 0, 0, 0])
    hop.add(Int(RTA_GATEWAY.rawValue), [192, 168, 0, 1])
    var second = Attributes()
    second.writer.append([16, 0, 0, 0, 4, 0, 0, 0])
    second.add(Int(RTA_GATEWAY.rawValue), [192, 168, 1, 1])
    out.add(Int(RTA_MULTIPATH.rawValue), hop.writer.bytes + second.writer.bytes)
    return out.writer.bytes
  }

  @Test("messages of the kernel are read")
  func messages() throws {
    try InterfaceTests.link().withUnsafeBytes { bytes in
      let link = try #require(InterfaceFacts.Link(bytes))
      #expect(link.facts.name == "lan0")
      #expect(link.facts.index == 3)
      #expect(link.facts.mac == MACAddress("02:00:00:00:00:0a"))
      #expect(link.facts.mtu == 1500)
      #expect(link.facts.isUp && link.facts.isRunning)
      #expect(link.facts.kind == .ethernet)
      #expect(link.facts.detail == "veth")
      #expect(link.master == 9)
    }
    try InterfaceTests.address().withUnsafeBytes { bytes in
      let (index, address) = try #require(InterfaceFacts.parseAddress(bytes))
      #expect(index == 3)
      #expect(address.address == IPAddress("192.168.0.10"))
      #expect(address.prefix == Prefix("192.168.0.0/24"))
    }
    InterfaceTests.route().withUnsafeBytes { bytes in
      let routes = InterfaceFacts.parseRoute(bytes)
      #expect(routes.map(\.index) == [3, 4])
      #expect(routes.map(\.route.gateway) == [IPAddress("192.168.0.1"), IPAddress("192.168.1.1")])
      #expect(routes.allSatisfy { $0.route.isDefault && $0.route.metric == 100 })
    }
  }

  @Test("whatever the kernel sends, reading ends")
  func garbage() {
    func read(_ bytes: [UInt8]) {
      bytes.withUnsafeBytes {
        _ = InterfaceFacts.Link($0)
        _ = InterfaceFacts.parseAddress($0)
        _ = InterfaceFacts.parseRoute($0)
      }
    }
    for message in [InterfaceTests.link(), InterfaceTests.address(), InterfaceTests.route()] {
      for length in 0...message.count { read(Array(message.prefix(length))) }
      for place in message.indices {
        for value: UInt8 in [0, 1, 3, 4, 0x7f, 0xff] {
          var bytes = message
          bytes[place] = value
          read(bytes)
        }
      }
    }
  }

  @Test("the default interface carries the default route; without one the choices are listed")
  func defaultInterface() throws {
    func interface(_ name: String, _ kind: InterfaceFacts.Kind, gateway: String? = nil, metric: Int = 0, up: Bool = true) -> InterfaceFacts
    {
      var facts = InterfaceFacts(name: name)
      facts.kind = kind
      facts.isUp = up
      if let gateway = gateway.flatMap({ IPAddress($0) }) {
        let all = IPAddress(gateway.isIPv4 ? "0.0.0.0" : "::") ?? .none
        facts.routes = [InterfaceFacts.Route(destination: Prefix(all, 0), gateway: gateway, metric: metric)]
      }
      return facts
    }
    let cable = interface("eth0", .ethernet, gateway: "192.168.0.1", metric: 100)
    let radio = interface("wlan0", .wireless, gateway: "192.168.0.1", metric: 600)
    let six = interface("eth1", .ethernet, gateway: "fe80::1", metric: 1)
    let tunnel = interface("wg0", .pointToPoint, gateway: "10.0.0.1", metric: 0)
    let down = interface("eth2", .ethernet, up: false)
    #expect(try InterfaceFacts.defaultInterface(among: [radio, six, cable, tunnel]).name == "eth0")
    #expect(try InterfaceFacts.defaultInterface(among: [six, down]).name == "eth1")
    do {
      _ = try InterfaceFacts.defaultInterface(among: [down, tunnel, interface("eth3", .ethernet)])
      Issue.record("one was chosen")
    } catch {
      #expect(error.exitStatus == 66)
      #expect(error.description.contains("eth2 (down), eth3"))
    }
  }
}
