import Fixtures
import Testing
import Wire

@Suite("Spanning tree")
struct STPTests {
  private let root = mac("02:5a:50:00:00:00")
  private let bridge = mac("02:5a:51:00:00:00")

  @Test("a root bridge names itself")
  func rootBridge() {
    let said = decode(Corpus.sample("stp", "config"))
    #expect(said.claims == [.isLinkPartner, .playsRole(.switch), .bridgePort(bridge: root, port: 0x8001, root: root, cost: 0)])
    #expect(said.observations.items.dropFirst().allSatisfy { $0.grade == .a })
  }

  @Test("a bridge below the root shows a second one, the cost of the way, and an address of its own that is not the port's")
  func rapid() {
    let said = decode(Corpus.sample("stp", "rapid"))
    #expect(
      said.claims(about: "02:5a:51:00:00:04") == [
        .isLinkPartner, .playsRole(.switch), .bridgePort(bridge: bridge, port: 0x8004, root: root, cost: 20000), .isSameBox(as: bridge),
        .has(.comment, WireText("signals a topology change")),
      ])
    #expect(said.observations.items[3].grade == .b)
  }

  @Test("a topology change notification shows a bridge and no more")
  func notification() {
    let said = decode(Corpus.sample("stp", "notification"))
    #expect(said.claims == [.isLinkPartner, .playsRole(.switch), .has(.comment, WireText("signals a topology change"))])
  }

  @Test("inside a region the sender is the bridge of the region's part, and the way is both costs")
  func multiple() {
    let said = decode(Corpus.sample("stp", "multiple"))
    #expect(
      said.claims == [
        .isLinkPartner, .playsRole(.switch), .bridgePort(bridge: bridge, port: 0x8005, root: root, cost: 20000), .isSameBox(as: bridge),
      ])
  }

  @Test("a region's part of an impossible length makes a rapid BPDU of the message")
  func unsound() {
    let said = decode(Corpus.sample("stp", "multiple-unsound"))
    #expect(said.claims == [.isLinkPartner, .playsRole(.switch), .bridgePort(bridge: root, port: 0x8005, root: root, cost: 0)])
    #expect(said.observations.fault == nil)
  }

  @Test("of a region's message that the capture cut no bridge is named, because it might be the wrong one")
  func cutRegion() {
    let said = decode(Corpus.sample("stp", "multiple"), cutTo: 80)
    #expect(said.claims.isEmpty)
    #expect(said.observations.fault?.reason == .cutByCapture)
  }

  @Test("PVST+ names the VLAN of its tree")
  func perVLAN() {
    let said = decode(Corpus.sample("stp", "pvst"))
    #expect(said.claims.contains(.bridgePort(bridge: bridge, port: 0x8004, root: root, cost: 4)))
    #expect(said.claims.contains(.has(.comment, WireText("VLAN 5"))))
    #expect(!said.claims.contains(.isLinkPartner))
  }

  @Test("a bridge whose address is a group's is none")
  func groupBridge() {
    var bytes = Corpus.sample("stp", "config").bytes
    bytes[36] = 0x03
    let said = decode(bytes)
    #expect(said.claims == [.isLinkPartner, .playsRole(.switch)])
    #expect(said.observations.fault?.reason == .malformed)
  }

  @Test("GARP behind the same LLC header is no spanning tree")
  func garp() {
    let said = decode(Corpus.sample("stp", "garp"))
    #expect(said.observations.isEmpty)
    #expect(said.observations.fault == nil)
  }
}

@Suite("VLAN registration")
struct GVRPTests {
  @Test("a VLAN that is joined exists, one that is left is not spoken of")
  func gvrp() {
    let said = decode(Corpus.sample("gvrp", "gvrp"))
    #expect(said.claims == [.has(.comment, WireText("VLAN 10")), .has(.comment, WireText("VLAN 20"))])
    #expect(said.observations.fault == nil)
  }

  @Test("the packed events of MVRP are told apart")
  func mvrp() {
    let said = decode(Corpus.sample("gvrp", "mvrp"))
    #expect(said.claims == [.has(.comment, WireText("VLAN 1")), .has(.comment, WireText("VLAN 3"))])
  }

  @Test("a vector of all VLANs, of more than it holds, or beyond the last VLAN states a few at most", arguments: [4094, 8191])
  func vectors(_ count: Int) {
    var bytes = Array(Corpus.sample("gvrp", "mvrp").bytes.prefix(17))
    bytes += [UInt8(count >> 8), UInt8(count & 255), 0x0f, 0x00]
    bytes += Array(repeating: 0, count: 1400)
    let said = decode(bytes)
    #expect(said.observations.items.count <= 32)
  }

  @Test("an attribute shorter than its own header ends the message")
  func short() {
    var bytes = Corpus.sample("gvrp", "gvrp").bytes
    bytes[26] = 1
    #expect(decode(bytes).claims == [.has(.comment, WireText("VLAN 10"))])
    #expect(decode(bytes).observations.fault?.reason == .malformed)
  }
}

