import Publish

/// Every command and option: parsing, help and completion read this one table.
enum Commands {
  static let format = Option(
    long: "format", short: nil, value: "FORM", help: "text (default), json, dot (Graphviz) or svg (a picture)",
    choices: ReportFormat.allCases.map(\.rawValue))
  static let json = Option(long: "json", short: nil, value: nil, help: "short for --format json")
  static let shareSafe = Option(
    long: "share-safe", short: nil, value: nil, help: "hide names, public addresses and the devices' part of MACs, to post the report")
  static let ascii = Option(long: "ascii", short: nil, value: nil, help: "draw the tree with ASCII characters")
  static let color = Option(
    long: "color", short: nil, value: "WHEN", help: "auto (default), always or never", choices: ["auto", "always", "never"])
  static let noColor = Option(long: "no-color", short: nil, value: nil, help: "the same as --color never")
  static let help = Option(long: "help", short: "h", value: nil, help: "show this help")
  static let write = Option(long: "write", short: "w", value: "FILE", help: "also write the captured frames to FILE (pcap)")

  static let all: [CommandInfo] = [
    CommandInfo(
      name: "report", operands: "[FILTER...]", summary: "listen, or read a capture file, then report once",
      options: [
        Option(
          long: "interface", short: "i", value: "IFACE", help: "listen here; may be repeated; default: where the default route goes",
          isRepeatable: true),
        Option(long: "read", short: "r", value: "FILE", help: "read a pcap or pcapng file, gzip too; - is standard input"), write,
        Option(long: "for", short: nil, value: "TIME", help: "listen for so long: 30s, 5m, 2h, 1d"),
        Option(long: "count", short: "c", value: "COUNT", help: "stop after COUNT frames"),
        Option(long: "snaplen", short: "s", value: "BYTES", help: "keep at most BYTES of each frame"),
        Option(long: "no-promiscuous", short: "p", value: nil, help: "do not switch the interface to promiscuous mode"),
        Option(long: "no-names", short: "n", value: nil, help: "show addresses, not names"), format, json, shareSafe, ascii, color, noColor,
        Option(long: "quiet", short: "q", value: nil, help: "no progress and no counts on standard error"),
        Option(long: "no-progress", short: nil, value: nil, help: "no progress on standard error"), help,
      ]),
    CommandInfo(
      name: "show", operands: "[history DEVICE | usage]", summary: "what the running daemon knows, knew and counted",
      options: [
        Option(long: "at", short: nil, value: "TIME", help: "the devices of that time: 2h, 7d (ago) or 2026-01-31T18:00"),
        Option(
          long: "by", short: nil, value: "WHAT", help: "usage by device (default), subnet or medium",
          choices: ["device", "subnet", "medium"]),
        Option(long: "since", short: nil, value: "TIME", help: "usage since then: 2h, 7d (ago) or 2026-01-31; default: all of it"),
        Option(long: "format", short: nil, value: "FORM", help: "text (default), json or csv", choices: ["text", "json", "csv"]), json,
        Option(long: "state", short: nil, value: "DIR", help: "where the history is; default /var/lib/lanatomy"),
        Option(long: "runtime", short: nil, value: "DIR", help: "where the daemon's reports are; default /run/lanatomy"), help,
      ], operandLimit: 2),
    CommandInfo(
      name: "why", operands: "DEVICE|ADDRESS|SUBNET", summary: "every claim about one device, address or subnet, with what proves it",
      options: [
        Option(long: "read", short: "r", value: "FILE", help: "read a capture file; without, what the running daemon published"),
        Option(long: "format", short: nil, value: "FORM", help: "text (default) or json", choices: ["text", "json"]), json, shareSafe,
        color,
        noColor, Option(long: "runtime", short: nil, value: "DIR", help: "where the daemon's reports are; default /run/lanatomy"),
        Option(long: "no-progress", short: nil, value: nil, help: "no progress on standard error"), help,
      ], operandLimit: 1),
    CommandInfo(
      name: "demo", operands: "", summary: "report on a home made up on the spot: no network, no privilege",
      options: [write, format, json, shareSafe, ascii, color, noColor, help], operandLimit: 0),
    CommandInfo(
      name: "run", operands: "[FILTER...]", summary: "the daemon: capture, publish and log until told to end",
      options: [
        Option(long: "config", short: nil, value: "FILE", help: "read FILE instead of \(Configuration.defaultPath)"),
        Option(
          long: "interface", short: "i", value: "IFACE", help: "listen here; may be repeated; default: where the default route goes",
          isRepeatable: true),
        Option(long: "no-promiscuous", short: "p", value: nil, help: "do not switch the interface to promiscuous mode"),
        Option(long: "runtime", short: nil, value: "FOLDER", help: "publish the report files there"),
        Option(long: "state", short: nil, value: "FOLDER", help: "keep the history there"), help,
      ]),
    CommandInfo(
      name: "check-config", operands: "[FILE]", summary: "show what would be in force, or every problem of the configuration",
      options: [help], operandLimit: 1),
    CommandInfo(name: "interfaces", operands: "", summary: "list where one can listen", options: [help], operandLimit: 0),
    CommandInfo(
      name: "completion", operands: "bash|zsh|fish", summary: "print the completion of a shell", options: [help], operandLimit: 1),
    CommandInfo(name: "protocols", operands: "", summary: "list the protocols that are understood", options: [help], operandLimit: 0),
    CommandInfo(name: "help", operands: "[COMMAND]", summary: "explain a command", options: [help], operandLimit: 1),
  ]

  static func named(_ name: String) -> CommandInfo? { all.first { $0.name == name } }
}
