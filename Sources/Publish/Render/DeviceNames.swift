import Model
import Wire

/// What devices are called where no column shows the hardware address: two of one name are told apart by the end of it.
struct DeviceNames {
  private let names: [MACAddress: String]

  init(_ snapshot: Snapshot) {
    let labels = snapshot.hosts.map(Label.name)
    var uses: [String: Int] = [:]
    for label in labels { uses[label, default: 0] += 1 }
    var names: [MACAddress: String] = [:]
    for (host, label) in zip(snapshot.hosts, labels) {
      let name = uses[label] == 1 ? label : "\(Label.fit(label, 20)) (\(host.id.description.suffix(5)))"
      for mac in [host.id] + host.virtualMACs { names[mac] = name }
    }
    self.names = names
  }

  subscript(_ host: Host) -> String { names[host.id] ?? Label.name(host) }

  subscript(_ end: Endpoint) -> String {
    switch end {
    case .host(.nearestAdapter): "the nearest adapter"
    case .host(let mac): names[mac] ?? mac.description
    case .remote(let address): address.description
    }
  }
}

extension MACAddress {
  /// The nearest adapter with a chip of Qualcomm's takes frames to this address, and does not send them on over the power line
  /// (`protocols.md` 14).
  fileprivate static let nearestAdapter = MACAddress(bits: 0x00b0_5200_0001)
}
