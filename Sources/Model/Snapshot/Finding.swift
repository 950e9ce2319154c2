public import Wire

/// Something a reader should know. The ids are those of `report.md`.
public struct Finding: Sendable, Hashable {
  public enum Severity: String, Sendable, Comparable, CaseIterable {
    case info, warning, problem
    public static func < (a: Severity, b: Severity) -> Bool { a.rank < b.rank }
    var rank: Int { self == .info ? 0 : self == .warning ? 1 : 2 }
  }

  public enum ID: String, Sendable, CaseIterable {
    case twoSubnetsOneWire = "two-subnets-one-wire"
    case operatorBridgedDevice = "operator-bridged-device"
    case severalDHCPServers = "several-dhcp-servers"
    case rogueDHCPServer = "rogue-dhcp-server"
    case ipConflict = "ip-conflict"
    case arpSpoofing = "arp-spoofing"
    case gatewayChanged = "gateway-changed"
    case doubleNAT = "double-nat"
    case natBehindDevice = "nat-behind-device"
    case secondRouter = "second-router"
    case proxyARP = "proxy-arp"
    case macTranslatingBridge = "mac-translating-bridge"
    case rogueRA = "ipv6-rogue-ra"
    case duplicateMAC = "duplicate-mac"
    case linkLocalOnly = "link-local-only"
    case dhcpStarved = "dhcp-starved"
    case guestNetwork = "guest-network"
    case vlanTagged = "vlan-tagged"
    case newDevice = "new-device"
    case deviceGone = "device-gone"
    case highBroadcast = "high-broadcast"
    case multicastFlood = "multicast-flood"
    case halfVisible = "half-visible"
    case captureLoss = "capture-loss"
    case hostFlood = "host-flood"
    case parserDisabled = "parser-disabled"

    public var severity: Severity {
      switch self {
      case .rogueDHCPServer, .arpSpoofing, .rogueRA, .dhcpStarved: .problem
      case .twoSubnetsOneWire, .operatorBridgedDevice, .natBehindDevice, .secondRouter, .proxyARP, .macTranslatingBridge, .guestNetwork,
        .vlanTagged, .newDevice, .deviceGone, .halfVisible:
        .info
      default: .warning
      }
    }
  }

  public var id: ID
  public var text: String
  public var hosts: [MACAddress]
  public var reasons: [Reason]
  public var severity: Severity { id.severity }

  public init(_ id: ID, _ text: String, hosts: [MACAddress], reasons: [Reason]) {
    self.id = id
    self.text = text
    self.hosts = hosts
    self.reasons = reasons
  }
}
