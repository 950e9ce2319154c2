import Fixtures
import Testing
import Wire

@Suite("ICMP")
struct ICMPTests {
  let router = "02:00:00:00:00:01"

  @Test("a redirect names the better router, and makes its sender one")
  func redirect() {
    let said = decode(Corpus.sample("icmp", "redirect"))
    #expect(
      said.claims(about: router) == [.redirects(to: ip("192.168.0.2"), for: ip("10.20.30.40")), .playsRole(.router)])
  }

  @Test("a redirect that was routed is forged")
  func routedRedirect() {
    var bytes = Corpus.sample("icmp", "redirect").bytes
    bytes[22] = 63
    #expect(decode(bytes).claims.isEmpty)
  }

  @Test("time exceeded makes a router of the address, not of the frame's source, which is merely the last hop")
  func timeExceeded() {
    let said = decode(Corpus.sample("icmp", "time-exceeded"))
    #expect(said.observations.items.map(\.subject) == [.address(ip("203.0.113.9"))])
    #expect(said.claims == [.playsRole(.router)])
    var bytes = Corpus.sample("icmp", "time-exceeded").bytes
    bytes[35] = 1  // reassembly: the receiver's own word
    #expect(decode(bytes).claims.isEmpty)
  }

  @Test("a mask reply gives the subnet, unless its mask has holes")
  func mask() {
    #expect(
      decode(Corpus.sample("icmp", "mask-reply")).claims(about: router) == [.advertisesPrefix(prefix("192.168.0.0/24"), onLink: true)])
    var bytes = Corpus.sample("icmp", "mask-reply").bytes
    bytes[43] = 0
    #expect(decode(bytes).claims.isEmpty)
    #expect(decode(bytes).observations.fault?.reason == .malformed)
  }
}
