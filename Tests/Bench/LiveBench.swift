import CLinux
import CPcap
import Glibc
import Wire

/// The sending end of the live part (`scripts/bench-live`): the frames of a capture, again and again, at a pace, for some seconds. Rate 0 is as
/// fast as it goes. Prints how many it sent.
func sendBench(_ interface: String, _ path: String, rate: Int, seconds: Int) {
  var bytes: [UInt8] = []
  var frames: [Range<Int>] = []
  drain(path) { frame in
    // What was cut cannot be sent as it was, and what is longer than a cable takes neither.
    guard frame.bytes.byteCount == frame.wireLength, frame.wireLength <= 1514 else { return }
    frame.bytes.withUnsafeBytes { bytes += $0 }
    frames.append(bytes.count - frame.wireLength..<bytes.count)
  }
  guard !frames.isEmpty else { fatalError("no whole frame in \(path)") }
  let out = socket(AF_PACKET, Int32(SOCK_RAW.rawValue), 0)
  var address = sockaddr_ll()
  address.sll_family = UInt16(AF_PACKET)
  address.sll_ifindex = Int32(if_nametoindex(interface))
  let isBound = withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(out, $0, socklen_t(MemoryLayout<sockaddr_ll>.size)) }
  }
  guard isBound == 0 else { fatalError("\(interface) cannot be sent on") }
  let start = wallTime()
  let end = start + seconds * 1_000_000_000
  var sent = 0
  var turn = 0
  var now = start
  bytes.withUnsafeBytes { bytes in
    while now < end {
      let due = rate == 0 ? turn + 256 : (now - start) / 1000 * rate / 1_000_000
      while turn < due {
        let frame = frames[turn % frames.count]
        if send(out, UnsafeRawBufferPointer(rebasing: bytes[frame]).baseAddress, frame.count, 0) == frame.count { sent += 1 }
        turn += 1
      }
      if rate != 0 { usleep(200) }
      now = wallTime()
    }
  }
  close(out)
  print("sent \(sent) in \(fixed(Double(wallTime() - start) / 1e9, 3))")
}

/// The yardstick of the live part: libpcap with the daemon's settings hands the packets out and nobody looks, until the time is up. Prints what
/// came and what was dropped.
func listenBench(_ interface: String, seconds: Int) {
  var error = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
  guard let handle = pcap_create(interface, &error) else { fatalError("libpcap cannot open \(interface)") }
  defer { pcap_close(handle) }
  pcap_set_snaplen(handle, 262_144)
  pcap_set_promisc(handle, 1)
  pcap_set_timeout(handle, 100)
  pcap_set_buffer_size(handle, 16 << 20)
  guard pcap_activate(handle) == 0, pcap_setnonblock(handle, 1, &error) == 0 else { fatalError("libpcap cannot capture on \(interface)") }
  var received = 0
  let end = wallTime() + seconds * 1_000_000_000
  withUnsafeMutableBytes(of: &received) { counter in
    var entry = pollfd(fd: pcap_get_selectable_fd(handle), events: Int16(POLLIN), revents: 0)
    while wallTime() < end {
      poll(&entry, 1, 1000)
      _ = pcap_dispatch(
        handle, -1,
        { user, _, _ in
          guard let user else { return }
          UnsafeMutableRawPointer(user).assumingMemoryBound(to: Int.self).pointee &+= 1
        }, counter.baseAddress?.assumingMemoryBound(to: UInt8.self))
    }
  }
  var statistics = pcap_stat()
  pcap_stats(handle, &statistics)
  print("received \(received) dropped \(statistics.ps_drop)")
}
