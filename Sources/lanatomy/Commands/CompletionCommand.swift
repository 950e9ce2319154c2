/// `completion`: the commands and options of the one table, as a shell understands them.
enum CompletionCommand {
  static let shells = ["bash", "fish", "zsh"]

  static func run(_ arguments: Arguments) -> Int32 {
    guard let shell = arguments.operands.first, let text = script(for: shell) else {
      Console.message("'completion' takes a shell: \(shells.joined(separator: ", "))")
      return Status.usage.rawValue
    }
    Console.answer(text)
    return Status.ok.rawValue
  }

  static func script(for shell: String) -> String? {
    switch shell {
    case "bash": bash()
    case "zsh": zsh()
    case "fish": fish()
    default: nil
    }
  }

  /// What may stand behind an option or a command: fixed words, files, folders or interfaces.
  private enum Follow {
    case words([String])
    case files, folders, interfaces, anything

    init(_ option: Option) {
      if !option.choices.isEmpty {
        self = .words(option.choices)
      } else {
        switch option.value {
        case "FILE": self = .files
        case "FOLDER": self = .folders
        case "IFACE": self = .interfaces
        default: self = .anything
        }
      }
    }
  }

  private static func operands(_ command: CommandInfo) -> Follow {
    switch command.name {
    case "help": .words(Commands.all.map(\.name))
    case "completion": .words(shells)
    case "show": .words(["history", "usage"])
    case "check-config": .files
    default: .anything
    }
  }

  private static func words(_ option: Option) -> [String] { option.short.map { ["-\($0)", "--\(option.long)"] } ?? ["--\(option.long)"] }

  // MARK: bash

  private static func bash() -> String {
    var out = """
      # bash completion for lanatomy: made by `lanatomy completion bash`
      _lanatomy_interfaces() { COMPREPLY=($(compgen -W "$(ls /sys/class/net 2>/dev/null)" -- "$cur")); }
      _lanatomy() {
        local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
        COMPREPLY=()
        if [ "$COMP_CWORD" = 1 ]; then
          COMPREPLY=($(compgen -W "\(Commands.all.map(\.name).joined(separator: " ")) --help --version" -- "$cur"))
          return
        fi
        case $command in

      """
    for command in Commands.all {
      out += "  \(command.name))\n    case $prev in\n"
      for option in command.options where option.value != nil {
        out += "    \(words(option).joined(separator: "|"))) \(bash(Follow(option))); return ;;\n"
      }
      let all = command.options.flatMap(words).joined(separator: " ")
      out += "    esac\n"
      out +=
        "    case $cur in\n    -*) COMPREPLY=($(compgen -W \"\(all)\" -- \"$cur\")) ;;\n    *) \(bash(operands(command))) ;;\n    esac ;;\n"
    }
    return out + "  esac\n}\ncomplete -F _lanatomy lanatomy\n"
  }

  private static func bash(_ follow: Follow) -> String {
    switch follow {
    case .words(let words): "COMPREPLY=($(compgen -W \"\(words.joined(separator: " "))\" -- \"$cur\"))"
    case .files: "COMPREPLY=($(compgen -f -- \"$cur\"))"
    case .folders: "COMPREPLY=($(compgen -d -- \"$cur\"))"
    case .interfaces: "_lanatomy_interfaces"
    case .anything: ":"
    }
  }

  // MARK: zsh

  private static func zsh() -> String {
    func safe(_ text: String) -> String {
      var out = ""
      for scalar in text.unicodeScalars {
        switch scalar {
        case "'": out += "'\\''"
        case "[", "]", ":", "\\":
          out += "\\"
          out.unicodeScalars.append(scalar)
        default: out.unicodeScalars.append(scalar)
        }
      }
      return out
    }
    func action(_ follow: Follow) -> String {
      switch follow {
      case .words(let words): "(\(words.joined(separator: " ")))"
      case .files: "_files"
      case .folders: "_files -/"
      case .interfaces: "_net_interfaces"
      case .anything: " "
      }
    }
    var out = "#compdef lanatomy\n# made by `lanatomy completion zsh`\n_lanatomy() {\n  local -a commands=(\n"
    for command in Commands.all { out += "    '\(command.name):\(safe(command.summary))'\n" }
    out += "  )\n  if (( CURRENT == 2 )); then _describe command commands; return; fi\n"
    out += "  local command=$words[2]\n  shift words; (( CURRENT-- ))\n  case $command in\n"
    for command in Commands.all {
      out += "  \(command.name)) _arguments -s"
      for option in command.options {
        let value = option.value.map { ":\($0):\(action(Follow(option)))" } ?? ""
        for word in words(option) { out += " \\\n    '\(option.isRepeatable ? "*" : "")\(word)[\(safe(option.help))]\(value)'" }
      }
      out += " \\\n    '*::\(command.operands.isEmpty ? "nothing" : "operand"):\(action(operands(command)))' ;;\n"
    }
    return out + "  esac\n}\n_lanatomy \"$@\"\n"
  }

  // MARK: fish

  private static func fish() -> String {
    func quoted(_ text: String) -> String {
      var out = "'"
      for scalar in text.unicodeScalars {
        if scalar == "'" || scalar == "\\" { out += "\\" }
        out.unicodeScalars.append(scalar)
      }
      return out + "'"
    }
    func words(_ follow: Follow) -> String {
      switch follow {
      case .words(let words): " -x -a \(quoted(words.joined(separator: " ")))"
      case .files: " -r -F"
      case .folders: " -x -a '(__fish_complete_directories)'"
      case .interfaces: " -x -a '(ls /sys/class/net)'"
      case .anything: " -x"
      }
    }
    var out = "# fish completion for lanatomy: made by `lanatomy completion fish`\ncomplete -c lanatomy -f\n"
    for command in Commands.all {
      out += "complete -c lanatomy -n __fish_use_subcommand -a \(command.name) -d \(quoted(command.summary))\n"
      let here = "complete -c lanatomy -n '__fish_seen_subcommand_from \(command.name)'"
      for option in command.options {
        out += here + (option.short.map { " -s \($0)" } ?? "") + " -l \(option.long)"
        out += (option.value == nil ? "" : words(Follow(option))) + " -d \(quoted(option.help))\n"
      }
      switch operands(command) {
      case .words(let words): out += "\(here) -a \(quoted(words.joined(separator: " ")))\n"
      case .files: out += "\(here) -F\n"
      default: break
      }
    }
    return out
  }
}
