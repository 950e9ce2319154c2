import Fixtures
import Testing
import Wire

/// Builds messages that no encoder would.
struct DNSBytes {
  var bytes: [UInt8]

  init(flags: UInt16 = 0x8400, questions: Int = 0, answers: Int) {
    var writer = ByteWriter()
    for value in [0, Int(flags), questions, answers, 0, 0] { writer.u16(UInt16(truncatingIfNeeded: value)) }
    bytes = writer.bytes
  }

  var count: Int { bytes.count }

  mutating func append(_ more: [UInt8]) { bytes += more }
  mutating func name(_ labels: String...) { bytes += DNSBytes.name(labels) }
  mutating func pointer(_ to: Int) { bytes += [0xc0 | UInt8(to >> 8), UInt8(to & 255)] }

  /// Type, class, TTL, length and data behind an owner name.
  mutating func record(_ type: UInt16, ttl: UInt32 = 120, _ data: [UInt8]) {
    var writer = ByteWriter()
    writer.u16(type)
    writer.u16(0x8001)
    writer.u32(ttl)
    writer.u16(UInt16(data.count))
    bytes += writer.bytes + data
  }

  mutating func address(_ address: String) {
    var writer = ByteWriter()
    writer.ipv4(ip4(address))
    record(1, writer.bytes)
  }

  static func name(_ labels: [String]) -> [UInt8] { labels.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0] }

  /// As a frame of UDP.
  func frame(port: UInt16 = 5353, from: String = "192.168.0.50", station: String = "02:00:00:00:00:50", hopLimit: UInt8 = 255) -> [UInt8] {
    var writer = ByteWriter()
    writer.mac(mac("01:00:5e:00:00:fb"))
    writer.mac(mac(station))
    writer.u16(0x0800)
    writer.u16(0x4500)
    writer.u16(UInt16(truncatingIfNeeded: 28 + bytes.count))
    writer.u32(0)
    writer.u8(hopLimit)
    writer.u8(17)
    writer.u16(0)
    writer.ipv4(ip4(from))
    writer.ipv4(ip4("224.0.0.251"))
    writer.u16(port)
    writer.u16(port)
    writer.u16(UInt16(truncatingIfNeeded: 8 + bytes.count))
    writer.u16(0)
    writer.append(bytes)
    return writer.bytes
  }

  func names() -> [String] { decode(frame()).names }
}

extension Decoded {
  /// The names it gives, in order.
  var names: [String] { claims.compactMap { if case .isNamed(let text, _) = $0 { text.display } else { nil } } }
  var offers: [String] { claims.compactMap { if case .offers(let text) = $0 { text.display } else { nil } } }
  func claims(about address: IPAddress) -> [Observation.Claim] {
    observations.items.filter { $0.subject == .address(address) }.map(\.claim)
  }
}

@Suite("A DNS message")
struct DNSMessageTests {
  /// Walks all records and reads their owners; how many names were good, and how many label visits it took.
  private func walk(_ bytes: [UInt8]) -> (records: Int, names: Int, steps: Int, fault: WireFault?) {
    var records = 0
    var names = 0
    var spent = 0
    var fault: WireFault?
    var steps = ByteReader.stepLimit
    do throws(WireFault) {
      try ByteReader.read(bytes.span.bytes, steps: &steps) { (reader) throws(WireFault) in
        var message = try DNSMessage(reader)
        defer { spent = DNSMessage.nameSteps - message.nameSteps }
        while let record = try message.next() {
          records += 1
          if message.owner(record) != nil { names += 1 }
        }
      }
    } catch {
      fault = error
    }
    return (records, names, spent, fault)
  }

  @Test("keeps the good names around a bad one, and calls nothing malformed")
  func isolation() {
    let said = decode(Corpus.sample("mdns", "bad-names"))
    #expect(said.names == ["good-one", "good-two"])
    #expect(said.observations.fault == nil)
  }

  @Test("reads 4,400 chained pointers in a bounded number of steps")
  func chain() {
    var message = DNSBytes(answers: 1)
    for i in 0..<4_400 { message.pointer(min(0x3fff, 14 + 2 * i)) }
    let walked = walk(message.bytes)
    #expect(walked.names == 0)
    #expect(walked.steps <= 20)
    #expect(decode(message.frame()).claims.isEmpty)
  }

