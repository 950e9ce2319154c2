internal import CLinux
internal import CPcap
internal import Glibc
internal import Wire

/// What a live capture keeps: one tap for each interface.
struct LiveTaps: ~Copyable {
  struct Tap {
    /// As the kernel calls it now.
    var name: String
    var index: UInt32
    /// By which frames name it; nil: its place.
    var number: Int?
    /// nil while the interface is not there.
    var handle: OpaquePointer?
    var descriptor: Int32 = -1
    var link = LinkType.ethernet
    /// libpcap's pseudo interfaces take an empty socket for an error: they are asked only when there is something.
    var isPseudo = false
    /// Nanoseconds for one unit of libpcap's fraction.
    var unit: Int64 = 1
    var received = WrappingCounter()
    var droppedByKernel = WrappingCounter()
    var droppedByInterface = WrappingCounter()
    /// When to try again, and how long to wait after that, in monotonic nanoseconds.
    var retryAt: Int64 = 0
    var pause: Int64 = LiveTaps.shortestPause
    /// Whether there were no descriptors for it.
    var isLeftOut = false
  }

  static let second: Int64 = 1_000_000_000
  static let shortestPause = second / 2
  static let longestPause = 30 * second

  let settings: CaptureSettings
  var taps: [Tap]
  private var number = 0
  private var earlierFrames = 0
  /// How often an interface went, came back or was renamed.
  private(set) var changes = 0
  /// Whose turn it is first.
  private var turn = 0
  private var nextCheck: Int64 = 0
  /// When there were frames last, in monotonic nanoseconds.
  private var wokeAt: Int64 = 0
  /// Whether there were some soon after those before.
  private var isBusy = false

  private init(_ settings: CaptureSettings, _ taps: [Tap]) {
    self.settings = settings
    self.taps = taps
  }

  deinit {
    for tap in taps { if let handle = tap.handle { pcap_close(handle) } }
  }

  static func open(_ wanted: CaptureSettings) throws(CaptureError) -> LiveTaps {
    var settings = wanted
    if let problem = settings.problems().first { throw CaptureError(.usage, "", problem) }
    let all = try InterfaceFacts.all()
    if settings.interfaces.isEmpty { settings.interfaces = [try InterfaceFacts.defaultInterface(among: all).name] }
    var names: [String] = []
    for name in settings.interfaces where !names.contains(name) { names.append(name) }
    settings.interfaces = names
    var taps = LiveTaps(settings, names.map { Tap(name: $0, index: if_nametoindex($0)) })
    for place in names.indices {
      do throws(CaptureError) {
        try taps.openTap(place)
      } catch {
        let isAbsent = error.status == .noInput || error.status == .tryAgain
        guard (isAbsent || taps.taps[place].isLeftOut) && settings.waitsForInterfaces else { throw LiveTaps.explained(error, all) }
        taps.taps[place].retryAt = LiveTaps.now() + shortestPause
      }
    }
    return taps
  }

  /// With the names that do exist, where one does not.
  private static func explained(_ error: CaptureError, _ all: [InterfaceFacts]) -> CaptureError {
    guard error.status == .noInput, error.remedy == nil else { return error }
    var error = error
    error.remedy = InterfaceFacts.choices(among: all)
    return error
  }

  // MARK: Opening

  private mutating func openTap(_ place: Int) throws(CaptureError) {
    let name = taps[place].name
    // The first one is what the others are beside.
    taps[place].isLeftOut = place > 0 && !LiveTaps.hasRoom
    if taps[place].isLeftOut {
      throw CaptureError(
        .system, name, "this process may not open more descriptors",
        remedy: "raise the limit (ulimit -n, LimitNOFILE= of the unit), or name fewer interfaces")
    }
    let index = if_nametoindex(name)
    let isReal = index != 0
    if !isReal && !InterfaceFacts.pseudoInterfaces(besides: []).contains(where: { $0.name == LiveTaps.group(of: name) }) {
      throw CaptureError(.noInput, name, "there is no such interface")
    }
    if !isReal && LiveTaps.group(of: name) == "nfqueue" {
      throw CaptureError(
        .noInput, name, "listening there would take part in the firewall's decisions", remedy: "use nflog, which only copies")
    }
    let handle = try activated(name, isReal: isReal)
    do throws(CaptureError) {
      var tap = taps[place]
      tap.index = index
      tap.isPseudo = !isReal && name != "any"
      try prepare(handle, &tap)
      tap.handle = handle
      tap.pause = LiveTaps.shortestPause
      taps[place] = tap
    } catch {
      pcap_close(handle)
      throw error
    }
  }

