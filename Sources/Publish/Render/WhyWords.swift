import Model
import Wire

/// Claims and records in words that a layman understands.
struct WhyWords {
  let snapshot: Snapshot

  /// Somebody's words, on a page of a hundred columns; the document has them whole.
  private static let width = 64

  init(_ snapshot: Snapshot) { self.snapshot = snapshot }

  func sentence(_ claim: Claim) -> String {
    let value = Label.fit(claim.value.display, WhyWords.width)
    switch claim.kind {
    case .name:
      return claim.detail == "config" ? "You call it \"\(value)\"." : "It is called \"\(value)\"" + source(claim.reasons)
    case .maker:
      let block = claim.reasons.first.map { ", by the beginning of its hardware address, \($0.value.display)" } ?? ""
      return "Its maker is \(value)\(block)."
    case .madeUp: return "Its hardware address is made up, for privacy: it has no maker's number, and may change."
    case .statement: return "It states its \(claim.detail), \"\(value)\"" + source(claim.reasons)
    case .role: return Role(rawValue: claim.value.uncleaned).map(role) ?? value
    case .address: return "It uses \(value)."
    case .sameBox: return "\(value) is another hardware address of the same box."
    case .side: return BehindModem(rawValue: claim.value.uncleaned).map(side) ?? value
    case .medium: return "It is connected by \(medium(claim))."
    case .mediumUnclear: return "It may be connected by \(medium(claim)); another record says otherwise."
    case .access: return "Its own interface is one for \(medium(claim)); the way to the gateway leads over something slower."
    case .attachment: return "It hangs on \(device(claim.device))."
    case .attachmentUnclear: return "It may hang on \(device(claim.device)); another record says otherwise."
    case .kind: return "It is of the kind \(value)."
    case .prefix where Prefix(value)?.address.isLinkLocal ?? false: return "\(value) is its range of addresses, as the standard fixes it."
    case .prefix: return "\(value) is its range of addresses, known from \(source(claim.detail))."
    case .gateway: return "\(value)\(claim.device == nil ? "" : ", " + device(claim.device) + ",") is its way out."
    case .server:
      let relay = claim.detail.isEmpty ? "" : ", through the relay \(claim.detail)"
      return "\(value)\(claim.device == nil ? "" : ", " + device(claim.device) + ",") hands them out\(relay)."
    case .vlan: return "Its frames carry the label VLAN \(value)."
    }
  }

  /// What an address outside the home does for a subnet.
  func part(_ claim: Claim, of address: IPAddress) -> String {
    if claim.kind == .gateway { return "It is the way out of \(claim.text)." }
    if IPAddress(claim.value.uncleaned) == address {
      return "It hands out the addresses of \(claim.text)\(claim.detail.isEmpty ? "" : ", through the relay \(claim.detail)")."
    }
    return "It is the relay through which \(claim.value.display) hands out the addresses of \(claim.text)."
  }

  /// Whose network it is, to go on from "is".
  func kind(_ subnet: Subnet) -> String {
    switch subnet.kind {
    case .home: "a network of the home"
    case .operator: "a network of the operator"
    case .guest: "a network for guests"
    case .linkLocal: "where devices go that no server gave an address"
    case .transit: "a network between two routers"
    case .unknown: "a network of which nothing tells whose it is"
    }
  }

  /// Who leads out of a subnet and who hands out its addresses.
  func ways(_ subnet: Subnet, besides host: Host) -> String {
    func name(_ address: IPAddress, _ mac: MACAddress?) -> String {
      guard let mac, let other = snapshot.host(mac) else { return address.description }
      return other.id == host.id ? "\(address) (itself)" : "\(address) (\(Label.bare(other)))"
    }
    let ways = subnet.gateways.map { name($0.address, $0.host) }
    let servers = subnet.servers.map { name($0.address, $0.host) + ($0.relay.map { " through the relay \($0)" } ?? "") }
    return (ways.isEmpty ? "No way out of it was seen." : "The way out is \(ways.joined(separator: " or ")).")
      + (servers.isEmpty ? "" : " Addresses come from \(servers.joined(separator: " and ")).")
  }

