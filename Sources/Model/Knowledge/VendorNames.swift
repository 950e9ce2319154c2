public import Wire

/// Makers' names by address prefix, from the IEEE registries as Debian's `ieee-data` packs them (CSV: registry, assignment, name, address).
///
/// Text is handed in; no file is opened here. Only the prefixes asked for are kept, so that three megabytes of registry cost nothing.
public struct VendorNames: Sendable {
  private var names: [Int: [UInt64: String]] = [:]
  private let wanted: [Int: Set<UInt64>]
  /// A bit for the low bits of each wanted prefix: forty thousand lines are looked at, and few of them are hashed.
  private var likely = [Bool](repeating: false, count: 4096)

  /// - Parameter macs: the addresses that will be asked for.
  public init(for macs: some Sequence<MACAddress> = []) {
    var wanted: [Int: Set<UInt64>] = [:]
    for mac in macs {
      for bits in [24, 28, 36] {
        let prefix = mac.bits >> UInt64(48 - bits)
        wanted[bits, default: []].insert(prefix)
        likely[Int(prefix & 4095)] = true
      }
    }
    self.wanted = wanted
  }

  /// Reads one registry file.
  public mutating func read(_ text: [UInt8]) {
    let bytes = unsafe text.span.bytes
    var start = 0
    while start < bytes.byteCount {
      let end = VendorNames.lineEnd(bytes, from: start)
      if let (prefix, bits, at) = VendorNames.prefix(bytes, start, end), likely[Int(prefix & 4095)], wanted[bits]?.contains(prefix) ?? false
      {
        names[bits, default: [:]][prefix] = VendorNames.field(text[at..<end])
      }
      start = end + 1
    }
  }

  /// The place of the next line feed, or the end: eight bytes at a time, since the registry is four megabytes.
  private static func lineEnd(_ bytes: borrowing RawSpan, from start: Int) -> Int {
    let count = bytes.byteCount
    var at = start
    while at &+ 8 <= count {
      // The classic test for a zero byte, exact for the first one.
      let word = bytes.u64(at).byteSwapped ^ 0x0a0a_0a0a_0a0a_0a0a
      let hit = (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
      if hit != 0 { return at &+ hit.trailingZeroBitCount >> 3 }
      at &+= 8
    }
    while at < count, bytes.u8(at) != 0x0a { at &+= 1 }
    return at
  }

  /// The prefix that a line is about, its bits, and where the name behind it begins: MA-L,002272,"American Micro-Fuel Device Corp.",…
  private static func prefix(_ bytes: borrowing RawSpan, _ start: Int, _ end: Int) -> (prefix: UInt64, bits: Int, name: Int)? {
    var at = start
    while at < end, bytes.u8(at) != 0x2c { at &+= 1 }
    at &+= 1
    var value: UInt64 = 0
    var digits = 0
    while at < end, digits < 10, let digit = hexDigit(bytes.u8(at)) {
      value = value << 4 | UInt64(digit)
      digits &+= 1
      at &+= 1
    }
    guard digits == 6 || digits == 7 || digits == 9, at < end, bytes.u8(at) == 0x2c else { return nil }
    return (value, digits * 4, at + 1)
  }

  /// A CSV field, quoted or not.
  private static func field(_ text: some Collection<UInt8>) -> String {
    guard text.first == 0x22 else { return String(decoding: text.prefix { $0 != 0x2c && $0 != 0x0d }, as: UTF8.self) }
    var out: [UInt8] = []
    var quotes = 0
    for c in text {
      if c == 0x22 {
        quotes += 1
        if quotes > 1, quotes % 2 == 1 { out.append(c) }
      } else {
        if quotes % 2 == 0 { break }
        out.append(c)
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// What the registry writes where a block is divided further, or where its owner keeps his name to himself: nobody's name.
  private static let placeholders: Set<String> = ["IEEE Registration Authority", "Private"]

  /// The longest prefix that is known, nil when none is. The address of a router role is no maker's: its block is the standard's.
  public func name(of mac: MACAddress) -> String? {
    guard !mac.isVirtualRouter else { return nil }
    for bits in [36, 28, 24] {
      guard let name = names[bits]?[mac.bits >> UInt64(48 - bits)], !name.isEmpty else { continue }
      if !VendorNames.placeholders.contains(name) { return WireText.clean(name) }
    }
    return nil
  }
}
