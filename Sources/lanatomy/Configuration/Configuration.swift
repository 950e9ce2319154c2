import Capture
import Glibc
import Model
import Publish
import Wire

/// Everything the daemon is asked to do: files first, then flags, which win.
///
/// Each room defines its settings as a plain value with its defaults and a check; here they meet. A configuration is whole or it is a list
/// of problems: nothing is ever half in force.
struct Configuration: Sendable {
  var capture = CaptureSettings()
  var publish = PublishSettings()
  var limits = Limits()
  /// Whom to become when started as root.
  var user = "lanatomy"
  var devices: [MACAddress: Given] = [:]
  var subnets: [(prefix: Prefix, kind: Subnet.Kind)] = []

  static let defaultPath = "/etc/lanatomy/lanatomy.toml"

  init() {
    capture.waitsForInterfaces = true
    publish.runtimeFolder = Environment.folder("RUNTIME_DIRECTORY") ?? "/run/lanatomy"
    publish.stateFolder = Environment.folder("STATE_DIRECTORY") ?? "/var/lib/lanatomy"
  }

  /// All that is wrong at once, each with its place.
  struct Problems: Error {
    var all: [ConfigFile.Problem]
  }

  // MARK: Files

  /// Reads the file and what lies in `conf.d` beside it, in the order of the bytes of their names; the last one wins.
  ///
  /// - Parameter path: nil for the usual place, where no file is no problem.
  static func load(_ path: String?, flags: Arguments? = nil) throws(Problems) -> Configuration {
    var configuration = Configuration()
    var problems: [ConfigFile.Problem] = []
    let main = path ?? defaultPath
    var paths = path != nil || access(main, F_OK) == 0 ? [main] : []
    paths += parts(beside: main)
    for path in paths {
      do throws(ConfigFile.Problem) {
        configuration.take(try ConfigFile(path: path), &problems)
      } catch {
        problems.append(error)
      }
    }
    if let flags { configuration.take(flags) }
    problems += configuration.problems().map { ConfigFile.Problem(path: main, text: $0) }
    guard problems.isEmpty else { throw Problems(all: problems) }
    return configuration
  }

