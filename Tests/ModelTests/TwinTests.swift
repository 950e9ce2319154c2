import Fixtures
import Scenarios
import Testing
import Wire

@testable import Model

/// A mirror port that copies what comes into the switch and what leaves it shows every frame twice.
@Suite("Twins")
struct TwinTests {
  private struct Shown {
    var frame: CapturedFrame
    var time: Timestamp
    var bytes: [UInt8]
    init(_ frame: CapturedFrame, later: Int64 = 0, bytes: [UInt8]? = nil) {
      self.frame = frame
      time = Timestamp(nanoseconds: frame.time.nanoseconds + later)
      self.bytes = bytes ?? frame.bytes
    }
  }

  private func snapshot(_ shown: [Shown]) -> Snapshot {
    var pipeline = Pipeline()
    for (at, item) in shown.enumerated() {
      pipeline.process(
        Frame(
          number: at + 1, time: item.time, interface: item.frame.interface, link: item.frame.link,
          wireLength: item.frame.wireLength + item.bytes.count - item.frame.bytes.count, direction: item.frame.direction,
          bytes: item.bytes.span.bytes))
    }
    return pipeline.snapshot()
  }

  private static let frames = CableHome.scenario.frames()

  /// The traffic that the frames themselves have, and that of frames that were shown again, `apart` nanoseconds later.
  private func expectCountedOnce(_ again: (CapturedFrame, Int) -> Shown?, sourceLocation: SourceLocation = #_sourceLocation) {
    let once = snapshot(Self.frames.map { Shown($0) })
    var doubled: [Shown] = []
    for (at, frame) in Self.frames.enumerated() {
      doubled.append(Shown(frame))
      if let twin = again(frame, at) { doubled.append(twin) }
    }
    doubled.sort { $0.time < $1.time }
    let twice = snapshot(doubled)
    #expect(twice.capture.frames == doubled.count, sourceLocation: sourceLocation)
    let bytes = doubled.reduce(0) { $0 + $1.frame.wireLength + $1.bytes.count - $1.frame.bytes.count }
    #expect(twice.capture.bytes == bytes, sourceLocation: sourceLocation)
    #expect(twice.hosts.map(\.id) == once.hosts.map(\.id), sourceLocation: sourceLocation)
    for (a, b) in zip(once.hosts, twice.hosts) where a.traffic.sentBytes > 1_000_000 {
      let (sent, expected) = (Double(b.traffic.sentBytes), Double(a.traffic.sentBytes))
      #expect(abs(sent - expected) <= expected / 100, "\(b.id)", sourceLocation: sourceLocation)
    }
    #expect((twice.capture.duplicates ?? 0) >= (doubled.count - Self.frames.count) * 98 / 100, sourceLocation: sourceLocation)
  }

  @Test("are counted once, whatever lies between the two up to five milliseconds")
  func counted() {
    for apart in [0, 100_000, 5_000_000] as [Int64] { expectCountedOnce { frame, _ in Shown(frame, later: apart) } }
  }

  @Test("may differ by a VLAN tag")
  func tagged() {
    expectCountedOnce { frame, _ in
      guard frame.link == .ethernet, frame.bytes.count > 14 else { return Shown(frame, later: 50_000) }
      return Shown(frame, later: 50_000, bytes: Array(frame.bytes[..<12]) + [0x81, 0, 0, 7] + frame.bytes[12...])
    }
  }

  @Test("of a part of the traffic only leave the rest as it is")
  func part() {
    // A third of them, in no step with what is said and answered.
    expectCountedOnce { frame, at in (at &* 2_654_435_761) >> 9 % 3 == 0 ? Shown(frame, later: 200_000) : nil }
  }

  @Test("there are none in the homes that are shown once, nor in a storm of broadcasts, nor where a frame is said again later")
  func none() {
    for home in Homes.all { #expect(snapshot(home.frames().map { Shown($0) }).capture.duplicates == nil, "\(home.name)") }
    let storm = Self.frames.first { $0.bytes.first == 0xff }
    #expect(storm != nil)
    if let storm { #expect(snapshot((0..<5000).map { Shown(storm, later: Int64($0) * 50_000) }).capture.duplicates == nil) }
    let unicast = Self.frames.first { ($0.bytes.first ?? 1) & 1 == 0 && $0.link == .ethernet }
    #expect(unicast != nil)
    if let unicast { #expect(snapshot((0..<5000).map { Shown(unicast, later: Int64($0) * 50_000_000) }).capture.duplicates == nil) }
  }

  @Test("are no device's own repetitions, however quick")
  func repetition() {
    let unicast = Self.frames.first { ($0.bytes.first ?? 1) & 1 == 0 && $0.link == .ethernet }
    #expect(unicast != nil)
    if let unicast { #expect(snapshot((0..<5000).map { Shown(unicast, later: Int64($0) * 5_000_000) }).capture.duplicates == nil) }
  }
}
