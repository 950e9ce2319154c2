import Glibc

/// One option of a command: the table below drives parsing, help and completion alike.
struct Option: Sendable {
  let long: String
  let short: Character?
  /// The word that stands for its value in the help; nil for a switch.
  let value: String?
  let help: String
  var isRepeatable = false
  /// What the value may be, where that is a fixed set.
  var choices: [String] = []
}

struct CommandInfo: Sendable {
  let name: String
  /// What may follow the options, as the help shows it.
  let operands: String
  let summary: String
  let options: [Option]
  /// Whether operands are the words of a filter, so that one may begin with `-` after `--`.
  var operandLimit = Int.max
}

/// What was typed, taken apart.
struct Arguments {
  private(set) var values: [String: [String]] = [:]
  private(set) var operands: [String] = []

  func has(_ long: String) -> Bool { values[long] != nil }
  func value(_ long: String) -> String? { values[long]?.last }
  func all(_ long: String) -> [String] { values[long] ?? [] }

  struct Problem: Error {
    let text: String
  }

  /// Understands `-abc`, `-ovalue`, `-o value`, `--long=value`, `--long value` and `--`.
  init(_ words: [String], for command: CommandInfo) throws(Problem) {
    var at = 0
    func next(_ name: String, _ option: Option) throws(Problem) -> String {
      at += 1
      guard at < words.count else { throw Problem(text: "option '\(name)' needs a value: \(option.value ?? "")") }
      return words[at]
    }
    while at < words.count {
      let word = words[at]
      if word == "--" {
        operands += words[(at + 1)...]
        break
      } else if word.hasPrefix("--") {
        let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let option = command.options.first(where: { $0.long == parts[0] }) else {
          throw Problem(text: Arguments.unknown("--" + parts[0], among: command.options.map { "--" + $0.long }))
        }
        if option.value == nil {
          guard parts.count == 1 else { throw Problem(text: "option '--\(option.long)' takes no value") }
          try set(option, "")
        } else {
          try set(option, parts.count == 2 ? parts[1] : try next("--" + option.long, option))
        }
      } else if word.hasPrefix("-"), word.count > 1 {
        var letters = Substring(word.dropFirst())
        while let letter = letters.popFirst() {
          guard let option = command.options.first(where: { $0.short == letter }) else {
            throw Problem(text: "unknown option '-\(letter)'")
          }
          if option.value == nil {
            try set(option, "")
          } else {
            try set(option, letters.isEmpty ? try next("-\(letter)", option) : String(letters))
            letters = ""
          }
        }
      } else {
        operands.append(word)
      }
      at += 1
    }
    if operands.count > command.operandLimit {
      throw Problem(text: "'\(command.name)' takes no '\(operands[command.operandLimit])'")
    }
  }

  private mutating func set(_ option: Option, _ value: String) throws(Problem) {
    if !option.choices.isEmpty, !option.choices.contains(value) {
      throw Problem(text: "'\(value)' is no value of '--\(option.long)'; it takes \(option.choices.joined(separator: ", "))")
    }
    if values[option.long] != nil, option.value != nil, !option.isRepeatable {
      throw Problem(text: "option '--\(option.long)' was given twice")
    }
    values[option.long, default: []].append(value)
  }

  static func unknown(_ word: String, among known: [String], kind: String = "option") -> String {
    let near = known.min { distance(word, $0) < distance(word, $1) }
    guard let near, distance(word, near) <= max(2, word.count / 3) else { return "unknown \(kind) '\(word)'" }
    return "unknown \(kind) '\(word)'; did you mean '\(near)'?"
  }

  /// Edits between two words, a swap of neighbours being one (Damerau and Levenshtein).
  static func distance(_ a: String, _ b: String) -> Int {
    let (a, b) = (Array(a.utf8.prefix(64)), Array(b.utf8.prefix(64)))
    var rows = [Array(0...b.count)]
    for i in 1...max(1, a.count) where i <= a.count {
      var row = [i]
      for j in 1...max(1, b.count) where j <= b.count {
        var best = min(row[j - 1] + 1, rows[i - 1][j] + 1, rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { best = min(best, rows[i - 2][j - 2] + 1) }
        row.append(best)
      }
      rows.append(row)
    }
    return rows.last?.last ?? 0
  }

  /// `60s`, `5m`, `2h`, `1d`: seconds, at most a year.
  static func seconds(_ text: String) -> Double? {
    guard let unit = text.last, let factor: Double = ["s": 1, "m": 60, "h": 3600, "d": 86_400][unit] else { return nil }
    let digits = text.dropLast()
    guard !digits.isEmpty, digits.utf8.count <= 9, digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = Double(digits) else {
      return nil
    }
    let value = number * factor
    return value > 0 && value <= 31_536_000 ? value : nil
  }

  static func count(_ text: String) -> Int? {
    guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let n = Int(text), n > 0 else {
      return nil
    }
    return n
  }
}
