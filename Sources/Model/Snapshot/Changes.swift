public import Wire

/// Something that is different from before, as the log and the history tell it.
public enum Change: Sendable, Hashable {
  /// A device that nobody here has heard before.
  case new(Host)
  /// A device that was gone, or that an earlier run knew, is heard again.
  case back(Host)
  case gone(Host)
  /// Its IPv4 addresses are others. IPv6 addresses come and go by design, several a day.
  case addressChanged(Host, from: [IPv4Address])
  /// It hangs on another device, or on another kind of link.
  case moved(Host, from: MACAddress?, medium: Medium?)
  case finding(Finding)
  case cleared(Finding)

  /// The word of the log.
  public var word: String {
    switch self {
    case .new: "new"
    case .back: "back"
    case .gone: "gone"
    case .addressChanged: "address-changed"
    case .moved: "moved"
    case .finding: "finding"
    case .cleared: "cleared"
    }
  }

  /// The device it is about.
  public var host: Host? {
    switch self {
    case .new(let host), .back(let host), .gone(let host), .addressChanged(let host, _), .moved(let host, _, _): host
    case .finding, .cleared: nil
    }
  }
}

/// The difference of a snapshot to an earlier one. Whoever skips snapshots loses none of it, but for what came and went in between.
public struct Changes: Sendable, Hashable {
  /// Devices in the order of their ids, then findings.
  public private(set) var all: [Change] = []
  public var isEmpty: Bool { all.isEmpty }

  /// An earlier run's last word is younger than this: then our restart is no absence of the device.
  static let restartSeconds = 600.0

  /// - Parameter old: nil at the start: then everything is new, but for what an earlier run knew.
  public init(from old: Digest?, to new: Snapshot) {
    var before: [MACAddress: Digest.Device] = [:]
    for host in old?.devices ?? [] {
      // The first of a box's addresses may become another one when more is known of it: it stays the same device.
      for mac in [host.id] + host.virtualMACs where before[mac] == nil { before[mac] = host }
    }
    for host in new.hosts {
      guard let earlier = before[host.id] ?? host.virtualMACs.lazy.compactMap({ before[$0] }).first else {
        appear(host, at: new.taken)
        continue
      }
      compare(earlier, old?.ipv4(of: earlier) ?? [], host)
    }
    compare(findings: old?.findings ?? [], new.findings)
  }

  private mutating func appear(_ host: Host, at now: Timestamp) {
    guard let known = host.lastKnown else {
      all.append(.new(host))
      return
    }
    if now.since(known) > Changes.restartSeconds { all.append(.back(host)) }
  }

  private mutating func compare(_ old: Digest.Device, _ ipv4: [IPv4Address], _ new: Host) {
    if old.isPresent != new.isPresent { all.append(new.isPresent ? .back(new) : .gone(new)) }
    // A device whose address was not known yet gets it now: that is news; one whose addresses are forgotten has not changed.
    if ipv4 != new.ipv4, !new.ipv4.isEmpty, !new.ipv4.allSatisfy(ipv4.contains) { all.append(.addressChanged(new, from: ipv4)) }
    let parents = (old.parent, new.attachedTo?.answer)
    let media = (old.medium, new.medium?.answer)
    // From "not known" to known is no move.
    let isElsewhere = parents.0 != nil && parents.1 != nil && parents.0 != parents.1
    let isOtherwise = media.0 != nil && media.1 != nil && media.0 != media.1
    if isElsewhere || isOtherwise { all.append(.moved(new, from: parents.0, medium: media.0)) }
  }

  private mutating func compare(findings old: [Finding], _ new: [Finding]) {
    struct Key: Hashable {
      let id: Finding.ID
      let hosts: [MACAddress]
    }
    let before = Set(old.map { Key(id: $0.id, hosts: $0.hosts) })
    let after = Set(new.map { Key(id: $0.id, hosts: $0.hosts) })
    // A device's coming and going has its own words.
    for finding in new where !before.contains(Key(id: finding.id, hosts: finding.hosts)) && !finding.id.isAttendance {
      all.append(.finding(finding))
    }
    for finding in old where !after.contains(Key(id: finding.id, hosts: finding.hosts)) && !finding.id.isAttendance {
      all.append(.cleared(finding))
    }
  }
}

extension Finding.ID {
  /// Whether it says of a device what its presence says already.
  public var isAttendance: Bool { self == .newDevice || self == .deviceGone }
}
