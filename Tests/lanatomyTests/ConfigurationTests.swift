import Capture
import Fixtures
import Model
import Publish
import Testing
import Wire

@testable import lanatomy

@Suite("The configuration")
struct ConfigurationTests {
  /// What is wrong with a file, as it is printed.
  private func problems(_ text: String) -> [String] {
    var configuration = Configuration()
    var problems: [ConfigFile.Problem] = []
    do throws(ConfigFile.Problem) {
      configuration.take(try ConfigFile(path: "f.toml", bytes: Array(text.utf8)), &problems)
    } catch {
      problems.append(error)
    }
    return problems.map(\.description)
  }
  private func configuration(_ text: String) throws -> Configuration {
    var configuration = Configuration()
    var problems: [ConfigFile.Problem] = []
    configuration.take(try ConfigFile(path: "f.toml", bytes: Array(text.utf8)), &problems)
    #expect(problems.isEmpty)
    return configuration
  }

  /// The shipped file with every key switched on.
  private var shipped: String {
    let folder = ScratchFolder.repository
    return folder.text("Config/lanatomy.toml").split(separator: "\n", omittingEmptySubsequences: false).map { line in
      // A commented key has no blank behind its `#`; prose has one.
      line.hasPrefix("#") && !line.hasPrefix("# ") ? String(line.dropFirst()) : String(line)
    }.joined(separator: "\n")
  }

  @Test("the shipped file documents every key with its default, and every key in it exists")
  func shippedFile() throws {
    let file = try ConfigFile(path: "lanatomy.toml", bytes: Array(shipped.utf8))
    var named: Set<String> = []
    for entry in file.entries {
      guard case .table(let keys) = entry.node.value else { continue }
      for key in keys { named.insert("\(entry.key).\(key.key)") }
    }
    #expect(named == Set(Configuration.keys.map(\.name)))
    for (list, keys) in [("device", Configuration.deviceKeys), ("subnet", Configuration.subnetKeys)] {
      guard case .array(let items)? = file.entries.first(where: { $0.key == list })?.node.value,
        case .table(let entries)? = items.first?.value
      else {
        Issue.record("[[\(list)]] is missing")
        continue
      }
      #expect(entries.map(\.key) == keys)
    }
    let read = try configuration(shipped)
    for key in Configuration.keys { #expect(key.show(read) == key.show(Configuration()), "the file's default of \(key.name)") }
  }

  @Test("what check-config prints is a file that says the same")
  func roundTrip() throws {
    let first = try configuration(shipped)
    let second = try configuration(CheckConfigCommand.text(first))
    #expect(CheckConfigCommand.text(first) == CheckConfigCommand.text(second))
    #expect(second.devices == [mac("0c:8b:fd:00:00:01"): Given(name: WireText("anna's laptop"), kind: .computer, isExpected: true)])
  }

  @Test("an unknown key is named with its place and the nearest one that exists")
  func unknownKey() {
    #expect(problems("[capture]\n  snaplenn = 5\n") == ["f.toml:2:3: unknown key 'snaplenn' in [capture]; did you mean 'snaplen'?"])
    #expect(problems("[captur]\nx = 1\n") == ["f.toml:1:2: unknown table 'captur'; did you mean 'capture'?"])
    #expect(problems("[[device]]\nmacc = 'x'\n").first == "f.toml:2:1: unknown key 'macc' in [[device]]; did you mean 'mac'?")
  }

  @Test("all problems are said at once")
  func all() {
    let text = """
      [capture]
      promiscuous = "yes"
      snaplen = 3
      interfaces = ["eth0", 5]
      [log]
      format = "xml"
      throughput = 1.5
      [[device]]
      mac = "zz"
      kind = "computr"
      [[subnet]]
      prefix = "10.0.0.0"
      """
    #expect(
      problems(text) == [
        "f.toml:2:15: 'promiscuous' must be true or false, not \"yes\"",
        "f.toml:3:11: 'snaplen' must be 0 or a number from 14 to 262144, not 3",
        "f.toml:4:14: 'interfaces' must be a list of names, not [\"eth0\", 5]",
        "f.toml:6:10: 'format' must be \"logfmt\" or \"json\", not \"xml\"",
        "f.toml:7:14: 'throughput' must be a number from 0 to 86400, not 1.5",
        "f.toml:9:7: 'mac' is no hardware address: 'zz'",
        "f.toml:10:8: 'kind' is no kind of device: unknown kind 'computr'; did you mean 'computer'?",
        "f.toml:12:10: 'prefix' is no network: '10.0.0.0'; it takes ADDRESS/LENGTH",
      ])
  }

