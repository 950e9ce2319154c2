// What the names and TXT strings of DNS-SD services say of a device: RFC 6763, 6; the makers' own keys (`protocols.md` 16).
//
//      ┌────────┬──────────────┬────────┬──────────────┬───
//      │length 1│ key=value    │length 1│ key=value    │ …          keys in ASCII, case apart; the first of a key counts
//      └────────┴──────────────┴────────┴──────────────┴───

enum DNSServiceText {
  /// What a key means to us.
  enum Meaning: Sendable {
    case model(Grade)
    /// `(name)` as printers write their PostScript product.
    case product
    case manufacturer, friendly, uuid, hardware, location, comment
    /// A version that means nothing without its key: noted with it.
    case system
    /// The box's own hardware address.
    case mac
  }

  struct Key: Sendable {
    let label: UInt128
    let field: String
    let meaning: Meaning

    init(_ name: String, _ meaning: Meaning) {
      label = DNSLabel.pack(name)
      field = "TXT " + name
      self.meaning = meaning
    }
  }

  /// Services with the same keys.
  struct Family: Sendable {
    var keys: [Key]
    /// All pairs in one string with commas between (AirPort, QNAP).
    var isList = false
  }

  private static let airplay = Family(keys: [
    Key("model", .model(.a)), Key("am", .model(.a)), Key("deviceid", .mac), Key("osvers", .system), Key("manufacturer", .manufacturer),
  ])
  private static let printer = Family(keys: [
    Key("ty", .model(.a)), Key("usb_MDL", .model(.b)), Key("mdl", .model(.b)), Key("product", .product), Key("usb_MFG", .manufacturer),
    Key("mfg", .manufacturer), Key("UUID", .uuid), Key("adminurl", .location), Key("note", .comment),
  ])

  private static let families: [(label: UInt128, family: Family)] = [
    ("_device-info", Family(keys: [Key("model", .model(.a)), Key("osxvers", .system)])),
    ("_googlecast", Family(keys: [Key("md", .model(.a)), Key("fn", .friendly), Key("id", .uuid)])),
    ("_airplay", airplay), ("_raop", airplay),
    ("_ipp", printer), ("_ipps", printer), ("_printer", printer), ("_pdl-datastream", printer), ("_uscan", printer), ("_uscans", printer),
    ("_scanner", printer),
    ("_hap", Family(keys: [Key("md", .model(.a))])), ("_elg", Family(keys: [Key("md", .model(.a))])),
    ("_companion-link", Family(keys: [Key("rpMd", .model(.b))])),
    ("_hue", Family(keys: [Key("modelid", .model(.a))])),
    ("_shelly", Family(keys: [Key("app", .model(.b))])),
    ("_esphomelib", Family(keys: [Key("friendly_name", .friendly), Key("board", .hardware), Key("mac", .mac)])),
    ("_meshcop", Family(keys: [Key("vn", .manufacturer), Key("mn", .model(.b))])),
    ("_matterc", Family(keys: [Key("DN", .friendly)])),
    ("_axis-video", Family(keys: [Key("macaddress", .mac)])),
    ("_airport", Family(keys: [Key("waMA", .mac), Key("raMA", .mac), Key("raM2", .mac)], isList: true)),
    ("_qdiscover", Family(keys: [Key("displayModel", .model(.a))], isList: true)),
  ].map { (DNSLabel.pack($0.0), $0.1) }

  /// The keys of a service type's first label, nil for a service whose text says nothing.
  static func family(_ label: UInt128) -> Family? {
    guard let index = labels.firstIndex(of: label) else { return nil }
    return families[index].family
  }

  private static let labels = families.map(\.label)

  static func observe(
    _ record: DNSRecord, _ family: Family, _ message: borrowing DNSMessage, _ whom: (subject: Subject, grade: Grade),
    _ out: inout Observations
  ) {
    var at = record.data
    var used: UInt64 = 0
    // Sixty-four strings: twice what the most talkative printer sends.
    for _ in 0..<64 where at < record.end {
      let length = Int(message.bytes.u8(at))
      at &+= 1
      // A string that does not fit ends the list.
      guard at &+ length <= record.end else { return }
      if family.isList {
        var from = at
        for i in at...at &+ length where i == at &+ length || message.bytes.u8(i) == 0x2c {
          pair(from, i, family, &used, message, whom, &out)
          from = i &+ 1
        }
      } else {
        pair(at, at &+ length, family, &used, message, whom, &out)
      }
      at &+= length
    }
  }

