import Fixtures
import Foundation

/// The program that our graphs are for, where it is installed.
enum Graphviz {
  static let path = ["/usr/bin/dot", "/usr/local/bin/dot"].first { FileManager.default.isExecutableFile(atPath: $0) }
  static var isHere: Bool { path != nil }

  static func reads(_ graph: String) throws -> Bool {
    guard let path else { return true }
    let folder = FileManager.default.temporaryDirectory.appending(path: "lanatomy-dot-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "graph.dot")
    try Data(graph.utf8).write(to: file)
    let process = Process()
    process.executableURL = URL(filePath: path)
    // `-Tcanon` reads and checks all, and lays nothing out: half a thousand devices take dot a while.
    process.arguments = ["-Tcanon", "-o", "/dev/null", file.path]
    let complaints = Pipe()
    process.standardError = complaints
    try process.run()
    let said = complaints.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return process.terminationStatus == 0 && said.isEmpty
  }
}
