import Wire

/// Why an address is a device's own: every record that says so, and who else shows it (`inference.md` 3).
struct HoldingRules {
  let picture: Picture
  let boxes: Boxes
  /// The boxes that show an address as theirs, the first few: somebody can show one address from thousands.
  private var shownBy: [IPAddress: [MACAddress]] = [:]
  private static let shown = 8

  init(picture: Picture, boxes: Boxes, owned: [MACAddress: [IPAddress: Evidence?]], devices: Set<MACAddress>) {
    self.picture = picture
    self.boxes = boxes
    for mac in picture.order where devices.contains(mac) {
      let box = boxes.box(of: mac)
      for address in (owned[mac] ?? [:]).keys {
        let known = shownBy[address] ?? []
        if known.count < HoldingRules.shown, !known.contains(box) { shownBy[address] = known + [box] }
      }
    }
  }

  /// - Parameters:
  ///   - members: the hardware addresses of one box, its id first.
  ///   - speaker: the box that speaks in its name, where one does.
  func judge(_ address: IPAddress, of members: [MACAddress], speaker: MACAddress?) -> Verdict<IPAddress> {
    var scale = Scale<IPAddress?>()
    // Shared by all that is said of it.
    let value = WireText(address.description)
    for member in members {
      guard let station = picture.station(member) else { continue }
      for item in station.evidence {
        if let weight = HoldingRules.weight(item, address) { scale.add(address, item, weight, value: value) }
      }
      for binding in station.bindings where binding.address == address && binding.framesFrom > 0 {
        let weight = Weights.sendsAs
        scale.add(
          address,
          Reason(
            basis: "ip", field: "source", value: value, frame: Int(binding.firstFrame), time: nil,
            weight: weight.decibans, kind: .measured, why: weight.why), weight.family)
      }
    }
    // Routers that take turns at an address are no rivals.
    let others = (shownBy[address] ?? []).filter { box in
      !members.contains(box) && box != speaker && !(picture.routerGroups[address]?.contains(box) ?? false)
    }
    for other in others.prefix(4) {
      guard let station = picture.station(other) else { continue }
      let item = station.evidence.first { HoldingRules.weight($0, address) != nil }
      let weight = Weights.alsoElsewhere
      let binding = station.bindings.first { $0.address == address && $0.framesFrom > 0 }
      let reason =
        item?.reason(weight, value: other.description)
        ?? Reason(
          basis: "ip", field: "source", value: WireText(other.description), frame: binding.map { Int($0.firstFrame) }, time: nil,
          weight: weight.decibans, kind: .measured, why: weight.why)
      scale.add(nil, reason, weight.family)
    }
    // An address that two boxes show alike is listed with both, as unsure as it is.
    guard let verdict = scale.verdict(others: 1), verdict.answer != nil else {
      let both = scale.unclear(others: 1)
      return Verdict(
        address, confidence: 0.5, reasons: both.first { $0.answer != nil }?.reasons ?? [],
        against: both.first { $0.answer == nil }?.reasons ?? [])
    }
    return Verdict(address, confidence: verdict.confidence, reasons: verdict.reasons, against: verdict.against)
  }

  private static func weight(_ item: Evidence, _ address: IPAddress) -> Weight? {
    switch item.claim {
    case .leased(let lease) where !lease.isOffer && IPAddress(lease.address) == address: Weights.leasedAddress
    case .holds(address, .reply): Weights.answersAs
    case .holds(address, .lease): Weights.leasedAddress
    case .holds(address, _): item.basis == "interface" ? Weights.ownInterface : Weights.speaksAs
    case .isVirtualRouter(_, address): Weights.playsRouter
    default: nil
    }
  }
}
