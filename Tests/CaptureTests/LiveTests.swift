import CLinux
import Glibc
import Testing
import Wire

@testable import Capture

@_silgen_name("unshare") private func unshare(_ flags: Int32) -> Int32

/// Runs a program and waits for it.
@discardableResult
private func run(_ arguments: String...) -> Bool {
  var pid = pid_t()
  var list: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
  defer { for case .some(let text) in list { free(text) } }
  list.append(nil)
  var environment: [UnsafeMutablePointer<CChar>?] = [nil]
  guard let program = list.first ?? nil, posix_spawn(&pid, program, nil, nil, list, &environment) == 0 else { return false }
  var status: Int32 = 0
  waitpid(pid, &status, 0)
  return status == 0
}

private let ipProgram: String = {
  let places: [String] = ["/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip"]
  return places.first { access($0, X_OK) == 0 } ?? ""
}()

/// A network namespace of a thread's own, which is gone with the thread: a pair of interfaces, and nothing else.
private struct Namespace {
  /// Whether this machine lets us make one.
  static let works: Bool = {
    final class Answer: @unchecked Sendable { var works = false }
    let answer = Answer()
    onThread { answer.works = Namespace() != nil }
    return answer.works
  }()

  static let here = "lanacap0"
  static let there = "lanacap1"

  init?() {
    guard geteuid() == 0, !ipProgram.isEmpty, unshare(0x4000_0000) == 0 else { return nil }
    // Otherwise the kernel itself would send router solicitations and group reports.
    for name in ["all", "default"] {
      let file = open("/proc/sys/net/ipv6/conf/\(name)/disable_ipv6", O_WRONLY)
      if file >= 0 {
        writeAll(file, [0x31])
        close(file)
      }
    }
    guard makePair() else { return nil }
  }

  func makePair() -> Bool {
    run(ipProgram, "link", "add", Namespace.here, "type", "veth", "peer", "name", Namespace.there)
      && run(ipProgram, "link", "set", Namespace.here, "up") && run(ipProgram, "link", "set", Namespace.there, "up")
  }

  /// A packet socket on the far end.
  func socket(on name: String = Namespace.there) -> Int32 {
    let descriptor = Glibc.socket(AF_PACKET, Int32(SOCK_RAW.rawValue) | Int32(SOCK_NONBLOCK.rawValue), Int32(UInt16(3).bigEndian))
    var address = sockaddr_ll()
    address.sll_family = UInt16(AF_PACKET)
    address.sll_protocol = UInt16(3).bigEndian
    address.sll_ifindex = Int32(if_nametoindex(name))
    _ = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_ll>.size)) }
    }
    return descriptor
  }

  func send(_ frames: [[UInt8]], on name: String = Namespace.there) {
    let descriptor = socket(on: name)
    for frame in frames { _ = frame.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, 0) } }
    close(descriptor)
  }
}

/// What happened on a thread, for the test that waits for it.
private final class Seen: @unchecked Sendable {
  var frames: [Taken] = []
  var status = CaptureStatus()
  var errors: [CaptureError] = []
  var notes: [String] = []
  var count = 0

  func drain(_ capture: inout LiveCapture, until wanted: Int, seconds: Int = 4) {
    for _ in 0..<(seconds * 20) where frames.count < wanted {
      _ = capture.wait(milliseconds: 50)
      do throws(CaptureError) {
        while try capture.drain(
          atMost: 256,
          { frame in
            frames.append(
              Taken(
                number: frame.number, time: frame.time.nanoseconds, interface: frame.interface, link: frame.link,
                wireLength: frame.wireLength, direction: frame.direction, bytes: frame.bytes.copied()))
          }) == .more
        {}
      } catch {
        errors.append(error)
        break
      }
    }
    status = capture.status
  }

  func open(_ settings: CaptureSettings) -> LiveCapture? {
    do throws(CaptureError) { return try LiveCapture(settings) } catch {
      errors.append(error)
      return nil
    }
  }
}

@Suite(
  "live capture",
  .enabled(if: Namespace.works, "NOT TESTED: live capture needs root, network namespaces and the program ip"), .serialized)
struct LiveTests {
  static let mixed: [[UInt8]] =
    (0..<20).map { _ in FilterTests.packet(6, port: 80, length: 600) } + (0..<20).map { ethernet(600, seed: $0) }

  private func inNamespace(_ body: @escaping @Sendable (Namespace, Seen) -> Void) -> Seen {
    let seen = Seen()
    onThread {
      guard let namespace = Namespace() else { return }
      body(namespace, seen)
    }
    return seen
  }

