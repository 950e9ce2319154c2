// Web Services Dynamic Discovery: OASIS WS-Discovery 1.1 (and the version of 2005 that Windows and ONVIF speak); UDP port 3702.
//
//      <soap:Envelope …><soap:Header> … </soap:Header><soap:Body>
//        <wsd:Hello>                                  or <wsd:ProbeMatches><wsd:ProbeMatch>, <wsd:ResolveMatches><wsd:ResolveMatch>
//          <wsa:EndpointReference><wsa:Address>urn:uuid:…</wsa:Address></wsa:EndpointReference>
//          <wsd:Types>wsdp:Device pub:Computer</wsd:Types>
//          <wsd:Scopes>onvif://www.onvif.org/name/Garden onvif://www.onvif.org/hardware/IPC-1</wsd:Scopes>
//          <wsd:XAddrs>http://192.168.0.9:5357/…</wsd:XAddrs>
//
// Four elements are found by their names; prefixes are free and are passed over. No XML engine: nothing nests, nothing is expanded.
// Probe, Resolve and Bye prove nothing.

public enum WSDiscovery {
  /// Longer messages are not read to their end.
  static let limit = 8192

  private enum Element {
    static let hello = DNSLabel.pack("Hello")
    static let probeMatch = DNSLabel.pack("ProbeMatch")
    static let resolveMatch = DNSLabel.pack("ResolveMatch")
    static let body = DNSLabel.pack("Body")
    static let address = DNSLabel.pack("Address")
    static let types = DNSLabel.pack("Types")
    static let scopes = DNSLabel.pack("Scopes")
    static let xAddrs = DNSLabel.pack("XAddrs")
  }

  private enum Text {
    static let comment = Array("<!--".utf8)
    static let commentEnd = Array("-->".utf8)
    static let uuid = Array("uuid:".utf8)
    static let name = Array("onvif://www.onvif.org/name/".utf8)
    static let hardware = Array("onvif://www.onvif.org/hardware/".utf8)
    static let computer = Array("Computer".utf8)
    static let printer = Array("PrintDeviceType".utf8)
    static let camera = Array("NetworkVideoTransmitter".utf8)
    static let device = Array("Device".utf8)
  }

  /// What one announced endpoint says, as places in the message.
  private struct Endpoint {
    var address = 0..<0
    var types = 0..<0
    var scopes = 0..<0
    var xAddrs = 0..<0
  }

  static func observe(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    let bytes = reader.rest().part(0, limit)
    var at = 0
    var inBody = false
    var endpoint: Endpoint?
    var ended = false
    // Each turn passes one tag. 1,024 is ten times what a message of this length needs.
    for _ in 0..<1024 {
      while at < bytes.byteCount, bytes.u8(at) != 0x3c { at &+= 1 }
      guard at < bytes.byteCount else { break }
      if bytes.begins(with: Text.comment, at: at) {
        guard let end = bytes.find(Text.commentEnd, from: at &+ 4) else { break }
        at = end &+ 3
        continue
      }
      guard let tag = tag(bytes, at) else { break }
      at = tag.end
      switch tag.name {
      case Element.body:
        inBody = !tag.isEnd
        ended = tag.isEnd
      case Element.hello where inBody, Element.probeMatch where inBody, Element.resolveMatch where inBody:
        if let done = endpoint { note(done, bytes, frame, &out) }
        endpoint = tag.isEnd ? nil : Endpoint()
      case Element.address where !tag.isEnd, Element.types where !tag.isEnd, Element.scopes where !tag.isEnd,
        Element.xAddrs where !tag.isEnd:
        guard endpoint != nil else { continue }
        var end = at
        while end < bytes.byteCount, bytes.u8(end) != 0x3c { end &+= 1 }
        // Text that is cut says nothing.
        guard end < bytes.byteCount else { break }
        if tag.name == Element.address { endpoint?.address = at..<end }
        if tag.name == Element.types { endpoint?.types = at..<end }
        if tag.name == Element.scopes { endpoint?.scopes = at..<end }
        if tag.name == Element.xAddrs { endpoint?.xAddrs = at..<end }
        at = end
      default: break
      }
    }
    if reader.isCut, !ended { out.tally(reader.short()) }
  }

