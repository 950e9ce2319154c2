import Fixtures
import Testing
import Wire

@Suite("NDP")
struct NDPTests {
  let host = "02:00:00:00:00:0a"
  let router = "02:00:00:00:00:01"

  @Test("a solicitation shows the asker's address and whom it looks for")
  func solicitation() {
    let said = decode(Corpus.sample("ndp", "neighbour-solicitation"))
    #expect(
      said.claims(about: host) == [.holds(ip("fe80::a"), .request), .seeks(ip("fe80::1"), from: ip("fe80::a"))])
    #expect(said.claims.count == 2)
  }

  @Test("duplicate detection wants an address and holds none")
  func duplicateDetection() {
    #expect(decode(Corpus.sample("ndp", "duplicate-detection")).claims(about: host) == [.wants(ip("2001:db8:1::a"))])
  }

  @Test("an advertisement shows the target's holder, whether it forwards, and the sender's other address")
  func advertisement() {
    let said = decode(Corpus.sample("ndp", "neighbour-advertisement"))
    #expect(
      said.claims(about: router) == [.holds(ip("2001:db8:1::1"), .reply), .forwards, .holds(ip("fe80::1"), .statement)])
  }

  @Test("an address inside that is not the frame's source is the holder, and the source speaks for it")
  func repeater() {
    let said = decode(Corpus.sample("ndp", "through-repeater"))
    #expect(said.claims(about: "02:00:00:00:00:0c") == [.speaksFor(mac(host))])
    #expect(said.claims(about: host) == [.holds(ip("fe80::a"), .announcement)])
  }

  @Test("a router solicitation shows the asker's address")
  func routerSolicitation() {
    #expect(decode(Corpus.sample("ndp", "router-solicitation")).claims(about: host) == [.holds(ip("fe80::a"), .request), .solicitsRouters])
  }

  @Test("a router advertisement gives the router, its prefixes, routes, resolvers and domains; what it takes back is not given")
  func routerAdvertisement() {
    let said = decode(Corpus.sample("ndp", "router-advertisement"))
    #expect(said.observations.fault == nil)
    #expect(
      said.claims(about: router) == [
        .advertisesRouter(lifetime: 1800), .holds(ip("fe80::1"), .statement),
        .advertisesPrefix(prefix("2001:db8:1::/64"), onLink: true), .advertisesPrefix(prefix("fd00:1::/64"), onLink: false),
        .advertisesRoute(prefix("2001:db8:7::/48")), .namesServer(ip("2001:db8:1::53")), .has(.domain, WireText("home.example")),
        .has(.comment, WireText("NAT64 64:ff9b::/96")),
      ])
  }

  @Test("a redirect names the better router and makes its sender one")
  func redirect() {
    let said = decode(Corpus.sample("ndp", "redirect"))
    #expect(
      said.claims(about: router) == [
        .holds(ip("fe80::1"), .statement), .playsRole(.router), .redirects(to: ip("fe80::2"), for: ip("2001:db8:7::9")),
      ])
    #expect(said.claims(about: "02:00:00:00:00:02") == [.holds(ip("fe80::2"), .reply)])
  }

  @Test("a message cut before its link-layer address says nothing: nobody could tell whom it is about")
  func cut() {
    let sample = Corpus.sample("ndp", "through-repeater")
    let said = decode(sample, cutTo: sample.bytes.count - 1)
    #expect(said.observations.isEmpty)
    #expect(said.observations.fault?.reason == .cutByCapture)
  }

  // MARK: Hostile and odd messages

  let hopLimit = 21
  let code = 55
  let options = 70

  @Test("what was forwarded, has another code or an option of length 0 is dropped whole")
  func dropped() {
    for (place, value) in [(hopLimit, UInt8(254)), (code, 1)] {
      var bytes = Corpus.sample("ndp", "router-advertisement").bytes
      bytes[place] = value
      #expect(decode(bytes).observations.isEmpty)
    }
    var bytes = Corpus.sample("ndp", "router-advertisement").bytes
    bytes[options + 8 + 1] = 0  // the second option's length
    #expect(decode(bytes).observations.isEmpty)
    #expect(decode(bytes).observations.fault?.reason == .malformed)
  }

  @Test("a bad prefix costs that prefix; those around it count")
  func badPrefix() {
    var bytes = Corpus.sample("ndp", "router-advertisement").bytes
    bytes[options + 16 + 2] = 129
    let said = decode(bytes)
    #expect(said.claims.contains(.advertisesRouter(lifetime: 1800)))
    #expect(said.claims.contains(.advertisesPrefix(prefix("fd00:1::/64"), onLink: false)))
    #expect(!said.claims.contains(.advertisesPrefix(prefix("2001:db8:1::/64"), onLink: true)))
    #expect(said.observations.fault?.reason == .malformed)
  }

  @Test("a router advertisement from a global address is no router's")
  func globalSource() {
    var bytes = Corpus.sample("ndp", "router-advertisement").bytes
    bytes[22] = 0x20
    bytes[23] = 0x01
    #expect(decode(bytes).observations.isEmpty)
  }

  @Test("a multicast target, and an address that is another family's, are nobody's")
  func badTargets() {
    var bytes = Corpus.sample("ndp", "neighbour-advertisement").bytes
    bytes[62] = 0xff
    #expect(decode(bytes).claims.isEmpty)
    for i in 62..<72 { bytes[i] = 0 }
    bytes[72] = 0xff
    bytes[73] = 0xff
    #expect(decode(bytes).claims.isEmpty)
  }

  @Test("thousands of options end at the turn limit")
  func flood() {
    var bytes = Array(Corpus.sample("ndp", "router-advertisement").bytes.prefix(options))
    for _ in 0..<170 { bytes += [24, 1, 0, 0, 0, 0, 7, 8] }
    let length = bytes.count - 54
    bytes[18] = UInt8(length >> 8)
    bytes[19] = UInt8(truncatingIfNeeded: length)
    let said = decode(bytes)
    #expect(said.claims.count <= 130)
    #expect(said.claims.contains(.advertisesRoute(prefix("::/0"))))
  }
}
