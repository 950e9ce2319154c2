import Wire

/// Everything that Wire reads in a capture, gathered without judgement: what an independent reader of the same file can be held against.
struct Facts {
  struct Counts {
    var sentFrames = 0
    var sentBytes = 0
    var receivedFrames = 0
    var receivedBytes = 0
  }

  /// A frame that could not be read to its end.
  struct Stop {
    var frame: Int
    var fault: WireFault
    /// nil for the header walk.
    var dissector: String?
  }

  struct Radio {
    /// Frames by subtype and type, as `subtype << 4 | type` is written in the frame control field: type in the high nibble here.
    var types: [Int: Int] = [:]
    var bssids: Set<MACAddress> = []
    var transmitters: Set<MACAddress> = []
    var receivers: Set<MACAddress> = []
  }

  var frames = 0
  var bytes = 0
  var capturedBytes = 0
  var cutFrames = 0
  var times: (first: Timestamp, last: Timestamp, earliest: Timestamp, latest: Timestamp)?
  var framesByInterface: [Int: Int] = [:]
  /// Sources of wired and cooked frames, the all-zero address among them, and the IP addresses behind each.
  var sources: Set<MACAddress> = []
  /// Both ends of every frame that names both, radio frames apart.
  var counts: [MACAddress: Counts] = [:]
  var addresses: [MACAddress: Set<IPAddress>] = [:]
  var vlans: Set<UInt16> = []
  var radio = Radio()
  var stops: [Stop] = []
  /// Frames by the dissector that read them.
  var dissected: [String: Int] = [:]

  /// Every distinct observation in the order of its first frame, and which frames said which.
  var observations: [(said: Observation, frame: Int, count: Int)] = []
  var said: [(frame: Int, observations: [Int])] = []
  private var places: [Observation: Int] = [:]

  mutating func add(_ s: borrowing FrameSummary, _ o: borrowing Observations) {
    frames += 1
    bytes += s.wireLength
    capturedBytes += s.capturedLength
    if s.capturedLength < s.wireLength { cutFrames += 1 }
    framesByInterface[s.interface, default: 0] += 1
    // A frame without a possible time carries that of the one before it, the first ones zero.
    if s.time.nanoseconds != 0 { addTime(s.time) }
    if s.has(.isWireless) { addRadio(s) } else { addEnds(s) }
    for vlan in s.vlanIDs { vlans.insert(vlan) }
    let name = o.dissector >= 0 ? Dissector.all[o.dissector].name : nil
    if let name { dissected[name, default: 0] += 1 }
    let number = s.number
    if let stop = s.stop { stops.append(Stop(frame: number, fault: stop, dissector: nil)) }
    if let fault = o.fault { stops.append(Stop(frame: number, fault: fault, dissector: name)) }
    add(o.items, frame: number)
  }

  private mutating func addTime(_ time: Timestamp) {
    let before = times
    times = (before?.first ?? time, time, min(before?.earliest ?? time, time), max(before?.latest ?? time, time))
  }

  private mutating func addEnds(_ s: borrowing FrameSummary) {
    let source = s.source
    if s.has(.hasSource), !source.isGroup {
      sources.insert(source)
      if s.has(.hasIP) { addresses[source, default: []].insert(s.sourceAddress) }
    }
    guard s.has(.hasSource), s.has(.hasDestination) else { return }
    let length = s.wireLength
    counts[s.source, default: Counts()].sentFrames += 1
    counts[s.source, default: Counts()].sentBytes += length
    counts[s.destination, default: Counts()].receivedFrames += 1
    counts[s.destination, default: Counts()].receivedBytes += length
  }

  private mutating func addRadio(_ s: borrowing FrameSummary) {
    radio.types[Int(s.wireless.type) << 4 | Int(s.wireless.subtype), default: 0] += 1
    radio.bssids.insert(s.wireless.bssid)
    radio.transmitters.insert(s.wireless.transmitter)
    radio.receivers.insert(s.wireless.receiver)
  }

