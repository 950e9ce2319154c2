import Model
import Wire

/// The words of the text outputs: how devices, media, places and reasons are called.
enum Label {
  /// What was captured, how long, and when.
  static func captured(_ snapshot: Snapshot) -> String {
    let facts = snapshot.capture
    var out = "\(facts.name.isEmpty ? "capture" : fit(facts.name.display, 40)) · \(facts.isLive ? "passive" : "capture file")"
    guard let started = facts.started, let ended = facts.ended else { return out }
    out += " · \(Clock.duration(ended.since(started))), "
    // A clock's time without its day would be read as the other one's.
    guard Clock.localDate(started) == Clock.localDate(ended) else {
      return out + "\(Clock.localTime(started)) to \(Clock.localTime(ended)) \(Clock.offset(ended))"
    }
    out += "\(Clock.localClock(started)) to \(Clock.localClock(ended)) \(Clock.offset(ended))"
    return facts.isLive ? out : out + " on \(Clock.localDate(started))"
  }

  /// How much was heard, what was lost, and from where.
  static func heard(_ snapshot: Snapshot) -> String {
    let facts = snapshot.capture
    var out = "\(Quantity.count(facts.frames, "frame")), \(Quantity.bytes(facts.bytes))"
    switch facts.dropped {
    case .some(0): out += ", none lost"
    case .some(let n): out += ", \(Quantity.count(n)) lost"
    case nil: break
    }
    if let twice = facts.duplicates { out += ", \(Quantity.count(twice)) seen twice and counted once" }
    if facts.isTruncated { out += ", some cut short" }
    if facts.malformed > 0 { out += ", \(Quantity.count(facts.malformed)) malformed" }
    return out + " · heard from: \(vantage(facts.vantage))"
  }

  /// Devices, subnets, and devices of each link type.
  static func counted(_ snapshot: Snapshot) -> String {
    let out = "\(Quantity.count(snapshot.hosts.count, "device")) · \(Quantity.count(snapshot.subnets.count, "subnet"))"
    let media = snapshot.linkTypes.filter { $0.medium != nil }.map { "\(medium($0.medium)) \($0.devices.count)" }
    return media.isEmpty ? out : out + " · " + media.joined(separator: ", ")
  }

  /// At most `width` columns; what does not fit ends in an ellipsis.
  static func fit(_ text: String, _ width: Int) -> String {
    guard Page.columns(text) > width else { return text }
    var out = ""
    for scalar in text.unicodeScalars {
      if Page.columns(out) + Page.columns(String(scalar)) > width - 1 { break }
      out.unicodeScalars.append(scalar)
    }
    return out + "…"
  }

  /// What to call a device: its name, else what it is and the end of its address, else its model or maker.
  static func name(_ host: Host) -> String {
    if let name = host.name, !name.isEmpty { return fit(name.display, 64) }
    let tail = host.id.description.suffix(5)
    if host.roles.contains(.router) || host.roles.contains(.gateway) {
      if host.behindModem?.answer == .operatorSide { return "operator's gateway" }
      return host.roles.contains(.modem) || host.behindModem?.answer == .isModem ? "modem/router" : "router"
    }
    // Adapters have no name, and a home has several: the end of the address is printed on them.
    if let role = namingRole(host) { return "(\(role == .powerlineAdapter ? "adapter" : word(role)) \(tail))" }
    if let model = host.model, !model.isEmpty { return "(\(fit(model.display, 20)) \(tail))" }
    let maker = maker(host)
    return maker.isEmpty ? "(\(tail))" : "(\(maker) \(tail))"
  }

  /// The role that a device without a name is called by.
  private static func namingRole(_ host: Host) -> Role? { host.roles.first { $0 != .host } }

  /// The same without the brackets, for use inside a sentence.
  static func bare(_ host: Host) -> String {
    let name = name(host)
    return host.name == nil && name.hasPrefix("(") ? String(name.dropFirst().dropLast()) : name
  }

  /// The maker, or why there is none: made up for privacy, of a role that several boxes share, or given by whoever runs the network.
  static func maker(_ host: Host) -> String {
    if let vendor = host.vendor { return shortVendor(vendor) }
    if host.id.isVirtualRouter { return "shared" }
    return host.isRandomised ? "private" : host.id.isLocal ? "self-set" : ""
  }

  /// The address to show where there is room for one: one that reaches further than the link says more.
  private static func mainAddress(_ host: Host) -> IPAddress? { host.addresses.first { !$0.isLinkLocal } ?? host.addresses.first }

  static func shortAddress(_ host: Host) -> String { mainAddress(host)?.description ?? "" }

  /// Further addresses of the same version, in words: a device of several is the first thing to know about it.
  static func furtherAddresses(_ host: Host) -> [String] {
    guard let main = mainAddress(host) else { return [] }
    let others = host.addresses.filter { $0 != main && $0.isIPv4 == main.isIPv4 }
    return others.prefix(8).map(\.description) + (others.count > 8 ? ["and \(others.count - 8) more"] : [])
  }

