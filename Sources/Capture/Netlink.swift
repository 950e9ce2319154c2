internal import CLinux
internal import CMnl
internal import Glibc

/// Asks the kernel for one of its lists (netlink, RFC 3549) and walks the answer. Nothing of this reaches the wire.
///
///     message     length 4 | type 2 | flags 2 | sequence 4 | port 4 | fixed part | attributes, padded to 4
///     attribute   length 2, these 4 bytes among it | type 2 | value
enum Netlink {
  /// More messages than any machine has interfaces, addresses and routes that matter here: a full internet routing table is a million.
  static let messageLimit = 65_536

  /// Sends a dump request and hands over each message behind its header, with its type.
  static func dump(_ request: Int, fixedPart: Int, _ body: (_ type: Int, _ message: UnsafeRawBufferPointer) -> Void) throws(CaptureError) {
    guard let socket = mnl_socket_open2(NETLINK_ROUTE, Int32(SOCK_CLOEXEC.rawValue)) else { throw refused(errno) }
    defer { mnl_socket_close(socket) }
    guard mnl_socket_bind(socket, 0, 0) == 0 else { throw refused(errno) }
    var head = nlmsghdr()
    head.nlmsg_len = UInt32(16 + fixedPart)
    head.nlmsg_type = UInt16(truncatingIfNeeded: request)
    head.nlmsg_flags = UInt16(truncatingIfNeeded: NLM_F_REQUEST | NLM_F_DUMP)
    head.nlmsg_seq = 1
    var question = withUnsafeBytes(of: &head) { Array($0) }
    question += [UInt8](repeating: 0, count: fixedPart)
    guard mnl_socket_sendto(socket, question, question.count) >= 0 else { throw refused(errno) }

    // The kernel fills 32 KiB at most, whatever is offered.
    var answer = [UInt8](repeating: 0, count: 64 * 1024)
    let room = answer.count
    var messages = 0
    while messages < messageLimit {
      // A kernel that does not answer must not hang us.
      var one = pollfd(fd: mnl_socket_get_fd(socket), events: Int16(POLLIN), revents: 0)
      let ready = poll(&one, 1, 2000)
      if ready < 0 && errno == EINTR { continue }
      guard ready > 0 else { throw refused(ETIMEDOUT) }
      let got = answer.withUnsafeMutableBytes { mnl_socket_recvfrom(socket, $0.baseAddress, room) }
      guard got > 0 else { throw refused(errno) }
      let end = answer.withUnsafeBytes { walk(UnsafeRawBufferPointer(rebasing: $0.prefix(got)), &messages, body) }
      switch end {
      case .more: continue
      case .done: return
      case .refused(let number): throw refused(number)
      }
    }
  }

  private enum End {
    case more, done
    case refused(Int32)
  }

  private static func walk(
    _ bytes: UnsafeRawBufferPointer, _ messages: inout Int, _ body: (_ type: Int, _ message: UnsafeRawBufferPointer) -> Void
  ) -> End {
    var at = 0
    while let length = u32(bytes, at), let type = u16(bytes, at + 4), length >= 16, Int(length) <= bytes.count - at {
      let message = UnsafeRawBufferPointer(rebasing: bytes[(at + 16)..<(at + Int(length))])
      switch Int32(type) {
      case NLMSG_DONE: return .done
      case NLMSG_ERROR:
        let number = u32(message, 0).map { Int32(bitPattern: $0) } ?? 0
        if number != 0 { return .refused(number == Int32.min ? EIO : -number) }
      default: body(Int(type), message)
      }
      messages += 1
      at += (Int(length) + 3) / 4 * 4
    }
    return .more
  }

  private static func refused(_ number: Int32) -> CaptureError {
    CaptureError(.system, "list of interfaces", "the kernel does not give it (\(words(for: number)))")
  }

  /// Walks attributes from `start` on; one that does not fit ends the walk.
  static func attributes(_ message: UnsafeRawBufferPointer, from start: Int, _ body: (_ type: Int, _ value: UnsafeRawBufferPointer) -> Void)
  {
    var at = start
    while let length = u16(message, at), let type = u16(message, at + 2), length >= 4, Int(length) <= message.count - at {
      // The two high bits say "nested" and "network byte order".
      body(Int(type & 0x3fff), UnsafeRawBufferPointer(rebasing: message[(at + 4)..<(at + Int(length))]))
      at += (Int(length) + 3) / 4 * 4
    }
  }

  static func u16(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt16? {
    guard offset >= 0, offset <= bytes.count - 2 else { return nil }
    return bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self)
  }

  static func u32(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32? {
    guard offset >= 0, offset <= bytes.count - 4 else { return nil }
    return bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
  }

  static func u8(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt8? {
    offset >= 0 && offset < bytes.count ? bytes[offset] : nil
  }
}
