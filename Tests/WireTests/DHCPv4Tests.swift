import Fixtures
import Testing
import Wire

@Suite("DHCPv4")
struct DHCPv4Tests {
  let client = "02:00:00:00:00:0a"
  let router = "02:00:00:00:00:01"

  func lease(_ decoded: Decoded) -> Lease? {
    for case .leased(let lease) in decoded.claims { return lease }
    return nil
  }

  @Test("a discover says who the client is and what it would like, and that it holds nothing")
  func discover() {
    let said = decode(Corpus.sample("dhcp", "discover"))
    #expect(said.observations.fault == nil)
    #expect(
      said.claims(about: client) == [
        .requestsLease(server: nil, relay: nil),
        .wants(ip("192.168.0.10")),
        .isNamed(WireText("attic-laptop"), .host),
        .isNamed(WireText("attic.home"), .host),
        .has(.vendorClass, WireText("udhcp 1.36.1")),
        .has(.userClass, WireText("iPXE")),
        .has(.clientIdentifier, WireText([1, 2, 0, 0, 0, 0, 0x0a])),
        .has(.fingerprint, WireText([1, 3, 6, 15, 28, 33, 121, 249])),
        .has(.vendorClass, WireText("wired")),
        .has(.comment, WireText("020000")),
        .has(.model, WireText("AttBox1")),
      ])
    #expect(said.claims.count == said.claims(about: client).count)
  }

  @Test("a request names the server that the client chose, and its name without the NUL that came with it")
  func request() {
    let said = decode(Corpus.sample("dhcp", "request"))
    #expect(
      said.claims == [
        .requestsLease(server: ip4("192.168.0.1"), relay: nil), .wants(ip("192.168.0.10")), .isNamed(WireText("attic-laptop"), .host),
      ])
    #expect(said.observations.items.map(\.field) == ["option 54", "option 50", "option 12"])
  }

  @Test("who renews holds its address")
  func renew() {
    let said = decode(Corpus.sample("dhcp", "renew"))
    #expect(said.claims(about: client).contains(.holds(ip("192.168.0.10"), .statement)))
    #expect(said.claims(about: client).contains(.requestsLease(server: nil, relay: nil)))
  }

  @Test("an ack gives the subnet, the router, the resolvers and the routes, and shows the server on this wire")
  func ack() {
    let said = decode(Corpus.sample("dhcp", "ack"))
    #expect(said.observations.fault == nil)
    var expected = Lease(address: ip4("192.168.0.10"), carriedBy: mac(router))
    expected.prefix = prefix("192.168.0.0/24")
    expected.routers = [ip4("192.168.0.1")]
    expected.nameServers = [ip4("192.168.0.1"), ip4("9.9.9.9")]
    expected.server = ip4("192.168.0.1")
    expected.duration = 86400
    expected.hopLimit = 64
    expected.routes = [
      .init(destination: prefix("10.20.30.0/24"), router: ip4("192.168.0.2")),
      .init(destination: prefix("0.0.0.0/0"), router: ip4("192.168.0.1")),
      .init(destination: prefix("10.9.8.7/32"), router: ip4("192.168.0.3")),
    ]
    #expect(
      said.claims(about: client) == [
        .leased(expected), .isNamed(WireText("attic-laptop"), .host), .has(.domain, WireText("home.example")),
        .has(.domain, WireText("home.example")), .has(.domain, WireText("iot.home.example")),
      ])
    #expect(
      said.claims(about: router) == [
        .playsRole(.dhcpServer), .holds(ip("192.168.0.1"), .statement), .has(.comment, WireText("020000")),
        .has(.model, WireText("HomeHub")),
      ])
  }

  @Test("an offer is marked as one")
  func offer() {
    let said = decode(Corpus.sample("dhcp", "offer"))
    #expect(lease(said)?.isOffer == true)
    #expect(lease(said)?.prefix == prefix("192.168.0.0/24"))
    #expect(said.claims(about: router).contains(.playsRole(.dhcpServer)))
  }

  @Test("the answer to an inform is about the address that the client has")
  func inform() {
    let said = decode(Corpus.sample("dhcp", "inform-ack"))
    #expect(lease(said)?.address == ip4("192.168.0.10"))
    #expect(lease(said)?.duration == nil)
  }

  @Test("a relayed request is the client's, with its modem, its kind and its maker; the relay speaks for nobody")
  func relayedRequest() {
    let said = decode(Corpus.sample("dhcp", "relayed-request"))
    #expect(
      said.claims == [
        .requestsLease(server: nil, relay: ip4("10.166.176.1")),
        .has(.vendorClass, WireText("docsis3.0:052401")),
        .has(.vendorClass, WireText("ESTB")),
        .playsRole(.setTopBox),
        .has(.vendorClass, WireText("ECM:ESTB")),
        .has(.hardware, WireText("1.0")),
        .has(.software, WireText("2.1")),
        .has(.model, WireText("BoxTV")),
        .has(.manufacturer, WireText("Maker1")),
        .relayAgent(circuit: WireText([0x80, 0, 0, 3]), remote: WireText([2, 0, 0, 0, 0, 0x78])),
      ])
    #expect(said.observations.items.allSatisfy { $0.subject == .station(mac("02:00:00:00:00:77")) })
  }

  @Test("a relayed answer makes no server of the frame's source")
  func relayedAck() {
    let said = decode(Corpus.sample("dhcp", "relayed-ack"))
    let lease = lease(said)
    #expect(lease?.relay == ip4("10.166.179.1"))
    #expect(lease?.server == ip4("10.0.0.2"))
    #expect(lease?.prefix == prefix("10.166.176.0/22"))
    #expect(lease?.carriedBy == mac("02:00:00:00:00:dd"))
    #expect(said.claims(about: "02:00:00:00:00:dd").isEmpty)
  }

  @Test("a request under another source address shows a bridge that speaks for its client")
  func clientBridge() {
    let said = decode(Corpus.sample("dhcp", "client-bridge"))
    #expect(said.claims(about: "02:00:00:00:00:0c") == [.speaksFor(mac("02:00:00:00:00:0b"))])
    #expect(said.claims(about: "02:00:00:00:00:0b").contains(.isNamed(WireText("workbench"), .host)))
  }

  @Test("options in file and sname count, in that order")
  func overload() {
    let said = decode(Corpus.sample("dhcp", "overload"))
    #expect(lease(said)?.routers == [ip4("192.168.0.66")])
    #expect(lease(said)?.nameServers == [ip4("192.168.0.67")])
    #expect(said.observations.fault == nil)
  }

  @Test("overload of a strange value, or a field without its end, is harmless")
  func strangeOverload() {
    var bytes = Corpus.sample("dhcp", "overload").bytes
    let file = 42 + 108
    for i in 0..<128 { bytes[file + i] = 0 }  // no end option anywhere in `file`
    #expect(lease(decode(bytes))?.nameServers == [ip4("192.168.0.67")])
    #expect(decode(bytes).observations.fault == nil)
    for i in 0..<bytes.count - 2 where bytes[i] == 52 && bytes[i + 1] == 1 && bytes[i + 2] == 3 { bytes[i + 2] = 7 }
    #expect(lease(decode(bytes))?.nameServers == [])
    #expect(lease(decode(bytes))?.prefix == prefix("192.168.0.0/24"))
  }

  @Test("a refusal, a release and a decline are what they are")
  func ends() {
    #expect(decode(Corpus.sample("dhcp", "nak")).claims(about: client) == [.refusedLease(server: ip4("192.168.0.1"))])
    #expect(decode(Corpus.sample("dhcp", "nak")).observations.items.first?.text == WireText("wrong network"))
    #expect(decode(Corpus.sample("dhcp", "release")).claims == [.releasesLease(ip4("192.168.0.10"))])
    #expect(decode(Corpus.sample("dhcp", "decline")).claims == [.releasesLease(ip4("192.168.0.10"))])
  }

  @Test("a client without hardware address is no station; the server still is one")
  func noHardware() {
    let said = decode(Corpus.sample("dhcp", "no-hardware"))
    #expect(said.claims == [.playsRole(.dhcpServer), .holds(ip("192.168.0.1"), .statement)])
  }

  @Test("a renewal's answer that was routed here makes no server of the router that handed it over")
  func routedAnswer() {
    var bytes = Corpus.sample("dhcp", "ack").bytes
    bytes[22] = 61  // hop limit
    let said = decode(bytes)
    #expect(said.claims(about: router).isEmpty)
    #expect(lease(said)?.hopLimit == 61)
  }

  @Test("a request cut behind option 54 still names the server; cut before it, it leaves the question open")
  func cut() {
    let sample = Corpus.sample("dhcp", "request")
    let options = 42 + 240
    #expect(decode(sample, cutTo: options + 9).claims == [.requestsLease(server: ip4("192.168.0.1"), relay: nil)])
    #expect(decode(sample, cutTo: options + 8).claims.isEmpty)
    #expect(decode(sample, cutTo: options + 8).observations.fault?.reason == .cutByCapture)
  }

  // MARK: Hostile and odd messages

  /// A message with these options, from the client or, as a reply, from the router.
  func message(_ options: [UInt8], reply: Bool = false) -> Decoded {
    var sample = Array(Corpus.sample("dhcp", reply ? "ack" : "discover").bytes.prefix(42 + 240)) + options
    let length = sample.count
    sample[16] = UInt8((length - 14) >> 8)
    sample[17] = UInt8(truncatingIfNeeded: length - 14)
    sample[38] = UInt8((length - 34) >> 8)
    sample[39] = UInt8(truncatingIfNeeded: length - 34)
    return decode(sample)
  }

  @Test("the same code again continues the value")
  func longOptions() {
    let said = message([53, 1, 1, 12, 3] + Array("att".utf8) + [60, 1, 0x78, 12, 2] + Array("ic".utf8) + [255])
    #expect(said.claims.contains(.isNamed(WireText("attic"), .host)))
    #expect(said.claims.contains(.has(.vendorClass, WireText("x"))))
  }

  @Test("an option that runs out ends the list; what stood before it counts")
  func runsOut() {
    let said = message([53, 1, 1, 12, 5] + Array("attic".utf8) + [60, 200, 0x78])
    #expect(said.claims.contains(.isNamed(WireText("attic"), .host)))
    #expect(said.observations.fault?.reason == .shorterThanItSays)
  }

  @Test("a route of an impossible length costs the routes behind it, and no more")
  func badRoute() {
    let said = message(
      [53, 1, 5, 1, 4, 255, 255, 255, 0, 121, 14, 8, 10, 192, 168, 0, 1, 77, 10, 1, 2, 3, 4, 5, 6, 3, 4, 192, 168, 0, 1, 255], reply: true)
    #expect(lease(said)?.routes == [.init(destination: prefix("10.0.0.0/8"), router: ip4("192.168.0.1"))])
    #expect(lease(said)?.routers == [ip4("192.168.0.1")])
    #expect(said.observations.fault?.reason == .malformed)
  }

  @Test("a mask with holes gives no subnet")
  func holes() {
    let said = message([53, 1, 5, 1, 4, 255, 0, 255, 0, 3, 4, 192, 168, 0, 1, 255], reply: true)
    #expect(lease(said)?.prefix == nil)
    #expect(lease(said)?.routers == [ip4("192.168.0.1")])
  }

  @Test("a name that runs in circles costs that name")
  func loopingNames() {
    let said = message([53, 1, 5, 119, 6, 1, 0x61, 0xc0, 0, 0xc0, 4, 15, 1, 0x64, 255], reply: true)
    #expect(said.claims.contains(.has(.domain, WireText("d"))))
    #expect(lease(said) != nil)
  }

  @Test("ten thousand options are read once each and bounded")
  func flood() {
    let said = message([53, 1, 1] + Array(repeating: [12, 1, 0x61], count: 6000).flatMap { $0 } + [255])
    #expect(said.observations.items.count < 16)
    #expect(said.observations.fault?.reason == .tooMuch)
  }

  @Test("option 43 of anybody but cable equipment is left alone")
  func otherVendors() {
    let said = message([53, 1, 1, 60, 8] + Array("MSFT 5.0".utf8) + [43, 3, 9, 1, 0x78, 255])
    #expect(!said.claims.contains(.has(.model, WireText("x"))))
    let cable = message([53, 1, 1, 43, 8, 2, 3] + Array("ECM".utf8) + [9, 1, 0x78, 255])
    #expect(cable.claims.contains(.has(.model, WireText("x"))))
    #expect(cable.claims.contains(.playsRole(.modem)))
  }

  @Test("a server's message in a request, or without type, says nothing")
  func mismatched() {
    #expect(message([53, 1, 5, 12, 1, 0x61, 255]).claims.isEmpty)
    #expect(message([12, 1, 0x61, 255]).claims.isEmpty)
    #expect(message([53, 1, 99, 12, 1, 0x61, 255]).claims.isEmpty)
  }
}
