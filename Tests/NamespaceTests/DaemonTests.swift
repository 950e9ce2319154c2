import FoundationEssentials
import Glibc
import Testing

/// What of the daemon's JSON these tests look at.
private struct Report: Decodable {
  struct Capture: Decodable { var frames: Int }
  struct Device: Decodable { var mac: String }
  var capture: Capture
  var devices: [Device]
}

/// The daemon on one end of a cable, the test on the other.
private final class Daemon {
  let lab = Lab()
  let folder: String
  private(set) var process: pid_t = 0
  /// Where it says that it is ready, as to a service manager.
  private let notify: Int32

  init() {
    lab.add("lan")
    lab.add("mon")
    folder = "/tmp/lanatomy-daemon-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
    mkdir(folder, 0o755)
    chmod(folder, 0o755)
    notify = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array("\(folder)/notify".utf8)) }
    withUnsafePointer(to: &address) {
      _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(notify, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
    // It becomes somebody else before it speaks.
    chmod("\(folder)/notify", 0o777)
    plug()
  }

  deinit {
    close(notify)
    _ = Lab.run(["rm", "-rf", folder])
  }

  func plug() { lab.wire("lan", "l0", "mon", "m0") }
  func unplug() { lab.inside("mon", "ip", "link", "del", "m0") }

  /// Starts it; seconds until it said that it is ready, nil when it did not within ten.
  func start(configuration: String = "") -> Double? {
    write("lanatomy.toml", configuration)
    let began = Daemon.now()
    process = lab.start(
      "mon",
      [
        "/bin/sh", "-c",
        "NOTIFY_SOCKET=\(folder)/notify exec \(Lab.program) run --config \(folder)/lanatomy.toml -i m0 --runtime \(folder)/run --state \(folder)/state 2>>\(folder)/log",
      ], output: "out")
    return said("READY=1", within: 10) ? Daemon.now() - began : nil
  }

  /// Whether the service manager was told so.
  func said(_ word: String, within seconds: Double) -> Bool {
    let end = Daemon.now() + seconds
    while Daemon.now() < end {
      var entry = pollfd(fd: notify, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, 100) > 0 else { continue }
      var bytes = [UInt8](repeating: 0, count: 4096)
      let got = recv(notify, &bytes, bytes.count, 0)
      if got > 0, String(decoding: bytes.prefix(got), as: UTF8.self).contains(word) { return true }
    }
    return false
  }

  /// Asks who has an address, in the name of a station.
  func arp(from mac: String, _ last: Int) {
    let bytes = mac.split(separator: ":").joined()
    let sender = "0a0908" + hex(last)
    let frame = "ffffffffffff\(bytes)08060001080006040001\(bytes)\(sender)0000000000000a0908fe" + String(repeating: "00", count: 18)
    lab.inside(
      "lan", Lab.find("python3") ?? "python3", "-c",
      "import socket,sys;s=socket.socket(17,3);s.bind(('l0',0));s.send(bytes.fromhex(sys.argv[1]))", frame)
  }
  /// Frames of one station to another, a thousand a second; the process that sends them.
  func stream(frames: Int) -> pid_t {
    lab.start(
      "lan",
      [
        Lab.find("python3") ?? "python3", "-c",
        """
        import socket, sys, time
        s = socket.socket(17, 3)
        s.bind(("l0", 0))
        for _ in range(int(sys.argv[1])):
            s.send(bytes.fromhex("02005e20000102005e20000288b5") + bytes(50))
            time.sleep(0.001)
        """, "\(frames)",
      ], output: "stream")
  }
  private func hex(_ n: Int) -> String { (n < 16 ? "0" : "") + String(n, radix: 16) }

  func write(_ name: String, _ text: String) { _ = FileManager.default.createFile(atPath: "\(folder)/\(name)", contents: Data(text.utf8)) }
  func text(_ name: String) -> String {
    FileManager.default.contents(atPath: "\(folder)/\(name)").map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
  func report() -> Report? {
    FileManager.default.contents(atPath: "\(folder)/run/report.json").flatMap { try? JSONDecoder().decode(Report.self, from: $0) }
  }
  func knows(_ mac: String) -> Bool { report()?.devices.contains { $0.mac == mac } ?? false }

  /// Seconds until something is true; nil when it is not within `seconds`.
  func seconds(within limit: Double, until isTrue: () -> Bool) -> Double? {
    let began = Daemon.now()
    while Daemon.now() - began < limit {
      if isTrue() { return Daemon.now() - began }
      // A service manager reads what it is told: ten messages that nobody reads, and the next one waits.
      var bytes = [UInt8](repeating: 0, count: 4096)
      while recv(notify, &bytes, bytes.count, Int32(MSG_DONTWAIT)) > 0 {}
      usleep(20_000)
    }
    return nil
  }

  func end(_ signal: Int32 = SIGTERM) -> (status: Int32?, seconds: Double) {
    let began = Daemon.now()
    kill(process, signal)
    let status = lab.wait(process, seconds: 10)
    return (status, Daemon.now() - began)
  }

  func status(_ key: String) -> String {
    let line = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8))?.split(separator: "\n").first { $0.hasPrefix(key) }
    return line.map { $0.dropFirst(key.count + 1).split { $0 == "\t" || $0 == " " }.joined(separator: " ") } ?? ""
  }
  var descriptors: Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count) ?? 0 }

  /// Frames that our end of the cable sent.
  func sent() -> String {
    lab.start("mon", ["/bin/cat", "/sys/class/net/m0/statistics/tx_packets"], output: "tx")
    usleep(100_000)
    return lab.text("tx")
  }

  static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

