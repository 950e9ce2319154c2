import Fixtures
import Testing
import Wire

@Suite("DHCPv6")
struct DHCPv6Tests {
  let client = "02:00:00:00:00:0a"
  let router = "02:00:00:00:00:01"

  @Test("a solicit shows a router on its upstream side, what it is and what it would like")
  func solicit() {
    let said = decode(Corpus.sample("dhcpv6", "solicit"))
    #expect(said.observations.fault == nil)
    #expect(
      said.claims(about: client) == [
        .holds(ip("fe80::a"), .statement),
        .has(.clientIdentifier, WireText([0, 3, 0, 1, 2, 0, 0, 0, 0, 0x0a])),
        .wants(ip("2001:db8:1::a")),
        .requestsDelegation,
        .has(.fingerprint, WireText([0, 23, 0, 24, 0, 64])),
        .isNamed(WireText("home.box"), .host),
        .has(.vendorClass, WireText("eRouter1.0")),
        .has(.vendorClass, WireText("EROUTER")),
        .playsRole(.router),
        .has(.model, WireText("BoxR")),
        .has(.manufacturer, WireText("Maker")),
        .has(.userClass, WireText("home")),
      ])
    #expect(said.claims.count == said.claims(about: client).count)
  }

  @Test("a reply gives the client its address and prefix, and shows who answers")
  func reply() {
    let said = decode(Corpus.sample("dhcpv6", "reply"))
    #expect(said.observations.fault == nil)
    #expect(said.claims(about: client) == [.holds(ip("2001:db8:1::a"), .lease), .delegatedPrefix(prefix("2001:db8:100::/56"))])
    #expect(
      said.claims(about: router) == [
        .servesDHCPv6, .holds(ip("fe80::1"), .statement), .namesServer(ip("2001:db8::53")), .has(.domain, WireText("home.example")),
        .has(.comment, WireText("aftr.example")),
      ])
  }

  @Test("who renews holds its address")
  func renew() {
    #expect(decode(Corpus.sample("dhcpv6", "renew")).claims(about: client).contains(.holds(ip("2001:db8:1::a"), .statement)))
  }

  @Test("an advertised address is nobody's yet, and one of lifetime 0 no longer")
  func notHeld() {
    var bytes = Corpus.sample("dhcpv6", "reply").bytes
    bytes[62] = 2
    #expect(decode(bytes).claims(about: client).isEmpty)
    #expect(decode(bytes).claims(about: router).contains(.servesDHCPv6))
  }

  @Test("a relayed request is about the client the innermost relay saw, and makes nothing of the relays")
  func relayed() {
    let said = decode(Corpus.sample("dhcpv6", "relayed"))
    #expect(
      said.claims == [
        .relayAgent(circuit: WireText("port7"), remote: nil),
        .has(.clientIdentifier, WireText([0, 3, 0, 1, 2, 0, 0, 0, 0, 0x77])),
        .requestsDelegation,
      ])
    #expect(said.observations.items.allSatisfy { $0.subject == .station(mac("02:00:00:00:00:77")) })
  }

  // MARK: Hostile and odd messages

  func message(_ body: [UInt8]) -> Decoded {
    var bytes = Array(Corpus.sample("dhcpv6", "solicit").bytes.prefix(62)) + body
    let length = bytes.count - 54
    for at in [18, 58] {
      bytes[at] = UInt8(length >> 8)
      bytes[at + 1] = UInt8(truncatingIfNeeded: length)
    }
    return decode(bytes)
  }

  @Test("relays within relays end at the fourth")
  func deep() {
    var inner: [UInt8] = [1, 0, 0, 1, 0, 1, 0, 4, 0, 3, 0, 1]
    for _ in 0..<8 {
      inner = [12, 0] + [UInt8](repeating: 0, count: 32) + [0, 9, UInt8(inner.count >> 8), UInt8(truncatingIfNeeded: inner.count)] + inner
    }
    let said = message(inner)
    #expect(said.claims.isEmpty)
    #expect(said.observations.fault?.reason == .tooDeep)
  }

  @Test("a bad name between two good options costs that name")
  func badName() {
    let said = message([1, 0, 0, 1] + [0, 6, 0, 2, 0, 23] + [0, 39, 0, 4, 0, 63, 1, 1] + [0, 15, 0, 3, 0, 1, 0x78])
    #expect(said.claims.contains(.has(.fingerprint, WireText([0, 23]))))
    #expect(said.claims.contains(.has(.userClass, WireText("x"))))
    #expect(said.observations.fault?.reason == .malformed)
  }

  @Test("an address inside an association that runs out leaves the options around it")
  func shortAssociation() {
    let said = message([5, 0, 0, 1] + [0, 3, 0, 18] + [UInt8](repeating: 0, count: 12) + [0, 5, 0, 24, 1, 2] + [0, 6, 0, 2, 0, 23])
    #expect(said.claims.contains(.has(.fingerprint, WireText([0, 23]))))
    #expect(said.observations.fault?.reason == .shorterThanItSays)
  }

  @Test("a message between two global addresses makes nobody client or server: both ends may be routers on the way")
  func routed() {
    var bytes = Corpus.sample("dhcpv6", "reply").bytes
    for at in [22, 38] {
      bytes[at] = 0x20
      bytes[at + 1] = 0x01
    }
    #expect(decode(bytes).claims.isEmpty)
  }

  @Test("a relayed message that was cut is left alone")
  func cut() {
    let sample = Corpus.sample("dhcpv6", "relayed")
    let said = decode(sample, cutTo: sample.bytes.count - 1)
    #expect(said.claims.isEmpty)
    #expect(said.observations.fault?.reason == .cutByCapture)
  }
}