@Suite("LACP")
struct LACPTests {
  @Test("an aggregating switch names its system and the partner it hears")
  func partner() {
    let said = decode(Corpus.sample("lacp", "partner"))
    #expect(
      said.claims(about: "02:5a:53:00:00:05") == [
        .isLinkPartner, .has(.comment, WireText("aggregates links (LACP)")), .isSameBox(as: mac("02:5a:53:00:00:00")),
        .neighbours(mac("02:5a:54:00:00:01"), over: nil, direct: nil, rate: nil),
      ])
  }

  @Test("one that hears nobody has no neighbour")
  func alone() {
    #expect(decode(Corpus.sample("lacp", "alone")).claims.count == 3)
  }

  @Test("of other slow protocols it is only known that they stay on their cable")
  func others() {
    let said = decode(Corpus.sample("lacp", "synchronisation"))
    #expect(said.claims == [.isLinkPartner])
    #expect(said.observations.fault == nil)
  }
}

@Suite("EAPOL")
struct EAPOLTests {
  @Test("who starts wants to be let in, who asks for the identity lets in")
  func sides() {
    #expect(decode(Corpus.sample("eapol", "start")).claims == [.has(.comment, WireText("asks for port access (802.1X)"))])
    #expect(decode(Corpus.sample("eapol", "identity")).claims == [.has(.comment, WireText("grants port access (802.1X)"))])
  }

  @Test("a key frame that asks for an answer comes from an access point, and goes to its station")
  func first() {
    let said = decode(Corpus.sample("eapol", "key-first"))
    #expect(said.claims(about: "02:5a:62:00:00:01") == [.playsRole(.accessPoint)])
    #expect(said.claims(about: "02:5a:60:00:00:07") == [.isStation(of: mac("02:5a:62:00:00:01"), signal: nil)])
    #expect(said.observations.items.allSatisfy { $0.grade == .b && $0.kind == .inferred })
  }

  @Test("the answer comes from the station")
  func second() {
    let said = decode(Corpus.sample("eapol", "key-second"))
    #expect(said.claims == [.isStation(of: mac("02:5a:62:00:00:01"), signal: nil)])
    #expect(said.claims(about: "02:5a:60:00:00:07").count == 1)
  }

  @Test("the wired key descriptor proves no radio")
  func wired() {
    var bytes = Corpus.sample("eapol", "key-first").bytes
    bytes[18] = 1
    #expect(decode(bytes).observations.isEmpty)
  }
}

@Suite("Loop detection")
struct LoopDetectionTests {
  @Test("a Realtek switch under its factory address shows that one exists, not which")
  func realtek() {
    let said = decode(Corpus.sample("realtek", "loop-detection"))
    #expect(said.claims(about: "52:54:4c:83:05:b0") == [.loopDetects(WireText("Realtek")), .isFictitious])
    #expect(said.observations.items.allSatisfy { $0.grade == .b })
  }

  @Test("a hello reply is a switch's and names the one it heard, with the port")
  func helloReply() {
    let said = decode(Corpus.sample("realtek", "hello-reply"))
    #expect(
      said.claims(about: "02:5a:70:00:00:01") == [
        .playsRole(.switch), .neighbours(mac("02:5a:70:00:00:02"), over: .ethernet, direct: nil, rate: nil),
      ])
    #expect(said.observations.items.last?.text == WireText("port 8"))
  }

  @Test("a switch that heard the asker itself says nothing of the asker")
  func helloOfAsker() {
    var bytes = Corpus.sample("realtek", "hello-reply").bytes
    bytes.replaceSubrange(20..<26, with: mac("02:5a:70:00:00:99").bytes)
    #expect(decode(bytes).claims == [.playsRole(.switch)])
  }

  @Test("a question proves nothing, an echo's reply a switch")
  func questions() {
    #expect(decode(Corpus.sample("realtek", "hello")).observations.isEmpty)
    #expect(decode(Corpus.sample("realtek", "echo-reply")).claims == [.playsRole(.switch)])
  }

  @Test("tags between a Realtek chip and its processor are no loop detection", arguments: [0x04, 0x90, 0xa9] as [UInt8])
  func tags(_ first: UInt8) {
    var bytes = Corpus.sample("realtek", "loop-detection").bytes
    bytes[14] = first
    #expect(decode(bytes).observations.isEmpty)
  }

  @Test(
    "each maker is known by its address or type",
    arguments: [("hp", "HP"), ("h3c", "H3C"), ("huawei", "Huawei"), ("arista", "Arista"), ("mikrotik", "MikroTik")])
  func makers(_ sample: String, _ maker: String) {
    #expect(decode(Corpus.sample("loop-detect", sample)).claims == [.loopDetects(WireText(maker))])
  }

  @Test("what merely shares a group or type is nobody's loop detection", arguments: ["hp-discovery", "other-oui"])
  func others(_ sample: String) {
    let said = decode(Corpus.sample("loop-detect", sample))
    #expect(said.observations.isEmpty)
    #expect(said.observations.fault == nil)
  }

  @Test("a port that tests itself says so; a test of others, or one that skips beyond its end, says nothing")
  func keepalive() {
    var bytes = Corpus.sample("loop-detect", "keepalive").bytes
    #expect(decode(bytes).claims == [.isLinkPartner, .has(.comment, WireText("keepalive to itself"))])
    bytes[14] = 0xff
    bytes[15] = 0xff
    #expect(decode(bytes).observations.isEmpty)
    bytes = Corpus.sample("loop-detect", "keepalive").bytes
    bytes[5] = 0x07
    #expect(decode(bytes).observations.isEmpty)
  }
}
