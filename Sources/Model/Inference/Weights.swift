import Wire

/// What kind of knowledge a record is. Records of one family are not independent: the strongest counts, agreement adds a little.
public enum Family: UInt8, Sendable, Hashable, CaseIterable {
  /// The device says so of itself; another device says so of it.
  case selfDeclared, reported
  /// The frame's own addresses and tags; ARP, DHCP and the like; next hops, hop limits and redirects.
  case framing, addressing, routing
  case timing
  /// Maker, model, name.
  case identity
  case shape
}

/// A set of them.
struct Families: OptionSet {
  let rawValue: UInt8
  init(rawValue: UInt8) { self.rawValue = rawValue }
  init(_ family: Family) { rawValue = 1 << family.rawValue }
  var count: Int { rawValue.nonzeroBitCount }
}

/// One weight of `inference.md`: decibans, the family it belongs to, and why it is that heavy.
struct Weight {
  let decibans: Int
  let family: Family
  let why: String

  init(_ decibans: Int, _ family: Family, _ why: String) {
    self.decibans = decibans
    self.family = family
    self.why = why
  }
}

/// Every weight in one table. They are this project's own choices, ordered after the facts in `inference.md`: a heavier one needs a better
/// reason than a lighter one, and none is tuned to a capture.
enum Weights {
  // Medium: how a device reaches the gateway, and what its own interface is (section 6).
  static let radioFrame = Weight(30, .framing, "an 802.11 header carries the station's own address")
  static let declaredMedium = Weight(25, .selfDeclared, "the device states its interface type in a protocol made for that")
  static let associationTable = Weight(25, .reported, "an access point lists it among its stations")
  static let statedBSSID = Weight(25, .selfDeclared, "it names the access point it is on: only a radio is on one")
  static let bridgeTable = Weight(
    25, .reported, "a powerline adapter lists it behind its Ethernet side, and the gateway is shown to be elsewhere")
  static let bridgedFirst = Weight(20, .reported, "an adapter's network table shows it as the first address behind a station")
  static let isAdapter = Weight(25, .selfDeclared, "it answers powerline management messages")
  static let listedAdapter = Weight(25, .reported, "an adapter lists it as a station of its powerline network")
  static let neighbourPort = Weight(18, .reported, "a 1905 node lists it on an interface of that kind")
  static let neighbourBeyond = Weight(12, .reported, "a 1905 node has it on an interface of that kind, beyond an ordinary bridge")
  static let wiredPort = Weight(20, .selfDeclared, "its LLDP names an Ethernet port type")
  static let wirelessMode = Weight(15, .selfDeclared, "a maker's announcement names its wireless mode")
  static let virtualAddress = Weight(15, .identity, "the address block belongs to a hypervisor")
  static let phoneClass = Weight(10, .identity, "phones and tablets have no other interface")
  static let privateAddress = Weight(7, .identity, "systems make up addresses on Wi-Fi, hardly ever on cables")
  static let uplink = Weight(20, .reported, "the box it hangs on reaches the gateway over that")

  // Addresses and subnets (section 3).
  static let leasedAddress = Weight(25, .addressing, "a DHCP server gave it this address")
  static let speaksAs = Weight(15, .framing, "it speaks in the name of this address itself")
  static let ownInterface = Weight(30, .selfDeclared, "the machine that captures has it on its own interface")
  static let answersAs = Weight(7, .reported, "it answers when others look for this address")
  static let sendsAs = Weight(7, .routing, "its packets carry it as their source")
  static let alsoElsewhere = Weight(7, .framing, "another device shows the same address")
  static let leasedPrefix = Weight(25, .addressing, "a DHCP server gives the mask together with an address")
  static let advertisedPrefix = Weight(25, .addressing, "a router or an interface states the prefix")
  static let soughtWithin = Weight(10, .addressing, "who looks for an address by ARP takes it for one of its own subnet")
  static let selfAssigned = Weight(15, .addressing, "here devices choose addresses that no server gave them")
  static let relayNamed = Weight(15, .addressing, "the relay that handed the lease on stands in the client's subnet")
  static let leaseServer = Weight(25, .addressing, "the lease names the server that gave it")
  static let chosenServer = Weight(20, .addressing, "the request, sent to all, names the server that was chosen")
  static let mostSought = Weight(7, .addressing, "it is the address that its neighbours look for most")

