/// `Dissector.all`, compiled once into look-ups that cost a bulk frame one bit test and any other a load. Only the rare kinds of key are
/// hashed.
struct DissectorIndex: Sendable {
  /// Places by a number, as place + 1; 0 nobody.
  private typealias Places = [UInt16]

  /// One bit for each UDP port somebody listens on: bulk traffic ends here.
  private var udpPorts = [UInt64](repeating: 0, count: 1024)
  private var udp = PagedPlaces()
  private var etherTypes = PagedPlaces()
  private var ipProtocols = Places(repeating: 0, count: 256)
  private var icmp = Places(repeating: 0, count: 256)
  private var icmpv6 = Places(repeating: 0, count: 256)
  /// A handful: looked through.
  private var groups: [(address: MACAddress, place: Int)] = []
  private var others: [Dissector.Key: Int] = [:]

  /// Of two dissectors with one key the first has it.
  ///
  /// - Parameter setAside: places in `all` that shall not run.
  init(_ all: [Dissector], setAside: Set<Int>) {
    func claim(_ places: inout Places, _ number: Int, _ place: Int) {
      if places[number] == 0 { places[number] = UInt16(place + 1) }
    }
    for (place, dissector) in all.enumerated() where !setAside.contains(place) {
      for key in dissector.keys {
        switch key {
        case .udp(let port):
          udpPorts[Int(port.rawValue >> 6)] |= 1 << UInt64(port.rawValue & 63)
          udp.claim(port.rawValue, place)
        case .etherType(let type): etherTypes.claim(type.rawValue, place)
        case .ipProtocol(let number): claim(&ipProtocols, Int(number.rawValue), place)
        case .icmp(let type): claim(&icmp, Int(type), place)
        case .icmpv6(let type): claim(&icmpv6, Int(type), place)
        case .group(let address): if !groups.contains(where: { $0.address == address }) { groups.append((address, place)) }
        case .llc, .snap, .wireless: if others[key] == nil { others[key] = place }
        }
      }
    }
  }

  @inline(__always)
  private func listens(_ port: Port) -> Bool { udpPorts[Int(port.rawValue >> 6)] & 1 << UInt64(port.rawValue & 63) != 0 }

  /// The dissector for what the header walk found, -1 for none. The summary is not changed: one that is merely lent would be copied.
  @inline(__always)
  func place(for summary: inout FrameSummary) -> Int {
    summary.flags.contains(.hasIP) ? placeInIP(&summary) : placeOnLink(&summary)
  }

  private func placeInIP(_ summary: inout FrameSummary) -> Int {
    // Inner networks are not this wire, later fragments no headers.
    if !summary.flags.isDisjoint(with: [.laterFragment, .tunnel, .encrypted]) { return -1 }
    switch summary.ipProtocol {
    case .udp:
      guard summary.flags.contains(.hasPorts) else { return -1 }
      if listens(summary.destinationPort) { return udp[summary.destinationPort.rawValue] }
      if listens(summary.sourcePort) { return udp[summary.sourcePort.rawValue] }
      return -1
    case .icmp: return Int(icmp[Int(summary.icmpType)]) - 1
    case .icmpv6: return Int(icmpv6[Int(summary.icmpType)]) - 1
    default: return Int(ipProtocols[Int(summary.ipProtocol.rawValue)]) - 1
    }
  }

  private func placeOnLink(_ summary: inout FrameSummary) -> Int {
    // Data frames that could be read have an EtherType or LLC; the others are the radio's own.
    if summary.flags.contains(.isWireless), summary.etherType.rawValue == 0, !summary.flags.contains(.isLLC) {
      return others[.wireless(summary.wireless.type)] ?? -1
    }
    if summary.destination.isGroup {
      let destination = summary.destination
      for group in groups where group.address == destination { return group.place }
    }
    if summary.flags.contains(.isLLC) {
      if summary.snap != 0 { return others[.snap(summary.snap)] ?? -1 }
      return others[.llc(UInt16(truncatingIfNeeded: summary.llc >> 8))] ?? -1
    }
    return etherTypes[summary.etherType.rawValue]
  }
}

/// Places by a 16-bit number of which few are claimed: in pages of 256, and one page for all that hold nothing. Whole, two of these would be a
/// quarter of a megabyte of zeros.
private struct PagedPlaces: Sendable {
  private var pages = [UInt16](repeating: 0, count: 256)
  /// As place + 1; 0 nobody.
  private var places = [UInt16](repeating: 0, count: 256)

  /// -1 for nobody.
  @inline(__always)
  subscript(_ number: UInt16) -> Int { Int(places[Int(pages[Int(number >> 8)]) << 8 | Int(number & 0xff)]) - 1 }

  /// Of two with one number the first has it.
  mutating func claim(_ number: UInt16, _ place: Int) {
    let page = Int(number >> 8)
    if pages[page] == 0 {
      pages[page] = UInt16(places.count >> 8)
      places += [UInt16](repeating: 0, count: 256)
    }
    let at = Int(pages[page]) << 8 | Int(number & 0xff)
    if places[at] == 0 { places[at] = UInt16(place + 1) }
  }
}
