import Capture
import Glibc

/// The folders that are ours: made where they are missing, and handed to the user that we become.
enum Folders {
  /// What may lie in them when they are handed over: a folder with anything else is somebody's.
  private static let ours = ["report.", "evidence.", "history.db", ".report.", ".evidence.", "decod", "crash-", "lost+found"]

  /// Makes a folder ready; why it cannot be used, in words.
  static func prepare(_ path: String, for user: Privileges.User?) -> String? {
    guard path.hasPrefix("/") || !path.isEmpty else { return "the name of a folder is empty" }
    let made = mkdir(path, 0o750) == 0
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return "\(path): the folder cannot be opened (\(String(cString: strerror(errno))))" }
    defer { close(descriptor) }
    guard let user else {
      return faccessat(descriptor, ".", W_OK, 0) == 0 ? nil : "\(path): no right to write there"
    }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else { return "\(path): \(String(cString: strerror(errno)))" }
    if facts.st_uid == user.number { return nil }
    let names = Folders.names(descriptor)
    guard made || (facts.st_uid == 0 && names.allSatisfy { name in ours.contains { name.hasPrefix($0) } }) else {
      return "\(path): the folder belongs to somebody else; 'chown \(user.name) \(path)' if it is meant for us"
    }
    guard fchown(descriptor, user.number, user.group) == 0 else { return "\(path): cannot be handed to \(user.name)" }
    for name in names {
      guard fstatat(descriptor, name, &facts, AT_SYMLINK_NOFOLLOW) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_nlink == 1,
        facts.st_uid == 0
      else { continue }
      fchownat(descriptor, name, user.number, user.group, AT_SYMLINK_NOFOLLOW)
    }
    return nil
  }

  private static func names(_ descriptor: Int32) -> [String] {
    // Its own descriptor: closing the list closes what it was made of.
    let copy = dup(descriptor)
    guard copy >= 0, let list = fdopendir(copy) else { return [] }
    defer { closedir(list) }
    var out: [String] = []
    while let entry = readdir(list), out.count < 4096 {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { out.append(name) }
    }
    return out
  }
}
