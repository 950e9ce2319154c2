import FoundationEssentials
import Glibc

/// Expected outputs, `Tests/Golden/<name>`: what a change does to the report is seen in their diff.
///
/// `LANATOMY_REWRITE_GOLDEN=1 scripts/test --filter Golden` writes them anew.
package enum Golden {
  package static let isRewriting = getenv("LANATOMY_REWRITE_GOLDEN") != nil

  /// Times of the outputs are local ones: everywhere those of Greenwich.
  package static let utc: Void = {
    setenv("TZ", "UTC", 1)
    tzset()
  }()

  /// nil when the text is the expected one; else what to look at.
  package static func difference(_ name: String, _ text: String) -> String? {
    let path = Corpus.root.appendingPathComponent("Tests/Golden").appendingPathComponent(name).path
    if isRewriting {
      try? FileManager.default.createDirectory(
        atPath: Corpus.root.appendingPathComponent("Tests/Golden").path, withIntermediateDirectories: true)
      return FileManager.default.createFile(atPath: path, contents: Data(text.utf8)) ? nil : "cannot write \(path)"
    }
    guard let data = FileManager.default.contents(atPath: path) else { return "\(path) is missing" }
    let expected = String(decoding: data, as: UTF8.self)
    if expected.utf8.elementsEqual(text.utf8) { return nil }
    let (old, new) = (lines(expected), lines(text))
    let at = zip(old, new).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(old.count, new.count)
    return """
      Tests/Golden/\(name), line \(at + 1)
      expected: \(at < old.count ? old[at] : "(end)")
      is now:   \(at < new.count ? new[at] : "(end)")
      If that is meant: LANATOMY_REWRITE_GOLDEN=1 scripts/test --filter Golden, and review the diff.
      """
  }

  private static func lines(_ text: String) -> [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
}
