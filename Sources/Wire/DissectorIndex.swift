/// `Dissector.all`, compiled once into look-ups that cost a bulk frame one bit test.
struct DissectorIndex: Sendable {
  private var table: [Dissector.Key: Int] = [:]
  /// One bit for each UDP port somebody listens on: bulk traffic ends here.
  private var udpPorts = [UInt64](repeating: 0, count: 1024)
  private var ipProtocols = [UInt64](repeating: 0, count: 4)
  private var hasGroups = false

  /// - Parameter setAside: places in `all` that shall not run.
  init(_ all: [Dissector], setAside: Set<Int>) {
    for (place, dissector) in all.enumerated() where !setAside.contains(place) {
      for key in dissector.keys where table[key] == nil {
        table[key] = place
        switch key {
        case .udp(let port): udpPorts[Int(port.rawValue >> 6)] |= 1 << UInt64(port.rawValue & 63)
        case .ipProtocol(let number): ipProtocols[Int(number.rawValue >> 6)] |= 1 << UInt64(number.rawValue & 63)
        case .group: hasGroups = true
        default: break
        }
      }
    }
  }

  @inline(__always)
  private func listens(_ port: Port) -> Bool { udpPorts[Int(port.rawValue >> 6)] & 1 << UInt64(port.rawValue & 63) != 0 }

  /// The dissector for what the header walk found, -1 for none.
  @inline(__always)
  func place(for summary: borrowing FrameSummary) -> Int {
    if summary.flags.contains(.hasIP) {
      if summary.ipProtocol == .tcp { return -1 }
      return placeInIP(summary)
    }
    return placeOnLink(summary)
  }

  private func placeInIP(_ summary: borrowing FrameSummary) -> Int {
    // Inner networks are not this wire, later fragments no headers.
    if !summary.flags.isDisjoint(with: [.laterFragment, .tunnel, .encrypted]) { return -1 }
    switch summary.ipProtocol {
    case .udp:
      guard summary.flags.contains(.hasPorts) else { return -1 }
      if listens(summary.destinationPort), let place = table[.udp(summary.destinationPort)] { return place }
      if listens(summary.sourcePort), let place = table[.udp(summary.sourcePort)] { return place }
      return -1
    case .icmp: return table[.icmp(summary.icmpType)] ?? -1
    case .icmpv6: return table[.icmpv6(summary.icmpType)] ?? -1
    default:
      let number = summary.ipProtocol.rawValue
      guard ipProtocols[Int(number >> 6)] & 1 << UInt64(number & 63) != 0 else { return -1 }
      return table[.ipProtocol(summary.ipProtocol)] ?? -1
    }
  }

  private func placeOnLink(_ summary: borrowing FrameSummary) -> Int {
    // Data frames that could be read have an EtherType or LLC; the others are the radio's own.
    if summary.flags.contains(.isWireless), summary.etherType.rawValue == 0, !summary.flags.contains(.isLLC) {
      return table[.wireless(summary.wireless.type)] ?? -1
    }
    if hasGroups, summary.destination.isGroup, let place = table[.group(summary.destination)] { return place }
    if summary.flags.contains(.isLLC) {
      if summary.snap != 0 { return table[.snap(summary.snap)] ?? -1 }
      return table[.llc(UInt16(truncatingIfNeeded: summary.llc >> 8))] ?? -1
    }
    return table[.etherType(summary.etherType)] ?? -1
  }
}
