import Fixtures
import Testing
import Wire

@Suite("LLMNR")
struct LLMNRTests {
  @Test("an answer names its sender, which holds the address")
  func answer() {
    let said = decode(Corpus.sample("llmnr", "answer"))
    #expect(said.claims(about: "02:00:00:00:00:14") == [.isNamed(WireText("STUDY"), .host), .holds(ip("192.168.0.14"), .statement)])
    #expect(said.claims.count == 2)
  }

  @Test("a question says nothing, nor does an answer that came through a router say whose it is")
  func others() {
    #expect(decode(Corpus.sample("llmnr", "question")).claims.isEmpty)
    var bytes = Corpus.sample("llmnr", "answer").bytes
    bytes[22] = 127
    let said = decode(bytes)
    #expect(said.claims(about: "02:00:00:00:00:14").isEmpty)
    #expect(said.claims(about: ip("192.168.0.14")) == [.isNamed(WireText("STUDY"), .host)])
  }

  @Test("a name in conflict or not yet verified proves nothing", arguments: [0x04, 0x01])
  func unsure(_ flag: UInt8) {
    var bytes = Corpus.sample("llmnr", "answer").bytes
    bytes[44] |= flag
    #expect(decode(bytes).claims.isEmpty)
  }
}

@Suite("DNS")
struct DNSTests {
  private let server: [Observation.Claim] = [.playsRole(.dnsServer)]

  @Test("local names with private addresses are told of those addresses")
  func local() {
    let said = decode(Corpus.sample("dns", "local"))
    #expect(said.claims(about: ip("192.168.0.1")) == server)
    #expect(said.claims(about: ip("192.168.0.9")) == [.isNamed(WireText("nas"), .host)])
    #expect(said.claims(about: ip("fd00::9")) == [.isNamed(WireText("nas"), .host)])
    #expect(said.claims(about: ip("192.168.0.8")) == [.isNamed(WireText("tv"), .host)])
  }

  @Test("what people look up in the world is not read")
  func world() {
    #expect(decode(Corpus.sample("dns", "world")).claims == server)
    let mixed = decode(Corpus.sample("dns", "mixed"))
    #expect(mixed.claims(about: ip("192.168.0.7")).isEmpty)
    #expect(mixed.claims(about: ip("192.168.0.1")) == server + [.isNamed(WireText("fritz.box"), .host)])
  }

  @Test("a private address looked up tells its name")
  func reverse() {
    #expect(decode(Corpus.sample("dns", "reverse")).claims(about: ip("192.168.0.9")) == [.isNamed(WireText("nas"), .host)])
  }

  @Test("a question, a refusal and a server of the world without recursion are nobody's resolver")
  func noServer() {
    let sample = Corpus.sample("dns", "world").bytes
    for (at, value) in [(44, UInt8(0x01)), (45, 0x85)] {
      var bytes = sample
      bytes[at] = value
      #expect(decode(bytes).claims.isEmpty)
    }
    var far = sample
    far.replaceSubrange(26..<30, with: [203, 0, 113, 9])
    #expect(decode(far).claims == server)
    far[45] = 0
    #expect(decode(far).claims.isEmpty)
  }
}

@Suite("NetBIOS")
struct NetBIOSTests {
  private let study = "02:00:00:00:00:14"

  @Test("a registration names its sender")
  func registration() {
    let said = decode(Corpus.sample("nbns", "registration"))
    #expect(said.claims(about: study) == [.isNamed(WireText("STUDY"), .host), .holds(ip("192.168.0.14"), .statement)])
  }

  @Test("a group's name is no name of the host")
  func group() {
    let said = decode(Corpus.sample("nbns", "group"))
    #expect(said.claims(about: study) == [.isNamed(WireText("HOME"), .group), .holds(ip("192.168.0.14"), .statement)])
  }

  @Test("an answer with two addresses says which name the other one has")
  func answer() {
    let said = decode(Corpus.sample("nbns", "answer"))
    #expect(said.claims(about: study) == [.isNamed(WireText("STUDY"), .host), .holds(ip("192.168.0.14"), .statement)])
    #expect(said.claims(about: ip("10.0.0.14")) == [.isNamed(WireText("STUDY"), .host)])
  }

  @Test("a node status tells host, group and own address, and not who is logged in")
  func nodeStatus() {
    let said = decode(Corpus.sample("nbns", "node-status"))
    #expect(
      said.claims(about: study) == [
        .isNamed(WireText("STUDY"), .host), .isNamed(WireText("HOME"), .group), .speaksFor(mac("02:00:00:00:00:15")),
      ])
    #expect(!said.names.contains("BERT"))
  }

  @Test("through a router a node status is of the address, which the unit holds")
  func routed() {
    var bytes = Corpus.sample("nbns", "node-status").bytes
    bytes[22] = 127
    let said = decode(bytes)
    #expect(said.claims(about: study).isEmpty)
    #expect(said.claims(about: "02:00:00:00:00:15") == [.holds(ip("192.168.0.14"), .statement)])
  }

  @Test("letters beyond P, and names of nothing, are no names")
  func badLetters() {
    var bytes = Corpus.sample("nbns", "registration").bytes
    bytes[14 + 20 + 8 + 13] = 0x51
    #expect(decode(bytes).claims.isEmpty)
    #expect(decode(bytes).observations.fault == nil)
  }

  @Test("a browser announcement tells name, group, system, services and comment")
  func browser() {
    let said = decode(Corpus.sample("browser", "host"))
    #expect(
      said.claims(about: study) == [
        .isNamed(WireText("STUDY"), .host), .holds(ip("192.168.0.14"), .statement), .isNamed(WireText("HOME"), .group),
        .isNamed(WireText("STUDY"), .host), .has(.software, WireText("OS version 6.1")), .offers(WireText("smb-server")),
        .offers(WireText("print-server")), .has(.comment, WireText("Bert upstairs")),
      ])
  }

  @Test("the announcement of a group is no host's")
  func browserGroup() {
    let said = decode(Corpus.sample("browser", "group"))
    #expect(
      said.claims(about: study) == [
        .isNamed(WireText("STUDY"), .host), .holds(ip("192.168.0.14"), .statement), .isNamed(WireText("HOME"), .group),
      ])
  }

  @Test("an announcement cut in the name still has the datagram's")
  func browserCut() {
    let sample = Corpus.sample("browser", "host")
    let said = decode(sample, cutTo: sample.bytes.count - 30)
    #expect(said.names.first == "STUDY")
    #expect(said.observations.fault?.reason == .cutByCapture)
  }

  @Test("data said to lie before its own header is malformed, and no more is read")
  func browserOffset() {
    var bytes = Corpus.sample("browser", "host").bytes
    bytes[14 + 20 + 8 + 14 + 68 + 57] = 3
    let said = decode(bytes)
    #expect(said.names == ["STUDY"])
    #expect(said.observations.fault?.reason == .malformed)
  }
}
