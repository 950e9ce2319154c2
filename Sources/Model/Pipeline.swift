public import Wire

/// Model turns facts into hosts, subnets, links and traffic. It is pure like Wire: the same frames give the same snapshot.
///
/// Layout of the room: `Tables` count every frame in bounded memory, `Evidence` keeps what was said about whom, `Inference` judges it with
/// each snapshot, and `Snapshot` is all that ever leaves.
///
/// `Pipeline` is the whole program in a few lines: a frame goes through the decoder into the model, and is gone when the call returns.
public struct Pipeline: ~Copyable {
  private let decoder: Decoder
  private(set) var model: NetworkModel
  private var twins: TwinTable
  private let seed: UInt64
  private var summary = FrameSummary()
  private var observations = Observations()

  public init(decoder: Decoder = Decoder(), limits: Limits = Limits(), keepsLines: Bool = false) {
    self.decoder = decoder
    model = NetworkModel(limits: limits, keepsLines: keepsLines)
    twins = TwinTable(seed: limits.seed)
    seed = limits.seed
  }

  /// No frame of any wire is longer: the largest that kernels hand on, gathered from many, have half of it.
  private static let longest = 1 << 20

  public mutating func process(_ frame: borrowing Frame) {
    if frame.wireLength > Pipeline.longest { return processAsHeld(frame) }
    if twins.isDuplicate(frame) { return model.noteDuplicate(frame) }
    let place = decoder.readHeaders(frame, into: &summary, &observations)
    if place >= 0 { return read(place, frame) }
    model.record(&summary, &observations)
  }

  /// A file claims more for the frame than a wire can carry: only the bytes that are there are believed.
  @inline(never)
  private mutating func processAsHeld(_ frame: borrowing Frame) {
    guard frame.bytes.byteCount <= Pipeline.longest else { return model.noteImpossible(frame, longest: Pipeline.longest) }
    var held = copy frame
    held.wireLength = frame.bytes.byteCount
    let known = model.counters.malformed
    process(held)
    // Once, whatever else is wrong with it.
    if model.counters.malformed == known { model.noteImpossibleLength() }
  }

  /// A frame with a message for a dissector. What was said before, word for word, need not be read again.
  @inline(never)
  private mutating func read(_ place: Int, _ frame: borrowing Frame) {
    let mark = MessageMark(frame, &summary, seed: seed)
    if let mark, model.recordAgain(mark, &summary, &observations) { return }
    decoder.dissect(place, frame, &summary, &observations)
    model.record(&summary, &observations, mark)
  }

  public mutating func note(_ facts: [Observation], at time: Timestamp) { model.note(facts, at: time) }

  /// Judges all that was heard so far and takes a picture of it.
  public mutating func snapshot(_ context: CaptureContext = CaptureContext()) -> Snapshot { model.snapshot(context) }

  public var counters: CaptureCounters { model.counters }
  public var use: TableUse { model.use }
  public var revision: Int { model.revision }
  public mutating func correctClock(by nanoseconds: Int64, now: Timestamp) { model.correctClock(by: nanoseconds, now: now) }
}
