public import Wire

/// An observation, with when and how often it was made, and by whom.
public struct Evidence: Hashable, Sendable {
  /// What was said and by whom: shared by all copies of the record, since rules look at thousands.
  private final class Statement: Sendable {
    let claim: Observation.Claim
    let grade: Grade
    let kind: EvidenceKind
    let field: String
    let basis: String
    let text: WireText?
    let carrier: MACAddress

    init(_ observation: borrowing Observation, _ carrier: MACAddress) {
      claim = observation.claim
      grade = observation.grade
      kind = observation.kind
      field = observation.field
      basis = observation.basis
      text = observation.text
      self.carrier = carrier
    }
  }

  private let said: Statement
  public var first: Timestamp
  public var last: Timestamp
  public let firstFrame: Int
  public private(set) var lastFrame: Int
  /// Repetitions past four thousand million are counted no further.
  private var times: UInt32 = 1
  /// Of what it says and of who carried it: looked at before the record itself.
  let mark: UInt32

  init(_ observation: borrowing Observation, carrier: MACAddress, mark: UInt32, frame: Int, time: Timestamp) {
    said = Statement(observation, carrier)
    self.mark = mark
    (first, last) = (time, time)
    (firstFrame, lastFrame) = (frame, frame)
  }

  public var claim: Observation.Claim { said.claim }
  public var grade: Grade { said.grade }
  public var kind: EvidenceKind { said.kind }
  public var field: String { said.field }
  public var basis: String { said.basis }
  public var text: WireText? { said.text }
  public var count: Int { Int(times) }
  /// The station whose frame said so; zero where the frame had none.
  public var carrier: MACAddress { said.carrier }

  /// Whether it records just this of its subject: field by field, because to lend a whole observation is to copy it.
  @inline(__always)
  func says(_ other: inout Observation, _ by: MACAddress) -> Bool {
    said.carrier == by && said.grade == other.grade && said.kind == other.kind && said.claim == other.claim && said.field == other.field
      && said.basis == other.basis && said.text == other.text
  }

  /// The same was said again; returns how often by now.
  @inline(__always)
  mutating func again(_ frame: Int, _ time: Timestamp) -> Int {
    if times < .max { times &+= 1 }
    if time > last { last = time }
    lastFrame = frame
    return count
  }

  public static func == (a: Evidence, b: Evidence) -> Bool {
    (a.first, a.last, a.firstFrame, a.lastFrame, a.count) == (b.first, b.last, b.firstFrame, b.lastFrame, b.count)
      && (a.said === b.said
        || a.carrier == b.carrier && a.claim == b.claim && a.grade == b.grade && a.kind == b.kind && a.field == b.field
          && a.basis == b.basis && a.text == b.text)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(claim)
    hasher.combine(field)
    hasher.combine(basis)
    hasher.combine(firstFrame)
    hasher.combine(lastFrame)
  }
}
