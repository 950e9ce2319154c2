public import Model

/// Publish turns snapshots into whatever is read: text, JSON, later logs and history. It reads snapshots and nothing else of the model.
///
/// Rendering is pure: the same snapshot gives the same bytes. Text that came from the wire is cleaned here, at the moment of writing, by
/// the one escaping function of its output.
public protocol Renderer: Sendable {
  func render(_ snapshot: Snapshot, into out: inout String)
}

extension Renderer {
  public func text(_ snapshot: Snapshot) -> String {
    var out = ""
    render(snapshot, into: &out)
    return out
  }
}

/// The forms a report can take, by the word of `--format`.
public enum ReportFormat: String, CaseIterable, Sendable {
  case text, json, dot, svg

  public func renderer(_ style: TextStyle) -> any Renderer {
    switch self {
    case .text: TextReport(style: style)
    case .json: JSONReport(version: style.version)
    case .dot: DOTGraph()
    case .svg: SVGMap(version: style.version)
    }
  }
}

/// What the reader's terminal can show.
public struct TextStyle: Sendable {
  public var ascii = false
  public var color = false
  public var version: String

  public init(version: String, ascii: Bool = false, color: Bool = false) {
    self.version = version
    self.ascii = ascii
    self.color = color
  }
}
