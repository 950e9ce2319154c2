import Wire

/// Which hardware addresses were made up at random, so that nobody knows their owner again. The bit that says "given by no maker" does not
/// tell: whoever numbers containers, virtual machines, further radios and repeaters' clients sets it too (`protocols.md` 0).
extension HostRules {
  /// Whether an address was made up for privacy: locally administered, and nothing about it shows another scheme.
  static func isRandomised(_ mac: MACAddress, _ picture: Picture) -> Bool {
    guard mac.isLocal, !mac.isGroup, !isOfAScheme(mac) else { return false }
    // Who runs a network on the air derives its number from the box's own.
    guard !picture.accessPoints.contains(mac), !picture.isNumbered(mac) else { return false }
    // Nobody hides the boxes that operators dial into, or bridges that state their own number.
    return picture.station(mac)?.first {
      switch $0 {
      case .answersPPPoE, .bridgePort: true
      default: false
      }
    } == nil
  }

  /// QEMU, OpenStack and Docker set the local bit by schemes of their own; and who types an address, or counts it up, leaves zeros: two
  /// zero bytes of five are found in one of seven thousand random addresses.
  private static func isOfAScheme(_ mac: MACAddress) -> Bool {
    if mac.oui == 0x52_54_00 || mac.oui == 0xfa_16_3e || mac.bits >> 32 == 0x0242 { return true }
    if MakerHints.isOfHypervisor(mac) { return true }
    return mac.bytes.dropFirst().count { $0 == 0 } >= 2
  }
}

extension Picture {
  /// Whether an address counts on from, or is made of, that of another station here: the same block, the local bit aside, and close by, or
  /// the same last three bytes (a repeater's alias). By chance no two addresses of a home are.
  func isNumbered(_ mac: MACAddress) -> Bool {
    if universalSuffixes.contains(mac.suffix) { return true }
    // The order is that of the numbers, so whoever is near stands near.
    return [mac.bits, mac.bits & ~0x0200_0000_0000].contains { bits in
      var at = order.partition(from: MACAddress(bits: bits > 16 ? bits - 16 : 0))
      while at < order.count, order[at].bits <= bits + 16 {
        let other = order[at]
        if other != mac, other.bits >> 24 == bits >> 24, station(other)?.sends ?? false { return true }
        at += 1
      }
      return false
    }
  }
}

extension [MACAddress] {
  /// The first place that is not below an address; the array is sorted.
  fileprivate func partition(from least: MACAddress) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < least { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
