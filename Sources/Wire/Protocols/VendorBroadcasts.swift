// Broadcasts by which makers' devices and programs show themselves: no standards, so hints (`protocols.md` 16).
//
// Two kinds. Some devices call out by themselves: then a broadcast *to* the port tells of its sender, a unicast packet to it of nobody.
// Others are called by an app, which also broadcasts to the port: then only what comes *from* the port as an answer to one host tells,
// else every phone with the app would be taken for a lamp.

enum VendorBroadcasts {
  enum Direction: Sendable { case callsOut, answers }

  struct Service: Sendable {
    var port: Port
    var offers: String
    var direction: Direction
    /// The first bytes where they are known; there may be two forms.
    var magic: [UInt8] = []
    var alternative: [UInt8] = []
  }

  static let services: [Service] = [
    // Tuya devices every few seconds: 6666 in the clear, 6667 encrypted; header 000055aa, from protocol 3.5 on 00006699.
    Service(port: Port(6666), offers: "tuya", direction: .callsOut, magic: [0, 0, 0x55, 0xaa], alternative: [0, 0, 0x66, 0x99]),
    Service(port: Port(6667), offers: "tuya", direction: .callsOut, magic: [0, 0, 0x55, 0xaa], alternative: [0, 0, 0x66, 0x99]),
    // The Spotify program itself.
    Service(port: Port(57621), offers: "spotify", direction: .callsOut, magic: Array("SpotUdp0".utf8)),
    // A Steam client with streaming on.
    Service(port: Port(27036), offers: "steam", direction: .callsOut, magic: [0xff, 0xff, 0xff, 0xff, 0x21, 0x4c, 0x5f, 0xa0]),
    // Players look for their server; so do programs that play its music.
    Service(port: Port(3483), offers: "squeezebox", direction: .callsOut),
    Service(port: Port(9999), offers: "kasa", direction: .answers),
    Service(port: Port(56700), offers: "lifx", direction: .answers),
    Service(port: Port(38899), offers: "wiz", direction: .answers),
    Service(port: Port(65001), offers: "hdhomerun", direction: .answers),
    Service(port: Port(8611), offers: "bjnp", direction: .answers, magic: Array("BJNP".utf8)),
    Service(port: Port(8612), offers: "bjnp", direction: .answers, magic: Array("BJNP".utf8)),
    Service(port: Port(3289), offers: "epson", direction: .answers, magic: Array("EPSON".utf8)),
  ]

  static let dissector = Dissector("vendor-broadcast", standard: "makers' own", keys: services.map { .udp($0.port) }) {
    (reader, frame, out) throws(WireFault) in
    let isGroup = frame.isGroupDestination
    let from = frame.sourcePort
    let to = frame.destinationPort
    for service in services {
      switch service.direction {
      case .callsOut: guard isGroup, service.port == to else { continue }
      case .answers: guard !isGroup, service.port == from, service.port != to else { continue }
      }
      let payload = reader.rest()
      guard payload.byteCount > 0 else { throw reader.short() }
      let isKnown = payload.begins(with: service.magic) || !service.alternative.isEmpty && payload.begins(with: service.alternative)
      guard isKnown else {
        if payload.byteCount < service.magic.count, reader.isCut { throw reader.short() }
        continue
      }
      out.note(frame.speaker, .offers(WireText(service.offers)), "UDP port", grade: .d)
      return
    }
  }

  private static let hostInt = Array("\"host_int\"".utf8)

  /// LAN sync of Dropbox, UDP 17500: JSON with `host_int`, `version`, `displayname`, `port`, `namespaces` every half minute. None of it
  /// names the host; that it runs the program says that it is a computer.
  static let dropbox = Dissector("dropbox", standard: "Dropbox LAN sync", keys: [.udp(Port(17500))]) {
    (reader, frame, out) throws(WireFault) in
    let isGroup = frame.isGroupDestination
    guard isGroup, frame.destinationPort == Port(17500) else { return }
    let payload = reader.rest().part(0, 512)
    guard payload.byteCount > 0 else { throw reader.short() }
    guard payload.u8(0) == 0x7b else { return }
    guard payload.find(hostInt) != nil else {
      if reader.isCut { throw reader.short() }
      return
    }
    out.note(frame.speaker, .has(.software, WireText("Dropbox")), "host_int", grade: .b)
    out.note(frame.speaker, .offers(WireText("dropbox-lan-sync")), "host_int", grade: .b)
  }
}
