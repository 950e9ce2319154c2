package import Wire

// DNS (RFC 1035), mDNS and DNS-SD (RFC 6762, 6763), LLMNR (RFC 4795), NetBIOS name and datagram service (RFC 1002, [MS-BRWS]).

/// A domain name: its labels, which may hold dots of their own.
package struct DomainName: Hashable, Sendable, ExpressibleByStringLiteral {
  package var labels: [String]

  /// Dots separate labels.
  package init(_ text: String) { labels = text.split(separator: ".").map { String($0) } }
  package init(stringLiteral text: String) { self.init(text) }
  /// A service instance: one label, whatever it holds, before the type.
  package init(instance: String, of type: DomainName) { labels = [instance] + type.labels }

  /// Without compression.
  var bytes: [UInt8] {
    labels.reduce(into: []) {
      $0.append(UInt8(clamping: min(63, $1.utf8.count)))
      $0 += $1.utf8.prefix(63)
    } + [0]
  }
}

/// A resource record.
package struct DNSRecord: Hashable, Sendable {
  package enum Value: Hashable, Sendable {
    case address(IPAddress)
    case name(DomainName)
    case service(port: UInt16, target: DomainName)
    case bytes([UInt8])
  }
  var name: DomainName
  var type: UInt16
  var lifetime: UInt32
  /// mDNS: the cache-flush bit of records that only their owner has.
  var isUnique: Bool
  var value: Value

  package init(_ name: DomainName, _ type: UInt16, lifetime: UInt32 = 120, unique: Bool = false, _ value: Value) {
    self.name = name
    self.type = type
    self.lifetime = lifetime
    isUnique = unique
    self.value = value
  }

  /// A or AAAA.
  package static func address(_ name: DomainName, _ ip: IPAddress, lifetime: UInt32 = 120) -> DNSRecord {
    DNSRecord(name, ip.isIPv4 ? 1 : 28, lifetime: lifetime, unique: true, .address(ip))
  }
  package static func pointer(_ name: DomainName, _ target: DomainName, lifetime: UInt32 = 4500) -> DNSRecord {
    DNSRecord(name, 12, lifetime: lifetime, .name(target))
  }
  package static func service(_ name: DomainName, _ port: UInt16, _ target: DomainName, lifetime: UInt32 = 120) -> DNSRecord {
    DNSRecord(name, 33, lifetime: lifetime, unique: true, .service(port: port, target: target))
  }
  package static func text(_ name: DomainName, _ strings: [String], lifetime: UInt32 = 4500) -> DNSRecord {
    let bytes = strings.flatMap { [UInt8(clamping: min(255, $0.utf8.count))] + Array($0.utf8.prefix(255)) }
    return DNSRecord(name, 16, lifetime: lifetime, unique: true, .bytes(bytes.isEmpty ? [0] : bytes))
  }
  /// EDNS0 with the owner option of a sleep proxy's client: it answers for a sleeping station.
  package static func owner(_ mac: MACAddress) -> DNSRecord {
    DNSRecord(DomainName(labels: []), 41, lifetime: 0x1194, .bytes([0, 4, 0, 8, 0, 1] + mac.bytes))
  }
}

extension DomainName {
  init(labels: [String]) { self.labels = labels }
}

/// Writes messages with the usual compression: a name that was written before is pointed to.
private struct DNSWriter {
  var w = ByteWriter()
  var places: [ArraySlice<String>: Int] = [:]

  mutating func name(_ name: DomainName) {
    var rest = name.labels[...]
    while let label = rest.first {
      if let place = places[rest] { return w.u16(0xc000 | UInt16(place)) }
      if w.count < 0x3fff { places[rest] = w.count }
      w.u8(UInt8(clamping: min(63, label.utf8.count)))
      w.append(label.utf8.prefix(63))
      rest = rest.dropFirst()
    }
    w.u8(0)
  }

  mutating func record(_ record: DNSRecord, multicast: Bool) {
    name(record.name)
    w.u16(record.type)
    // EDNS0 puts the payload size where the class stands.
    w.u16(record.type == 41 ? 1440 : record.isUnique && multicast ? 0x8001 : 1)
    w.u32(record.lifetime)
    let lengthAt = w.count
    w.u16(0)
    switch record.value {
    case .address(let ip):
      if let v4 = ip.v4 { w.ipv4(v4) } else if let v6 = ip.v6 { w.ipv6(v6) }
    case .name(let target): name(target)
    case .service(let port, let target):
      w.u32(0)
      w.u16(port)
      name(target)
    case .bytes(let bytes): w.append(bytes)
    }
    w.put16(UInt16(clamping: w.count - lengthAt - 2), at: lengthAt)
  }
}

