public import Wire

/// An observation, with when and how often it was made, and by whom.
public struct Evidence: Hashable, Sendable {
  /// What was said and by whom: shared by all copies of the record, since rules look at thousands.
  private final class Statement: Sendable {
    let observation: Observation
    let carrier: MACAddress
    init(_ observation: Observation, _ carrier: MACAddress) {
      self.observation = observation
      self.carrier = carrier
    }
  }

  private let said: Statement
  public var first: Timestamp
  public var last: Timestamp
  public var firstFrame: Int
  public var lastFrame: Int
  public var count = 1

  init(_ observation: Observation, carrier: MACAddress, frame: Int, time: Timestamp) {
    said = Statement(observation, carrier)
    (first, last) = (time, time)
    (firstFrame, lastFrame) = (frame, frame)
  }

  public var observation: Observation { said.observation }
  public var claim: Observation.Claim { said.observation.claim }
  /// The station whose frame said so; zero where the frame had none.
  public var carrier: MACAddress { said.carrier }

  /// Whether it records just this: field by field, because to lend a whole observation is to copy it.
  @inline(__always)
  func says(_ other: inout Observation, _ by: MACAddress) -> Bool {
    said.carrier == by && said.observation.subject == other.subject && said.observation.grade == other.grade
      && said.observation.kind == other.kind && said.observation.claim == other.claim && said.observation.field == other.field
      && said.observation.basis == other.basis && said.observation.text == other.text
  }

  /// The same was said again; returns how often by now.
  @inline(__always)
  mutating func again(_ frame: Int, _ time: Timestamp) -> Int {
    count &+= 1
    if time > last { last = time }
    lastFrame = frame
    return count
  }

  public static func == (a: Evidence, b: Evidence) -> Bool {
    (a.first, a.last, a.firstFrame, a.lastFrame, a.count) == (b.first, b.last, b.firstFrame, b.lastFrame, b.count)
      && (a.said === b.said || (a.carrier == b.carrier && a.observation == b.observation))
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(said.observation)
    hasher.combine(firstFrame)
    hasher.combine(lastFrame)
  }
}
