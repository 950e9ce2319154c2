package import Wire

// DHCPv4 (RFC 2131, 2132, 3046, 3442, 3925) and the basics of DHCPv6 (RFC 8415).

/// An option of DHCPv4.
package struct DHCPOption: Hashable, Sendable {
  var code: UInt8
  var bytes: [UInt8]

  package init(_ code: UInt8, _ bytes: [UInt8]) {
    self.code = code
    self.bytes = bytes
  }

  private static func addresses(_ code: UInt8, _ list: [IPv4Address]) -> DHCPOption {
    var w = ByteWriter()
    for address in list { w.ipv4(address) }
    return DHCPOption(code, w.bytes)
  }
  private static func seconds(_ code: UInt8, _ value: UInt32) -> DHCPOption {
    var w = ByteWriter()
    w.u32(value)
    return DHCPOption(code, w.bytes)
  }

  package static func mask(_ length: Int) -> DHCPOption {
    addresses(1, [IPv4Address(length <= 0 ? 0 : UInt32.max << UInt32(32 - min(32, length)))])
  }
  package static func routers(_ list: [IPv4Address]) -> DHCPOption { addresses(3, list) }
  package static func nameServers(_ list: [IPv4Address]) -> DHCPOption { addresses(6, list) }
  package static func hostName(_ name: String) -> DHCPOption { DHCPOption(12, Array(name.utf8)) }
  package static func domain(_ name: String) -> DHCPOption { DHCPOption(15, Array(name.utf8)) }
  package static func broadcastAddress(_ address: IPv4Address) -> DHCPOption { addresses(28, [address]) }
  package static func vendorSpecific(_ subOptions: KeyValuePairs<UInt8, [UInt8]>) -> DHCPOption { nested(43, subOptions) }
  package static func requested(_ address: IPv4Address) -> DHCPOption { addresses(50, [address]) }
  package static func leaseTime(_ value: UInt32) -> DHCPOption { seconds(51, value) }
  package static func server(_ address: IPv4Address) -> DHCPOption { addresses(54, [address]) }
  package static func parameters(_ codes: [UInt8]) -> DHCPOption { DHCPOption(55, codes) }
  package static func message(_ text: String) -> DHCPOption { DHCPOption(56, Array(text.utf8)) }
  package static func vendorClass(_ text: String) -> DHCPOption { DHCPOption(60, Array(text.utf8)) }
  package static func clientID(_ mac: MACAddress) -> DHCPOption { DHCPOption(61, [1] + mac.bytes) }
  package static func userClass(_ text: String) -> DHCPOption { DHCPOption(77, Array(text.utf8)) }
  package static func fqdn(_ name: String) -> DHCPOption { DHCPOption(81, [0, 0, 0] + Array(name.utf8)) }
  /// Option 82: circuit and remote identifiers.
  package static func relayInformation(circuit: [UInt8], remote: [UInt8]) -> DHCPOption { nested(82, [1: circuit, 2: remote]) }
  package static func vendorInformation(_ enterprise: UInt32, _ subOptions: KeyValuePairs<UInt8, [UInt8]>) -> DHCPOption {
    var w = ByteWriter()
    let data = nested(0, subOptions).bytes
    w.u32(enterprise)
    w.u8(UInt8(clamping: data.count))
    w.append(data)
    return DHCPOption(125, w.bytes)
  }
  /// Option 121: destinations with their routers.
  package static func routes(_ list: [(Prefix, IPv4Address)]) -> DHCPOption {
    var w = ByteWriter()
    for (prefix, router) in list {
      w.u8(UInt8(clamping: prefix.length))
      let bits = prefix.address.v4?.bits ?? 0
      for i in 0..<(prefix.length + 7) / 8 { w.u8(UInt8(truncatingIfNeeded: bits >> UInt32(24 - 8 * i))) }
      w.ipv4(router)
    }
    return DHCPOption(121, w.bytes)
  }

  private static func nested(_ code: UInt8, _ subOptions: KeyValuePairs<UInt8, [UInt8]>) -> DHCPOption {
    DHCPOption(code, subOptions.flatMap { [$0.0, UInt8(clamping: $0.1.count)] + $0.1 })
  }
}

extension Datagram {
  package enum DHCPKind: UInt8, Sendable {
    case discover = 1, offer, request, decline, ack, nak, release, inform
    var isReply: Bool { self == .offer || self == .ack || self == .nak }
  }

