// Domain Name System: RFC 1035, over UDP port 53. The message is that of `DNSMessage.swift`.
//
// What people look up is theirs. Read are only responses, of them only the server that gives them, and the names that belong to this
// place: an A, AAAA or PTR record whose address is private and whose name is local. The address is tested first, so of all other
// names not even a label is looked at; questions are skipped.

public enum DNS {
  static func observe(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    guard frame.sourcePort == .dns else { return }
    var message = try DNSMessage(reader)
    guard message.isResponse, message.operation == 0, message.responseCode == 0 || message.responseCode == 3 else { return }
    // A resolver offers recursion (0080). Servers out in the internet, to which a resolver speaks, do not.
    let source = frame.sourceAddress
    if message.flags & 0x0080 != 0 || source.isInternal, source.isHost {
      out.note(.address(source), .playsRole(.dnsServer), "response", grade: .b)
    }
    guard message.answerCount > 0 else { return }
    try message.skipQuestions()
    while let record = try message.next() {
      guard record.section == .answer else { return }
      guard record.isInternet else { continue }
      switch record.type {
      case DNSRecord.a, DNSRecord.aaaa:
        guard let address = message.address(record), address.isInternal, let owner = message.owner(record) else { continue }
        guard let labels = localLabels(owner, message) else { continue }
        out.note(.address(address), .isNamed(message.text(owner, labels), .host), address.isIPv4 ? "A" : "AAAA", grade: .b)
      case DNSRecord.ptr:
        guard let address = message.reverseAddress(at: record.owner), address.isInternal, address.isHost else { continue }
        guard let target = message.target(record), let labels = localLabels(target, message) else { continue }
        out.note(.address(address), .isNamed(message.text(target, labels), .host), "PTR", grade: .b)
      default: continue
      }
    }
  }

  private static let single: [UInt128] = ["local", "lan", "home", "internal", "localdomain"].map(DNSLabel.pack)
  private static let box = DNSLabel.pack("box")
  private static let fritz = DNSLabel.pack("fritz")
  private static let home = DNSLabel.pack("home")

  /// The labels of a local name that name the host; nil for a name of the world.
  static func localLabels(_ name: DNSName, _ message: borrowing DNSMessage) -> Range<Int>? {
    let count = name.count
    guard count > 0, count <= DNSName.kept else { return nil }
    if count == 1 { return 0..<1 }
    let last = message.packed(name, count - 1)
    if single.contains(last) { return 0..<count - 1 }
    let secondLast = message.packed(name, count - 2)
    if last == box, secondLast == fritz {
      // `fritz.box` itself is the router.
      return count == 2 ? 0..<2 : 0..<count - 2
    }
    if last == DNSLabel.arpa, secondLast == home, count > 2 { return 0..<count - 2 }
    return nil
  }

  public static let dissector = Dissector("dns", standard: "RFC 1035", keys: [.udp(.dns)]) {
    (reader, frame, out) throws(WireFault) in
    try observe(&reader, frame, &out)
  }
}
