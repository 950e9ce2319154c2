import Model
import Testing
import Wire

@testable import Publish

@Suite("History: answers")
struct HistoryAnswerTests {
  let folder = TemporaryFolder()

  private func reader(_ name: WireText = WireText("desk")) throws -> HistoryReader {
    let history = HistoryPublisher(HistorySettings(path: folder.database))
    var home = LiveHome()
    home.join(1, name: name, address: "192.168.0.5")
    home.join(2, address: "192.168.0.6")
    home.hosts[0].medium = Verdict(.wifi, confidence: 0.8, reasons: [])
    home.hosts[0].attachedTo = Verdict(LiveHome.mac(2), confidence: 0.8, reasons: [])
    let home24 = Prefix(IPAddress(IPv4Address(0xc0a8_0000)), 24)
    home.hosts[0].subnets = [home24]
    home.hosts[1].subnets = [home24]
    for _ in 0..<3 {
      home.pass(60)
      try history.publish(home)
    }
    try history.finish(home.snapshot, since: nil)
    return try HistoryReader(folder.database)
  }

  @Test("of a time before the record, or between two runs, it is said that nothing was recorded then")
  func coverage() throws {
    let reader = try reader()
    let (before, during) = (LiveHome.start.adding(-3600), LiveHome.start.adding(100))
    #expect(try reader.coverage(at: before) == .before(beginning: LiveHome.start))
    #expect(try reader.coverage(at: during) == .listening)
    #expect(try reader.coverage(at: LiveHome.start.adding(7200)) == .deaf(since: LiveHome.start.adding(180)))
    #expect(try DevicesAnswer(reader, at: before).text(.text).hasPrefix("nothing is known of that time: the history begins at "))
    #expect(try DevicesAnswer(reader, at: before).text(.json).contains("\"listening\": false"))
    #expect(try DevicesAnswer(reader, at: during).text(.text).hasPrefix("2 devices at "))
    #expect(try DevicesAnswer(reader, at: LiveHome.start.adding(7200)).text(.text).contains("there is no record of that time"))
  }

  @Test("a field of a table is quoted, and is no formula")
  func csv() {
    var table = CSVTable(["a", "b"])
    table.row(["say \"hi\", you", "=HYPERLINK(\"http://evil\")"])
    table.row(["+1", "-1"])
    table.row(["@SUM", "\tx"])
    // A quote with a combining mark is one character, and still a quote.
    table.row(["\"\u{301}", "line\nfeed"])
    #expect(
      table.text == """
        "a","b"
        "say ""hi"", you","'=HYPERLINK(""http://evil"")"
        "'+1","'-1"
        "'@SUM","'\tx"
        "\"\"\u{301}","line
        feed"

        """)
  }

  @Test("usage by device, by link and by subnet add up to the same")
  func usage() throws {
    let reader = try reader()
    let devices = try UsageAnswer(reader, by: .device, since: nil)
    #expect(devices.rows.map(\.usage.bytes) == [12_000, 12_000])
    #expect(devices.rows.map(\.label) == ["desk", "(\(LiveHome.mac(2).description.suffix(8)))"])
    #expect(try UsageAnswer(reader, by: .medium, since: nil).rows.map(\.key).sorted() == ["unknown", "wifi"])
    let subnets = try UsageAnswer(reader, by: .subnet, since: nil)
    #expect(subnets.rows.map(\.key) == ["192.168.0.0/24"])
    #expect(subnets.rows.map(\.usage.bytes) == [24_000])
    #expect(subnets.text(.json).contains("\"resolution\": \"month\""))
    #expect(try UsageAnswer(reader, by: .device, since: LiveHome.start).text(.json).contains("\"resolution\": \"minute\""))
    let csv = devices.text(.csv)
    #expect(
      csv.contains(
        "\"\(LiveHome.mac(1))\",\"desk\",\"6\",\"3000\",\"12\",\"9000\",\"2850\",\"8850\",\"150\",\"150\",\"0\",\"0\",\"0\",\"no\"\n"))
    #expect(devices.text(.text).contains("all that was captured"))
  }

  @Test("a hostile name is harmless in every form, and its bytes are told")
  func hostile() throws {
    let name = WireText([0x1b, 0x5b, 0x32, 0x4a] + Array("\"</script>\r\n=cmd\u{202e}".utf8) + [0xff])
    let reader = try reader(name)
    let devices = try reader.devices()
    let device = try #require(devices.first)
    let story = StoryAnswer(
      [StoryAnswer.Part(device, try reader.intervals(of: device), try reader.usage(of: device.number, .day))], among: devices)
    for format in AnswerFormat.allCases {
      for text in [
        try DevicesAnswer(reader, at: nil).text(format), story.text(format), try UsageAnswer(reader, by: .device, since: nil).text(format),
      ] {
        #expect(text.split(separator: "\n").allSatisfy { WireText.clean(String($0)) == $0 })
        if format == .json { #expect(!text.contains("</script>")) }
      }
    }
    #expect(try DevicesAnswer(reader, at: nil).text(.json).contains(name.hex))
  }

  @Test("a story tells what a device was attached to by its name")
  func story() throws {
    let reader = try reader()
    let device = try #require(try reader.find("desk").first)
    let text = StoryAnswer(
      [StoryAnswer.Part(device, try reader.intervals(of: device), try reader.usage(of: device.number, .day))], among: try reader.devices()
    ).text(.text)
    #expect(text.contains("address 192.168.0.5"))
    #expect(text.contains("attached to (\(LiveHome.mac(2).description.suffix(8)))"))
    #expect(text.contains("name desk (mDNS)"))
    #expect(text.contains("3.00 kB"))
  }

  @Test("times are read as RFC 3339 writes them, and nothing else")
  func times() {
    #expect(Clock.time("2026-01-10T08:00:00Z") == LiveHome.start)
    #expect(Clock.time("2026-01-10T09:30:00.5+01:30") == LiveHome.start.adding(0.5))
    #expect(Clock.time("2026-01-10t07:00-01:00") == LiveHome.start)
    #expect(Clock.time("2026-01-10").map { HistoryTier.day.start(Int($0.second)) == Int($0.second) } ?? false)
    for word in [
      "", "2026", "2026-13-01", "2026-01-10T", "2026-01-10T25:00Z", "2026-01-10T08:00:00Zx", "2026-01-10T08:00:00.Z", "-026-01-10",
      "2026-01-10T08:00:00+1:00", "9999-01-01", "２026-01-10",
    ] { #expect(Clock.time(word) == nil, "\(word)") }
  }
}
