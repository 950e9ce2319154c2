/// The ceilings of every table (`performance.md` rule 7). Fixed from the start: a flood of invented devices costs what a quiet home costs.
public struct Limits: Sendable {
  /// Stations in the main table. Twice as many would double the cost of a snapshot under flood and help no home.
  public var stations = 4096
  /// Addresses with the MAC they were seen on, those of the internet included.
  public var bindings = 16384
  public var pairs = 65536
  /// Subjects about which something was said, and evidence in all and for each (P7).
  public var subjects = 8192
  public var evidence = 16384
  public var evidencePerSubject = 64
  /// Messages to everybody that are known when they are said again; 0 reads each anew.
  public var messages = 2048
  /// Keys the hash functions of the tables. A daemon draws it at random; a report need not.
  public var seed: UInt64 = 0x6c61_6e61_746f_6d79

  public init() {}

  /// What is wrong with these limits, in words; empty when nothing is.
  public func problems() -> [String] {
    var out: [String] = []
    for (name, value, range) in [
      ("stations", stations, 16...1_048_576), ("bindings", bindings, 16...16_777_216), ("pairs", pairs, 16...16_777_216),
      ("subjects", subjects, 16...1_048_576), ("evidence", evidence, 16...16_777_216), ("evidencePerSubject", evidencePerSubject, 4...4096),
      ("messages", messages, 0...1_048_576),
    ] where !range.contains(value) {
      out.append("\(name) is \(value); it must be \(range.lowerBound) to \(range.upperBound)")
    }
    return out
  }
}