  @Test("frames arrive in order with their lengths, bulk cut, and nothing is lost")
  func frames() {
    let before = time(nil)
    let seen = inNamespace { namespace, seen in
      guard var capture = seen.open(CaptureSettings(interfaces: [Namespace.here])) else { return }
      namespace.send(LiveTests.mixed)
      seen.drain(&capture, until: 40)
    }
    #expect(seen.errors.isEmpty)
    #expect(seen.frames.count == 40)
    #expect(seen.frames.map(\.bytes.count) == LiveTests.mixed.enumerated().map { $0.offset < 20 ? 128 : 600 })
    #expect(seen.frames.allSatisfy { $0.wireLength == 600 && $0.link == .ethernet && $0.interface == 0 })
    #expect(seen.frames.map(\.number) == Array(1...40))
    #expect(seen.frames.suffix(20).map(\.bytes) == Array(LiveTests.mixed.suffix(20)))
    #expect(seen.frames.allSatisfy { $0.time / 1_000_000_000 >= before && $0.time / 1_000_000_000 <= before + 30 })
    #expect(seen.status.dropped == 0)
    #expect(seen.status.received == 40)
    #expect(seen.status.linkTypes == [.ethernet])
    #expect(seen.status.interfaceNames == [Namespace.here])
    #expect(seen.status.interfaceStates == [.capturing])
  }

  @Test("frames in quick succession gather, unless the caller is wanted elsewhere; none is lost by it")
  func gathering() {
    let seen = inNamespace { namespace, seen in
      guard var capture = seen.open(CaptureSettings(interfaces: [Namespace.here])) else { return }
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { return }
      writeAll(ends[1], [1])
      namespace.send((0..<2000).map { ethernet(1400, seed: $0) })
      // Once it woke for frames twice in quick succession it does not look for more, although there are some.
      for _ in 0..<50 where seen.count == 0 {
        if capture.wait(milliseconds: 1000), !capture.wait(milliseconds: 1000, also: ends[0]) { seen.count += 1 }
      }
      // A caller who has no time gets what is there.
      seen.notes = [capture.wait(milliseconds: 1000) ? "frames" : "none"]
      seen.drain(&capture, until: 2000)
      for end in ends { close(end) }
    }
    #expect(seen.errors.isEmpty)
    #expect(seen.count > 0)
    #expect(seen.notes == ["frames"])
    #expect(seen.frames.count == 2000)
    #expect(seen.status.dropped == 0)
  }

  @Test("no more gathers than a quarter of what the ring holds at the full rate of gigabit Ethernet")
  func gatheringTime() {
    for mebibytes in [0, 1, 4, 16, 32] {
      var settings = CaptureSettings(interfaces: ["eth0"])
      settings.bufferBytes = max(1 << 19, mebibytes << 20)
      let bytes = settings.gathering * 125_000
      #expect(bytes * 4 <= settings.bufferBytes)
      #expect(settings.gathering > 0 && settings.gathering <= 30)
    }
  }

  @Test("the user's filter and snap length are the kernel's")
  func filterAndSnapLength() {
    let seen = inNamespace { namespace, seen in
      var settings = CaptureSettings(interfaces: [Namespace.here])
      settings.filter = "tcp"
      guard var capture = seen.open(settings) else { return }
      settings.filter = nil
      settings.snapLength = 200
      guard var short = seen.open(settings) else { return }
      namespace.send(LiveTests.mixed)
      seen.drain(&capture, until: 20)
      seen.count = seen.frames.count
      seen.drain(&short, until: 60)
    }
    #expect(seen.errors.isEmpty)
    #expect(seen.count == 20)
    #expect(seen.frames.prefix(20).allSatisfy { $0.bytes.count == 128 })
    #expect(seen.frames.dropFirst(20).map(\.bytes.count) == [Int](repeating: 200, count: 40))
  }

  @Test("several interfaces, and 'any' with the interface in each frame's header")
  func several() {
    let seen = inNamespace { namespace, seen in
      guard var both = seen.open(CaptureSettings(interfaces: [Namespace.here, Namespace.there, Namespace.here])) else { return }
      guard var any = seen.open(CaptureSettings(interfaces: ["any"])) else { return }
      namespace.send([ethernet(60, seed: 1)])
      seen.drain(&both, until: 2)
      seen.notes = both.interfaces
      seen.drain(&any, until: 4)
    }
    #expect(seen.errors.isEmpty)
    #expect(seen.notes == [Namespace.here, Namespace.there])
    #expect(Set(seen.frames.prefix(2).map(\.interface)) == [0, 1])
    #expect(seen.frames.dropFirst(2).allSatisfy { $0.link == .linuxSLL2 })
    #expect(seen.frames.count == 4)
  }

