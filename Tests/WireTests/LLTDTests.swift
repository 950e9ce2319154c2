import Fixtures
import Testing
import Wire

@Suite("LLTD")
struct LLTDTests {
  let laptop = "02:00:00:00:00:15"
  let router = "02:00:00:00:00:01"
  let accessPoint = "02:00:00:00:00:c0"

  @Test("a Hello on Wi-Fi shows medium, rate, access point, signal, addresses and name")
  func wifi() {
    let said = decode(Corpus.sample("lltd", "hello-wifi"))
    #expect(
      said.claims(about: laptop) == [
        .holds(ip("192.168.0.15"), .statement), .holds(ip("fe80::ff:fe00:15"), .statement), .isNamed(WireText("LAPTOP"), .host),
        .carries(.wifi, rate: Rate(bitsPerSecond: 129_600_000)), .isStation(of: mac(accessPoint), signal: -54),
      ])
    #expect(said.claims(about: accessPoint) == [.runsBSS(mac(accessPoint), ssid: WireText("Garden"))])
    #expect(said.observations.items.contains { $0.field == "physical medium" && $0.basis == "lltd" && $0.grade == .a })
    #expect(said.observations.fault == nil)
  }

  @Test("a Hello that was cut behind the medium still says it, without the rate")
  func cut() {
    let said = decode(Corpus.sample("lltd", "hello-wifi"), cutTo: 69)
    #expect(said.claims == [.carries(.wifi, rate: nil)])
    #expect(said.observations.fault?.reason == .cutByCapture)
  }

  @Test("a router is known by its characteristics, its interfaces and its tables")
  func router_() {
    let said = decode(Corpus.sample("lltd", "hello-router"))
    let claims = said.claims(about: router)
    #expect(claims.contains(.translatesAddresses))
    #expect(claims.contains(.playsRole(.router)))
    #expect(claims.contains(.isSameBox(as: mac("02:00:00:00:00:02"))))
    #expect(claims.contains(.carries(.ethernet, rate: Rate(megabits: 1000))))
    #expect(claims.contains(.isNamed(WireText("GATEWAY"), .host)))
    #expect(claims.contains(.isNamed(WireText("House router"), .friendly)))
    #expect(claims.contains(.has(.hardware, WireText("EX-1000"))))
    #expect(claims.contains(.has(.comment, WireText("www.example.net"))))
    #expect(claims.contains(.has(.uuid, WireText("2f402f80-da50-11e1-9b23-020000000001"))))
    #expect(claims.contains(.bridges(mac(laptop), over: .wifi, of: 2, rate: Rate(megabits: 270))))
    #expect(claims.contains(.bridges(mac("02:00:00:00:00:16"), over: .wifi, of: 2, rate: Rate(megabits: 54))))
    #expect(claims.contains(.playsRole(.switch)))
    #expect(claims.contains(.runsBSS(mac(accessPoint), ssid: nil)))
    #expect(claims.contains(.playsRole(.accessPoint)))
    #expect(claims.contains(.neighbours(mac("02:00:00:00:00:c8"), over: .wifi, direct: nil, rate: nil)))
  }

  @Test("the device is the real source; an address that a bridge put on the frame speaks for it")
  func rewritten() {
    let said = decode(Corpus.sample("lltd", "hello-router"))
    #expect(said.claims(about: "02:00:00:00:00:ee") == [.speaksFor(mac(router))])
    #expect(said.claims(about: "02:00:00:00:00:ef") == [.speaksFor(mac("02:00:00:00:00:0a"))])
  }

  @Test("a bad TLV costs only itself")
  func badRecords() {
    let said = decode(Corpus.sample("lltd", "hello-bad-records"))
    #expect(said.claims == [.isNamed(WireText("DESK"), .host), .carries(.ethernet, rate: nil)])
    #expect(said.observations.fault?.reason == .shorterThanItSays)
  }

  @Test("an ad hoc cell is no access point")
  func adHoc() {
    #expect(decode(Corpus.sample("lltd", "hello-adhoc")).claims == [.carries(.wifi, rate: nil)])
  }

  @Test("an access point that names its own cell is no station of it")
  func ownCell() {
    var bytes = Corpus.sample("lltd", "hello-wifi").bytes
    for (place, byte) in [0x02, 0, 0, 0, 0, 0x15].enumerated() { bytes[71 + place] = UInt8(byte) }
    let said = decode(bytes)
    #expect(!said.claims.contains { if case .isStation = $0 { true } else { false } })
  }

  @Test("the training address of a Probe is no device, whoever lent it")
  func training() {
    let address = "00:0d:3a:d7:f1:40"
    let probe = decode(Corpus.sample("lltd", "probe"))
    #expect(probe.claims(about: address) == [.isFictitious])
    #expect(probe.claims.count == 1)
    #expect(decode(Corpus.sample("lltd", "probe-own")).claims == [])
    #expect(decode(Corpus.sample("lltd", "emit")).claims(about: "00:0d:3a:d7:f1:41") == [.isFictitious])
    #expect(decode(Corpus.sample("lltd", "emit")).claims.count == 1)
    #expect(decode(Corpus.sample("lltd", "query-response")).claims(about: address) == [.isFictitious])
  }

  @Test("a Probe whose source is outside the training range is a hint only: a bridge may have rewritten it")
  func outsideRange() {
    var bytes = Corpus.sample("lltd", "probe").bytes
    bytes[6] = 0x02
    let items = decode(bytes).observations.items
    #expect(items.map(\.claim) == [.isFictitious])
    #expect(items.map(\.grade) == [.c])
  }

  @Test("tables that were fetched are known by their shape, and text is not")
  func largeTables() {
    #expect(
      decode(Corpus.sample("lltd", "large-association-table")).claims(about: accessPoint) == [
        .bridges(mac(laptop), over: .wifi, of: 2, rate: Rate(megabits: 270)),
        .bridges(mac("02:00:00:00:00:16"), over: .wifi, of: 2, rate: Rate(megabits: 54)),
      ])
    #expect(
      decode(Corpus.sample("lltd", "large-component-table")).claims(about: router) == [
        .playsRole(.switch), .runsBSS(mac(accessPoint), ssid: nil), .playsRole(.accessPoint),
      ])
    #expect(decode(Corpus.sample("lltd", "large-text")).claims == [])
  }

  @Test("who asks proves nothing")
  func discover() {
    #expect(decode(Corpus.sample("lltd", "discover")).claims == [])
  }

  @Test("another version is not read")
  func version() {
    var bytes = Corpus.sample("lltd", "hello-wifi").bytes
    bytes[14] = 2
    let said = decode(bytes)
    #expect(said.claims == [])
    #expect(said.observations.fault?.reason == .unsupported)
  }

  @Test("ten thousand TLVs end at the turn limit")
  func flood() {
    var bytes = Array(Corpus.sample("lltd", "hello-wifi").bytes.prefix(46))
    for _ in 0..<10_000 { bytes += [0x07, 4, 192, 168, 0, 15] }
    #expect(decode(bytes).observations.items.count <= 256)
  }
}
