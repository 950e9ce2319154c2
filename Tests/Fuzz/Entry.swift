import Capture
import Glibc
import Model
import Publish
import Wire

/// One parser, or one way into the program, fed with bytes that may be anything. It traps where a promise is broken.
struct Entry: Sendable {
  let name: String
  let run: @Sendable (UnsafeRawBufferPointer) -> Void

  /// The order is that of the first byte; the names are what counts.
  static let all: [Entry] = frames + dissectors + [pipeline, report, captureFile, vendors, text, addresses] + stored

  // MARK: Frames

  static let links: [(String, LinkType)] = [
    ("ethernet", .ethernet), ("sll", .linuxSLL), ("sll2", .linuxSLL2), ("radiotap", .radiotap), ("802.11", .ieee80211), ("prism", .prism),
    ("avs", .avs), ("ppi", .ppi), ("pktap", .pktap), ("dsa", .dsa), ("edsa", .edsa), ("dsa-brcm", .dsaBroadcom),
    ("dsa-brcm-prepend", .dsaBroadcomPrepend), ("nflog", .nflog), ("raw", .raw), ("ipv4", .ipv4), ("ipv6", .ipv6), ("null", .null),
    ("loop", .loop), ("ppp", .ppp), ("ppp-hdlc", .pppHDLC), ("ppp-pppd", .pppPPPD), ("ppp-direction", .pppWithDirection),
    ("ppp-ether", .pppEther), ("ipnet", .ipnet), ("unknown", LinkType(147)),
  ]

  /// A whole frame behind two bytes that say how much of it the capture cut off.
  static let frames: [Entry] = links.map { name, link in
    Entry(name: "frame-\(name)") { input in
      guard input.count >= 2 else { return }
      let cut = Int(input[0]) << 8 | Int(input[1])
      let body = UnsafeRawBufferPointer(rebasing: input[2...])
      decode(body, link: link, wireLength: body.count + cut)
    }
  }

  private static let decoder = Decoder()

  private static func decode(_ bytes: UnsafeRawBufferPointer, link: LinkType, wireLength: Int) {
    var summary = FrameSummary()
    var said = Observations()
    let frame = Frame(
      number: 1, time: Timestamp(nanoseconds: 1_700_000_000_000_000_000), interface: 0, link: link, wireLength: wireLength,
      bytes: bytes.bytes)
    decoder.decode(frame, into: &summary, &said)
    precondition(summary.payloadOffset >= 0 && summary.payloadOffset <= summary.payloadEnd, "the payload ends before it begins")
    precondition(summary.payloadEnd <= bytes.count, "the payload ends behind the frame")
    check(said)
  }

  private static func check(_ said: Observations) {
    precondition(said.items.count <= Observations.limit, "more was said than a frame may say")
  }

  // MARK: Dissectors

  /// A dissector's payload, behind one byte: which of its keys the headers had, and whether the capture cut the end off.
  static let dissectors: [Entry] = {
    var seen = Set<String>()
    return Dissector.all.filter { seen.insert($0.name).inserted }.map { dissector in
      Entry(name: dissector.name) { input in
        guard let control = input.first else { return }
        let body = UnsafeRawBufferPointer(rebasing: input[1...])
        var said = Observations()
        let isCut = control & 0x80 != 0
        var summary = headers(dissector.keys[Int(control & 0x7f) % dissector.keys.count], payload: body.count, isCut: isCut)
        var steps = ByteReader.stepLimit
        Dissector.run(dissector.observe, on: body.bytes, &summary, steps: &steps, into: &said)
        check(said)
      }
    }
  }()

  /// Headers that would lead to the key.
  private static func headers(_ key: Dissector.Key, payload: Int, isCut: Bool) -> FrameSummary {
    var s = FrameSummary()
    s.number = 1
    s.time = Timestamp(nanoseconds: 1_700_000_000_000_000_000)
    s.flags = [.hasSource, .hasDestination]
    s.source = MACAddress(bits: 0x0200_0000_0010)
    s.destination = MACAddress(bits: 0x0180_c200_000e)
    s.payloadOffset = 14
    func ip(_ number: IPProtocol, v6: Bool = false) {
      s.flags.insert(.hasIP)
      s.etherType = v6 ? .ipv6 : .ipv4
      s.ipProtocol = number
      s.hopLimit = 255
      s.sourceAddress = v6 ? IPAddress(high: 0xfe80_0000_0000_0000, low: 0x10) : IPAddress(IPv4Address(0xc0a8_0010))
      s.destinationAddress = v6 ? IPAddress(high: 0xff02_0000_0000_0000, low: 1) : IPAddress(IPv4Address(0xe000_0001))
      s.payloadOffset = v6 ? 54 : 34
    }
    switch key {
    case .etherType(let type): s.etherType = type
    case .udp(let port):
      ip(.udp, v6: port == .dhcpv6Client || port == .dhcpv6Server)
      s.flags.insert(.hasPorts)
      s.sourcePort = port
      s.destinationPort = port
      s.payloadOffset += 8
    case .ipProtocol(let number): ip(number)
    case .icmp(let type):
      ip(.icmp)
      s.icmpType = type
    case .icmpv6(let type):
      ip(.icmpv6, v6: true)
      s.icmpType = type
    case .llc(let access):
      s.flags.insert(.isLLC)
      s.llc = UInt32(access) << 8 | 3
    case .snap(let snap):
      s.flags.insert(.isLLC)
      s.llc = 0xaa_aa03
      s.snap = snap
    case .wireless(let type):
      s.flags.insert(.isWireless)
      s.wireless.type = type
      s.wireless.transmitter = s.source
      s.wireless.bssid = s.source
    case .group(let address): s.destination = address
    }
    s.payloadEnd = s.payloadOffset + payload
    s.payloadIsCut = isCut
    s.wireLength = s.payloadEnd + (isCut ? 64 : 0)
    s.capturedLength = s.payloadEnd
    return s
  }

