import Wire

/// A house whose floors are joined by power line alone: two adapters of one maker that read HomePlug AV, two of another (Mediaxtream),
/// heard by the PC beside the first.
package enum PowerlineHouse {
  package static let router = Box("gateway", "74:da:88:02:61:30", "192.168.1.1")
  package static let pc = Box("hall-pc", "70:85:c2:7b:40:19", "192.168.1.20")
  package static let ground = Box("ground", "30:d3:2d:11:08:a0", link: .powerline)
  package static let attic = Box("attic", "30:d3:2d:11:08:c4", link: .powerline, behind: ground)
  package static let garage = Box("garage", "00:1f:84:51:00:0b", link: .powerline, behind: ground)
  package static let television = Box("attic-tv", "84:d6:d0:6a:77:02", "192.168.1.31", behind: attic)
  package static let player = Box("attic-player", "b8:27:eb:19:c3:5f", "192.168.1.32", behind: attic)
  package static let camera = Box("gate-cam", "50:c7:bf:8d:14:21", "192.168.1.40", behind: garage)

  static let news = Site("www.example.com", "203.0.113.20")

  package static let scenario = Scenario("powerline house", seen: .host(pc), seed: 1901) {
    At(0.3) {
      pc.dhcp(from: router)
      pc.announces()
      pc.mdns([.init("_ssh._tcp", port: 22)])
      pc.arp(for: router)
    }
    At(6) {
      television.dhcp(from: router)
      television.announces()
      television.mdns([.init("_googlecast._tcp", "Attic", port: 8009, ["fn=Attic", "md=TV"])])
    }
    At(12) {
      player.dhcp(from: router)
      player.mdns([.init("_raop._tcp", "B827EB19C35F@Attic player", port: 5000, ["am=player"])])
    }
    At(18) {
      camera.dhcp(from: router)
      camera.hello("dn:NetworkVideoTransmitter", scopes: "onvif://www.onvif.org/name/gate onvif://www.onvif.org/hardware/C200")
    }
    Every(60, from: 25, until: 180) {
      pc.readsPowerline([(ground, [pc, router]), (attic, [television, player])], local: ground)
    }
    At(40) {
      pc.says(.mediaxtreamDiscoverRequest)
      garage.says(.mediaxtreamDiscover(heardOn: 2, name: "garage"), to: pc)
      garage.says(
        .mediaxtreamStatistics([(mac: ground.mac, transmit: 88, receive: 73), (mac: attic.mac, transmit: 61, receive: 64)]), to: pc)
    }
    At(70) { pc.pings(television, times: 4) }
    At(80) { pc.web(news, via: router, bytes: 200_000) }
    At(110) { pc.copies(1_500_000, from: player, port: 22, megabits: 21) }
  }
}
