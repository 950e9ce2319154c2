import Wire

/// Whom the devices of each IPv4 network talk with, from one look at all pairs: what tells networks apart where nobody stated anything
/// (`inference.md` 17).
struct NetworkTalks {
  /// What was heard of one network; frames are the first of their kind.
  struct Talk {
    /// From its devices to private or shared addresses beyond all networks of this wire, with how many frames went there.
    var toPrivate: (frame: Int, frames: Int)?
    /// From its devices to the internet.
    var toPublic: Int?
    /// Between two of its devices of which neither is its way out.
    var amongNeighbours: Int?
    /// A stream to many from beyond that a device here asked for.
    var television: (frame: Int, group: IPAddress)?
    /// Pairs of whom both spoke, one of them here.
    var conversations = 0
    var first: Int?
    /// By station: the first frame that a device here sent to it for elsewhere, and the first from the internet that came in from it.
    var hops: [MACAddress: Int] = [:]
    var doors: [MACAddress: Int] = [:]
  }

  private var talks: [Prefix: Talk] = [:]
  private var meetings: [[Prefix]: Int] = [:]
  /// Whether what two others say to each other would have been heard.
  let seesOthers: Bool

  init(_ picture: Picture, subnets: [Subnet], owned: AddressRules.Owned, seesOthers: Bool) {
    self.seesOthers = seesOthers
    let known = subnets.filter { $0.prefix.address.isIPv4 && !$0.prefix.address.isLinkLocal }
    guard !known.isEmpty else { return }
    let prefixes = known.map(\.prefix).sorted { ($1.length, $0) < ($0.length, $1) }
    func place(_ address: IPAddress) -> Prefix? { prefixes.first { $0.contains(address) } }
    let waysOut = Set(known.flatMap { $0.gateways.compactMap(\.host) + [$0.nextHop?.host].compactMap(\.self) })
    var joined: [IPAddress: Set<MACAddress>] = [:]
    picture.each { station, item in
      if case .joins(let group) = item.claim, group.isIPv4, !group.staysOnLink { joined[group, default: []].insert(station.mac) }
    }
    for row in picture.pairs {
      for (from, to, frames, back) in [
        (row.a, row.b, row.framesFromA, row.framesFromB), (row.b, row.a, row.framesFromB, row.framesFromA),
      ] where frames > 0 && from.address.isIPv4 && to.address.isIPv4 {
        let frame = Int(row.firstFrame)
        if row.toGroup {
          if to.address.isMulticast, !to.address.staysOnLink, from.address.isHost, place(from.address) == nil {
            note(frame, stream: to.address, askedBy: joined[to.address] ?? [], known)
          }
          continue
        }
        guard from.address.isHost, to.address.isHost else { continue }
        let (here, there) = (place(from.address), place(to.address))
        let isOwn = owned[from.mac]?[from.address] != nil
        if let here, isOwn {
          if talks[here, default: Talk()].first == nil { talks[here]?.first = frame }
          if back > 0 { talks[here]?.conversations += 1 }
          switch there {
          case here?:
            if !waysOut.contains(from.mac), !waysOut.contains(to.mac), back > 0 {
              keepFirst(frame, &talks[here, default: Talk()].amongNeighbours)
            }
          case let other?: meetings[[min(here, other), max(here, other)], default: 0] += 1
          case nil:
            if to.address.isInternal {
              if !to.address.isLinkLocal, !waysOut.contains(from.mac) {
                let old = talks[here]?.toPrivate
                talks[here]?.toPrivate = (min(frame, old?.frame ?? .max), Int(clamping: frames) + (old?.frames ?? 0))
              }
            } else if !waysOut.contains(from.mac) {
              keepFirst(frame, &talks[here, default: Talk()].toPublic)
            }
            if to.mac.isStation { keepFirst(frame, &talks[here, default: Talk()].hops[to.mac]) }
          }
        }
        if let there, !isOwn, !from.address.isInternal, from.mac.isStation {
          keepFirst(frame, &talks[there, default: Talk()].doors[from.mac])
        }
      }
    }
  }

  private mutating func note(_ frame: Int, stream group: IPAddress, askedBy members: Set<MACAddress>, _ known: [Subnet]) {
    for subnet in known where subnet.hosts.contains(where: members.contains) {
      if talks[subnet.prefix]?.television?.frame ?? .max > frame { talks[subnet.prefix, default: Talk()].television = (frame, group) }
    }
  }

  subscript(prefix: Prefix) -> Talk? { talks[prefix] }

  /// The first frame from the internet that came in to addresses of a network from a station; nil when none was heard.
  func letsIn(_ station: MACAddress, to prefix: Prefix) -> Int? { talks[prefix]?.doors[station] }

  /// The first frame for elsewhere that a device of a network sent to a station.
  func uses(_ station: MACAddress, from prefix: Prefix) -> Int? { talks[prefix]?.hops[station] }

  /// Whether a device of one was heard sending to one of the other.
  func meet(_ a: Prefix, _ b: Prefix) -> Bool { meetings[[min(a, b), max(a, b)]] != nil }
}

/// Keeps the smaller.
private func keepFirst(_ frame: Int, _ kept: inout Int?) { kept = min(kept ?? .max, frame) }
