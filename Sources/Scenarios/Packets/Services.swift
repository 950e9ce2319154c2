import Wire

// SSDP (UPnP Device Architecture 1.1, 1) and WS-Discovery (OASIS 1.1, April 2005 namespace as devices speak it).

extension Datagram {
  private static let ssdpGroup = IPv4Address(0xefff_fffa)
  private static let ssdpGroup6 = IPv6Address(high: 0xff02_0000_0000_0000, low: 0xc)

  private static func lines(_ lines: [String]) -> [UInt8] { Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) }

  private static func usn(_ uuid: String, _ type: String) -> String {
    type.hasPrefix("uuid:") ? "uuid:\(uuid)" : "uuid:\(uuid)::\(type)"
  }

  package static func ssdpNotify(
    _ type: String, uuid: String, location: String, server: String, bye: Bool = false, from port: UInt16 = 1900
  ) -> Datagram {
    var text = ["NOTIFY * HTTP/1.1", "HOST: 239.255.255.250:1900"]
    if !bye { text += ["CACHE-CONTROL: max-age=1800", "LOCATION: \(location)", "SERVER: \(server)"] }
    text += ["NT: \(type)", "NTS: ssdp:\(bye ? "byebye" : "alive")", "USN: \(usn(uuid, type))"]
    return Datagram(port, to: 1900, lines(text), group: ssdpGroup, group6: ssdpGroup6, hopLimit: 4)
  }

  package static func ssdpSearch(_ type: String = "ssdp:all", from port: UInt16) -> Datagram {
    let text = ["M-SEARCH * HTTP/1.1", "HOST: 239.255.255.250:1900", "MAN: \"ssdp:discover\"", "MX: 3", "ST: \(type)"]
    return Datagram(port, to: 1900, lines(text), group: ssdpGroup, group6: ssdpGroup6, hopLimit: 4)
  }

  package static func ssdpAnswer(_ type: String, uuid: String, location: String, server: String, to port: UInt16) -> Datagram {
    let text = [
      "HTTP/1.1 200 OK", "CACHE-CONTROL: max-age=1800", "EXT:", "LOCATION: \(location)", "SERVER: \(server)", "ST: \(type)",
      "USN: \(usn(uuid, type))",
    ]
    return Datagram(1900, to: port, lines(text))
  }

  /// - Parameter types: qualified names such as `wsdp:Device pub:Computer`.
  package static func wsdHello(_ types: String, uuid: String, scopes: String = "", at address: String? = nil, from port: UInt16) -> Datagram
  {
    var body =
      "<wsd:Hello><wsa:EndpointReference><wsa:Address>urn:uuid:\(uuid)</wsa:Address></wsa:EndpointReference><wsd:Types>\(types)</wsd:Types>"
    if !scopes.isEmpty { body += "<wsd:Scopes>\(scopes)</wsd:Scopes>" }
    if let address { body += "<wsd:XAddrs>\(address)</wsd:XAddrs>" }
    body += "<wsd:MetadataVersion>2</wsd:MetadataVersion></wsd:Hello>"
    return wsd("Hello", body, uuid: uuid, from: port)
  }

  package static func wsdProbe(_ types: String, uuid: String, from port: UInt16) -> Datagram {
    wsd("Probe", "<wsd:Probe><wsd:Types>\(types)</wsd:Types></wsd:Probe>", uuid: uuid, from: port)
  }

  private static func wsd(_ action: String, _ body: String, uuid: String, from port: UInt16) -> Datagram {
    let text =
      "<?xml version=\"1.0\" encoding=\"utf-8\"?><soap:Envelope xmlns:soap=\"http://www.w3.org/2003/05/soap-envelope\" "
      + "xmlns:wsa=\"http://schemas.xmlsoap.org/ws/2004/08/addressing\" xmlns:wsd=\"http://schemas.xmlsoap.org/ws/2005/04/discovery\" "
      + "xmlns:wsdp=\"http://schemas.xmlsoap.org/ws/2006/02/devprof\" "
      + "xmlns:wprt=\"http://schemas.microsoft.com/windows/2006/08/wdp/print\" "
      + "xmlns:dn=\"http://www.onvif.org/ver10/network/wsdl\" xmlns:pub=\"http://schemas.microsoft.com/windows/pub/2005/07\">"
      + "<soap:Header><wsa:To>urn:schemas-xmlsoap-org:ws:2005:04:discovery</wsa:To>"
      + "<wsa:Action>http://schemas.xmlsoap.org/ws/2005/04/discovery/\(action)</wsa:Action>"
      + "<wsa:MessageID>urn:uuid:\(uuid)</wsa:MessageID></soap:Header><soap:Body>\(body)</soap:Body></soap:Envelope>"
    return Datagram(port, to: 3702, Array(text.utf8), group: ssdpGroup, group6: ssdpGroup6, hopLimit: 1)
  }
}