  // MARK: The whole walk

  /// Ceilings so low that a short input reaches all of them.
  private static var smallLimits: Limits {
    var limits = Limits()
    limits.stations = 16
    limits.bindings = 16
    limits.pairs = 16
    limits.subjects = 16
    limits.evidence = 32
    limits.evidencePerSubject = 4
    limits.messages = 16
    return limits
  }

  /// Many frames, each behind the seconds since the one before, its link's place in `links` and its length in two bytes.
  private static func eachFrame(_ input: UnsafeRawBufferPointer, _ body: (borrowing Frame) -> Void) {
    var at = 0
    var number = 0
    var time: Int64 = 1_700_000_000_000_000_000
    while at + 4 <= input.count {
      number += 1
      time += Int64(Int8(bitPattern: input[at])) * 250_000_000
      let link = links[Int(input[at + 1]) % links.count].1
      let length = min(Int(input[at + 2]) << 8 | Int(input[at + 3]), input.count - at - 4)
      let bytes = UnsafeRawBufferPointer(rebasing: input[(at + 4)..<(at + 4 + length)])
      body(
        Frame(
          number: number, time: Timestamp(nanoseconds: time), interface: 0, link: link, wireLength: length, bytes: bytes.bytes))
      at += 4 + length
    }
  }

  static let pipeline = Entry(name: "pipeline") { input in
    var pipeline = Pipeline(limits: smallLimits)
    var limits = smallLimits
    limits.messages = 0
    var reader = Pipeline(limits: limits)
    var frames = 0
    // Three times: a message is known from its third time on.
    for _ in 0..<3 {
      eachFrame(input) {
        pipeline.process($0)
        reader.process($0)
        frames += 1
      }
    }
    precondition(pipeline.counters.frames == frames, "a frame was not counted")
    let first = pipeline.snapshot()
    precondition(first == pipeline.snapshot(), "the same frames gave two pictures")
    precondition(first == reader.snapshot(), "messages that were known gave another picture than messages that were read")
  }

  static let report = Entry(name: "report") { input in
    var pipeline = Pipeline(limits: smallLimits)
    eachFrame(input) { pipeline.process($0) }
    let snapshot = pipeline.snapshot()
    for format in ReportFormat.allCases {
      let text = format.renderer(TextStyle(version: "0")).text(snapshot)
      for byte in text.utf8 { precondition((byte >= 0x20 && byte != 0x7f) || byte == 0x0a, "a control character came out") }
    }
  }

  // MARK: Files and texts

  /// A file in memory without a name, opened anew for each input through its descriptor.
  private static let memoryFile: Int32 = {
    var path = Array("/dev/shm/lanatomy-fuzz-XXXXXX".utf8CString)
    let descriptor = mkstemp(&path)
    unlink(path)
    return descriptor
  }()

  static let captureFile = Entry(name: "capture-file") { input in
    guard memoryFile >= 0, ftruncate(memoryFile, 0) == 0, let base = input.baseAddress else { return }
    guard pwrite(memoryFile, base, input.count, 0) == input.count else { return }
    do throws(CaptureError) {
      var file = try CaptureFile(path: "/proc/self/fd/\(memoryFile)")
      var turns = 0
      var last = 0
      while true {
        let drained = try file.drain(atMost: 64) { frame in
          precondition(frame.number > last, "frames are counted upwards")
          precondition(frame.wireLength >= frame.bytes.byteCount, "longer than on the wire")
          precondition(frame.time <= Timestamp.last)
          last = frame.number
        }
        if drained == .end { break }
        turns += 1
        // Each turn takes 64 frames, and each frame at least its record from the input; gzip makes a thousand bytes of one.
        precondition(turns < 100 + input.count * 1100 / 16, "reading does not come to an end")
      }
      let status = file.status
      precondition(status.frames >= last)
    } catch {
      precondition(!error.description.isEmpty)
    }
  }

  static let vendors = Entry(name: "vendors") { input in
    let macs = (0..<4).map { MACAddress(bits: 0x0022_7200_0000 | UInt64($0) << 40) }
    var names = VendorNames(for: macs)
    names.read(Array(input))
    for mac in macs { if let name = names.name(of: mac) { checkText(name) } }
  }

  private static func checkText(_ text: String) {
    for scalar in text.unicodeScalars {
      let v = scalar.value
      precondition(v >= 0x20 && v != 0x7f && !(0x80..<0xa0).contains(v), "a control character is shown")
      precondition(!(0x200b...0x200f).contains(v) && !(0x2028...0x202e).contains(v) && !(0x2060...0x206f).contains(v) && v != 0xfeff)
    }
  }

  static let text = Entry(name: "text") { input in
    let text = WireText(input.bytes)
    for form in [text, text.trimmed, text.untilNUL, text.lowercasedASCII, WireText(utf16LE: input.bytes)] {
      precondition(form.count <= WireText.limit)
      checkText(form.display)
    }
  }

  static let addresses = Entry(name: "addresses") { input in
    let text = String(decoding: input, as: UTF8.self)
    if let mac = MACAddress(text) { precondition(MACAddress(mac.description) == mac) }
    if let address = IPAddress(text) { precondition(IPAddress(address.description) == address) }
    if let prefix = Prefix(text) { precondition(Prefix(prefix.description) == prefix) }
  }
}