  @Test("a capture sends nothing")
  func silence() {
    let seen = inNamespace { namespace, seen in
      let listener = namespace.socket()
      guard var capture = seen.open(CaptureSettings(interfaces: [Namespace.here])) else { return }
      seen.drain(&capture, until: 1, seconds: 1)
      _ = seen.open(CaptureSettings(interfaces: ["nosuch0"]))
      do throws(CaptureError) { _ = try InterfaceFacts.all(pseudo: true) } catch { seen.notes.append(error.description) }
      var bytes = [UInt8](repeating: 0, count: 2048)
      while recv(listener, &bytes, bytes.count, 0) > 0 { seen.count += 1 }
      close(listener)
    }
    #expect(seen.count == 0)
    #expect(seen.notes.isEmpty)
    #expect(seen.frames.isEmpty)
  }

  @Test("what cannot be opened says why, and what to do")
  func refusals() {
    let seen = inNamespace { _, seen in
      run(ipProgram, "link", "set", Namespace.here, "down")
      _ = seen.open(CaptureSettings(interfaces: ["nosuch0"]))
      _ = seen.open(CaptureSettings(interfaces: ["../x"]))
      _ = seen.open(CaptureSettings(interfaces: [Namespace.here]))
      _ = seen.open(CaptureSettings())
      var settings = CaptureSettings(interfaces: [Namespace.there])
      settings.filter = "host ("
      _ = seen.open(settings)
    }
    let errors = seen.errors
    #expect(errors.map(\.exitStatus) == [66, 64, 75, 66, 64])
    #expect(errors.first?.description.contains("lanacap0 (down)") == true)
    #expect(errors.dropFirst(2).first?.remedy == "ip link set lanacap0 up")
    #expect(errors.dropFirst(3).first?.description.contains("name one with -i") == true)
    #expect(errors.allSatisfy { !$0.description.utf8.contains(0x0a) })
  }

  @Test("an interface that is deleted ends the capture; down and up does not")
  func deleted() {
    let seen = inNamespace { namespace, seen in
      guard var capture = seen.open(CaptureSettings(interfaces: [Namespace.here])) else { return }
      run(ipProgram, "link", "set", Namespace.here, "down")
      seen.drain(&capture, until: 1, seconds: 1)
      run(ipProgram, "link", "set", Namespace.here, "up")
      namespace.send([ethernet(60)])
      seen.drain(&capture, until: 1)
      seen.count = seen.frames.count
      run(ipProgram, "link", "del", Namespace.here)
      seen.drain(&capture, until: 2, seconds: 3)
    }
    #expect(seen.count == 1)
    #expect(seen.errors.map(\.exitStatus) == [74])
    #expect(seen.status.interfaceStates == [.waiting])
  }

  @Test("a daemon waits for an interface, takes it up again, and follows its name")
  func awaited() {
    let seen = inNamespace { namespace, seen in
      run(ipProgram, "link", "del", Namespace.here)
      var settings = CaptureSettings(interfaces: [Namespace.here])
      settings.waitsForInterfaces = true
      guard var capture = seen.open(settings) else { return }
      for round in 1...2 {
        guard namespace.makePair() else { return }
        for _ in 0..<40 where capture.status.interfaceStates != [.capturing] { seen.drain(&capture, until: Int.max, seconds: 1) }
        namespace.send([ethernet(60)])
        seen.drain(&capture, until: round)
        seen.count = seen.frames.count
        if round == 1 { run(ipProgram, "link", "del", Namespace.here) }
        if round == 1 { seen.drain(&capture, until: 2, seconds: 1) }
      }
      run(ipProgram, "link", "set", Namespace.here, "name", "lanacap9")
      seen.drain(&capture, until: 3, seconds: 1)
      seen.notes = capture.interfaces
    }
    #expect(seen.errors.isEmpty)
    #expect(seen.count == 2)
    #expect(seen.notes == ["lanacap9"])
    #expect(seen.status.received == 2)
  }

  @Test("the list tells the pair's kind, state and addresses, and where the default route leads")
  func list() {
    let seen = inNamespace { _, seen in
      run(ipProgram, "address", "add", "192.0.2.10/24", "dev", Namespace.here)
      run(ipProgram, "route", "add", "default", "via", "192.0.2.1")
      do throws(CaptureError) {
        let facts = try InterfaceFacts.defaultInterface()
        seen.notes = [facts.name, facts.detail ?? "", facts.addresses.map { "\($0.address)/\($0.prefixLength)" }.joined()]
        seen.notes += facts.gateways.map(\.description) + ["\(facts.isUp) \(facts.isRunning) \(facts.kind)"]
      } catch { seen.errors.append(error) }
    }
    #expect(seen.errors.isEmpty)
    #expect(seen.notes == [Namespace.here, "veth", "192.0.2.10/24", "192.0.2.1", "true true ethernet"])
  }
}
