/// Comma-separated values (RFC 4180 with line feeds): every field quoted, quotes doubled.
///
/// A field that a spreadsheet would take for a formula gets an apostrophe: names come from the wire, and a device may call itself
/// `=HYPERLINK(…)`.
package struct CSVTable {
  package private(set) var text = ""

  package init(_ head: [String]) { row(head) }

  package mutating func row(_ fields: [String]) {
    var isFirst = true
    for field in fields {
      if !isFirst { text += "," }
      isFirst = false
      text += "\""
      switch field.unicodeScalars.first {
      case "=", "+", "-", "@", "\t", "\r": text += "'"
      default: break
      }
      for scalar in field.unicodeScalars {
        if scalar == "\"" { text += "\"" }
        text.unicodeScalars.append(scalar)
      }
      text += "\""
    }
    text += "\n"
  }
}
