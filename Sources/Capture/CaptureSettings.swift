/// What a live capture is asked to do.
public struct CaptureSettings: Sendable, Hashable {
  /// By name; empty takes the one that carries the default route.
  public var interfaces: [String] = []
  public var promiscuous = true
  /// Bytes to keep of each frame; nil keeps all, but for what the cutting filter leaves out.
  public var snapLength: Int?
  /// In libpcap's language; nil takes every frame.
  public var filter: String?
  /// Our cutting filter, which keeps 128 bytes of TCP and QUIC. Off where the user says how much is kept: with `-w` and `-s`.
  public var cuts = true
  /// The kernel's ring for each interface: 16 MiB hold a third of a second at the full rate of gigabit Ethernet. It is resident memory, so
  /// all interfaces together get 32 MiB at most.
  public var bufferBytes = CaptureSettings.mebibyte * 16
  /// The daemon's way: an interface that is absent, down or gone is waited for. Otherwise it is an error.
  public var waitsForInterfaces = false

  static let mebibyte = 1 << 20
  /// More than any frame of an offloading card (184,306 bytes was seen), and libpcap's own ceiling.
  static let wholeFrame = 262_144

  public init(interfaces: [String] = []) {
    self.interfaces = interfaces
  }

  /// The ring of one interface, so that all of them stay within 32 MiB.
  var ringBytes: Int {
    let share = 32 * CaptureSettings.mebibyte / max(1, interfaces.count)
    // Below 512 KiB the kernel has hardly two blocks to alternate between.
    return max(512 << 10, min(max(1, bufferBytes), share))
  }

  /// Milliseconds for which frames may gather in the ring of one interface: a quarter of what it holds at the full rate of gigabit Ethernet, and
  /// never so long that somebody notices.
  var gathering: Int { min(30, ringBytes / 500_000) }

  /// Everything that is wrong with the settings, in words.
  public func problems() -> [String] {
    var out: [String] = []
    for name in interfaces {
      if let problem = InterfaceFacts.problem(withName: name) { out.append(problem) }
    }
    if let snapLength, snapLength < 14 || snapLength > CaptureSettings.wholeFrame {
      out.append("the snap length must be 14 to \(CaptureSettings.wholeFrame), not \(snapLength)")
    }
    if bufferBytes < 1 << 19 || bufferBytes > 32 * CaptureSettings.mebibyte {
      out.append("the capture buffer must be 512 KiB to 32 MiB")
    }
    return out
  }
}
