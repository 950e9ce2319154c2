import Model
import Testing
import Wire

@testable import Publish

@Suite("History: clocks and tiers")
struct HistoryTimeTests {
  let folder = TemporaryFolder()

  @Test("thirty days: minutes for two, hours and days for all, and the sums are the same")
  func thirtyDays() throws {
    let history = HistoryPublisher(HistorySettings(path: folder.database))
    var home = LiveHome()
    for number in 1...3 { home.join(number) }
    // Every five minutes: a tier does not care how often it is fed.
    for _ in 0..<(30 * 288) {
      home.pass(300)
      try history.publish(home)
    }
    try history.finish(home.snapshot, since: nil)
    let reader = try HistoryReader(folder.database)
    let all = try reader.usage(since: nil)
    #expect(all.tier == .month)
    for at in 0..<3 {
      let traffic = home.hosts[at].traffic
      #expect(all.byDevice[at + 2]?.sentBytes == traffic.sentBytes)
      #expect(all.byDevice[at + 2]?.internet == traffic.internetBytes)
      for tier in [HistoryTier.hour, .day, .month] {
        let rows = try reader.usage(of: at + 2, tier)
        #expect(rows.reduce(0) { $0 + $1.usage.receivedBytes } == traffic.receivedBytes, "\(tier)")
        #expect(rows.map(\.start) == rows.map(\.start).sorted())
      }
    }
    let minutes = try reader.usage(of: 2, .minute)
    #expect((560...600).contains(minutes.count), "\(minutes.count)")
    #expect(home.now.since(try #require(minutes.first?.start)) <= 2 * 86_400 + 1200)
    #expect((720...721).contains(try reader.usage(of: 2, .hour).count))
    #expect((30...31).contains(try reader.usage(of: 2, .day).count))
    #expect(try reader.tier(since: home.now.adding(-3600)) == .minute)
    #expect(try reader.tier(since: home.now.adding(-7 * 86_400)) == .hour)
    #expect(try reader.usage(since: home.now.adding(-86_400)).byDevice[2]?.sentBytes == 288 * 1000 + 1000)
    #expect(Files.size(folder.database) < 1 << 20)
    #expect(history.dropped == 0)
  }

  @Test("hours go after three months, days stay")
  func hoursExpire() throws {
    let history = HistoryPublisher(HistorySettings(path: folder.database))
    var home = LiveHome()
    home.join(1)
    for _ in 0..<(130 * 12) {
      home.pass(7200)
      try history.publish(home)
    }
    try history.finish(home.snapshot, since: nil)
    let reader = try HistoryReader(folder.database)
    #expect((92 * 12...92 * 12 + 2).contains(try reader.usage(of: 2, .hour).count))
    #expect((130...131).contains(try reader.usage(of: 2, .day).count))
    #expect(try reader.tier(since: home.now.adding(-100 * 86_400)) == .day)
    #expect(try reader.usage(since: nil).byDevice[2]?.bytes == 130 * 12 * 4000)
  }

  @Test("within its cap the oldest minutes make room, and the sums stay")
  func cap() throws {
    var settings = HistorySettings(path: folder.database)
    settings.capBytes = 1 << 20
    let history = HistoryPublisher(settings)
    var home = LiveHome()
    for number in 1...40 { home.join(number) }
    for _ in 0..<1500 {
      home.pass(60)
      try history.publish(home)
      #expect(history.trouble == nil)
    }
    try history.finish(home.snapshot, since: nil)
    #expect(Files.size(folder.database) <= 1 << 20)
    #expect(history.dropped == 0)
    let reader = try HistoryReader(folder.database)
    let minutes = try reader.usage(of: 2, .minute)
    #expect(minutes.count > 100 && minutes.count < 1000, "\(minutes.count)")
    #expect(try reader.tier(since: LiveHome.start) == .hour)
    #expect(try reader.usage(since: nil).byDevice[41]?.bytes == 1500 * 4000)
  }

  @Test(
    "a clock that jumps ten years either way leaves one mark each, and nothing expires, leaves or turns negative", arguments: [10, -10])
  func jumps(_ years: Int) throws {
    let history = HistoryPublisher(HistorySettings(path: folder.database))
    var home = LiveHome()
    for number in 1...3 { home.join(number) }
    func hours(_ count: Int) throws {
      for _ in 0..<(count * 60) {
        home.pass(60)
        try history.publish(home)
      }
    }
    try hours(5)
    home.pass(1, wallSeconds: years * 365 * 86_400)
    try history.publish(home)
    try hours(5)
    home.pass(1, wallSeconds: -years * 365 * 86_400)
    try history.publish(home)
    try hours(5)
    #expect(history.known().count == 3)
    #expect(history.known().values.allSatisfy { $0.isPresent && $0.longestPause <= 120 })
    try history.finish(home.snapshot, since: nil)
    let reader = try HistoryReader(folder.database)
    #expect(try reader.marks().map(\.kind) == ["clock", "clock"])
    for tier in HistoryTier.allCases {
      let rows = try reader.usage(of: 2, tier)
      #expect(rows.reduce(0) { $0 + $1.usage.bytes } == home.hosts[0].traffic.sentBytes + home.hosts[0].traffic.receivedBytes)
      #expect(rows.allSatisfy { $0.usage.bytes > 0 && $0.usage.internet > 0 })
      #expect(rows.map(\.start) == rows.map(\.start).sorted())
    }
    let device = try #require(try reader.devices().first)
    #expect(try reader.intervals(of: device).filter { $0.kind == .presence }.count == 1)
    #expect(try reader.intervals(of: device).allSatisfy { $0.last >= $0.first })
  }

  @Test("after a jump old samples expire again once the clock has been steady for two days")
  func expiryAfterJump() throws {
    let history = HistoryPublisher(HistorySettings(path: folder.database))
    var home = LiveHome()
    home.join(1)
    for hour in 0..<(24 * 8) {
      home.pass(3600, wallSeconds: hour == 24 ? 3600 + 10 * 365 * 86_400 : hour == 48 ? 3600 - 10 * 365 * 86_400 : nil)
      try history.publish(home)
    }
    try history.finish(home.snapshot, since: nil)
    let rows = try HistoryReader(folder.database).usage(of: 2, .minute)
    #expect(rows.allSatisfy { abs(home.now.since($0.start)) <= 2 * 86_400 + 3700 })
  }
}
