package import Wire

/// A box of a scenario's home: what it is called, which addresses it has, how it is connected and to whom.
///
///     let router = Box("router", "00:1d:d1:0a:00:01", "192.168.0.1")
///     let adapter = Box("adapter", "f4:06:8d:00:00:0b", link: .powerline)
///     let console = Box("console", "7c:ed:8d:00:00:05", "192.168.0.16", behind: adapter)
///
/// Boxes stand on one switch unless they stand `behind` another box (an access point, an adapter, a second switch): what a vantage
/// point hears follows from that.
package struct Box: Hashable, Sendable {
  /// The kind of its own interface.
  package enum Link: Sendable {
    case ethernet, wifi, powerline, coax
    /// Seconds one way.
    var latency: Double {
      switch self {
      case .ethernet: 0.000_12
      case .wifi: 0.001_8
      case .powerline: 0.002_2
      case .coax: 0.007_5
      }
    }
  }

  package var name: String
  package var mac: MACAddress
  /// `.any`: none yet.
  package var ip: IPv4Address
  package var prefixLength: Int
  package var link: Link
  /// Global and unique-local addresses; the link-local one is made of the MAC.
  package var ipv6: [IPv6Address]
  /// What it says in DHCP option 60.
  package var vendorClass: String?
  /// The hop limit its stack starts with: 128 makes it speak TCP as Windows does.
  package var hopLimit: UInt8
  /// Of an access point.
  package var ssid: String?
  package var bssid: MACAddress
  /// The boxes between it and the switch all stand on, the outermost first; and their addresses.
  var parents: [Box]
  var path: [MACAddress]
  /// Seconds from its interface to that switch.
  var latency: Double

  package init(
    _ name: String, _ mac: String, _ ip: String? = nil, prefixLength: Int = 24, link: Link = .ethernet, behind: Box? = nil,
    ipv6: [String] = [], vendorClass: String? = nil, hopLimit: UInt8 = 64, ssid: String? = nil, bssid: String? = nil
  ) {
    self.name = name
    self.mac = known(mac)
    self.ip = ip.map(known4) ?? .any
    self.prefixLength = prefixLength
    self.link = link
    self.ipv6 = ipv6.map(known6)
    self.vendorClass = vendorClass
    self.hopLimit = hopLimit
    self.ssid = ssid
    self.bssid = bssid.map(known) ?? self.mac
    parents = behind.map { $0.parents + [$0] } ?? []
    path = parents.map(\.mac)
    latency = (behind?.latency ?? 0) + link.latency
  }

  package var linkLocal: IPv6Address { .linkLocal(of: mac) }
  /// The address it uses towards the internet over IPv6.
  package var global: IPv6Address? { ipv6.first { $0.isGlobal } }
  package var isWireless: Bool { link == .wifi && !path.isEmpty }
  package var prefix: Prefix { Prefix(IPAddress(ip), prefixLength) }
  /// The last address of its subnet.
  package var broadcast: IPv4Address { prefix.lastAddress.v4 ?? .broadcast }
  /// A made-up but stable identifier, as UPnP devices have one that ends in their MAC.
  package var uuid: String {
    let hex = String(mac.bits, radix: 16)
    return "4d696e64-0002-1000-8000-" + String(repeating: "0", count: 12 - hex.utf8.count) + hex
  }

  /// The same box with another address: moved, or one of several it has.
  package func at(_ ip: String) -> Box {
    var other = self
    other.ip = known4(ip)
    return other
  }

  /// Another box with this one's IP address and place: an impostor, a replacement, or its next interface.
  package func with(mac: String) -> Box {
    var other = self
    other.mac = known(mac)
    return other
  }
}

/// A server in the internet: documentation addresses only.
package struct Site: Hashable, Sendable {
  package var name: String
  package var ip: IPv4Address
  package var ipv6: IPv6Address?
  /// Routers on the way, and seconds there and back.
  package var distance: UInt8
  package var roundTrip: Double

  package init(_ name: String, _ ip: String, ipv6: String? = nil, distance: UInt8 = 9, roundTrip: Double = 0.022) {
    self.name = name
    self.ip = known4(ip)
    self.ipv6 = ipv6.map(known6)
    self.distance = distance
    self.roundTrip = roundTrip
  }
}
