/// Wire turns bytes into facts. It is pure: no I/O, no clock, no log. A frame goes in, a summary of its headers and the observations of
/// what it states come out, and nothing of the frame is kept.
///
/// Layout of the room: `Bytes` reads untrusted bytes, `Addresses` and `Numbers` are the field's vocabulary, `Headers` is the walk that
/// every frame takes, `Protocols` holds one file for each protocol that is understood, and `Observation` is what they all end in.
///
/// `Decoder` is the door: it cannot fail.
public struct Decoder: Sendable {
  /// What the decoder goes by: an object, so that handing it a frame passes a pointer and not a hundred bytes.
  private final class Parts: Sendable {
    // Side by side rather than as dissectors: fetching one of those would retain everything it holds.
    let names: [String]
    let observers: [Dissector.Observe]
    let index: DissectorIndex
    /// Called before a dissector runs, with its place: for whoever wants to know which one it was that did not return.
    let willDissect: (@Sendable (Int, borrowing Frame) -> Void)?

    init(_ dissectors: [Dissector], _ setAside: Set<Int>, _ willDissect: (@Sendable (Int, borrowing Frame) -> Void)?) {
      names = dissectors.map(\.name)
      observers = dissectors.map(\.observe)
      index = DissectorIndex(dissectors, setAside: setAside)
      self.willDissect = willDissect
    }
  }

  private let parts: Parts

  /// - Parameter setAside: places in `Dissector.all` that shall not run.
  public init(
    dissectors: [Dissector] = Dissector.all, setAside: Set<Int> = [], willDissect: (@Sendable (Int, borrowing Frame) -> Void)? = nil
  ) {
    parts = Parts(dissectors, setAside, willDissect)
  }

  /// Reads one frame. The summary is overwritten; observations are replaced.
  public func decode(_ frame: borrowing Frame, into summary: inout FrameSummary, _ out: inout Observations) {
    let place = readHeaders(frame, into: &summary, &out)
    if place >= 0 { dissect(place, frame, &summary, &out) }
  }

  /// The first half of `decode`, after which nothing of the payload was read. Returns the place of the dissector that has to read it, -1 for
  /// none: then all is said.
  public func readHeaders(_ frame: borrowing Frame, into summary: inout FrameSummary, _ out: inout Observations) -> Int {
    walk(frame, into: &summary)
    out.reset()
    if summary.flags.contains(.isWireless) {
      out.begin(-1, basis: "802.11")
      IEEE80211.observeAddresses(summary, &out)
    }
    // Bulk traffic ends here: the number is only set with an IP header.
    if summary.ipProtocol == .tcp { return -1 }
    return parts.index.place(for: &summary)
  }

  /// The headers alone.
  @inline(__always)
  public func walk(_ frame: borrowing Frame, into summary: inout FrameSummary) {
    summary.reset()
    summary.number = frame.number
    summary.time = frame.time
    summary.interface = frame.interface
    summary.link = frame.link
    summary.wireLength = frame.wireLength
    summary.capturedLength = frame.bytes.byteCount
    summary.direction = frame.direction
    HeaderWalk.start(frame.bytes, &summary)
  }

  /// The second half of `decode`, for the place that the first returned.
  ///
  /// - Parameter summary: of this frame; is not changed.
  public func dissect(_ place: Int, _ frame: borrowing Frame, _ summary: inout FrameSummary, _ out: inout Observations) {
    // A check sum that fails means bytes nobody sent.
    if summary.flags.contains(.badFCS) { return }
    out.begin(place, basis: parts.names[place])
    parts.willDissect?(place, frame)
    var steps = ByteReader.stepLimit
    let payload = frame.bytes.part(summary.payloadOffset, summary.payloadLength)
    Dissector.run(parts.observers[place], on: payload, &summary, steps: &steps, into: &out)
  }
}