  @Test("does not multiply work when 1,300 records share one name of 255 bytes")
  func shared() {
    var message = DNSBytes(answers: 1_300)
    let start = message.count
    for _ in 0..<126 { message.append([1, 0x61]) }
    message.append([0])
    message.address("192.168.0.50")
    for _ in 1..<1_300 {
      message.pointer(start)
      message.address("192.168.0.50")
    }
    let walked = walk(message.bytes)
    #expect(walked.records == 256)
    #expect(walked.steps <= DNSMessage.nameSteps)
    #expect(walked.fault == nil)
    #expect(decode(message.frame()).observations.items.count <= Observations.limit)
  }

  @Test("follows sixteen jumps and not seventeen")
  func jumps() {
    for (jumps, isGood) in [(16, true), (17, false)] {
      var message = DNSBytes(answers: 2)
      // The first record's data is a chain of pointers behind a name.
      var chain = DNSBytes.name(["far", "local"])
      let data = message.count + 1 + 10
      for i in 1..<jumps { chain += [0xc0, UInt8(data + (i == 1 ? 0 : 11 + 2 * (i - 2)))] }
      message.append([0])
      message.record(99, chain)
      message.pointer(data + 11 + 2 * (jumps - 2))
      message.address("192.168.0.50")
      #expect(message.names() == (isGood ? ["far"] : []), "\(jumps)")
    }
  }

  @Test("takes a pointer that leads forward")
  func forward() {
    var message = DNSBytes(answers: 2)
    message.pointer(12 + 2 + 10 + 4)
    message.address("192.168.0.50")
    message.name("later", "local")
    message.address("192.168.0.51")
    #expect(message.names() == ["later"])
  }

  @Test("ends at a label of an unknown kind in an owner, keeping what was before")
  func labelKind() {
    var message = DNSBytes(answers: 3)
    message.name("good", "local")
    message.address("192.168.0.50")
    message.append([0x41, 1, 2])
    message.address("192.168.0.50")
    #expect(message.names() == ["good"])
    #expect(decode(message.frame()).observations.fault?.reason == .malformed)
  }

  @Test("does not take a name that runs out of its record's data")
  func outOfData() {
    var message = DNSBytes(answers: 2)
    message.name("_ipp", "_tcp", "local")
    let name = DNSBytes.name(["Office", "_ipp", "_tcp", "local"])
    message.record(12, Array(name.dropLast(7)))
    message.append([5, 0x6c, 0x6f, 0x63, 0x61, 0x6c, 0])
    #expect(decode(message.frame()).claims.isEmpty)
  }

  @Test("compares names without regard to case, and shows them as they came")
  func letterCase() {
    var message = DNSBytes(answers: 2)
    message.name("Big-Box", "LOCAL")
    message.address("192.168.0.50")
    message.name("big-box", "local")
    message.address("10.0.0.50")
    let said = decode(message.frame())
    #expect(said.names == ["Big-Box"])
    #expect(said.claims(about: "02:00:00:00:00:50").contains(.holds(ip("10.0.0.50"), .statement)))
  }

  @Test("reads nothing behind more questions than anybody asks")
  func questions() {
    var message = DNSBytes(questions: 300, answers: 1)
    for _ in 0..<300 { message.append([0, 0, 1, 0, 1]) }
    message.name("late", "local")
    message.address("192.168.0.50")
    #expect(message.names().isEmpty)
  }

  @Test("refuses a reverse name whose numbers are none")
  func reverse() {
    for (labels, named) in [
      (["50", "0", "168", "192", "in-addr", "arpa"], true), (["256", "0", "168", "192", "in-addr", "arpa"], false),
      (["x", "0", "168", "192", "in-addr", "arpa"], false), (["0", "168", "192", "in-addr", "arpa"], false),
      (["50", "0", "168", "192", "in-addr", "example"], false),
    ] {
      var message = DNSBytes(answers: 1)
      message.append(DNSBytes.name(labels))
      message.record(12, DNSBytes.name(["box", "local"]))
      #expect(message.names() == (named ? ["box"] : []), "\(labels)")
    }
  }
}
