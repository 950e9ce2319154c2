import Wire

/// Since when and until when somebody used an address: what is past is told as past, and the present is shown (`inference.md` 17, rule 6).
struct Tenure {
  var first: Timestamp
  var last: Timestamp

  /// nil where nothing of it was heard.
  init?(_ mac: MACAddress, _ address: IPAddress, _ picture: Picture) {
    guard let station = picture.station(mac) else { return nil }
    var span: (first: Timestamp, last: Timestamp)?
    func stretch(_ first: Timestamp, _ last: Timestamp) { span = (min(span?.first ?? first, first), max(span?.last ?? last, last)) }
    for item in station.evidence {
      switch item.claim {
      case .holds(address, let how) where how != .lease: stretch(item.first, item.last)
      case .leased(let lease) where !lease.isOffer && IPAddress(lease.address) == address: stretch(item.first, item.first)
      // A server that names itself has its address.
      default: break
      }
    }
    if let row = station.binding(address), row.framesFrom > 0 {
      let last = Timestamp(nanoseconds: row.lastSeen)
      stretch(span?.first ?? last, last)
    }
    guard let span else { return nil }
    (first, last) = span
  }

  /// Of those who show one address those who had it before another one began, and then no more.
  static func past(_ macs: [MACAddress], _ address: IPAddress, _ picture: Picture) -> Set<MACAddress> {
    guard macs.count > 1, picture.routerGroups[address] == nil else { return [] }
    let spans = macs.compactMap { mac in Tenure(mac, address, picture).map { (mac, $0) } }
    return Set(spans.filter { entry in spans.contains { $0.0 != entry.0 && $0.1.first > entry.1.last } }.map(\.0))
  }

  /// Addresses of a station that a newer lease took the place of, and that it used no more.
  static func replaced(_ station: Picture.Station, _ picture: Picture) -> [IPAddress: Timestamp] {
    var leases: [(address: IPAddress, prefix: Prefix?, first: Timestamp, last: Timestamp)] = []
    for item in station.evidence {
      if case .leased(let lease) = item.claim, !lease.isOffer {
        leases.append((IPAddress(lease.address), lease.prefix, item.first, item.last))
      }
    }
    guard leases.count > 1, let newest = leases.max(by: { $0.first < $1.first }) else { return [:] }
    var out: [IPAddress: Timestamp] = [:]
    for old in leases where old.address != newest.address && old.prefix == newest.prefix && old.last < newest.first {
      guard let span = Tenure(station.mac, old.address, picture), span.last < newest.first else { continue }
      out[old.address] = span.last
    }
    return out
  }
}
