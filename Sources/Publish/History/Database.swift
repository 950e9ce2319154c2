import CSQLite
import Glibc

/// What went wrong with a database: what happened, where, and what a person can do about it.
package struct DatabaseError: Error, Hashable, CustomStringConvertible {
  package enum Kind: Hashable, Sendable {
    /// The disk, or the size that the database may have, is used up.
    case full
    /// It cannot be written: a read-only file system, a missing right, a missing folder.
    case notWritable
    /// There is none, or it may not be read.
    case notReadable
    /// It is none, or its pages contradict each other.
    case damaged
    /// Made by a later version of this program.
    case newer
    /// Somebody else held it for longer than we wait.
    case busy
    /// The disk failed.
    case failing
    /// A statement that this program should not have made.
    case misuse
  }

  package let kind: Kind
  /// The library's own words.
  package let what: String
  package let path: String

  package var remedy: String {
    switch kind {
    case .full: "make room on the disk that holds it"
    case .notWritable: "make its folder writable for the user that lanatomy runs as"
    case .notReadable: "check that the daemon ran, and that you may read its folder (group lanatomy)"
    case .damaged: "the daemon sets it aside and begins a fresh one; 'sqlite3 FILE .recover' may save parts of it"
    case .newer: "use the lanatomy that made it, or move it away"
    case .busy: "end the program that holds it"
    case .failing: "check the disk"
    case .misuse: "report this as a bug"
    }
  }

  package var description: String { "\(path): \(what); \(remedy)" }
}

/// SQLite keeps a copy of what is bound: our arrays may go at once.
private nonisolated let transient = unsafeBitCast(-1 as Int, to: sqlite3_destructor_type.self)