  private static func pair(
    _ from: Int, _ to: Int, _ family: Family, _ used: inout UInt64, _ message: borrowing DNSMessage,
    _ whom: (subject: Subject, grade: Grade), _ out: inout Observations
  ) {
    // The longest key we know has 16 bytes.
    var equals = from
    while equals < to, equals < from &+ 17, message.bytes.u8(equals) != 0x3d { equals &+= 1 }
    guard equals < to, message.bytes.u8(equals) == 0x3d, equals &+ 1 < to else { return }
    let label = message.packedText(from, equals &- from)
    guard label != 0 else { return }
    for index in family.keys.indices where family.keys[index].label == label {
      guard used & 1 << UInt64(index & 63) == 0 else { return }
      used |= 1 << UInt64(index & 63)
      note(family.keys[index], message.bytes.part(equals &+ 1, to &- equals &- 1), message.bytes.part(from, to &- from), whom, &out)
      return
    }
  }

  private static func note(
    _ key: Key, _ value: RawSpan, _ whole: RawSpan, _ whom: (subject: Subject, grade: Grade), _ out: inout Observations
  ) {
    let claim: Observation.Claim
    var grade = whom.grade
    switch key.meaning {
    case .model(let own):
      claim = .has(.model, WireText(value))
      grade = min(grade, own)
    case .product:
      let count = value.byteCount
      let isBracketed = count > 2 && value.u8(0) == 0x28 && value.u8(count &- 1) == 0x29
      claim = .has(.model, WireText(isBracketed ? value.part(1, count &- 2) : value))
      grade = .c
    case .manufacturer: claim = .has(.manufacturer, WireText(value))
    case .friendly: claim = .isNamed(WireText(value), .friendly)
    case .uuid:
      // Cast leaves the dashes out.
      guard value.byteCount == 32 || value.byteCount == 36 else { return }
      claim = .has(.uuid, WireText(value).lowercasedASCII)
    case .hardware: claim = .has(.hardware, WireText(value))
    case .location: claim = .has(.location, WireText(value))
    case .comment: claim = .has(.comment, WireText(value))
    case .system: claim = .has(.operatingSystem, WireText(whole))
    case .mac:
      guard let mac = MACAddress(text: value), whom.subject != .station(mac) else { return }
      claim = .isSameBox(as: mac)
      grade = .b
    }
    out.note(whom.subject, claim, key.field, grade: grade)
  }

  // MARK: Instance names

  private static let raop = DNSLabel.pack("_raop")
  private static let workstation = DNSLabel.pack("_workstation")
  private static let mobileDevice = DNSLabel.pack("_apple-mobdev2")
  private static let sleepProxy = DNSLabel.pack("_sleep-proxy")

  /// Notes an instance's name if a person can have given it: makers' serial numbers and addresses are no names.
  static func observeInstance(
    _ name: RawSpan, _ type: UInt128, _ whom: (subject: Subject, grade: Grade), _ field: String, _ out: inout Observations
  ) {
    var given = name
    var kind = NameKind.friendly
    switch type {
    case mobileDevice:
      // The phone's burned-in address, which its owner hides elsewhere: not noted.
      return
    case raop:
      // `0A1B2C3D4E5F@Living room`
      guard name.byteCount > 13, name.u8(12) == 0x40, MACAddress(text: name.part(0, 12)) != nil else { break }
      given = name.part(13, name.byteCount)
    case sleepProxy:
      // `50-35-10-70.1 Living room`: how good a proxy it is, then its name.
      var space = 0
      while space < name.byteCount, name.u8(space) != 0x20 { space &+= 1 }
      guard space < name.byteCount else { return }
      given = name.part(space &+ 1, name.byteCount)
    case workstation:
      // `name [02:00:00:00:00:0a]`
      kind = .host
      let count = name.byteCount
      guard count > 20, name.u8(count &- 1) == 0x5d, name.u8(count &- 19) == 0x5b, name.u8(count &- 20) == 0x20 else { break }
      given = name.part(0, count &- 20)
      // A repeater that changes addresses leaves this one as it was.
      if whom.grade == .a, let mac = MACAddress(text: name.part(count &- 18, 17)), case .station(let station) = whom.subject, mac != station
      {
        out.note(station, .speaksFor(mac), field, grade: .c, kind: .inferred)
      }
    default: break
    }
    guard isGiven(given) else { return }
    out.note(whom.subject, .isNamed(WireText(given), kind), field, grade: kind == .host ? .b : whom.grade)
  }

  /// Whether a name has no run of twelve hex digits (`:` and `-` apart), as addresses, UUIDs and serial numbers have.
  static func isGiven(_ name: RawSpan) -> Bool {
    var run = 0
    for i in 0..<name.byteCount {
      let c = name.u8(i)
      if hexDigit(c) != nil { run &+= 1 } else if c != 0x3a, c != 0x2d { run = 0 }
      if run >= 12 { return false }
    }
    return name.byteCount > 0
  }
}