  /// Whether it has addresses of the other version that say more than where it is on the link.
  static func hidesAddresses(_ host: Host) -> Bool {
    host.addresses.contains { $0.isIPv4 != mainAddress(host)?.isIPv4 && !$0.isLinkLocal }
  }

  /// What a device is, in the words of people who own one.
  static func word(_ role: Role) -> String {
    switch role {
    case .router: "router"
    case .gateway: "gateway"
    case .nat: "NAT"
    case .dhcpServer: "DHCP"
    case .dnsServer: "DNS"
    case .switch: "switch"
    case .accessPoint: "access point"
    case .powerlineAdapter: "powerline adapter"
    case .setTopBox: "set-top box"
    case .modem: "modem"
    case .console: "game console"
    case .printer: "printer"
    case .phone: "phone"
    case .computer: "computer"
    case .tv: "TV"
    case .speaker: "speaker"
    case .camera: "camera"
    case .storage: "storage"
    case .iot: "smart home"
    case .virtualMachine: "virtual machine"
    case .host: "device"
    }
  }

  /// All of it: a router's being the gateway goes without saying.
  static func roles(_ host: Host) -> String { words(host.roles, of: host) }

  /// What its name does not say, nor the kind of link that it is listed under.
  static func otherRoles(_ host: Host) -> String {
    let named = host.name?.isEmpty == false || host.roles.contains(.router) ? nil : namingRole(host)
    return words(host.roles.filter { $0 != named && !($0 == .virtualMachine && host.medium?.answer == .virtual) }, of: host)
  }

  private static func words(_ roles: [Role], of host: Host) -> String {
    roles.filter { $0 != .host && !($0 == .gateway && host.roles.contains(.router)) }.map(word).joined(separator: ", ")
  }

  static func kind(_ network: Subnet) -> String {
    switch network.kind {
    case .home: "home network"
    case .operator: "operator network"
    case .guest: "guest network"
    case .linkLocal: "link-local network"
    case .transit: "transit network"
    case .unknown: "network"
    }
  }

  /// The protocol that says so, as people may have met its name.
  static func basis(_ basis: String) -> String {
    switch basis {
    case "arp", "dhcp", "eapol", "lldp", "cdp", "stp", "lltd", "ndp", "ssdp", "igmp", "mld", "llmnr", "pppoe", "ip", "ipv4", "ipv6", "upnp",
      "dns":
      basis.uppercased()
    case "mdns": "mDNS"
    case "homeplug": "HomePlug"
    case "ieee1905": "IEEE 1905"
    case "netbios", "nbns": "NetBIOS"
    case "oui": "its MAC"
    case "config": "the configuration"
    case "interface": "our own interface,"
    case "802.11": basis
    case "vlan": "the VLAN label"
    case "browser": "the Windows browser service"
    default: basis
    }
  }

  /// The first word that says who it is.
  static func shortVendor(_ vendor: String) -> String {
    let words = vendor.split { $0 == " " || $0 == "," }
    return fit(words.first.map(String.init) ?? vendor, 14)
  }

  static func address(_ address: IPAddress, of mac: MACAddress?, _ snapshot: Snapshot) -> String {
    guard let mac, let host = snapshot.host(mac) else { return address.description }
    return "\(address) (\(name(host)))"
  }

  /// Where a subnet's devices send what is for elsewhere, each as sure as it is.
  static func waysOut(_ subnet: Subnet, _ snapshot: Snapshot) -> [String] {
    var out = subnet.gateways.map { gateway in
      let word = confidence(gateway.confidence)
      return (word == "high" ? "" : word + " ") + "gateway " + address(gateway.address, of: gateway.host, snapshot)
    }
    if let hop = subnet.nextHop {
      let name = snapshot.host(hop.host).map { "\(bare($0)), " } ?? ""
      out.append("way out through \(name)\(hop.host)\(frame(hop.reasons)), whose address was not heard")
    }
    return out.isEmpty ? ["no gateway seen"] : out
  }

  /// Masks that fit what was heard as well as the one shown.
  static func otherMasks(_ subnet: Subnet) -> String {
    let others = (subnet.lengths.map(Array.init) ?? []).filter { $0 != subnet.prefix.length }
    guard let first = others.first, let last = others.last else { return "" }
    return first == last ? ", /\(first) fits as well" : ", /\(first) to /\(last) fit as well"
  }

  /// Why no device stands for a network's way out in the map.
  static func noWayOut(_ subnet: Subnet) -> String {
    guard let named = subnet.gateways.first(where: \.isNamed) else { return "way out not seen" }
    return "its way out, \(named.address), was not heard"
  }

  static func medium(_ medium: Medium?) -> String {
    switch medium {
    case .ethernet: "wired"
    case .wifi: "Wi-Fi"
    case .powerline: "powerline"
    case .moca: "MoCA"
    case .coax: "coax"
    case .virtual: "virtual"
    case nil: "link not known"
    }
  }

