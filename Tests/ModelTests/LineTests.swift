import Fixtures
import Testing
import Wire

@testable import Model

/// What a daemon measures beside its devices, by frames whose bytes of each second are known.
@Suite("Lines")
struct LineTests {
  private static let laptop = mac("ac:81:12:00:00:01")
  private static let nas = mac("00:11:32:00:00:02")
  private static let router = mac("0c:8b:fd:00:00:03")
  private static let server = ip("198.51.100.7")

  /// A daemon's model, told frame by frame, with a snapshot after every second.
  private struct Daemon: ~Copyable {
    var model = NetworkModel(keepsLines: true)
    var context = CaptureContext()
    var number = 0
    var second: UInt32

    init(at second: UInt32) {
      self.second = second
      context.isLive = true
      context.interfaceNames = ["eth0", "eth1"]
      // Who has which address, as ARP would tell, and the mask.
      var facts = [
        Observation(
          .station(LineTests.laptop), .advertisesPrefix(Prefix(ip("192.168.0.0"), 24), onLink: true), field: "prefix", basis: "interface",
          kind: .measured)
      ]
      for (station, address) in [
        (LineTests.laptop, "192.168.0.5"), (LineTests.nas, "192.168.0.6"), (LineTests.nas, "10.0.0.6"), (LineTests.router, "192.168.0.1"),
      ] {
        facts.append(Observation(.station(station), .holds(ip(address), .request), field: "sender", basis: "arp", kind: .declared))
      }
      model.note(facts, at: Timestamp(seconds: Int64(second), nanoseconds: 0))
    }

    mutating func frame(
      _ from: MACAddress, _ source: IPAddress, _ to: MACAddress, _ destination: IPAddress, _ bytes: Int, on interface: Int = 0
    ) {
      number += 1
      var summary = FrameSummary()
      summary.number = number
      summary.time = Timestamp(seconds: Int64(second), nanoseconds: 500_000_000)
      summary.interface = interface
      summary.flags = [.hasSource, .hasDestination, .hasIP]
      (summary.source, summary.destination) = (from, to)
      (summary.sourceAddress, summary.destinationAddress) = (source, destination)
      summary.wireLength = bytes
      summary.capturedLength = bytes
      var nothing = Observations()
      model.record(&summary, &nothing)
    }

    mutating func download(_ bytes: Int, _ acknowledged: Int, on interface: Int = 0) {
      let address = ip("192.168.0.5")
      frame(router, server, laptop, address, bytes, on: interface)
      frame(laptop, address, router, server, acknowledged, on: interface)
    }

    /// Ends the second: what is moved in it is then the last second that is over.
    mutating func tick() -> Snapshot {
      second += 1
      context.now = Timestamp(seconds: Int64(second), nanoseconds: 0)
      return model.snapshot(context)
    }
  }

  @Test("the internet line and a conversation are measured by the second, whichever end has the smaller address")
  func internet() throws {
    for local in ["192.168.0.6", "10.0.0.6"].map({ ip($0) }) {
      var daemon = Daemon(at: 1_000)
      var seen = Snapshot()
      for second in 0..<40 {
        daemon.download(second == 20 ? 9000 : 1000, 100)
        // Between two devices of the home: not the line's.
        daemon.frame(Self.nas, local, Self.laptop, ip("192.168.0.5"), 5000)
        seen = daemon.tick()
      }
      let line = try #require(seen.internet)
      #expect(line.rates.secondDown == 8000 && line.rates.secondUp == 800)
      #expect(line.peak == 9100 * 8 && line.peakAt == Timestamp(seconds: 1_020, nanoseconds: 0))
      #expect(line.receivedBytes == 48_000 && line.sentBytes == 4000)
      let talk = try #require(seen.conversations.first { $0.b == .remote(Self.server) })
      let traffic = try #require(talk.traffic)
      #expect(talk.a == .host(Self.laptop))
      #expect(traffic.rates.secondDown == 8000 && traffic.rates.secondUp == 800)
      #expect(traffic.peak == 9100 * 8)
      #expect(traffic.internetBytes == 52_000 && traffic.internetSentBytes == 4000 && traffic.localBytes == 0)
    }
  }

  @Test("a conversation is measured from its first frame, before any snapshot knows of it")
  func fromTheStart() throws {
    var daemon = Daemon(at: 1_000)
    daemon.frame(Self.nas, ip("192.168.0.6"), Self.router, ip("192.168.0.1"), 60)
    _ = daemon.tick()
    for second in 0..<4 {
      daemon.download(second == 1 ? 7000 : 1000, 100)
      daemon.second += 1
    }
    let seen = daemon.tick()
    let traffic = try #require(seen.conversations.first { $0.b == .remote(Self.server) }?.traffic)
    #expect(traffic.peak == 7100 * 8 && traffic.peakAt == Timestamp(seconds: 1_002, nanoseconds: 0))
    // Ten thousand bytes since the snapshot before, five seconds ago.
    #expect(traffic.rates.minuteDown == 10_000 * 8 / 5)
  }

