public import Wire

/// Makers' names by address prefix, from the IEEE registries as Debian's `ieee-data` packs them (CSV: registry, assignment, name, address).
///
/// Text is handed in; no file is opened here. Only the prefixes asked for are kept, so that three megabytes of registry cost nothing.
public struct VendorNames: Sendable {
  private var names: [Int: [UInt64: String]] = [:]
  private let wanted: [Int: Set<UInt64>]

  /// - Parameter macs: the addresses that will be asked for.
  public init(for macs: some Sequence<MACAddress> = []) {
    var wanted: [Int: Set<UInt64>] = [:]
    for mac in macs {
      for bits in [24, 28, 36] { wanted[bits, default: []].insert(mac.bits >> UInt64(48 - bits)) }
    }
    self.wanted = wanted
  }

  /// Reads one registry file.
  public mutating func read(_ text: some Collection<UInt8>) {
    for line in text.split(separator: 0x0a) {
      // MA-L,002272,"American Micro-Fuel Device Corp.",…
      guard let first = line.firstIndex(of: 0x2c) else { continue }
      let rest = line[line.index(after: first)...]
      var value: UInt64 = 0
      var digits = 0
      var at = rest.startIndex
      while at < rest.endIndex, let digit = hexDigit(rest[at]), digits < 10 {
        value = value << 4 | UInt64(digit)
        digits += 1
        at = rest.index(after: at)
      }
      guard digits == 6 || digits == 7 || digits == 9, at < rest.endIndex, rest[at] == 0x2c, wanted[digits * 4]?.contains(value) ?? false
      else {
        continue
      }
      names[digits * 4, default: [:]][value] = VendorNames.field(rest[rest.index(after: at)...])
    }
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

  /// The longest prefix that is known, nil when none is.
  public func name(of mac: MACAddress) -> String? {
    for bits in [36, 28, 24] {
      if let name = names[bits]?[mac.bits >> UInt64(48 - bits)], !name.isEmpty, name != "IEEE Registration Authority" {
        return WireText.clean(name)
      }
    }
    return nil
  }
}
