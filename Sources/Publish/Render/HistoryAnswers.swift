import Model
package import Wire

/// What `show` answers from the history, in each of its forms.
package enum AnswerFormat: String, CaseIterable, Sendable { case text, json, csv }

/// The devices as they are known now, or were at a time.
package struct DevicesAnswer {
  let devices: [RecordedDevice]
  let time: Timestamp?
  private let coverage: HistoryReader.Coverage

  /// - Parameter time: nil: now.
  package init(_ reader: borrowing HistoryReader, at time: Timestamp?) throws(DatabaseError) {
    devices = try reader.devices(at: time)
    self.time = time
    coverage = try time.map { (time) throws(DatabaseError) in try reader.coverage(at: time) } ?? .listening
  }

  package func text(_ format: AnswerFormat) -> String {
    switch format {
    case .text: plain
    case .json: json
    case .csv: csv
    }
  }

  /// The name of what a device hangs on.
  private func parent(_ device: RecordedDevice) -> String {
    guard let mac = device.attachedTo else { return "" }
    return devices.first { $0.mac == mac || $0.aliases.contains(mac) }?.label ?? mac.description
  }

  private var plain: String {
    var table = AlignedTable([.left("device"), .left("address"), .left("link"), .left("attached to"), .left("MAC"), .left("last seen")])
    for device in devices {
      let more = device.addresses.count > 1 ? " +\(device.addresses.count - 1)" : ""
      let seen =
        device.isPresent && time == nil
        ? Clock.localTime(device.lastSeen) : device.isPresent ? "" : "gone " + Clock.localTime(device.lastSeen)
      table.row([
        Label.fit(device.label, 32), (device.addresses.first?.description ?? "") + more,
        device.medium.map { Label.medium(Medium(rawValue: $0)) } ?? "not known",
        Label.fit(parent(device), 24), device.mac.description, seen,
      ])
    }
    let count = "\(devices.count) device\(devices.count == 1 ? "" : "s")"
    let head = time.map { "\(count) at \(Clock.localTime($0))" } ?? count
    switch coverage {
    case .listening: return head + "\n\n" + table.text
    case .before(let beginning): return "nothing is known of that time: the history begins at \(Clock.localTime(beginning))\n"
    case .deaf(let since):
      return "\(head), as far as is known: there is no record of that time, the last one before it is of \(Clock.localTime(since))\n\n"
        + table.text
    }
  }

  private var json: String {
    var json = JSONWriter()
    json.object { json in
      json.string("schema", "lanatomy.devices/1")
      json.string("at", time.map(Clock.utc))
      if time != nil { json.bool("listening", coverage == .listening) }
      json.array("devices") { json in for device in devices { json.object { device.write(&$0) } } }
    }
    return json.text + "\n"
  }

  private var csv: String {
    var table = CSVTable([
      "mac", "name", "present", "ipv4", "ipv6", "medium", "access", "attachedTo", "subnets", "roles", "vendor", "firstSeen", "lastSeen",
    ])
    for device in devices {
      table.row([
        device.mac.description, device.name ?? "", device.isPresent ? "yes" : "no",
        device.addresses.filter(\.isIPv4).map(\.description).joined(separator: " "),
        device.addresses.filter(\.isIPv6).map(\.description).joined(separator: " "), device.medium ?? "", device.access ?? "",
        device.attachedTo?.description ?? "", device.subnets.joined(separator: " "), device.roles.joined(separator: " "),
        device.vendor.map(WireText.clean) ?? "", Clock.utc(device.firstSeen), Clock.utc(device.lastSeen),
      ])
    }
    return table.text
  }
}

