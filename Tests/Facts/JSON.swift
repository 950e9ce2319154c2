/// A JSON value with keys in the order given: enough for a document that a script reads.
enum JSON {
  case null
  case bool(Bool)
  case int(Int)
  case text(String)
  case list([JSON])
  case object([(String, JSON)])

  private var isScalar: Bool {
    switch self {
    case .list, .object: false
    default: true
    }
  }

  /// Members stand on lines of their own down to this depth, so that two documents can be compared by `diff`; scalars of a list never do.
  func write(into out: inout String, depth: Int = 2, indent: String = "") {
    switch self {
    case .null: out += "null"
    case .bool(let value): out += value ? "true" : "false"
    case .int(let value): out += String(value)
    case .text(let value): JSON.quote(value, into: &out)
    case .list(let values):
      nest("[", "]", values.count, values.allSatisfy(\.isScalar) ? 0 : depth, indent, into: &out) { at, out, indent in
        values[at].write(into: &out, depth: depth - 1, indent: indent)
      }
    case .object(let members):
      nest("{", "}", members.count, depth, indent, into: &out) { at, out, indent in
        JSON.quote(members[at].0, into: &out)
        out += ": "
        members[at].1.write(into: &out, depth: depth - 1, indent: indent)
      }
    }
  }

  private func nest(
    _ open: String, _ close: String, _ count: Int, _ depth: Int, _ indent: String, into out: inout String,
    _ item: (Int, inout String, String) -> Void
  ) {
    let isOpen = depth > 0 && count > 0
    let inner = indent + " "
    out += open
    for at in 0..<count {
      if at > 0 { out += isOpen ? "," : ", " }
      if isOpen { out += "\n" + inner }
      item(at, &out, inner)
    }
    if isOpen { out += "\n" + indent }
    out += close
  }

  private static func quote(_ value: String, into out: inout String) {
    out += "\""
    for scalar in value.unicodeScalars {
      switch scalar.value {
      case 0x22: out += "\\\""
      case 0x5c: out += "\\\\"
      case 0..<0x20:
        let hex = String(scalar.value, radix: 16)
        out += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
      default: out.unicodeScalars.append(scalar)
      }
    }
    out += "\""
  }
}