  // Boxes of several hardware addresses.
  static let sameBoxSaid = Weight(25, .selfDeclared, "the box says itself that both are its own")
  static let ownCell = Weight(25, .selfDeclared, "the box runs a radio network under that address")
  static let playsRouter = Weight(20, .selfDeclared, "it is the address of a role that routers take turns at, and this one plays it")
  static let ownMachine = Weight(30, .framing, "the machine that captures sends from both")
  static let sameIdentifier = Weight(25, .selfDeclared, "both name one identifier as their box's, and are numbered in a run")
  static let nextInRun = Weight(7, .identity, "stations name that radio, and its number is next to the box's")

  // Attachment (section 7).
  static let radioStation = Weight(30, .framing, "802.11 addresses name the station and its access point")
  static let adapterTable = Weight(25, .reported, "the adapter's bridge table lists it")
  static let radioKey = Weight(25, .reported, "the two agree on a key for the radio between them")
  static let apTable = Weight(25, .reported, "the access point's own table lists it")
  static let namedBSSID = Weight(25, .selfDeclared, "it names its BSSID")
  static let nodeNeighbour = Weight(20, .reported, "1905 nodes list each other as neighbours")
  static let nodeBeyond = Weight(12, .reported, "1905 nodes list each other as neighbours, with an ordinary bridge between")
  static let ownAdapter = Weight(20, .reported, "the adapter heard the device's own frames on its Ethernet side")
  static let translated = Weight(15, .framing, "another one's frames carry its own hardware address inside")
  static let onlyAnnouncer = Weight(18, .framing, "the one switch that announces itself on our port is the one we hang on")

  // Subnets and their ways out (section 3).
  static let directedBroadcast = Weight(10, .addressing, "a shout to everybody goes to the last address of the prefix")
  static let soughtByNumber = Weight(3, .addressing, "ways out are usually numbered first or last, and so is many another box")

  // Roles (section 8, and 4 and 5 for routers and servers).
  static let statedRole = Weight(25, .selfDeclared, "the device states it in a protocol made for that")
  static let namedGateway = Weight(25, .addressing, "a DHCP server or router advertisement names it as the way out")
  static let nextHop = Weight(20, .routing, "hosts send to it what is not for their own subnet")
  static let pretendedHop = Weight(
    20, .routing, "hosts send what is for elsewhere to a box that answers for this address, which is another router's")
  static let announcedGateway = Weight(
    3, .selfDeclared, "it announces itself as an internet gateway; so do routers that serve as mere access points")
  static let carriesMany = Weight(15, .routing, "five and more addresses from elsewhere arrive with its hardware address")
  static let sharesRole = Weight(20, .selfDeclared, "it takes part in a protocol by which routers stand in for each other")
  static let roleAddress = Weight(20, .framing, "its address is of a block for roles that only routers play")
  static let forwardsAsHost = Weight(3, .selfDeclared, "it says that it forwards, and looks for a router itself, as hosts with guests do")
  static let reportsHops = Weight(15, .routing, "it reported packets whose hops were spent: only who forwards can")
  static let forwardsOthers = Weight(12, .routing, "packets of others leave it with hops spent: it forwards them")
  static let spentHop = Weight(12, .routing, "packets under its own address have spent a hop: another system made them")
  static let asksLikeRouter = Weight(10, .selfDeclared, "it asks for what only the outer side of a router needs")
  static let carriesSome = Weight(7, .routing, "an address of the internet arrives with its hardware address")
  static let answersDHCP = Weight(25, .addressing, "it answered DHCP requests on this wire")
  static let resolves = Weight(25, .addressing, "it answered DNS questions, or DHCP names it as resolver")
  static let service = Weight(15, .selfDeclared, "it offers a service that such devices offer")
  static let vendorClass = Weight(25, .selfDeclared, "its DHCP vendor class says what it is")
  static let systemClass = Weight(10, .selfDeclared, "its DHCP vendor class names an operating system of such devices")
  static let namedSo = Weight(7, .identity, "its name says so; owners and makers name boxes after what they are")
  static let makerHint = Weight(3, .identity, "its maker makes mostly such boxes")
  static let onlyMaker = Weight(3, .identity, "its maker makes hardly anything but such boxes")

