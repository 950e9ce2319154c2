// Multicast DNS: RFC 6762. DNS-based service discovery: RFC 6763. The message is that of DNS (`DNSMessage.swift`).
//
//      host.local                    A, AAAA   its addresses
//      _services._dns-sd._udp.local  PTR       _ipp._tcp.local: a kind of service that is here
//      _ipp._tcp.local               PTR       Office printer._ipp._tcp.local: an instance of it
//      Office printer._ipp._tcp.local  SRV     port and host
//                                    TXT       strings `key=value` (`DNSServiceText.swift`)
//      .                             OPT       option 4: version, sequence, MAC of the sleeping host, MAC that wakes it
//
// Answers prove, questions do not: a phone that asks for `_googlecast._tcp` is no player. The records in the authority section of a
// probe are names about to be taken. A TTL of 0 takes a record back.

public enum MDNS {
  static func observe(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    var message = try DNSMessage(reader)
    // Responses come from port 5353 and never from beyond this link (RFC 6762, 6 and 11); other operations and codes are ignored (18.3, 18.11).
    let destination = frame.destinationAddress
    guard frame.hopLimit == 255 || isGroup(destination), message.operation == 0, message.responseCode == 0, !frame.has(.pppoe) else {
      return
    }
    if message.isResponse {
      guard frame.sourcePort == .mdns else { return }
      try message.skipQuestions()
      var answer = Answer(frame)
      answer.observe(message, &out)
    } else if message.authorityCount > 0 {
      try observeProbe(&message, frame, &out)
    }
  }

  private static let group4 = IPAddress(IPv4Address(0xe000_00fb))
  private static let group6 = IPAddress(IPv6Address(high: 0xff02_0000_0000_0000, low: 0xfb))

  static func isGroup(_ address: IPAddress) -> Bool { address == group4 || address == group6 }

  /// A probe (RFC 6762, 8.1): asks for any record of a name, and shows the records it is about to have under that name.
  private static func observeProbe(_ message: inout DNSMessage, _ frame: borrowing FrameSummary, _ out: inout Observations)
    throws(WireFault)
  {
    let any: UInt16 = 255
    guard try message.skipQuestions(lookingFor: any) else { return }
    let source = frame.sourceAddress
    let station = frame.station
    var noted = Noted()
    while let record = try message.next() {
      guard record.section == .authority, record.isInternet, let address = message.address(record) else { continue }
      guard let owner = message.owner(record), message.isLocal(owner) else { continue }
      var hosts = DNSHosts()
      hosts.add(owner, 0, address, from: source)
      // A reflector repeats probes too: those are of somebody else.
      guard let host = hosts.hosts.first, !host.isForeign else { continue }
      if noted.isNew(message.digest(owner, 0..<owner.count, seed: 1)) {
        out.note(station, .isNamed(message.hostText(owner), .host), "probe", grade: .b)
      }
      out.note(station, .wants(address), "probe", grade: .b)
    }
  }

  public static let dissector = Dissector("mdns", standard: "RFC 6762, 6763", keys: [.udp(.mdns)]) {
    (reader, frame, out) throws(WireFault) in
    try observe(&reader, frame, &out)
  }
}

extension MDNS {
  /// What one response says, and of whom.
  struct Answer {
    let sender: Subject
    let source: IPAddress
    private var hosts = DNSHosts()
    private var noted = Noted()
    /// The machine that sleeps while the sender answers for it.
    private var sleeper: MACAddress?

    init(_ frame: borrowing FrameSummary) {
      let station = frame.station
      source = frame.sourceAddress
      sender = station.isZero ? .address(source) : .station(station)
    }

    mutating func observe(_ message: borrowing DNSMessage, _ out: inout Observations) {
      // First who is spoken of, which stands behind what is said of him.
      var first = copy message
      do throws(WireFault) {
        while let record = try first.next() { readHost(record, &first, &out) }
      } catch {
        out.tally(error)
      }
      let isCut = out.fault?.reason == .cutByCapture
      hosts.settle(isProxy: sleeper != nil, isCut: isCut)
      noteHosts(first, &out)
      // The rest may have told whose services these are.
      if isCut, hosts.speaker != .itself { return }

      var second = copy message
      second.spend(as: first)
      do throws(WireFault) {
        while let record = try second.next() {
          guard record.ttl > 0, record.isInternet else { continue }
          switch record.type {
          case DNSRecord.ptr: pointer(record, &second, message, &out)
          case DNSRecord.srv: service(record, &second, message, &out)
          case DNSRecord.txt: text(record, &second, message, &out)
          default: break
          }
        }
      } catch {}  // The same fault as the first time.
    }

