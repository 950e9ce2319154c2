// Simple Service Discovery Protocol: UPnP Device Architecture 2.0, 1; UDP port 1900.
//
//      NOTIFY * HTTP/1.1                         HTTP/1.1 200 OK
//      NTS: ssdp:alive                           ST: urn:schemas-upnp-org:device:InternetGatewayDevice:1
//      NT: upnp:rootdevice                       USN, LOCATION, SERVER as beside
//      USN: uuid:…::upnp:rootdevice
//      LOCATION: http://192.168.0.1:49000/igddesc.xml
//      SERVER: OS/version UPnP/1.0 product/version
//
// Announcements and answers prove. M-SEARCH shows what somebody looks for, byebye that something was: both say nothing here.
// LOCATION is text and is never fetched.

public enum SSDP {
  /// Longer messages are not read to their end: real ones have under 600 bytes.
  static let limit = 2048

  private enum Header {
    static let nt = DNSLabel.pack("NT")
    static let nts = DNSLabel.pack("NTS")
    static let st = DNSLabel.pack("ST")
    static let usn = DNSLabel.pack("USN")
    static let server = DNSLabel.pack("SERVER")
    static let location = DNSLabel.pack("LOCATION")
    static let hue = DNSLabel.pack("HUE-BRIDGEID")
  }

  private enum Text {
    static let notify = Array("NOTIFY ".utf8)
    static let ok = Array("HTTP/1.1 200".utf8)
    static let alive = Array("ssdp:alive".utf8)
    static let update = Array("ssdp:update".utf8)
    static let uuid = Array("uuid:".utf8)
    static let rincon = Array("uuid:RINCON_".utf8)
    static let urn = Array("urn:".utf8)
    static let root = Array("upnp:rootdevice".utf8)
    static let gateway = Array(":device:InternetGatewayDevice:".utf8)
    static let wan = Array(":device:WAN".utf8)
    static let wanIP = Array(":service:WANIPConnection:".utf8)
    static let wanPPP = Array(":service:WANPPPConnection:".utf8)
    static let accessPoint = Array(":device:WLANAccessPointDevice:".utf8)
  }

  static func observe(_ reader: inout ByteReader, _ frame: borrowing FrameSummary, _ out: inout Observations) throws(WireFault) {
    var text = HTTPText(reader, limit: limit)
    guard let start = text.line() else { throw reader.short() }
    let isNotify = text.span(start).begins(with: Text.notify)
    let isAnswer = text.span(start).begins(with: Text.ok)
    guard isNotify || isAnswer else { return }

    var type = 0..<0
    var state = 0..<0
    var usn = 0..<0
    var server = 0..<0
    var location = 0..<0
    var hue = 0..<0
    // Of a repeated header the first counts.
    while let (name, value) = text.header() {
      switch name {
      case Header.nt where isNotify && type.isEmpty, Header.st where isAnswer && type.isEmpty: type = value
      case Header.nts where state.isEmpty: state = value
      case Header.usn where usn.isEmpty: usn = value
      case Header.server where server.isEmpty: server = value
      case Header.location where location.isEmpty: location = value
      case Header.hue where hue.isEmpty: hue = value
      default: break
      }
    }
    if !text.isComplete, reader.isCut { out.tally(reader.short()) }
    if isNotify {
      let state = text.span(state)
      guard state.begins(with: Text.alive) || state.begins(with: Text.update) else { return }
    }

    // Some boxes repeat what another one announced; the description's address is whose it is.
    var subject = frame.speaker
    let source = frame.sourceAddress
    if let host = text.span(location).urlHost {
      let address = IPAddress(host)
      if host.isHost, source.isIPv4, address != source { subject = .address(address) }
    } else if location.isEmpty, !text.isComplete {
      subject = .address(source)
    }
    note(text.span(type), text.span(usn), subject, isNotify ? "NT" : "ST", &out)
    if !server.isEmpty { out.note(subject, .has(.software, WireText(text.span(server))), "SERVER") }
    if !location.isEmpty { out.note(subject, .has(.location, WireText(text.span(location))), "LOCATION") }
    if !hue.isEmpty { noteHue(text.span(hue), subject, &out) }
  }

  private static func note(_ type: RawSpan, _ usn: RawSpan, _ subject: Subject, _ field: String, _ out: inout Observations) {
    if type.begins(with: Text.urn) || type.byteCount > 0 && !type.begins(with: Text.uuid) && !type.begins(with: Text.root) {
      out.note(subject, .offers(WireText(type)), field)
    }
    if type.find(Text.gateway) != nil || type.find(Text.wan) != nil {
      out.note(subject, .playsRole(.router), field)
    }
    if type.find(Text.gateway) != nil || type.find(Text.wanIP) != nil || type.find(Text.wanPPP) != nil {
      // Boxes that have been turned into mere access points go on announcing it.
      out.note(subject, .translatesAddresses, field, grade: .c)
    }
    if type.find(Text.accessPoint) != nil { out.note(subject, .playsRole(.accessPoint), field) }

    guard usn.begins(with: Text.uuid) else { return }
    var end = 5
    while end < usn.byteCount, usn.u8(end) != 0x3a { end &+= 1 }
    guard end > 5 else { return }
    out.note(subject, .has(.uuid, WireText(usn.part(5, end &- 5)).lowercasedASCII), "USN")
    // Sonos makes its identifier of its address.
    if usn.begins(with: Text.rincon), let mac = MACAddress(text: usn.part(Text.rincon.count, 12)) {
      if subject != .station(mac) { out.note(subject, .isSameBox(as: mac), "USN", grade: .b) }
    }
  }

  /// `hue-bridgeid`: the bridge's EUI-64, which is its MAC with fffe in the middle.
  private static func noteHue(_ value: RawSpan, _ subject: Subject, _ out: inout Observations) {
    out.note(subject, .offers(WireText("hue-bridgeid")), "hue-bridgeid")
    guard value.byteCount == 16, value.begins(with: Array("fffe".utf8), at: 6) else { return }
    var digits: UInt64 = 0
    for i in 0..<16 where i < 6 || i > 9 {
      guard let digit = hexDigit(value.u8(i)) else { return }
      digits = digits << 4 | UInt64(digit)
    }
    let mac = MACAddress(bits: digits)
    if mac.isStation, subject != .station(mac) { out.note(subject, .isSameBox(as: mac), "hue-bridgeid", grade: .b) }
  }

  public static let dissector = Dissector("ssdp", standard: "UPnP Device Architecture 2.0", keys: [.udp(.ssdp)]) {
    (reader, frame, out) throws(WireFault) in
    try observe(&reader, frame, &out)
  }
}