  /// The tag at a `<`: its name without prefix, packed (0 for a long one), and where it ends.
  private static func tag(_ bytes: RawSpan, _ start: Int) -> (name: UInt128, isEnd: Bool, end: Int)? {
    var at = start &+ 1
    let isEnd = bytes.u8(at) == 0x2f
    if isEnd { at &+= 1 }
    var name: UInt128 = 0
    var length = 0
    var inName = true
    while at < bytes.byteCount {
      let c = bytes.u8(at)
      at &+= 1
      switch c {
      case 0x3e: return (length <= 16 ? name : 0, isEnd, at)
      case 0x20, 0x09, 0x0a, 0x0d, 0x2f: inName = false
      case 0x3a where inName:
        name = 0
        length = 0
      default:
        guard inName else { continue }
        name = name << 8 | UInt128(lower(c))
        length &+= 1
      }
    }
    return nil
  }

  private static func note(_ endpoint: Endpoint, _ bytes: RawSpan, _ frame: borrowing FrameSummary, _ out: inout Observations) {
    let address = bytes.part(endpoint.address.lowerBound, endpoint.address.count)
    let types = bytes.part(endpoint.types.lowerBound, endpoint.types.count)
    let scopes = bytes.part(endpoint.scopes.lowerBound, endpoint.scopes.count)
    let xAddrs = bytes.part(endpoint.xAddrs.lowerBound, endpoint.xAddrs.count)

    // A discovery proxy answers for others: the transport addresses are whose the endpoint is.
    let source = frame.sourceAddress
    var subject = frame.speaker
    var isOwn = false
    var other: IPv4Address?
    var location = 0..<0
    eachWord(xAddrs) { range in
      if location.isEmpty { location = range }
      guard let host = xAddrs.part(range.lowerBound, range.count).urlHost, host.isHost else { return }
      if IPAddress(host) == source { isOwn = true } else if other == nil { other = host }
    }
    if !isOwn, source.isIPv4, let other { subject = .address(IPAddress(other)) }

    eachWord(types) { range in
      // The prefix is the sender's own choice.
      var from = range.lowerBound
      for i in range where types.u8(i) == 0x3a { from = i &+ 1 }
      let word = types.part(from, range.upperBound &- from)
      let count = word.byteCount
      guard count > 0 else { return }
      // Every device is a Device.
      if count == Text.device.count, word.begins(with: Text.device) { return }
      out.note(subject, .offers(WireText(word)), "Types")
      if count == Text.printer.count, word.begins(with: Text.printer) { out.note(subject, .playsRole(.printer), "Types") }
      if count == Text.camera.count, word.begins(with: Text.camera) { out.note(subject, .playsRole(.camera), "Types") }
      if count == Text.computer.count, word.begins(with: Text.computer) { out.note(subject, .playsRole(.computer), "Types") }
    }
    eachWord(scopes) { range in
      let word = scopes.part(range.lowerBound, range.count)
      if word.begins(with: Text.name) {
        let name = unescaped(word.part(Text.name.count, word.byteCount))
        if !name.isEmpty { out.note(subject, .isNamed(name, .friendly), "Scopes name") }
      } else if word.begins(with: Text.hardware) {
        let name = unescaped(word.part(Text.hardware.count, word.byteCount))
        if !name.isEmpty { out.note(subject, .has(.model, name), "Scopes hardware", grade: .b) }
      }
    }
    if !location.isEmpty {
      out.note(subject, .has(.location, WireText(xAddrs.part(location.lowerBound, location.count))), "XAddrs")
    }
    if let at = address.find(Text.uuid) {
      out.note(subject, .has(.uuid, WireText(address.part(at &+ Text.uuid.count, 36)).trimmed.lowercasedASCII), "Address")
    }
  }

  /// The words between white space, 32 at most.
  private static func eachWord(_ text: RawSpan, _ body: (Range<Int>) -> Void) {
    var at = 0
    for _ in 0..<32 {
      while at < text.byteCount, text.u8(at) <= 0x20 { at &+= 1 }
      let from = at
      while at < text.byteCount, text.u8(at) > 0x20 { at &+= 1 }
      if from == at { return }
      body(from..<at)
    }
  }

  /// Percent signs of a URI undone (RFC 3986, 2.1), for a name that people gave.
  static func unescaped(_ text: RawSpan) -> WireText {
    var out: [UInt8] = []
    var at = 0
    while at < text.byteCount, out.count < WireText.limit {
      let c = text.u8(at)
      if c == 0x25, let high = hexDigit(text.u8(at &+ 1)), let low = hexDigit(text.u8(at &+ 2)) {
        out.append(high << 4 | low)
        at &+= 3
      } else {
        out.append(c)
        at &+= 1
      }
    }
    return WireText(out)
  }

  public static let dissector = Dissector("ws-discovery", standard: "OASIS WS-Discovery 1.1", keys: [.udp(.wsDiscovery)]) {
    (reader, frame, out) throws(WireFault) in
    try observe(&reader, frame, &out)
  }
}
