import Wire

/// What a maker's boxes usually are, by his address block or by his registered name. Hints, never proofs: most makers build everything.
struct MakerHint: Hashable, Sendable {
  enum Kind: Sendable {
    /// Head-end and access routers of operators.
    case operatorGear
    /// Routers that are sold to homes.
    case homeRouter
    case powerlineAdapter
    case moca
    case setTopBox
    case console
    case virtualMachine
    case camera, speaker, storage, printer, tv, iot
  }

  let kind: Kind
  /// Whether the maker builds hardly anything else.
  var isOnly = false
}

enum MakerHints {
  typealias Kind = MakerHint.Kind

  /// By the first three bytes; every block stands in the IEEE registry under that maker, unless it is marked.
  private static let blocks: [UInt32: Kind] = [
    0x00_01_5c: .operatorGear,  // Cadant, later ARRIS: CMTS
    0x00_30_b8: .operatorGear,  // RiverDelta Networks: CMTS
    0x00_17_10: .operatorGear,  // Casa Systems: CMTS
    0x00_90_1a: .operatorGear,  // Unisphere, later Juniper: broadband access servers
    0x00_30_88: .operatorGear,  // Redback, later Ericsson: broadband access servers
    0x00_03_fa: .operatorGear,  // TiMetra, later Nokia: service routers
    0x00_d0_f6: .operatorGear,  // Nokia (Alcatel): service routers
    0x00_90_69: .operatorGear, 0x00_05_85: .operatorGear,  // Juniper, of the years of its broadband access servers
    0x00_b0_52: .powerlineAdapter,  // Qualcomm Atheros powerline
    0x00_1f_84: .powerlineAdapter,  // Gigle, later Broadcom
    0x00_0b_3b: .powerlineAdapter, 0x30_d3_2d: .powerlineAdapter, 0xbc_f2_af: .powerlineAdapter,  // devolo
    0xb8_be_f4: .powerlineAdapter, 0xf4_06_8d: .powerlineAdapter, 0x88_fc_a6: .powerlineAdapter,  // devolo
    0x00_22_0f: .moca, 0x00_09_8b: .moca,  // MoCA Alliance, Entropic
    0x68_63_59: .setTopBox, 0xc4_77_af: .setTopBox, 0x20_83_f8: .setTopBox, 0x00_03_91: .setTopBox,  // Advanced Digital Broadcast
    0x00_50_f2: .console, 0x00_1d_d8: .console, 0x7c_ed_8d: .console,  // Microsoft (Xbox)
    0x00_05_69: .virtualMachine, 0x00_0c_29: .virtualMachine, 0x00_50_56: .virtualMachine,  // VMware
    0x08_00_27: .virtualMachine,  // VirtualBox
    0x00_15_5d: .virtualMachine,  // Hyper-V
    0x00_16_3e: .virtualMachine,  // Xen
    0x00_1c_42: .virtualMachine,  // Parallels
    0x52_54_00: .virtualMachine,  // QEMU and KVM: local bit set, in no registry
    0xbc_24_11: .virtualMachine,  // Proxmox
    0xac_cc_8e: .camera, 0x00_40_8c: .camera, 0xb8_a4_4f: .camera,  // Axis
    0x34_7e_5c: .speaker, 0x48_a6_b8: .speaker, 0x00_0e_58: .speaker, 0x5c_aa_fd: .speaker, 0x94_9f_3e: .speaker,  // Sonos
    0x00_11_32: .storage, 0x90_09_d0: .storage,  // Synology
    0x24_5e_be: .storage, 0x00_08_9b: .storage,  // QNAP
  ]

