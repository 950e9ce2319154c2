import Fixtures
import Model
import Scenarios
import Testing
import Wire

@testable import Publish

@Suite("The share-safe report")
struct ShareSafeTests {
  /// In every form, and what `why` says of everything.
  private static func outputs(_ snapshot: Snapshot) -> [(form: String, text: String)] {
    let style = TextStyle(version: "1")
    let subjects = snapshot.hosts.map { Claim.Subject.device($0.id) } + snapshot.subnets.map { .subnet($0.prefix) }
    return ReportFormat.allCases.map { ($0.rawValue, $0.renderer(style).text(snapshot)) }
      + [("evidence", EvidenceReport(version: "1").text(snapshot))]
      + subjects.map { ("why \($0)", WhyReport(style: style, about: $0).text(snapshot)) }
  }

  @Test("calls whom one asked about by the pseudonym that the answer has", arguments: Homes.all)
  func subjects(home: Scenario) {
    let snapshot = home.snapshot()
    for host in snapshot.hosts {
      let (safe, subject) = ShareSafe.applied(to: snapshot, about: .device(host.id))
      guard case .device(let mac) = subject else { continue }
      #expect(safe == ShareSafe.applied(to: snapshot))
      #expect(safe.host(mac)?.ipv4 == host.ipv4 && safe.host(mac)?.roles == host.roles)
    }
  }

  @Test("holds no name, no device's part of a MAC and no public address of any example home", arguments: Homes.all)
  func homes(home: Scenario) {
    let snapshot = home.snapshot()
    let secrets = Secrets(snapshot)
    #expect(!secrets.macs.isEmpty)
    for (form, text) in Self.outputs(ShareSafe.applied(to: snapshot)) {
      #expect(secrets.found(in: text) == [], "\(form)")
    }
    // The search finds what is there to be found.
    #expect(!secrets.found(in: JSONReport(version: "1").text(snapshot)).isEmpty)
  }

