import Fixtures
import Testing
import Wire

@Suite("IGMP and MLD")
struct MulticastTests {
  let host = "02:00:00:00:00:0a"

  @Test("a version 3 report joins and leaves, record by record")
  func report3() {
    let said = decode(Corpus.sample("igmp", "report-3"))
    #expect(said.observations.fault == nil)
    #expect(
      said.claims(about: host) == [
        .holds(ip("192.168.0.10"), .request), .joins(ip("239.255.255.250")), .leaves(ip("232.1.2.3")), .joins(ip("232.1.2.4")),
      ])
  }

  @Test("the older reports and the leave")
  func older() {
    #expect(decode(Corpus.sample("igmp", "report-2")).claims.contains(.joins(ip("224.0.0.251"))))
    #expect(decode(Corpus.sample("igmp", "leave")).claims.contains(.leaves(ip("224.0.0.251"))))
  }

  @Test("a switch that asks without an address queries, and holds nothing")
  func query() {
    #expect(decode(Corpus.sample("igmp", "query")).claims(about: "02:00:00:00:00:0c") == [.queriesGroups])
  }

  @Test("a record count beyond the message, and sources beyond it, end the list behind what fits")
  func hostile() {
    var bytes = Corpus.sample("igmp", "report-3").bytes
    let records = 14 + 24 + 8
    bytes[records - 2] = 0xff
    #expect(decode(bytes).claims.contains(.joins(ip("232.1.2.4"))))
    #expect(decode(bytes).observations.fault?.reason == .shorterThanItSays)
    bytes[records + 8 + 2] = 0xff  // sources of the second record
    let said = decode(bytes)
    #expect(said.claims.contains(.joins(ip("239.255.255.250"))))
    #expect(!said.claims.contains(.joins(ip("232.1.2.4"))))
  }

  @Test("a group that is none is not joined, and a report that was routed shows no holder")
  func strange() {
    var bytes = Corpus.sample("igmp", "report-2").bytes
    bytes[22] = 64
    #expect(decode(bytes).claims == [.joins(ip("224.0.0.251"))])
    bytes[14 + 24 + 4] = 10
    #expect(decode(bytes).claims.isEmpty)
  }

  @Test("MLD says the same for IPv6")
  func mld() {
    #expect(
      decode(Corpus.sample("mld", "report-2")).claims(about: host) == [
        .holds(ip("fe80::a"), .request), .joins(ip("ff02::fb")), .joins(ip("ff02::1:ff00:a")), .leaves(ip("ff02::c")),
      ])
    #expect(decode(Corpus.sample("mld", "done")).claims(about: host) == [.holds(ip("fe80::a"), .request), .leaves(ip("ff02::c"))])
    #expect(
      decode(Corpus.sample("mld", "query")).claims(about: "02:00:00:00:00:01") == [.holds(ip("fe80::1"), .request), .queriesGroups])
    #expect(decode(Corpus.sample("mld", "from-nobody")).claims == [.joins(ip("ff02::1:ff00:a"))])
  }

  @Test("MLD that came from afar, or asks from nowhere, is dropped")
  func foreign() {
    var bytes = Corpus.sample("mld", "report-2").bytes
    bytes[21] = 2
    #expect(decode(bytes).claims.isEmpty)
    bytes = Corpus.sample("mld", "query").bytes
    for i in 22..<38 { bytes[i] = 0 }
    #expect(decode(bytes).claims.isEmpty)
  }
}