@Suite("The daemon", .serialized, .enabled(if: Lab.obstacle == nil, "\(Lab.obstacle ?? "")"))
struct DaemonTests {
  private let anna = "02:00:5e:20:00:01"
  private let bert = "02:00:5e:20:00:02"

  @Test("is ready within a second, shows a new device within two of its first frame, sends nothing, and ends with 0 within two")
  func life() throws {
    let daemon = Daemon()
    let before = daemon.sent()
    let ready = try #require(daemon.start())
    // The budget is a second; a debug build on a machine that runs other tests too is given another.
    #expect(ready < 2)
    daemon.arp(from: anna, 5)
    let shown = try #require(daemon.seconds(within: 5) { daemon.knows(anna) })
    #expect(shown < 2.5)
    // The log comes after the files, in the same round.
    #expect(daemon.seconds(within: 1) { daemon.text("log").contains("event=new mac=\(anna) ip=10.9.8.5") } != nil)
    #expect(daemon.sent() == before)
    // Why it says so, from its files alone.
    _ = try #require(daemon.seconds(within: 10) { daemon.text("run/evidence.json").contains(anna) })
    let asked = daemon.lab.start("mon", [Lab.program, "why", "10.9.8.5", "--runtime", "\(daemon.folder)/run"], output: "why")
    #expect(daemon.lab.wait(asked, seconds: 5) == 0)
    #expect(daemon.lab.text("why").contains("It uses 10.9.8.5. (likely)") && daemon.lab.text("why").contains("frame 1 [+15]"))
    let (status, seconds) = daemon.end()
    #expect(status == 0)
    #expect(seconds < 2)
    #expect(daemon.text("log").contains("event=stop"))
    #expect(daemon.report()?.capture.frames == 1)
  }

  @Test("keeps the right to capture alone, and is not root, before it reads a frame")
  func privileges() throws {
    let daemon = Daemon()
    _ = try #require(daemon.start())
    #expect(daemon.status("CapEff:") == "0000000000002000")
    #expect(daemon.status("CapPrm:") == "0000000000002000")
    #expect(daemon.status("CapBnd:") == "0000000000000000")
    #expect(daemon.status("NoNewPrivs:") == "1")
    #expect(!daemon.status("Uid:").split(separator: " ").contains("0"))
    #expect(!daemon.status("Gid:").split(separator: " ").contains("0"))
    #expect(daemon.status("Groups:") == "")
  }

