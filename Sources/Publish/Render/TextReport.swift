public import Model
import Wire

/// The product's face: one page that answers, in this order, what the network is, how it hangs together, why a device is where it is, who
/// uses the line, what is odd, and what could not be seen.
public struct TextReport: Renderer {
  let style: TextStyle

  public init(style: TextStyle) { self.style = style }

  public func render(_ snapshot: Snapshot, into out: inout String) {
    var page = Page(style: style)
    headline(snapshot, &page)
    page.title("MAP")
    for line in NetworkMap(snapshot, style: style).lines() { page.line(line) }
    subnets(snapshot, &page)
    ThroughputText(snapshot).write(&page)
    findings(snapshot, &page)
    notSeen(snapshot, &page)
    out += page.text
  }

  private func headline(_ snapshot: Snapshot, _ page: inout Page) {
    page.line("lanatomy  " + Label.captured(snapshot))
    page.line(Label.heard(snapshot))
    page.line(Label.counted(snapshot))
  }

  private func subnets(_ snapshot: Snapshot, _ page: inout Page) {
    guard !snapshot.subnets.isEmpty else { return }
    page.title("SUBNETS")
    for subnet in snapshot.subnets {
      var parts: [String] = []
      parts += Label.waysOut(subnet, snapshot)
      let servers = subnet.servers.map { server in
        "DHCP by \(server.address)" + (server.relay.map { " through relay \($0)" } ?? "")
      }
      parts += servers
      if let vlan = subnet.vlan { parts.append("VLAN \(vlan)") }
      parts.append(Label.mask(subnet))
      page.entry(Page.pad(subnet.prefix.description, 22) + Page.pad(subnet.kind.rawValue, 11), parts.joined(separator: "; "))
      if !subnet.reason.isEmpty { page.entry("    ", "Why: " + subnet.reason) }
    }
  }

  private func findings(_ snapshot: Snapshot, _ page: inout Page) {
    guard !snapshot.findings.isEmpty else { return }
    page.title("FINDINGS")
    for finding in snapshot.findings {
      let word =
        switch finding.severity {
        case .problem: "PROBLEM"
        case .warning: "warning"
        case .info: "info"
        }
      page.entry(Page.pad(word, 9), finding.text + Label.frames(finding.reasons))
    }
  }

  private func notSeen(_ snapshot: Snapshot, _ page: inout Page) {
    page.title("NOT SEEN")
    for text in Label.limits(snapshot) { page.entry("", text) }
  }
}

/// Lines of at most a hundred columns.
struct Page {
  static let width = 100
  let style: TextStyle
  private(set) var text = ""

  init(style: TextStyle) { self.style = style }

  mutating func line(_ line: String) {
    var line = Substring(line)
    while line.last == " " { line.removeLast() }
    text += line
    text += "\n"
  }

  mutating func title(_ title: String) {
    text += "\n"
    line(style.color ? "\u{1b}[1m\(title)\u{1b}[0m" : title)
  }

  /// A head and a text beside it, wrapped so that it stays right of the head.
  mutating func entry(_ head: String, _ body: String) {
    let indent = Page.columns(head)
    var current = head
    var used = indent
    var isFresh = true
    for word in body.split(separator: " ") {
      let size = Page.columns(String(word))
      if !isFresh, used + 1 + size > Page.width {
        line(current)
        current = String(repeating: " ", count: indent)
        used = indent
        isFresh = true
      }
      if !isFresh {
        current += " "
        used += 1
      }
      current += word
      used += size
      isFresh = false
    }
    line(current)
  }

  /// Columns on a terminal: East Asian wide characters and emoji take two, combining marks none.
  static func columns(_ text: String) -> Int {
    var sum = 0
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x20..<0x300: sum += 1
      case 0x1100...0x115e, 0x2e80...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe4f, 0xff00...0xff60, 0xffe0...0xffe6,
        0x1f300...0x1f64f, 0x1f680...0x1f6ff, 0x1f900...0x1f9ff, 0x20000...0x3fffd:
        sum += 2
      default:
        sum += scalar.properties.canonicalCombiningClass == .notReordered && scalar.properties.generalCategory != .nonspacingMark ? 1 : 0
      }
    }
    return sum
  }

  /// Text in a column of its own: cut with an ellipsis, filled with blanks, one blank at least behind it.
  static func pad(_ text: String, _ width: Int) -> String {
    let fitted = Label.fit(text, width - 1)
    return fitted + String(repeating: " ", count: max(0, width - columns(fitted)))
  }

  /// The same, right-aligned.
  static func left(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(1, width - columns(text))) + text
  }
}
