import Fixtures
import Testing
import Wire

@testable import Model

@Suite("A bounded table")
struct BoundedTableTests {
  private func key(_ n: Int) -> MACAddress { MACAddress(bits: UInt64(n) &* 0x9e37_79b9 & 0xfeff_ffff_ffff) }

  @Test("finds each of its rows again, and makes none for a key it does not know")
  func finds() {
    var table = BoundedTable<StationRow>(capacity: 64, seed: 1)
    for n in 1...64 { table[table.row(key(n))].sentBytes = UInt64(n) }
    for n in 1...64 {
      let bytes = table.find(key(n)).map { table[$0].sentBytes }
      #expect(bytes == UInt64(n))
    }
    let stranger = table.find(key(65))
    #expect(stranger == nil)
    let (count, evictions) = (table.count, table.evictions)
    #expect(count == 64)
    #expect(evictions == 0)
  }

  @Test("never grows, and keeps the rows that have most behind them through a flood")
  func keepsTheHeavy() {
    var table = BoundedTable<StationRow>(capacity: 64, seed: 7)
    for n in 1...30 {
      let row = table.row(key(n))
      table[row].sentFrames = 500
      table[row].receivedFrames = 500
    }
    for n in 1000..<101_000 { table[table.row(key(n))].sentFrames = 1 }
    let (count, evictions) = (table.count, table.evictions)
    #expect(count == 64)
    #expect(evictions > 99_000)
    for n in 1...30 {
      let frames = table.find(key(n)).map { table[$0].sentFrames }
      #expect(frames == 500, "real station \(n) was pushed out")
    }
  }

  @Test("hands out the row that had to go, once")
  func evicted() {
    func pair(_ n: Int) -> PairRow.Key {
      PairRow.Key(a: PairRow.End(mac: key(n), address: .none), b: PairRow.End(mac: key(n + 1000), address: .none))
    }
    var table = BoundedTable<PairRow>(capacity: 16, seed: 3)
    for n in 1...16 { _ = table[table.row(pair(n))].moved(60, 1, from: 0, toGroup: false) }
    let before = table.takeEvicted()
    _ = table.row(pair(17))
    let gone = table.takeEvicted()
    let later = table.takeEvicted()
    #expect(before == nil)
    #expect(gone?.bytesFromA == 60)
    #expect(later == nil)
  }
}
