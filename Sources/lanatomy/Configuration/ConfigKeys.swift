import Capture
import Model
import Publish

extension Configuration {
  private static func number(
    _ name: String, _ path: any WritableKeyPath<Configuration, Int> & Sendable, _ range: ClosedRange<Int>, times factor: Int = 1
  ) -> Key {
    Key(name) { configuration, value in
      guard case .integer(let number) = value, range.contains(number) else {
        return "a number from \(range.lowerBound) to \(range.upperBound)"
      }
      configuration[keyPath: path] = number * factor
      return nil
    } show: {
      String($0[keyPath: path] / factor)
    }
  }

  private static func flag(_ name: String, _ path: any WritableKeyPath<Configuration, Bool> & Sendable) -> Key {
    Key(name) { configuration, value in
      guard case .boolean(let flag) = value else { return "true or false" }
      configuration[keyPath: path] = flag
      return nil
    } show: {
      $0[keyPath: path] ? "true" : "false"
    }
  }

  /// Text where empty stands for "none".
  private static func text(_ name: String, _ path: any WritableKeyPath<Configuration, String?> & Sendable) -> Key {
    Key(name) { configuration, value in
      guard case .text(let text) = value, !text.utf8.contains(0), text.utf8.count < 4096 else { return "text" }
      configuration[keyPath: path] = text.isEmpty ? nil : text
      return nil
    } show: {
      quoted($0[keyPath: path] ?? "")
    }
  }

  /// As TOML shows it.
  static func quoted(_ text: String) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\":
        out += "\\"
        out.unicodeScalars.append(scalar)
      case "\u{0}"..<" ", "\u{7f}":
        let hex = String(scalar.value, radix: 16)
        out += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out + "\""
  }

  /// Every key of the file but those of `[[device]]` and `[[subnet]]`; `Config/lanatomy.toml` explains each.
  static let keys: [Key] = [
    Key("capture.interfaces") { configuration, value in
      guard case .array(let items) = value, items.count <= 64 else { return "a list of names" }
      var names: [String] = []
      for item in items {
        guard case .text(let name) = item.value else { return "a list of names" }
        names.append(name)
      }
      configuration.capture.interfaces = names
      return nil
    } show: {
      "[" + $0.capture.interfaces.map(quoted).joined(separator: ", ") + "]"
    },
    flag("capture.promiscuous", \.capture.promiscuous),
    Key("capture.snaplen") { configuration, value in
      guard case .integer(let number) = value, number == 0 || (14...262_144).contains(number) else {
        return "0 or a number from 14 to 262144"
      }
      configuration.capture.snapLength = number == 0 ? nil : number
      return nil
    } show: {
      String($0.capture.snapLength ?? 0)
    },
    text("capture.filter", \.capture.filter),
    number("capture.buffer", \.capture.bufferBytes, 1...32, times: 1 << 20),

    Key("daemon.user") { configuration, value in
      guard case .text(let name) = value, (1...32).contains(name.utf8.count), !name.utf8.contains(where: { $0 <= 0x20 || $0 == 0x3a })
      else {
        return "a user's name"
      }
      configuration.user = name
      return nil
    } show: {
      quoted($0.user)
    },

    text("files.folder", \.publish.runtimeFolder),
    number("files.interval", \.publish.files.interval, 1...3600),

    Key("log.format") { configuration, value in
      guard case .text(let word) = value, let format = PublishSettings.Log.Format(rawValue: word) else { return "\"logfmt\" or \"json\"" }
      configuration.publish.log.format = format
      return nil
    } show: {
      quoted($0.publish.log.format.rawValue)
    },
    text("log.file", \.publish.log.file),
    number("log.throughput", \.publish.log.throughputInterval, 0...86_400),
    number("log.busiest", \.publish.log.busiest, 0...16),

    flag("history.enabled", \.publish.history.isOn),
    text("history.folder", \.publish.stateFolder),
    number("history.size", \.publish.history.capBytes, 1...1_048_576, times: 1 << 20),
    number("history.minutes", \.publish.history.minuteDays, 1...3660),
    number("history.hours", \.publish.history.hourDays, 1...36_600),
    number("history.days", \.publish.history.dayDays, 0...36_600),

    number("limits.devices", \.limits.stations, 64...1_048_576),
    number("limits.addresses", \.limits.bindings, 64...16_777_216),
    number("limits.conversations", \.limits.pairs, 64...16_777_216),
    number("limits.subjects", \.limits.subjects, 64...1_048_576),
    number("limits.evidence", \.limits.evidence, 64...16_777_216),
    number("limits.evidence-per-subject", \.limits.evidencePerSubject, 4...4096),
  ]
}
