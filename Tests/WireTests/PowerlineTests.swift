import Fixtures
import Testing
import Wire

private let pc = "02:00:00:00:00:0a"
private let a = "02:00:00:00:01:01"
private let b = "02:00:00:00:01:02"
private let c = "02:00:00:00:01:03"
private let host1 = "02:00:00:00:00:21"
private let host2 = "02:00:00:00:00:22"
private let isAdapter: [Observation.Claim] = [.playsRole(.powerlineAdapter), .carries(.powerline, rate: nil)]

private func link(_ to: String, _ megabits: Int?) -> Observation.Claim {
  .neighbours(mac(to), over: .powerline, direct: true, rate: megabits.map { Rate(megabits: $0) })
}

@Suite("HomePlug AV")
struct HomePlugAVTests {
  @Test("who confirms is an adapter, and says which hosts are on its Ethernet side")
  func bridgeInfo() {
    let said = decode(Corpus.sample("homeplug", "bridge-info"))
    #expect(
      said.claims(about: a) == isAdapter + [
        .bridges(mac(host1), over: .ethernet, of: 2, rate: nil), .bridges(mac(host2), over: .ethernet, of: 2, rate: nil),
      ])
    #expect(said.observations.items.last?.field == "CM_BRG_INFO")
    #expect(said.observations.fault == nil)
  }

  @Test("a bridge table that was cut says the hosts that are there")
  func cut() {
    let said = decode(Corpus.sample("homeplug", "bridge-info"), cutTo: 30)
    #expect(said.claims.last == .bridges(mac(host1), over: .ethernet, of: 2, rate: nil))
    #expect(said.observations.fault?.reason == .cutByCapture)
  }

  @Test("who asks is no adapter, and the address of the nearest chip is nobody's")
  func request() {
    let said = decode(Corpus.sample("homeplug", "bridge-info-request"))
    #expect(said.claims(about: pc) == [])
    #expect(said.claims(about: "00:b0:52:00:00:01") == [.isFictitious])
  }

  @Test("the discover list names the stations of the same network only")
  func discoverList() {
    let said = decode(Corpus.sample("homeplug", "discover-list"))
    #expect(
      said.claims(about: a) == isAdapter + [.neighbours(mac(b), over: .powerline, direct: true, rate: Rate(bitsPerSecond: 43_500_000))])
    #expect(said.claims(about: b) == isAdapter)
    #expect(said.claims(about: "02:00:00:00:09:09") == [])
  }

  @Test("the vendor's network info of AV gives stations, rates and the first host behind each")
  func networkInfo0() {
    let said = decode(Corpus.sample("homeplug", "network-info-v0"))
    #expect(said.claims(about: a) == isAdapter + [link(b, 97), link(c, 69)])
    #expect(said.claims(about: b) == isAdapter + [.bridges(mac(host1), over: .ethernet, of: 1, rate: nil)])
    #expect(said.claims(about: c) == isAdapter)
    let bridged = said.observations.items.first { if case .bridges = $0.claim { true } else { false } }
    #expect(bridged?.field == "VS_NW_INFO BDA")
    #expect(bridged?.grade == .b)
  }

  @Test("the vendor's network info of AV2 stands elsewhere and says the same")
  func networkInfo1() {
    let said = decode(Corpus.sample("homeplug", "network-info-v1"))
    #expect(said.claims(about: b) == isAdapter + [link(a, 300), link(c, nil)])
    #expect(said.claims(about: a) == isAdapter + isAdapter + [.bridges(mac(pc), over: .ethernet, of: 1, rate: nil)])
    #expect(said.claims(about: c) == isAdapter)
    #expect(said.observations.fault == nil)
  }

  @Test("network statistics have rates of one byte, in AV2 of two")
  func statistics() {
    #expect(decode(Corpus.sample("homeplug", "network-stats-v1")).claims(about: a) == isAdapter + [link(b, 97)])
    #expect(decode(Corpus.sample("homeplug", "network-stats-v2")).claims(about: a) == isAdapter + [link(b, 300), link(c, 400)])
    #expect(decode(Corpus.sample("homeplug", "network-info-public")).claims(about: b) == isAdapter + [link(a, nil)])
  }

  @Test("chip, firmware and name")
  func descriptions() {
    #expect(
      decode(Corpus.sample("homeplug", "software-version")).claims(about: a) == isAdapter + [
        .has(.hardware, WireText("QCA7420")), .has(.software, WireText("MAC-EXAMPLE-1.4.0")),
      ])
    #expect(decode(Corpus.sample("homeplug", "hfid")).claims(about: a) == isAdapter + [.isNamed(WireText("Living room"), .friendly)])
  }

  @Test("the computers of car and charging station are no adapters")
  func matching() {
    #expect(decode(Corpus.sample("homeplug", "slac")).claims == [])
  }

  @Test("an indication is weaker than an answer")
  func indication() {
    let items = decode(Corpus.sample("homeplug", "error")).observations.items
    #expect(items.map(\.claim) == isAdapter)
    #expect(items.allSatisfy { $0.grade == .b })
  }

  @Test("the first fragment counts, and that more follows is no fault")
  func fragment() {
    let said = decode(Corpus.sample("homeplug", "fragment"))
    #expect(said.claims(about: a).count == 8)
    #expect(said.observations.fault == nil)
  }

  @Test("a later fragment begins in the middle: it shows its sender only")
  func laterFragment() {
    var bytes = Corpus.sample("homeplug", "fragment").bytes
    bytes[17] = 0x11
    #expect(decode(bytes).claims == isAdapter)
  }

  @Test("hosts that cannot be hosts are left out of the table")
  func hostileHosts() {
    var bytes = Corpus.sample("homeplug", "bridge-info").bytes
    for at in 22..<28 { bytes[at] = 0xff }
    #expect(decode(bytes).claims(about: a) == isAdapter + [.bridges(mac(host2), over: .ethernet, of: 2, rate: nil)])
    for at in 22..<28 { bytes[at] = bytes[at - 16] }
    #expect(decode(bytes).claims(about: a) == isAdapter + [.bridges(mac(host2), over: .ethernet, of: 2, rate: nil)])
  }

  @Test("a count that lies ends the list, and what is there stays")
  func lyingCount() {
    var bytes = Array(Corpus.sample("homeplug", "bridge-info").bytes.prefix(34))
    bytes[21] = 200
    let said = decode(bytes)
    #expect(said.claims.count == 4)
    #expect(said.observations.fault?.reason == .shorterThanItSays)
  }

  @Test("a vendor message of another maker is not read as Qualcomm's")
  func otherVendor() {
    var bytes = Corpus.sample("homeplug", "network-info-v0").bytes
    bytes[18] = 0xb1
    #expect(decode(bytes).claims == isAdapter)
  }
}

