import Wire

/// Columns of text, each as wide as its widest field.
struct AlignedTable {
  enum Column {
    case left(String), right(String)
    var head: String {
      switch self {
      case .left(let head), .right(let head): head
      }
    }
  }

  private let columns: [Column]
  private var rows: [[String]]

  init(_ columns: [Column]) {
    self.columns = columns
    rows = [columns.map(\.head)]
  }

  mutating func row(_ fields: [String]) { rows.append(fields) }

  var text: String {
    let widths = columns.indices.map { at in rows.map { Page.columns($0[at]) }.max() ?? 0 }
    var out = ""
    for row in rows {
      var line = ""
      for (at, column) in columns.enumerated() {
        let gap = String(repeating: " ", count: widths[at] - Page.columns(row[at]))
        if case .right = column { line += gap + row[at] } else { line += row[at] + gap }
        line += "  "
      }
      while line.unicodeScalars.last == " " { line.unicodeScalars.removeLast() }
      out += line + "\n"
    }
    return out
  }
}

/// The columns of every answer about usage.
struct UsageTable {
  private var table: AlignedTable
  private(set) var hasLowerBound = false

  init(first: String) {
    table = AlignedTable(
      [.left(first)] + ["sent", "received", "internet up", "down", "local up", "down", "operator up", "down"].map { .right($0) })
  }

  mutating func row(_ label: String, _ usage: Usage) {
    let u = usage.shown
    hasLowerBound = hasLowerBound || u.isLowerBound
    let mark = u.isLowerBound ? ">= " : ""
    table.row(
      [label]
        + [u.sentBytes, u.receivedBytes].map { mark + Quantity.bytes($0) }
        + [u.internetSent, u.internetReceived, u.localSent, u.localReceived, u.operatorSent, u.operatorReceived].map {
          $0 == 0 ? "-" : Quantity.bytes($0)
        })
  }

  /// The whole network: what is sent there is received there, so one column holds it.
  mutating func sum(_ label: String, _ usage: Usage) {
    hasLowerBound = hasLowerBound || usage.isLowerBound
    let parts = [usage.internetSent, usage.internetReceived, usage.local, 0, usage.operatorSent, usage.operatorReceived]
    table.row(
      [label, (usage.isLowerBound ? ">= " : "") + Quantity.bytes(usage.sentBytes), ""]
        + parts.enumerated().map { $0.offset == 3 ? "" : $0.element == 0 ? "-" : Quantity.bytes($0.element) })
  }

  var text: String { table.text }
}