/// Everything that was so of the devices that a word means, and what they moved day by day.
package struct StoryAnswer {
  package struct Part {
    let device: RecordedDevice
    let intervals: [RecordedInterval]
    let days: [(start: Timestamp, usage: Usage)]

    package init(_ device: RecordedDevice, _ intervals: [RecordedInterval], _ days: [(start: Timestamp, usage: Usage)]) {
      self.device = device
      self.intervals = intervals
      self.days = days
    }
  }

  let parts: [Part]
  let names: [MACAddress: String]

  /// - Parameter devices: all there are, for the names of what a device hung on.
  package init(_ parts: [Part], among devices: [RecordedDevice]) {
    self.parts = parts
    names = Dictionary(devices.map { ($0.mac, $0.label) }, uniquingKeysWith: { a, _ in a })
  }

  package func text(_ format: AnswerFormat) -> String {
    switch format {
    case .text: parts.map(plain).joined(separator: "\n")
    case .json: json
    case .csv: csv
    }
  }

  private func words(_ interval: RecordedInterval) -> String {
    let value = interval.kind == .attachment ? names[RecordedInterval.mac(interval.value)] ?? interval.text : interval.text
    switch interval.kind {
    case .presence: return "on the network"
    case .attachment: return "attached to \(value)"
    case .side: return "modem side \(value)"
    case .medium: return "link \(value)"
    case .access: return "own interface \(value)"
    case .alias: return "also \(value)"
    case .name: return "name \(value)" + (interval.detail.map { " (\(WireText.clean($0)))" } ?? "")
    case .finding: return interval.detail.map(WireText.clean) ?? value
    case .address, .role, .subnet, .model: return "\(interval.kind.rawValue) \(value)"
    }
  }

  private func plain(_ part: Part) -> String {
    let device = part.device
    var out = "\(Label.fit(device.label, 64))  \(device.mac)\n"
    out += "first seen \(Clock.localTime(device.firstSeen)), last seen \(Clock.localTime(device.lastSeen))\n\n"
    var table = AlignedTable([.left("from"), .left("until"), .left("what")])
    for interval in part.intervals {
      table.row([
        Clock.localTime(interval.first), interval.isOver ? Clock.localTime(interval.last) : "still so", Label.fit(words(interval), 76),
      ])
    }
    out += table.text
    guard !part.days.isEmpty else { return out }
    var usage = UsageTable(first: "day")
    // Two months are a page; the rest stands in the other forms.
    for (start, moved) in part.days.suffix(62) { usage.row(Clock.localDate(start), moved) }
    return out + "\n" + usage.text
  }

  private var json: String {
    var json = JSONWriter()
    json.object { json in
      json.string("schema", "lanatomy.history/1")
      json.array("devices") { json in
        for part in parts {
          json.object { json in
            part.device.write(&json)
            json.array("intervals") { json in
              for interval in part.intervals {
                json.object { json in
                  json.string("kind", interval.kind.rawValue)
                  if interval.kind != .presence { json.string("value", interval.text) }
                  switch interval.kind {
                  case .name, .model:
                    let text = WireText(interval.value)
                    if text.isAltered { json.string("raw", text.hex) }
                  default: break
                  }
                  json.string(
                    interval.kind == .name ? "source" : interval.kind == .finding ? "text" : "percent", interval.detail.map(WireText.clean))
                  json.string("first", Clock.utc(interval.first))
                  json.string("last", Clock.utc(interval.last))
                  json.bool("over", interval.isOver)
                }
              }
            }
            json.array("days") { json in
              for (start, usage) in part.days {
                json.object { json in
                  json.string("day", Clock.localDate(start))
                  usage.write(&json)
                }
              }
            }
          }
        }
      }
    }
    return json.text + "\n"
  }

  private var csv: String {
    var table = CSVTable(["mac", "kind", "value", "detail", "first", "last", "over"])
    for part in parts {
      for interval in part.intervals {
        table.row([
          part.device.mac.description, interval.kind.rawValue, interval.text, interval.detail.map(WireText.clean) ?? "",
          Clock.utc(interval.first), Clock.utc(interval.last), interval.isOver ? "yes" : "no",
        ])
      }
    }
    return table.text
  }
}

/// What was moved, by device, subnet or link type.
package struct UsageAnswer {
  package enum Grouping: String, CaseIterable, Sendable { case device, subnet, medium }

  let grouping: Grouping
  let rows: [RecordedUsage.Row]
  let usage: RecordedUsage

  package init(_ reader: borrowing HistoryReader, by grouping: Grouping, since: Timestamp?) throws(DatabaseError) {
    self.grouping = grouping
    usage = try reader.usage(since: since)
    rows = try reader.rows(of: usage, by: grouping)
  }

  package func text(_ format: AnswerFormat) -> String {
    switch format {
    case .text: plain
    case .json: json
    case .csv: csv
    }
  }

  private var network: Usage { usage.network }

  private var plain: String {
    var out = "usage by \(grouping.rawValue)"
    if let since = usage.since { out += " since \(Clock.localTime(since))" }
    var table = UsageTable(first: grouping == .medium ? "link" : grouping.rawValue)
    for row in rows { table.row(Label.fit(row.label, 40), row.usage) }
    table.sum("all that was captured", network)
    out += "\n\n" + table.text
    if table.hasLowerBound {
      out += "\n>= at least this much: unicast between others does not reach the place of capture, or frames were lost\n"
    }
    return out
  }

  private var json: String {
    var json = JSONWriter()
    json.object { json in
      json.string("schema", "lanatomy.usage/1")
      json.string("by", grouping.rawValue)
      json.string("since", usage.since.map(Clock.utc))
      json.string("resolution", usage.tier.word)
      json.array("rows") { json in
        for row in rows {
          json.object { json in
            json.string(grouping.rawValue, row.key)
            json.string("name", row.name)
            row.usage.write(&json)
          }
        }
      }
      json.object("network") { json in
        json.int("frames", network.sentFrames)
        json.int("bytes", network.sentBytes)
        json.int("internetSentBytes", network.internetSent)
        json.int("internetReceivedBytes", network.internetReceived)
        json.int("operatorSentBytes", network.operatorSent)
        json.int("operatorReceivedBytes", network.operatorReceived)
        json.int("localBytes", network.local)
        json.int("peak", network.peak)
        json.bool("lowerBound", network.isLowerBound)
      }
    }
    return json.text + "\n"
  }

  private var csv: String {
    var table = CSVTable([
      grouping.rawValue, "name", "sentFrames", "sentBytes", "receivedFrames", "receivedBytes", "internetSentBytes", "internetReceivedBytes",
      "localSentBytes", "localReceivedBytes", "operatorSentBytes", "operatorReceivedBytes", "peak", "lowerBound",
    ])
    for row in rows {
      let u = row.usage.shown
      let numbers = [
        u.sentFrames, u.sentBytes, u.receivedFrames, u.receivedBytes, u.internetSent, u.internetReceived, u.localSent, u.localReceived,
        u.operatorSent, u.operatorReceived, u.peak,
      ]
      table.row([row.key, row.name ?? ""] + numbers.map(String.init) + [u.isLowerBound ? "yes" : "no"])
    }
    return table.text
  }
}

