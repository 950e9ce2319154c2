import Wire

/// The home of the story: a cable modem that is router and access point, powerline adapters, an unmanaged switch, and a set-top box
/// that lives in the operator's network although it hangs on the same wires.
///
///     coax ── modem/router 192.168.0.1 ┬── switch ─┬── study-pc, nas
///                (Wi-Fi: laptop, phone)│           └── adapter A ~~~ adapter B ── set-top box 10.166.179.23, console
///                                      │                       ~~~ adapter C ── printer, den-pc
package enum CableHome {
  package static let router = Box("router", "00:1d:d1:5a:20:10", "192.168.0.1", ssid: "homebase", bssid: "00:1d:d1:5a:20:12")
  package static let studyPC = Box("study-pc", "60:a4:4c:31:07:9a", "192.168.0.12", vendorClass: "MSFT 5.0", hopLimit: 128)
  package static let nas = Box("archive", "00:11:32:1c:80:44", "192.168.0.10")
  package static let adapterA = Box("adapter-a", "f4:06:8d:21:40:0a", link: .powerline)
  package static let adapterB = Box("adapter-b", "f4:06:8d:21:40:7e", link: .powerline, behind: adapterA)
  package static let adapterC = Box("adapter-c", "b8:be:f4:09:3c:51", link: .powerline, behind: adapterA)
  package static let console = Box("xbox-den", "7c:ed:8d:42:6b:05", "192.168.0.16", behind: adapterB, vendorClass: "Xbox 360")
  package static let printer = Box("laserjet", "00:1e:0b:77:21:c8", "192.168.0.11", behind: adapterC)
  package static let denPC = Box("den-pc", "d8:cb:8a:15:ee:03", "192.168.0.14", behind: adapterC, vendorClass: "MSFT 5.0", hopLimit: 128)
  package static let laptop = Box(
    "kitchen-laptop", "70:4f:57:62:0d:b1", "192.168.0.15", link: .wifi, behind: router, vendorClass: "MSFT 5.0", hopLimit: 128)
  /// Its address is made up anew for each network.
  package static let phone = Box("", "da:5f:13:90:2e:77", "192.168.0.17", link: .wifi, behind: router, vendorClass: "android-dhcp-13")
  package static let setTopBox = Box(
    "", "00:03:91:8e:14:6d", "10.166.179.23", behind: adapterB, vendorClass: "cabletv-stb-2:HD-DVR")
  /// The operator's gateway, seen through the bridge in the modem.
  package static let headEnd = Box("", "00:01:5c:64:90:02", "10.166.179.1", link: .coax, behind: router)
  /// The unmanaged switch: it has no address but the one its chip's maker left in it.
  package static let quietSwitch = Box("", "52:54:4c:83:05:b0")

  package static let operatorScope = Box.Scope(
    gateway: "10.166.179.1", nameServers: ["10.161.0.10"], server: "10.166.176.1", leaseTime: 3600, more: [.domain("stb.operator.example")])

  static let news = Site("www.example.com", "203.0.113.20")
  static let videos = Site("media.example.net", "198.51.100.40", distance: 7, roundTrip: 0.015)
  static let games = Site("live.example.org", "198.51.100.77", distance: 11, roundTrip: 0.031)
  static let catalogue = Site("epg.operator.example", "10.161.4.9", distance: 3, roundTrip: 0.018)

  /// Ten minutes, seen from a mirror of the switch; of transfers the headers are kept.
  package static let scenario = Scenario("cable home", seen: .mirror, seed: 2011, transferLength: 96) {
    // The evening begins: the set-top box restarts, the rest wakes up.
    At(0.4) { setTopBox.dhcp(from: headEnd, operatorScope, relayed: true, broadcast: true) }
    At(1.1) {
      setTopBox.announces()
      setTopBox.arp(for: headEnd)
      setTopBox.joins("239.255.255.250")
    }
    At(2) { router.queriesGroups() }
    At(3) {
      nas.dhcp(from: router)
      nas.announces()
      nas.mdns([
        .init("_smb._tcp", port: 445), .init("_afpovertcp._tcp", port: 548),
        .init("_http._tcp", port: 5000, ["vendor=Synology", "model=DS211"]),
      ])
      nas.netBIOS()
      nas.upnp(
        ["urn:schemas-upnp-org:device:MediaServer:1"], server: "Linux/2.6, UPnP/1.0, ReadyDLNA/1.0", description: "/desc.xml", port: 50001)
    }
    At(8) {
      studyPC.dhcp(from: router)
      studyPC.probes()
      studyPC.llmnr()
      studyPC.netBIOS()
      studyPC.hello()
      studyPC.startsIPv6()
      studyPC.arp(for: router)
    }
    At(21) {
      denPC.dhcp(from: router)
      denPC.announces()
      denPC.llmnr()
      denPC.netBIOS()
      denPC.hello()
      denPC.arp(for: router)
    }
    At(27) {
      printer.dhcp(from: router)
      printer.probes()
      printer.mdns([
        .init("_ipp._tcp", "LaserJet in the den", port: 631, ["ty=HP LaserJet P2055dn", "usb_MFG=Hewlett-Packard"]),
        .init("_pdl-datastream._tcp", "LaserJet in the den", port: 9100, ["ty=HP LaserJet P2055dn"]),
      ])
      printer.netBIOS()
    }
    At(36) {
      console.dhcp(from: router)
      console.announces()
      console.arp(for: router)
      console.upnp(["urn:schemas-upnp-org:device:MediaRenderer:1"], server: "Xbox/2.0.13604.0 UPnP/1.0 Xbox/2.0.13604.0")
      console.web(games, via: router, bytes: 180_000, port: 3074)
    }
    At(45) {
      laptop.dhcp(from: router)
      laptop.probes()
      laptop.llmnr()
      laptop.netBIOS()
      laptop.hello()
    }
    At(58) {
      phone.dhcp(from: router)
      phone.announces()
      phone.browses("_googlecast._tcp")
    }
    // Routers tell what they are, switches look for loops, the operator looks for customers.
    Every(90, from: 5, until: 600) {
      router.upnp(
        ["urn:schemas-upnp-org:device:InternetGatewayDevice:1", "urn:schemas-upnp-org:device:WANConnectionDevice:1"],
        server: "Linux/2.6.18, UPnP/1.0, gateway/1.0", description: "/rootDesc.xml", port: 5000)
    }
    Every(125, from: 12, until: 600) { router.queriesGroups() }
    Every(215, from: 31, until: 600) { quietSwitch.says(.rldp) }
    for (i, neighbour) in [95, 149, 56, 187, 232, 136, 30, 211, 219, 197, 64, 101].enumerated() {
      At(14 + 47.3 * Double(i)) { headEnd.arp(for: "10.166.179.\(neighbour)") }
    }
    Every(120, from: 62, until: 600) { headEnd.arp(for: setTopBox) }
    Every(60, from: 33, until: 600) { studyPC.arp(for: router) }
    // The map of the network, and the adapters' tables.
    At(70) {
      studyPC.maps([
        (denPC, []), (console, [.name("XBOX-DEN")]), (laptop, Box.onAir(router)),
        (router, [.characteristics(0x7000_0000), .name("GATEWAY")]),
      ])
    }
    At(80) {
      studyPC.readsPowerline(
        [(adapterA, [studyPC, nas, router]), (adapterB, [setTopBox, console]), (adapterC, [printer, denPC])], local: adapterA)
    }
    // What the evening is for.
    At(95) { setTopBox.operatorPage() }
    At(100) { setTopBox.streams(from: catalogue, via: headEnd, seconds: 240, megabits: 0.8, port: 8080) }
    At(90) { denPC.web(news, via: router, bytes: 420_000) }
    At(130) { studyPC.copies(11_000_000, to: nas, megabits: 70) }
    At(150) { denPC.copies(2_500_000, from: nas, megabits: 24) }
    At(160) { console.streams(from: videos, via: router, seconds: 150, megabits: 1.1) }
    Every(48, from: 170, until: 580) { studyPC.web(news, via: router, bytes: 350_000) }
    Every(75, from: 180, until: 580) { denPC.web(news, via: router, bytes: 150_000) }
    At(240) { laptop.copies(3_000_000, from: nas, megabits: 18) }
    At(300) { laptop.copies(600_000, to: printer, port: 9100, megabits: 8) }
    Every(150, from: 200, until: 600) {
      phone.browses("_googlecast._tcp")
      phone.browses("_airplay._tcp")
    }
    At(420) { denPC.maps([(studyPC, []), (console, [.name("XBOX-DEN")]), (laptop, Box.onAir(router, signal: -58))]) }
  }
}

extension Box {
  /// The set-top box fetches the programme guide from the operator.
  fileprivate func operatorPage() -> Talk {
    Talk { stage in
      var connection = Connection(
        End(self, port: stage.port()), End(CableHome.catalogue, port: 80, through: CableHome.headEnd), framing: .none, &stage)
      connection.open(&stage)
      connection.transfer(260, down: false, bitsPerSecond: 10e6, &stage)
      connection.transfer(90_000, down: true, bitsPerSecond: 12e6, &stage)
      connection.close(&stage)
    }
  }
}
