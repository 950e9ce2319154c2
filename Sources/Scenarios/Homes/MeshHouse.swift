import Wire

/// Three access points of one mesh that speak IEEE 1905.1 with each other, and a phone that walks from one to the next; heard on the
/// bridge of the first.
package enum MeshHouse {
  package static let router = Box("mesh-main", "9c:3d:cf:20:00:10", "192.168.50.1", ssid: "meadow", bssid: "9c:3d:cf:20:00:13")
  package static let upstairs = Box(
    "mesh-up", "9c:3d:cf:21:00:10", "192.168.50.2", link: .wifi, behind: router, ssid: "meadow", bssid: "9c:3d:cf:21:00:13")
  package static let shed = Box("mesh-shed", "9c:3d:cf:22:00:10", "192.168.50.3", ssid: "meadow", bssid: "9c:3d:cf:22:00:13")
  package static let desk = Box("desk", "3c:52:82:55:0a:31", "192.168.50.20")
  package static let tablet = Box("tablet", "ae:31:0c:5d:88:04", "192.168.50.31", link: .wifi, behind: upstairs)
  package static let phone = Box("", "c6:70:2b:19:e5:5a", "192.168.50.32", link: .wifi, behind: router, vendorClass: "android-dhcp-14")
  /// The same phone, some minutes later.
  package static let phoneUpstairs = Box(
    "", "c6:70:2b:19:e5:5a", "192.168.50.32", link: .wifi, behind: upstairs, vendorClass: "android-dhcp-14")

  private static func device(_ node: Box, backhaul: Packet.Interface1905, others: [Box], wired: [Box]) -> [Packet.TLV1905] {
    let port = node.mac.plus(1)
    return [
      .device(node.mac, [.ethernet(port), .wifi(node.bssid, bssid: node.bssid), backhaul]),
      .bridging([port, node.bssid]), .identification(name: node.name, maker: "Example Networks", model: "M3"),
      .nodes(on: backhaul.mac, others.map { (al: $0.mac, bridged: false) }), .others(on: port, wired.map(\.mac)),
      .operationalBSS(radio: node.bssid, [(bssid: node.bssid, ssid: node.ssid ?? "")]),
    ]
  }

  package static let scenario = Scenario("mesh house", seen: .bridge(router), seed: 1905) {
    Every(60, from: 1, until: 300) { router.discovers1905() }
    Every(60, from: 1.4, until: 300) { upstairs.discovers1905() }
    // The shed hangs on an ordinary switch: its LLDP twin stays there.
    Every(60, from: 1.8, until: 300) { shed.discovers1905(twin: false) }
    At(5) {
      desk.dhcp(from: router)
      desk.mdns([.init("_ssh._tcp", port: 22)])
    }
    At(9) {
      tablet.dhcp(from: router)
      tablet.probes()
    }
    At(16) {
      phone.dhcp(from: router)
      phone.announces()
      phone.browses("_airplay._tcp")
    }
    Every(90, from: 30, until: 150) {
      router.queries1905(
        upstairs,
        device(upstairs, backhaul: .wifi(upstairs.mac.plus(4), bssid: router.bssid, station: true), others: [router], wired: [])
          + [.agent, .clients(upstairs.bssid, [tablet.mac])])
      router.queries1905(
        shed, device(shed, backhaul: .ethernet(shed.mac.plus(2)), others: [router], wired: [desk]) + [.agent, .clients(shed.bssid, [])])
      upstairs.queries1905(
        router,
        device(router, backhaul: .wifi(router.mac.plus(4), bssid: router.bssid), others: [upstairs], wired: [desk])
          + [.controller, .clients(router.bssid, [phone.mac])])
    }
    At(160) {
      upstairs.says(.topologyNotification(upstairs.mac, id: 0x5100, [.association(phone.mac, upstairs.bssid)]))
      router.says(.topologyNotification(router.mac, id: 0x5101, [.association(phone.mac, router.bssid, joined: false)]))
      phoneUpstairs.announces()
    }
    At(190) {
      router.queries1905(
        upstairs,
        device(upstairs, backhaul: .wifi(upstairs.mac.plus(4), bssid: router.bssid, station: true), others: [router], wired: [])
          + [.agent, .clients(upstairs.bssid, [tablet.mac, phone.mac])])
    }
    At(60) { tablet.web(Site("www.example.com", "203.0.113.20"), via: router, bytes: 300_000) }
    At(80) { desk.copies(900_000, to: tablet, port: 8200, megabits: 40) }
  }
}
