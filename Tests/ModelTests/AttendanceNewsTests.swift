import Fixtures
import Model
import Testing
import Wire

@Suite("News of who came and went")
struct AttendanceNewsTests {
  private let id = mac("00:11:32:00:00:02")
  private let now: Int64 = 1_700_000_000
  private func time(hoursAgo hours: Int64) -> Timestamp { Timestamp(seconds: now - hours * 3600, nanoseconds: 0) }

  private func host(_ id: MACAddress, firstSeenHoursAgo hours: Int64 = 1) -> Host {
    var host = Host(id: id)
    host.traffic.sentFrames = 1
    host.firstSeen = time(hoursAgo: hours)
    host.lastSeen = Timestamp(seconds: now, nanoseconds: 0)
    return host
  }

  private func findings(_ hosts: [Host], _ record: Attendance.Record?, silentHours: Double = 0) -> [Finding] {
    var attendance = Attendance(record)
    var snapshot = Snapshot()
    snapshot.hosts = hosts
    snapshot.taken = Timestamp(seconds: now, nanoseconds: 0)
    attendance.attend(&snapshot)
    for hour in stride(from: 0, through: silentHours, by: 0.25) where hour > 0 {
      snapshot.elapsed = Int64(hour * 3600e9)
      attendance.attend(&snapshot)
    }
    attendance.report(&snapshot)
    return snapshot.findings
  }

  @Test("a device that a history of some days does not hold is news for a day")
  func new() {
    let old = Attendance.Record(devices: [:], began: time(hoursAgo: 100))
    #expect(findings([host(id)], old).map(\.id) == [.newDevice])
    #expect(findings([host(id)], old).first?.hosts == [id])
    #expect(findings([host(id, firstSeenHoursAgo: 25)], old).isEmpty)
    // Met an hour ago by a run before this one.
    #expect(findings([host(id)], .init(devices: [id: (time(hoursAgo: 3), time(hoursAgo: 2))], began: time(hoursAgo: 100))).count == 1)
    #expect(findings([host(id)], .init(devices: [id: (time(hoursAgo: 90), time(hoursAgo: 2))], began: time(hoursAgo: 100))).isEmpty)
  }

  @Test("nobody is new without a history, or in its first day")
  func young() {
    #expect(findings([host(id)], nil).isEmpty)
    #expect(findings([host(id)], .init()).isEmpty)
    #expect(findings([host(id)], .init(devices: [:], began: time(hoursAgo: 24))).isEmpty)
    #expect(findings([host(id)], nil, silentHours: 2).isEmpty)
  }

  @Test("a private address, one that is expected, and another interface of a known box are no news; one marked unexpected is")
  func expected() {
    let record = Attendance.Record(devices: [mac("00:11:32:00:00:03"): (time(hoursAgo: 90), time(hoursAgo: 1))], began: time(hoursAgo: 100))
    var guest = host(mac("da:a1:19:00:00:01"))
    guest.isRandomised = true
    #expect(findings([guest], record).isEmpty)
    var box = host(id)
    box.virtualMACs = [mac("00:11:32:00:00:03")]
    #expect(findings([box], record).isEmpty)
    var named = host(id)
    named.given = Given(isExpected: true)
    #expect(findings([named], record).isEmpty)
    named.given = Given(isExpected: false)
    #expect(findings([named], record).map(\.id) == [.newDevice])
  }

  @Test("a device that fell silent is gone, for a day")
  func gone() {
    #expect(findings([host(id, firstSeenHoursAgo: 50)], .init(), silentHours: 2).map(\.id) == [.deviceGone])
    #expect(findings([host(id, firstSeenHoursAgo: 50)], .init(), silentHours: 25).isEmpty)
  }

  @Test("a flood of made-up stations takes sixteen places, after who was answered, and the rest is counted")
  func flood() {
    var real = host(id)
    real.traffic.receivedFrames = 5
    let fakes = (0..<500).map { host(MACAddress(bits: 0x0020_0000_0000 + UInt64($0))) }
    let found = findings(fakes + [real], .init(devices: [:], began: time(hoursAgo: 100)))
    #expect(found.count == 17)
    #expect(found.first?.hosts == [id])
    #expect(found.last?.text == "485 more devices were heard here for the first time today.")
  }
}
