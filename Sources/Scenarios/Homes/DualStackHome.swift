import Wire

/// A home with both families: a delegated prefix, a unique-local one, DHCPv6, privacy addresses, and a border router of a Thread
/// network that advertises a route without being a default router.
package enum DualStackHome {
  package static let router = Box(
    "gateway", "ac:84:c6:10:4d:02", "192.168.2.1", ipv6: ["2001:db8:77:1::1", "fd5a:10c2:9e01:1::1"], ssid: "two-stacks")
  package static let desk = Box(
    "desk", "70:85:c2:44:b0:8c", "192.168.2.20", ipv6: ["2001:db8:77:1:8d1c:33a0:9f02:6e15", "fd5a:10c2:9e01:1::20"])
  package static let laptop = Box(
    "notebook", "14:eb:b6:5a:70:3d", "192.168.2.21", link: .wifi, behind: router, ipv6: ["2001:db8:77:1:51c7:eb0d:240a:11f3"])
  package static let server = Box("shelf", "dc:a6:32:0f:91:5e", "192.168.2.10", ipv6: ["2001:db8:77:1:dea6:32ff:fe0f:915e"])
  package static let hub = Box("hub", "18:b4:30:2c:05:e8", "192.168.2.30", ipv6: ["fd5a:10c2:9e01:1:1ab4:30ff:fe2c:5e8"])

  static let site = Site("www.example.com", "203.0.113.20", ipv6: "2001:db8:f00d::20")
  static let announced: [Segment.NDOption] = [
    .prefix(known6("2001:db8:77:1::")), .prefix(known6("fd5a:10c2:9e01:1::")), .mtu(1492),
    .resolvers([known6("fd5a:10c2:9e01:1::1")]), .searchList("home.example"),
  ]

  package static let scenario = Scenario("dual-stack home", seen: .mirror, seed: 6) {
    At(0.2) { router.advertises(announced, other: true) }
    At(1) {
      desk.dhcp(from: router)
      desk.startsIPv6(with: router, announced)
      desk.dhcpv6(from: router, address: "fd5a:10c2:9e01:1::20")
      desk.mdns([.init("_ssh._tcp", port: 22)], overIPv6: true)
      desk.solicits(router, isRouter: true)
    }
    At(8) {
      laptop.dhcp(from: router)
      laptop.startsIPv6(with: router, announced)
    }
    At(14) {
      server.dhcp(from: router)
      server.startsIPv6(with: router, announced)
      server.mdns([.init("_smb._tcp", port: 445), .init("_nfs._tcp", port: 2049)], overIPv6: true)
    }
    At(20) {
      hub.dhcp(from: router)
      hub.startsIPv6(with: router, announced)
      hub.mdns([.init("_meshcop._udp", "hub thread", port: 49154, ["nn=home-thread"])])
      hub.advertises([.route(known6("fd00:7462:1::"), 64)], lifetime: 0)
    }
    Every(120, from: 30, until: 300) {
      router.advertises(announced, other: true)
      router.says(.mldQuery(), to: "ff02::1")
    }
    At(40) {
      router.solicits(desk, for: desk.ipv6[0])
      desk.web(site, via: router, bytes: 400_000, overIPv6: true)
    }
    At(60) { server.web(site, via: router, bytes: 90_000) }
    At(70) { laptop.web(site, via: router, bytes: 120_000, overIPv6: true) }
    At(90) { desk.copies(2_000_000, from: server, port: 2049, megabits: 90) }
    // The router as a client of the operator: the prefix it hands on.
    At(0.1) {
      router.dhcpv6(from: Box("", "00:01:5c:71:00:04"), delegated: "2001:db8:77::").onFarSide()
    }
  }
}
