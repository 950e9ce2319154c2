import Wire

/// Hypothesis B of the puzzle: the same two networks on one wire as in the cable home, but the home router itself serves and routes the
/// second one: its own DHCP, and its own hardware address behind 10.166.179.1.
package enum RoutedSecondScope {
  package static let router = Box("gateway", "54:af:97:31:00:20", "192.168.0.1")
  /// The router's other address.
  package static let secondGateway = router.at("10.166.179.1")
  package static let pc = Box("desk", "d8:cb:8a:60:12:74", "192.168.0.12", vendorClass: "MSFT 5.0", hopLimit: 128)
  package static let nas = Box("archive", "00:11:32:90:1b:07", "192.168.0.10")
  package static let setTopBox = Box("", "00:03:91:20:c7:18", "10.166.179.23", vendorClass: "cabletv-stb-2:HD-DVR")

  static let guide = Site("epg.operator.example", "198.51.100.90", distance: 5, roundTrip: 0.02)

  package static let scenario = Scenario("routed second scope", seen: .mirror, seed: 11) {
    At(0.5) {
      setTopBox.dhcp(from: secondGateway, Box.Scope(of: secondGateway), broadcast: true)
      setTopBox.announces()
      setTopBox.arp(for: secondGateway)
    }
    At(4) {
      pc.dhcp(from: router)
      pc.probes()
      pc.netBIOS()
      pc.arp(for: router)
    }
    At(12) {
      nas.dhcp(from: router)
      nas.mdns([.init("_smb._tcp", port: 445)])
    }
    Every(60, from: 20, until: 240) {
      router.arp(for: pc)
      secondGateway.arp(for: setTopBox)
    }
    Every(125, from: 7, until: 240) {
      router.queriesGroups()
      secondGateway.queriesGroups()
    }
    At(30) { setTopBox.pings(secondGateway, times: 5) }
    At(31) { pc.pings(router, times: 5) }
    At(50) { setTopBox.web(guide, via: secondGateway, bytes: 250_000, port: 8080) }
    At(70) { pc.web(Site("www.example.com", "203.0.113.20"), via: router, bytes: 180_000) }
    At(90) { pc.copies(1_200_000, to: nas) }
  }
}
