import Fixtures
import Testing
import Wire

@Suite("Wireless headers")
struct HeadersWirelessTests {
  let cell = "02:00:00:00:00:c0"
  let station = "02:00:00:00:00:15"
  let holdsAddress = Observation.Claim.holds(ip("192.168.0.15"), .request)

  /// What the walk has to find behind each of the radio headers: an ARP request of the station.
  func expectARP(_ said: Decoded) {
    #expect(said.summary.etherType == .arp)
    #expect(said.summary.source == mac(station))
    #expect(said.claims(about: station).contains(holdsAddress))
    #expect(said.summary.payloadLength == 28)
    #expect(said.summary.stop == nil)
  }

  @Test("radiotap aligns each field from its first byte; padding and check sum are taken off")
  func radiotap() {
    let said = decode(Corpus.sample("headers", "radiotap-aligned"))
    expectARP(said)
    #expect(said.summary.wireless.rate == 108)
    #expect(said.summary.wireless.frequency == 2462)
    #expect(said.summary.wireless.signal == -57)
    #expect(said.claims(about: station).contains(.isStation(of: mac(cell), signal: -57)))
  }

  @Test("radiotap whose words never end has no fields, and its frame is read all the same")
  func endlessWords() {
    var bytes: [UInt8] = [0, 0, 48, 0]
    for _ in 0..<10 { bytes += [0xff, 0xff, 0xff, 0xff] }
    bytes += [0xff, 0xff, 0xff, 0xff]
    bytes += Corpus.sample("headers", "wireless-null").bytes
    let said = decode(bytes, link: .radiotap)
    #expect(said.summary.wireless.signal == 0)
    #expect(said.claims(about: station) == [.isStation(of: mac(cell), signal: nil)])
  }

  @Test("radiotap of another version is not read")
  func version() {
    var bytes = Corpus.sample("headers", "radiotap-aligned").bytes
    bytes[0] = 1
    #expect(decode(bytes, link: .radiotap).summary.stop?.reason == .unsupported)
  }

  @Test("radiotap longer than its frame is malformed")
  func tooLong() {
    var bytes = Corpus.sample("headers", "radiotap-aligned").bytes
    bytes[3] = 0xff
    let said = decode(bytes, link: .radiotap)
    #expect(said.summary.stop?.reason == .malformed)
    #expect(said.claims == [])
  }

  @Test("a protected frame still shows who is on which access point")
  func protected() {
    let said = decode(Corpus.sample("headers", "radiotap-encrypted"))
    #expect(said.claims == [.isStation(of: mac(cell), signal: -60)])
    #expect(said.summary.has(.encrypted))
  }

  @Test("a frame whose check sum failed is believed in nothing")
  func badFCS() {
    #expect(decode(Corpus.sample("headers", "radiotap-bad-fcs")).claims == [])
  }

  @Test("Prism headers are in the byte order of who captured")
  func prism() {
    expectARP(decode(Corpus.sample("headers", "prism")))
    expectARP(decode(Corpus.sample("headers", "prism-big-endian")))
  }

  @Test("AVS is known by its version; from the access point, address 1 is the station")
  func avs() {
    let said = decode(Corpus.sample("headers", "avs"))
    #expect(said.summary.etherType == .arp)
    #expect(said.claims(about: station).first == .isStation(of: mac(cell), signal: nil))
  }

  @Test("PPI carries signal and channel, and says whether a check sum follows")
  func ppi() {
    let said = decode(Corpus.sample("headers", "ppi"))
    expectARP(said)
    #expect(said.summary.wireless.signal == -54)
    #expect(said.summary.wireless.frequency == 2417)
  }

  @Test("four addresses join two bridges")
  func wds() {
    let said = decode(Corpus.sample("headers", "wds"))
    #expect(said.summary.source == mac(station))
    #expect(said.claims(about: "02:00:00:00:00:c1") == [.neighbours(mac(cell), over: .wifi, direct: true, rate: nil)])
    #expect(said.claims(about: station).contains(holdsAddress))
    #expect(!said.claims(about: station).contains { if case .isStation = $0 { true } else { false } })
  }

  @Test("HT control stands between QoS and payload")
  func htControl() {
    expectARP(decode(Corpus.sample("headers", "wireless-ht-control")))
  }

  @Test("a frame without payload shows its station, a control frame nobody")
  func small() {
    #expect(decode(Corpus.sample("headers", "wireless-null")).claims == [.isStation(of: mac(cell), signal: nil)])
    let control = decode(Corpus.sample("headers", "wireless-rts"))
    #expect(control.claims == [])
    #expect(!control.summary.has(.hasSource))
  }
}
