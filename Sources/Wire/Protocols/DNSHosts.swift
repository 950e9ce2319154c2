// Whose addresses a response of mDNS or LLMNR states.
//
// A host answers for itself. But reflectors repeat the answers of another wire, sleep proxies answer for sleeping machines, and routers
// answer for those they know: then the frame's source is somebody else. The sender's own address, which is in the IP header, tells.

struct DNSHosts {
  /// More A and AAAA records than this are not looked at: the busiest real host has a dozen.
  static let limit = 64

  struct Host {
    var name: DNSName
    /// Of the whole name: two are the same where this is. Made up to collide, they would only be taken for one inside their own message.
    var digest: UInt64
    var address: IPAddress
    /// Whether the name is the sender's.
    var isOwn = false
    /// The address is the one that the packet came from.
    var isSource: Bool
    /// The sender cannot have this address, since it has another one of the same kind.
    var isForeign: Bool
  }

  enum Speaker {
    /// No addresses at all: nothing tells whether the sender speaks of itself.
    case unknown
    /// It speaks of itself.
    case itself
    case others
    case itselfAndOthers
  }

  private(set) var hosts: [Host] = []
  private(set) var speaker = Speaker.unknown
  /// The sender's address is among those it states.
  private(set) var isProved = false

  mutating func add(_ name: DNSName, _ digest: UInt64, _ address: IPAddress, from source: IPAddress) {
    guard hosts.count < DNSHosts.limit else { return }
    if hosts.isEmpty { hosts.reserveCapacity(8) }
    let isSource = address == source
    // One IPv4 address and one link-local one is what an interface has; of other IPv6 addresses it has many.
    let isComparable =
      address.isIPv4 == source.isIPv4 && (address.isIPv4 || source.isLinkLocal) && address.isLinkLocal == source.isLinkLocal
    hosts.append(
      Host(name: name, digest: digest, address: address, isSource: isSource, isForeign: isComparable && !isSource && !source.isNone))
  }

  /// Decides which names are the sender's. `isProxy`: it says itself that it answers for another.
  /// `isCut`: more addresses may have followed, so only the sender's own proves.
  mutating func settle(isProxy: Bool, isCut: Bool) {
    guard !hosts.isEmpty else {
      speaker = isProxy ? .others : .unknown
      return
    }
    var own = 0
    if !isProxy {
      for index in hosts.indices {
        let digest = hosts[index].digest
        // Under one name a host may state many addresses, one of which must be the sender's.
        if hosts[index].isSource || hosts.contains(where: { $0.isSource && $0.digest == digest }) {
          hosts[index].isOwn = true
          isProved = true
          own += 1
        }
      }
      if own == 0, !isCut, let first = hosts.first?.digest, hosts.allSatisfy({ !$0.isForeign && $0.digest == first }) {
        for index in hosts.indices { hosts[index].isOwn = true }
        own = hosts.count
      }
    }
    speaker = own == hosts.count ? .itself : own == 0 ? .others : .itselfAndOthers
  }

  /// The address of the one host that is spoken of; nil when there are several.
  func only() -> IPAddress? {
    guard let first = hosts.first else { return nil }
    return hosts.allSatisfy { $0.digest == first.digest } ? first.address : nil
  }

  func host(_ name: DNSName, in message: borrowing DNSMessage) -> Host? {
    hosts.first { message.areEqual($0.name, name) }
  }
}

/// What has been noted of a message already: a name stands in five records of one answer and is noted once.
struct Noted {
  private var seen = InlineArray<32, UInt64>(repeating: 0)
  private var count = 0

  /// Whether this is the first time. Of more than 32 things the later ones may be noted twice.
  mutating func isNew(_ digest: UInt64) -> Bool {
    for i in 0..<count where seen[i] == digest { return false }
    if count < 32 {
      seen[count] = digest
      count &+= 1
    }
    return true
  }
}
