// Virtual Router Redundancy Protocol: RFC 3768 (version 2), 5798 (3); and CARP of the BSDs, which took the same protocol number, group
// and addresses for another body.
//
//      0          1      2          3       4                                   6          8
//      ┌──────────┬──────┬──────────┬───────┬───────────────────────────────────┬──────────┬────────────────────────────┐
//      │ ver,type │ VRID │ priority │ count │ v2 auth 1, interval 1  v3 interval │ checksum │ addresses (v2 + auth 8)    │
//      ├──────────┼──────┼──────────┼───────┼───────────────────────────────────┼──────────┼────────────────────────────┤
//      │ 2, 1     │ VHID │ skew     │ 7     │ CARP: demotion 1, base 1           │ checksum │ counter 8, digest 20       │
//      └──────────┴──────┴──────────┴───────┴───────────────────────────────────┴──────────┴────────────────────────────┘
//
// The virtual address belongs to a role that moves between boxes. The master sends from the virtual MAC, so the frame hides which
// box that is; only its source IP address is its own. Some (keepalived by default) send from their own MAC.

public enum VRRP {
  /// The registry's block of which the addresses of groups are a part.
  public static let block: UInt32 = 0x00_005e
  static let ipv4Prefix: UInt64 = 0x0000_5e00_0100
  static let ipv6Prefix: UInt64 = 0x0000_5e00_0200
  static let carpLength = 36

  static func observe(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    let start = reader.offset
    guard frame.hopLimit == 255, frame.destinationAddress.isMulticast else { throw WireFault(.malformed, at: start) }
    let length = reader.remaining
    let first = try reader.u8()
    let identifier = try reader.u8()
    try reader.skip(1)
    let count = Int(try reader.u8())
    try reader.skip(4)
    guard first == 0x21 || first == 0x31, identifier != 0 else { throw WireFault(.unsupported, at: start) }
    let is4 = frame.sourceAddress.isIPv4
    let isCARP = first == 0x21 && count == 7 && (length == carpLength || !is4)
    // Cut, the two look alike where a VRRP message has seven addresses.
    if reader.isCut, first == 0x21, count == 7 { throw reader.short() }

    let virtual = MACAddress(bits: (is4 ? ipv4Prefix : ipv6Prefix) | UInt64(identifier))
    let source = frame.station
    let real = source.isStation && !source.isVirtualRouter ? source : nil
    if isCARP {
      out.note(virtual, .isVirtualRouter(real: real, address: nil), "VHID")
      return
    }
    // A count that promises more would take the authentication data for addresses.
    guard reader.isCut || count * (is4 ? 4 : 16) <= reader.remaining else { throw reader.short() }
    // The sender's primary address is its own (RFC 5798, 5.1.1.1), whatever MAC it wrote.
    if frame.sourceAddress.isHost {
      if let real {
        out.note(real, .holds(frame.sourceAddress, .statement), "source address", grade: .b)
        out.note(real, .playsRole(.router), "VRID", grade: .b)
      } else {
        out.note(.address(frame.sourceAddress), .playsRole(.router), "VRID", grade: .b)
      }
    }
    var turns = 0
    while turns < min(count, 32) {
      let address = is4 ? IPAddress(try reader.ipv4()) : IPAddress(try reader.ipv6())
      turns += 1
      guard address.isHost, address.isIPv4 == is4 else { continue }
      out.note(virtual, .isVirtualRouter(real: real, address: address), "IP address")
    }
    if count == 0 { out.note(virtual, .isVirtualRouter(real: real, address: nil), "VRID") }
  }

  public static let dissector = Dissector("vrrp", standard: "RFC 3768, 5798; CARP", keys: [.ipProtocol(.vrrp)]) {
    (reader, frame, out) throws(WireFault) in
    try observe(&reader, frame, &out)
  }
}