    private mutating func readHost(_ record: DNSRecord, _ message: inout DNSMessage, _ out: inout Observations) {
      switch record.type {
      case DNSRecord.a, DNSRecord.aaaa:
        guard record.ttl > 0, record.isInternet, let address = message.address(record) else { return }
        guard let owner = message.owner(record), message.isLocal(owner) else { return }
        hosts.add(owner, message.digest(owner, 0..<owner.count, seed: 0), address, from: source)
      case DNSRecord.opt: readOwner(record, message, &out)
      default: return
      }
    }

    /// The owner option (Apple's sleep proxy, EDNS0 option 4). A woken machine sends it of itself.
    private mutating func readOwner(_ record: DNSRecord, _ message: borrowing DNSMessage, _ out: inout Observations) {
      var at = record.data
      for _ in 0..<16 where at &+ 4 <= record.end {
        let code = message.bytes.u16(at)
        let length = Int(message.bytes.u16(at &+ 2))
        at &+= 4
        guard at &+ length <= record.end else { return }
        if code == 4, length >= 8 {
          let host = message.bytes.mac(at &+ 2)
          let wakes = length >= 14 ? message.bytes.mac(at &+ 8) : host
          guard case .station(let station) = sender, host.isStation, wakes.isStation else { return }
          if host == station || wakes == station {
            if host != station { out.note(station, .isSameBox(as: host), "OPT owner", grade: .b) }
          } else if sleeper == nil {
            sleeper = wakes
            out.note(station, .guards(wakes), "OPT owner")
          }
          return
        }
        at &+= length
      }
    }

    private mutating func noteHosts(_ message: borrowing DNSMessage, _ out: inout Observations) {
      for host in hosts.hosts {
        let field = host.address.isIPv4 ? "A" : "AAAA"
        let isNew = noted.isNew(message.digest(host.name, 0..<host.name.count, seed: host.isOwn ? 1 : host.address.low))
        if host.isOwn {
          let grade: Grade = hosts.isProved ? .a : .b
          if isNew { out.note(sender, .isNamed(message.hostText(host.name), .host), field, grade: grade) }
          if sender.station != nil { out.note(sender, .holds(host.address, .statement), field, grade: host.isSource ? .a : .b) }
        } else if let sleeper {
          if isNew { out.note(sleeper, .isNamed(message.hostText(host.name), .host), field, grade: .b) }
          out.note(sleeper, .holds(host.address, .statement), field, grade: .b)
        } else if isNew {
          out.note(.address(host.address), .isNamed(message.hostText(host.name), .host), field, grade: .b)
        }
      }
    }

    /// Whom a service instance belongs to; nil when nothing tells.
    private func owner(of instance: DNSName?, _ message: inout DNSMessage, _ whole: borrowing DNSMessage) -> (
      subject: Subject, grade: Grade
    )? {
      switch hosts.speaker {
      case .itself: return (sender, hosts.isProved ? .a : .b)
      case .unknown: return (sender, .b)
      case .others:
        if let sleeper { return (.station(sleeper), .b) }
        if let address = hosts.only() { return (.address(address), .b) }
      case .itselfAndOthers: break
      }
      // Several hosts in one message: the instance's own SRV record names its host.
      guard let instance else { return nil }
      var scan = copy whole
      scan.spend(as: message)
      defer { message.spend(as: scan) }
      do throws(WireFault) {
        while scan.pay(), let record = try scan.next() {
          guard record.type == DNSRecord.srv, let name = scan.owner(record), scan.areEqual(name, instance) else { continue }
          guard let target = scan.target(record, after: 6), let host = hosts.host(target, in: scan) else { return nil }
          return host.isOwn ? (sender, .b) : (.address(host.address), .b)
        }
      } catch {}
      return nil
    }

    // MARK: Records

    private mutating func pointer(
      _ record: DNSRecord, _ message: inout DNSMessage, _ whole: borrowing DNSMessage, _ out: inout Observations
    ) {
      guard let owner = message.owner(record), owner.count >= 3 else { return }
      if owner.count > DNSName.kept || message.packed(owner, owner.count - 1) == DNSLabel.arpa {
        return reverse(record, &message, &out)
      }
      guard message.packed(owner, owner.count - 1) == DNSLabel.local, let target = message.target(record) else { return }
      if owner.count == 4, message.packed(owner, 1) == DNSLabel.dnsSD {
        // `_services._dns-sd._udp.local`: the target is a type.
        guard let type = serviceType(target, message), type.lowerBound == 0 else { return }
        if let whom = self.owner(of: nil, &message, whole) { offers(target, type, whom, message, "PTR", &out) }
        return
      }
      guard serviceType(owner, message) != nil, let type = serviceType(target, message), type.lowerBound >= 1 else { return }
      guard let whom = self.owner(of: target, &message, whole) else { return }
      offers(target, type, whom, message, "PTR", &out)
      // An instance has one label before its type (RFC 6763, 4.1.1); who wrote its dots as ends of labels offers the service all the same.
      if type.lowerBound == 1 { instance(target, whom, message, "PTR", &out) }
    }