  /// One message. Ports follow from the kind; a relayed request goes from server port to server port.
  package static func dhcp(
    _ kind: DHCPKind, _ transaction: UInt32, client: MACAddress, has current: IPv4Address = .any, gets given: IPv4Address = .any,
    relay: IPv4Address = .any, hops: UInt8 = 0, broadcast: Bool = false, seconds: UInt16 = 0, relayed: Bool = false,
    _ options: [DHCPOption]
  ) -> Datagram {
    var w = ByteWriter()
    w.u8(kind.isReply ? 2 : 1)
    w.u8(1)
    w.u8(6)
    w.u8(hops)
    w.u32(transaction)
    w.u16(seconds)
    w.u16(broadcast ? 0x8000 : 0)
    w.ipv4(current)
    w.ipv4(given)
    w.u32(0)
    w.ipv4(relay)
    w.mac(client)
    w.zeros(10 + 64 + 128)
    w.u32(0x6382_5363)
    for option in [DHCPOption(53, [kind.rawValue])] + options {
      // Longer ones continue under the same code (RFC 3396).
      var rest = option.bytes[...]
      repeat {
        let part = rest.prefix(255)
        w.u8(option.code)
        w.u8(UInt8(clamping: part.count))
        w.append(part)
        rest = rest.dropFirst(255)
      } while !rest.isEmpty
    }
    w.u8(255)
    // BOOTP's size, which many still send (RFC 1542, 2.1).
    w.pad(to: 300)
    let ports: (UInt16, UInt16) = relayed ? (67, 67) : kind.isReply ? (67, 68) : (68, 67)
    return Datagram(ports.0, to: ports.1, w.bytes, group: .broadcast)
  }

  // DHCPv6

  package enum DHCPv6Kind: UInt8, Sendable {
    case solicit = 1, advertise, request, confirm, renew, rebind, reply, release, decline, reconfigure, informationRequest
    var isReply: Bool { self == .advertise || self == .reply }
  }

  package struct DHCPv6Option: Hashable, Sendable {
    var code: UInt16
    var bytes: [UInt8]

    package init(_ code: UInt16, _ bytes: [UInt8]) {
      self.code = code
      self.bytes = bytes
    }

    private static func duid(_ mac: MACAddress) -> [UInt8] { [0, 3, 0, 1] + mac.bytes }
    package static func client(_ mac: MACAddress) -> DHCPv6Option { DHCPv6Option(1, duid(mac)) }
    package static func server(_ mac: MACAddress) -> DHCPv6Option { DHCPv6Option(2, duid(mac)) }
    private static func association(_ code: UInt16, _ id: UInt32, _ inner: DHCPv6Option?) -> DHCPv6Option {
      var w = ByteWriter()
      w.u32(id)
      w.u32(1800)
      w.u32(2880)
      if let inner { w.append(inner.encoded) }
      return DHCPv6Option(code, w.bytes)
    }
    package static func address(_ address: IPv6Address?, id: UInt32 = 1) -> DHCPv6Option {
      var w = ByteWriter()
      if let address { w.ipv6(address) }
      w.u32(3600)
      w.u32(7200)
      return association(3, id, address == nil ? nil : DHCPv6Option(5, w.bytes))
    }
    /// A prefix to hand on: only routers ask for one.
    package static func delegation(_ prefix: IPv6Address?, _ length: UInt8 = 56, id: UInt32 = 1) -> DHCPv6Option {
      var w = ByteWriter()
      w.u32(3600)
      w.u32(7200)
      w.u8(length)
      w.ipv6(prefix ?? .any)
      return association(25, id, prefix == nil ? nil : DHCPv6Option(26, w.bytes))
    }
    package static func requests(_ codes: [UInt16]) -> DHCPv6Option {
      var w = ByteWriter()
      for code in codes { w.u16(code) }
      return DHCPv6Option(6, w.bytes)
    }
    package static func resolvers(_ servers: [IPv6Address]) -> DHCPv6Option {
      var w = ByteWriter()
      for server in servers { w.ipv6(server) }
      return DHCPv6Option(23, w.bytes)
    }
    package static func fqdn(_ name: String) -> DHCPv6Option { DHCPv6Option(39, [0] + DomainName(name).bytes.dropLast()) }
    package static func vendorClass(_ enterprise: UInt32, _ text: String) -> DHCPv6Option {
      var w = ByteWriter()
      w.u32(enterprise)
      w.u16(UInt16(clamping: text.utf8.count))
      w.text(text)
      return DHCPv6Option(16, w.bytes)
    }

    var encoded: [UInt8] {
      var w = ByteWriter()
      w.u16(code)
      w.u16(UInt16(clamping: bytes.count))
      w.append(bytes)
      return w.bytes
    }
  }

  /// Clients to ff02::1:2.
  package static func dhcpv6(_ kind: DHCPv6Kind, _ transaction: UInt32, _ options: [DHCPv6Option]) -> Datagram {
    var w = ByteWriter()
    w.u32(UInt32(kind.rawValue) << 24 | transaction & 0xff_ffff)
    for option in options { w.append(option.encoded) }
    let all = IPv6Address(high: 0xff02_0000_0000_0000, low: 0x1_0002)
    return kind.isReply ? Datagram(547, to: 546, w.bytes) : Datagram(546, to: 547, w.bytes, group6: all, hopLimit: 1)
  }
}
