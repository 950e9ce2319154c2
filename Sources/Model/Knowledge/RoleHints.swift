import Wire

/// What words in names, classes, models and services say about a device. One line each; the first field is where the words stand.
enum RoleHints {
  enum Place: Int, Sendable, CaseIterable {
    case vendorClass, name, service, model, software

    /// Why words there mean something.
    var why: String {
      switch self {
      case .vendorClass: "the class that it tells DHCP servers says what it is"
      case .name: "its name says so; owners and makers name boxes after what they are"
      case .service: "it offers a service that such devices offer"
      case .model: "its model says what it is"
      case .software: "its software is that of such devices"
      }
    }
  }

  struct Hint: Sendable {
    let place: Place
    let words: String
    /// The words in lower case, as they are looked for.
    let letters: [UInt8]
    /// Which of them there are: a text without one of them need not be searched.
    let kinds: UInt32
    let role: Role
    /// Decibans; see `Weights`.
    let weight: Int
    /// Whether the words stand for something that runs on Wi-Fi only.
    var isMobile = false

    init(_ place: Place, _ words: String, _ role: Role, _ weight: Int, mobile: Bool = false) {
      self.place = place
      self.words = words
      letters = WireText(words).lowercasedASCII.bytes
      kinds = RoleHints.kinds(of: letters)
      self.role = role
      self.weight = weight
      isMobile = mobile
    }
  }

  /// A bit for each kind of letter, some of which share one.
  static func kinds(of letters: [UInt8]) -> UInt32 { letters.reduce(0) { $0 | 1 << UInt32($1 & 31) } }

  /// The hints of each place, by its number; and the kinds of their letters, close together, since hardly any hint stands in a text.
  static let byPlace: [(hints: [Hint], kinds: [UInt32])] = Place.allCases.map { place in
    let hints = all.filter { $0.place == place }
    return (hints, hints.map(\.kinds))
  }