  private mutating func add(_ items: [Observation], frame: Int) {
    guard !items.isEmpty else { return }
    var here: [Int] = []
    for item in items {
      let place = places[item] ?? observations.count
      if place == observations.count {
        places[item] = place
        observations.append((item, frame, 0))
      }
      observations[place].count += 1
      if !here.contains(place) { here.append(place) }
    }
    said.append((frame, here))
  }
}

extension Facts {
  var json: [(String, JSON)] {
    [
      ("packets", .int(frames)), ("bytes_on_wire", .int(bytes)), ("bytes_captured", .int(capturedBytes)),
      ("snapped_frames", .int(cutFrames)),
      ("first_timestamp", time(times?.first)), ("last_timestamp", time(times?.last)), ("earliest_timestamp", time(times?.earliest)),
      ("latest_timestamp", time(times?.latest)),
      ("packets_by_interface", .object(framesByInterface.sorted { $0.key < $1.key }.map { (String($0.key), .int($0.value)) })),
      ("stops", .list(stops.map(json))),
      ("unicast_source_macs", list(sources)),
      ("mac_counts", .object(counts.sorted { $0.key < $1.key }.map { ($0.key.description, json($0.value)) })),
      ("ip_sources_by_mac", .object(addresses.sorted { $0.key < $1.key }.map { ($0.key.description, list($0.value)) })),
      ("vlan_ids", .list(vlans.sorted().map { .int(Int($0)) })),
      (
        "wifi",
        .object([
          ("frame_types", .object(radio.types.sorted { $0.key < $1.key }.map { (hex($0.key), .int($0.value)) })),
          ("bssids", list(radio.bssids)), ("transmitters", list(radio.transmitters)), ("receivers", list(radio.receivers)),
        ])
      ),
      ("dissected", .object(dissected.sorted { $0.key < $1.key }.map { ($0.key, .int($0.value)) })),
      ("observations", .list(observations.map { json($0.said, frame: $0.frame, count: $0.count) })),
      ("said", .list(said.map { .list([.int($0.frame), .list($0.observations.map { .int($0) })]) })),
    ]
  }

  private func json(_ counts: Counts) -> JSON {
    .object([
      ("tx_packets", .int(counts.sentFrames)), ("tx_bytes", .int(counts.sentBytes)), ("rx_packets", .int(counts.receivedFrames)),
      ("rx_bytes", .int(counts.receivedBytes)),
    ])
  }

  private func json(_ stop: Stop) -> JSON {
    .object([
      ("frame", .int(stop.frame)), ("reason", .text(String(describing: stop.fault.reason))), ("offset", .int(stop.fault.offset)),
      ("sender", .bool(stop.fault.isSenderFault)), ("dissector", stop.dissector.map { .text($0) } ?? .null),
    ])
  }

  private func json(_ said: Observation, frame: Int, count: Int) -> JSON {
    let subject: JSON =
      switch said.subject {
      case .station(let mac): .text(mac.description)
      case .address(let address): .text(address.description)
      }
    return .object([
      ("basis", .text(said.basis)), ("field", .text(said.field)), ("subject", subject), ("claim", JSON(reflecting: said.claim)),
      ("grade", .text(String(describing: said.grade))), ("kind", .text(said.kind.rawValue)), ("text", said.text.map { JSON($0) } ?? .null),
      ("frame", .int(frame)), ("count", .int(count)),
    ])
  }

  private func list(_ values: some Sequence<some Comparable & CustomStringConvertible>) -> JSON {
    .list(values.sorted().map { .text($0.description) })
  }

  private func hex(_ type: Int) -> String {
    let digits = String(type, radix: 16)
    return "0x" + (digits.count < 2 ? "0" : "") + digits
  }

  /// Seconds and nanoseconds: a number would lose digits in most readers.
  private func time(_ value: Timestamp?) -> JSON {
    guard let value else { return .null }
    let fraction = String(1_000_000_000 + value.nanoseconds % 1_000_000_000).dropFirst()
    return .text("\(value.nanoseconds / 1_000_000_000).\(fraction)")
  }
}
