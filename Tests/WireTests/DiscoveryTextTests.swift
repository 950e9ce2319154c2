import Fixtures
import Testing
import Wire

@Suite("SSDP")
struct SSDPTests {
  @Test("a gateway is a router that translates")
  func gateway() {
    let said = decode(Corpus.sample("ssdp", "gateway"))
    #expect(
      said.claims(about: "02:00:00:00:00:01") == [
        .offers(WireText("urn:schemas-upnp-org:device:InternetGatewayDevice:1")), .playsRole(.router), .translatesAddresses,
        .has(.uuid, WireText("0a1b2c3d-0000-1000-8000-020000000001")), .has(.software, WireText("Acme OS/3 UPnP/1.0 AcmeBox/7")),
        .has(.location, WireText("http://192.168.0.1:49000/igddesc.xml")),
      ])
  }

  @Test("an answer counts as an announcement does")
  func answer() {
    let said = decode(Corpus.sample("ssdp", "answer"))
    #expect(said.claims(about: "02:00:00:00:00:02").contains(.playsRole(.accessPoint)))
  }

  @Test("a search, and a goodbye, say nothing", arguments: ["search", "byebye"])
  func nothing(_ name: String) { #expect(decode(Corpus.sample("ssdp", name)).claims.isEmpty) }

  @Test("a lamp bridge's identifier is its address, and a line without a colon hides nothing")
  func bridge() {
    let said = decode(Corpus.sample("ssdp", "bridge"))
    let claims = said.claims(about: "02:00:00:00:00:60")
    #expect(said.offers == ["hue-bridgeid"])
    #expect(claims.contains(.isSameBox(as: mac("02:00:00:00:00:61"))))
    #expect(claims.contains(.has(.software, WireText("Hue/1.0 UPnP/1.0 IpBridge/1.60.0"))))
    #expect(said.observations.fault == nil)
  }

  @Test("an announcement of another's description is of that other")
  func foreign() {
    var bytes = Corpus.sample("ssdp", "gateway").bytes
    bytes[29] = 7
    let said = decode(bytes)
    #expect(said.claims(about: "02:00:00:00:00:01").isEmpty)
    #expect(said.claims(about: ip("192.168.0.1")).contains(.playsRole(.router)))
  }

  @Test("a cut value is not shown, and without the state nothing is")
  func cut() {
    let sample = Corpus.sample("ssdp", "gateway")
    let said = decode(sample, cutTo: sample.bytes.count - 20)
    #expect(!said.claims.contains { if case .has(.uuid, _) = $0 { true } else { false } })
    #expect(said.claims.contains(.playsRole(.router)))
    #expect(said.observations.fault?.reason == .cutByCapture)
    #expect(decode(sample, cutTo: 250).claims.isEmpty)
  }

  @Test("a thousand headers cost sixty-four, and two kilobytes are enough")
  func flood() {
    var bytes = Corpus.sample("ssdp", "gateway").bytes
    let end = Array("NTS: ssdp:alive\r\n".utf8)
    for _ in 0..<1_000 { bytes += end }
    // Length fields of zero: to the end of the frame.
    bytes[16] = 0
    bytes[17] = 0
    bytes[38] = 0
    bytes[39] = 0
    #expect(decode(bytes).claims.count <= 8)
  }
}

@Suite("WS-Discovery")
struct WSDiscoveryTests {
  @Test("a camera says what it is and what it is called; comments say nothing")
  func camera() {
    let said = decode(Corpus.sample("ws-discovery", "camera"))
    #expect(
      said.claims(about: "02:00:00:00:00:70") == [
        .offers(WireText("NetworkVideoTransmitter")), .playsRole(.camera), .isNamed(WireText("Garden gate"), .friendly),
        .has(.model, WireText("IPC-9")), .has(.location, WireText("http://192.168.0.70/onvif/device_service")),
        .has(.uuid, WireText("0a1b2c3d-0000-1000-8000-020000000070")),
      ])
  }

  @Test("a printer answers a probe")
  func printer() {
    let said = decode(Corpus.sample("ws-discovery", "printer"))
    #expect(said.offers == ["PrintDeviceType", "ScanDeviceType"])
    #expect(said.claims(about: "02:00:00:00:00:20").contains(.playsRole(.printer)))
  }

  @Test("who probes is no printer")
  func probe() { #expect(decode(Corpus.sample("ws-discovery", "probe")).claims.isEmpty) }

  @Test("an endpoint of another address is of that address")
  func foreign() {
    var bytes = Corpus.sample("ws-discovery", "camera").bytes
    bytes[29] = 9
    let said = decode(bytes)
    #expect(said.claims(about: "02:00:00:00:00:70").isEmpty)
    #expect(said.claims(about: ip("192.168.0.70")).contains(.playsRole(.camera)))
  }

  @Test("a message of opening brackets ends")
  func brackets() {
    var bytes = Corpus.sample("ws-discovery", "camera").bytes.prefix(42)
    bytes += Array(repeating: 0x3c, count: 60_000)
    bytes[16] = 0
    bytes[17] = 0
    bytes[38] = 0
    bytes[39] = 0
    #expect(decode(Array(bytes)).claims.isEmpty)
  }
}

@Suite("Makers' own discovery")
struct VendorDiscoveryTests {
  @Test("a PlayStation's answer names it, and not what is played on it")
  func playStation() {
    let said = decode(Corpus.sample("playstation", "answer"))
    #expect(
      said.claims(about: "02:00:00:00:00:80") == [
        .playsRole(.console), .has(.model, WireText("PS5")), .isNamed(WireText("PS5-080"), .host), .has(.software, WireText("07610011")),
      ])
    #expect(decode(Corpus.sample("playstation", "search")).claims.isEmpty)
  }

  @Test("an Xbox answers with its name and UUID")
  func smartGlass() {
    let said = decode(Corpus.sample("smartglass", "answer"))
    #expect(
      said.claims(about: "02:00:00:00:00:81") == [
        .playsRole(.console), .isNamed(WireText("Play room"), .friendly), .has(.uuid, WireText("0a1b2c3d-0000-1000-8000-020000000081")),
      ])
  }

  @Test("load balancing that shares the Xbox adapter's EtherType is no console")
  func xboxWireless() {
    var bytes = Corpus.sample("xbox-wireless", "beacon").bytes
    #expect(decode(bytes).claims == [.playsRole(.console)])
    bytes[14] = 1
    #expect(decode(bytes).claims.isEmpty)
  }

  @Test("Dropbox runs on computers, and its number is no name")
  func dropbox() {
    let said = decode(Corpus.sample("dropbox", "broadcast"))
    #expect(said.claims == [.has(.software, WireText("Dropbox")), .offers(WireText("dropbox-lan-sync"))])
  }

  @Test("devices that call out tell by calling, others only by answering")
  func directions() {
    #expect(decode(Corpus.sample("vendor-broadcast", "tuya")).offers == ["tuya"])
    #expect(decode(Corpus.sample("vendor-broadcast", "kasa")).offers == ["kasa"])
    #expect(decode(Corpus.sample("vendor-broadcast", "kasa-search")).claims.isEmpty)
    var unicast = Corpus.sample("vendor-broadcast", "tuya").bytes
    unicast.replaceSubrange(0..<6, with: [2, 0, 0, 0, 0, 0x30])
    #expect(decode(unicast).claims.isEmpty)
  }
}