  // Behind the modem (section 10).
  static let sameBox = Weight(15, .addressing, "the gateway's hardware address is the home router's")
  static let operatorMaker = Weight(12, .identity, "the gateway's maker builds head-ends, and it is another box than the home router")
  static let relayed = Weight(15, .addressing, "replies came through a relay with the gateway's address")
  static let remoteServer = Weight(12, .addressing, "the chosen DHCP server lies outside every local subnet")
  static let largerSegment = Weight(15, .routing, "the gateway looks for three and more neighbours that never speak here")
  static let publicAddress = Weight(12, .addressing, "its address is public or of an operator's translation range")
  static let secondScope = Weight(7, .addressing, "the home's router hands out the addresses of this network as well")
  static let homeGateway = Weight(20, .addressing, "the way out hands out the addresses itself, on this wire")
  static let concentrator = Weight(
    12, .selfDeclared, "it answers who dials by PPPoE, which operators do; a modem before it passes frames on")
}

/// What a weight says as a factor: ten to the tenth of it, at most 10^40 and at least its inverse.
func odds(decibans: Int) -> Double {
  var value = 1.0
  for _ in 0..<min(decibans.magnitude, 400) { value *= decibans < 0 ? 0.794_328_234_7 : 1.258_925_411_8 }
  return value
}

enum Certainty {
  /// The most that one kind of evidence makes, however heavy: just below what is printed as "high" (`inference.md` 1, rule 2).
  static let oneKind = 0.89
}

/// Collects the records for the possible answers to one question and weighs them (`inference.md` 1).
struct Scale<Answer: Hashable & Sendable> {
  private struct Record {
    let answer: Answer
    let reason: Reason
    let family: Family
  }

  private var records: [Record] = []

  var isEmpty: Bool { records.isEmpty }

  /// Protocols that anybody can forge with one frame: a single one counts less.
  private static var forgeable: Set<String> { ["lltd", "ieee1905", "ssdp", "mdns", "llmnr", "nbns"] }

  mutating func add(_ answer: Answer, _ item: Evidence, _ weight: Weight, value: String, field: String? = nil) {
    add(answer, item, weight, value: WireText(value), field: field)
  }

  mutating func add(_ answer: Answer, _ item: Evidence, _ weight: Weight, value: WireText? = nil, field: String? = nil) {
    let isOneOff = item.count == 1 && weight.family == .selfDeclared && Scale.forgeable.contains(item.basis)
    var reason = item.reason(weight, value: value, field: field)
    if isOneOff { reason.weight -= 5 }
    add(answer, reason, weight.family)
  }

  mutating func add(_ answer: Answer, _ reason: Reason, _ family: Family) {
    if records.isEmpty { records.reserveCapacity(4) }
    records.append(Record(answer: answer, reason: reason, family: family))
  }

  // The records are looked at where they lie: to take one out of the array is to copy its texts.

