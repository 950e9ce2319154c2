package import Wire

// IPv4 (RFC 791), IPv6 and its extension headers (RFC 8200), ARP (RFC 826, 5227).

/// What an IP packet carries. Its check sum is filled in when the addresses are known.
package struct Segment: Hashable, Sendable {
  package var ipProtocol: IPProtocol
  package var bytes: [UInt8]
  /// So many bytes of noise follow.
  var noise = 0
  /// Where in `bytes` the check sum stands; nil: none.
  var checksumAt: Int?
  /// Whether the sum covers the addresses too.
  var coversAddresses = false
  /// nil: 64, as most stacks.
  var hopLimit: UInt8?
  /// What the protocol puts into the IP header.
  var options: [UInt8] = []
  var extensions: [Extension] = []

  /// An IPv6 extension header, without the next-header byte, length included where the header has one.
  package struct Extension: Hashable, Sendable {
    var type: IPProtocol
    var body: [UInt8]
    package static let routerAlert = Extension(type: .hopByHop, body: [0, 5, 2, 0, 0, 1, 0])
    package static let emptyDestination = Extension(type: .destinationOptions, body: [0, 1, 4, 0, 0, 0, 0])
    package static func fragment(offset: Int, more: Bool, id: UInt32) -> Extension {
      var w = ByteWriter()
      w.u8(0)
      w.u16(UInt16(truncatingIfNeeded: offset) & 0xfff8 | (more ? 1 : 0))
      w.u32(id)
      return Extension(type: .fragment, body: w.bytes)
    }
  }

  package init(_ ipProtocol: IPProtocol, _ bytes: [UInt8]) {
    self.ipProtocol = ipProtocol
    self.bytes = bytes
  }

  var count: Int { bytes.count + noise }

  func finished(from source: IPAddress, to destination: IPAddress) -> [UInt8] {
    var w = ByteWriter()
    w.append(bytes)
    if let checksumAt {
      var sum = Checksum.sum(bytes)
      if noise > 0 { sum += Noise.sum(noise, at: bytes.count) }
      if coversAddresses {
        sum += Checksum.sum(source) + Checksum.sum(destination) + UInt32(ipProtocol.rawValue)
        sum += UInt32(count >> 16) + UInt32(count & 0xffff)
      }
      let value = Checksum.finish(sum)
      // Zero would mean "none" (RFC 768).
      w.put16(value == 0 && ipProtocol == .udp ? 0xffff : value, at: checksumAt)
    }
    if noise > 0 { w.append(Noise.bytes[..<noise]) }
    return w.bytes
  }
}

extension Packet {
  /// - Parameter fragment: offset in bytes and whether more follow; nil: whole, and not to be fragmented.
  package static func ipv4(
    from source: IPv4Address, to destination: IPv4Address, _ segment: Segment, hopLimit: UInt8? = nil, id: UInt16 = 0,
    fragment: (offset: Int, more: Bool)? = nil, service: UInt8 = 0
  ) -> Packet {
    let payload = segment.finished(from: IPAddress(source), to: IPAddress(destination))
    return ipv4(
      from: source, to: destination, segment.ipProtocol, payload, hopLimit: hopLimit ?? segment.hopLimit ?? 64, id: id,
      flags: fragment.map { UInt16($0.offset / 8) | ($0.more ? 0x2000 : 0) } ?? 0x4000, service: service, options: segment.options)
  }

  private static func ipv4(
    from source: IPv4Address, to destination: IPv4Address, _ ipProtocol: IPProtocol, _ payload: [UInt8], hopLimit: UInt8, id: UInt16,
    flags: UInt16, service: UInt8, options: [UInt8]
  ) -> Packet {
    var w = ByteWriter()
    w.u8(0x45 + UInt8(options.count / 4))
    w.u8(service)
    w.u16(UInt16(clamping: 20 + options.count + payload.count))
    w.u16(id)
    w.u16(flags)
    w.u8(hopLimit)
    w.u8(ipProtocol.rawValue)
    w.u16(0)
    w.ipv4(source)
    w.ipv4(destination)
    w.append(options)
    w.put16(Checksum.finish(Checksum.sum(w.bytes)), at: 10)
    w.append(payload)
    let to: MACAddress = destination.isMulticast ? .group(destination) : .broadcast
    return Packet(.ipv4, w.bytes, to: to)
  }

