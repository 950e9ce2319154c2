import Fixtures
import Testing
import Wire

@Suite("CDP, FDP, EDP")
struct DiscoveryTests {
  @Test("a switch states name, addresses, port, role, software, platform, domain and native VLAN")
  func cdpSwitch() {
    let said = decode(Corpus.sample("cdp", "switch"))
    #expect(
      said.claims(about: "02:5a:40:00:00:05") == [
        .isNamed(WireText("office-sw"), .system),
        .holds(ip("192.168.0.3"), .statement), .holds(ip("fe80::3"), .statement),
        .has(.portName, WireText("GigabitEthernet0/5")),
        .playsRole(.switch),
        .has(.software, WireText("Example Software, Version 12.2")),
        .has(.model, WireText("example WS-8")),
        .has(.domain, WireText("home")),
        .has(.comment, WireText("native VLAN 1")),
      ])
    #expect(said.observations.fault == nil)
  }

  @Test("a small access point states the BSS it runs; its serial number is not kept")
  func cdpAccessPoint() {
    let said = decode(Corpus.sample("cdp", "access-point"))
    #expect(
      said.claims == [
        .isNamed(WireText("attic-ap"), .system), .playsRole(.switch), .runsBSS(mac("02:5a:40:00:00:12"), ssid: WireText("Attic")),
      ])
  }

  @Test("a telephone is a telephone")
  func cdpPhone() {
    #expect(decode(Corpus.sample("cdp", "phone")).claims.contains(.playsRole(.phone)))
  }

  @Test("counts and lengths of an address list are not believed, and a TLV too short for its header ends the message")
  func cdpAddresses() {
    let said = decode(Corpus.sample("cdp", "bad-addresses"))
    #expect(
      said.claims == [
        .isNamed(WireText("office-sw"), .system), .holds(ip("192.168.0.3"), .statement), .has(.model, WireText("example WS-8")),
      ])
    #expect(said.observations.fault?.isSenderFault == true)
  }

  @Test("a Foundry router says its role in words")
  func fdp() {
    let said = decode(Corpus.sample("fdp", "router"))
    #expect(
      said.claims == [
        .isNamed(WireText("core"), .system), .holds(ip("192.168.0.4"), .statement), .has(.portName, WireText("ethernet3")),
        .playsRole(.router), .has(.software, WireText("Example, Inc. Router, Version 07.1")), .has(.model, WireText("Example FES 2402")),
      ])
  }

  @Test("an Extreme switch names its machine, its port as its maker counts them, and its address in a VLAN")
  func edp() {
    let said = decode(Corpus.sample("edp", "switch"))
    #expect(
      said.claims(about: "02:5a:42:00:00:07") == [
        .isSameBox(as: mac("02:5a:42:00:00:00")), .has(.portName, WireText("1:7")), .has(.software, WireText("7.6.1.4")),
        .isNamed(WireText("stack"), .system), .holds(ip("192.168.0.6"), .statement), .has(.comment, WireText("VLAN 10 lan")),
      ])
    #expect(said.observations.fault == nil)
  }

  @Test("a wrong marker ends an Extreme message, what stood before it stays")
  func edpMarker() {
    var bytes = Corpus.sample("edp", "switch").bytes
    // The second TLV's marker: headers 22, EDP 16, first TLV 36.
    #expect(bytes[74] == 0x99)
    bytes[74] = 0
    let said = decode(bytes)
    #expect(said.claims.count == 3)
    #expect(said.observations.fault?.reason == .malformed)
  }

  /// Where a sample's first TLV has the length that counts its own head.
  static let countedLengths = [
    ("cdp", "switch", 28), ("fdp", "router", 28), ("dtp", "access", 25), ("udld", "probe", 28), ("edp", "switch", 40),
  ]

  @Test("a length that does not even count its own four bytes ends the message there", arguments: countedLengths)
  func tooShortForItself(dissector: String, name: String, at: Int) {
    var bytes = Corpus.sample(dissector, name).bytes
    for length: UInt8 in 0...3 {
      (bytes[at], bytes[at + 1]) = (0, length)
      #expect(decode(bytes).observations.fault == WireFault(.malformed, at: at))
    }
  }

  @Test("a message cut in the middle keeps the TLVs before the cut")
  func cut() {
    let said = decode(Corpus.sample("cdp", "switch"), cutTo: 60)
    #expect(said.claims == [.isNamed(WireText("office-sw"), .system)])
    #expect(said.observations.fault?.reason == .cutByCapture)
  }
}

@Suite("UDLD, DTP, VTP")
struct TrunkTests {
  @Test("UDLD names the neighbour and its port; serial numbers and the echo of others are left alone")
  func udld() {
    let said = decode(Corpus.sample("udld", "probe"))
    #expect(said.claims == [.playsRole(.switch), .has(.portName, WireText("Gi0/1")), .isNamed(WireText("S1"), .system)])
    #expect(said.observations.items.first?.grade == .c)
    #expect(said.observations.fault == nil)
  }

  @Test("a UDLD TLV of length 0 ends the message instead of being read for ever")
  func udldNoLength() {
    let said = decode(Corpus.sample("udld", "no-length"))
    #expect(said.claims == [.playsRole(.switch), .isNamed(WireText("S1"), .system)])
    #expect(said.observations.fault?.reason == .malformed)
  }

  @Test("DTP shows a switch and its domain")
  func dtp() {
    let said = decode(Corpus.sample("dtp", "access"))
    #expect(said.claims == [.playsRole(.switch), .has(.domain, WireText("lab"))])
  }

  @Test("VTP shows a switch and its domain, not the address of whoever changed the list")
  func vtp() {
    let said = decode(Corpus.sample("vtp", "summary"))
    #expect(said.claims == [.playsRole(.switch), .has(.domain, WireText("home"))])
  }

  @Test("a VTP domain longer than its field is refused")
  func vtpLength() {
    var bytes = Corpus.sample("vtp", "summary").bytes
    bytes[25] = 33
    let said = decode(bytes)
    #expect(said.claims.isEmpty)
    #expect(said.observations.fault?.reason == .malformed)
  }
}