  @Test("what is no TOML is said in the parser's words, with the place")
  func syntax() {
    let said = problems("[capture]\nsnaplen = \n")
    #expect(said.count == 1)
    #expect(said.first?.hasPrefix("f.toml:2:") == true)
    #expect(problems("a = 1\na = 2\n").count == 1)
    #expect(problems(String(repeating: "[", count: 5000)).count == 1)
    #expect(problems("x = \"\u{1b}[2J\"\n").allSatisfy { !$0.utf8.contains(0x1b) })
  }

  @Test("no file can end the program: bytes changed, cut, doubled and put together at random")
  func anyBytes() {
    var state: UInt64 = 0x2545_f491_4f6c_dd1d
    func next(_ below: Int) -> Int {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Int(state % UInt64(max(1, below)))
    }
    let seed = Array(shipped.utf8)
    let marks = Array("[]{}\"'=.,#\n\\u0-_ 1e+:T\u{7f}".utf8) + [0, 0xff, 0xc0, 0xed]
    for _ in 0..<2000 {
      var bytes = seed
      for _ in 0...next(4) {
        let at = next(bytes.count)
        switch next(5) {
        case 0: bytes[at] = marks[next(marks.count)]
        case 1: bytes = Array(bytes.prefix(at))
        case 2: bytes.insert(contentsOf: bytes.prefix(next(200)), at: at)
        case 3: bytes.insert(contentsOf: [UInt8](repeating: marks[next(marks.count)], count: next(300)), at: at)
        default: bytes.removeSubrange(at..<min(bytes.count, at + next(40)))
        }
        if bytes.isEmpty { bytes = [0x5b] }
      }
      _ = problems(String(decoding: bytes, as: UTF8.self))
      _ = try? ConfigFile(path: "f", bytes: bytes)
    }
  }

  @Test("a missing file that was asked for, a folder and a pipe are problems; no file in the usual place is none")
  func files() throws {
    let folder = try ScratchFolder()
    #expect(throws: Configuration.Problems.self) { try Configuration.load(folder.path + "/none.toml") }
    #expect(throws: Configuration.Problems.self) { try Configuration.load(folder.path) }
    folder.makePipe("pipe.toml")
    #expect(throws: Configuration.Problems.self) { try Configuration.load(folder.path + "/pipe.toml") }
  }

  @Test("files of conf.d are read in the order of their names, and the last one wins; flags win over all")
  func parts() throws {
    let folder = try ScratchFolder()
    folder.write("lanatomy.toml", "[log]\nthroughput = 1\nbusiest = 1\n[[device]]\nmac = '0c:8b:fd:00:00:01'\nname = 'a'\n")
    folder.makeFolder("conf.d")
    folder.write("conf.d/20.toml", "[log]\nthroughput = 3\n[[device]]\nmac = '0c:8b:fd:00:00:01'\nname = 'b'\n")
    folder.write("conf.d/10.toml", "[log]\nthroughput = 2\n[capture]\ninterfaces = ['eth7']\n")
    folder.write("conf.d/30.toml.bak", "nonsense")
    var read = try Configuration.load(folder.path + "/lanatomy.toml")
    #expect(read.publish.log.throughputInterval == 3)
    #expect(read.publish.log.busiest == 1)
    #expect(read.devices.values.first?.name == WireText("b"))
    #expect(read.capture.interfaces == ["eth7"])
    let command = try #require(Commands.named("run"))
    read.take(try Arguments(["-i", "eth1", "-p"], for: command))
    #expect(read.capture.interfaces == ["eth1"])
    #expect(!read.capture.promiscuous)
  }
}