  /// Makers by the beginning of their names in the IEEE registry, ASCII case apart; each line says what most of the boxes with an address of
  /// theirs are. Who builds two of these kinds alike stands here as neither.
  private static let names: [(beginning: String, hint: MakerHint)] =
    // Makers of head-ends and of access routers, from their own product lists.
    only(
      .operatorGear, "cadant", "casa systems", "riverdelta networks", "redback networks", "unisphere", "timetra", "teleste", "calix",
      "com21")
    + only(.operatorGear, "terayon", "bigband", "motorola - bsg", "nokia solutions and networks", "nokia networks", "harmonic")
    + mostly(.operatorGear, "juniper", "ericsson", "nokia shanghai bell", "alcatel-lucent", "adtran", "fiberhome", "zte")
    + only(
      .homeRouter, "avm", "netgear", "linksys", "cisco-linksys", "eero", "tp-link", "d-link", "mikrotik", "routerboard", "tenda", "mercusys"
    )
    + only(.homeRouter, "keenetic", "edimax", "amped wireless")
    + mostly(
      .homeRouter, "sagemcom", "arcadyan", "sercomm", "technicolor", "compal broadband", "ubiquiti", "askey", "gemtek", "hitron", "ubee")
    + mostly(.homeRouter, "zyxel", "buffalo", "belkin")
    // Receivers for television.
    + only(.setTopBox, "advanced digital broadcast", "humax", "kaonmedia", "echostar", "tivo", "amino communications", "coship", "entone")
    + only(.setTopBox, "dream property", "infomir", "pace americas", "pace france", "pace micro")
    + mostly(.setTopBox, "pace plc", "cisco spvtg", "skyworth digital")
    + only(.storage, "synology", "qnap", "drobo", "asustor", "data robotics", "terramaster", "netapp")
    + only(.speaker, "sonos", "bose", "bang & olufsen", "sound united", "bluesound", "lenbrook", "libratone", "devialet")
    + mostly(.speaker, "harman", "d&m holdings", "denon", "yamaha")
    + only(.camera, "axis communications", "reolink", "vivotek", "mobotix", "hanwha", "arlo technology", "amcrest", "avigilon")
    + mostly(.camera, "hangzhou hikvision", "zhejiang dahua", "ezviz", "hangzhou ezviz")
    + only(.printer, "brother industries", "lexmark", "kyocera document", "oki electric", "zebra technologies", "star micronics")
    + mostly(.printer, "seiko epson", "canon", "konica", "ricoh", "xerox")
    + mostly(.console, "nintendo", "sony interactive", "valve")
    + only(.tv, "roku", "vizio", "loewe", "tpvision", "tpv display", "hisense visual", "hisense electric", "tcl king")
    + mostly(.tv, "vestel", "arcelik", "metz")
    + only(
      .iot, "tuya smart", "signify", "philips lighting", "allterco", "shelly", "nest labs", "ecobee", "lifi labs", "tado", "ikea", "netatmo"
    )
    + only(.iot, "nuki", "smartthings", "itead", "irobot", "withings", "yeelight", "wiz connected")
    + mostly(.iot, "espressif")

  private static func only(_ kind: Kind, _ names: String...) -> [(beginning: String, hint: MakerHint)] {
    names.map { ($0, MakerHint(kind: kind, isOnly: true)) }
  }

  private static func mostly(_ kind: Kind, _ names: String...) -> [(beginning: String, hint: MakerHint)] {
    names.map { ($0, MakerHint(kind: kind)) }
  }

  /// - Parameter name: as the registry writes it, nil where it is not installed.
  static func hint(_ mac: MACAddress, name: String?) -> MakerHint? {
    // Microsoft has more than consoles.
    if let kind = blocks[mac.oui] { return MakerHint(kind: kind, isOnly: kind != .console) }
    // Older Docker engines put the container's IPv4 address behind 02:42.
    if mac.bits >> 32 == 0x0242 { return MakerHint(kind: .virtualMachine, isOnly: true) }
    guard let name, !mac.isLocal else { return nil }
    let lower = name.lowercased()
    // The longest beginning: a maker's one branch may build what the others do not.
    return names.filter { entry in
      lower.hasPrefix(entry.beginning) && !(lower.dropFirst(entry.beginning.count).first?.isLetter ?? false)
    }.max { $0.beginning.count < $1.beginning.count }?.hint
  }

  /// The machine's own adapter in a network of its guests, which carries its guests' block: VMware's are 00:50:56:c0:00:xx, VirtualBox's
  /// 0a:00:27:00:xx:xx and, on Windows, 08:00:27:00:xx:xx, where one guest in 256 stands as well.
  static func isOfHypervisor(_ mac: MACAddress) -> Bool {
    mac.bits >> 8 == 0x00_50_56_c0_00 || mac.bits >> 16 == 0x0a_00_27_00 || mac.bits >> 16 == 0x08_00_27_00
  }
}
