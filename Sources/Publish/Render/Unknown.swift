import Model
import Wire

/// What nothing that was heard tells about a device or a subnet, and what would decide it: "not known" is an answer, and this is its reason.
struct Unknown {
  let text: String
  let decides: String

  private static let restart = "restart it while this listens"

  static func about(_ host: Host, _ snapshot: Snapshot) -> [Unknown] {
    var out: [Unknown] = []
    let own = [host.id] + host.virtualMACs
    let isWayOut = snapshot.subnets.contains { $0.gateways.contains { $0.host.map(own.contains) ?? false } }
    // Adapters and switches are known by their MAC, and many have no address.
    let isInfrastructure = host.roles.contains { $0 == .powerlineAdapter || $0 == .switch }
    if host.names.isEmpty, !isInfrastructure {
      out.append(
        Unknown(text: "Its name: it told none.", decides: "\(restart); most devices tell their name when they ask for an address."))
    }
    if host.roles == [.host] {
      out.append(
        Unknown(
          text: "What it is: nothing that it said or did tells.",
          decides:
            "\(restart), or use it: its first questions and the services it offers tell what it is. A name in the configuration helps, too."
        ))
    }
    if host.addresses.isEmpty, !isInfrastructure {
      out.append(
        Unknown(
          text: "Its IP address: it used none, or none that was heard.",
          decides: "listen longer; switches and adapters may have none, everything else asks for one within hours."))
    }
    if host.medium == nil, !isWayOut || !host.mediumUnclear.isEmpty {
      out.append(
        Unknown(
          text: host.mediumUnclear.isEmpty
            ? "How it is connected, by cable, Wi-Fi or power line: nobody said."
            : "How it is connected: the records above contradict each other.",
          decides: connection(snapshot)))
    }
    if host.attachedTo == nil, !isWayOut { out.append(attachment(host)) }
    if host.behindModem == nil, !isWayOut, !host.addresses.isEmpty {
      out.append(
        Unknown(
          text: "On which side of the modem it lives: what was heard does not tell.",
          decides: "\(restart); who hands out its address, and which way out that one names, tells."))
    }
    return out
  }

  private static func attachment(_ host: Host) -> Unknown {
    if !host.attachmentUnclear.isEmpty {
      return Unknown(
        text: "What it hangs on: the records above contradict each other.", decides: "listen longer; the newer place is said again.")
    }
    switch host.medium?.answer {
    case .wifi:
      return Unknown(
        text: "On which access point it is: nobody said.",
        decides: "the access point's own table, the device's own word (LLTD), or a card in monitor mode names it.")
    case .powerline, .moca, .coax:
      return Unknown(
        text: "What it hangs on: it shares that line with others, and no table says through which of them it reaches the gateway.",
        decides: "the table of the adapter that the gateway is cabled to names the gateway.")
    default:
      return Unknown(
        text: "What it hangs on: nobody listed it; switches that never speak may stand between it and the rest.",
        decides: "a managed switch, an access point or an adapter with a table of its own names it; or unplug a switch and see who is gone."
      )
    }
  }

  private static func connection(_ snapshot: Snapshot) -> String {
    snapshot.capture.vantage == .monitor
      ? "listen on the channel that it uses, if it has a radio; a device that never appears there has a cable."
      : "the device itself, its access point or its powerline adapter must say it; Windows does when somebody opens the network map there, adapters do when their maker's tool runs. A card in monitor mode hears Wi-Fi devices directly."
  }

  static func about(_ subnet: Subnet) -> [Unknown] {
    var out: [Unknown] = []
    if subnet.kind == .unknown {
      out.append(
        Unknown(
          text: "Whose network it is.",
          decides: "restart a device of it while this listens: who hands out its address, and who is its way out, tells."))
    }
    if subnet.kind != .linkLocal, subnet.gateways.isEmpty {
      out.append(
        Unknown(
          text: "Its way out: nobody was named as gateway, and nobody was used as one.",
          decides: "a device that asks for an address here, or sends something elsewhere, shows it."))
    }
    if subnet.kind != .linkLocal, subnet.prefix.address.isIPv4, subnet.servers.isEmpty {
      out.append(
        Unknown(
          text: "Who hands out its addresses: no DHCP server was heard for it.",
          decides: "restart a device of it while this listens; if nobody answers, its addresses were typed in by hand."))
    }
    if subnet.source == .guess || subnet.source == .arp {
      out.append(
        Unknown(
          text: "Its exact size: \(subnet.prefix) is a guess that fits.",
          decides: "a DHCP answer states it; restart a device of it while this listens where such answers can be heard."))
    }
    return out
  }
}
