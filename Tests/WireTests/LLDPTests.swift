import Fixtures
import Testing
import Wire

@Suite("LLDP")
struct LLDPTests {
  private let box = "02:5a:10:00:00:05"

  @Test("a switch states its box, its port, its name, what it is, where to manage it, its VLANs and what the link runs at")
  func managedSwitch() {
    let said = decode(Corpus.sample("lldp", "switch"))
    #expect(
      said.claims(about: box) == [
        .isSameBox(as: mac("02:5a:10:00:00:00")),
        .has(.portName, WireText("gi5")),
        .isLinkPartner,
        .has(.portName, WireText("Cupboard, port 5")),
        .isNamed(WireText("cupboard-switch"), .system),
        .has(.software, WireText("Example GS-8T, firmware 2.1.4")),
        .playsRole(.switch),
        .holds(ip("192.168.0.2"), .statement),
        .has(.comment, WireText("port VLAN 10")),
        .has(.comment, WireText("VLAN 20 guests")),
        .carries(.ethernet, rate: Rate(megabits: 1000)),
      ])
    #expect(said.observations.fault == nil)
    #expect(said.observations.items.allSatisfy { $0.basis == "lldp" && $0.grade == ($0.claim == .isLinkPartner ? .b : .a) })
    #expect(said.observations.items.first?.field == "chassis id")
  }

  @Test("a capability that the box has but has not switched on is no role")
  func notEnabled() {
    #expect(!decode(Corpus.sample("lldp", "switch")).claims.contains(.playsRole(.router)))
  }

  @Test("a telephone states its inventory, of which serial number and asset id are not kept")
  func telephone() {
    let said = decode(Corpus.sample("lldp", "phone"))
    #expect(
      said.claims(about: "02:5a:20:00:00:31") == [
        .holds(ip("192.168.0.31"), .statement),
        .isLinkPartner,
        .isNamed(WireText("hall-phone"), .system),
        .playsRole(.switch), .playsRole(.phone),
        .has(.hardware, WireText("A2")),
        .has(.software, WireText("5.3.0")),
        .has(.manufacturer, WireText("Example")),
        .has(.model, WireText("Talk 200")),
      ])
  }

  @Test("a cable modem with everything in one box says so")
  func modem() {
    let said = decode(Corpus.sample("lldp", "modem"))
    #expect(
      said.claims == [
        .has(.portName, WireText("lan1")), .isLinkPartner, .playsRole(.switch), .playsRole(.accessPoint), .playsRole(.router),
        .playsRole(.modem),
        .holds(ip("2001:db8::1"), .statement),
      ])
  }

  @Test("a radio without bridge or router is called an access point by agents on laptops only, so hardly believed")
  func radioOnly() {
    let said = frame([tlv(7, [0, 0x88, 0, 0x08])])
    #expect(said.observations.items.last?.grade == .c)
    #expect(said.claims == [.isLinkPartner, .playsRole(.accessPoint)])
  }

  @Test("a leaving switch says nothing after its time to live of 0")
  func leaving() {
    var bytes = Corpus.sample("lldp", "leaving").bytes
    #expect(decode(bytes).claims == [.isSameBox(as: mac("02:5a:10:00:00:00")), .has(.portName, WireText("gi5"))])
    bytes.replaceSubrange(33..<41, with: [0x0a, 6] + "ghosts".utf8)
    #expect(decode(bytes).claims.count == 2)
  }

  @Test("bad TLVs between good ones cost themselves only")
  func badRecords() {
    let said = decode(Corpus.sample("lldp", "bad-records"))
    #expect(said.claims == [.has(.portName, WireText("gi5")), .isLinkPartner, .isNamed(WireText("cupboard-switch"), .system)])
    #expect(said.observations.fault?.reason == .malformed)
  }

  @Test("a length of nine bits is read as one")
  func nineBits() {
    let said = decode(Corpus.sample("lldp", "long-description"))
    #expect(said.claims.contains(.isNamed(WireText("cupboard-switch"), .system)))
    #expect(said.claims.contains(.has(.software, WireText(String(repeating: "x", count: 255)))))
    #expect(said.observations.fault == nil)
  }

  @Test("a TLV longer than the frame ends the reading, and what stood before it stays")
  func tooLong() {
    let said = frame([tlv(5, "attic"), [0xff, 0xff, 0, 0x12, 0x0f, 1]])
    #expect(said.claims == [.isLinkPartner, .isNamed(WireText("attic"), .system)])
    #expect(said.observations.fault?.reason == .shorterThanItSays)
  }

  @Test("a message that does not begin with its three mandatory TLVs in order is not read on")
  func outOfOrder() {
    let said = decode(ethernet([tlv(1, [4, 2, 0x5a, 0x10, 0, 0, 0]), tlv(5, "attic"), tlv(3, [0, 120])]))
    #expect(said.claims == [.isSameBox(as: mac("02:5a:10:00:00:00"))])
    #expect(said.observations.fault?.reason == .malformed)
  }

  @Test("ten thousand TLVs are read up to the limit")
  func flood() {
    let said = frame(Array(repeating: tlv(127, [0, 0x80, 0xc2, 1, 0, 9]), count: 10_000))
    #expect(said.observations.items.count <= Observations.limit)
  }

  @Test("management addresses that no host can have are not held", arguments: [[0, 0, 0, 0], [127, 0, 0, 1], [224, 0, 0, 1]])
  func noHost(_ address: [UInt8]) {
    #expect(frame([tlv(8, [5, 1] + address + [2, 0, 0, 0, 1, 0])]).claims == [.isLinkPartner])
  }

  @Test("a port id of arbitrary bytes is no name")
  func binaryPort() {
    #expect(decode(ethernet([tlv(1, [7, 1]), tlv(2, [7, 1, 2, 3]), tlv(3, [0, 120])])).claims == [.isLinkPartner])
  }

  @Test(
    "the operational MAU type gives the rate, where it is Ethernet of a known speed",
    arguments: [(0, nil), (10, 10), (16, 100), (30, 1000), (54, 10_000), (42, nil), (43, nil), (50, nil), (65535, nil)] as [(UInt16, Int?)])
  func rates(_ type: UInt16, _ megabits: Int?) {
    let said = frame([tlv(127, [0, 0x12, 0x0f, 1, 3, 0, 0, UInt8(type >> 8), UInt8(type & 255)])])
    #expect(said.claims == [.isLinkPartner] + (megabits.map { [.carries(.ethernet, rate: Rate(megabits: $0))] } ?? []))
  }

  @Test("sent to a group that bridges forward, it is not said to be at the end of our cable")
  func forwarded() {
    var bytes = Corpus.sample("lldp", "modem").bytes
    bytes.replaceSubrange(0..<6, with: mac("ff:ff:ff:ff:ff:ff").bytes)
    #expect(!decode(bytes).claims.contains(.isLinkPartner))
    #expect(decode(bytes).claims.contains(.playsRole(.modem)))
  }

  // A message with the mandatory TLVs in front, none of which states anything.
  private func frame(_ tlvs: [[UInt8]]) -> Decoded { decode(ethernet([tlv(1, [7, 1]), tlv(2, [6, 1]), tlv(3, [0, 120])] + tlvs)) }

  private func ethernet(_ tlvs: [[UInt8]]) -> [UInt8] {
    var out = ByteWriter()
    out.mac(mac("01:80:c2:00:00:0e"))
    out.mac(mac(box))
    out.u16(0x88cc)
    for tlv in tlvs { out.append(tlv) }
    return out.bytes
  }

  private func tlv(_ type: Int, _ text: String) -> [UInt8] { tlv(type, Array(text.utf8)) }
  private func tlv(_ type: Int, _ value: [UInt8]) -> [UInt8] {
    let header = type << 9 | value.count
    return [UInt8(header >> 8), UInt8(header & 255)] + value
  }
}
