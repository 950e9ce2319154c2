public import Wire

/// One line of the log: an event with its fields, written as logfmt or as JSON. One event is one line, whatever its texts hold.
public struct LogLine: Sendable, Hashable {
  /// The journal's priorities.
  public enum Priority: Int, Sendable { case error = 3, warning = 4, notice = 5, info = 6 }

  public enum Value: Sendable, Hashable {
    case text(String)
    case number(Int)
  }

  public let event: String
  public let priority: Priority
  /// What is counted together in the quota: the event, where nothing finer is said.
  public let kind: String
  public private(set) var fields: [(key: String, value: Value)] = []

  public static func == (a: LogLine, b: LogLine) -> Bool { a.event == b.event && a.logfmt == b.logfmt }
  public func hash(into hasher: inout Hasher) { hasher.combine(logfmt) }

  public init(_ event: String, _ priority: Priority = .info, kind: String? = nil) {
    self.event = event
    self.kind = kind ?? event
    self.priority = priority
  }

  /// Adds a field. Absent values leave no trace: unknown is an absent key.
  public mutating func add(_ key: String, _ value: String?) {
    if let value, !value.isEmpty { fields.append((key, .text(value))) }
  }
  public mutating func add(_ key: String, _ value: Int?) { if let value { fields.append((key, .number(value))) } }
  public mutating func add(_ key: String, _ value: WireText?) { add(key, value?.display) }

  /// The same line with a field more.
  public func with(_ key: String, _ value: String?) -> LogLine {
    var line = self
    line.add(key, value)
    return line
  }
  public func with(_ key: String, _ value: Int?) -> LogLine {
    var line = self
    line.add(key, value)
    return line
  }

  /// `event=new mac=0c:8b:fd:01:02:03 name="anna's laptop"`
  public var logfmt: String {
    var out = "event=\(event)"
    for (key, value) in fields {
      out += " \(key)="
      switch value {
      case .number(let number): out += String(number)
      case .text(let text): LogLine.logfmt(text, &out)
      }
    }
    return out
  }

  /// Plain words stand as they are, everything else in quotes.
  private static func logfmt(_ text: String, _ out: inout String) {
    let text = WireText.clean(text)
    let isPlain = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != 0x22 && $0 != 0x3d && $0 != 0x5c }
    if isPlain {
      out += text
      return
    }
    out += "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { out += "\\" }
      out.unicodeScalars.append(scalar)
    }
    out += "\""
  }

  /// One object on one line.
  public func json(time: Timestamp?) -> String {
    var out = "{"
    if let time { out += "\"time\":\(JSONWriter.quoted(Clock.utc(time)))," }
    out += "\"event\":\(JSONWriter.quoted(event))"
    for (key, value) in fields {
      switch value {
      case .number(let number): out += ",\(JSONWriter.quoted(key)):\(number)"
      case .text(let text): out += ",\(JSONWriter.quoted(key)):\(JSONWriter.quoted(WireText.clean(text)))"
      }
    }
    return out + "}"
  }
}