@Suite("HomePlug 1.0")
struct HomePlug1Tests {
  @Test("network statistics name the peers; a count that reads both ways gives no rate")
  func statistics() {
    let said = decode(Corpus.sample("homeplug1", "network-statistics"))
    #expect(
      said.claims(about: a) == isAdapter + isAdapter + [
        .neighbours(mac(b), over: .powerline, direct: true, rate: Rate(bitsPerSecond: 13_500_000)), link(c, nil),
      ])
    #expect(said.claims(about: b) == isAdapter)
  }

  @Test("bridging characteristics name the hosts behind each bridge")
  func bridging() {
    let said = decode(Corpus.sample("homeplug1", "bridging"))
    #expect(
      said.claims(about: b) == [
        .bridges(mac(host1), over: .ethernet, of: 2, rate: nil), .bridges(mac(host2), over: .ethernet, of: 2, rate: nil),
      ])
    #expect(said.claims(about: a) == [.bridges(mac(pc), over: .ethernet, of: 1, rate: nil)])
  }

  @Test("who asks is no adapter")
  func request() {
    #expect(decode(Corpus.sample("homeplug1", "request")).claims == [])
  }

  @Test("a bad entry costs only itself")
  func badEntry() {
    let said = decode(Corpus.sample("homeplug1", "bad-entry"))
    #expect(
      said.claims(about: a) == [
        .bridges(mac(host1), over: .ethernet, of: 1, rate: nil), .bridges(mac(host2), over: .ethernet, of: 5, rate: nil),
        .bridges(mac(pc), over: .ethernet, of: 1, rate: nil),
      ])
    #expect(said.observations.fault?.reason == .shorterThanItSays)
  }
}

@Suite("Mediaxtream")
struct MediaxtreamTests {
  @Test("the answer to discover says on which side the asker was heard")
  func discover() {
    #expect(
      decode(Corpus.sample("mediaxtream", "discover-ethernet")).claims(about: a) == isAdapter + [
        .hears(mac(pc), over: .ethernet), .isNamed(WireText("Living room"), .friendly),
      ])
    #expect(
      decode(Corpus.sample("mediaxtream", "discover-powerline")).claims(about: b) == isAdapter + [
        .hears(mac(pc), over: .powerline), .isNamed(WireText("Attic"), .friendly),
      ])
    #expect(decode(Corpus.sample("mediaxtream", "discover-request")).claims == [])
  }

  @Test("a name that was cut is no name")
  func cut() {
    let said = decode(Corpus.sample("mediaxtream", "discover-ethernet"), cutTo: 30)
    #expect(said.claims == isAdapter + [.hears(mac(pc), over: .ethernet)])
  }

  @Test("rates are the low 11 bits")
  func statistics() {
    #expect(decode(Corpus.sample("mediaxtream", "network-stats")).claims(about: a) == isAdapter + [link(b, 300), link(c, 400)])
  }

  @Test("the neighbours' network is theirs")
  func networkInfo() {
    let said = decode(Corpus.sample("mediaxtream", "network-info"))
    #expect(said.claims(about: a) == isAdapter + [link(b, nil), link(c, nil)])
    #expect(said.claims(about: "02:00:00:00:09:09") == [])
    #expect(said.claims(about: "02:00:00:00:09:0a") == [])
  }

  @Test("the owner's name for it")
  func parameter() {
    #expect(
      decode(Corpus.sample("mediaxtream", "get-parameter")).claims(about: a) == isAdapter + [.isNamed(WireText("Kitchen"), .friendly)])
  }

  @Test("another maker's messages are not read")
  func otherVendor() {
    var bytes = Corpus.sample("mediaxtream", "discover-ethernet").bytes
    bytes[21] = 0x85
    #expect(decode(bytes).claims == [])
  }
}
