import Fixtures
import Testing
import Wire

@Suite("802.11")
struct IEEE80211Tests {
  let cell = "02:00:00:00:00:c0"
  let station = "02:00:00:00:00:15"

  @Test("a beacon shows the access point, its network, its channel and its make")
  func beacon() {
    let said = decode(Corpus.sample("802.11", "beacon"))
    #expect(
      said.claims(about: cell) == [
        .playsRole(.accessPoint), .runsBSS(mac(cell), ssid: WireText("Garden")), .has(.manufacturer, WireText("Example Networks")),
        .has(.model, WireText("EX-1000")), .isNamed(WireText("House router"), .friendly), .channel(2437),
      ])
    #expect(said.observations.fault == nil)
    #expect(said.summary.wireless.signal == -60)
  }

  @Test("networks without a beacon of their own are the radio's, under the addresses that the standard derives")
  func multipleBSSID() {
    let radio = "02:00:00:00:00:c6"
    let said = decode(Corpus.sample("802.11", "beacon-multiple-bssid"))
    #expect(
      said.claims(about: radio) == [
        .playsRole(.accessPoint), .runsBSS(mac(radio), ssid: WireText("Garden")),
        .runsBSS(mac("02:00:00:00:00:c7"), ssid: WireText("Guests")), .runsBSS(mac("02:00:00:00:00:c1"), ssid: nil), .channel(5955),
      ])
    #expect(said.claims.count == 5)
    #expect(said.observations.fault == nil)
  }

  @Test("a place that the set does not have, and a set without one, are nobody's, and cost the others nothing")
  func multipleBSSIDOutOfRange() {
    let sample = Corpus.sample("802.11", "beacon-multiple-bssid")
    let others: [Observation.Claim] = [
      .playsRole(.accessPoint), .runsBSS(mac("02:00:00:00:00:c6"), ssid: WireText("Garden")), .channel(5955),
    ]
    // The first profile's place: 0 is the radio itself, 8 is behind the last of eight.
    for place: UInt8 in [0, 8, 255] {
      var bytes = sample.bytes
      #expect(bytes[75...76].elementsEqual([3, 1]))
      bytes[76] = place
      let said = decode(bytes, link: sample.link)
      #expect(Set(said.claims) == Set(others + [.runsBSS(mac("02:00:00:00:00:c1"), ssid: nil)]))
      #expect(said.observations.fault?.reason == .malformed)
    }
    for bits: UInt8 in [0, 9, 255] {
      var bytes = sample.bytes
      #expect(bytes[57...59].elementsEqual([0x47, 0x21, 3]))
      bytes[59] = bits
      let said = decode(bytes, link: sample.link)
      #expect(said.claims == others)
      #expect(said.observations.fault?.reason == .malformed)
    }
  }

  @Test("an open network says so; a hidden one has no name; the primary channel counts, not the one it was heard on")
  func open() {
    let said = decode(Corpus.sample("802.11", "beacon-open"))
    #expect(
      said.claims(about: cell) == [
        .playsRole(.accessPoint), .has(.comment, WireText("open network")), .runsBSS(mac(cell), ssid: nil), .channel(5200),
      ])
    #expect(said.observations.fault == nil)
  }

  @Test("a name of zeros is hidden too")
  func zeros() {
    var bytes = Corpus.sample("802.11", "beacon-fcs").bytes
    for at in 38..<44 { bytes[at] = 0 }
    #expect(decode(bytes, link: .ieee80211).claims.contains(.runsBSS(mac(cell), ssid: nil)))
  }

  @Test("a beacon that was cut before its name names nobody")
  func cut() {
    let said = decode(Corpus.sample("802.11", "beacon"), cutTo: 54)
    #expect(said.claims == [.playsRole(.accessPoint)])
    #expect(said.observations.fault?.reason == .cutByCapture)
  }

  @Test("an element longer than the frame ends the list, and what stood before it counts")
  func hostileElement() {
    let said = decode(Corpus.sample("802.11", "beacon-bad-tim"))
    #expect(said.claims == [.playsRole(.accessPoint), .runsBSS(mac(cell), ssid: WireText("Garden"))])
    #expect(said.observations.fault?.reason == .shorterThanItSays)
  }

  @Test("a check sum that the file does not announce is no element and no fault")
  func checkSum() {
    let said = decode(Corpus.sample("802.11", "beacon-fcs"))
    #expect(said.claims == [.playsRole(.accessPoint), .runsBSS(mac(cell), ssid: WireText("Garden")), .channel(2462)])
    #expect(said.observations.fault == nil)
  }

  @Test("of passers-by and their networks nothing is kept")
  func probes() {
    #expect(decode(Corpus.sample("802.11", "probe-request")).claims == [])
  }

  @Test("an ad hoc cell is no access point")
  func adHoc() {
    #expect(decode(Corpus.sample("802.11", "probe-response")).claims == [])
  }

  @Test("who asks to join is perhaps a station, who is let in is one, who is refused is none")
  func association() {
    let request = decode(Corpus.sample("802.11", "association-request"))
    #expect(request.claims(about: station) == [.isStation(of: mac(cell), signal: nil)])
    #expect(request.claims(about: cell) == [.runsBSS(mac(cell), ssid: WireText("Garden"))])
    #expect(request.observations.items.allSatisfy { $0.grade == .b })
    let response = decode(Corpus.sample("802.11", "reassociation-response"))
    #expect(response.claims(about: station) == [.isStation(of: mac(cell), signal: nil)])
    #expect(response.observations.items.allSatisfy { $0.grade == .a })
    #expect(decode(Corpus.sample("802.11", "association-refused")).claims == [])
  }

  @Test("a station leaves; everybody being sent away is nobody in particular")
  func leaving() {
    #expect(decode(Corpus.sample("802.11", "deauthentication")).claims(about: station) == [.leavesStation(mac(cell))])
    #expect(decode(Corpus.sample("802.11", "deauthentication-all")).claims == [])
  }

  @Test("a beacon in another's name is not believed")
  func forged() {
    var bytes = Corpus.sample("802.11", "beacon-fcs").bytes
    bytes[15] = 0xc1
    #expect(decode(bytes, link: .ieee80211).claims == [])
  }

  @Test("a frame of a version that does not exist says nothing")
  func version() {
    var bytes = Corpus.sample("802.11", "beacon-fcs").bytes
    bytes[0] |= 1
    #expect(decode(bytes, link: .ieee80211).claims == [])
  }
}
