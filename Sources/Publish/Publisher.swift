public import Model

/// Something that tells the world what the model knows: files, the log, the history.
///
/// To add one: a file under `Publishers/`, its settings in `PublishSettings`, its line where the daemon makes the list, its keys in
/// `Config/lanatomy.toml`.
///
/// A publisher lives on the publish thread alone. It may block on a slow disk; it must not throw away what it could not write when that can
/// be told later: an error means that this snapshot was not published, and the next call gets the same `last` again.
public protocol Publisher {
  /// One lower-case word for messages: `files`, `log`, `history`.
  var name: String { get }

  /// Publishes what is new. Called with each snapshot, once a second at most; a publisher with a longer interval decides by
  /// `snapshot.elapsed` whether it is due, and returns when it is not. What it had to leave out it finds in the next difference.
  ///
  /// - Parameter last: of the snapshot of the last call that returned without an error; nil at first.
  mutating func publish(_ snapshot: Snapshot, since last: Digest?) throws(PublishError)

  /// Opens its files anew: they may have been moved away (SIGHUP).
  mutating func reopen() throws(PublishError)

  /// The last call, with the last snapshot there was: everything that waits is written now, whatever its interval.
  mutating func finish(_ snapshot: Snapshot?, since last: Digest?) throws(PublishError)
}

extension Publisher {
  public mutating func reopen() throws(PublishError) {}
  public mutating func finish(_ snapshot: Snapshot?, since last: Digest?) throws(PublishError) {
    if let snapshot { try publish(snapshot, since: last) }
  }
}

/// Why something could not be published, and what to do about it: one line, free of text from the wire.
public struct PublishError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The file or folder.
  public var subject: String
  public var what: String
  public var remedy: String?

  public init(_ subject: String, _ what: String, remedy: String? = nil) {
    self.subject = subject
    self.what = what
    self.remedy = remedy
  }

  public var description: String {
    let start = subject.isEmpty ? what : "\(subject): \(what)"
    return remedy.map { "\(start); \($0)" } ?? start
  }
}
