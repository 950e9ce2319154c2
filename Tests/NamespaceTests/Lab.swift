import FoundationEssentials
import Glibc

/// A small real network: namespaces, a bridge, cables between them, and the processes that live there. Everything is made for the test and
/// ends with it, each process by its own id.
final class Lab {
  private let prefix: String
  private var namespaces: [String] = []
  private var processes: [pid_t] = []
  let folder: String

  /// Why such tests cannot run here, in words; nil when they can.
  static let obstacle: String? = {
    if geteuid() != 0 { return "not root" }
    for tool in ["ip", "dnsmasq", "udhcpc"] where find(tool) == nil { return "\(tool) is not installed" }
    let name = "lt-try-\(getpid())"
    guard run(["ip", "netns", "add", name]) == 0 else { return "network namespaces cannot be made here" }
    _ = run(["ip", "netns", "del", name])
    return nil
  }()

  init() {
    prefix = "lt\(getpid())-"
    folder = "/tmp/lanatomy-lab-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
    mkdir(folder, 0o700)
  }

  deinit {
    for process in processes.reversed() {
      kill(process, SIGTERM)
      var status: Int32 = 0
      for _ in 0..<100 {
        if waitpid(process, &status, WNOHANG) != 0 { break }
        usleep(20_000)
      }
      if waitpid(process, &status, WNOHANG) == 0 {
        kill(process, SIGKILL)
        waitpid(process, &status, 0)
      }
    }
    for name in namespaces { _ = Lab.run(["ip", "netns", "del", name]) }
    _ = Lab.run(["rm", "-r", folder])
  }

  func add(_ name: String) {
    namespaces.append(prefix + name)
    _ = Lab.run(["ip", "netns", "add", prefix + name])
    inside(name, "sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1", "net.ipv6.conf.default.disable_ipv6=1")
    inside(name, "ip", "link", "set", "lo", "up")
  }

  /// A cable: `a`'s interface into `b`'s.
  func wire(_ a: String, _ interfaceA: String, _ b: String, _ interfaceB: String, mac: String? = nil) {
    _ = Lab.run(
      ["ip", "link", "add", interfaceA, "netns", prefix + a, "type", "veth", "peer", "name", interfaceB, "netns", prefix + b]
        + (mac.map { ["address", $0] } ?? []))
    inside(a, "ip", "link", "set", interfaceA, "up")
    inside(b, "ip", "link", "set", interfaceB, "up")
  }

  @discardableResult
  func inside(_ name: String, _ words: String...) -> Int32 { Lab.run(["ip", "netns", "exec", prefix + name] + words) }

  /// Starts a process that lives until the lab ends; its output goes to a file in the folder.
  @discardableResult
  func start(_ name: String, _ words: [String], output: String) -> pid_t {
    let process = Lab.spawn(["ip", "netns", "exec", prefix + name] + words, output: "\(folder)/\(output)")
    if process > 0 { processes.append(process) }
    return process
  }

  /// Waits for a process to end by itself; nil when it does not in time.
  func wait(_ process: pid_t, seconds: Int) -> Int32? {
    var status: Int32 = 0
    for _ in 0..<(seconds * 20) {
      if waitpid(process, &status, WNOHANG) == process {
        processes.removeAll { $0 == process }
        return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + (status & 0x7f)
      }
      usleep(50_000)
    }
    return nil
  }

  func text(_ file: String) -> String { (try? String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)) ?? "" }

  /// The program that was built beside this test.
  static let program: String = {
    let bundle = CommandLine.arguments.first.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path } ?? "."
    let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
    for place in ["\(bundle)/lanatomy", "\(here)/.build/debug/lanatomy", "\(here)/.build/release/lanatomy"] where access(place, X_OK) == 0 {
      return place
    }
    return "lanatomy"
  }()

  static func find(_ tool: String) -> String? {
    for folder in ["/usr/sbin", "/sbin", "/usr/bin", "/bin"] where access("\(folder)/\(tool)", X_OK) == 0 { return "\(folder)/\(tool)" }
    return nil
  }

  static func run(_ words: [String]) -> Int32 {
    let process = spawn(words, output: "/dev/null")
    guard process > 0 else { return -1 }
    var status: Int32 = 0
    waitpid(process, &status, 0)
    return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + (status & 0x7f)
  }

  private static func spawn(_ words: [String], output: String) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    var process: pid_t = 0
    guard let tool = words.first.flatMap({ $0.hasPrefix("/") ? $0 : find($0) }) else { return -1 }
    return posix_spawn(&process, tool, &actions, nil, arguments, environ) == 0 ? process : -1
  }
}

/// Sleeps; the one place where these tests do.
func pause(_ seconds: UInt32) -> UInt32 { sleep(seconds) }
