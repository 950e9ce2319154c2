import Wire

/// What a publisher remembers of the last snapshot: as much as the next one is compared with, in a tenth of the room.
public struct Digest: Sendable, Hashable {
  struct Device: Sendable, Hashable {
    let id: MACAddress
    let virtualMACs: [MACAddress]
    /// Where its addresses stand in the list of all.
    let ipv4: Range<Int32>
    let parent: MACAddress?
    let medium: Medium?
    let isPresent: Bool
  }

  /// By id.
  let devices: [Device]
  private let addresses: [IPv4Address]
  /// Without their reasons.
  let findings: [Finding]
  /// Of all that a reader of the map would see at once, whether or not the log has a word for it: another one, another map.
  public let look: Int

  public init(_ snapshot: Snapshot) {
    // One list for all: to hold on to each device's own, which nearly all have, would keep a page of the snapshot's memory for each.
    var addresses: [IPv4Address] = []
    devices = snapshot.hosts.map { host in
      let start = Int32(clamping: addresses.count)
      addresses += host.ipv4
      return Device(
        id: host.id, virtualMACs: host.virtualMACs, ipv4: start..<Int32(clamping: addresses.count), parent: host.attachedTo?.answer,
        medium: host.medium?.answer, isPresent: host.isPresent)
    }
    self.addresses = addresses
    findings = snapshot.findings.map { finding in
      var bare = finding
      bare.reasons = []
      return bare
    }
    look = Digest.look(of: snapshot)
  }

  func ipv4(of device: Device) -> [IPv4Address] {
    Array(addresses[Int(device.ipv4.lowerBound)..<Int(device.ipv4.upperBound)])
  }

  public static func look(of snapshot: Snapshot) -> Int {
    var hasher = Hasher()
    for host in snapshot.hosts {
      hasher.combine(host.id)
      hasher.combine(host.names)
      hasher.combine(host.roles)
      hasher.combine(host.attachedTo?.answer)
      hasher.combine(host.medium?.answer)
    }
    for subnet in snapshot.subnets { hasher.combine(subnet.prefix) }
    hasher.combine(snapshot.capture.dropped)
    hasher.combine(snapshot.health.decodersSetAside)
    hasher.combine(snapshot.health.interfacesAwaited)
    return hasher.finalize()
  }
}