  /// Descriptors that the rest of the program needs: files, sockets and what libraries open for a moment.
  private static let descriptorReserve: rlim_t = 24

  /// Whether another interface may be opened without taking what the rest of the program needs.
  private static var hasRoom: Bool {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return true }
    // The kernel gives the lowest number that is free: this one is in use when nearly all below it are.
    return limit.rlim_cur > descriptorReserve && fcntl(Int32(clamping: limit.rlim_cur - descriptorReserve), F_GETFD) == -1
  }

  /// "nflog:5" is a group of "nflog".
  private static func group(of name: String) -> String {
    String(decoding: name.utf8.prefix { $0 != 0x3a }, as: UTF8.self)
  }

  private func activated(_ name: String, isReal: Bool) throws(CaptureError) -> OpaquePointer {
    var reason = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
    guard let handle = pcap_create(name, &reason) else {
      let text = String(decoding: reason.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      throw CaptureError(.system, name, "cannot be opened (\(WireText.clean(text)))")
    }
    // Promiscuous mode means nothing to the pseudo interfaces, and `any` would warn of it.
    let isPromiscuous = settings.promiscuous && isReal
    pcap_set_snaplen(handle, Int32(clamping: settings.snapLength ?? CaptureSettings.wholeFrame))
    pcap_set_promisc(handle, isPromiscuous ? 1 : 0)
    pcap_set_timeout(handle, 100)
    pcap_set_buffer_size(handle, Int32(clamping: settings.ringBytes))
    pcap_set_tstamp_precision(handle, PCAP_TSTAMP_PRECISION_NANO)
    let result = pcap_activate(handle)
    if let error = refusal(result, name, words(from: pcap_geterr(handle)), isPromiscuous: isPromiscuous) {
      pcap_close(handle)
      throw error
    }
    return handle
  }

  /// What a result of `pcap_activate` means for the user; nil when the handle may be used.
  private func refusal(_ result: Int32, _ name: String, _ text: String, isPromiscuous: Bool) -> CaptureError? {
    let detail = text.isEmpty ? words(from: pcap_statustostr(result)) : text
    switch result {
    case PCAP_ERROR_PERM_DENIED:
      return CaptureError(
        .noPermission, name, "no permission to capture",
        remedy: "run as root, or once: setcap cap_net_raw+ep \(LiveTaps.ownPath)")
    case PCAP_ERROR_PROMISC_PERM_DENIED:
      return CaptureError(.noPermission, name, "no permission for promiscuous mode", remedy: "run as root, or without it: -p")
    case PCAP_ERROR_NO_SUCH_DEVICE: return CaptureError(.noInput, name, "there is no such interface")
    case PCAP_ERROR_IFACE_NOT_UP:
      return CaptureError(.tryAgain, name, "the interface is not up", remedy: "ip link set \(WireText.clean(name)) up")
    case PCAP_WARNING_PROMISC_NOTSUP where isPromiscuous:
      return CaptureError(.noPermission, name, "promiscuous mode is refused (\(detail))", remedy: "do without it: -p")
    case ..<0: return CaptureError(.system, name, "cannot be captured on (\(detail))")
    default: return nil
    }
  }

  /// Our own file, for a command that can be pasted.
  private static var ownPath: String {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let room = bytes.count
    let got = bytes.withUnsafeMutableBytes { buffer -> Int in
      guard let start = buffer.baseAddress else { return 0 }
      return readlink("/proc/self/exe", start.assumingMemoryBound(to: CChar.self), room)
    }
    let path = bytes.prefix(max(0, min(got, room)))
    let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._+-".utf8)
    return !path.isEmpty && path.allSatisfy(plain.contains) ? String(decoding: path, as: UTF8.self) : "lanatomy"
  }

  /// Link type, filter, and no waiting inside libpcap.
  private func prepare(_ handle: OpaquePointer, _ tap: inout Tap) throws(CaptureError) {
    // Which interface a frame came from is worth four bytes more.
    if pcap_datalink(handle) == DLT_LINUX_SLL && tap.name == "any" { pcap_set_datalink(handle, DLT_LINUX_SLL2) }
    let number = pcap_datalink(handle)
    tap.link = LinkType.fromFile(UInt32(bitPattern: number))
    guard LiveTaps.isNetwork(tap.link) else {
      let kind = pcap_datalink_val_to_name(number).map { words(from: $0) } ?? "\(number)"
      throw CaptureError(.noInput, tap.name, "carries no frames of a network (link type \(kind))")
    }
    tap.unit = pcap_get_tstamp_precision(handle) == PCAP_TSTAMP_PRECISION_NANO ? 1 : 1000
    try installFilter(handle, tap.link)
    var reason = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
    guard pcap_setnonblock(handle, 1, &reason) == 0 else {
      throw CaptureError(.system, tap.name, "cannot be polled (\(words(from: pcap_geterr(handle))))")
    }
    tap.descriptor = pcap_get_selectable_fd(handle)
    tap.received.startOver()
    tap.droppedByKernel.startOver()
    tap.droppedByInterface.startOver()
  }

  /// USB, Bluetooth, D-Bus and CAN are no local networks, and nothing here reads them.
  private static func isNetwork(_ link: LinkType) -> Bool {
    link.hasStations
      || [.null, .loop, .raw, .ipv4, .ipv6, .ppp, .pppHDLC, .pppEther, .pppPPPD, .pppWithDirection, .ipnet].contains(link)
  }

  private func installFilter(_ handle: OpaquePointer, _ link: LinkType) throws(CaptureError) {
    var lines: [bpf_insn] = []
    if let expression = settings.filter {
      var program = try Filter.compile(expression, on: handle)
      lines = Filter.lines(of: program)
      pcap_freecode(&program)
    }
    if settings.cuts && settings.snapLength == nil && link == .ethernet { lines = Filter.joined(lines, with: Filter.cutting) }
    guard !lines.isEmpty else { return }
    let result = lines.withUnsafeMutableBufferPointer { buffer in
      var program = bpf_program(bf_len: UInt32(buffer.count), bf_insns: buffer.baseAddress)
      return pcap_setfilter(handle, &program)
    }
    guard result == 0 else {
      throw CaptureError(.system, "filter", "the kernel does not take it (\(words(from: pcap_geterr(handle))))")
    }
  }

  // MARK: Reading

  /// What the callback of libpcap works on. An object: what is constant in one is called without being counted, frame by frame, as held.
  private final class Turn {
    private let body: (borrowing Frame) -> Void
    private(set) var number: Int
    private let interface: Int
    private let link: LinkType
    private let unit: Int64

    init(_ body: @escaping (borrowing Frame) -> Void, number: Int, interface: Int, link: LinkType, unit: Int64) {
      self.body = body
      self.number = number
      self.interface = interface
      self.link = link
      self.unit = unit
    }

    @inline(__always)
    func receive(_ header: UnsafePointer<pcap_pkthdr>, _ bytes: UnsafePointer<UInt8>) {
      // The next frame lies behind this one in the ring, in memory that only the kernel has touched: its header, then its first bytes.
      let next = bytes + Int((header.pointee.caplen &+ 15) & ~15)
      for line in 0..<3 { clinux_prefetch(next + 64 * line) }
      let seconds = min(max(0, Int64(header.pointee.ts.tv_sec)), 7_258_118_400)
      let fraction = Int64(header.pointee.ts.tv_usec) &* unit
      number &+= 1
      body(
        Frame(
          number: number, time: Timestamp(nanoseconds: seconds &* 1_000_000_000 &+ fraction), interface: interface, link: link,
          wireLength: Int(header.pointee.len), bytes: UnsafeRawBufferPointer(start: bytes, count: Int(header.pointee.caplen)).bytes))
    }
  }

  mutating func drain(atMost: Int, _ body: (borrowing Frame) -> Void) throws(CaptureError) -> Drained {
    let now = LiveTaps.now()
    if now >= nextCheck { try check(now) }
    var left = atMost
    var mayHaveMore = false
    let share = max(1, atMost / max(1, taps.count))
    for step in taps.indices where left > 0 {
      let place = (turn + step) % taps.count
      guard taps[place].handle != nil else { continue }
      let wanted = min(left, share)
      let got = lend(place, wanted, body)
      if got < 0 { try lost(place) } else { left -= got }
      if got == wanted { mayHaveMore = true }
    }
    turn = taps.isEmpty ? 0 : (turn + 1) % taps.count
    return mayHaveMore ? .more : .idle
  }

  /// Frames of one tap, or a negative number when it is broken.
  private mutating func lend(_ place: Int, _ wanted: Int, _ body: (borrowing Frame) -> Void) -> Int {
    let tap = taps[place]
    guard let handle = tap.handle else { return 0 }
    if tap.isPseudo {
      var one = pollfd(fd: tap.descriptor, events: Int16(POLLIN), revents: 0)
      if poll(&one, 1, 0) == 0 { return 0 }
    }
    return withoutActuallyEscaping(body) { body in
      let turn = Turn(body, number: earlierFrames + number, interface: tap.number ?? place, link: tap.link, unit: tap.unit)
      let got = pcap_dispatch(
        handle, Int32(clamping: wanted), LiveTaps.receive, Unmanaged.passUnretained(turn).toOpaque().assumingMemoryBound(to: UInt8.self))
      number = turn.number - earlierFrames
      return Int(got)
    }
  }

  private static let receive:
    @Sendable @convention(c) (UnsafeMutablePointer<UInt8>?, UnsafePointer<pcap_pkthdr>?, UnsafePointer<UInt8>?) ->
      Void = { user, header, bytes in
        guard let user, let header, let bytes else { return }
        Unmanaged<Turn>.fromOpaque(user)._withUnsafeGuaranteedRef { $0.receive(header, bytes) }
      }

  mutating func wait(milliseconds: Int, also: Int32) -> Bool {
    guard let milliseconds = gather(milliseconds, also) else { return false }
    let hasFrames = sleep(milliseconds, also)
    if hasFrames {
      let now = LiveTaps.now()
      isBusy = now - wokeAt < 2 * Int64(settings.gathering) * 1_000_000
      wokeAt = now
    }
    return hasFrames
  }

  /// Lets frames gather that come in quick succession: woken for each block of a busy ring, we would begin a hundred times a second with caches
  /// that hold nothing of ours.
  ///
  /// - Returns: the milliseconds that are left; nil when `also` is readable.
  private func gather(_ milliseconds: Int, _ also: Int32) -> Int? {
    guard isBusy else { return milliseconds }
    let rest = Int((wokeAt - LiveTaps.now()) / 1_000_000) + settings.gathering
    let patience = min(rest, milliseconds)
    guard patience > 0 else { return milliseconds }
    var entry = pollfd(fd: also, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, Int32(clamping: patience)) > 0 ? nil : milliseconds - patience
  }

  private func sleep(_ milliseconds: Int, _ also: Int32) -> Bool {
    var descriptors: [pollfd] = []
    var isBlind = false
    for tap in taps where tap.handle != nil {
      if tap.descriptor >= 0 { descriptors.append(pollfd(fd: tap.descriptor, events: Int16(POLLIN), revents: 0)) } else { isBlind = true }
    }
    let ours = descriptors.count
    if also >= 0 { descriptors.append(pollfd(fd: also, events: Int16(POLLIN), revents: 0)) }
    var patience = max(0, milliseconds)
    // Somebody is waited for: look after it in time.
    if taps.contains(where: { $0.handle == nil }) { patience = min(patience, 500) }
    // A handle that cannot be polled is looked at as often as the kernel hands over blocks.
    if isBlind { patience = min(patience, 100) }
    guard poll(&descriptors, nfds_t(descriptors.count), Int32(clamping: patience)) > 0 else { return isBlind }
    return isBlind || descriptors.prefix(ours).contains { $0.revents != 0 }
  }

  // MARK: Coming and going

  /// Twice a second: counters before they can start over, new names, interfaces that are back.
  private mutating func check(_ now: Int64) throws(CaptureError) {
    nextCheck = now + LiveTaps.second / 2
    for place in taps.indices {
      if let handle = taps[place].handle {
        count(place, handle)
        rename(place)
      } else if settings.waitsForInterfaces && now >= taps[place].retryAt {
        try retry(place, now)
      }
    }
  }

  private mutating func count(_ place: Int, _ handle: OpaquePointer) {
    var counters = pcap_stat()
    guard pcap_stats(handle, &counters) == 0 else { return }
    taps[place].received.see(counters.ps_recv)
    taps[place].droppedByKernel.see(counters.ps_drop)
    taps[place].droppedByInterface.see(counters.ps_ifdrop)
  }

  /// The handle of a renamed interface goes on; only its label is old.
  private mutating func rename(_ place: Int) {
    guard taps[place].index != 0 else { return }
    var name = [CChar](repeating: 0, count: 16 + Int(IF_NAMESIZE))
    guard if_indextoname(taps[place].index, &name) != nil else { return }
    let now = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    if now == taps[place].name { return }
    taps[place].name = now
    changes += 1
  }

  /// Absent interfaces are looked for twice a second, which costs next to nothing; one that is there and refuses is asked ever less often.
  private mutating func retry(_ place: Int, _ now: Int64) throws(CaptureError) {
    guard if_nametoindex(taps[place].name) != 0 else {
      taps[place].pause = LiveTaps.shortestPause
      taps[place].retryAt = now + LiveTaps.shortestPause
      return
    }
    do throws(CaptureError) {
      try openTap(place)
      changes += 1
    } catch {
      // Nobody will grant the right while we wait.
      if error.status == .noPermission || error.status == .usage { throw error }
      // Down is cheap to find out, and people expect to be noticed when they set it up.
      let longest = error.status == .tryAgain ? LiveTaps.second : LiveTaps.longestPause
      taps[place].pause = min(taps[place].pause * 2, longest)
      taps[place].retryAt = now + taps[place].pause
    }
  }

  /// A tap whose handle answers with errors: libpcap says "the interface disappeared" to every call from then on.
  private mutating func lost(_ place: Int) throws(CaptureError) {
    guard let handle = taps[place].handle else { return }
    let why = words(from: pcap_geterr(handle))
    count(place, handle)
    pcap_close(handle)
    taps[place].handle = nil
    changes += 1
    taps[place].descriptor = -1
    taps[place].index = 0
    taps[place].pause = LiveTaps.shortestPause
    taps[place].retryAt = LiveTaps.now() + LiveTaps.shortestPause
    if !settings.waitsForInterfaces && taps.allSatisfy({ $0.handle == nil }) {
      throw CaptureError(.io, taps[place].name, "the capture ended (\(why))")
    }
  }

  /// Intervals are measured on the clock that no one sets.
  static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) &* second &+ Int64(time.tv_nsec)
  }

  mutating func goOn(after frames: Int, as interfaces: [Int]) {
    earlierFrames = frames
    for (place, number) in zip(taps.indices, interfaces) { taps[place].number = number }
  }

  // MARK: Facts

  var status: CaptureStatus {
    var out = CaptureStatus()
    out.frames = number
    var received = 0
    var kernel = 0
    var interface = 0
    for tap in taps {
      if tap.handle != nil && !out.linkTypes.contains(tap.link) { out.linkTypes.append(tap.link) }
      out.interfaceNames.append(WireText.clean(tap.name))
      out.interfaceStates.append(tap.handle != nil ? .capturing : tap.isLeftOut ? .leftOut : .waiting)
      var counters = pcap_stat()
      if let handle = tap.handle, pcap_stats(handle, &counters) == 0 {
        received += tap.received.with(counters.ps_recv)
        kernel += tap.droppedByKernel.with(counters.ps_drop)
        interface += tap.droppedByInterface.with(counters.ps_ifdrop)
      } else {
        received += tap.received.value
        kernel += tap.droppedByKernel.value
        interface += tap.droppedByInterface.value
      }
    }
    out.received = received
    out.droppedByKernel = kernel
    out.droppedByInterface = interface
    out.dropped = kernel + interface
    out.snapLength = settings.snapLength
    return out
  }
}