/// What a name is asked for: `DNSQuestion("nas.local", 255)`.
package struct DNSQuestion: Hashable, Sendable {
  var name: DomainName
  var type: UInt16
  var wantsUnicast: Bool
  package init(_ name: DomainName, _ type: UInt16 = 1, unicast: Bool = false) {
    self.name = name
    self.type = type
    wantsUnicast = unicast
  }
}

extension Datagram {
  private static func message(
    _ id: UInt16, _ flags: UInt16, _ questions: [DNSQuestion], _ answers: [DNSRecord], _ authorities: [DNSRecord],
    _ additional: [DNSRecord], multicast: Bool
  ) -> [UInt8] {
    var d = DNSWriter()
    d.w.u16(id)
    d.w.u16(flags)
    for count in [questions.count, answers.count, authorities.count, additional.count] { d.w.u16(UInt16(clamping: count)) }
    for question in questions {
      d.name(question.name)
      d.w.u16(question.type)
      d.w.u16(question.wantsUnicast ? 0x8001 : 1)
    }
    for record in answers + authorities + additional { d.record(record, multicast: multicast) }
    return d.w.bytes
  }

  package static func dnsQuery(_ id: UInt16, _ question: DNSQuestion, from port: UInt16) -> Datagram {
    Datagram(port, to: 53, message(id, 0x0100, [question], [], [], [], multicast: false))
  }

  package static func dnsAnswer(_ id: UInt16, _ question: DNSQuestion, _ answers: [DNSRecord], to port: UInt16) -> Datagram {
    Datagram(53, to: port, message(id, answers.isEmpty ? 0x8183 : 0x8180, [question], answers, [], [], multicast: false))
  }

  private static let mdnsGroup = IPv4Address(0xe000_00fb)
  private static let mdnsGroup6 = IPv6Address(high: 0xff02_0000_0000_0000, low: 0xfb)

  private static func mdns(_ bytes: [UInt8]) -> Datagram {
    Datagram(5353, to: 5353, bytes, group: mdnsGroup, group6: mdnsGroup6, hopLimit: 255)
  }

  /// `knows`: answers that need not be given again, or the records a probe is about to claim are `claims`.
  package static func mdns(
    questions: [DNSQuestion], knows: [DNSRecord] = [], claims: [DNSRecord] = [], additional: [DNSRecord] = []
  ) -> Datagram {
    // Known answers carry no cache-flush bit (RFC 6762, 10.2), claims neither.
    mdns(message(0, 0, questions, knows, claims, additional, multicast: false))
  }

  package static func mdns(answers: [DNSRecord], additional: [DNSRecord] = []) -> Datagram {
    mdns(message(0, 0x8400, [], answers, [], additional, multicast: true))
  }

  private static let llmnrGroup = IPv4Address(0xe000_00fc)
  private static let llmnrGroup6 = IPv6Address(high: 0xff02_0000_0000_0000, low: 0x1_0003)

  package static func llmnr(_ id: UInt16, question: DNSQuestion, from port: UInt16) -> Datagram {
    let bytes = message(id, 0, [question], [], [], [], multicast: false)
    return Datagram(port, to: 5355, bytes, group: llmnrGroup, group6: llmnrGroup6, hopLimit: 1)
  }

  package static func llmnr(_ id: UInt16, answers: [DNSRecord], to question: DNSQuestion, port: UInt16) -> Datagram {
    Datagram(5355, to: port, message(id, 0x8000, [question], answers, [], [], multicast: false))
  }

  // NetBIOS

  /// The half-ASCII form of a name with its suffix (RFC 1001, 14.1).
  static func netBIOSName(_ name: String, _ suffix: UInt8) -> [UInt8] {
    // The wildcard is filled with zeros, names with blanks.
    let isWildcard = name == "*"
    let text = Array(name.uppercased().utf8.prefix(15))
    let raw: [UInt8] = text + Array(repeating: isWildcard ? 0 : 0x20, count: 15 - text.count) + [suffix]
    var encoded: [UInt8] = [32]
    for byte in raw {
      encoded.append(0x41 + (byte >> 4))
      encoded.append(0x41 + (byte & 15))
    }
    return encoded + [0]
  }

