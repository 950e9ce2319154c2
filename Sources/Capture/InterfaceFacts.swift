internal import CLinux
internal import CPcap
internal import Glibc
public import Wire

/// What the kernel knows about one of this machine's interfaces: for the list that people choose from, for the default choice, and as
/// what the observer knows of itself.
public struct InterfaceFacts: Sendable, Hashable {
  public enum Kind: String, Sendable, Hashable {
    /// Ethernet, or something that looks like it: bridges, VLANs, the interfaces of virtual machines.
    case ethernet
    case wireless
    /// Wi-Fi in monitor mode: 802.11 frames as they are.
    case monitor
    case loopback
    /// Tunnels, dial-in and VPN: addresses, but no stations.
    case pointToPoint
    /// No interface of a network: libpcap's `any`, `nflog`, `bluetooth-monitor`…
    case pseudo
    case other
  }

  public struct Address: Sendable, Hashable {
    public var address: IPAddress
    public var prefixLength: Int
    /// IPv6: made up for privacy and replaced every few hours.
    public var isTemporary = false

    public var prefix: Prefix { Prefix(address, prefixLength) }
  }

  public struct Route: Sendable, Hashable {
    public var destination: Prefix
    /// nil for a network that is on the link itself.
    public var gateway: IPAddress?
    /// The lower one wins.
    public var metric: Int

    public var isDefault: Bool { destination.length == 0 }
  }

  public var name: String
  /// The kernel's number; 0 for pseudo interfaces.
  public var index = 0
  public var kind = Kind.other
  /// The kernel's word for a virtual one ("veth", "bridge", "vlan", "wireguard"), or libpcap's description of a pseudo interface.
  public var detail: String?
  public var isUp = false
  /// Up, and with a carrier.
  public var isRunning = false
  public var mac: MACAddress?
  public var mtu: Int?
  /// Megabits a second; nil where the driver does not say (Wi-Fi, no carrier).
  public var speed: Int?
  public var isFullDuplex: Bool?
  /// The bridge or bond that this is a port of.
  public var master: String?
  public var addresses: [Address] = []
  /// Of the main table, the default routes first.
  public var routes: [Route] = []

  /// Where a default route leads, the preferred one first, IPv4 before IPv6.
  public var gateways: [IPAddress] { routes.filter(\.isDefault).compactMap(\.gateway) }
  public var carriesDefaultRoute: Bool { routes.contains(where: \.isDefault) }
  /// Whether frames on it have senders and receivers, so that there is something to see.
  public var isOffered: Bool { kind == .ethernet || kind == .wireless || kind == .monitor }

  init(name: String) { self.name = name }

  // MARK: Lists

  /// Every interface of this machine (of this network namespace), as the kernel orders them.
  ///
  /// - Parameter pseudo: libpcap's pseudo interfaces behind them.
  public static func all(pseudo: Bool = false) throws(CaptureError) -> [InterfaceFacts] {
    var found: [InterfaceFacts] = []
    var places: [Int: Int] = [:]
    var masters: [(place: Int, index: Int)] = []
    try Netlink.dump(RTM_GETLINK, fixedPart: MemoryLayout<ifinfomsg>.size) { type, message in
      guard type == RTM_NEWLINK, let link = Link(message) else { return }
      places[link.facts.index] = found.count
      if let master = link.master { masters.append((found.count, master)) }
      found.append(link.facts)
    }
    for (place, index) in masters {
      if let master = places[index], place < found.count, master < found.count { found[place].master = found[master].name }
    }
    try Netlink.dump(RTM_GETADDR, fixedPart: MemoryLayout<ifaddrmsg>.size) { type, message in
      guard type == RTM_NEWADDR, let (index, address) = parseAddress(message), let place = places[index] else { return }
      found[place].addresses.append(address)
    }
    try Netlink.dump(RTM_GETROUTE, fixedPart: MemoryLayout<rtmsg>.size) { type, message in
      guard type == RTM_NEWROUTE else { return }
      for (index, route) in parseRoute(message) {
        // A router with a full table has no use for a list of it.
        if let place = places[index], found[place].routes.count < 256 || route.isDefault { found[place].routes.append(route) }
      }
    }
    for place in found.indices {
      found[place].addresses.sort { ($0.address, $0.prefixLength) < ($1.address, $1.prefixLength) }
      found[place].routes.sort(by: isPreferred)
      found[place].readSystemFiles()
    }
    return pseudo ? found + pseudoInterfaces(besides: found) : found
  }

