import Fixtures
import FoundationEssentials
import Glibc
import Publish
import Scenarios
import Testing

@testable import lanatomy

@Suite("why")
struct WhyCommandTests {
  private func why(_ words: String..., in folder: ScratchFolder) -> Int32 { run(["why"] + words + ["--runtime", folder.path]) }

  /// What a daemon would have published of a home.
  private func publish(_ home: Scenario, in folder: ScratchFolder) {
    folder.write("evidence.json", EvidenceReport(version: "1").text(home.snapshot()))
  }

  @Test("without a daemon it is unavailable, and so it is when the daemon runs no more")
  func nothing() throws {
    let folder = try ScratchFolder()
    #expect(why("den-pc", in: folder) == 69)
    publish(CableHome.scenario, in: folder)
    #expect(why("den-pc", in: folder) == 0)
    var times = [timeval(tv_sec: 1_000_000_000, tv_usec: 0), timeval(tv_sec: 1_000_000_000, tv_usec: 0)]
    utimes(folder.path + "/evidence.json", &times)
    #expect(why("den-pc", in: folder) == 69)
  }

  @Test("answers about devices, addresses and subnets in each form")
  func answers() throws {
    let folder = try ScratchFolder()
    publish(CableHome.scenario, in: folder)
    #expect(why("10.166.179.x", "--json", in: folder) == 0)
    #expect(why("10.166.176.1", "--format", "text", in: folder) == 0)
    #expect(why("gateway", "--share-safe", in: folder) == 0)
  }

  @Test("a word that means nothing, too much or is missing has a status of its own")
  func mistakes() throws {
    let folder = try ScratchFolder()
    publish(CableHome.scenario, in: folder)
    #expect(why("den-pcc", in: folder) == 66)
    #expect(why("adapter", in: folder) == 66)
    #expect(why(in: folder) == 64)
    #expect(why("a", "b", in: folder) == 64)
    #expect(why("den-pc", "--format", "csv", in: folder) == 64)
    #expect(why("den-pc", "-r", "x.pcap", in: folder) == 64)
    #expect(why("x.x", in: folder) == 66)
    folder.write("evidence.json", "this is a letter to a friend")
    #expect(why("den-pc", in: folder) == 65)
  }

  @Test("reads a capture file, and says when there is none")
  func file() throws {
    let folder = try ScratchFolder()
    #expect(run(["why", "192.168.0.1", "-r", folder.path + "/none.pcap"]) == 66)
    #expect(run(["demo", "-w", folder.path + "/home.pcap", "--json"]) == 0)
    #expect(run(["why", "10.166.179.23", "-r", folder.path + "/home.pcap", "--no-progress"]) == 0)
  }

  @Test("is known to the help and to every shell")
  func known() {
    #expect(HelpCommand.overview().contains("  why "))
    #expect(Commands.named("why").map(HelpCommand.text)?.contains("lanatomy why [OPTIONS] DEVICE|ADDRESS|SUBNET") == true)
    for shell in CompletionCommand.shells { #expect(CompletionCommand.script(for: shell)?.contains("why") == true) }
  }
}
