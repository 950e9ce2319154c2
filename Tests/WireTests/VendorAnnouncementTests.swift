import Fixtures
import Testing
import Wire

@Suite("MNDP")
struct MNDPTests {
  private let statements: [Observation.Claim] = [
    .isNamed(WireText("shed"), .system), .has(.software, WireText("7.12 (stable)")), .has(.manufacturer, WireText("MikroTik")),
    .has(.model, WireText("RB760iGS")), .holds(ip("fe80::9"), .statement), .has(.portName, WireText("bridge/ether2")),
    .holds(ip("192.168.0.9"), .statement),
  ]

  @Test("a router states its names, versions and addresses, and another interface of its own")
  func announcement() {
    let said = decode(Corpus.sample("mndp", "announcement"))
    #expect(said.claims(about: "02:5a:80:00:00:01") == [.isSameBox(as: mac("02:5a:80:00:00:02"))] + statements)
    #expect(said.claims.count == 8)
    #expect(said.observations.fault == nil)
  }

  @Test("a request proves nothing")
  func request() {
    #expect(decode(Corpus.sample("mndp", "request")).observations.isEmpty)
  }

  @Test("behind a repeater that puts its own address on frames the statements are about the router")
  func repeated() {
    let said = decode(Corpus.sample("mndp", "repeated"))
    #expect(said.claims(about: "02:77:aa:00:00:01") == [.speaksFor(mac("02:5a:80:00:00:02"))])
    #expect(said.claims(about: "02:5a:80:00:00:02") == statements)
  }

  @Test("what a router carried here is about nobody of this wire")
  func routed() {
    #expect(decode(Corpus.sample("mndp", "routed")).observations.isEmpty)
  }

  @Test("a bad record between good ones costs itself only")
  func badRecord() {
    var bytes = Corpus.sample("mndp", "announcement").bytes
    // The MAC's type becomes IPv4, whose four bytes it holds, then the identity's becomes IPv6.
    #expect(bytes[56...59] == [0, 5, 0, 4])
    bytes[57] = 15
    let said = decode(bytes)
    #expect(said.claims.count == 7)
    #expect(said.claims.last == .holds(ip("192.168.0.9"), .statement))
    #expect(said.observations.fault?.reason == .shorterThanItSays)
  }
}

@Suite("Ubiquiti discovery")
struct UbiquitiTests {
  @Test("a gateway states which of its addresses is on which of its interfaces")
  func gateway() {
    let said = decode(Corpus.sample("ubiquiti", "gateway"))
    #expect(said.claims(about: "02:5a:81:00:00:02") == [.holds(ip("198.51.100.7"), .statement)])
    #expect(
      said.claims(about: "02:5a:81:00:00:01") == [
        .isSameBox(as: mac("02:5a:81:00:00:02")), .holds(ip("192.168.0.1"), .statement), .isSameBox(as: mac("02:5a:81:00:00:02")),
        .isNamed(WireText("gate"), .system), .has(.model, WireText("UGW0")), .has(.software, WireText("Example.v4.3.33")),
        .has(.model, WireText("UGW0")),
      ])
    #expect(said.observations.fault == nil)
  }

  @Test("a radio that is an access point says so; which of its interfaces is the radio it does not say")
  func radio() {
    let said = decode(Corpus.sample("ubiquiti", "radio"))
    #expect(
      said.claims == [
        .isNamed(WireText("roof"), .system), .has(.comment, WireText("ESSID Garden")), .playsRole(.accessPoint),
        .has(.model, WireText("Example M5")),
      ])
  }

  @Test("requests and strangers on the port prove nothing", arguments: ["request", "stranger"])
  func others(_ sample: String) {
    #expect(decode(Corpus.sample("ubiquiti", sample)).observations.isEmpty)
  }
}

@Suite("NSDP")
struct NSDPTests {
  @Test("a switch that answers states model, name, place, address, firmware and how many ports it has")
  func reply() {
    let said = decode(Corpus.sample("nsdp", "reply"))
    #expect(
      said.claims(about: "02:5a:83:00:00:01") == [
        .playsRole(.switch), .has(.model, WireText("GS108E")), .isNamed(WireText("desk switch"), .system),
        .has(.comment, WireText("under the desk")), .holds(ip("192.168.0.30"), .statement), .has(.software, WireText("V2.06.24")),
        .has(.comment, WireText("port 1 has a link at 1000 Mb/s")), .has(.comment, WireText("8 ports")),
      ])
    #expect(said.observations.fault == nil)
  }

  @Test("it tells which ports have a link and which count broken frames, not who is on them")
  func ports() {
    let said = decode(Corpus.sample("nsdp", "ports"))
    #expect(
      said.claims == [
        .playsRole(.switch), .has(.comment, WireText("port 1 has a link at 1000 Mb/s")),
        .has(.comment, WireText("port 3 has a link at 100 Mb/s")), .has(.comment, WireText("port 3 has counted CRC errors")),
      ])
    #expect(said.observations.fault == nil)
  }

  @Test("a question, a write and its answer prove nothing", arguments: [0x01, 0x03, 0x04] as [UInt8])
  func others(_ operation: UInt8) {
    #expect(decode(Corpus.sample("nsdp", "request")).observations.isEmpty)
    var bytes = Corpus.sample("nsdp", "reply").bytes
    bytes[43] = operation
    #expect(decode(bytes).observations.isEmpty)
  }

  @Test("another protocol on these ports, which any client may be given, is left alone")
  func stranger() {
    var bytes = Corpus.sample("nsdp", "reply").bytes
    bytes[66] = 0
    #expect(decode(bytes).observations.isEmpty)
    #expect(decode(bytes).observations.fault?.isSenderFault == false)
  }
}
