import Wire

/// The contract of `report.md`: whatever names a device names one that is listed, by its id. Addresses of one box become the box, and a box
/// that was never heard, but on which a listed device hangs, is listed too.
extension Snapshot {
  /// Lists the boxes that somebody hangs on and that sent nothing here.
  /// - Parameter radios: access points that are known from their stations alone, with what these show.
  mutating func listUnheard(_ attached: [MACAddress: Verdict<MACAddress>], radios: [MACAddress: [Evidence]]) {
    let listed = Set(hosts.map(\.id))
    let children = attached.filter { listed.contains($0.key) }.sorted { $0.key < $1.key }
    for (box, hanging) in Dictionary(grouping: children, by: \.value.answer).sorted(by: { $0.key < $1.key }) where !listed.contains(box) {
      let below = Set(hanging.map(\.key))
      var host = Host(id: box)
      host.roles = [.host]
      if radios[box] != nil,
        let surest = hanging.map(\.value).max(by: { ($0.confidence, $0.reasons.count) < ($1.confidence, $1.reasons.count) })
      {
        host.roles = [.accessPoint]
        host.roleReasons = [Verdict(.accessPoint, confidence: surest.confidence, reasons: surest.reasons)]
      }
      let seen = hosts.filter { below.contains($0.id) }
      let times = hanging.flatMap(\.value.reasons).compactMap(\.time) + (radios[box] ?? []).flatMap { [$0.first, $0.last] }
      host.firstSeen = times.min() ?? seen.map(\.firstSeen).min() ?? host.firstSeen
      host.lastSeen = times.max() ?? seen.map(\.lastSeen).max() ?? host.lastSeen
      hosts.append(host)
    }
    hosts.sort { $0.id < $1.id }
  }

  /// Every address of a box becomes the box's id, where it is listed.
  mutating func nameDevices(_ boxes: Boxes) {
    func devices(_ macs: [MACAddress]) -> [MACAddress] { macs.map(boxes.box(of:)).deduplicated() }
    for at in subnets.indices {
      subnets[at].hosts = devices(subnets[at].hosts).sorted()
      for gateway in subnets[at].gateways.indices {
        subnets[at].gateways[gateway].host = subnets[at].gateways[gateway].host.map(boxes.box(of:))
      }
      if let hop = subnets[at].nextHop { subnets[at].nextHop?.host = boxes.box(of: hop.host) }
      for server in subnets[at].servers.indices { subnets[at].servers[server].host = subnets[at].servers[server].host.map(boxes.box(of:)) }
    }
    for at in multicast.indices {
      multicast[at].members = devices(multicast[at].members).sorted()
      multicast[at].senders = devices(multicast[at].senders).sorted()
    }
    for at in findings.indices { findings[at].hosts = devices(findings[at].hosts) }
  }
}
