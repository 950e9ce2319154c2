import Fixtures
import Testing
import Wire

@Suite("VRRP, CARP and HSRP")
struct FirstHopRedundancyTests {
  let virtual = "00:00:5e:00:01:07"

  @Test("the master speaks from the virtual address: only its IP address is its own")
  func master() {
    let said = decode(Corpus.sample("vrrp", "version-2"))
    #expect(
      said.claims(about: virtual) == [
        .isVirtualRouter(real: nil, address: ip("192.168.0.1")), .isVirtualRouter(real: nil, address: ip("192.168.0.254")),
      ])
    #expect(said.observations.items.first?.subject == .address(ip("192.168.0.2")))
    #expect(said.claims.first == .playsRole(.router))
  }

  @Test("a member that speaks from its own address is known by it")
  func ownAddress() {
    let said = decode(Corpus.sample("vrrp", "own-mac"))
    #expect(said.claims(about: virtual) == [.isVirtualRouter(real: mac("02:00:00:00:00:02"), address: ip("192.168.0.1"))])
    #expect(said.claims(about: "02:00:00:00:00:02") == [.holds(ip("192.168.0.2"), .statement), .playsRole(.router)])
  }

  @Test("IPv6 has its own virtual addresses")
  func version3() {
    #expect(
      decode(Corpus.sample("vrrp", "version-3-ipv6")).claims(about: "00:00:5e:00:02:07") == [
        .isVirtualRouter(real: nil, address: ip("fe80::1"))
      ])
  }

  @Test("CARP shares the number and the address, but its digest is no list of addresses, and its members need not be routers")
  func carp() {
    let said = decode(Corpus.sample("vrrp", "carp"))
    #expect(said.claims == [.isVirtualRouter(real: nil, address: nil)])
    #expect(said.claims(about: "00:00:5e:00:01:03") == said.claims)
    let cut = decode(Corpus.sample("vrrp", "carp"), cutTo: 60)
    #expect(cut.claims.isEmpty)
    #expect(cut.observations.fault?.reason == .cutByCapture)
  }

  @Test("what was routed, names no group or counts more than it has is believed in nothing")
  func hostile() {
    var bytes = Corpus.sample("vrrp", "version-2").bytes
    bytes[22] = 254
    #expect(decode(bytes).claims.isEmpty)
    bytes = Corpus.sample("vrrp", "version-2").bytes
    bytes[35] = 0
    #expect(decode(bytes).claims.isEmpty)
    bytes = Corpus.sample("vrrp", "version-2").bytes
    bytes[37] = 255
    #expect(decode(bytes).claims.isEmpty)
    #expect(decode(bytes).observations.fault?.reason == .shorterThanItSays)
  }

  @Test("HSRP: the standby speaks from its own address, the active from the virtual one")
  func hsrp() {
    let group = "00:00:0c:07:ac:05"
    let standby = decode(Corpus.sample("hsrp", "standby"))
    #expect(standby.claims(about: group) == [.isVirtualRouter(real: mac("02:00:00:00:00:03"), address: ip("192.168.0.1"))])
    #expect(standby.claims(about: "02:00:00:00:00:03") == [.holds(ip("192.168.0.3"), .statement), .playsRole(.router)])
    let active = decode(Corpus.sample("hsrp", "active"))
    #expect(active.claims(about: group) == [.isVirtualRouter(real: nil, address: ip("192.168.0.1"))])
    #expect(active.observations.items.first?.subject == .address(ip("192.168.0.2")))
  }

  @Test("HSRP 2 names the member inside, whoever the frame is from")
  func hsrp2() {
    let said = decode(Corpus.sample("hsrp", "version-2"))
    #expect(
      said.claims(about: "00:00:0c:9f:f0:05") == [.isVirtualRouter(real: mac("02:00:00:00:00:02"), address: ip("192.168.0.1"))])
    #expect(said.claims(about: "02:00:00:00:00:02") == [.holds(ip("192.168.0.2"), .statement), .playsRole(.router)])
  }

  @Test("HSRP to one host, or advertising interfaces, tells nothing")
  func otherHSRP() {
    var bytes = Corpus.sample("hsrp", "standby").bytes
    bytes[43] = 3
    #expect(decode(bytes).claims.isEmpty)
    bytes = Corpus.sample("hsrp", "standby").bytes
    bytes[30] = 192
    #expect(decode(bytes).claims.isEmpty)
  }
}