  /// Registration of a name by broadcast to port 137 of the subnet.
  package static func netBIOSRegistration(_ id: UInt16, _ name: String, _ suffix: UInt8, group: Bool = false, _ ip: IPv4Address) -> Datagram
  {
    var w = ByteWriter()
    w.u16(id)
    w.u16(0x2910)
    for count: UInt16 in [1, 0, 0, 1] { w.u16(count) }
    w.append(netBIOSName(name, suffix))
    w.u16(0x20)
    w.u16(1)
    w.u16(0xc00c)
    w.u16(0x20)
    w.u16(1)
    w.u32(300_000)
    w.u16(6)
    w.u16(group ? 0x8000 : 0)
    w.ipv4(ip)
    return Datagram(137, to: 137, w.bytes, hopLimit: 128)
  }

  package static func netBIOSQuery(_ id: UInt16, _ name: String, _ suffix: UInt8 = 0) -> Datagram {
    var w = ByteWriter()
    w.u16(id)
    w.u16(0x0110)
    for count: UInt16 in [1, 0, 0, 0] { w.u16(count) }
    w.append(netBIOSName(name, suffix))
    w.u16(name == "*" ? 0x21 : 0x20)
    w.u16(1)
    return Datagram(137, to: 137, w.bytes, hopLimit: 128)
  }

  /// Node status: names with suffix and whether of a group, then the unit identifier.
  package static func netBIOSStatus(_ id: UInt16, _ names: [(String, UInt8, Bool)], unit: MACAddress) -> Datagram {
    var w = ByteWriter()
    w.u16(id)
    w.u16(0x8400)
    for count: UInt16 in [0, 1, 0, 0] { w.u16(count) }
    w.append(netBIOSName("*", 0))
    w.u16(0x21)
    w.u16(1)
    w.u32(0)
    w.u16(UInt16(clamping: 1 + 18 * names.count + 46))
    w.u8(UInt8(clamping: names.count))
    for (name, suffix, isGroup) in names {
      let text = Array(name.uppercased().utf8.prefix(15))
      w.append(text + Array(repeating: 0x20, count: 15 - text.count))
      w.u8(suffix)
      w.u16(isGroup ? 0x8400 : 0x0400)
    }
    w.mac(unit)
    w.zeros(40)
    return Datagram(137, to: 137, w.bytes, hopLimit: 128)
  }

  /// The browser's host announcement ([MS-BRWS] 2.2.1), in an SMB mailslot write to port 138 of the subnet.
  package static func hostAnnouncement(
    _ id: UInt16, _ name: String, workgroup: String, from ip: IPv4Address, kind: UInt32 = 0x0001_1003, comment: String = ""
  ) -> Datagram {
    var browse = ByteWriter()
    browse.append([1, 0])
    browse.u32LE(720_000)
    let text = Array(name.uppercased().utf8.prefix(15))
    browse.append(text + Array(repeating: 0, count: 16 - text.count))
    browse.append([6, 1])
    browse.u32LE(kind)
    browse.append([15, 1, 0x55, 0xaa])
    browse.append(Array(comment.utf8.prefix(42)) + [0])

    var smb = ByteWriter()
    smb.append([0xff, 0x53, 0x4d, 0x42, 0x25])
    smb.zeros(27)
    smb.u8(17)
    smb.u16LE(0)
    smb.u16LE(UInt16(clamping: browse.count))
    smb.zeros(4 + 2 + 2 + 4 + 2)  // limits of the answer, flags, timeout, reserved
    smb.u16LE(0)
    smb.u16LE(0)
    smb.u16LE(UInt16(clamping: browse.count))
    smb.u16LE(86)
    smb.append([3, 0])
    smb.u16LE(1)  // write mail slot
    smb.u16LE(1)
    smb.u16LE(2)
    smb.u16LE(UInt16(clamping: 17 + browse.count))
    smb.text("\\MAILSLOT\\BROWSE")
    smb.u8(0)
    smb.append(browse.bytes)

    var w = ByteWriter()
    w.append([0x11, 0x02])
    w.u16(id)
    w.ipv4(ip)
    w.u16(138)
    let names = netBIOSName(name, 0) + netBIOSName(workgroup, 0x1d)
    w.u16(UInt16(clamping: names.count + smb.count))
    w.u16(0)
    w.append(names)
    w.append(smb.bytes)
    return Datagram(138, to: 138, w.bytes, hopLimit: 128)
  }
}
