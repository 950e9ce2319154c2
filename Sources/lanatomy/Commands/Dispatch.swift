/// Which command was asked for; the process's exit status.
func run(_ words: [String]) -> Int32 {
  Interrupt.ignorePipe()
  guard let name = words.first else {
    Console.raw(HelpCommand.overview())
    return Status.usage.rawValue
  }
  switch name {
  case "--version", "-V", "version":
    Console.answer("lanatomy \(Lanatomy.version)\n")
    return Status.ok.rawValue
  case "--help", "-h": return HelpCommand.run([])
  default: break
  }
  guard let command = Commands.named(name) else {
    let known = Commands.all.map(\.name)
    Console.message(Arguments.unknown(name, among: known, kind: name.hasPrefix("-") ? "option" : "command"))
    Console.raw("Try 'lanatomy help'.\n")
    return Status.usage.rawValue
  }
  let arguments: Arguments
  do throws(Arguments.Problem) {
    arguments = try Arguments(Array(words.dropFirst()), for: command)
  } catch {
    Console.message(error.text)
    Console.raw("Try 'lanatomy help \(name)'.\n")
    return Status.usage.rawValue
  }
  if arguments.has("help") { return HelpCommand.run([name]) }
  switch name {
  case "report": return ReportCommand.run(arguments)
  case "run": return RunCommand.run(arguments)
  case "why": return WhyCommand.run(arguments)
  case "show": return ShowCommand.run(arguments)
  case "check-config": return CheckConfigCommand.run(arguments)
  case "completion": return CompletionCommand.run(arguments)
  case "demo": return DemoCommand.run(arguments)
  case "interfaces": return InterfacesCommand.run(arguments)
  case "protocols": return ProtocolsCommand.run()
  default: return HelpCommand.run(arguments.operands)
  }
}