  private func role(_ role: Role) -> String {
    switch role {
    case .storage: "It is a store of files for the network (NAS)."
    case .gateway: "It is the way out of a network here."
    case .nat: "It translates: others reach the internet under its address."
    case .dhcpServer: "It hands out addresses."
    case .dnsServer: "It answers questions for names (DNS)."
    case .host: "It is a device."
    case .accessPoint, .iot: "It is \(role == .iot ? "a smart home device" : "an access point")."
    default: "It is a \(Label.word(role))."
    }
  }

  private func side(_ side: BehindModem) -> String {
    switch side {
    case .nat: "It is behind the home's router: it reaches the internet under the router's address."
    case .bridged: "It is not behind the home's router: its frames go straight to the operator."
    case .isModem: "It is the modem."
    case .operatorSide: "It is on the operator's side of the modem."
    }
  }

  private func medium(_ claim: Claim) -> String {
    switch Medium(rawValue: claim.value.uncleaned) {
    case .ethernet: "Ethernet cable"
    case .coax: "coaxial cable"
    case .virtual: "a virtual network card"
    case let medium: Label.medium(medium)
    }
  }

  private func device(_ mac: MACAddress?) -> String {
    guard let mac else { return "" }
    guard let host = snapshot.host(mac) else { return mac.description }
    return "\(Label.bare(host)) (\(mac))"
  }

  /// Where something was said, as the end of a sentence.
  private func source(_ reasons: [Reason]) -> String {
    var places: [String] = []
    for reason in reasons {
      let place = WhyWords.place([reason])
      if !places.contains(place) { places.append(place) }
    }
    return places.isEmpty ? "." : ": " + places.joined(separator: "; ") + "."
  }

  private func source(_ word: String) -> String { Subnet.Source(rawValue: word).map(Label.source) ?? word }

  // MARK: Records

  /// What records of one kind prove, where they stand, and the weight of the strongest.
  static func record(_ reasons: [Reason]) -> String {
    guard let first = reasons.first else { return "" }
    var out = first.why.isEmpty ? "" : first.why + ": "
    var values: [WireText] = []
    for reason in reasons where !reason.value.isEmpty && !values.contains(reason.value) { values.append(reason.value) }
    out += place(reasons, values.prefix(3).map(value) + (values.count > 3 ? ["and \(values.count - 3) more"] : []))
    return out + " [\(first.weight < 0 ? "" : "+")\(first.weight)]"
  }

  /// Protocol, field and frames.
  private static func place(_ reasons: [Reason], _ values: [String] = []) -> String {
    guard let first = reasons.first else { return "" }
    // The maker's block stands in every frame of the station.
    let isMaker = first.basis == "oui"
    var parts = isMaker ? ["hardware address beginning with"] : [Label.basis(first.basis), first.field].filter { !$0.isEmpty }
    if !values.isEmpty { parts.append(values.joined(separator: ", ")) }
    var frames: [Int] = []
    for reason in reasons { if let frame = reason.frame, !frames.contains(frame) { frames.append(frame) } }
    frames.sort()
    guard let earliest = frames.first else { return parts.joined(separator: " ") }
    let list = frames.count == 1 ? "frame \(earliest)" : "frames " + frames.prefix(4).map(String.init).joined(separator: ", ")
    return parts.joined(separator: " ") + ", " + list + (frames.count > 4 ? ", …" : "")
  }

  /// Addresses and numbers as they are, what somebody said in quotation marks.
  private static func value(_ text: WireText) -> String {
    let word = text.uncleaned
    let isNumber = word.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
    let isBlock = word.utf8.count == 8 && MACAddress(word + ":00:00:01") != nil
    let isPlain = isNumber || isBlock || IPAddress(word) != nil || MACAddress(word) != nil || Prefix(word) != nil
    return isPlain ? text.display : "\"\(Label.fit(text.display, width))\""
  }
}
