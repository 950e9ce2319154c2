public import Wire

/// A payload made to cost its dissector as much as it can: what `reliability.md` P2 bounds.
public struct WorstPayload: Sendable {
  public let name: String
  public let dissector: Dissector
  public let summary: FrameSummary
  public let bytes: [UInt8]

  /// The steps it takes, of those that a frame may.
  public func steps() -> Int {
    var summary = summary
    var said = Observations()
    var left = ByteReader.stepLimit
    Dissector.run(dissector.observe, on: bytes.span.bytes, &summary, steps: &left, into: &said)
    return ByteReader.stepLimit - left
  }
}

extension WorstPayload {
  /// The largest frame that an Ethernet with jumbo frames carries.
  public static let frameLength = 9_216

  /// From a sample its own payload, filled up to a jumbo frame in each way that keeps a dissector going: the smallest elements of every
  /// kind, and its own records again and again; alone, and with each byte of the head, where counts and lengths stand, at its maximum.
  public static func all(of sample: Sample) -> [WorstPayload] {
    let said = decode(sample)
    guard said.observations.dissector >= 0 else { return [] }
    var summary = said.summary
    let payload = Array(sample.bytes[summary.payloadOffset..<summary.payloadEnd])
    guard !payload.isEmpty else { return [] }
    let room = frameLength - summary.payloadOffset
    summary.payloadEnd = frameLength
    summary.payloadIsCut = false
    summary.wireLength = frameLength
    summary.capturedLength = frameLength
    let dissector = Dissector.all[said.observations.dissector]

    var fills: [[UInt8]] = [
      [0], [1], [0xff], [0, 1], [1, 0], [1, 1], [0xff, 0], [0, 0, 0, 4], [1, 0, 0], [0, 1, 0, 4], [1, 1, 0x41], payload,
    ]
    for length in [4, 8, 12, 16, 24, 32, 48, 64] where length < payload.count { fills.append(Array(payload.suffix(length))) }
    var out: [WorstPayload] = []
    for (place, fill) in fills.enumerated() {
      var bytes = payload
      while bytes.count < room { bytes += fill }
      bytes.removeLast(bytes.count - room)
      out.append(WorstPayload(name: "\(sample), fill \(place)", dissector: dissector, summary: summary, bytes: bytes))
      for at in 0..<min(payload.count, 48) {
        var full = bytes
        full[at] = 0xff
        out.append(
          WorstPayload(name: "\(sample), fill \(place), maximum at \(at)", dissector: dissector, summary: summary, bytes: full))
      }
    }
    return out
  }
}
