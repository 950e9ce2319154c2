import Glibc
import Model
import Publish
import Wire

/// A folder of its own for a test, gone with the value.
final class TemporaryFolder {
  let path: String

  init() {
    var template = Array("/tmp/lanatomy-history-XXXXXX\0".utf8.map { CChar(bitPattern: $0) })
    mkdtemp(&template)
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    for name in Files.names(path) { unlink(path + "/" + name) }
    rmdir(path)
  }

  var database: String { path + "/" + HistorySettings.fileName }
}

enum Files {
  static func names(_ folder: String) -> [String] {
    guard let open = opendir(folder) else { return [] }
    defer { closedir(open) }
    var out: [String] = []
    while let entry = readdir(open) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { out.append(name) }
    }
    return out.sorted()
  }

  static func read(_ path: String) -> [UInt8] {
    let file = open(path, O_RDONLY)
    guard file >= 0 else { return [] }
    defer { close(file) }
    var out: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let got = Glibc.read(file, &block, block.count)
      if got <= 0 { return out }
      out += block[..<got]
    }
  }

  static func write(_ path: String, _ bytes: some Collection<UInt8>) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    guard file >= 0 else { return }
    defer { close(file) }
    let bytes = Array(bytes)
    var at = 0
    while at < bytes.count {
      let done = bytes[at...].withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if done <= 0 { return }
      at += done
    }
  }

  static func size(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }
}

/// A live network made of plain values: devices that move so many bytes a second, and a clock that the test turns.
struct LiveHome {
  static let start = Timestamp(seconds: 1_768_032_000, nanoseconds: 0)

  var now = LiveHome.start
  private(set) var elapsed: Int64 = 0
  var hosts: [Host] = []
  var findings: [Finding] = []
  var frames = 0
  var bytes = 0

  static func mac(_ number: Int) -> MACAddress { MACAddress(bits: 0x0200_5e00_0000 | UInt64(number)) }

  mutating func join(_ number: Int, name: WireText? = nil, address: String? = nil) {
    var host = Host(id: LiveHome.mac(number))
    host.firstSeen = now
    host.lastSeen = now
    if let name { host.names = [HostName(text: name, source: "mDNS", frame: 1)] }
    if let address, let v4 = IPv4Address(address) { host.ipv4 = [v4] }
    hosts.append(host)
    hosts.sort { $0.id < $1.id }
  }

  /// Lets time pass in which each device sends and receives.
  mutating func pass(_ seconds: Int, sent: Int = 1000, received: Int = 3000, wallSeconds: Int? = nil, silent: Set<Int> = []) {
    elapsed += Int64(seconds) * 1_000_000_000
    now = Timestamp(nanoseconds: now.nanoseconds + Int64(wallSeconds ?? seconds) * 1_000_000_000)
    for at in hosts.indices where !silent.contains(Int(hosts[at].id.bits & 0xffff)) {
      hosts[at].lastSeen = now
      hosts[at].traffic.sentFrames += 2
      hosts[at].traffic.receivedFrames += 4
      hosts[at].traffic.sentBytes += sent
      hosts[at].traffic.receivedBytes += received
      hosts[at].traffic.internetBytes += sent + received - 100
      hosts[at].traffic.internetSentBytes += sent - 50
      hosts[at].traffic.localBytes += 100
      hosts[at].traffic.localSentBytes += 50
      frames += 6
      bytes += sent + received
    }
  }

  var snapshot: Snapshot {
    var out = Snapshot()
    out.taken = now
    out.elapsed = elapsed
    out.capture.isLive = true
    out.capture.started = LiveHome.start
    out.capture.frames = frames
    out.capture.bytes = bytes
    out.capture.name = WireText("eth0")
    out.hosts = hosts
    out.findings = findings
    return out
  }
}

extension HistoryPublisher {
  func publish(_ home: LiveHome) throws { try publish(home.snapshot, since: nil) }
}