  /// The same segment in pieces of at most `mtu` bytes (RFC 791, 3.2).
  package static func ipv4Fragments(
    from source: IPv4Address, to destination: IPv4Address, _ segment: Segment, mtu: Int = 1500, id: UInt16
  ) -> [Packet] {
    let payload = segment.finished(from: IPAddress(source), to: IPAddress(destination))
    let step = max(8, (mtu - 20) / 8 * 8)
    return stride(from: 0, to: payload.count, by: step).map { at in
      let end = min(payload.count, at + step)
      return ipv4(
        from: source, to: destination, segment.ipProtocol, Array(payload[at..<end]), hopLimit: segment.hopLimit ?? 64, id: id,
        flags: UInt16(at / 8) | (end < payload.count ? 0x2000 : 0), service: 0, options: [])
    }
  }

  package static func ipv6(
    from source: IPv6Address, to destination: IPv6Address, _ segment: Segment, hopLimit: UInt8? = nil, flow: UInt32 = 0,
    extensions: [Segment.Extension]? = nil
  ) -> Packet {
    let payload = segment.finished(from: IPAddress(source), to: IPAddress(destination))
    let headers = extensions ?? segment.extensions
    var w = ByteWriter()
    w.u32(0x6000_0000 | flow & 0xf_ffff)
    w.u16(UInt16(clamping: payload.count + headers.reduce(0) { $0 + $1.body.count + 1 }))
    w.u8(headers.first?.type.rawValue ?? segment.ipProtocol.rawValue)
    w.u8(hopLimit ?? segment.hopLimit ?? 64)
    w.ipv6(source)
    w.ipv6(destination)
    for (i, header) in headers.enumerated() {
      w.u8(i + 1 < headers.count ? headers[i + 1].type.rawValue : segment.ipProtocol.rawValue)
      w.append(header.body)
    }
    w.append(payload)
    return Packet(.ipv6, w.bytes, to: destination.isMulticast ? .group(destination) : .broadcast)
  }

  /// Of the family of its addresses.
  package static func ip(
    from source: IPAddress, to destination: IPAddress, _ segment: Segment, hopLimit: UInt8? = nil, id: UInt16 = 0
  ) -> Packet {
    if let from = source.v4, let to = destination.v4 { return ipv4(from: from, to: to, segment, hopLimit: hopLimit, id: id) }
    guard let from = source.v6, let to = destination.v6 else { fatalError("\(source) and \(destination) are of two families") }
    return ipv6(from: from, to: to, segment, hopLimit: hopLimit)
  }

  // ARP

  package static func arp(
    _ opcode: UInt16, from sender: MACAddress, _ senderIP: IPv4Address, to target: MACAddress, _ targetIP: IPv4Address
  ) -> Packet {
    var w = ByteWriter()
    w.u16(1)
    w.u16(0x0800)
    w.u8(6)
    w.u8(4)
    w.u16(opcode)
    w.mac(sender)
    w.ipv4(senderIP)
    w.mac(target)
    w.ipv4(targetIP)
    return Packet(.arp, w.bytes, to: opcode == 1 ? .broadcast : target)
  }

  package static func arpRequest(_ wanted: IPv4Address, from sender: MACAddress, _ senderIP: IPv4Address) -> Packet {
    arp(1, from: sender, senderIP, to: .zero, wanted)
  }

  package static func arpReply(from sender: MACAddress, _ senderIP: IPv4Address, to asker: MACAddress, _ askerIP: IPv4Address) -> Packet {
    arp(2, from: sender, senderIP, to: asker, askerIP)
  }

  /// Holds the address now (RFC 5227, 2.3).
  package static func arpAnnouncement(_ ip: IPv4Address, from sender: MACAddress) -> Packet { arpRequest(ip, from: sender, ip) }

  /// Is about to take it (RFC 5227, 2.1.1).
  package static func arpProbe(_ ip: IPv4Address, from sender: MACAddress) -> Packet { arpRequest(ip, from: sender, .any) }
}
