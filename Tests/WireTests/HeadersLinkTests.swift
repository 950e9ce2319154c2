import Fixtures
import Testing
import Wire

@Suite("Link headers")
struct HeadersLinkTests {
  @Test("the frame inside a Cisco trunk wrapper is the frame, in the wrapper's VLAN")
  func wrapper() {
    let said = decode(Corpus.sample("headers", "isl"))
    #expect(said.summary.source == mac("02:00:00:00:00:15"))
    #expect(said.summary.destination == .broadcast)
    #expect(said.summary.vlanIDs == [5])
    #expect(said.summary.etherType == .arp)
    #expect(said.claims(about: "02:00:00:00:00:15").contains(.holds(ip("192.168.0.15"), .request)))
    #expect(said.summary.stop == nil)
  }

  @Test("a wrapper inside a wrapper is not looked into, however deep somebody nests them")
  func nestedWrappers() {
    let wrapper = Corpus.sample("headers", "isl").bytes.prefix(26)
    let said = decode(Array(repeating: wrapper, count: 1000).flatMap { $0 })
    #expect(said.claims.isEmpty)
    #expect(said.summary.vlanIDs == [5])
  }

  @Test("a wrapper that ends before its frame names the switch port alone")
  func shortWrapper() {
    let bytes = Array(Corpus.sample("headers", "isl").bytes.prefix(25))
    let said = decode(bytes)
    #expect(said.summary.source == mac("02:5a:44:00:00:07"))
    #expect(said.summary.stop == WireFault(.shorterThanItSays, at: 14))
    #expect(said.claims.isEmpty)
  }

  @Test("an EtherType where the loop-back link has its address family says what follows")
  func loopbackEtherType() {
    let said = decode(Corpus.sample("headers", "null-ethertype"))
    #expect(said.summary.sourceAddress == ip("10.0.0.1"))
    #expect(said.summary.destinationPort == Port(5001))
    #expect(said.summary.has(.pointToPoint))
    #expect(said.summary.stop == nil)
  }

  @Test("a link type counts as read exactly when the header walk does not stop at its first byte")
  func readLinkTypes() {
    let numbers = Array(UInt32(0)...300)
    let refused = numbers.filter {
      let said = decode([UInt8](repeating: 0, count: 64), link: LinkType($0))
      return said.summary.stop == WireFault(.unsupported, at: 0)
    }
    #expect(numbers.filter { !LinkType($0).isRead } == refused)
    #expect(refused.contains(147) && !refused.contains(1) && !refused.contains(113))
  }

  @Test("the beacon of a 60 GHz radio names its BSSID and no station")
  func beacon60GHz() {
    let said = decode(Corpus.sample("headers", "wireless-dmg-beacon"))
    #expect(said.summary.wireless.bssid == mac("02:00:00:00:00:60"))
    #expect(said.summary.station.isZero)
    #expect(said.claims.isEmpty)
  }
}
