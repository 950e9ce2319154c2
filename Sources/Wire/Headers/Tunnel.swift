// Packets that carry another network: 6in4 (RFC 4213), DS-Lite and IP in IP (RFC 6333, 2003), GRE (RFC 2784). VXLAN is marked where its
// port is read. The inner addresses are no stations of this wire, so the walk ends here; that there is a tunnel is kept.

extension HeaderWalk {
  @inline(never)
  static func tunnelOrOther(_ bytes: RawSpan, _ at: Int, _ limit: Int, _ s: inout FrameSummary) {
    switch s.ipProtocol {
    case .ipv4, .ipv6, .gre: s.flags.insert(.tunnel)
    case .esp: s.flags.insert(.encrypted)
    default: break
    }
    setPayload(bytes, at, limit, &s)
  }
}
