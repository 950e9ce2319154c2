package import Model
package import Scenarios
import Wire

extension Scenario {
  /// What the program concludes from the scenario's frames.
  package func snapshot() -> Snapshot { Fixtures.snapshot(of: frames()) }
}

/// What the program concludes from frames.
package func snapshot(of frames: [CapturedFrame]) -> Snapshot {
  var pipeline = Pipeline()
  var context = CaptureContext()
  for (at, film) in frames.enumerated() {
    if !context.linkTypes.contains(film.link) { context.linkTypes.append(film.link) }
    pipeline.process(
      Frame(
        number: at + 1, time: film.time, interface: film.interface, link: film.link, wireLength: film.wireLength, direction: film.direction,
        bytes: film.bytes.span.bytes))
  }
  return pipeline.snapshot(context)
}
