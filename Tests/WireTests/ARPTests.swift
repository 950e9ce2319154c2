import Fixtures
import Testing
import Wire

@Suite("ARP")
struct ARPTests {
  @Test("a request shows the sender's address and whom it looks for on its own link")
  func request() {
    let said = decode(Corpus.sample("arp", "request"))
    #expect(
      said.claims(about: "02:00:00:00:00:0a") == [
        .holds(ip("192.168.0.10"), .request), .seeks(ip("192.168.0.1"), from: ip("192.168.0.10")),
      ])
    #expect(said.summary.stop == nil)
  }

  @Test("a request cut in the middle says nothing, and the cut is ours")
  func cut() {
    let said = decode(Corpus.sample("arp", "request"), cutTo: 30)
    #expect(said.observations.isEmpty)
    #expect(said.observations.fault?.reason == .cutByCapture)
  }
}
