public import Model
import Wire

/// Finds whom a word means: a MAC or its end, an address, a prefix, a name that a device told or was given, or what the report calls it.
public struct SubjectSearch {
  private let snapshot: Snapshot

  public init(_ snapshot: Snapshot) { self.snapshot = snapshot }

  /// Whom the word means: one when it is clear, several when it is not, none when nothing here is called so. Of the ways in which a word
  /// can fit, only the closest counts.
  public func find(_ word: String) -> [Claim.Subject] {
    for way in [exactly, byName, bySubnet, byEnd, byPlace] {
      let found = way(word)
      if !found.isEmpty { return found }
    }
    return []
  }

  // MARK: Ways to fit

  private func devices(where fits: (Host) -> Bool) -> [Claim.Subject] { snapshot.hosts.filter(fits).map { .device($0.id) } }

  private func exactly(_ word: String) -> [Claim.Subject] {
    if let mac = MACAddress(word) { return devices { $0.id == mac || $0.virtualMACs.contains(mac) } }
    if let address = IPAddress(word) {
      let holders = devices { $0.addresses.contains(address) }
      if !holders.isEmpty { return holders }
      return snapshot.claims(about: .address(address)).isEmpty ? [] : [.address(address)]
    }
    return []
  }

  private func byName(_ word: String) -> [Claim.Subject] {
    let wanted = WireText(word)
    func texts(_ host: Host) -> [WireText] { host.names.map(\.text) + [host.given?.name].compactMap(\.self) }
    // What is typed is what was shown: a name with bytes that cannot be typed is found by its display form.
    let exact = devices { host in texts(host).contains { $0 == wanted || WireText($0.display) == wanted } }
    if !exact.isEmpty { return exact }
    let lower = wanted.lowercasedASCII
    let near = devices { host in
      texts(host).contains { WireText($0.display).lowercasedASCII == lower || SubjectSearch.label($0) == lower.bytes }
    }
    if !near.isEmpty { return near }
    return devices { host in
      [Label.name(host), Label.bare(host)].contains { WireText($0).lowercasedASCII == lower }
    }
  }

  /// A host name without its domain.
  private static func label(_ text: WireText) -> [UInt8] { Array(text.lowercasedASCII.bytes.prefix { $0 != 0x2e }) }

  /// `192.168.0.0/24`, its first address alone, or with an `x` for what varies.
  private func bySubnet(_ word: String) -> [Claim.Subject] {
    func subnets(_ fits: (Prefix) -> Bool) -> [Claim.Subject] { snapshot.subnets.filter { fits($0.prefix) }.map { .subnet($0.prefix) } }
    if let prefix = Prefix(word) {
      let exact = subnets { $0 == prefix }
      return exact.isEmpty ? subnets { $0.length < prefix.length && $0.contains(prefix.address) } : exact
    }
    if let address = IPAddress(word) { return subnets { $0.address == address } }
    let parts = word.split(separator: ".", omittingEmptySubsequences: false)
    let known = parts.prefix { !["x", "X", "*", ""].contains($0) }
    guard (1...3).contains(known.count), parts.count <= 4, parts.dropFirst(known.count).allSatisfy({ ["x", "X", "*", ""].contains($0) }),
      known.count < parts.count || known.count == 3,
      let block = Prefix((known + Array(repeating: "0", count: 4 - known.count)).joined(separator: ".") + "/\(8 * known.count)")
    else { return [] }
    return subnets { $0.contains(block.address) || block.contains($0.address) }
  }

  /// The last bytes of a MAC, as the report shows them where there is no name.
  private func byEnd(_ word: String) -> [Claim.Subject] {
    let end = word.utf8.map { $0 == 0x2d ? 0x3a : $0 | 0x20 }
    let groups = end.split(separator: 0x3a, omittingEmptySubsequences: false)
    let isHex = groups.allSatisfy { $0.count == 2 && $0.allSatisfy { ($0 >= 0x30 && $0 <= 0x39) || ($0 >= 0x61 && $0 <= 0x66) } }
    guard (2...5).contains(groups.count), isHex else { return [] }
    return devices { host in ([host.id] + host.virtualMACs).contains { $0.description.utf8.suffix(end.count).elementsEqual(end) } }
  }

  /// The way out, as people call it.
  private func byPlace(_ word: String) -> [Claim.Subject] {
    guard ["gateway", "router", "internet"].contains(WireText(word).lowercasedASCII.uncleaned) else { return [] }
    let homes = snapshot.subnets.filter { $0.kind == .home }
    let ways = Set((homes.isEmpty ? snapshot.subnets : homes).flatMap { $0.gateways.compactMap(\.host) })
    return devices { host in ([host.id] + host.virtualMACs).contains(where: ways.contains) }
  }

  // MARK: What can be asked for

  /// One line about a subject: what it is called and where.
  public func line(_ subject: Claim.Subject) -> String {
    switch subject {
    case .device(let mac):
      guard let host = snapshot.host(mac) else { return mac.description }
      return ([Label.fit(Label.name(host), 40), host.id.description] + host.addresses.prefix(1).map(\.description)).joined(separator: "  ")
    case .subnet(let prefix): return prefix.description
    case .address(let address): return address.description
    }
  }

  /// What is nearest to a word that nothing is called by, the nearest first.
  /// - Parameter distance: edits between two words.
  public func nearest(to word: String, _ distance: (String, String) -> Int) -> [Claim.Subject] {
    if let address = IPAddress(word) {
      // Of an address the neighbours by number are nearest, and the subnet that would hold it.
      let subnets = snapshot.subnets.filter { $0.prefix.contains(address) }
      let neighbours = snapshot.hosts.filter { host in host.addresses.contains { a in subnets.contains { $0.prefix.contains(a) } } }
      if !subnets.isEmpty {
        return subnets.map { .subnet($0.prefix) } + ranked(neighbours, word, distance).prefix(4).map { .device($0.id) }
      }
    }
    return ranked(snapshot.hosts, word, distance).prefix(5).map { .device($0.id) }
  }

  private func ranked(_ hosts: [Host], _ word: String, _ distance: (String, String) -> Int) -> [Host] {
    let lower = WireText(word).lowercasedASCII.uncleaned
    func far(_ host: Host) -> Int {
      let words = host.names.map(\.text.display) + [Label.bare(host), host.id.description] + host.addresses.map(\.description)
      return words.map { text in
        let text = WireText(text).lowercasedASCII
        return text.mentions(lower) ? 0 : distance(lower, text.uncleaned)
      }.min() ?? .max
    }
    return hosts.map { (far($0), $0) }.sorted { ($0.0, $0.1.id) < ($1.0, $1.1.id) }.map(\.1)
  }
}
