import Fixtures
import Scenarios
import Wire

@testable import Model

/// How the explanations for a network beside the home's own stand against each other, before they become words; nil where there are no two
/// networks to explain.
func judgement(_ film: Scenario, on prefix: Prefix) -> Judgement? {
  let decoder = Decoder()
  var model = NetworkModel(limits: Limits())
  var summary = FrameSummary()
  var observations = Observations()
  for (at, film) in film.frames().enumerated() {
    let frame = Frame(
      number: at + 1, time: film.time, interface: film.interface, link: film.link, wireLength: film.wireLength, direction: film.direction,
      bytes: film.bytes.span.bytes)
    decoder.decode(frame, into: &summary, &observations)
    model.record(&summary, &observations)
  }
  let picture = Picture(model, linkTypes: [.ethernet])
  let devices = HostRules.devices(picture)
  let (owned, local) = AddressRules.owned(picture, hosts: devices)
  let subnets = SubnetRules.judge(picture, owned: local, hosts: devices).subnets
  let rules = ModemRules(
    picture: picture, boxes: Boxes(picture, devices: devices), owned: owned, devices: devices, roles: [:], subnets: subnets,
    vantage: .mirror)
  guard let home = rules.primaryHome, let subnet = subnets.first(where: { $0.prefix == prefix }) else { return nil }
  return rules.judgement(of: subnet, beside: home)
}

extension Judgement {
  /// Explanations that what was heard leaves possible, the likeliest first.
  var remaining: [Hypothesis] {
    shares.filter { $0.value >= 0.05 }.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }.map(\.key)
  }
}
