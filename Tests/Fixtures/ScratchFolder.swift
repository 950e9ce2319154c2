import FoundationEssentials
import Glibc

/// A fresh private folder that is gone with its test.
public final class ScratchFolder {
  public let path: String
  private let isOurs: Bool

  /// The repository itself, to read from.
  public static var repository: ScratchFolder { ScratchFolder(Corpus.root.path) }

  private init(_ path: String) {
    self.path = path
    isOurs = false
  }

  public init() throws {
    path = FileManager.default.temporaryDirectory.path + "/lanatomy-test-\(UUID().uuidString)"
    isOurs = true
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  deinit { if isOurs { remove() } }

  public func remove() { try? FileManager.default.removeItem(atPath: path) }
  public func text(_ name: String) -> String {
    FileManager.default.contents(atPath: path + "/" + name).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
  public func write(_ name: String, _ text: String) {
    _ = FileManager.default.createFile(atPath: path + "/" + name, contents: Data(text.utf8))
  }
  public func makePipe(_ name: String) { mkfifo(path + "/" + name, 0o600) }
  public func makeFolder(_ name: String) { mkdir(path + "/" + name, 0o700) }
  public func names() -> [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
  public func mode(_ name: String) -> Int {
    var facts = stat()
    return lstat(path + "/" + name, &facts) == 0 ? Int(facts.st_mode & 0o7777) : 0
  }
}