/// A connection to one SQLite file, and the only place that speaks to the library.
///
/// SQL is always a literal, and values are always bound: text from the wire cannot become part of a statement. A connection belongs to
/// one thread.
package struct Database: ~Copyable {
  package enum Mode {
    /// Makes the file if there is none.
    case write
    case read
    /// For a file that nobody has open, in a folder where the library may not put its helper files.
    case readUntouched
  }

  private let handle: OpaquePointer
  package let path: String

  package init(_ path: String, _ mode: Mode) throws(DatabaseError) {
    self.path = path
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW
    var name = path
    switch mode {
    case .write: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    case .read: flags |= SQLITE_OPEN_READONLY
    case .readUntouched:
      flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      name = "file:" + Database.escaped(path) + "?immutable=1"
    }
    var made: OpaquePointer?
    let code = sqlite3_open_v2(name, &made, flags, nil)
    guard let made else {
      throw DatabaseError(kind: .failing, what: "no memory for a connection", path: path)
    }
    guard code == SQLITE_OK else {
      let error = Database.error(made, code, path, isWriting: mode == .write)
      sqlite3_close_v2(made)
      throw error
    }
    sqlite3_extended_result_codes(made, 1)
    // Readers hold the file for milliseconds; whoever needs longer than this has stopped.
    sqlite3_busy_timeout(made, 2000)
    handle = made
  }

  deinit { sqlite3_close_v2(handle) }

  /// A literal statement without parameters or rows.
  package func run(_ sql: StaticString) throws(DatabaseError) {
    try check(sqlite3_exec(handle, sql.description, nil, nil, nil))
  }

  /// Sets a number of the connection, and tells what it is now.
  @discardableResult
  package func pragma(_ name: StaticString, _ value: Int? = nil) throws(DatabaseError) -> Int {
    var pointer: OpaquePointer?
    let sql = value.map { "PRAGMA \(name)=\($0)" } ?? "PRAGMA \(name)"
    try check(sqlite3_prepare_v2(handle, sql, -1, &pointer, nil))
    defer { sqlite3_finalize(pointer) }
    switch sqlite3_step(pointer) {
    case SQLITE_ROW: return Int(sqlite3_column_int64(pointer, 0))
    case SQLITE_DONE: return 0
    case let code: throw error(code)
    }
  }

  /// Whether every page is whole. Reads the whole file once.
  package func isWhole() throws(DatabaseError) -> Bool {
    var answer = ""
    do throws(DatabaseError) {
      try prepare("PRAGMA quick_check(1)").rows { row in answer = row.text(0) ?? "" }
    } catch  where error.kind == .damaged { return false }
    return answer == "ok"
  }

  /// Whether the file was moved or removed under us: what is written now nobody will ever read.
  package var hasMoved: Bool {
    var answer: Int32 = 0
    return sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &answer) == SQLITE_OK && answer != 0
  }

  package func prepare(_ sql: StaticString) throws(DatabaseError) -> Statement {
    var pointer: OpaquePointer?
    try check(sqlite3_prepare_v3(handle, sql.description, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil))
    guard let pointer else { throw DatabaseError(kind: .misuse, what: "an empty statement", path: path) }
    return Statement(pointer, handle, path)
  }

  /// All or nothing.
  package func transaction(_ body: () throws(DatabaseError) -> Void) throws(DatabaseError) {
    try run("BEGIN IMMEDIATE")
    do throws(DatabaseError) {
      try body()
      try run("COMMIT")
    } catch {
      // After some errors the library has already rolled back, and says so by being in no transaction.
      if sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
      throw error
    }
  }

  private func check(_ code: Int32) throws(DatabaseError) {
    if code != SQLITE_OK { throw error(code) }
  }

  private func error(_ code: Int32) -> DatabaseError { Database.error(handle, code, path, isWriting: true) }

  fileprivate static func error(_ handle: OpaquePointer, _ code: Int32, _ path: String, isWriting: Bool) -> DatabaseError {
    let kind: DatabaseError.Kind =
      switch code & 0xff {
      case SQLITE_FULL: .full
      case SQLITE_READONLY: .notWritable
      case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH: isWriting ? .notWritable : .notReadable
      case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged
      case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: .busy
      case SQLITE_IOERR: sqlite3_system_errno(handle) == ENOSPC || sqlite3_system_errno(handle) == EDQUOT ? .full : .failing
      case SQLITE_NOMEM: .failing
      default: .misuse
      }
    let words = sqlite3_errmsg(handle).map { String(cString: $0) } ?? "error \(code)"
    return DatabaseError(kind: kind, what: words, path: path)
  }

  /// A path inside a `file:` address: every byte that means something there is written as its number.
  private static func escaped(_ path: String) -> String {
    var out = ""
    for byte in path.utf8 {
      switch byte {
      case 0x2d...0x39, 0x41...0x5a, 0x5f, 0x61...0x7a: out.unicodeScalars.append(Unicode.Scalar(byte))
      default: out += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
    return out
  }
}

/// What a column can hold.
package enum StoredValue {
  case int(Int)
  case text(String)
  case blob([UInt8])
  case null

  static func optional(_ value: Int?) -> StoredValue { value.map { .int($0) } ?? .null }
  static func optional(_ value: String?) -> StoredValue { value.map { .text($0) } ?? .null }
}

/// A prepared statement, to be run again and again with other values.
package struct Statement: ~Copyable {
  private let pointer: OpaquePointer
  private let handle: OpaquePointer
  private let path: String

  fileprivate init(_ pointer: OpaquePointer, _ handle: OpaquePointer, _ path: String) {
    self.pointer = pointer
    self.handle = handle
    self.path = path
  }

  deinit { sqlite3_finalize(pointer) }

  /// Runs a statement that answers nothing.
  package func run(_ values: StoredValue...) throws(DatabaseError) { try run(values) }

  package func run(_ values: [StoredValue]) throws(DatabaseError) {
    try bind(values)
    defer { reset() }
    while try step() {}
  }

  /// Runs a query, one call for each row; the row is gone when the call returns.
  package func rows(_ values: StoredValue..., body: (borrowing StoredRow) -> Void) throws(DatabaseError) {
    try bind(values)
    defer { reset() }
    let row = StoredRow(pointer)
    while try step() { body(row) }
  }

  /// The first number of the first row.
  package func number(_ values: StoredValue...) throws(DatabaseError) -> Int? {
    try bind(values)
    defer { reset() }
    return try step() ? StoredRow(pointer).optionalInt(0) : nil
  }

  private func reset() {
    sqlite3_reset(pointer)
    sqlite3_clear_bindings(pointer)
  }

  private func step() throws(DatabaseError) -> Bool {
    switch sqlite3_step(pointer) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw Database.error(handle, code, path, isWriting: true)
    }
  }

  private func bind(_ values: [StoredValue]) throws(DatabaseError) {
    for (at, value) in values.enumerated() {
      let place = Int32(at + 1)
      let code: Int32
      switch value {
      case .int(let number): code = sqlite3_bind_int64(pointer, place, Int64(number))
      case .text(let text): code = sqlite3_bind_text(pointer, place, text, Int32(text.utf8.count), transient)
      case .blob(let bytes):
        code =
          bytes.isEmpty ? sqlite3_bind_zeroblob(pointer, place, 0) : sqlite3_bind_blob(pointer, place, bytes, Int32(bytes.count), transient)
      case .null: code = sqlite3_bind_null(pointer, place)
      }
      if code != SQLITE_OK { throw Database.error(handle, code, path, isWriting: true) }
    }
  }
}

/// One row of an answer, by the numbers of its columns. What it holds was once written by us, and is trusted no more than a frame.
package struct StoredRow: ~Copyable {
  private let pointer: OpaquePointer

  fileprivate init(_ pointer: OpaquePointer) { self.pointer = pointer }

  package func int(_ column: Int32) -> Int { Int(sqlite3_column_int64(pointer, column)) }

  package func optionalInt(_ column: Int32) -> Int? {
    sqlite3_column_type(pointer, column) == SQLITE_NULL ? nil : int(column)
  }

  package func bytes(_ column: Int32) -> [UInt8] {
    guard let base = sqlite3_column_blob(pointer, column) else { return [] }
    return [UInt8](UnsafeRawBufferPointer(start: base, count: Int(sqlite3_column_bytes(pointer, column))))
  }

  package func text(_ column: Int32) -> String? {
    sqlite3_column_type(pointer, column) == SQLITE_NULL ? nil : String(decoding: bytes(column), as: UTF8.self)
  }
}