  static func vantage(_ vantage: Vantage) -> String {
    switch vantage {
    case .host: "one host of the network"
    case .mirror: "a mirror port"
    case .router: "the router"
    case .bridge: "a bridge"
    case .monitor: "a radio in monitor mode"
    case .unknown: "a place that the capture does not tell"
    }
  }

  /// How a subnet's prefix became known, and in which frame.
  static func mask(_ subnet: Subnet) -> String {
    subnet.kind == .linkLocal
      ? "mask as the standard fixes it" : "mask from \(source(subnet.source))" + frame(subnet.reasons) + otherMasks(subnet)
  }

  static func source(_ source: Subnet.Source) -> String {
    switch source {
    case .dhcp: "DHCP"
    case .ra: "router advertisement"
    case .interface: "our own interface"
    case .declared: "a device's own word"
    case .broadcast: "broadcast address"
    case .arp: "ARP (a guess that fits)"
    case .guess: "nothing (a guess)"
    }
  }

  /// The words of `inference.md` 1.
  static func confidence(_ value: Double) -> String {
    value >= 0.9 ? "high" : value >= 0.7 ? "likely" : "perhaps"
  }

  /// The same as a mark behind a sentence.
  static func sure(_ value: Double) -> String { value >= 0.5 ? "(\(confidence(value)))" : "(unsure)" }

  static func frame(_ reasons: [Reason]) -> String { reasons.first?.frame.map { " (frame \($0))" } ?? "" }

  static func frames(_ reasons: [Reason]) -> String {
    var seen: [Int] = []
    for reason in reasons { if let frame = reason.frame, !seen.contains(frame), seen.count < 4 { seen.append(frame) } }
    guard !seen.isEmpty else { return "" }
    return " (frame\(seen.count == 1 ? "" : "s") \(seen.map(String.init).joined(separator: ", ")))"
  }

  /// What this capture could not show, in words.
  static func limits(_ snapshot: Snapshot) -> [String] {
    var out: [String] = []
    switch snapshot.capture.vantage {
    case .host:
      out.append(
        "This listens as one host of a switch or access point: unicast between two other devices does not reach it, so their totals are lower bounds."
      )
    case .mirror:
      out.append("This listens to a copy of what crosses one switch or port: traffic that stays behind other switches does not reach it.")
    case .bridge:
      out.append("This listens on a bridge: traffic that stays inside other switches does not reach it.")
    case .router:
      out.append("This listens on a router: traffic between two devices of one switch does not reach it.")
    case .monitor:
      out.append("This listens to one radio channel: other channels and the cables are silent here, and what is encrypted is only counted.")
    case .unknown:
      out.append("The capture does not tell where it was made, so what is missing may be missing for that reason alone.")
    }
    if snapshot.hosts.contains(where: { $0.medium == nil }) {
      out.append("For devices without a link type no frame told how they are connected.")
    }
    if let dropped = snapshot.capture.dropped, dropped > 0 {
      out.append(
        "\(Quantity.count(dropped, "frame")) \(dropped == 1 ? "was" : "were") lost while capturing: all totals are at least what is shown.")
    }
    let deaf = snapshot.health.interfacesAwaited
    if !deaf.isEmpty {
      let names = deaf.prefix(8).joined(separator: ", ") + (deaf.count > 8 ? " and \(deaf.count - 8) more" : "")
      out.append("Nothing is heard on \(names): absent or down, or more than this process may open; the log says which.")
    }
    if snapshot.capture.isTruncated { out.append("Some frames were cut short: what stood behind the cut is unknown.") }
    if snapshot.health.subnetsUnlisted > 0 {
      out.append("More subnets were named than a home has: \(Quantity.count(snapshot.health.subnetsUnlisted)) are not listed.")
    }
    let missing = snapshot.health.stationsEvicted + snapshot.health.stationsUnlisted
    if missing > 0 {
      out.append("More stations spoke than can be listed: \(Quantity.count(missing)) are missing.")
    }
    if snapshot.hosts.isEmpty, snapshot.capture.frames > 0, snapshot.capture.linkTypes.contains(where: \.isRead) {
      out.append(noDevices(snapshot))
    }
    if snapshot.health.claimsLeft + snapshot.health.subjectsEvicted > 0 {
      out.append("More was said about single devices than is kept: names, addresses or members of multicast groups may be missing.")
    }
    if snapshot.health.pairsEvicted + snapshot.health.bindingsEvicted > 0 {
      out.append("More addresses talked with each other than are kept: conversations that were small may be missing.")
    }
    for name in snapshot.health.unreadLinkTypes { out.append("Frames of link type \(name) are counted but not read.") }
    return out
  }

  /// Why there are none.
  private static func noDevices(_ snapshot: Snapshot) -> String {
    let bare = snapshot.capture.linkTypes.filter { $0.isRead && !$0.hasStations }.map(\.description)
    let why =
      bare.isEmpty
      ? "No frame names a station that sent it" : "Frames of link type \(bare.joined(separator: ", ")) carry no hardware addresses"
    return why + ", so no devices are listed" + (snapshot.conversations.isEmpty ? "." : ", only the addresses that talked.")
  }
}
