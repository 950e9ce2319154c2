import Fixtures
import Testing
import Wire

@Suite("CoIoT")
struct CoIoTTests {
  private let relay = "02:5a:a0:14:62:09"

  @Test("a relay that tells its state says what it is")
  func status() {
    let said = decode(Corpus.sample("coiot", "status"))
    #expect(said.claims(about: relay) == [.playsRole(.iot), .has(.model, WireText("SHSW-25"))])
    #expect(said.claims.count == 2)
    #expect(said.observations.fault == nil)
  }

  @Test("behind a repeater that puts its own address on frames the statements are about the relay")
  func repeated() {
    var bytes = Corpus.sample("coiot", "status").bytes
    bytes.replaceSubrange(6..<12, with: [0x02, 0x77, 0xaa, 0, 0, 1])
    let said = decode(bytes)
    #expect(said.claims(about: "02:77:aa:00:00:01") == [.speaksFor(mac(relay))])
    #expect(said.claims(about: relay) == [.playsRole(.iot), .has(.model, WireText("SHSW-25"))])
  }

  @Test("questions, answers and other versions of CoAP prove nothing", arguments: [(42, 0x90), (43, 0x01), (43, 0x45)] as [(Int, UInt8)])
  func others(at: Int, value: UInt8) {
    var bytes = Corpus.sample("coiot", "status").bytes
    #expect(bytes[42...43].elementsEqual([0x50, 0x1e]))
    bytes[at] = value
    #expect(decode(bytes).observations.isEmpty)
  }

  @Test("an identity that is none names nobody: no part may be missing")
  func identity() {
    var bytes = Corpus.sample("coiot", "status").bytes
    guard let mark = bytes.firstIndex(of: 0x23) else {
      Issue.record("no # in the sample")
      return
    }
    // Behind the second mark stands the revision; with one mark less there is no end to the address.
    bytes[mark] = 0x2d
    #expect(decode(bytes).observations.isEmpty)
  }

  @Test("a length beyond the message ends it, cut by us or lied by the sender")
  func lengths() {
    let sample = Corpus.sample("coiot", "status")
    #expect(decode(sample, cutTo: 60).observations.isEmpty)
    #expect(decode(sample, cutTo: 60).observations.fault?.reason == .cutByCapture)
    var bytes = sample.bytes
    #expect(bytes[52...55].elementsEqual([0xed, 0x0b, 0xec, 0x09]))
    bytes[55] = 0xff
    #expect(decode(bytes).observations.isEmpty)
    #expect(decode(bytes).observations.fault?.reason == .shorterThanItSays)
    // 15 is no length.
    bytes[52] = 0xef
    #expect(decode(bytes).observations.fault?.reason == .malformed)
  }
}
