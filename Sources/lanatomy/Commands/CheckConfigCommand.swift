import Model
import Wire

/// `check-config`: what would be in force, or everything that is wrong.
enum CheckConfigCommand {
  static func run(_ arguments: Arguments) -> Int32 {
    do throws(Configuration.Problems) {
      Console.answer(text(try Configuration.load(arguments.operands.first)))
      return Status.ok.rawValue
    } catch {
      for problem in error.all.prefix(100) { Console.raw(problem.description + "\n") }
      return Status.config.rawValue
    }
  }

  /// As a file would say it.
  static func text(_ configuration: Configuration) -> String {
    var out = ""
    var section = ""
    for key in Configuration.keys {
      let parts = key.name.split(separator: ".", maxSplits: 1)
      guard let table = parts.first, let name = parts.last else { continue }
      if table != section {
        out += "\(section.isEmpty ? "" : "\n")[\(table)]\n"
        section = String(table)
      }
      out += "\(name) = \(key.show(configuration))\n"
    }
    for (mac, given) in configuration.devices.sorted(by: { $0.key < $1.key }) {
      out += "\n[[device]]\nmac = \"\(mac)\"\n"
      if let name = given.name { out += "name = \(Configuration.quoted(name.display))\n" }
      if let kind = given.kind { out += "kind = \"\(kind.rawValue)\"\n" }
      out += "expected = \(given.isExpected)\n"
    }
    for (prefix, kind) in configuration.subnets { out += "\n[[subnet]]\nprefix = \"\(prefix)\"\nkind = \"\(kind.rawValue)\"\n" }
    return out
  }
}
