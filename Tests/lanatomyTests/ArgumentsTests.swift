import Testing

@testable import lanatomy

@Suite("The command line")
struct ArgumentsTests {
  private func parse(_ words: String...) throws(Arguments.Problem) -> Arguments {
    guard let report = Commands.named("report") else { throw Arguments.Problem(text: "no report command") }
    return try Arguments(words, for: report)
  }

  @Test("understands tcpdump's letters, bundled and with values")
  func letters() throws {
    let arguments = try parse("-pni", "eth0", "-c100", "--for=30s", "host", "192.168.0.5")
    #expect(arguments.has("no-promiscuous"))
    #expect(arguments.has("no-names"))
    #expect(arguments.all("interface") == ["eth0"])
    #expect(arguments.value("count") == "100")
    #expect(arguments.value("for") == "30s")
    #expect(arguments.operands == ["host", "192.168.0.5"])
  }

  @Test("takes what follows -- for the filter, whatever it begins with")
  func dashes() throws {
    #expect(try parse("-r", "a.pcap", "--", "-x").operands == ["-x"])
  }

  @Test("says which option was meant")
  func suggestions() {
    do {
      _ = try parse("--interfce", "eth0")
      Issue.record("an unknown option passed")
    } catch {
      #expect(error.text == "unknown option '--interfce'; did you mean '--interface'?")
    }
  }

  @Test("reads times with a unit, and nothing else", arguments: [("30s", 30.0), ("5m", 300), ("2h", 7200), ("1d", 86400)])
  func times(_ text: String, _ seconds: Double) {
    #expect(Arguments.seconds(text) == seconds)
  }

  @Test("refuses times that are none", arguments: ["", "s", "5", "-5s", "0s", "5x", "1e9s", "999999999d"])
  func noTimes(_ text: String) {
    #expect(Arguments.seconds(text) == nil)
  }
}
