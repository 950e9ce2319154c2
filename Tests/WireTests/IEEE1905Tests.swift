import Fixtures
import Testing
import Wire

@Suite("IEEE 1905.1")
struct IEEE1905Tests {
  let node = "02:00:00:00:03:00"
  let wired = "02:00:00:00:03:01"
  let radio = "02:00:00:00:03:02"
  let uplink = "02:00:00:00:03:04"
  let main = "02:00:00:00:04:00"
  let mainRadio = "02:00:00:00:04:02"
  let station1 = "02:00:00:00:00:31"
  let station2 = "02:00:00:00:00:32"

  @Test("a topology discovery joins the node to the interface it sends on")
  func discovery() {
    #expect(decode(Corpus.sample("ieee1905", "topology-discovery")).claims(about: node) == [.isSameBox(as: mac(wired))])
  }

  @Test("a topology response says what the node is made of")
  func interfaces() {
    let said = decode(Corpus.sample("ieee1905", "topology-response"))
    #expect(said.observations.fault == nil)
    let claims = said.claims(about: node)
    for interface in [wired, radio, uplink, "02:00:00:00:03:05"] { #expect(claims.contains(.isSameBox(as: mac(interface)))) }
    #expect(said.claims(about: wired) == [.carries(.ethernet, rate: nil)])
    #expect(said.claims(about: radio) == [.carries(.wifi, rate: nil)])
    #expect(said.claims(about: uplink) == [.carries(.wifi, rate: nil), .isStation(of: mac(mainRadio), signal: nil)])
    #expect(said.claims(about: "02:00:00:00:03:05") == [.carries(.powerline, rate: nil)])
    #expect(claims.contains(.runsBSS(mac(radio), ssid: WireText("Garden"))))
    #expect(claims.contains(.playsRole(.accessPoint)))
    #expect(claims.contains(.offers(WireText("EasyMesh agent"))))
  }

  @Test("and whom it has behind it, over what; what it sees through its uplink is not behind it")
  func neighbours() {
    let said = decode(Corpus.sample("ieee1905", "topology-response"))
    let claims = said.claims(about: node)
    #expect(claims.contains(.bridges(mac("02:00:00:00:00:33"), over: .ethernet, of: 1, rate: nil)))
    #expect(claims.contains(.bridges(mac(station1), over: .wifi, of: 2, rate: nil)))
    #expect(claims.contains(.neighbours(mac("02:00:00:00:00:34"), over: nil, direct: nil, rate: nil)))
    #expect(claims.contains(.neighbours(mac(main), over: .wifi, direct: true, rate: nil)))
    #expect(claims.contains(.neighbours(mac("02:00:00:00:05:00"), over: .ethernet, direct: false, rate: nil)))
    #expect(said.claims(about: station1) == [.isStation(of: mac(radio), signal: nil)])
    #expect(said.claims(about: station2) == [.isStation(of: mac(radio), signal: nil)])
  }

  @Test("a response that was cut says what its head says, and counts as the whole list does")
  func cut() {
    let sample = Corpus.sample("ieee1905", "topology-response")
    let said = decode(sample, cutTo: 142)
    #expect(said.claims(about: node).contains(.bridges(mac(station1), over: .wifi, of: 2, rate: nil)))
    #expect(!said.claims(about: node).contains(.bridges(mac(station2), over: .wifi, of: 2, rate: nil)))
    #expect(said.observations.fault?.reason == .cutByCapture)
  }

  @Test("link metrics give rates, and join interfaces to their nodes")
  func metrics() {
    let said = decode(Corpus.sample("ieee1905", "link-metrics"))
    let claims = said.claims(about: node)
    #expect(claims.contains(.neighbours(mac(main), over: .wifi, direct: true, rate: Rate(megabits: 1200))))
    #expect(claims.contains(.neighbours(mac("02:00:00:00:05:00"), over: .ethernet, direct: false, rate: nil)))
    #expect(claims.contains(.isSameBox(as: mac(uplink))))
    #expect(said.claims(about: main).contains(.isSameBox(as: mac(mainRadio))))
  }

  @Test("names, addresses and the DHCP server")
  func higherLayer() {
    let said = decode(Corpus.sample("ieee1905", "higher-layer"))
    #expect(
      said.claims(about: node) == [
        .isNamed(WireText("Loft node"), .friendly), .has(.manufacturer, WireText("Example Networks")), .has(.model, WireText("EX-200")),
        .has(.location, WireText("http://192.168.0.3/")),
      ])
    #expect(
      said.claims(about: wired) == [
        .holds(ip("192.168.0.3"), .statement), .holds(ip("fe80::ff:fe00:301"), .statement), .holds(ip("2001:db8::3"), .statement),
      ])
    #expect(said.observations.items.contains { $0.subject == .address(ip("192.168.0.1")) && $0.claim == .playsRole(.dhcpServer) })
  }

  @Test("stations that join, leave and are measured")
  func association() {
    let said = decode(Corpus.sample("ieee1905", "association"))
    #expect(
      said.claims(about: station1) == [
        .isStation(of: mac(radio), signal: nil), .isStation(of: mac(radio), signal: -60), .carries(.wifi, rate: Rate(megabits: 288)),
      ])
    #expect(said.claims(about: station2) == [.leavesStation(mac(radio))])
    #expect(said.claims(about: "02:00:00:00:00:35") == [.carries(.wifi, rate: nil)])
  }

  @Test("layer 2 neighbours and those behind them are behind the interface")
  func l2() {
    let said = decode(Corpus.sample("ieee1905", "l2-neighbours"))
    let claims = said.claims(about: node)
    #expect(claims.contains(.bridges(mac("02:00:00:00:00:33"), over: .ethernet, of: 2, rate: nil)))
    #expect(claims.contains(.bridges(mac("02:00:00:00:00:37"), over: .ethernet, of: 3, rate: nil)))
    #expect(said.claims(about: "02:00:00:00:03:06") == [.has(.hardware, WireText("Example G.hn"))])
  }

  @Test("where the interface's kind is not said, only the acquaintance is noted")
  func unknownMedium() {
    #expect(
      decode(Corpus.sample("ieee1905", "unknown-medium")).claims(about: node) == [
        .neighbours(mac("02:00:00:00:00:33"), over: nil, direct: nil, rate: nil), .isSameBox(as: mac(wired)), .isSameBox(as: mac(radio)),
      ])
  }

  @Test("a TLV that lies costs only its own tail")
  func badRecord() {
    let said = decode(Corpus.sample("ieee1905", "bad-record"))
    for station in [station1, station2, "02:00:00:00:00:35"] {
      #expect(said.claims(about: station) == [.isStation(of: mac(radio), signal: nil)])
    }
    #expect(said.observations.fault?.reason == .shorterThanItSays)
  }

  @Test("of a fragmented message whole TLVs count; what begins in the middle of one says nothing")
  func fragments() {
    let first = decode(Corpus.sample("ieee1905", "fragment-first"))
    #expect(first.claims == [.isStation(of: mac(radio), signal: nil)])
    #expect(first.observations.fault == nil)
    #expect(decode(Corpus.sample("ieee1905", "fragment-later")).claims == [])
    #expect(decode(Corpus.sample("ieee1905", "fragment-whole")).claims == [.isStation(of: mac(radio), signal: nil)])
  }

  @Test("a TLV that does not fit a whole message ends it")
  func overrun() {
    var bytes = Corpus.sample("ieee1905", "topology-discovery").bytes
    bytes[33] = 0xff
    let said = decode(bytes)
    #expect(said.claims == [])
    #expect(said.observations.fault?.reason == .shorterThanItSays)
  }

  @Test("a relayed message is not its carrier's")
  func relayed() {
    var bytes = Corpus.sample("ieee1905", "association").bytes
    bytes[11] = 0x77
    #expect(decode(bytes).claims(about: "02:00:00:00:03:77") == [])
  }

  @Test("a response that leaves from another address joins that address to the node")
  func otherSource() {
    var bytes = Corpus.sample("ieee1905", "topology-response").bytes
    bytes[11] = 0x77
    #expect(decode(bytes).claims(about: node).first == .isSameBox(as: mac("02:00:00:00:03:77")))
  }
}
