// Link-Local Multicast Name Resolution: RFC 4795. The message is that of DNS (`DNSMessage.swift`), with other flags:
//
//      QR 8000   operation 7800   conflict 0400   truncated 0200   tentative 0100   code 000f
//
// Windows asks for single names and answers for its own. Names asked for prove nothing.

public enum LLMNR {
  static func observe(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    var message = try DNSMessage(reader)
    // Tentative: the name is still being verified (4.2). Conflict: several answered (4.1).
    guard message.isResponse, message.operation == 0, message.responseCode == 0, message.flags & 0x0500 == 0 else { return }
    guard frame.sourcePort == .llmnr else { return }
    let source = frame.sourceAddress
    let sender = frame.speaker
    try message.skipQuestions()
    var hosts = DNSHosts()
    var reverse = message
    do throws(WireFault) {
      while let record = try message.next() {
        guard record.section == .answer, record.isInternet, let address = message.address(record) else { continue }
        guard let owner = message.owner(record), owner.count > 0, owner.count <= DNSName.kept else { continue }
        hosts.add(owner, message.digest(owner, 0..<owner.count, seed: 0), address, from: source)
      }
    } catch {
      out.tally(error)
    }
    hosts.settle(isProxy: false, isCut: out.fault?.reason == .cutByCapture)
    var noted = Noted()
    for host in hosts.hosts {
      let field = host.address.isIPv4 ? "A" : "AAAA"
      let subject: Subject = host.isOwn ? sender : .address(host.address)
      if noted.isNew(message.digest(host.name, 0..<host.name.count, seed: host.isOwn ? 1 : host.address.low)) {
        let grade: Grade = host.isOwn && hosts.isProved ? .a : .b
        out.note(subject, .isNamed(message.text(host.name, 0..<host.name.count), .host), field, grade: grade)
      }
      if host.isOwn, let station = sender.station {
        out.note(station, .holds(host.address, .statement), field, grade: host.isSource ? .a : .b)
      }
    }
    // Asked for an address, Windows answers with its name.
    reverse.spend(as: message)
    while let record = try? reverse.next() {
      guard record.section == .answer, record.isInternet, record.type == DNSRecord.ptr else { continue }
      guard let address = reverse.reverseAddress(at: record.owner), address.isHost, let target = reverse.target(record) else { continue }
      guard target.count > 0, target.count <= DNSName.kept else { continue }
      let isOwn = address == source
      out.note(
        isOwn ? sender : .address(address), .isNamed(reverse.text(target, 0..<target.count), .host), "PTR", grade: isOwn ? .a : .b)
    }
  }

  public static let dissector = Dissector("llmnr", standard: "RFC 4795", keys: [.udp(.llmnr)]) {
    (reader, frame, out) throws(WireFault) in
    try observe(&reader, frame, &out)
  }
}
