import Wire

/// When the devices of a network were heard. A long capture, or one put together of several, shows networks that were never there at once:
/// those share no wire.
enum Lifespan {
  /// Seconds of silence between two networks that are still one evening: as long as a device may be quiet (`inference.md` 9).
  static let pause = 600.0

  /// Whether two networks were alive at the same time; true where nothing tells.
  static func meet(_ a: Subnet, _ b: Subnet, _ picture: Picture, _ owned: [MACAddress: [IPAddress: Evidence?]]) -> Bool {
    guard let x = of(a, picture, owned), let y = of(b, picture, owned) else { return true }
    return y.first.since(x.last) <= pause && x.first.since(y.last) <= pause
  }

  private static func of(
    _ subnet: Subnet, _ picture: Picture, _ owned: [MACAddress: [IPAddress: Evidence?]]
  ) -> (first: Timestamp, last: Timestamp)? {
    var span: (first: Timestamp, last: Timestamp)?
    func stretch(_ first: Timestamp, _ last: Timestamp) {
      span = (min(span?.first ?? first, first), max(span?.last ?? last, last))
    }
    for mac in subnet.hosts {
      for (address, item) in owned[mac] ?? [:] where subnet.prefix.contains(address) {
        if let item { stretch(item.first, item.last) }
        for row in picture.station(mac)?.bindings ?? [] where row.address == address && row.framesFrom > 0 {
          let last = Timestamp(nanoseconds: row.lastSeen)
          stretch(item?.first ?? last, last)
        }
      }
    }
    return span
  }
}