  /// The sum over families: the strongest of each, and at most 3 more for agreement inside it.
  func score(_ answer: Answer) -> Int {
    var best = InlineArray<8, Int>(repeating: 0)
    var count = InlineArray<8, Int>(repeating: 0)
    var sum = 0
    for at in records.indices where records[at].answer == answer {
      let weight = records[at].reason.weight
      let family = Int(records[at].family.rawValue & 7)
      if weight >= 0 {
        best[family] = max(best[family], weight)
        count[family] += 1
      } else {
        sum += weight
      }
    }
    for family in 0..<8 where count[family] > 0 { sum += best[family] + min(3, count[family] - 1) }
    return sum
  }

  /// The likeliest answer and how sure it is; nil when nothing was recorded or two answers stand against each other.
  /// - Parameter others: how many further answers were possible, at no weight each.
  func verdict(others: Int) -> Verdict<Answer>? {
    let shares = shares(others)
    guard let best = shares.max(by: { $0.share < $1.share }), !Scale.isUnclear(shares) else { return nil }
    return verdict(best)
  }

  /// The answers that stand against each other, the likelier first; empty when one is clearly the likeliest.
  func unclear(others: Int) -> [Verdict<Answer>] {
    let shares = shares(others)
    guard Scale.isUnclear(shares) else { return [] }
    // In the order in which they were recorded where they are alike.
    let order = shares.enumerated().filter { $0.element.share > 0.3 }
    return order.sorted { ($1.element.share, $0.offset) < ($0.element.share, $1.offset) }.map { verdict($0.element) }
  }

  /// The part of all possibilities that each answer has.
  private func shares(_ others: Int) -> [(answer: Answer, share: Double)] {
    var shares: [(answer: Answer, share: Double)] = []
    var sum = Double(max(0, others))
    for at in records.indices where !shares.contains(where: { $0.answer == records[at].answer }) {
      let answer = records[at].answer
      let power = odds(decibans: score(answer))
      shares.append((answer, power))
      sum += power
    }
    guard sum > 0 else { return [] }
    for at in shares.indices { shares[at].share /= sum }
    return shares
  }

  /// Two answers that are both believable: unclear is the honest word.
  private static func isUnclear(_ shares: [(answer: Answer, share: Double)]) -> Bool { shares.count { $0.share > 0.3 } > 1 }

  private func verdict(_ best: (answer: Answer, share: Double)) -> Verdict<Answer> {
    Verdict(
      best.answer, confidence: min(best.share, ceiling(best.answer)), reasons: reasons(for: best.answer),
      against: reasons(except: best.answer))
  }

  /// No single kind of hint makes certainty.
  private func ceiling(_ answer: Answer) -> Double {
    let families = families(answer, from: 1)
    if families == Families(.timing) { return 0.75 }
    if families.isSubset(of: Families(.identity)), self.families(answer, from: 4).isEmpty { return 0.60 }
    let isStrong = !self.families(answer, from: 20).isEmpty
    return isStrong || self.families(answer, from: 12).count >= 2 ? 0.99 : Certainty.oneKind
  }

  /// The kinds of evidence of at least some weight that speak for an answer.
  private func families(_ answer: Answer, from weight: Int) -> Families {
    var out = Families()
    for at in records.indices where records[at].answer == answer && records[at].reason.weight >= weight {
      out.formUnion(Families(records[at].family))
    }
    return out
  }

  /// How many kinds of evidence speak for an answer.
  func families(_ answer: Answer) -> Int { families(answer, from: 1).count }

  private func reasons(for answer: Answer) -> [Reason] {
    reasons(8) { $0 == answer }
  }

  private func reasons(except answer: Answer) -> [Reason] {
    reasons(4) { $0 != answer }
  }

  /// The heaviest of the records for some answers, in the order in which they came where they weigh the same.
  private func reasons(_ limit: Int, for isWanted: (Answer) -> Bool) -> [Reason] {
    var places = records.indices.filter { isWanted(records[$0].answer) }
    if places.count > 1 { places.sort { (records[$1].reason.weight, $0) < (records[$0].reason.weight, $1) } }
    return places.prefix(limit).map { records[$0].reason }
  }
}
