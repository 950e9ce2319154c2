import Fixtures
import Testing
import Wire

@Suite("PPPoE discovery")
struct PPPoEDiscoveryTests {
  let host = "02:00:00:00:00:0a"
  let concentrator = "02:00:00:00:00:01"

  @Test("who dials, and on which line the access node says it is")
  func padi() {
    #expect(
      decode(Corpus.sample("pppoe", "padi")).claims(about: host) == [
        .dialsPPPoE, .relayAgent(circuit: WireText("node1"), remote: WireText("line42")),
      ])
  }

  @Test("who answers, by its name, or without where the confirmation leaves it out")
  func answers() {
    #expect(decode(Corpus.sample("pppoe", "pado")).claims(about: concentrator) == [.answersPPPoE(WireText("bras-7"))])
    #expect(decode(Corpus.sample("pppoe", "pads")).claims(about: concentrator) == [.answersPPPoE(WireText(""))])
    #expect(decode(Corpus.sample("pppoe", "padt")).claims.isEmpty)
  }

  @Test("a refused session, an offer without name and another version answer nothing")
  func nothing() {
    var bytes = Corpus.sample("pppoe", "pads").bytes
    bytes[20] = 0x02  // service-name error
    #expect(decode(bytes).claims.isEmpty)
    bytes = Corpus.sample("pppoe", "pado").bytes
    bytes[25] = 0x03  // the name becomes a host-uniq
    #expect(decode(bytes).claims.isEmpty)
    bytes = Corpus.sample("pppoe", "padi").bytes
    bytes[14] = 0x21
    #expect(decode(bytes).claims.isEmpty)
  }

  @Test("a tag that runs out ends the list; what stood before it counts")
  func runsOut() {
    var bytes = Corpus.sample("pppoe", "padi").bytes
    bytes[26] = 0xff  // length of host-uniq
    let said = decode(bytes)
    #expect(said.claims == [.dialsPPPoE])
    #expect(said.observations.fault?.reason == .shorterThanItSays)

    bytes = Corpus.sample("pppoe", "pado").bytes
    bytes[37] = 0xff  // length of host-uniq, behind the name
    let answer = decode(bytes)
    #expect(answer.claims == [.answersPPPoE(WireText("bras-7"))])
    #expect(answer.observations.fault?.reason == .shorterThanItSays)
  }
}
