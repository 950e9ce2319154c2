import Fixtures
import Testing
import Wire

@Suite("MAC control")
struct MACControlTests {
  @Test("who asks for a pause is at the other end of the cable")
  func pause() {
    let said = decode(Corpus.sample("mac-control", "pause"))
    #expect(said.claims(about: "02:5a:55:00:00:03") == [.isLinkPartner])
    #expect(said.observations.items.first?.grade == .b)
  }

  @Test("other operations, and a pause to one station, which a bridge may forward, prove nothing")
  func others() {
    var bytes = Corpus.sample("mac-control", "pause").bytes
    bytes[15] = 2
    #expect(decode(bytes).observations.isEmpty)
    bytes = Corpus.sample("mac-control", "pause").bytes
    bytes.replaceSubrange(0..<6, with: [2, 0, 0, 0, 0, 1])
    #expect(decode(bytes).observations.isEmpty)
  }

  @Test("a frame cut before its opcode is cut, not wrong")
  func cut() {
    let said = decode(Corpus.sample("mac-control", "pause"), cutTo: 15)
    #expect(said.claims.isEmpty)
    #expect(said.observations.fault?.reason == .cutByCapture)
  }
}
