import Wire

/// An IP address as seen in the headers of frames from and to one MAC. Not yet a claim that the address is that station's: a router's
/// MAC carries the addresses of half the internet.
struct BindingRow: TableRow {
  struct Key: BitwiseCopyable {
    var address: IPAddress
    var mac: MACAddress
  }

  let high: UInt64
  let low: UInt64
  let mac: UInt64
  var lastSeen: Int64 = 0
  /// Frames with it as source from this MAC, and as destination to this MAC.
  var framesFrom: UInt32 = 0
  var framesTo: UInt32 = 0
  /// The first frame from it; 0 none.
  var firstFrame: UInt32 = 0
  var vlan: UInt16 = 0
  /// Lowest and highest hop limit of packets from it.
  var lowestHops: UInt8 = 255
  var highestHops: UInt8 = 0
  /// Packets from it that had spent exactly one hop of those that systems start with: of 64, and of 128. They stop counting when full.
  var spentOf64: UInt16 = 0
  var spentOf128: UInt16 = 0

  var address: IPAddress { IPAddress(high: high, low: low) }

  init(_ key: Key) {
    high = key.address.high
    low = key.address.low
    mac = key.mac.bits
  }
  static func hash(_ key: Key, _ seed: UInt64) -> UInt64 {
    mix(key.address.low ^ mix(key.address.high, seed), key.mac.bits ^ seed)
  }
  func matches(_ key: Key) -> Bool { low == key.address.low && mac == key.mac.bits && high == key.address.high }
  func hash(_ seed: UInt64) -> UInt64 { BindingRow.hash(Key(address: address, mac: MACAddress(bits: mac)), seed) }

  @inline(__always)
  mutating func sent(_ s: inout FrameSummary, _ number: UInt32) {
    if framesFrom == 0 {
      firstFrame = number
      vlan = s.vlan
    }
    framesFrom &+= 1
    lastSeen = s.time.nanoseconds
    if s.hopLimit < lowestHops { lowestHops = s.hopLimit }
    if s.hopLimit > highestHops { highestHops = s.hopLimit }
    if s.hopLimit & 0xbf == 63 { spent(s.hopLimit) }
  }

  @inline(never)
  private mutating func spent(_ hopLimit: UInt8) {
    if hopLimit == 63, spentOf64 < .max { spentOf64 &+= 1 }
    if hopLimit == 127, spentOf128 < .max { spentOf128 &+= 1 }
  }

  @inline(__always)
  mutating func received(_ s: inout FrameSummary) {
    framesTo &+= 1
    lastSeen = s.time.nanoseconds
  }

  @inline(__always) var weight: Int {
    64 - Int((UInt64(framesFrom) &+ UInt64(framesTo)).leadingZeroBitCount) + (framesFrom > 0 && framesTo > 0 ? 8 : 0)
  }
}
