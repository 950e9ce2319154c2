package import Wire

/// Writes capture files (pcap 2.4, tcpdump.org/manpages/pcap-savefile.5.html), little endian.
package enum CaptureFileWriter {
  package static func pcap(
    _ frames: some Sequence<CapturedFrame>, link: LinkType = .ethernet, _ precision: Scenario.Precision = .microseconds,
    snapLength: Int = 262_144
  ) -> [UInt8] {
    var w = ByteWriter()
    header(link, precision, snapLength, &w)
    for frame in frames where frame.link == link { record(frame, precision, &w) }
    return w.bytes
  }

  package static func header(_ link: LinkType, _ precision: Scenario.Precision, _ snapLength: Int = 262_144, _ w: inout ByteWriter) {
    w.u32LE(precision == .microseconds ? 0xa1b2_c3d4 : 0xa1b2_3c4d)
    w.u16LE(2)
    w.u16LE(4)
    w.u32LE(0)
    w.u32LE(0)
    w.u32LE(UInt32(clamping: snapLength))
    w.u32LE(link.rawValue)
  }

  package static func record(_ frame: CapturedFrame, _ precision: Scenario.Precision, _ w: inout ByteWriter) {
    let fraction = frame.time.nanoseconds % 1_000_000_000
    w.u32LE(frame.time.second)
    w.u32LE(UInt32(clamping: precision == .microseconds ? fraction / 1000 : fraction))
    w.u32LE(UInt32(clamping: frame.bytes.count))
    w.u32LE(UInt32(clamping: frame.wireLength))
    w.append(frame.bytes)
  }
}