  @Test("an interface says what it carried, and what of it went to the internet; down is what it received")
  func interfaces() throws {
    var daemon = Daemon(at: 1_000)
    daemon.context.ownStations = [Self.laptop]
    _ = daemon.tick()
    var seen = Snapshot()
    for _ in 0..<20 {
      daemon.download(1000, 100)
      daemon.frame(Self.nas, ip("192.168.0.6"), Self.router, ip("192.168.0.1"), 300, on: 1)
      seen = daemon.tick()
    }
    #expect(seen.interfaces.map(\.name.display) == ["eth0", "eth1"])
    let (first, second) = (seen.interfaces[0].traffic, seen.interfaces[1].traffic)
    #expect(first.receivedBytes == 20_000 && first.sentBytes == 2000 && first.receivedFrames == 20 && first.sentFrames == 20)
    #expect(first.internetBytes == 22_000 && first.localBytes == 0)
    #expect(first.rates.secondDown == 8000 && first.rates.secondUp == 800)
    #expect(second.receivedBytes == 6000 && second.localBytes == 6000 && second.sentBytes == 0)
    #expect(seen.capture.bytes == first.receivedBytes + first.sentBytes + second.receivedBytes)
  }

  @Test("the busiest second of a subnet is that of its devices together, not of one of them")
  func groups() throws {
    var daemon = Daemon(at: 1_000)
    var seen = Snapshot()
    for second in 0..<30 {
      // Each has its own busiest second; together they are busiest in the tenth.
      daemon.download(second == 5 ? 5000 : second == 10 ? 4000 : 1000, 100)
      daemon.frame(Self.nas, ip("192.168.0.6"), Self.router, Self.server, second == 7 ? 3000 : second == 10 ? 2500 : 100)
      seen = daemon.tick()
    }
    let subnet = try #require(seen.subnets.first { $0.hosts.contains(Self.laptop) && $0.hosts.contains(Self.nas) })
    let members = Set(subnet.hosts)
    let routed = members.contains(Self.router) ? 4100 + 2500 : 0
    #expect(subnet.traffic.peak == (4100 + 2500 + routed) * 8)
    #expect(subnet.traffic.peakAt == Timestamp(seconds: 1_010, nanoseconds: 0))
  }

  @Test("a flood of conversations takes a fixed number of meters, and the largest keeps its own")
  func flood() throws {
    var daemon = Daemon(at: 1_000)
    var seen = Snapshot()
    for second in 0..<20 {
      daemon.download(100_000, 1000)
      for n in 0..<300 {
        daemon.frame(Self.laptop, ip("192.168.0.5"), Self.router, IPAddress(IPv4Address(0xc633_0000 + UInt32(second * 300 + n))), 60 + n)
      }
      seen = daemon.tick()
    }
    let first = try #require(seen.conversations.first)
    #expect(first.b == .remote(Self.server))
    #expect(first.traffic?.rates.secondDown == 800_000)
    #expect(seen.conversations.count == Snapshot.conversationLimit)
    #expect(seen.conversations.allSatisfy { $0.traffic != nil })
  }

  @Test("a report of one capture measures none of it, and nothing it says is different")
  func plain() {
    var daemon = Daemon(at: 1_000)
    daemon.model = NetworkModel()
    daemon.download(1000, 100)
    let seen = daemon.tick()
    #expect(seen.internet == nil && seen.interfaces.isEmpty && seen.conversations.allSatisfy { $0.traffic == nil })
  }

  @Test("a clock that is set moves the busiest second and forgets what was measured by the other clock")
  func clock() throws {
    var daemon = Daemon(at: 1_000)
    for _ in 0..<5 {
      daemon.download(1000, 100)
      _ = daemon.tick()
    }
    daemon.model.correctClock(by: 500_000_000_000, now: Timestamp(seconds: 1_506, nanoseconds: 0))
    daemon.second = 1_506
    let seen = daemon.tick()
    #expect(seen.internet?.peakAt == Timestamp(seconds: 1_500, nanoseconds: 0))
    #expect(seen.internet?.rates.secondDown == 0)
    #expect(seen.subnets.allSatisfy { ($0.traffic.peakAt?.second ?? 0) >= 1_500 })
  }
}
