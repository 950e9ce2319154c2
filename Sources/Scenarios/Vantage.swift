package import Wire

/// A frame as a capture holds it.
package struct CapturedFrame: Hashable, Sendable {
  package var time: Timestamp
  /// 0, or 1 for a router's far side.
  package var interface: Int
  package var link: LinkType
  package var bytes: [UInt8]
  package var wireLength: Int
  package var direction: Direction

  package init(
    time: Timestamp, interface: Int = 0, link: LinkType = .ethernet, bytes: [UInt8], wireLength: Int, direction: Direction = .unknown
  ) {
    self.time = time
    self.interface = interface
    self.link = link
    self.bytes = bytes
    self.wireLength = wireLength
    self.direction = direction
  }
}

extension Scenario {
  /// Where we listen, hence what we hear (`inference.md` 2).
  package enum Vantage: Sendable {
    /// All that crosses the switch every box stands on, as a mirror of all its ports shows it.
    case mirror
    /// The mirror of one port: what goes to or comes from this box and those behind it.
    case mirrorOf(Box)
    /// A bridge inside this box: what passes through it or ends in it.
    case bridge(Box)
    /// This box itself on a switch: broadcast, multicast, and its own. Its own frames are not padded.
    case host(Box)
    /// As `host` and `bridge` of a router, on both its sides; the far one is interface 1.
    case router(Box)
    /// A card in monitor mode near these access points: every frame in the air, unreadable where it is protected.
    case monitor

    var link: LinkType {
      if case .monitor = self { return .radiotap }
      return .ethernet
    }
  }
}

extension Scenario.Vantage {
  /// What is heard of all that was sent, in order of time; frames of one instant stay in the order they were sent in.
  func record(_ stage: Stage, snapLength: Int) -> [CapturedFrame] {
    var order = Array(stage.transmissions.indices)
    order.sort { (stage.transmissions[$0].nanoseconds, $0) < (stage.transmissions[$1].nanoseconds, $1) }
    var frames: [CapturedFrame] = []
    frames.reserveCapacity(order.count)
    var air = Air(boxes: stage.boxes, snapLength: snapLength)
    // Who stands where: of those that have not spoken yet what is known otherwise, then as they move.
    var paths = stage.boxes.mapValues(\.path)
    for place in order {
      let sent = stage.transmissions[place]
      paths[sent.sender] = sent.path
      if case .monitor = self {
        air.record(sent, paths, into: &frames)
        continue
      }
      guard !sent.isAir, let direction = hears(sent, paths) else { continue }
      var bytes = sent.bytes
      var length = sent.length
      // Whoever hands a frame to his own card sees it before the card pads it.
      if direction != .sent, length < 60 {
        bytes = Packet.padded(bytes)
        length = 60
        if bytes.count > snapLength { bytes = Array(bytes[..<snapLength]) }
      }
      frames.append(
        CapturedFrame(
          time: Timestamp(nanoseconds: sent.nanoseconds), interface: sent.interface, bytes: bytes, wireLength: length, direction: direction)
      )
    }
    if case .monitor = self { frames.sort { $0.time < $1.time } }
    return frames
  }

  /// nil: not heard here.
  private func hears(_ sent: Transmission, _ paths: [MACAddress: [MACAddress]]) -> Direction? {
    let toAll = sent.destination.isGroup || sent.destination == Packet.localAdapter
    let from = sent.path + [sent.sender]
    let to = (paths[sent.destination] ?? []) + [sent.destination]
    if sent.interface != 0 {
      guard case .router(let box) = self else { return nil }
      return sent.sender == box.mac ? .sent : .received
    }
    switch self {
    case .mirror: return toAll || from[0] != to[0] ? .unknown : nil
    case .mirrorOf(let box): return toAll || from.contains(box.mac) != to.contains(box.mac) ? .unknown : nil
    case .bridge(let box): return toAll || Self.passes(box.mac, from, to) ? .unknown : nil
    case .host(let box):
      if sent.sender == box.mac { return .sent }
      return toAll || sent.destination == box.mac ? .received : nil
    case .router(let box):
      if sent.sender == box.mac { return .sent }
      return toAll || Self.passes(box.mac, from, to) ? .received : nil
    case .monitor: return nil
    }
  }

  /// Whether the way from one to the other leads through a box: it is on the way of one of them, and they part there or before.
  private static func passes(_ box: MACAddress, _ from: [MACAddress], _ to: [MACAddress]) -> Bool {
    guard let a = from.firstIndex(of: box) else { return to.contains(box) }
    guard let b = to.firstIndex(of: box) else { return true }
    return a + 1 >= from.count || b + 1 >= to.count || from[a + 1] != to[b + 1]
  }
}

/// Turns frames of the wire into those in the air around access points.
private struct Air {
  var boxes: [MACAddress: Box]
  let snapLength: Int
  private var sequences: [MACAddress: UInt16] = [:]
  private var numbers: UInt32 = 0

  init(boxes: [MACAddress: Box], snapLength: Int) {
    self.boxes = boxes
    self.snapLength = snapLength
  }

  private func accessPoint(of mac: MACAddress, _ paths: [MACAddress: [MACAddress]]) -> Box? {
    guard boxes[mac]?.isWireless == true, let parent = paths[mac]?.last else { return nil }
    return boxes[parent]
  }

  private mutating func sequence(_ mac: MACAddress) -> UInt16 {
    let next = (sequences[mac] ?? 0) &+ 1
    sequences[mac] = next
    return next & 0xfff
  }

  mutating func record(_ sent: Transmission, _ paths: [MACAddress: [MACAddress]], into frames: inout [CapturedFrame]) {
    if sent.isAir { return add(sent.bytes, sent.length, sent.nanoseconds, &frames) }
    guard sent.interface == 0 else { return }
    var at = sent.nanoseconds
    // LLC and SNAP in place of the addresses and the type.
    let length = max(0, sent.length - 14) + 8
    if let point = accessPoint(of: sent.sender, paths) {
      numbers &+= 1
      let frame = RadioFrame.toDS(
        sent.sender, point.bssid, to: sent.destination, sequence: sequence(sent.sender), .protected(length, number: numbers))
      add(frame.bytes, frame.bytes.count, at, &frames)
      at += 180_000
    }
    let points: [Box]
    if sent.destination.isGroup {
      points = boxes.values.filter { $0.ssid != nil }.sorted { $0.mac < $1.mac }
    } else {
      points = accessPoint(of: sent.destination, paths).map { [$0] } ?? []
    }
    for point in points {
      numbers &+= 1
      let frame = RadioFrame.fromDS(
        sent.destination, point.bssid, from: sent.sender, sequence: sequence(point.bssid), .protected(length, number: numbers))
      add(frame.bytes, frame.bytes.count, at, &frames)
      at += 90_000
    }
  }

  private func add(_ bytes: [UInt8], _ length: Int, _ at: Int64, _ frames: inout [CapturedFrame]) {
    frames.append(
      CapturedFrame(time: Timestamp(nanoseconds: at), link: .radiotap, bytes: Array(bytes.prefix(snapLength)), wireLength: length))
  }
}

extension Array<UInt8> {
  fileprivate static func protected(_ length: Int, number: UInt32) -> [UInt8] { RadioFrame.protected(length, packetNumber: number) }
}