extension RecordedUsage {
  /// One line of an answer about usage.
  package struct Row: Sendable, Hashable {
    /// The device's MAC, the prefix, the medium.
    package let key: String
    package let name: String?
    package let label: String
    package let usage: Usage
  }
}

extension HistoryReader {
  /// The boxes' usage summed by what they are on. Where a device is now counts for all of the time: so the sums are those of its last report.
  func rows(of usage: RecordedUsage, by grouping: UsageAnswer.Grouping) throws(DatabaseError) -> [RecordedUsage.Row] {
    let devices = try devices()
    let byBox = try byBox(usage)
    var sums: [String: Usage] = [:]
    var labels: [String: String] = [:]
    var names: [String: String] = [:]
    for device in devices {
      guard let moved = byBox[device.mac] else { continue }
      let keys: [String]
      switch grouping {
      case .device:
        keys = [device.mac.description]
        labels[device.mac.description] = device.label
        names[device.mac.description] = device.name
      // One in two subnets counts in both, as in the report.
      case .subnet: keys = device.subnets.isEmpty ? ["unknown"] : device.subnets
      case .medium:
        keys = [device.medium ?? "unknown"]
        labels[keys[0]] = device.medium.map { Label.medium(Medium(rawValue: $0)) } ?? "not known"
      }
      for key in keys { sums[key, default: Usage()] += moved }
    }
    if let forgotten = usage.byDevice[1] { sums["forgotten", default: Usage()] += forgotten }
    return sums.map { RecordedUsage.Row(key: $0.key, name: names[$0.key], label: labels[$0.key] ?? $0.key, usage: $0.value) }
      .sorted { $0.usage.bytes != $1.usage.bytes ? $0.usage.bytes > $1.usage.bytes : $0.key < $1.key }
  }
}

extension RecordedDevice {
  /// The owner's name, else its own.
  var name: String? {
    if let givenName, !givenName.isEmpty { return WireText.clean(givenName) }
    return names.first { !$0.isEmpty }?.display
  }

  /// What to call it in a text: its name, else what it is and the end of its address.
  var label: String {
    if let name { return Label.fit(name, 64) }
    let role = ["router", "gateway", "modem"].first(where: roles.contains) ?? roles.first
    return role.map { "(\($0) \(mac.description.suffix(8)))" } ?? "(\(mac.description.suffix(8)))"
  }

  /// By the keys of the report.
  func write(_ json: inout JSONWriter) {
    json.string("mac", mac.description)
    json.string("name", name)
    json.bool("present", isPresent)
    json.array("virtualMacs") { json in for mac in aliases { json.string(nil, mac.description) } }
    json.string("vendor", vendor.map(WireText.clean))
    json.array("ipv4") { json in for address in addresses where address.isIPv4 { json.string(nil, address.description) } }
    json.array("ipv6") { json in for address in addresses where address.isIPv6 { json.string(nil, address.description) } }
    json.array("names") { json in
      for name in names {
        json.object { json in
          json.string("name", name.display)
          if name.isAltered { json.string("raw", name.hex) }
        }
      }
    }
    json.string("model", model?.display)
    json.array("roles") { json in for role in roles { json.string(nil, role) } }
    json.string("medium", medium ?? "unknown")
    json.string("access", access)
    json.string("attachedTo", attachedTo?.description)
    json.array("subnets") { json in for subnet in subnets { json.string(nil, subnet) } }
    json.string("behindModem", side ?? "unknown")
    json.string("firstSeen", Clock.utc(firstSeen))
    json.string("lastSeen", Clock.utc(lastSeen))
  }
}

extension Usage {
  /// By the keys of the report's traffic.
  func write(_ json: inout JSONWriter) {
    let shown = self.shown
    json.int("sentFrames", shown.sentFrames)
    json.int("sentBytes", shown.sentBytes)
    json.int("receivedFrames", shown.receivedFrames)
    json.int("receivedBytes", shown.receivedBytes)
    json.int("internetBytes", max(0, internet))
    json.int("internetSentBytes", shown.internetSent)
    json.int("localBytes", max(0, local))
    json.int("localSentBytes", shown.localSent)
    json.int("operatorBytes", `operator` > 0 ? `operator` : nil)
    json.int("operatorSentBytes", `operator` > 0 ? shown.operatorSent : nil)
    json.int("peak", shown.peak)
    json.bool("lowerBound", isLowerBound)
  }
}
