import Fixtures
import Testing
import Wire

@testable import Model

/// When a daemon has everything judged anew: on news, and not on what it cannot keep.
@Suite("News of the model")
struct RevisionTests {
  private static let asker = mac("00:16:3e:00:00:09")

  private func seeks(_ last: Int, grade: Grade = .b) -> Observation {
    Observation(
      .station(Self.asker), .seeks(IPAddress(IPv4Address(0xc0a8_0000 | UInt32(last))), from: ip("192.168.0.1")), field: "target",
      basis: "arp", grade: grade)
  }

  @Test("a new claim is news, the same again is none")
  func news() {
    var model = NetworkModel()
    let start = model.revision
    model.note([seeks(1)], at: Timestamp(seconds: 1, nanoseconds: 0))
    let first = model.revision
    model.note([seeks(1)], at: Timestamp(seconds: 2, nanoseconds: 0))
    let again = model.revision
    model.note([seeks(2)], at: Timestamp(seconds: 3, nanoseconds: 0))
    let other = model.revision
    #expect(first != start)
    #expect(again == first)
    #expect(other != again)
  }

  @Test("claims of one rank that push each other out are none for ever; a better attested one is")
  func full() {
    var limits = Limits()
    limits.evidencePerSubject = 4
    var model = NetworkModel(limits: limits)
    for last in 1...8 { model.note([seeks(last)], at: Timestamp(seconds: Int64(last), nanoseconds: 0)) }
    let full = model.revision
    for round in 1...3 {
      for last in 1...8 { model.note([seeks(last)], at: Timestamp(seconds: Int64(100 * round + last), nanoseconds: 0)) }
    }
    let churned = model.revision
    model.note([seeks(9, grade: .a)], at: Timestamp(seconds: 1000, nanoseconds: 0))
    let raised = model.revision
    #expect(churned == full)
    #expect(raised != full)
  }
}
