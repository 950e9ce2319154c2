package import Wire

// 802.11 frames (IEEE 802.11-2020, 9.2 and 9.3) behind a radiotap header (radiotap.org), as a card in monitor mode hands them over.

/// A frame in the air. `bytes` is the whole of it, radiotap first.
package struct RadioFrame: Hashable, Sendable {
  package var bytes: [UInt8]

  /// Radiotap with flags, rate, channel and signal, then the MAC header and body.
  package init(
    _ control: UInt16, _ first: MACAddress, _ second: MACAddress, _ third: MACAddress, _ fourth: MACAddress? = nil, sequence: UInt16,
    quality: Bool = false, _ body: [UInt8], channel: UInt16 = 2437, signal: Int8 = -50, rate: UInt8 = 108
  ) {
    var w = ByteWriter()
    w.append([0, 0])
    w.u16LE(15)
    w.u32LE(0x0000_002e)
    w.append([0, rate])
    w.u16LE(channel)
    w.u16LE(channel < 3000 ? 0x00a0 : 0x0140)
    w.u8(UInt8(bitPattern: signal))
    w.u16LE(control)
    w.u16LE(0x2c)
    w.mac(first)
    w.mac(second)
    w.mac(third)
    w.u16LE(sequence << 4)
    if let fourth { w.mac(fourth) }
    if quality { w.u16(0) }
    w.append(body)
    bytes = w.bytes
  }

  private static func element(_ id: UInt8, _ bytes: [UInt8]) -> [UInt8] { [id, UInt8(clamping: bytes.count)] + bytes }
  private static let rates = element(1, [0x82, 0x84, 0x8b, 0x96, 0x0c, 0x12, 0x18, 0x24])
  private static let wpa2 = element(
    48, [1, 0, 0, 0x0f, 0xac, 4, 1, 0, 0, 0x0f, 0xac, 4, 1, 0, 0, 0x0f, 0xac, 2, 0, 0])

  /// - Parameter channel: MHz.
  package static func beacon(
    _ bssid: MACAddress, ssid: String, protected: Bool = true, channel: UInt16 = 2437, sequence: UInt16, time: UInt64 = 0,
    stations: UInt16? = nil,
    signal: Int8 = -45
  ) -> RadioFrame {
    var w = ByteWriter()
    w.u64(time.byteSwapped)
    w.u16LE(100)
    w.u16LE(protected ? 0x0411 : 0x0401)
    w.append(element(0, Array(ssid.utf8.prefix(32))))
    w.append(rates)
    if channel < 3000 { w.append(element(3, [UInt8(clamping: channel == 2484 ? 14 : (Int(channel) - 2407) / 5)])) }
    w.append(element(5, [0, 3, 0, 0]))
    if let stations { w.append(element(11, [UInt8(truncatingIfNeeded: stations), UInt8(stations >> 8), 40, 0, 0])) }
    if protected { w.append(wpa2) }
    return RadioFrame(0x0080, .broadcast, bssid, bssid, sequence: sequence, w.bytes, channel: channel, signal: signal, rate: 2)
  }

  package static func associationRequest(_ station: MACAddress, _ bssid: MACAddress, ssid: String, sequence: UInt16, channel: UInt16 = 2437)
    -> RadioFrame
  {
    let body: [UInt8] = [0x11, 0x04, 10, 0] + element(0, Array(ssid.utf8.prefix(32))) + rates + wpa2
    return RadioFrame(0x0000, bssid, station, bssid, sequence: sequence, body, channel: channel, rate: 2)
  }

  package static func associationResponse(_ station: MACAddress, _ bssid: MACAddress, sequence: UInt16, channel: UInt16 = 2437)
    -> RadioFrame
  {
    RadioFrame(0x0010, station, bssid, bssid, sequence: sequence, [0x11, 0x04, 0, 0, 1, 0xc0] + rates, channel: channel, rate: 2)
  }

  package static func leaving(_ station: MACAddress, _ bssid: MACAddress, sequence: UInt16, channel: UInt16 = 2437) -> RadioFrame {
    RadioFrame(0x00a0, bssid, station, bssid, sequence: sequence, [8, 0], channel: channel, rate: 2)
  }

  /// From a station through its access point to `destination`.
  package static func toDS(
    _ station: MACAddress, _ bssid: MACAddress, to destination: MACAddress, sequence: UInt16, protected: Bool = true, _ body: [UInt8],
    channel: UInt16 = 2437, signal: Int8 = -55
  ) -> RadioFrame {
    RadioFrame(
      protected ? 0x4188 : 0x0188, bssid, station, destination, sequence: sequence, quality: true, body, channel: channel, signal: signal)
  }

  /// From the access point to a station or group, sent by `source` behind it.
  package static func fromDS(
    _ receiver: MACAddress, _ bssid: MACAddress, from source: MACAddress, sequence: UInt16, protected: Bool = true, _ body: [UInt8],
    channel: UInt16 = 2437, signal: Int8 = -48
  ) -> RadioFrame {
    let quality = !receiver.isGroup
    return RadioFrame(
      (protected ? 0x4208 : 0x0208) | (quality ? 0x80 : 0), receiver, bssid, source, sequence: sequence, quality: quality, body,
      channel: channel, signal: signal)
  }

  /// Four addresses: between two bridges.
  package static func wds(
    _ receiver: MACAddress, from transmitter: MACAddress, to destination: MACAddress, source: MACAddress, sequence: UInt16, _ body: [UInt8],
    channel: UInt16 = 5180, signal: Int8 = -50
  ) -> RadioFrame {
    RadioFrame(
      0x4388, receiver, transmitter, destination, source, sequence: sequence, quality: true, body, channel: channel, signal: signal)
  }

  /// The open body of a data frame: LLC/SNAP and what an Ethernet frame has behind its addresses.
  package static func open(_ packet: Packet) -> [UInt8] {
    guard let type = packet.type else { return packet.bytes }
    return [0xaa, 0xaa, 3, 0, 0, 0, UInt8(type.rawValue >> 8), UInt8(type.rawValue & 255)] + packet.bytes
  }

  /// A protected body of the same length: CCMP header, noise, and the integrity code (IEEE 802.11-2020, 12.5.3).
  package static func protected(_ length: Int, packetNumber: UInt32) -> [UInt8] {
    var w = ByteWriter()
    w.append([UInt8(truncatingIfNeeded: packetNumber), UInt8(truncatingIfNeeded: packetNumber >> 8), 0, 0x20])
    w.u16LE(UInt16(truncatingIfNeeded: packetNumber >> 16))
    w.u16(0)
    var left = length + 8
    while left > 0 {
      w.append(Noise.bytes[..<min(left, Noise.bytes.count)])
      left -= Noise.bytes.count
    }
    return w.bytes
  }
}
