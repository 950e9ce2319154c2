internal import Glibc
public import Model

/// The report files: each edition is written beside the old one and renamed over it, so that whoever reads finds a whole one, always.
public struct FilePublisher: Publisher {
  public let name = "files"

  /// A file of the folder and what it holds.
  public struct Document {
    let file: String
    /// Seconds for which an edition holds while nothing that is published changes; nil: until the next of the others.
    let lasting: Int?
    let render: (Snapshot) -> String
    fileprivate var written: Int64?
    /// Whether something has changed since.
    fileprivate var isBehind = false

    public init(_ file: String, lasting: Int? = nil, _ render: @escaping (Snapshot) -> String) {
      self.file = file
      self.lasting = lasting
      self.render = render
    }
  }

  private static let syncInterval: Int64 = 120_000_000_000

  private let folder: PublicFolder
  private let settings: PublishSettings.Files
  private var documents: [Document]
  private var published: Int64?
  /// On a disk a rename may outlive what was written, so that one edition in two minutes is synced: more would wear the disk (P11). In
  /// memory there is nothing to wait for.
  private let isInMemory: Bool
  private var synced: Int64?

  /// - Parameter documents: what to publish; text and JSON when nothing else is said.
  public init(folder path: String, _ settings: PublishSettings.Files, documents: [Document]) throws(PublishError) {
    folder = try PublicFolder(path)
    isInMemory = path.hasPrefix("/run/") || path.hasPrefix("/dev/shm/")
    self.settings = settings
    self.documents = documents
    for document in documents { folder.clear(document.file) }
  }

  public static func documents(version: String) -> [Document] {
    let style = TextStyle(version: version)
    return [
      Document("report.txt") { TextReport(style: style).text($0) },
      Document("report.json") { JSONReport(version: version).text($0) },
      // Several times the report's size, and why something is so changes seldom.
      Document("evidence.json", lasting: 60) { EvidenceReport(version: version).text($0) },
    ]
  }

  public mutating func publish(_ snapshot: Snapshot, since last: Digest?) throws(PublishError) {
    let isNews = last?.look != Digest.look(of: snapshot) || !Changes(from: last, to: snapshot).isEmpty
    if isNews { for at in documents.indices { documents[at].isBehind = true } }
    guard isNews || isDue(published, settings.interval, snapshot) else { return }
    try write(snapshot)
  }

  /// Whether an interval of seconds is over since something was written.
  private func isDue(_ written: Int64?, _ interval: Int, _ snapshot: Snapshot) -> Bool {
    written.map { snapshot.elapsed - $0 >= Int64(interval) * 1_000_000_000 - 100_000_000 } ?? true
  }

  public mutating func finish(_ snapshot: Snapshot?, since last: Digest?) throws(PublishError) {
    for at in documents.indices { documents[at].written = nil }
    if let snapshot { try write(snapshot) }
  }

  private mutating func write(_ snapshot: Snapshot) throws(PublishError) {
    let syncs = !isInMemory && synced.map { snapshot.elapsed - $0 >= FilePublisher.syncInterval } ?? true
    if syncs { synced = snapshot.elapsed }
    for at in documents.indices {
      let document = documents[at]
      // What is large is not written more often than the interval asks for, whatever is new.
      if let lasting = document.lasting {
        guard isDue(document.written, document.isBehind ? settings.interval : lasting, snapshot) else { continue }
      }
      try folder.replace(document.file, with: document.render(snapshot), mode: settings.mode, syncs: syncs)
      documents[at].written = snapshot.elapsed
      documents[at].isBehind = false
    }
    published = snapshot.elapsed
  }
}

/// A folder in which files are replaced as a whole, and nothing but files: what somebody planted at a name is replaced, never followed.
final class PublicFolder {
  private let path: String
  private let descriptor: Int32

  init(_ path: String) throws(PublishError) {
    self.path = path
    descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw PublishError(path, "the folder cannot be opened (\(SystemWords.error(errno)))", remedy: "make it, or name another one")
    }
  }

  deinit { close(descriptor) }

  /// Beside the file, in the same folder: only then is a rename atomic.
  private func draft(_ file: String) -> String { ".\(file).new" }

  /// Removes what a killed run left.
  func clear(_ file: String) { unlinkat(descriptor, draft(file), 0) }

  func replace(_ file: String, with text: String, mode: UInt32, syncs: Bool = false) throws(PublishError) {
    let draft = draft(file)
    clear(file)
    // Exclusively: a link planted in between makes this fail, it is not followed.
    let new = openat(descriptor, draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(mode))
    guard new >= 0 else { throw failed(file, errno) }
    var number: Int32? = fchmod(new, mode_t(mode)) == 0 ? nil : errno
    if number == nil { number = SystemWords.writeWhole(text, to: new) }
    // Without it a power cut may leave the new name with nothing in it.
    if number == nil, syncs, fdatasync(new) != 0 { number = errno }
    if close(new) != 0, number == nil { number = errno }
    if number == nil, renameat(descriptor, draft, descriptor, file) != 0 { number = errno }
    if let number {
      clear(file)
      throw failed(file, number)
    }
  }

  private func failed(_ file: String, _ number: Int32) -> PublishError {
    PublishError("\(path)/\(file)", "cannot be written (\(SystemWords.error(number)))")
  }
}
