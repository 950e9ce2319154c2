/// All example LANs, for whoever wants to try something on each.
package enum Homes {
  package static let all: [Scenario] = [
    CableHome.scenario, PlainFlat.scenario, PowerlineHouse.scenario, MeshHouse.scenario, DualStackHome.scenario, RoutedSecondScope.scenario,
  ]
}
