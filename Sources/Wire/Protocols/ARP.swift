// Address Resolution Protocol: RFC 826, 5227 (probes, announcements), 5494 (opcodes).
//
//      0      2      4    5    6      8            14          18           24          28
//      ┌──────┬──────┬────┬────┬──────┬────────────┬───────────┬────────────┬───────────┐
//      │htype │ptype │hlen│plen│opcode│ sender MAC │ sender IP │ target MAC │ target IP │
//      └──────┴──────┴────┴────┴──────┴────────────┴───────────┴────────────┴───────────┘
//
// ARP crosses every bridge and no router: a sender is on this wire, whatever its subnet says.

public enum ARP {
  public static let request: UInt16 = 1
  public static let reply: UInt16 = 2

  /// The body of a message between IPv4 over 48-bit addresses, the only form read.
  public struct Message: Sendable {
    public var opcode: UInt16
    public var senderMAC: MACAddress
    public var senderIP: IPv4Address
    public var targetMAC: MACAddress
    public var targetIP: IPv4Address
  }

  static func parse(_ reader: inout ByteReader) throws(WireFault) -> Message {
    let start = reader.offset
    let hardware = try reader.u16()
    let network = try reader.u16()
    let hardwareLength = try reader.u8()
    let networkLength = try reader.u8()
    // Address lengths first (CVE-2017-13013 took four bytes of something else for an address).
    guard network == 0x0800, hardware == 1 || hardware == 6 || hardware == 15 else { throw WireFault(.unsupported, at: start) }
    guard hardwareLength == 6, networkLength == 4 else { throw WireFault(.malformed, at: start + 4) }
    return Message(
      opcode: try reader.u16(), senderMAC: try reader.mac(), senderIP: try reader.ipv4(), targetMAC: try reader.mac(),
      targetIP: try reader.ipv4())
  }

  static func observe(_ message: Message, _ frame: borrowing FrameSummary, _ out: inout Observations) {
    let source = frame.station.isZero ? message.senderMAC : frame.station
    let sender = IPAddress(message.senderIP)
    let target = IPAddress(message.targetIP)
    guard message.opcode == request || message.opcode == reply else { return }

    if message.senderMAC != source, message.senderMAC.isStation, !message.senderIP.isAny {
      // Somebody rewrote one of the two: a bridge that translates, a proxy, or a forger.
      out.note(source, .speaksFor(message.senderMAC), "sender hardware address", grade: .b, kind: .inferred)
    }
    guard message.senderIP.isHost else {
      // A probe (RFC 5227, 2.1.1): the address is wanted, not held; who sends it has no address.
      if message.senderIP.isAny, message.targetIP.isHost, message.opcode == request {
        out.note(source, .wants(target), "target protocol address", grade: .b)
      }
      return
    }
    let holding: Holding =
      message.senderIP == message.targetIP ? .announcement : message.opcode == reply ? .reply : .request
    out.note(source, .holds(sender, holding), "sender protocol address")
    if message.opcode == request, message.senderIP != message.targetIP, message.targetIP.isHost {
      out.note(source, .seeks(target, from: sender), "target protocol address", grade: .b)
    }
  }

  public static let dissector = Dissector("arp", standard: "RFC 826, 5227, 5494", keys: [.etherType(.arp)]) {
    (reader, frame, out) throws(WireFault) in
    observe(try parse(&reader), frame, &out)
  }
}