  static let all: [Hint] = [
    // DHCP vendor classes (option 60): the system or box says what it is.
    Hint(.vendorClass, "MSFT 5.0 XBOX", .console, 25), Hint(.vendorClass, "Xbox", .console, 25), Hint(.vendorClass, "PS3", .console, 25),
    Hint(.vendorClass, "PS4", .console, 25), Hint(.vendorClass, "PS5", .console, 25), Hint(.vendorClass, "Nintendo", .console, 25),
    Hint(.vendorClass, "MSFT", .computer, 10), Hint(.vendorClass, "android-dhcp", .phone, 10, mobile: true),
    Hint(.vendorClass, "JetDirect", .printer, 25), Hint(.vendorClass, "Printer", .printer, 25), Hint(.vendorClass, "EPSON", .printer, 15),
    Hint(.vendorClass, "Canon", .printer, 10), Hint(.vendorClass, "docsis", .modem, 25), Hint(.vendorClass, "STB", .setTopBox, 25),
    Hint(.vendorClass, "IPTV", .setTopBox, 25), Hint(.vendorClass, "SetTop", .setTopBox, 25), Hint(.vendorClass, "set-top", .setTopBox, 25),
    Hint(.vendorClass, "digicorder", .setTopBox, 25), Hint(.vendorClass, "DECODER", .setTopBox, 15),
    Hint(.vendorClass, "decodeur", .setTopBox, 15),
    Hint(.vendorClass, "TVBOX", .setTopBox, 15), Hint(.vendorClass, "Mediaroom", .setTopBox, 25), Hint(.vendorClass, "VIP1", .setTopBox, 7),
    Hint(.vendorClass, "ESTB", .setTopBox, 25), Hint(.vendorClass, "OpenCable", .setTopBox, 25), Hint(.vendorClass, "AXIS", .camera, 15),
    Hint(.vendorClass, "IPCAM", .camera, 15), Hint(.vendorClass, "Synology", .storage, 15), Hint(.vendorClass, "QNAP", .storage, 15),
    Hint(.vendorClass, "Roku", .tv, 15), Hint(.vendorClass, "IPSTB", .setTopBox, 25), Hint(.vendorClass, "HDSTB", .setTopBox, 25),
    Hint(.vendorClass, "DVB", .setTopBox, 12), Hint(.vendorClass, "DVR", .setTopBox, 10), Hint(.vendorClass, "PVR", .setTopBox, 12),
    Hint(.vendorClass, "tuner", .setTopBox, 7), Hint(.vendorClass, "receiver", .setTopBox, 7),
    Hint(.vendorClass, "mediabox", .setTopBox, 12),
    Hint(.vendorClass, "AndroidTV", .tv, 12), Hint(.vendorClass, "SmartTV", .tv, 15), Hint(.vendorClass, "webOS", .tv, 12),
    // What operators' routers call themselves towards the operator (Broadband Forum TR-069, TR-106 and TR-181 speak of gateways).
    Hint(.vendorClass, "RG", .router, 12), Hint(.vendorClass, "HGW", .router, 12), Hint(.vendorClass, "IGD", .router, 12),
    Hint(.vendorClass, "CPE", .router, 7), Hint(.vendorClass, "Residential", .router, 12), Hint(.vendorClass, "HomeGateway", .router, 12),

    // Names: people and makers name boxes after what they are.
    Hint(.name, "iphone", .phone, 7, mobile: true), Hint(.name, "ipad", .phone, 7, mobile: true),
    Hint(.name, "galaxy", .phone, 7, mobile: true),
    Hint(.name, "pixel", .phone, 7, mobile: true), Hint(.name, "oneplus", .phone, 7, mobile: true),
    Hint(.name, "redmi", .phone, 7, mobile: true),
    Hint(.name, "xperia", .phone, 7, mobile: true), Hint(.name, "huawei-p", .phone, 7, mobile: true),
    Hint(.name, "huawei_p", .phone, 7, mobile: true),
    Hint(.name, "android-", .phone, 7, mobile: true), Hint(.name, "moto-g", .phone, 7, mobile: true),
    Hint(.name, "fairphone", .phone, 7, mobile: true),
    Hint(.name, "phone", .phone, 7), Hint(.name, "macbook", .computer, 7), Hint(.name, "imac", .computer, 7),
    Hint(.name, "macmini", .computer, 7),
    Hint(.name, "mac-mini", .computer, 7), Hint(.name, "laptop", .computer, 7), Hint(.name, "notebook", .computer, 7),
    Hint(.name, "desktop", .computer, 7), Hint(.name, "thinkpad", .computer, 7), Hint(.name, "workstation", .computer, 7),
    Hint(.name, "xbox", .console, 7), Hint(.name, "playstation", .console, 7), Hint(.name, "ps4-", .console, 7),
    Hint(.name, "ps5-", .console, 7),
    Hint(.name, "nintendo", .console, 7), Hint(.name, "webostv", .tv, 7), Hint(.name, "bravia", .tv, 7), Hint(.name, "roku", .tv, 7),
    Hint(.name, "samsung-tv", .tv, 7), Hint(.name, "appletv", .tv, 7), Hint(.name, "apple-tv", .tv, 7), Hint(.name, "chromecast", .tv, 7),
    Hint(.name, "tv", .tv, 7), Hint(.name, "firetv", .tv, 7), Hint(.name, "viera", .tv, 7), Hint(.name, "aquos", .tv, 7),
    Hint(.name, "vidaa", .tv, 7), Hint(.name, "smarttv", .tv, 7), Hint(.name, "television", .tv, 7),
    Hint(.name, "sonos", .speaker, 7), Hint(.name, "homepod", .speaker, 7), Hint(.name, "google-home", .speaker, 7),
    Hint(.name, "axis-", .camera, 7), Hint(.name, "ipcam", .camera, 7), Hint(.name, "camera", .camera, 7),
    Hint(.name, "webcam", .camera, 7),
    Hint(.name, "cam-", .camera, 7), Hint(.name, "doorbell", .camera, 7), Hint(.name, "diskstation", .storage, 7),
    Hint(.name, "synology", .storage, 7),
    Hint(.name, "qnap", .storage, 7), Hint(.name, "readynas", .storage, 7), Hint(.name, "mycloud", .storage, 7),
    Hint(.name, "nas", .storage, 7),
    Hint(.name, "philips-hue", .iot, 7), Hint(.name, "shelly", .iot, 7), Hint(.name, "tasmota", .iot, 7), Hint(.name, "esp-", .iot, 7),
    Hint(.name, "esp32", .iot, 7), Hint(.name, "esp8266", .iot, 7), Hint(.name, "esphome", .iot, 7), Hint(.name, "bulb", .iot, 7),
    Hint(.name, "thermostat", .iot, 7), Hint(.name, "tado", .iot, 7), Hint(.name, "wled", .iot, 7), Hint(.name, "tuya", .iot, 7),
    Hint(.name, "printer", .printer, 7), Hint(.name, "laserjet", .printer, 7), Hint(.name, "officejet", .printer, 7),
    Hint(.name, "brw", .printer, 7),
    Hint(.name, "brn", .printer, 7), Hint(.name, "epson", .printer, 7), Hint(.name, "canon", .printer, 7),
    Hint(.name, "set-top", .setTopBox, 7),
    Hint(.name, "settop", .setTopBox, 7), Hint(.name, "digicorder", .setTopBox, 7), Hint(.name, "decoder", .setTopBox, 7),

    // Services (DNS-SD, UPnP, WS-Discovery): what such devices offer, and hardly anything else does.
    Hint(.service, "_ipp._tcp", .printer, 15), Hint(.service, "_ipps._tcp", .printer, 15), Hint(.service, "_printer._tcp", .printer, 15),
    Hint(.service, "_pdl-datastream._tcp", .printer, 15), Hint(.service, "_uscan._tcp", .printer, 15),
    Hint(.service, "_scanner._tcp", .printer, 10),
    Hint(.service, "device:Printer:", .printer, 15), Hint(.service, "PrintDeviceType", .printer, 15),
    Hint(.service, "canon-bjnp", .printer, 3),
    Hint(.service, "_adisk._tcp", .storage, 12), Hint(.service, "_readynas._tcp", .storage, 15),
    Hint(.service, "_qdiscover._tcp", .storage, 15),
    Hint(.service, "_smb._tcp", .computer, 7), Hint(.service, "_smb._tcp", .storage, 5), Hint(.service, "_afpovertcp._tcp", .computer, 3),
    Hint(.service, "_workstation._tcp", .computer, 7),
    Hint(.service, "pub:Computer", .computer, 15), Hint(.service, "wsdp:Device pub:Computer", .computer, 15),
    Hint(.service, "_sonos._tcp", .speaker, 15), Hint(.service, "device:ZonePlayer:", .speaker, 15),
    Hint(.service, "_raop._tcp", .speaker, 3), Hint(.service, "_hap._tcp", .iot, 7), Hint(.service, "_matter._tcp", .iot, 7),
    Hint(.service, "_hue._tcp", .iot, 15), Hint(.service, "_shelly._tcp", .iot, 15), Hint(.service, "_elg._tcp", .iot, 15),
    Hint(.service, "_esphomelib._tcp", .iot, 15), Hint(.service, "_meshcop._udp", .iot, 7), Hint(.service, "IpBridge", .iot, 15),
    Hint(.service, "_axis-video._tcp", .camera, 20), Hint(.service, "_rtsp._tcp", .camera, 12),
    Hint(.service, "NetworkVideoTransmitter", .camera, 20), Hint(.service, "roku:ecp", .tv, 15),
    Hint(.service, "_androidtvremote2._tcp", .tv, 15), Hint(.service, "RemoteUIServer", .setTopBox, 7), Hint(.service, "tuya", .iot, 3),
    Hint(.service, "kasa", .iot, 3), Hint(.service, "lifx", .iot, 3), Hint(.service, "wiz", .iot, 3),
    Hint(.service, "dropbox", .computer, 7),
    Hint(.service, "steam", .computer, 3), Hint(.service, "_apple-mobdev2._tcp", .phone, 7, mobile: true),

    // Models and software, as devices state them.
    Hint(.model, "iphone", .phone, 15, mobile: true), Hint(.model, "ipad", .phone, 15, mobile: true),
    Hint(.model, "macbook", .computer, 15),
    Hint(.model, "imac", .computer, 15), Hint(.model, "macmini", .computer, 15), Hint(.model, "macpro", .computer, 15),
    Hint(.model, "appletv", .tv, 15), Hint(.model, "chromecast", .tv, 10), Hint(.model, "bravia", .tv, 15),
    Hint(.model, "audioaccessory", .speaker, 15),
    Hint(.model, "laserjet", .printer, 15), Hint(.model, "officejet", .printer, 15), Hint(.model, "deskjet", .printer, 15),
    Hint(.model, "pixma", .printer, 15), Hint(.model, "printer", .printer, 12), Hint(.model, "ds2", .storage, 3),
    Hint(.model, "diskstation", .storage, 15), Hint(.model, "timecapsule", .storage, 10), Hint(.model, "xserve", .storage, 3),
    Hint(.model, "playbar", .speaker, 12), Hint(.software, "sonos", .speaker, 15), Hint(.software, "xbox", .console, 15),
    Hint(.software, "webos", .tv, 12), Hint(.software, "ipbridge", .iot, 15), Hint(.software, "synology", .storage, 12),
    Hint(.software, "samsung", .tv, 3), Hint(.software, "roku", .tv, 12), Hint(.software, "bravia", .tv, 12),
    Hint(.software, "tv", .tv, 7), Hint(.software, "viera", .tv, 12), Hint(.software, "tizen", .tv, 7), Hint(.model, "tv", .tv, 7),
  ]
}
