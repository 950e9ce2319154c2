public import Wire

/// An observation, with when and how often it was made, and by whom.
public struct Evidence: Hashable, Sendable {
  public internal(set) var observation: Observation
  /// The station whose frame said so; zero where the frame had none.
  public let carrier: MACAddress
  public var first: Timestamp
  public var last: Timestamp
  public var firstFrame: Int
  public var lastFrame: Int
  public var count: Int

  public var claim: Observation.Claim { observation.claim }

  /// Whether it records just this. Neither is changed.
  @inline(__always)
  mutating func says(_ other: inout Observation, _ by: MACAddress) -> Bool {
    carrier == by && Observation.areEqual(&observation, &other)
  }

  /// The same was said again; returns how often by now.
  @inline(__always)
  mutating func again(_ frame: Int, _ time: Timestamp) -> Int {
    count &+= 1
    if time > last { last = time }
    lastFrame = frame
    return count
  }
}
