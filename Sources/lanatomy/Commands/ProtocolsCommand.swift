import Wire

enum ProtocolsCommand {
  static func run() -> Int32 {
    var out = ""
    for dissector in Dissector.all.sorted(by: { $0.name < $1.name }) {
      out += "\(HelpCommand.pad(dissector.name, 16))\(dissector.standard)\n"
    }
    Console.answer(out)
    return Status.ok.rawValue
  }
}