  private static func isPreferred(_ a: Route, _ b: Route) -> Bool {
    if a.isDefault != b.isDefault { return a.isDefault }
    if a.destination.address.isIPv4 != b.destination.address.isIPv4 { return a.destination.address.isIPv4 }
    return (a.metric, a.destination, a.gateway ?? .none) < (b.metric, b.destination, b.gateway ?? .none)
  }

  /// The interface to take when nobody named one: the one with the default route.
  public static func defaultInterface() throws(CaptureError) -> InterfaceFacts { try defaultInterface(among: try all()) }

  static func defaultInterface(among all: [InterfaceFacts]) throws(CaptureError) -> InterfaceFacts {
    var best: (facts: InterfaceFacts, route: Route)?
    for facts in all where facts.isOffered {
      guard let route = facts.routes.first, route.isDefault else { continue }
      if let known = best, !isPreferred(route, known.route) { continue }
      best = (facts, route)
    }
    if let best { return best.facts }
    let why = all.contains(where: \.carriesDefaultRoute) ? "the default route leads into a tunnel" : "there is no default route"
    throw CaptureError(.noInput, "interface", "\(why), so name one with -i", remedy: choices(among: all))
  }

  /// "the interfaces are eth0, wlan0 (down)".
  static func choices(among all: [InterfaceFacts]) -> String {
    var offered = all.filter(\.isOffered)
    if offered.isEmpty { offered = all }
    let names = offered.prefix(16).map { WireText.clean($0.name) + ($0.isUp ? "" : " (down)") }
    if names.isEmpty { return "there is no interface" }
    let more = offered.count > 16 ? " and \(offered.count - 16) more" : ""
    return "the interfaces are \(names.joined(separator: ", "))\(more)"
  }