    private mutating func service(
      _ record: DNSRecord, _ message: inout DNSMessage, _ whole: borrowing DNSMessage, _ out: inout Observations
    ) {
      guard let owner = message.owner(record), let type = serviceType(owner, message), type.lowerBound == 1 else { return }
      guard let whom = self.owner(of: owner, &message, whole) else { return }
      offers(owner, type, whom, message, "SRV", &out)
      instance(owner, whom, message, "SRV", &out)
      // Where addresses stand in the message they have named the host already.
      guard hosts.hosts.isEmpty, let target = message.target(record, after: 6), message.isLocal(target) else { return }
      guard noted.isNew(message.digest(target, 0..<target.count, seed: 1)) else { return }
      out.note(whom.subject, .isNamed(message.hostText(target), .host), "SRV target", grade: .b)
    }

    private mutating func text(
      _ record: DNSRecord, _ message: inout DNSMessage, _ whole: borrowing DNSMessage, _ out: inout Observations
    ) {
      guard let owner = message.owner(record), let type = serviceType(owner, message), type.lowerBound == 1 else { return }
      guard let family = DNSServiceText.family(message.packed(owner, 1)), let whom = self.owner(of: owner, &message, whole) else { return }
      DNSServiceText.observe(record, family, message, whom, &out)
    }

    /// `5.0.168.192.in-addr.arpa` PTR `host.local`.
    private mutating func reverse(_ record: DNSRecord, _ message: inout DNSMessage, _ out: inout Observations) {
      guard let address = message.reverseAddress(at: record.owner), address.isHost else { return }
      guard let target = message.target(record), message.isLocal(target) else { return }
      let isOwn = sleeper == nil && (address == source || hosts.hosts.contains { $0.isOwn && $0.address == address })
      // The same name as its A record says, of the same subject.
      guard noted.isNew(message.digest(target, 0..<target.count, seed: isOwn ? 1 : address.low)) else { return }
      let subject = isOwn ? sender : sleeper.map { .station($0) } ?? .address(address)
      out.note(subject, .isNamed(message.hostText(target), .host), "PTR", grade: isOwn ? .a : .b)
    }

    /// Where the two labels of `_name._tcp` stand in a name that ends so, before `.local`; nil when it does not.
    private func serviceType(_ name: DNSName, _ message: borrowing DNSMessage) -> Range<Int>? {
      let count = name.count
      guard count >= 3, count <= DNSName.kept, message.packed(name, count - 1) == DNSLabel.local else { return nil }
      let transport = message.packed(name, count - 2)
      guard transport == DNSLabel.tcp || transport == DNSLabel.udp else { return nil }
      let (at, length) = name.label(count - 3)
      guard length >= 2, message.bytes.u8(at) == 0x5f else { return nil }
      return count - 3..<count - 1
    }

    private mutating func offers(
      _ name: DNSName, _ type: Range<Int>, _ whom: (subject: Subject, grade: Grade), _ message: borrowing DNSMessage, _ field: String,
      _ out: inout Observations
    ) {
      guard noted.isNew(message.digest(name, type, seed: 2 &+ whom.subject.seed)) else { return }
      out.note(whom.subject, .offers(message.text(name, type, lowercased: true)), field, grade: whom.grade)
    }

    /// The instance's name, where it is one that somebody gave.
    private mutating func instance(
      _ name: DNSName, _ whom: (subject: Subject, grade: Grade), _ message: borrowing DNSMessage, _ field: String,
      _ out: inout Observations
    ) {
      guard noted.isNew(message.digest(name, 0..<1, seed: 3 &+ whom.subject.seed)) else { return }
      let (at, length) = name.label(0)
      DNSServiceText.observeInstance(message.bytes.part(at, length), message.packed(name, 1), whom, field, &out)
    }
  }
}

extension Subject {
  /// Tells subjects apart inside one message.
  fileprivate var seed: UInt64 {
    switch self {
    case .station(let mac): mac.bits << 8
    case .address(let address): (address.low ^ address.high) << 8
    }
  }
}
