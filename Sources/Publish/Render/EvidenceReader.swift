public import Model
import Wire

/// What a daemon published of its evidence, as a snapshot again: with every claim about devices and subnets, and without what no claim
/// rests on (traffic, conversations).
public enum EvidenceReader {
  /// nil when the bytes are no such document.
  public static func snapshot(_ bytes: [UInt8]) -> Snapshot? {
    guard let document = JSONValue(bytes), document["schema"]?.string == EvidenceReport.schema else { return nil }
    var snapshot = Snapshot()
    snapshot.taken = time(document["generated"]) ?? snapshot.taken
    snapshot.capture = capture(document["capture"])
    for entry in document["devices"]?.array ?? [] {
      guard let id = mac(entry["id"]) else { continue }
      var host = Host(id: id)
      host.subnets = (entry["subnets"]?.array ?? []).compactMap { $0.string.flatMap { Prefix($0) } }
      host.firstSeen = time(entry["firstSeen"]) ?? host.firstSeen
      host.lastSeen = time(entry["lastSeen"]) ?? host.lastSeen
      for claim in claims(entry) { _ = host.take(claim) }
      if host.roles.isEmpty { host.roles = [.host] }
      snapshot.hosts.append(host)
    }
    for entry in document["subnets"]?.array ?? [] {
      guard let prefix = entry["prefix"]?.string.flatMap({ Prefix($0) }) else { continue }
      var subnet = Subnet(prefix, hosts: macs(entry["devices"]))
      for claim in claims(entry) { _ = subnet.take(claim) }
      snapshot.subnets.append(subnet)
    }
    for entry in document["findings"]?.array ?? [] {
      guard let id = entry["id"]?.string.flatMap({ Finding.ID(rawValue: $0) }) else { continue }
      snapshot.findings.append(
        Finding(id, entry["text"]?.string ?? "", hosts: macs(entry["devices"]), reasons: reasons(entry["for"])))
    }
    return snapshot
  }

  private static func capture(_ entry: JSONValue?) -> CaptureFacts {
    var facts = CaptureFacts()
    facts.isLive = entry?["source"]?.string == "live"
    facts.name = entry.map { wire($0, "name") } ?? facts.name
    facts.started = time(entry?["started"])
    facts.ended = time(entry?["ended"])
    facts.frames = entry?["frames"]?.int ?? 0
    facts.bytes = entry?["bytes"]?.int ?? 0
    facts.dropped = entry?["dropped"]?.int
    facts.isTruncated = entry?["truncated"]?.bool ?? false
    facts.malformed = entry?["malformed"]?.int ?? 0
    facts.vantage = entry?["vantage"]?.string.flatMap { Vantage(rawValue: $0) } ?? .unknown
    return facts
  }

  private static func claims(_ entry: JSONValue) -> [Claim] {
    (entry["claims"]?.array ?? []).compactMap { entry in
      guard let kind = entry["kind"]?.string.flatMap({ Claim.Kind(rawValue: $0) }) else { return nil }
      return Claim(
        kind, wire(entry, "value"), detail: entry["detail"]?.string ?? "", device: mac(entry["device"]),
        confidence: entry["confidence"]?.double, reasons: reasons(entry["for"]), against: reasons(entry["against"]),
        text: entry["text"]?.string ?? "")
    }
  }

  private static func reasons(_ list: JSONValue?) -> [Reason] {
    (list?.array ?? []).compactMap { entry in
      guard let basis = entry["protocol"]?.string, let kind = entry["kind"]?.string.flatMap({ EvidenceKind(rawValue: $0) }) else {
        return nil
      }
      return Reason(
        basis: basis, field: entry["field"]?.string ?? "", value: wire(entry, "value"), frame: entry["frame"]?.int,
        time: time(entry["time"]), weight: entry["weight"]?.int ?? 0, kind: kind, why: entry["why"]?.string ?? "")
    }
  }

  /// A text by its exact bytes where they stand beside it.
  private static func wire(_ entry: JSONValue, _ key: String) -> WireText {
    guard let raw = entry["raw"]?.string else { return WireText(entry[key]?.string ?? "") }
    let digits = Array(raw.utf8)
    return WireText(
      stride(from: 0, to: digits.count - 1, by: 2).compactMap { UInt8(String(decoding: digits[$0..<($0 + 2)], as: UTF8.self), radix: 16) })
  }

  private static func mac(_ value: JSONValue?) -> MACAddress? { value?.string.flatMap { MACAddress($0) } }
  private static func macs(_ list: JSONValue?) -> [MACAddress] { (list?.array ?? []).compactMap { mac($0) } }
  private static func time(_ value: JSONValue?) -> Timestamp? { value?.string.flatMap { Clock.time($0) } }
}
