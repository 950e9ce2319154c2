import Capture
import Wire

enum InterfacesCommand {
  static func run(_ arguments: Arguments) -> Int32 {
    do throws(CaptureError) {
      let all = try InterfaceFacts.all(pseudo: true)
      let chosen = try? InterfaceFacts.defaultInterface()
      var out =
        HelpCommand.pad("interface", 16) + HelpCommand.pad("kind", 12) + HelpCommand.pad("state", 10) + HelpCommand.pad("address", 24)
        + "MAC\n"
      for facts in all {
        let state = !facts.isUp ? "down" : facts.isRunning ? "up" : "no carrier"
        let address = facts.addresses.first.map { "\($0.address)/\($0.prefixLength)" } ?? "-"
        let mark = facts.name == chosen?.name ? "   (taken when none is named)" : ""
        out +=
          HelpCommand.pad(WireText.clean(facts.name), 16) + HelpCommand.pad(facts.detail ?? facts.kind.rawValue, 12)
          + HelpCommand.pad(state, 10)
          + HelpCommand.pad(address, 24) + (facts.mac?.description ?? "-") + mark + "\n"
      }
      Console.answer(out)
      return Status.ok.rawValue
    } catch {
      Console.message(error.description)
      return error.exitStatus
    }
  }
}
