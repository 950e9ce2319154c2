import Fixtures
import Model
import Testing
import Wire

@Suite("The difference of two snapshots")
struct ChangesTests {
  private func host(_ id: String, _ addresses: String..., frames: Int = 1) -> Host {
    var host = Host(id: mac(id))
    host.ipv4 = addresses.map { ip4($0) }
    host.traffic.sentFrames = frames
    return host
  }
  private func snapshot(_ hosts: Host..., seconds: Double = 0, findings: [Finding] = []) -> Snapshot {
    var snapshot = Snapshot()
    snapshot.hosts = hosts
    snapshot.findings = findings
    snapshot.elapsed = Int64(seconds * 1e9)
    snapshot.taken = Timestamp(seconds: 1_700_000_000 + Int64(seconds), nanoseconds: 0)
    return snapshot
  }
  private func words(_ old: Snapshot?, _ new: Snapshot) -> [String] { Changes(from: old.map(Digest.init), to: new).all.map(\.word) }

  private let anna = "ac:81:12:00:00:01"
  private let nas = "00:11:32:00:00:02"

  @Test("says that a device is new, once")
  func newDevice() {
    let before = snapshot(host(anna, "192.168.0.5"))
    let after = snapshot(host(anna, "192.168.0.5"), host(nas, "192.168.0.6"))
    #expect(words(nil, before) == ["new"])
    #expect(words(before, after) == ["new"])
    #expect(words(after, after).isEmpty)
  }

  @Test("an earlier run's device is back when it was away, and no news when only we were")
  func known() {
    var long = host(anna)
    long.lastKnown = Timestamp(seconds: 1_700_000_000 - 86_400, nanoseconds: 0)
    var short = host(nas)
    short.lastKnown = Timestamp(seconds: 1_700_000_000 - 60, nanoseconds: 0)
    #expect(words(nil, snapshot(long, short)) == ["back"])
  }

  @Test("a device that gets another address has changed it; one that is heard with its first one too; one that loses it has not")
  func addresses() {
    let none = snapshot(host(anna))
    let one = snapshot(host(anna, "192.168.0.5"))
    let other = snapshot(host(anna, "192.168.0.9"))
    #expect(words(none, one) == ["address-changed"])
    #expect(words(one, other) == ["address-changed"])
    #expect(words(one, none).isEmpty)
    #expect(Changes(from: Digest(one), to: other).all == [.addressChanged(host(anna, "192.168.0.9"), from: [ip4("192.168.0.5")])])
  }

  @Test("a device moves from one parent to another, not from nowhere to somewhere")
  func moves() {
    func at(_ parent: String?) -> Snapshot {
      var box = host(anna)
      box.attachedTo = parent.map { Verdict(mac($0), confidence: 0.9, reasons: []) }
      return snapshot(box)
    }
    #expect(words(at(nil), at(nas)).isEmpty)
    #expect(words(at(nas), at("00:b0:52:00:00:03")) == ["moved"])
    #expect(words(at(nas), at(nil)).isEmpty)
  }

  @Test("a box that is listed under another of its addresses is no new device")
  func sameBox() {
    var box = host(anna)
    box.virtualMACs = [mac(nas)]
    #expect(words(snapshot(host(nas)), snapshot(box)).isEmpty)
  }

  @Test("findings appear and clear, by what they are and whom they are about")
  func findings() {
    let a = Finding(.ipConflict, "x", hosts: [mac(anna)], reasons: [])
    let b = Finding(.ipConflict, "other words", hosts: [mac(anna)], reasons: [])
    #expect(words(snapshot(), snapshot(findings: [a])) == ["finding"])
    #expect(words(snapshot(findings: [a]), snapshot(findings: [b])).isEmpty)
    #expect(words(snapshot(findings: [a]), snapshot()) == ["cleared"])
  }
}

@Suite("Attendance")
struct AttendanceTests {
  private let id = mac("ac:81:12:00:00:01")

  /// Feeds (minute, frames sent so far) and answers whether the device is there after each.
  private func presence(_ steps: [(minutes: Double, frames: Int)], listening: (Double) -> Bool = { _ in true }, released: Double? = nil)
    -> [Bool]
  {
    var attendance = Attendance()
    return steps.map { minutes, frames in
      var snapshot = Snapshot()
      snapshot.elapsed = Int64(minutes * 60e9)
      var host = Host(id: id)
      host.traffic.sentFrames = frames
      host.lastSeen = Timestamp(seconds: 1_700_000_000, nanoseconds: 0)
      host.releasedAt = released.map { Timestamp(seconds: 1_700_000_000 + Int64($0), nanoseconds: 0) }
      snapshot.hosts = [host]
      attendance.attend(&snapshot, isListening: listening(minutes))
      return snapshot.hosts[0].isPresent
    }
  }

  @Test("a device is gone after ten minutes of silence, and back with its next frame")
  func silence() {
    #expect(presence([(0, 1), (5, 1), (9.9, 1), (10.1, 1), (11, 1), (12, 2)]) == [true, true, true, false, false, true])
  }

  @Test("a device that is often silent for long is given three times that")
  func habits() {
    #expect(presence([(0, 1), (9, 2), (18, 3), (40, 3), (44, 3), (45.5, 3)]) == [true, true, true, true, true, false])
  }

  @Test("a device that gave its address back and fell silent is gone at once")
  func release() {
    #expect(presence([(0, 1), (0.2, 1)], released: 0) == [true, false])
    #expect(presence([(0, 1), (0.2, 1)], released: -600) == [true, true])
  }

  @Test("nobody leaves while nothing can be heard")
  func deaf() {
    #expect(presence([(0, 1), (30, 1), (35, 1), (41, 1)], listening: { $0 > 30 }) == [true, true, true, false])
  }
}
