public import Wire

public struct Subnet: Sendable, Hashable {
  public enum Kind: String, Sendable, CaseIterable {
    case home, `operator`, guest
    case linkLocal = "link-local"
    case transit, unknown
  }

  /// From where its length is known.
  public enum Source: String, Sendable, CaseIterable {
    case dhcp, ra, interface, declared, broadcast, arp, guess
  }

  public struct Gateway: Sendable, Hashable {
    public var address: IPAddress
    public var host: MACAddress?
    public var reasons: [Reason]
  }

  public struct Server: Sendable, Hashable {
    public var address: IPAddress
    public var relay: IPAddress?
    public var host: MACAddress?
    public var reasons: [Reason]
  }

  public var prefix: Prefix
  public var kind: Kind
  public var source: Source
  public var gateways: [Gateway] = []
  public var servers: [Server] = []
  public var vlan: UInt16?
  public var hosts: [MACAddress] = []
  public var confidence: Double
  public var reason: String
  public var reasons: [Reason] = []
  public var traffic = Traffic()
}
