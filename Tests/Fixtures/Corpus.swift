public import FoundationEssentials
public import Wire

/// An annotated frame of `Tests/Corpus`: hex bytes, comments behind `#`, and settings as `key: value` lines before the first byte
/// (`link: 127` for another link type than Ethernet, `wire: 1500` for a frame that was cut).
public struct Sample: Sendable, CustomStringConvertible {
  /// The dissector it belongs to: its folder.
  public let dissector: String
  public let name: String
  public let link: LinkType
  public let wireLength: Int
  public let bytes: [UInt8]

  public var description: String { "\(dissector)/\(name)" }
}

public enum Corpus {
  /// The repository's root, found from this very file.
  public static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  public static let all: [Sample] = {
    let folder = root.appendingPathComponent("Tests/Corpus")
    let files = FileManager.default
    var samples: [Sample] = []
    for dissector in ((try? files.contentsOfDirectory(atPath: folder.path)) ?? []).sorted() {
      for file in ((try? files.contentsOfDirectory(atPath: folder.appendingPathComponent(dissector).path)) ?? []).sorted()
      where file.hasSuffix(".hex") {
        guard let text = try? String(contentsOf: folder.appendingPathComponent(dissector).appendingPathComponent(file), encoding: .utf8)
        else { continue }
        samples.append(parse(text, dissector: dissector, name: String(file.dropLast(4))))
      }
    }
    return samples
  }()

  /// The one sample of a name; a test that asks for one that is missing should stop.
  public static func sample(_ dissector: String, _ name: String) -> Sample {
    guard let found = all.first(where: { $0.dissector == dissector && $0.name == name }) else {
      fatalError("Tests/Corpus/\(dissector)/\(name).hex is missing")
    }
    return found
  }

  public static func parse(_ text: String, dissector: String, name: String) -> Sample {
    var bytes: [UInt8] = []
    var link = LinkType.ethernet
    var wire = 0
    for line in text.split(separator: "\n", omittingEmptySubsequences: true) {
      let part = line.prefix { $0 != "#" }
      if bytes.isEmpty, let colon = part.firstIndex(of: ":") {
        let value = Int(part[part.index(after: colon)...].filter { $0 != " " }) ?? 0
        switch part[..<colon].filter({ $0 != " " }) {
        case "link": link = LinkType(UInt32(value))
        case "wire": wire = value
        default: fatalError("\(dissector)/\(name): unknown setting in '\(line)'")
        }
        continue
      }
      let digits = part.utf8.compactMap(hexDigit)
      precondition(digits.count % 2 == 0, "\(dissector)/\(name): half a byte in '\(line)'")
      for i in stride(from: 0, to: digits.count, by: 2) { bytes.append(digits[i] << 4 | digits[i + 1]) }
    }
    return Sample(dissector: dissector, name: name, link: link, wireLength: max(wire, bytes.count), bytes: bytes)
  }
}

/// What one frame says.
public struct Decoded: Sendable {
  public var summary: FrameSummary
  public var observations: Observations

  public var claims: [Observation.Claim] { observations.items.map(\.claim) }
  public func claims(about station: String) -> [Observation.Claim] {
    observations.items.filter { $0.subject == .station(MACAddress(station) ?? .zero) }.map(\.claim)
  }
}

private let decoder = Decoder()

/// Decodes bytes as one captured frame.
public func decode(_ bytes: [UInt8], link: LinkType = .ethernet, wireLength: Int = 0, number: Int = 1) -> Decoded {
  var summary = FrameSummary()
  var observations = Observations()
  let frame = Frame(
    number: number, time: Timestamp(nanoseconds: 1_700_000_000_000_000_000), interface: 0, link: link,
    wireLength: max(wireLength, bytes.count),
    bytes: bytes.span.bytes)
  decoder.decode(frame, into: &summary, &observations)
  return Decoded(summary: summary, observations: observations)
}

public func decode(_ sample: Sample) -> Decoded { decode(sample.bytes, link: sample.link, wireLength: sample.wireLength) }

/// The sample cut to its first `length` bytes by a snap length.
public func decode(_ sample: Sample, cutTo length: Int) -> Decoded {
  decode(Array(sample.bytes.prefix(length)), link: sample.link, wireLength: sample.wireLength)
}

/// Shorthands for tests: addresses that are known to be well formed.
public func mac(_ text: String) -> MACAddress { MACAddress(text) ?? { fatalError("no MAC: \(text)") }() }
public func ip(_ text: String) -> IPAddress { IPAddress(text) ?? { fatalError("no address: \(text)") }() }
public func ip4(_ text: String) -> IPv4Address { IPv4Address(text) ?? { fatalError("no address: \(text)") }() }
public func prefix(_ text: String) -> Prefix { Prefix(text) ?? { fatalError("no prefix: \(text)") }() }
