package import Wire

/// One conversation of a script, such as "the PC gets a lease": played, it puts frames on the wire with the pauses of life between.
package struct Talk: Sendable {
  let play: @Sendable (inout Stage) -> Void

  package init(_ play: @escaping @Sendable (inout Stage) -> Void) { self.play = play }

  /// On the router's far side: only a router vantage hears it, on its second interface.
  package func onFarSide() -> Talk {
    Talk { stage in
      let before = stage.interface
      stage.interface = 1
      play(&stage)
      stage.interface = before
    }
  }

  /// In a VLAN: the tag crosses the switches.
  package func inVLAN(_ id: UInt16) -> Talk {
    Talk { stage in
      let before = stage.vlan
      stage.vlan = id
      play(&stage)
      stage.vlan = before
    }
  }
}

/// A frame on its way, before anybody listens.
struct Transmission: Sendable {
  var nanoseconds: Int64
  var sender: MACAddress
  /// The boxes between the sender and the switch all stand on, at that time.
  var path: [MACAddress]
  var destination: MACAddress
  var interface: Int
  /// Sent by radio alone, radiotap included: beacons and the like.
  var isAir = false
  /// Before padding; cut to the snap length.
  var bytes: [UInt8]
  var length: Int
}

/// Where talks are played: the clock, the dice and the frames so far.
package struct Stage: Sendable {
  /// Nanoseconds since 1970.
  package private(set) var now: Int64
  package var random: Random
  var transmissions: [Transmission] = []
  var boxes: [MACAddress: Box] = [:]
  var interface = 0
  var vlan: UInt16?
  /// Whether what is sent now belongs to a transfer, of which the headers suffice.
  var isTransfer = false
  private let snapLength: Int
  private let transferLength: Int
  private var identifications: [MACAddress: UInt16] = [:]

  init(start: Timestamp, seed: UInt64, snapLength: Int, transferLength: Int) {
    self.transferLength = min(snapLength, transferLength)
    now = start.nanoseconds
    random = Random(seed: seed)
    self.snapLength = snapLength
  }

  mutating func move(to nanoseconds: Int64) { now = nanoseconds }

  /// Lets time pass: exactly so many seconds.
  package mutating func wait(_ seconds: Double) { now += Int64(max(0, seconds) * 1e9) }

  /// Lets time pass as it does: up to a quarter more or less.
  package mutating func pause(_ seconds: Double) { wait(seconds * (0.75 + 0.5 * random.unit())) }

  /// What a question and its answer need between two boxes, one way.
  package mutating func cross(_ a: Box, _ b: Box) { pause(a.latency + b.latency + 0.000_05) }

  /// The next IP identification of a box.
  package mutating func identification(_ box: Box) -> UInt16 {
    let next = (identifications[box.mac] ?? UInt16(truncatingIfNeeded: box.mac.bits &* 40_503)) &+ 1
    identifications[box.mac] = next
    return next
  }

  /// A port of the dynamic range (RFC 6335, 6).
  package mutating func port() -> UInt16 { 49_152 + UInt16(random.below(16_000)) }

  /// Makes a box known that may never speak, so that frames to it are found to go its way.
  package mutating func know(_ box: Box) {
    guard boxes[box.mac] == nil else { return }
    boxes[box.mac] = box
    for parent in box.parents where boxes[parent.mac] == nil { boxes[parent.mac] = parent }
  }

  package mutating func send(_ packet: Packet, from box: Box, to destination: MACAddress? = nil, as source: MACAddress? = nil) {
    know(box)
    let tagged = vlan.map { packet.inVLAN($0) } ?? packet
    let to = destination ?? packet.destination
    let bytes = tagged.frame(from: source ?? box.mac, to: to)
    // Cut at once, so that long films of mass traffic need little memory. Whether a frame is padded is decided later.
    transmissions.append(
      Transmission(
        nanoseconds: now, sender: box.mac, path: box.path, destination: to, interface: interface, bytes: cut(bytes), length: bytes.count))
  }

  package mutating func send(_ packet: Packet, from box: Box, to other: Box) {
    know(other)
    send(packet, from: box, to: other.mac)
  }

  package mutating func send(_ frame: RadioFrame, from box: Box) {
    know(box)
    transmissions.append(
      Transmission(
        nanoseconds: now, sender: box.mac, path: box.path, destination: .broadcast, interface: 0, isAir: true, bytes: cut(frame.bytes),
        length: frame.bytes.count))
  }

  /// A UDP message to its group, or to everybody, over IPv4.
  package mutating func send(_ datagram: Datagram, from box: Box, to address: IPv4Address? = nil) {
    let target = address ?? datagram.group ?? box.broadcast
    send(
      .ipv4(from: box.ip, to: target, .udp(datagram), hopLimit: datagram.hopLimit ?? box.hopLimit, id: identification(box)), from: box)
  }

  /// A UDP message to its group over IPv6, from the link-local address.
  package mutating func send6(_ datagram: Datagram, from box: Box) {
    send(.ipv6(from: box.linkLocal, to: datagram.group6 ?? .allNodes, .udp(datagram)), from: box)
  }

  /// A UDP message to one box over IPv4.
  package mutating func send(_ datagram: Datagram, from box: Box, to other: Box) {
    know(other)
    send(
      .ipv4(from: box.ip, to: other.ip, .udp(datagram), hopLimit: datagram.hopLimit ?? box.hopLimit, id: identification(box)), from: box,
      to: other.mac)
  }

  private func cut(_ bytes: [UInt8]) -> [UInt8] {
    let most = isTransfer ? transferLength : snapLength
    return bytes.count > most ? Array(bytes[..<most]) : bytes
  }
}