  @Test("a broken configuration changes nothing and is named with its place; a good one is in force without a frame lost")
  func reload() throws {
    let daemon = Daemon()
    _ = try #require(daemon.start(configuration: "[log]\nthroughput = 0\n"))
    daemon.arp(from: anna, 5)
    _ = try #require(daemon.seconds(within: 5) { daemon.knows(anna) })

    daemon.write("lanatomy.toml", "[log]\nthroughputt = 0\n")
    kill(daemon.process, SIGHUP)
    _ = try #require(daemon.seconds(within: 5) { daemon.text("log").contains("event=reload result=refused") })
    #expect(daemon.text("log").contains("lanatomy.toml:2:1: unknown key 'throughputt' in [log]; did you mean 'throughput'?"))

    // A filter that libpcap does not take is found by the capture only.
    daemon.write("lanatomy.toml", "[capture]\nfilter = \"nonsense and\"\n[[device]]\nmac = \"\(anna)\"\nname = \"never\"\n")
    kill(daemon.process, SIGHUP)
    _ = try #require(daemon.seconds(within: 5) { daemon.text("log").contains("event=reload result=refused problems=1\n", times: 2) })
    daemon.arp(from: bert, 6)
    _ = try #require(daemon.seconds(within: 5) { daemon.knows(bert) })
    #expect(!daemon.text("run/report.json").contains("never"))

    daemon.write("lanatomy.toml", "[capture]\npromiscuous = false\n[[device]]\nmac = \"\(anna)\"\nname = \"the laptop\"\n")
    kill(daemon.process, SIGHUP)
    for n in 10..<20 { daemon.arp(from: "02:00:5e:20:00:\(n)", n) }
    _ = try #require(daemon.seconds(within: 5) { daemon.text("log").contains("event=reload result=taken") })
    _ = try #require(daemon.seconds(within: 8) { daemon.report()?.capture.frames == 12 })
    #expect(daemon.text("run/report.json").contains("the laptop"))
    #expect(daemon.knows(anna))

    // Under traffic both rings hold the same frames for a while: each is counted once.
    let traffic = daemon.stream(frames: 1500)
    for isPromiscuous in [true, false, true] {
      usleep(400_000)
      daemon.write("lanatomy.toml", "[capture]\npromiscuous = \(isPromiscuous)\n")
      kill(daemon.process, SIGHUP)
    }
    #expect(daemon.lab.wait(traffic, seconds: 10) == 0)
    _ = daemon.seconds(within: 8) { daemon.report()?.capture.frames ?? 0 >= 1512 }
    #expect(daemon.text("log").contains("event=reload result=taken", times: 4))
    #expect(daemon.report()?.capture.frames == 1512)
  }

  @Test("an interface that is deleted and made again is captured on within two seconds, time after time, with the same descriptors")
  func interfaces() throws {
    let daemon = Daemon()
    _ = try #require(daemon.start())
    _ = daemon.seconds(within: 1) { false }
    let descriptors = daemon.descriptors
    for round in 1...3 {
      let lines = daemon.text("log").split(separator: "\n").count { $0.contains("event=interface") }
      daemon.unplug()
      _ = try #require(daemon.seconds(within: 5) { daemon.text("log").contains("state=waiting", times: round) })
      daemon.plug()
      let mac = "02:00:5e:20:01:0\(round)"
      let back = daemon.seconds(within: 5) {
        daemon.arp(from: mac, 30 + round)
        return daemon.text("log").contains("state=capturing", times: round + 1)
      }
      #expect(try #require(back) < 2)
      daemon.arp(from: mac, 30 + round)
      _ = try #require(daemon.seconds(within: 5) { daemon.knows(mac) })
      #expect(daemon.text("log").split(separator: "\n").count { $0.contains("event=interface") } == lines + 2)
    }
    #expect(daemon.descriptors == descriptors)
  }