  /// Why a name cannot be an interface's, in words; nil when it can. The name goes into paths and to libpcap, which reads more into some
  /// names than a name (`file.pcap`, `host:port`).
  public static func problem(withName name: String) -> String? {
    let shown = "'\(WireText.clean(String(decoding: name.utf8.prefix(64), as: UTF8.self)))'"
    if name.isEmpty { return "an interface name is empty" }
    // libpcap's own: nflog:GROUP, nfqueue:QUEUE.
    let isGrouped = ["nflog:", "nfqueue:"].contains { name.hasPrefix($0) && name.utf8.dropFirst($0.utf8.count).allSatisfy { isDigit($0) } }
    if name.utf8.count > (name.hasPrefix("nf") || pseudoNames.contains(name) ? 32 : 15) {
      return "\(shown) is no interface name: it is longer than 15 bytes"
    }
    if name == "." || name == ".." || !name.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f && $0 != 0x2f && ($0 != 0x3a || isGrouped) }) {
      return "\(shown) is no interface name"
    }
    return nil
  }

  private static func isDigit(_ c: UInt8) -> Bool { c >= 0x30 && c <= 0x39 }
  private static let pseudoNames: Set<String> = ["bluetooth-monitor", "dbus-session", "dbus-system"]

  /// What libpcap offers besides the kernel's interfaces.
  static func pseudoInterfaces(besides real: [InterfaceFacts]) -> [InterfaceFacts] {
    var list: UnsafeMutablePointer<pcap_if_t>?
    var reason = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
    guard pcap_findalldevs(&list, &reason) == 0 else { return [] }
    defer { pcap_freealldevs(list) }
    var out: [InterfaceFacts] = []
    let known = Set(real.map(\.name))
    var next = list
    while let device = next, out.count < 256 {
      next = device.pointee.next
      guard let text = device.pointee.name else { continue }
      var facts = InterfaceFacts(name: String(cString: text))
      guard !known.contains(facts.name) else { continue }
      facts.kind = .pseudo
      facts.detail = device.pointee.description.map { words(from: $0) }
      facts.isUp = device.pointee.flags & UInt32(PCAP_IF_UP) != 0
      facts.isRunning = device.pointee.flags & UInt32(PCAP_IF_RUNNING) != 0
      out.append(facts)
    }
    return out
  }

  // MARK: Messages

  /// An RTM_NEWLINK message: `family 1 | pad 1 | hardware type 2 | index 4 | flags 4 | change mask 4`, then attributes.
  struct Link {
    var facts: InterfaceFacts
    var master: Int?

    init?(_ message: UnsafeRawBufferPointer) {
      guard let type = Netlink.u16(message, 2), let index = Netlink.u32(message, 4), let flags = Netlink.u32(message, 8),
        message.count >= 16
      else { return nil }
      var facts = InterfaceFacts(name: "")
      var master: Int?
      facts.index = Int(index)
      facts.isUp = flags & IFF_UP.rawValue != 0
      facts.isRunning = facts.isUp && flags & IFF_RUNNING.rawValue != 0
      Netlink.attributes(message, from: 16) { type, value in
        switch type {
        case IFLA_IFNAME: facts.name = String(decoding: value.prefix { $0 != 0 }, as: UTF8.self)
        case IFLA_ADDRESS where value.count == 6:
          facts.mac = MACAddress(bits: value.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        case IFLA_MTU: facts.mtu = Netlink.u32(value, 0).map(Int.init)
        case IFLA_MASTER: master = Netlink.u32(value, 0).map(Int.init)
        case IFLA_LINKINFO:
          Netlink.attributes(value, from: 0) { type, value in
            if type == IFLA_INFO_KIND { facts.detail = WireText(value.prefix { $0 != 0 }).display }
          }
        default: break
        }
      }
      guard !facts.name.isEmpty else { return nil }
      facts.kind = Link.kind(hardware: Int32(type), flags: flags)
      if facts.mac?.isZero == true { facts.mac = nil }
      self.facts = facts
      self.master = master
    }

    private static func kind(hardware: Int32, flags: UInt32) -> Kind {
      if flags & IFF_LOOPBACK.rawValue != 0 { return .loopback }
      switch hardware {
      case ARPHRD_ETHER: return .ethernet
      case ARPHRD_IEEE80211, ARPHRD_IEEE80211_PRISM, ARPHRD_IEEE80211_RADIOTAP: return .monitor
      default: return flags & IFF_POINTOPOINT.rawValue != 0 || hardware == ARPHRD_NONE ? .pointToPoint : .other
      }
    }
  }

  /// An RTM_NEWADDR message: `family 1 | prefix length 1 | flags 1 | scope 1 | index 4`, then attributes.
  static func parseAddress(_ message: UnsafeRawBufferPointer) -> (index: Int, address: Address)? {
    guard let family = Netlink.u8(message, 0), let length = Netlink.u8(message, 1), let flags = Netlink.u8(message, 2),
      let index = Netlink.u32(message, 4)
    else { return nil }
    var local: IPAddress?
    var peer: IPAddress?
    Netlink.attributes(message, from: 8) { type, value in
      switch type {
      // On a point-to-point link the address attribute is the other end's.
      case IFA_LOCAL: local = address(value, family: family)
      case IFA_ADDRESS: peer = address(value, family: family)
      default: break
      }
    }
    guard let address = local ?? peer else { return nil }
    let isTemporary = Int32(family) == AF_INET6 && UInt32(flags) & UInt32(IFA_F_TEMPORARY) != 0
    return (Int(index), Address(address: address, prefixLength: min(Int(length), address.width), isTemporary: isTemporary))
  }

  /// An RTM_NEWROUTE message: `family 1 | destination length 1 | source length 1 | tos 1 | table 1 | protocol 1 | scope 1 | type 1 |
  /// flags 4`, then attributes. Several next hops are several routes.
  static func parseRoute(_ message: UnsafeRawBufferPointer) -> [(index: Int, route: Route)] {
    guard let family = Netlink.u8(message, 0), let length = Netlink.u8(message, 1), let shortTable = Netlink.u8(message, 4),
      let type = Netlink.u8(message, 7), message.count >= 12, Int(type) == RTN_UNICAST,
      Int32(family) == AF_INET || Int32(family) == AF_INET6
    else { return [] }
    var table = UInt32(shortTable)
    var destination = Int32(family) == AF_INET ? IPAddress(IPv4Address(0)) : IPAddress(high: 0, low: 0)
    var hops: [(index: Int, gateway: IPAddress?)] = []
    var index: Int?
    var gateway: IPAddress?
    var metric = 0
    Netlink.attributes(message, from: 12) { type, value in
      switch UInt32(truncatingIfNeeded: type) {
      case RTA_DST.rawValue: destination = address(value, family: family) ?? destination
      case RTA_OIF.rawValue: index = Netlink.u32(value, 0).map(Int.init)
      case RTA_GATEWAY.rawValue: gateway = address(value, family: family)
      case RTA_VIA.rawValue: gateway = gateway ?? via(value)
      case RTA_PRIORITY.rawValue: metric = Netlink.u32(value, 0).map(Int.init) ?? 0
      case RTA_TABLE.rawValue: table = Netlink.u32(value, 0) ?? table
      case RTA_MULTIPATH.rawValue: hops = nextHops(value, family: family)
      default: break
      }
    }
    guard table == RT_TABLE_MAIN.rawValue else { return [] }
    if let index { hops.insert((index, gateway), at: 0) }
    let prefix = Prefix(destination, Int(length))
    return hops.map { ($0.index, Route(destination: prefix, gateway: $0.gateway, metric: metric)) }
  }

  /// `length 2 | flags 1 | hops 1 | index 4`, then attributes, again and again.
  private static func nextHops(_ value: UnsafeRawBufferPointer, family: UInt8) -> [(index: Int, gateway: IPAddress?)] {
    var out: [(index: Int, gateway: IPAddress?)] = []
    var at = 0
    while let length = Netlink.u16(value, at), let index = Netlink.u32(value, at + 4), length >= 8, Int(length) <= value.count - at,
      out.count < 64
    {
      var gateway: IPAddress?
      let hop = UnsafeRawBufferPointer(rebasing: value[at..<(at + Int(length))])
      Netlink.attributes(hop, from: 8) { type, value in
        if UInt32(truncatingIfNeeded: type) == RTA_GATEWAY.rawValue { gateway = address(value, family: family) }
        if UInt32(truncatingIfNeeded: type) == RTA_VIA.rawValue { gateway = gateway ?? via(value) }
      }
      out.append((Int(index), gateway))
      at += (Int(length) + 3) / 4 * 4
    }
    return out
  }

  /// A gateway of the other family: `family 2 | address`.
  private static func via(_ value: UnsafeRawBufferPointer) -> IPAddress? {
    guard let family = Netlink.u16(value, 0) else { return nil }
    return address(UnsafeRawBufferPointer(rebasing: value.dropFirst(2)), family: UInt8(truncatingIfNeeded: family))
  }

  private static func address(_ value: UnsafeRawBufferPointer, family: UInt8) -> IPAddress? {
    func number(_ bytes: Slice<UnsafeRawBufferPointer>) -> UInt64 { bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
    switch (Int32(family), value.count) {
    case (AF_INET, 4): return IPAddress(IPv4Address(UInt32(truncatingIfNeeded: number(value.prefix(4)))))
    case (AF_INET6, 16): return IPAddress(high: number(value.prefix(8)), low: number(value.dropFirst(8)))
    default: return nil
    }
  }

  // MARK: /sys

  /// What netlink does not carry: speed, duplex, and whether there is a radio behind it.
  private mutating func readSystemFiles() {
    guard InterfaceFacts.problem(withName: name) == nil else { return }
    let folder = "/sys/class/net/\(name)/"
    if kind == .ethernet && (access(folder + "wireless", F_OK) == 0 || access(folder + "phy80211", F_OK) == 0) { kind = .wireless }
    guard kind == .ethernet else { return }
    if let text = InterfaceFacts.firstLine(of: folder + "speed"), let value = Int(text), value > 0, value < 10_000_000 { speed = value }
    switch InterfaceFacts.firstLine(of: folder + "duplex") {
    case "full": isFullDuplex = true
    case "half": isFullDuplex = false
    default: break
    }
  }

  private static func firstLine(of path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let room = bytes.count
    let got = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, room) }
    guard got > 0 else { return nil }
    return String(decoding: bytes.prefix(got).prefix { $0 > 0x20 }, as: UTF8.self)
  }
}