  @Test("is the same each time, and keeps structure, media, roles and figures", arguments: Homes.all)
  func structure(home: Scenario) {
    let snapshot = home.snapshot()
    let safe = ShareSafe.applied(to: snapshot)
    #expect(safe == ShareSafe.applied(to: snapshot))
    #expect(safe.hosts.count == snapshot.hosts.count && safe.findings.map(\.id) == snapshot.findings.map(\.id))
    #expect(Set(safe.hosts.map(\.id)).count == safe.hosts.count)
    #expect(safe.hosts.map(\.id.oui).sorted() == snapshot.hosts.map { $0.id.isLocal ? 0x02_0000 : $0.id.oui }.sorted())
    #expect(safe.hosts.map(\.roles.description).sorted() == snapshot.hosts.map(\.roles.description).sorted())
    #expect(safe.hosts.flatMap(\.ipv4).sorted() == snapshot.hosts.flatMap(\.ipv4).sorted())
    #expect(safe.linkTypes.map(\.traffic) == snapshot.linkTypes.map(\.traffic))
    // One pseudonym for one device, wherever it stands.
    let known = Set(safe.hosts.flatMap { [$0.id] + $0.virtualMACs })
    let hanging = snapshot.hosts.compactMap { $0.attachedTo?.answer }.filter { snapshot.host($0) != nil }.count
    #expect(safe.hosts.compactMap { $0.attachedTo?.answer }.filter(known.contains).count == hanging)
    for subnet in safe.subnets { #expect(known.isSuperset(of: subnet.hosts + subnet.gateways.compactMap(\.host))) }
    for host in safe.hosts {
      for address in host.ipv4 { #expect(host.subnets.isEmpty || host.subnets.contains { $0.contains(IPAddress(address)) }) }
    }
  }

  @Test("knows names, addresses, serial numbers and places inside other texts")
  func inside() {
    var snapshot = PlainFlat.scenario.snapshot()
    guard let at = snapshot.hosts.firstIndex(where: { $0.name?.display == "lounge-tv" }) else {
      Issue.record("no television")
      return
    }
    let mac = snapshot.hosts[at].id
    snapshot.hosts[at].names = [
      HostName(text: WireText("Björn's TV"), source: "mdns", frame: 1), HostName(text: WireText("BJOERN-TV"), source: "nbns", frame: 2),
    ]
    snapshot.hosts[at].model = WireText("Bjoern-TV OLED55 SN 83AB120977X at http://192.0.2.77/desc.xml")
    snapshot.hosts[at].vendorClass = WireText("udhcp 1.2 2f402f80-da50-11e1-9b23-\(hex(mac))")
    snapshot.capture.name = WireText("bjoern-at-home.pcap")
    snapshot.capture.filter = "host 203.0.113.99"
    snapshot.findings.append(
      Finding(
        .ipConflict,
        "Björn's TV (\(mac)) and \(mac.description.uppercased()) at 203.0.113.99:443 told \"Björn's TV, the big one\" of BJOERN-TV. See 2001:db8:5::77/64.",
        hosts: [mac],
        reasons: [
          Reason(basis: "802.11", field: "SSID", value: WireText("Villa Björn"), frame: 9, time: nil, weight: 10, kind: .declared),
          Reason(
            basis: "dhcp", field: "chaddr", value: WireText("relay 203.0.113.99 port 67"), frame: 9, time: nil, weight: 10, kind: .declared),
        ]))
    for (form, text) in Self.outputs(ShareSafe.applied(to: snapshot)) {
      let small = String(decoding: Scrubber.lower(Array(text.utf8)), as: UTF8.self)
      for secret in [
        "björn", "bjoern", "villa", "83ab120977x", "203.0.113.99", "192.0.2.77", "2f402f80", "2001:db8:5:",
        String(mac.description.suffix(8)), hex(mac),
      ] {
        #expect(!small.contains(secret), "\(secret) in \(form)")
      }
    }
    let safe = ShareSafe.applied(to: snapshot)
    let finding = safe.findings.last { $0.id == .ipConflict }
    let new = safe.hosts.first { $0.ipv4 == snapshot.hosts[at].ipv4 }
    // The sentence still speaks of the same device as the list.
    #expect(
      finding?.text.hasPrefix("\(new?.name?.display ?? "?") (\(new?.id.description ?? "?")) and \(new?.id.description ?? "?") at 198.19.")
        == true, "\(finding?.text ?? "")")
    #expect(new?.model?.display.contains("OLED55") == true)
    #expect(finding?.reasons.last?.value.display.hasPrefix("relay 198.19.") == true)
  }

  @Test("leaves the sentences whole when a device is called by a word of theirs")
  func words() {
    var snapshot = CableHome.scenario.snapshot()
    for at in snapshot.hosts.indices where !snapshot.hosts[at].names.isEmpty {
      snapshot.hosts[at].names = [HostName(text: WireText(at % 2 == 0 ? "router" : "the"), source: "dhcp", frame: 1)]
    }
    let safe = ShareSafe.applied(to: snapshot)
    #expect(safe.subnets.first?.reason.contains("your router") == true)
    #expect(safe.hosts.allSatisfy { $0.name.map { $0.display.hasPrefix("name-") } ?? true })
  }

  @Test("keeps addresses in their subnets and routers recognisable")
  func addresses() {
    let router = IPv6Address(high: 0x2a02_1810_1c2d_3e00, low: 1)
    let privacy = IPv6Address(high: 0x2a02_1810_1c2d_3e00, low: 0x51a2_77c1_9be0_3321)
    let eui = IPv6Address(high: 0xfe80_0000_0000_0000, low: 0x021d_d1ff_fe5a_2010)
    var masks = Pseudonyms(avoiding: [mac("00:1d:d1:5a:20:10")], [IPAddress(router), IPAddress(privacy)])
    let prefix = masks.prefix(Prefix(IPAddress(router), 64))
    #expect(prefix.description == "2001:db8:1:1::/64")
    #expect(masks.v6(router).description == "2001:db8:1:1::1")
    #expect(prefix.contains(IPAddress(masks.v6(privacy))) && masks.v6(privacy).low != privacy.low)
    // Made of a MAC, so made of its pseudonym.
    #expect(masks.v6(eui) == .linkLocal(of: masks.mac(mac("00:1d:d1:5a:20:10"))))
    #expect(masks.mac(mac("00:1d:d1:5a:20:10")).description == "00:1d:d1:00:00:01")
    guard let wan = IPv4Address("81.83.70.4"), let block = Prefix("81.83.64.0/19"), let home = IPv4Address("192.168.0.4") else { return }
    #expect(masks.prefix(block).description == "198.18.0.0/19")
    #expect(masks.v4(wan).description == "198.18.0.1")
    #expect(masks.v4(home) == home)
  }

  private func hex(_ mac: MACAddress) -> String { mac.description.split(separator: ":").joined() }
}

/// What must not be found again.
private struct Secrets {
  var macs = Set<MACAddress>()
  var names = Set<String>()
  var addresses = Set<IPAddress>()

  init(_ snapshot: Snapshot) {
    for host in snapshot.hosts {
      macs.formUnion([host.id] + host.virtualMACs)
      for name in host.names {
        let text = String(decoding: Scrubber.lower(Array(name.text.display.utf8)), as: UTF8.self)
        if text.utf8.count > 3, !Scrubber.isVocabulary(Array(text.utf8)) { names.insert(text) }
      }
      addresses.formUnion(host.addresses)
    }
    for talk in snapshot.conversations {
      for end in [talk.a, talk.b] { if case .remote(let address) = end { addresses.insert(address) } }
    }
    macs = macs.filter { !$0.isVirtualRouter }
    addresses = addresses.filter { !$0.isInternal && !$0.isMulticast }
  }

  func found(in text: String) -> [String] {
    let text = String(decoding: Scrubber.lower(Array(text.utf8)), as: UTF8.self)
    var out: [String] = []
    for mac in macs {
      let plain = mac.description
      let groups = plain.split(separator: ":")
      let tails = [plain.suffix(8), Substring(groups.suffix(3).joined()), Substring(groups.suffix(3).joined(separator: "-"))]
      // As in an IPv6 address.
      let eui = Substring("fe\(groups[3]):\(groups[4])\(groups[5])")
      for tail in tails + [eui] where text.contains(tail) { out.append(String(tail)) }
    }
    let words = Set(text.split { !$0.isLetter && !$0.isNumber }.map(String.init))
    // A name of letters alone may be a part of a word of ours: "gate".
    for name in names where name.allSatisfy(\.isLetter) ? words.contains(name) : text.contains(name) { out.append(name) }
    for address in addresses where text.contains(address.description) { out.append(address.description) }
    return out.sorted()
  }
}