  @Test("files and links that somebody planted in its folders lead nowhere")
  func planted() throws {
    let daemon = Daemon()
    for folder in ["run", "state"] { mkdir("\(daemon.folder)/\(folder)", 0o777) }
    daemon.write("victim", "untouched")
    for name in ["run/report.txt", "run/.report.json.new", "run/decoding"] {
      symlink("\(daemon.folder)/victim", "\(daemon.folder)/\(name)")
    }
    mkfifo("\(daemon.folder)/run/report.json", 0o600)
    _ = try #require(daemon.start())
    daemon.arp(from: anna, 5)
    _ = try #require(daemon.seconds(within: 5) { daemon.knows(anna) })
    #expect(daemon.end().status == 0)
    #expect(daemon.text("victim") == "untouched")
  }

  @Test("killed at any moment it leaves whole files and an intact history, and remembers what it knew")
  func killed() throws {
    let daemon = Daemon()
    _ = try #require(daemon.start())
    for n in 1...5 { daemon.arp(from: "02:00:5e:20:02:0\(n)", n) }
    // The promise: what is five seconds old is kept.
    _ = try #require(daemon.seconds(within: 5) { daemon.knows("02:00:5e:20:02:05") })
    _ = daemon.seconds(within: 5.5) { false }
    for _ in 0..<6 {
      usleep(UInt32.random(in: 50_000...900_000))
      #expect(daemon.end(SIGKILL).status == 128 + SIGKILL)
      #expect(daemon.report() != nil)
      #expect(try FileManager.default.contentsOfDirectory(atPath: "\(daemon.folder)/run").filter { $0.hasSuffix(".new") }.count <= 1)
      #expect(
        daemon.lab.inside("mon", Lab.find("sqlite3") ?? "sqlite3", "\(daemon.folder)/state/history.db", "pragma integrity_check") == 0)
      _ = try #require(daemon.start())
    }
    #expect(daemon.text("log").contains("known=5"))
    // Who was known is not new again.
    let lines = daemon.text("log").split(separator: "\n").count { $0.contains("event=new") }
    daemon.arp(from: "02:00:5e:20:02:01", 1)
    _ = try #require(daemon.seconds(within: 5) { daemon.knows("02:00:5e:20:02:01") })
    #expect(daemon.text("log").split(separator: "\n").count { $0.contains("event=new") } == lines)
    #expect(daemon.end().status == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: "\(daemon.folder)/run").filter { $0.hasSuffix(".new") }.isEmpty)
  }

  @Test("without the right to capture, or with a wrong configuration, it ends at once with a status of its own")
  func refused() {
    let daemon = Daemon()
    let base = ["run", "--runtime", "\(daemon.folder)/run", "--state", "\(daemon.folder)/state"]
    func status(_ words: [String], asNobody: Bool = false) -> Int32? {
      let prefix = asNobody ? [Lab.find("setpriv") ?? "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
      return daemon.lab.wait(daemon.lab.start("mon", prefix + [Lab.program] + base + words, output: "refused"), seconds: 5)
    }
    #expect(status(["-i", "m0"], asNobody: true) == 77)
    #expect(status(["-i", "../x"]) == 78)
    #expect(status(["--config", "/nonexistent"]) == 78)
    #expect(status(["-i", "m0", "nonsense"]) == 64)
  }
}

extension String {
  fileprivate func contains(_ part: String, times: Int) -> Bool {
    var rest = Substring(self)
    for _ in 0..<times {
      guard let found = rest.firstRange(of: part) else { return false }
      rest = rest[found.upperBound...]
    }
    return true
  }
}