  private static func parts(beside path: String) -> [String] {
    let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/") + "/conf.d"
    guard let open = opendir(path.utf8.contains(0x2f) ? folder : "conf.d") else { return [] }
    defer { closedir(open) }
    var names: [String] = []
    while let entry = readdir(open), names.count < 256 {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name.hasSuffix(".toml"), !name.hasPrefix(".") { names.append(name) }
    }
    names.sort { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
    return names.map { (path.utf8.contains(0x2f) ? folder : "conf.d") + "/" + $0 }
  }

  /// Flags win over files.
  mutating func take(_ arguments: Arguments) {
    if arguments.has("interface") { capture.interfaces = arguments.all("interface") }
    if arguments.has("no-promiscuous") { capture.promiscuous = false }
    if let folder = arguments.value("runtime") { publish.runtimeFolder = folder }
    if let folder = arguments.value("state") { publish.stateFolder = folder }
    if !arguments.operands.isEmpty { capture.filter = arguments.operands.joined(separator: " ") }
  }

  func problems() -> [String] { capture.problems() + publish.problems() + limits.problems() }

  // MARK: Keys

  /// One key of the file.
  struct Key: Sendable {
    /// Its table and name: `capture.snaplen`.
    let name: String
    /// Puts a value into the configuration; returns what it should have been when it does not fit.
    let set: @Sendable (inout Configuration, ConfigFile.Node.Value) -> String?
    /// The value in force, as the file would say it.
    let show: @Sendable (Configuration) -> String

    init(
      _ name: String, _ set: @escaping @Sendable (inout Configuration, ConfigFile.Node.Value) -> String?,
      show: @escaping @Sendable (Configuration) -> String
    ) {
      self.name = name
      self.set = set
      self.show = show
    }
  }

  /// Takes what is in a file over into the settings, key by key; notes what does not belong there.
  mutating func take(_ file: ConfigFile, _ problems: inout [ConfigFile.Problem]) {
    for entry in file.entries {
      switch entry.key {
      case "device": each(entry, file, &problems) { $0.device($1, file, &$2) }
      case "subnet": each(entry, file, &problems) { $0.subnet($1, file, &$2) }
      default: section(entry, file, &problems)
      }
    }
  }

  private mutating func section(_ entry: ConfigFile.Entry, _ file: ConfigFile, _ problems: inout [ConfigFile.Problem]) {
    let sections = Set(Configuration.keys.map { Configuration.section(of: $0.name) })
    guard sections.contains(entry.key) else {
      let known = sections.sorted() + ["device", "subnet"]
      problems.append(
        ConfigFile.Problem(path: file.path, place: entry.place, text: Arguments.unknown(entry.key, among: known, kind: "table")))
      return
    }
    guard case .table(let entries) = entry.node.value else {
      problems.append(ConfigFile.Problem(path: file.path, place: entry.place, text: "'\(entry.key)' must be a table: [\(entry.key)]"))
      return
    }
    for item in entries {
      guard let key = Configuration.keys.first(where: { $0.name == "\(entry.key).\(item.key)" }) else {
        let known = Configuration.keys.filter { Configuration.section(of: $0.name) == entry.key }.map {
          String($0.name.dropFirst(entry.key.count + 1))
        }
        problems.append(Configuration.unknown(item, in: "[\(entry.key)]", known, file))
        continue
      }
      if let wanted = key.set(&self, item.node.value) {
        problems.append(
          ConfigFile.Problem(path: file.path, place: item.node.place, text: "'\(item.key)' must be \(wanted), not \(item.node.shown)"))
      }
    }
  }

  static func section(of name: String) -> String { String(name.prefix { $0 != "." }) }

  private static func unknown(_ item: ConfigFile.Entry, in table: String, _ known: [String], _ file: ConfigFile) -> ConfigFile.Problem {
    let near = known.min { Arguments.distance(item.key, $0) < Arguments.distance(item.key, $1) }
    var text = "unknown key '\(item.key)' in \(table)"
    if let near, Arguments.distance(item.key, near) <= max(2, item.key.utf8.count / 3) { text += "; did you mean '\(near)'?" }
    return ConfigFile.Problem(path: file.path, place: item.place, text: text)
  }

  /// A list of tables: `[[device]]`.
  private mutating func each(
    _ entry: ConfigFile.Entry, _ file: ConfigFile, _ problems: inout [ConfigFile.Problem],
    _ body: (inout Configuration, ConfigFile.Node, inout [ConfigFile.Problem]) -> Void
  ) {
    guard case .array(let items) = entry.node.value, items.allSatisfy({ if case .table = $0.value { true } else { false } }) else {
      problems.append(
        ConfigFile.Problem(path: file.path, place: entry.place, text: "'\(entry.key)' must be a list of tables: [[\(entry.key)]]"))
      return
    }
    for item in items { body(&self, item, &problems) }
  }

  static let deviceKeys = ["mac", "name", "kind", "expected"]
  static let subnetKeys = ["prefix", "kind"]

  private mutating func device(_ node: ConfigFile.Node, _ file: ConfigFile, _ problems: inout [ConfigFile.Problem]) {
    guard case .table(let entries) = node.value else { return }
    var mac: MACAddress?
    var given = Given()
    func wrong(_ item: ConfigFile.Entry, _ text: String) {
      problems.append(ConfigFile.Problem(path: file.path, place: item.node.place, text: "'\(item.key)' \(text)"))
    }
    for item in entries {
      switch (item.key, item.node.value) {
      case ("mac", .text(let text)):
        mac = MACAddress(text)
        if mac == nil { wrong(item, "is no hardware address: '\(text)'") }
      case ("name", .text(let text)):
        guard !text.isEmpty, text.utf8.count <= 64 else {
          wrong(item, "must have 1 to 64 bytes")
          continue
        }
        given.name = WireText(text)
      case ("kind", .text(let text)):
        given.kind = Role(rawValue: text)
        if given.kind == nil {
          wrong(item, "is no kind of device: " + Arguments.unknown(text, among: Role.allCases.map(\.rawValue), kind: "kind"))
        }
      case ("expected", .boolean(let value)): given.isExpected = value
      case ("mac", _), ("name", _), ("kind", _): wrong(item, "must be text, not \(item.node.shown)")
      case ("expected", _): wrong(item, "must be true or false, not \(item.node.shown)")
      default: problems.append(Configuration.unknown(item, in: "[[device]]", Configuration.deviceKeys, file))
      }
    }
    guard let mac else {
      if !entries.contains(where: { $0.key == "mac" }) {
        problems.append(ConfigFile.Problem(path: file.path, place: node.place, text: "[[device]] needs 'mac'"))
      }
      return
    }
    devices[mac] = given
  }

  private mutating func subnet(_ node: ConfigFile.Node, _ file: ConfigFile, _ problems: inout [ConfigFile.Problem]) {
    guard case .table(let entries) = node.value else { return }
    var prefix: Prefix?
    var kind: Subnet.Kind?
    let count = problems.count
    for item in entries {
      func wrong(_ text: String) {
        problems.append(ConfigFile.Problem(path: file.path, place: item.node.place, text: "'\(item.key)' \(text)"))
      }
      switch (item.key, item.node.value) {
      case ("prefix", .text(let text)):
        prefix = Prefix(text)
        if prefix == nil { wrong("is no network: '\(text)'; it takes ADDRESS/LENGTH") }
      case ("kind", .text(let text)):
        kind = Subnet.Kind(rawValue: text)
        if kind == nil { wrong("is none of \(Subnet.Kind.allCases.map(\.rawValue).joined(separator: ", ")): '\(text)'") }
      case ("prefix", _), ("kind", _): wrong("must be text, not \(item.node.shown)")
      default: problems.append(Configuration.unknown(item, in: "[[subnet]]", Configuration.subnetKeys, file))
      }
    }
    if let prefix, let kind {
      subnets.removeAll { $0.prefix == prefix }
      subnets.append((prefix, kind))
    } else if problems.count == count {
      problems.append(ConfigFile.Problem(path: file.path, place: node.place, text: "[[subnet]] needs 'prefix' and 'kind'"))
    }
  }
}
