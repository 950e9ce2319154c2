enum HelpCommand {
  static func run(_ operands: [String]) -> Int32 {
    guard let name = operands.first else {
      Console.answer(overview())
      return Status.ok.rawValue
    }
    guard let command = Commands.named(name) else {
      Console.message(Arguments.unknown(name, among: Commands.all.map(\.name), kind: "command"))
      return Status.usage.rawValue
    }
    Console.answer(text(command))
    return Status.ok.rawValue
  }

  static func overview() -> String {
    var out = """
      lanatomy: the anatomy of your LAN. Tells, from listening alone, who is on the wire, how it hangs together and how much each one moves.

      Usage: lanatomy COMMAND [OPTIONS]


      """
    for command in Commands.all { out += "  \(pad(command.name, 12))\(command.summary)\n" }
    out += """

        lanatomy report                    listen where the default route goes until Ctrl-C, then report
        lanatomy report -r home.pcap       report on a capture file
        lanatomy demo                      see what a report looks like

      'lanatomy help COMMAND' explains one; 'lanatomy --version' prints the version.

      """
    return out
  }

  static func text(_ command: CommandInfo) -> String {
    var out = "Usage: lanatomy \(command.name) [OPTIONS]\(command.operands.isEmpty ? "" : " " + command.operands)\n\n\(command.summary)\n\n"
    for option in command.options {
      let value = option.value.map { " " + $0 } ?? ""
      let left = (option.short.map { "-\($0), " } ?? "    ") + "--\(option.long)\(value)"
      out += "  \(pad(left, 28))\(option.help)\n"
    }
    if command.name == "report" {
      out += """

        FILTER is a libpcap filter (see pcap-filter(7)), for instance: host 192.168.0.5 and not port 22
        Counts and messages go to standard error, the report to standard output. Ctrl-C ends listening with the report so far.

        """
    }
    return out
  }

  static func pad(_ text: String, _ width: Int) -> String { text + String(repeating: " ", count: max(1, width - text.count)) }
}
