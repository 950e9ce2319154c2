import CTOML
import Glibc
import Wire

/// A configuration file as a tree in which everything knows its place.
struct ConfigFile: Sendable {
  struct Place: Sendable, Hashable {
    var line = 0
    var column = 0
  }

  struct Entry: Sendable {
    let key: String
    let place: Place
    let node: Node
  }

  struct Node: Sendable {
    enum Value: Sendable {
      case table([Entry])
      case array([Node])
      case text(String)
      case integer(Int)
      case real(Double)
      case boolean(Bool)
      /// Dates and times: none of our keys takes one.
      case other
    }

    var place = Place()
    var value: Value

    /// What stands there, in words, for a message that says what should.
    var shown: String {
      switch value {
      case .table: "a table"
      case .array(let items): "[" + items.prefix(4).map(\.shown).joined(separator: ", ") + (items.count > 4 ? ", …]" : "]")
      case .text(let text): Configuration.quoted(text.utf8.count > 64 ? text.prefix(32) + "…" : text)
      case .integer(let number): String(number)
      case .real(let number): String(number)
      case .boolean(let flag): flag ? "true" : "false"
      case .other: "a date or time"
      }
    }
  }

  /// What is wrong, and where: `path:line:column: text`.
  struct Problem: Error, Sendable, Hashable, CustomStringConvertible {
    let path: String
    var place = Place()
    let text: String

    /// Keys and values are the file's, and go to a terminal or the journal.
    var description: String {
      let at = place.line > 0 ? ":\(place.line):\(place.column)" : ""
      return WireText.clean("\(path)\(at): \(text)")
    }
  }

  /// A file of ours has a few kilobytes; a thousand times that is something else.
  static let limit = 1 << 20
  /// Deeper than any key of ours, and little enough for the stack.
  private static let depthLimit = 32

  let path: String
  let entries: [Entry]

  init(path: String) throws(Problem) {
    self.path = path
    entries = try ConfigFile.parse(ConfigFile.read(path), path)
  }

  init(path: String, bytes: [UInt8]) throws(Problem) {
    self.path = path
    entries = try ConfigFile.parse(bytes, path)
  }

  private static func read(_ path: String) throws(Problem) -> [UInt8] {
    // Without O_NONBLOCK a pipe in its place would hold us for ever.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Problem(path: path, text: "cannot be read (\(String(cString: strerror(errno))))") }
    defer { close(descriptor) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { throw Problem(path: path, text: "is no plain file") }
    guard facts.st_size <= limit else { throw Problem(path: path, text: "is larger than a megabyte") }
    var out: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while out.count <= limit {
      let got = Glibc.read(descriptor, &block, block.count)
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw Problem(path: path, text: "cannot be read (\(String(cString: strerror(errno))))") }
      if got == 0 { return out }
      out.append(contentsOf: block[..<got])
    }
    throw Problem(path: path, text: "is larger than a megabyte")
  }

  // MARK: Building the tree

  /// What is open while the file is walked.
  private struct Frame {
    var key: String?
    var keyPlace: Place
    var place: Place
    var entries: [Entry] = []
    var items: [Node] = []
    let isTable: Bool
  }

  private final class Builder {
    var stack: [Frame] = []
    var root: [Entry] = []
    var isTooDeep = false

    func take(_ item: ctoml_item) {
      let place = Place(line: Int(item.line), column: Int(item.column))
      let keyPlace = Place(line: Int(item.key_line), column: Int(item.key_column))
      let key = item.key.map { text($0, item.key_length) }
      switch ctoml_kind(UInt32(item.kind)) {
      case ctoml_table, ctoml_array:
        if stack.count >= ConfigFile.depthLimit { isTooDeep = true }
        stack.append(Frame(key: key, keyPlace: keyPlace, place: place, isTable: ctoml_kind(UInt32(item.kind)) == ctoml_table))
      case ctoml_end:
        guard let done = stack.popLast() else { return }
        if stack.isEmpty {
          root = done.entries
        } else {
          add(done.key, done.keyPlace, Node(place: done.place, value: done.isTable ? .table(done.entries) : .array(done.items)))
        }
      case ctoml_string:
        add(key, keyPlace, Node(place: place, value: .text(item.text.map { text($0, item.text_length) } ?? "")))
      case ctoml_integer: add(key, keyPlace, Node(place: place, value: .integer(Int(item.integer))))
      case ctoml_real: add(key, keyPlace, Node(place: place, value: .real(item.real)))
      case ctoml_boolean: add(key, keyPlace, Node(place: place, value: .boolean(item.integer != 0)))
      default: add(key, keyPlace, Node(place: place, value: .other))
      }
    }

    private func text(_ start: UnsafePointer<CChar>, _ count: Int) -> String {
      String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }

    private func add(_ key: String?, _ keyPlace: Place, _ node: Node) {
      guard let last = stack.indices.last else { return }
      // Headers of tables have no place of their own in every case: then that of what is in them is better than none.
      if let key { stack[last].entries.append(Entry(key: key, place: keyPlace.line > 0 ? keyPlace : node.place, node: node)) }
      if key == nil { stack[last].items.append(node) }
    }
  }

  private static func parse(_ bytes: [UInt8], _ path: String) throws(Problem) -> [Entry] {
    let builder = Builder()
    var error = ctoml_error()
    let result = bytes.withUnsafeBytes { raw -> Int32 in
      let start = raw.baseAddress?.assumingMemoryBound(to: CChar.self)
      return ctoml_walk(
        start, raw.count, Unmanaged.passUnretained(builder).toOpaque(),
        { context, item in
          guard let context, let item else { return }
          Unmanaged<Builder>.fromOpaque(context).takeUnretainedValue().take(item.pointee)
        }, &error)
    }
    guard result == 0 else {
      let text = withUnsafeBytes(of: &error.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      throw Problem(path: path, place: Place(line: Int(error.line), column: Int(error.column)), text: text)
    }
    if builder.isTooDeep { throw Problem(path: path, text: "tables lie in tables too deeply") }
    return builder.root
  }
}
