package import Wire

/// A film of a home: boxes that talk by a script, and a point from which it is heard.
///
///     let film = Scenario("a lease", seen: .host(pc)) {
///       pc.dhcp(from: router)
///       At(3) {
///         pc.arp(for: router)
///         pc.mdns()
///       }
///       Every(60, from: 10, until: 300) { router.says(.rldp) }
///     }
///     film.frames()            // [CapturedFrame]
///     film.pcap()              // the bytes of a capture file
///
/// Talks without a time follow each other; so do the talks inside one `At`. The same scenario gives the same bytes.
package struct Scenario: Sendable, CustomStringConvertible {
  package let name: String
  package var vantage: Vantage
  package var seed: UInt64
  package var start: Timestamp
  /// Longer frames are cut to this; their length on the wire is kept.
  package var snapLength: Int
  /// Frames of transfers are cut to this, as a filter does that keeps discovery whole and of the rest the headers.
  package var transferLength: Int
  private let script: [Cue]

  package init(
    _ name: String, seen vantage: Vantage = .mirror, seed: UInt64 = 1, start: Timestamp = Scenario.someMorning, snapLength: Int = 262_144,
    transferLength: Int = 262_144, @ScriptBuilder _ script: () -> [Cue]
  ) {
    self.name = name
    self.vantage = vantage
    self.seed = seed
    self.start = start
    self.snapLength = snapLength
    self.transferLength = transferLength
    self.script = script()
  }

  /// 2026-01-10 08:00:00 UTC: films need a date, and the same one each time.
  package static let someMorning = Timestamp(nanoseconds: 1_768_032_000_000_000_000)

  package var description: String { name }

  /// The same film, heard elsewhere.
  package func seen(from vantage: Vantage) -> Scenario {
    var other = self
    other.vantage = vantage
    return other
  }

  /// Plays the script and records what the vantage hears, in order of time.
  package func frames() -> [CapturedFrame] {
    var stage = Stage(start: start, seed: seed, snapLength: snapLength, transferLength: transferLength)
    for (place, cue) in script.enumerated() {
      // Each cue has dice of its own: a longer one does not change the ones after it.
      stage.random = Random(seed: seed &* 0x1_0000_0001 ^ UInt64(place) << 32 ^ 0x5bd1_e995)
      cue.play(&stage, from: start)
    }
    return vantage.record(stage, snapLength: snapLength)
  }

  package enum Precision: Sendable { case microseconds, nanoseconds }

  /// A capture file of the film (pcap 2.4, little endian); all frames of one vantage have one link type.
  package func pcap(_ precision: Precision = .microseconds) -> [UInt8] {
    CaptureFileWriter.pcap(frames(), link: vantage.link, precision, snapLength: snapLength)
  }
}

/// A line of a script: when, how often, and what is said.
package struct Cue: Sendable {
  /// Seconds from the start; nil: when the line before is over.
  var at: Double?
  var interval: Double?
  var until: Double = 0
  var talks: [Talk]

  func play(_ stage: inout Stage, from start: Timestamp) {
    var at = self.at ?? 0
    let once = interval == nil
    repeat {
      if self.at != nil { stage.move(to: start.nanoseconds + Int64(at * 1e9)) }
      for talk in talks {
        talk.play(&stage)
        // Two talks never share an instant.
        stage.wait(0.000_2)
      }
      guard let interval else { break }
      // Timers of real boxes drift by a few hundredths.
      at += interval * (0.97 + 0.06 * stage.random.unit())
    } while !once && at < until
  }
}

/// At so many seconds, these talks one after another.
package func At(_ seconds: Double, @TalkBuilder _ talks: () -> [Talk]) -> Cue { Cue(at: seconds, talks: talks()) }

/// Again and again.
package func Every(_ interval: Double, from: Double = 0, until: Double, @TalkBuilder _ talks: () -> [Talk]) -> Cue {
  Cue(at: from, interval: max(0.001, interval), until: until, talks: talks())
}

/// Nothing for a while, where lines follow each other.
package func Pause(_ seconds: Double) -> Talk { Talk { $0.wait(seconds) } }

@resultBuilder
package enum TalkBuilder {
  package static func buildExpression(_ talk: Talk) -> [Talk] { [talk] }
  package static func buildExpression(_ talks: [Talk]) -> [Talk] { talks }
  package static func buildBlock(_ parts: [Talk]...) -> [Talk] { parts.flatMap { $0 } }
  package static func buildOptional(_ part: [Talk]?) -> [Talk] { part ?? [] }
  package static func buildEither(first: [Talk]) -> [Talk] { first }
  package static func buildEither(second: [Talk]) -> [Talk] { second }
  package static func buildArray(_ parts: [[Talk]]) -> [Talk] { parts.flatMap { $0 } }
}

@resultBuilder
package enum ScriptBuilder {
  package static func buildExpression(_ talk: Talk) -> [Cue] { [Cue(talks: [talk])] }
  package static func buildExpression(_ cue: Cue) -> [Cue] { [cue] }
  package static func buildExpression(_ cues: [Cue]) -> [Cue] { cues }
  package static func buildBlock(_ parts: [Cue]...) -> [Cue] { parts.flatMap { $0 } }
  package static func buildOptional(_ part: [Cue]?) -> [Cue] { part ?? [] }
  package static func buildEither(first: [Cue]) -> [Cue] { first }
  package static func buildEither(second: [Cue]) -> [Cue] { second }
  package static func buildArray(_ parts: [[Cue]]) -> [Cue] { parts.flatMap { $0 } }
}
