import Fixtures
import Testing
import Wire

@Suite("mDNS")
struct MDNSTests {
  private let printer = "02:00:00:00:00:20"

  @Test("an answer tells the host, its addresses, its service, and what it is")
  func answer() {
    let said = decode(Corpus.sample("mdns", "answer"))
    #expect(
      said.claims(about: printer) == [
        .isNamed(WireText("printer-20"), .host), .holds(ip("192.168.0.20"), .statement), .holds(ip("fe80::ff:fe00:20"), .statement),
        .offers(WireText("_ipp._tcp")), .isNamed(WireText("Office printer"), .friendly), .has(.model, WireText("Acme LaserWriter 9")),
        .has(.model, WireText("Acme LaserWriter")), .has(.manufacturer, WireText("Acme")), .has(.model, WireText("LaserWriter 9")),
        .has(.comment, WireText("Second floor")), .has(.uuid, WireText("0a1b2c3d-0000-1000-8000-020000000020")),
      ])
    #expect(said.claims.count == 11)
    #expect(said.observations.items.first?.grade == .a)
    #expect(said.observations.items.first?.field == "A")
  }

  @Test("an answer cut in its text keeps neither half a text nor a service of which nobody knows whose it is")
  func cut() {
    let sample = Corpus.sample("mdns", "answer")
    let said = decode(sample, cutTo: 200)
    #expect(said.claims.isEmpty)
    #expect(said.observations.fault?.reason == .cutByCapture)
    // With the sender's own address there, the rest is its own.
    let more = decode(sample, cutTo: sample.bytes.count - 10)
    #expect(more.names == ["printer-20", "Office printer"])
    #expect(more.offers == ["_ipp._tcp"])
  }

  @Test("a goodbye proves nothing")
  func goodbye() { #expect(decode(Corpus.sample("mdns", "goodbye")).claims.isEmpty) }

  @Test("a question proves nothing, nor do the answers it already knows")
  func question() { #expect(decode(Corpus.sample("mdns", "question")).claims.isEmpty) }

  @Test("a probe names its sender, which wants the addresses and does not hold them yet")
  func probe() {
    let said = decode(Corpus.sample("mdns", "probe"))
    #expect(
      said.claims(about: "02:00:00:00:00:31") == [
        .isNamed(WireText("tablet"), .host), .wants(ip("192.168.0.31")), .wants(ip("fe80::ff:fe00:31")),
      ])
    #expect(said.observations.items.allSatisfy { $0.grade == .b })
  }

  @Test("a sleep proxy is not what it answers for")
  func sleepProxy() {
    let said = decode(Corpus.sample("mdns", "sleep-proxy"))
    #expect(said.claims(about: "02:00:00:00:00:42") == [.guards(mac("02:00:00:00:00:41"))])
    #expect(
      said.claims(about: "02:00:00:00:00:41") == [
        .isNamed(WireText("desk-mac"), .host), .holds(ip("192.168.0.40"), .statement), .offers(WireText("_ssh._tcp")),
        .isNamed(WireText("Desk Mac"), .friendly),
      ])
  }

  @Test("of several hosts in one message each gets its own service")
  func reflected() {
    let said = decode(Corpus.sample("mdns", "reflected"))
    #expect(
      said.claims(about: "02:00:00:00:00:01") == [
        .isNamed(WireText("router"), .host), .holds(ip("192.168.0.1"), .statement), .offers(WireText("_http._tcp")),
        .isNamed(WireText("Router"), .friendly),
      ])
    #expect(
      said.claims(about: ip("10.0.7.5")) == [
        .isNamed(WireText("attic"), .host), .offers(WireText("_smb._tcp")), .isNamed(WireText("Attic"), .friendly),
      ])
    #expect(said.claims.count == 7)
  }

  @Test("addresses in instance names are no names, and a phone's stays its owner's")
  func instances() {
    let said = decode(Corpus.sample("mdns", "names"))
    // The workstation's name is its host's.
    #expect(said.names == ["studio", "Living room", "studio"])
    #expect(said.offers == ["_raop._tcp", "_workstation._tcp", "_apple-mobdev2._tcp"])
    #expect(said.claims.contains(.has(.model, WireText("Mac14,12"))))
    #expect(said.claims.contains(.has(.operatingSystem, WireText("osxvers=23"))))
    #expect(!said.claims.contains { if case .speaksFor = $0 { true } else { false } })
  }

  @Test("a computer behind a repeater shows its own address in its workstation name")
  func workstation() {
    var message = DNSBytes(answers: 2)
    message.name("_workstation", "_tcp", "local")
    message.record(12, DNSBytes.name(["studio [02:00:00:00:00:51]", "_workstation", "_tcp", "local"]))
    message.name("studio", "local")
    message.address("192.168.0.50")
    #expect(decode(message.frame()).claims(about: "02:00:00:00:00:50").contains(.speaksFor(mac("02:00:00:00:00:51"))))
  }

  @Test("names of addresses belong to the sender only if the address is the sender's")
  func reverse() {
    let said = decode(Corpus.sample("mdns", "reverse"))
    #expect(said.claims(about: ip("192.168.0.21")) == [.isNamed(WireText("studio"), .host)])
    #expect(said.claims(about: "02:00:00:00:00:21") == [.isNamed(WireText("studio"), .host)])
  }

  @Test("what came through a router, or from another port, is no answer of this link")
  func scope() {
    var message = DNSBytes(answers: 1)
    message.name("far", "local")
    message.address("192.168.0.50")
    var bytes = message.frame(hopLimit: 64)
    #expect(decode(bytes).names == ["far"], "to the group any hop limit will do")
    // To a host it has to be 255.
    bytes.replaceSubrange(30..<34, with: [192, 168, 0, 30])
    #expect(decode(bytes).claims.isEmpty)
    bytes[22] = 255
    #expect(decode(bytes).names == ["far"])
    bytes[35] = 0x77
    #expect(decode(bytes).claims.isEmpty)
  }

  @Test("somebody else's single name is told of the address and not of the sender")
  func foreign() {
    var message = DNSBytes(answers: 2)
    message.name("attic", "local")
    message.address("10.0.7.5")
    message.name("_smb", "_tcp", "local")
    message.record(12, DNSBytes.name(["Attic", "_smb", "_tcp", "local"]))
    let said = decode(message.frame())
    #expect(said.claims(about: "02:00:00:00:00:50").isEmpty)
    #expect(said.claims(about: ip("10.0.7.5")).count == 3)
  }

  @Test("identifiers are no names that somebody gave")
  func given() {
    for (instance, isName) in [
      ("Kitchen", true), ("HP LaserJet [A1B2C3]", true), ("Chromecast-0123456789abcdef0123456789abcdef", false),
      ("87E1B004E235A130-0000000000BC614E", false), ("aa:bb:cc:dd:ee:ff", false), ("Küche", true), ("a.b.c", true),
    ] {
      var message = DNSBytes(answers: 1)
      message.name("_x", "_tcp", "local")
      message.record(12, DNSBytes.name([instance, "_x", "_tcp", "local"]))
      #expect(message.names() == (isName ? [instance] : []), "\(instance)")
    }
  }

  @Test("text of a service counts once for each key, and a string that does not fit ends it")
  func text() {
    var message = DNSBytes(answers: 1)
    message.name("Kitchen", "_googlecast", "_tcp", "local")
    let strings = ["md=Player 1", "md=Player 2", "fn=Kitchen radio", "md", "=", "", "ca=5"]
    message.record(16, strings.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [200, 0x66])
    let said = decode(message.frame())
    #expect(said.claims == [.has(.model, WireText("Player 1")), .isNamed(WireText("Kitchen radio"), .friendly)])
    #expect(said.observations.fault == nil)
  }

  @Test("an AirPort's list of addresses joins them to one box")
  func airPort() {
    var message = DNSBytes(answers: 1)
    message.name("Base", "_airport", "_tcp", "local")
    let string = "waMA=02-00-00-00-00-50,raMA=02-00-00-00-00-52,raM2=02-00-00-00-00-53,syAP=115"
    message.record(16, [UInt8(string.utf8.count)] + Array(string.utf8))
    #expect(decode(message.frame()).claims == [.isSameBox(as: mac("02:00:00:00:00:52")), .isSameBox(as: mac("02:00:00:00:00:53"))])
  }

  @Test("ten thousand records of one name say it once")
  func repetition() {
    var message = DNSBytes(answers: 3_900)
    let start = message.count
    message.name("many", "local")
    message.address("192.168.0.50")
    for _ in 1..<3_900 {
      message.pointer(start)
      message.address("192.168.0.50")
    }
    #expect(message.names() == ["many"])
  }
}
