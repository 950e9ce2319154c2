import Wire

/// Devices that cannot be seen because another one translates for them (`inference.md` 4 and 9): packets leave under its address that have
/// spent a hop already, of more than one kind of system. One kind alone may be a virtual machine or a tunnel.
enum HiddenHosts {
  struct Sign {
    let reason: Reason
    let family: Family
  }

  /// So many packets make a sign: a probe on its way with an odd hop limit makes none.
  private static let enough: UInt16 = 5

  static func signs(_ station: Picture.Station, _ own: [IPAddress: Evidence?], _ picture: Picture) -> [Sign] {
    guard picture.maker(station.mac)?.kind != .virtualMachine, !station.mac.isVirtualRouter else { return [] }
    var signs: [Sign] = []
    for binding in station.bindings where binding.address.isIPv4 && own[binding.address] != nil {
      for (count, start) in [(binding.spentOf64, 64), (binding.spentOf128, 128)] where count >= enough {
        let reason = Reason(
          basis: "ip", field: "hop limit", value: WireText("\(start - 1): one spent of \(start), \(count) packets"),
          frame: Int(binding.firstFrame), time: nil, weight: Weights.spentHop.decibans, kind: .measured, why: Weights.spentHop.why)
        signs.append(Sign(reason: reason, family: .routing))
      }
    }
    guard !signs.isEmpty else { return [] }
    if let item = station.first(where: asksLikeRouter) {
      signs.append(Sign(reason: item.reason(Weights.asksLikeRouter), family: .selfDeclared))
    }
    return signs
  }

  /// What only the outer side of a router says.
  private static func asksLikeRouter(_ claim: Observation.Claim) -> Bool {
    switch claim {
    case .requestsDelegation, .delegatedPrefix, .dialsPPPoE, .translatesAddresses: true
    default: false
    }
  }
}
