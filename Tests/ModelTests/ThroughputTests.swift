import Fixtures
import Testing
import Wire

@testable import Model

@Suite("Throughput")
struct ThroughputTests {
  @Test("is the mean of the second, ten seconds, minute and five minutes before")
  func windows() {
    var meter = RateMeter()
    // A thousand bytes down and a hundred up in every second, up to and with second 1009.
    for second in UInt32(100)...1009 { meter.add(down: 1000, up: 100, second: second) }
    #expect(meter.lastSecond(endingAt: 1009) == (8000, 800))
    #expect(meter.mean(endingAt: 1009, lasting: 900) == (8000, 800))
    #expect(meter.minute(endingAt: 1009, lasting: 900) == (8000, 800))
    #expect(meter.fiveMinutes(endingAt: 1009, lasting: 900) == (8000, 800))
    // In the middle of a span of ten seconds too.
    meter.add(down: 1000, up: 100, second: 1010)
    #expect(meter.minute(endingAt: 1010, lasting: 900) == (8000, 800))
  }

  @Test("of a meter that takes over another's seconds is that of both, with the busiest second of both together")
  func absorbed() {
    for (first, second) in [(1005, 1008), (1008, 1005)] as [(UInt32, UInt32)] {
      var meter = RateMeter()
      var other = RateMeter()
      for moment in 1000...first { meter.add(down: 1000, up: 0, second: moment) }
      for moment in 1003...second { other.add(down: 10, up: moment == 1004 ? 500 : 20, second: moment) }
      meter.absorb(other, swapped: true)
      #expect(meter.peak == 1510 && meter.peakSecond == 1004)
      let (down, up) = (Int(first - 999) * 1000 + 500 + Int(second - 1003) * 20, Int(second - 1002) * 10)
      #expect(meter.mean(endingAt: 1009, lasting: 900) == (down * 8 / 10, up * 8 / 10))
      #expect(meter.fiveMinutes(endingAt: 1289, lasting: 900) == (down * 8 / 300, up * 8 / 300))
    }
  }

  @Test("falls while nothing is moved, and is nothing in the end")
  func silence() {
    var meter = RateMeter()
    for second in UInt32(1000)...1059 { meter.add(down: 6000, up: 0, second: second) }
    #expect(meter.lastSecond(endingAt: 1062).down == 0)
    #expect(meter.minute(endingAt: 1089, lasting: 900).down == 24_000)
    #expect(meter.fiveMinutes(endingAt: 1289, lasting: 900).down == 9_600)
    // Half a minute later the first half minute is no longer among them, and the one that runs has just begun.
    #expect(meter.fiveMinutes(endingAt: 1290, lasting: 900).down == 40 * 6000 * 8 / 271)
    #expect(meter.fiveMinutes(endingAt: 1400, lasting: 900).down == 0)
    meter.add(down: 600, up: 0, second: 1400)
    #expect(meter.minute(endingAt: 1409, lasting: 900).down == 80)
    #expect(meter.fiveMinutes(endingAt: 1409, lasting: 900).down == 16)
  }

  @Test("of a young capture is divided by its age")
  func young() {
    var meter = RateMeter()
    for second in UInt32(1000)...1019 { meter.add(down: 1000, up: 0, second: second) }
    #expect(meter.fiveMinutes(endingAt: 1019, lasting: 20).down == 8000)
  }

  @Test("of a day begins anew at midnight, with what earlier runs counted before it, and survives a row that began anew")
  func periods() {
    let id = mac("00:11:32:00:00:01")
    var totals = PeriodTotals(carried: [id: Traffic.Period(down: 500, up: 50)])
    func total(_ down: Int, _ up: Int, day: Int) -> Traffic.Period {
      totals.begin(day)
      return totals.total(of: id, moved(down, up))
    }
    #expect(total(100, 10, day: 86_400) == Traffic.Period(down: 600, up: 60))
    #expect(total(300, 30, day: 86_400) == Traffic.Period(down: 800, up: 80))
    // Evicted and back.
    #expect(total(20, 2, day: 86_400) == Traffic.Period(down: 820, up: 82))
    #expect(total(50, 5, day: 172_800) == Traffic.Period(down: 30, up: 3))
    // The clock goes back over midnight.
    #expect(total(60, 6, day: 86_400) == Traffic.Period(down: 40, up: 4))
  }

  private func moved(_ down: Int, _ up: Int) -> Traffic {
    var traffic = Traffic()
    traffic.receivedBytes = down
    traffic.sentBytes = up
    return traffic
  }

  @Test("of what is met late in a month counts from then on, and many that come and go make room for each other")
  func latecomers() {
    var totals = PeriodTotals<Int>(limit: 4)
    totals.begin(86_400)
    #expect(totals.total(of: 0, moved(500, 50), isWhole: false) == Traffic.Period(down: 0, up: 0))
    #expect(totals.total(of: 0, moved(700, 80), isWhole: false) == Traffic.Period(down: 200, up: 30))
    for key in 1...100 {
      #expect(totals.total(of: key, moved(5, 5)) == Traffic.Period(down: 5, up: 5))
      totals.makeRoom(keeping: [0])
    }
    #expect(totals.total(of: 0, moved(700, 80)) == Traffic.Period(down: 200, up: 30))
  }

  @Test("and times move with a clock that is set, and nothing lies in the future")
  func clock() {
    var model = NetworkModel()
    let id = mac("00:11:32:00:00:01")
    let row = model.stations.row(id)
    model.stations[row].firstSeen = 60_000_000_000
    model.stations[row].lastSeen = 100_000_000_000
    model.stations[row].rate.add(down: 5, up: 0, second: 70)
    model.note(
      [Observation(.station(id), .holds(ip("10.0.0.1"), .request), field: "x", basis: "arp", kind: .declared)],
      at: Timestamp(seconds: 80, nanoseconds: 0))
    let now = Timestamp(seconds: 1_700_000_100, nanoseconds: 0)
    model.correctClock(by: 1_700_000_000_000_000_000, now: now)
    let station = model.stations[row]
    #expect(station.firstSeen == 1_700_000_060_000_000_000)
    #expect(station.lastSeen == now.nanoseconds)
    #expect(station.rate.peakSecond == 1_700_000_070)
    let evidence = model.ledger.evidence(about: .station(id)).first
    #expect(evidence?.first == Timestamp(seconds: 1_700_000_080, nanoseconds: 0))
  }
}
