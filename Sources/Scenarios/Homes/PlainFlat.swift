import Wire

/// A flat with one router and a handful of devices, heard by the PC in it: the usual, half-visible case.
package enum PlainFlat {
  package static let router = Box("fritz.box", "e0:28:6d:41:9b:20", "192.168.178.1", ssid: "flat-7", bssid: "e0:28:6d:41:9b:23")
  package static let pc = Box("desk", "70:85:c2:0e:51:d4", "192.168.178.20")
  package static let television = Box("lounge-tv", "84:d6:d0:33:1a:08", "192.168.178.24", link: .wifi, behind: router)
  package static let printer = Box("inkjet", "44:d2:44:6f:12:90", "192.168.178.26", link: .wifi, behind: router)
  package static let phone = Box("", "5e:0b:c4:72:19:6a", "192.168.178.31", link: .wifi, behind: router, vendorClass: "android-dhcp-14")
  package static let bulb = Box("bulb-hall", "24:0a:c4:90:55:1e", "192.168.178.33", link: .wifi, behind: router)

  static let news = Site("www.example.com", "203.0.113.20")
  static let mirrorSite = Site("mirror.example.net", "198.51.100.12", distance: 6, roundTrip: 0.012)

  package static let scenario = Scenario("plain flat", seen: .host(pc), seed: 7) {
    At(0.5) {
      pc.dhcp(from: router)
      pc.probes()
      pc.mdns([.init("_workstation._tcp", port: 9), .init("_ssh._tcp", port: 22)])
      pc.arp(for: router)
    }
    At(9) {
      television.dhcp(from: router)
      television.announces()
      television.mdns([
        .init("_googlecast._tcp", "Chromecast-4d01", port: 8009, ["md=Living room TV", "fn=Lounge", "ve=05", "ca=4101"])
      ])
      television.upnp(["urn:dial-multiscreen-org:service:dial:1"], server: "Linux/4.9, UPnP/1.0, TV/1.0", port: 8008)
    }
    At(15) {
      printer.dhcp(from: router)
      printer.probes()
      printer.mdns([.init("_ipp._tcp", "Inkjet", port: 631, ["ty=EPSON XP-2100 Series", "note=shelf"])])
      printer.hello("wprt:PrintDeviceType")
    }
    At(24) {
      phone.dhcp(from: router)
      phone.probes()
      phone.browses("_googlecast._tcp")
    }
    At(32) {
      bulb.dhcp(from: router)
      bulb.announces()
    }
    Every(60, from: 3, until: 240) {
      router.upnp(
        ["urn:schemas-upnp-org:device:InternetGatewayDevice:2"], server: "gateway UPnP/1.0", description: "/igddesc.xml", port: 49000)
    }
    Every(125, from: 6, until: 240) { router.queriesGroups() }
    At(40) { pc.web(news, via: router, bytes: 240_000) }
    At(60) { pc.web(mirrorSite, via: router, bytes: 3_000_000, megabits: 48) }
    Every(55, from: 70, until: 240) { phone.browses("_googlecast._tcp") }
    Every(70, from: 50, until: 240) { television.answersMDNS([.init("_googlecast._tcp", "Chromecast-4d01", port: 8009, ["fn=Lounge"])]) }
    At(90) { pc.arp(for: printer) }
    At(91) { pc.copies(120_000, to: printer, port: 631, megabits: 12) }
    // Others' conversations, of which the PC hears nothing.
    At(100) { television.streams(from: mirrorSite, via: router, seconds: 40, megabits: 1) }
    At(180) { pc.arp(for: "192.168.178.99") }
    At(200) { pc.web(news, via: router, bytes: 90_000) }
  }
}
