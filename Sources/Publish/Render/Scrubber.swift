import Model
import Wire

/// Finds in texts what must not be told, and puts pseudonyms there. Works on bytes: names come in every script and in none.
struct Scrubber {
  enum Judgement {
    /// Only words of ours, numbers and addresses; the latter replaced.
    case harmless(String)
    /// Somebody's own words.
    case free
  }

  private struct Original {
    let bytes: [UInt8]
    let pseudonym: String
    /// Only letters, or too short to be sure: then it counts as a whole word only.
    let isWord: Bool
  }

  /// A stretch of text: still as it was, or already replaced.
  private enum Piece {
    case raw([UInt8])
    case done([UInt8])
  }

  private var originals: [Original] = []
  private var seen = Set<[UInt8]>()

  // MARK: What is secret

  /// A device's name, in the forms in which it may stand elsewhere: as shown, and without its domain.
  mutating func learn(name: WireText, _ pseudonyms: inout Pseudonyms) { learn(name, as: self.name(name, &pseudonyms)) }

  mutating func learn(text: WireText, _ pseudonyms: inout Pseudonyms) { learn(text, as: self.name(text, &pseudonyms, orAs: "text")) }

  private mutating func learn(_ text: WireText, as pseudonym: String) {
    for form in [text.bytes, Array(text.display.utf8), Self.key(text)] {
      let form = Self.lower(form)
      guard form.count >= 2, !Self.isVocabulary(form), !form.allSatisfy(Self.isDigit), seen.insert(form).inserted else { continue }
      let isWord = form.count < 4 || form.allSatisfy { $0 >= 0x61 && $0 <= 0x7a }
      originals.append(Original(bytes: form, pseudonym: pseudonym, isWord: isWord))
    }
  }

  /// To be called when all is learned: the longest first, so that a name inside another's name does not tear it.
  mutating func settle() {
    originals.sort { $0.bytes.count != $1.bytes.count ? $0.bytes.count > $1.bytes.count : $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }

  /// The pseudonym of a name. `den-pc`, `DEN-PC` and `den-pc.local` are one name; a text that is somebody's name is called like him.
  func name(_ text: WireText, _ pseudonyms: inout Pseudonyms, orAs kind: String = "name") -> String {
    let key = Self.key(text)
    if key.isEmpty { return "" }
    if kind != "name", let known = pseudonyms.known("name", key) { return known }
    return pseudonyms.text(kind, key)
  }

  private static func key(_ text: WireText) -> [UInt8] {
    let bytes = lower(text.bytes)
    let isHostName = bytes.allSatisfy { isAlphanumeric($0) || $0 == 0x2d || $0 == 0x5f || $0 == 0x2e }
    guard isHostName, let label = bytes.split(separator: 0x2e).first, label.contains(where: { !isDigit($0) }) else { return bytes }
    return Array(label)
  }

  // MARK: Texts

  /// The value of a record: kept when each word of it is ours, a number or an address.
  func judge(_ text: WireText, _ pseudonyms: inout Pseudonyms) -> Judgement {
    if text.isEmpty { return .harmless("") }
    if text.isAltered { return .free }
    var out = ""
    for (at, word) in text.uncleaned.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
      if at > 0 { out += " " }
      guard let safe = harmless(String(word), &pseudonyms) else { return .free }
      out += safe
    }
    return .harmless(out)
  }

  private func harmless(_ word: String, _ pseudonyms: inout Pseudonyms) -> String? {
    if word.isEmpty { return "" }
    if word.last == "," { return harmless(String(word.dropLast()), &pseudonyms).map { $0 + "," } }
    if let address = Self.address(Array(word.utf8), &pseudonyms) { return address }
    let bytes = Self.lower(Array(word.utf8))
    // The first three bytes of a MAC.
    if bytes.count == 8, bytes[2] == 0x3a, bytes[5] == 0x3a, let mac = MACAddress(word + ":00:00:01") {
      return String(pseudonyms.mac(mac).description.prefix(8))
    }
    // A service by its registered type, a device by the standard's name for its kind.
    if bytes.first == 0x5f, bytes.allSatisfy({ Self.isAlphanumeric($0) || $0 == 0x2d || $0 == 0x5f || $0 == 0x2e }) {
      let labels = bytes.split(separator: 0x2e)
      let isType =
        labels.count >= 2 && labels.prefix(2).allSatisfy { $0.first == 0x5f }
        && (labels[1].elementsEqual("_tcp".utf8) || labels[1].elementsEqual("_udp".utf8))
      return isType && labels.count <= 3 ? word : nil
    }
    if bytes.starts(with: "urn:schemas-upnp-org:".utf8), bytes.allSatisfy({ Self.isAlphanumeric($0) || $0 == 0x3a || $0 == 0x2d }) {
      return word
    }
    if bytes.count <= 5, bytes.allSatisfy(Self.isDigit) { return word }
    // Lists of short numbers, as DHCP's fingerprints are.
    let numbers = bytes.split(separator: 0x2c)
    if numbers.count > 1, numbers.allSatisfy({ $0.count <= 3 && $0.allSatisfy(Self.isDigit) }) { return word }
    return Self.isVocabulary(bytes) ? word : nil
  }

  /// What a device says of its kind: kept, without names, addresses, serial numbers, identifiers and places.
  func scrub(wire text: String, _ pseudonyms: inout Pseudonyms) -> String {
    var pieces = replaceNames([.raw(Array(text.utf8))], wholeWords: false)
    pieces = replaceAddresses(pieces, &pseudonyms)
    pieces = replaceTokens(pieces, &pseudonyms)
    return Self.joined(pieces)
  }

  /// A sentence of ours with others' words in it.
  func scrub(prose text: String, _ snapshot: Snapshot, _ kinds: [[UInt8]: WireText], _ pseudonyms: inout Pseudonyms) -> String {
    var pieces: [Piece] = [.raw(Array(text.utf8))]
    // "NAME (MAC)", whatever the name.
    for host in snapshot.hosts {
      for mac in [host.id] + host.virtualMACs {
        for name in host.names {
          let shown = Array(name.text.display.utf8)
          guard !shown.isEmpty else { continue }
          let pattern = shown + Array(" (\(mac)".utf8)
          let new = Array((self.name(name.text, &pseudonyms) + " (\(pseudonyms.mac(mac))").utf8)
          pieces = Self.replace(pieces, pattern, isWord: false, ignoringCase: false, new)
        }
      }
    }
    // Quoted: what a device said.
    for (original, kind) in kinds.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      let shown = WireText(original).display
      pieces = Self.replace(pieces, Array("\"\(shown)\"".utf8), isWord: false, ignoringCase: false, Array("\"\(kind.display)\"".utf8))
    }
    pieces = replaceNames(pieces, wholeWords: true)
    pieces = replaceAddresses(pieces, &pseudonyms)
    pieces = replaceQuoted(pieces, &pseudonyms)
    return Self.joined(pieces)
  }

  // MARK: Steps

  private func replaceNames(_ pieces: [Piece], wholeWords: Bool) -> [Piece] {
    var pieces = pieces
    for original in originals {
      // Two letters mean something only where they stand alone.
      let isWord = original.isWord && (wholeWords || original.bytes.count < 3)
      pieces = Self.replace(pieces, original.bytes, isWord: isWord, ignoringCase: true, Array(original.pseudonym.utf8))
    }
    return pieces
  }

  private static func replace(_ pieces: [Piece], _ pattern: [UInt8], isWord: Bool, ignoringCase: Bool, _ new: [UInt8]) -> [Piece] {
    guard let first = pattern.first else { return pieces }
    return pieces.flatMap { piece -> [Piece] in
      guard case .raw(let bytes) = piece, bytes.count >= pattern.count else { return [piece] }
      let have = ignoringCase ? lower(bytes) : bytes
      var out: [Piece] = []
      var from = 0
      var at = 0
      while at + pattern.count <= have.count {
        guard have[at] == first, have[at..<(at + pattern.count)].elementsEqual(pattern) else {
          at += 1
          continue
        }
        let end = at + pattern.count
        if isWord, (at > 0 && isWordByte(have[at - 1])) || (end < have.count && isWordByte(have[end])) {
          at += 1
          continue
        }
        out += [.raw(Array(bytes[from..<at])), .done(new)]
        from = end
        at = end
      }
      return from == 0 ? [piece] : out + [.raw(Array(bytes[from...]))]
    }
  }

  /// Runs of letters, digits, `:`, `.`, `-` and `/` that are an address in one of the usual forms.
  private func replaceAddresses(_ pieces: [Piece], _ pseudonyms: inout Pseudonyms) -> [Piece] {
    pieces.flatMap { piece -> [Piece] in
      guard case .raw(let bytes) = piece else { return [piece] }
      var out: [UInt8] = []
      var at = 0
      while at < bytes.count {
        let begin = at
        while at < bytes.count, Self.isAddressByte(bytes[at]) { at += 1 }
        if at == begin {
          out.append(bytes[at])
          at += 1
          continue
        }
        var run = Array(bytes[begin..<at])
        var rest: [UInt8] = []
        // The full stop or colon behind it is the sentence's.
        while let last = run.last, last == 0x2e || last == 0x3a || last == 0x2d || last == 0x2f, Self.address(run, &pseudonyms) == nil {
          rest.insert(last, at: 0)
          run.removeLast()
        }
        if let new = Self.address(run, &pseudonyms) {
          out += Array(new.utf8)
        } else {
          // An address and its port, or two addresses with a mark between.
          out += Self.parts(run, &pseudonyms)
        }
        out += rest
      }
      return [.raw(out)]
    }
  }

  private static func parts(_ run: [UInt8], _ pseudonyms: inout Pseudonyms) -> [UInt8] {
    var out: [UInt8] = []
    for (at, part) in run.split(separator: 0x2f, omittingEmptySubsequences: false).enumerated() {
      if at > 0 { out.append(0x2f) }
      if let new = address(Array(part), &pseudonyms) {
        out += Array(new.utf8)
        continue
      }
      for (at, piece) in part.split(separator: 0x3a, omittingEmptySubsequences: false).enumerated() {
        if at > 0 { out.append(0x3a) }
        for (at, small) in piece.split(separator: 0x2d, omittingEmptySubsequences: false).enumerated() {
          if at > 0 { out.append(0x2d) }
          out += address(Array(small), &pseudonyms).map { Array($0.utf8) } ?? Array(small)
        }
      }
    }
    return out
  }

  /// What is left between quotation marks was said by somebody.
  private func replaceQuoted(_ pieces: [Piece], _ pseudonyms: inout Pseudonyms) -> [Piece] {
    var isInside = false
    return pieces.flatMap { piece -> [Piece] in
      guard case .raw(let bytes) = piece else { return [piece] }
      var out: [Piece] = []
      var current: [UInt8] = []
      for byte in bytes {
        if byte == 0x22 {
          out.append(.raw(quoted(current, isInside, &pseudonyms) + [byte]))
          current = []
          isInside.toggle()
        } else {
          current.append(byte)
        }
      }
      return out + [.raw(quoted(current, isInside, &pseudonyms))]
    }
  }

  private func quoted(_ bytes: [UInt8], _ isInside: Bool, _ pseudonyms: inout Pseudonyms) -> [UInt8] {
    guard isInside, bytes.contains(where: { $0 != 0x20 }) else { return bytes }
    if case .harmless(let safe) = judge(WireText(bytes), &pseudonyms) { return Array(safe.utf8) }
    return Array(name(WireText(bytes), &pseudonyms, orAs: "text").utf8)
  }

  /// Serial numbers, identifiers, mail addresses and URLs, by their shape.
  private func replaceTokens(_ pieces: [Piece], _ pseudonyms: inout Pseudonyms) -> [Piece] {
    pieces.flatMap { piece -> [Piece] in
      guard case .raw(let bytes) = piece else { return [piece] }
      var out: [UInt8] = []
      for (at, word) in bytes.split(separator: 0x20, omittingEmptySubsequences: false).enumerated() {
        if at > 0 { out.append(0x20) }
        out += Self.token(Array(word), &pseudonyms)
      }
      return [.raw(out)]
    }
  }

  private static func token(_ word: [UInt8], _ pseudonyms: inout Pseudonyms) -> [UInt8] {
    if word.contains(0x40) || WireText(word).mentions("://") { return Array(pseudonyms.text("text", lower(word)).utf8) }
    var out: [UInt8] = []
    var at = 0
    while at < word.count {
      let begin = at
      while at < word.count, isAlphanumeric(word[at]) || isUUIDHyphen(word, at) { at += 1 }
      if at == begin {
        out.append(word[at])
        at += 1
        continue
      }
      let run = lower(Array(word[begin..<at]))
      let digits = run.count(where: isDigit)
      let isHex = run.allSatisfy { isDigit($0) || ($0 >= 0x61 && $0 <= 0x66) || $0 == 0x2d }
      if run.contains(0x2d) || (run.count >= 8 && digits >= 5) || (run.count >= 8 && isHex && digits >= 1) || (run.count >= 12 && isHex) {
        out += Array(pseudonyms.text("serial", run).utf8)
      } else {
        out += word[begin..<at]
      }
    }
    return out
  }

  /// A hyphen of a UUID: eight, four, four, four and twelve hex digits.
  private static func isUUIDHyphen(_ word: [UInt8], _ at: Int) -> Bool {
    guard word[at] == 0x2d else { return false }
    for offset in [8, 13, 18, 23] where at >= offset && at - offset + 36 <= word.count {
      let part = word[(at - offset)..<(at - offset + 36)]
      let isUUID = part.enumerated().allSatisfy { place, byte in
        [8, 13, 18, 23].contains(place) ? byte == 0x2d : hexDigit(byte) != nil
      }
      if isUUID { return true }
    }
    return false
  }

  // MARK: Bytes

  /// The pseudonym of a text that is one address, in the form it had.
  private static func address(_ bytes: [UInt8], _ pseudonyms: inout Pseudonyms) -> String? {
    guard bytes.count >= 3, bytes.count <= 50 else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    if let mac = MACAddress(text) {
      let new = pseudonyms.mac(mac).description
      return bytes.contains(0x2d) ? String(decoding: new.utf8.map { $0 == 0x3a ? 0x2d : $0 }, as: UTF8.self) : new
    }
    if bytes.count == 12, bytes.allSatisfy({ hexDigit($0) != nil }) {
      let pairs = stride(from: 0, to: 12, by: 2).map { String(decoding: bytes[$0..<($0 + 2)], as: UTF8.self) }
      guard let mac = MACAddress(pairs.joined(separator: ":")) else { return nil }
      return String(decoding: pseudonyms.mac(mac).description.utf8.filter { $0 != 0x3a }, as: UTF8.self)
    }
    if let address = IPAddress(text) { return pseudonyms.address(address).description }
    if let prefix = Prefix(text) { return pseudonyms.prefix(prefix).description }
    return nil
  }

  private static func joined(_ pieces: [Piece]) -> String {
    String(
      decoding: pieces.flatMap { piece -> [UInt8] in
        switch piece {
        case .raw(let bytes), .done(let bytes): bytes
        }
      }, as: UTF8.self)
  }

  static func lower(_ bytes: [UInt8]) -> [UInt8] { bytes.map { $0 >= 0x41 && $0 <= 0x5a ? $0 | 0x20 : $0 } }
  private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
  private static func isAlphanumeric(_ byte: UInt8) -> Bool { isDigit(byte) || (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7a) }
  private static func isWordByte(_ byte: UInt8) -> Bool { isAlphanumeric(byte) || byte >= 0x80 }
  private static func isAddressByte(_ byte: UInt8) -> Bool { isAlphanumeric(byte) || (byte >= 0x2d && byte <= 0x2f) || byte == 0x3a }

  static func isVocabulary(_ bytes: [UInt8]) -> Bool {
    vocabulary.contains(String(decoding: bytes, as: UTF8.self))
  }

  /// The words of our own sentences and values. A name that is one of them gives nobody away, and must not tear the sentences apart.
  private static let vocabulary = Set(
    """
    a access address addresses adapter advertisement advertises after although am among an and announcement announces another answer \
    answered answers apart ap are arp arrive arrives as asks at be behind beside belong belongs block both bounds box boxes bridge \
    bridged broadcast broadcasts bssid builds but by cable cables came can cannot carries carry certain change choose chosen class client \
    coax confidence console counters camera computer decide device devices dhcp directly dns do does each either else elsewhere ends \
    equipment ethernet ever every everybody everything find first five for frame frames from gateway get goes groups guest handed handing \
    hands hang hangs hardly hardware has have he head header heard here high home hop host hosts house hypervisor identifier in inside \
    interface internet into iot is it its itself joined keeps kept kind label labelled labels lies likely limit link list listed listen \
    listening lists lldp local looks lower machine made make maker makers makes management mask media medium messages missing moca mode \
    modem more mostly name names nat neighbours network networks never next no nobody node nodes none not nothing now numbered numbers of \
    offer offered offers on one only operating operator or ordinary other others our out outside over own owners packets passes perhaps \
    phone phones play point port powerline prefix printer private protocol public questions radio range reach reaches read relay repeater \
    replies requests resolver rest restart role roles route router routers routes routing rules run runs s same say says second see send \
    separation separator server servers service set several share shows side so socket somebody source speak speaker spent spoke started \
    states station stations still storage straight subnet subnets such switch system systems table tables tablets talk tells than that \
    the their them themselves there these they this three through to told too totals traffic translate translation translated tunnel tv \
    two type typed under unknown until use used uses vendor virtual vlan wall was way what when which while who whose why wifi wi-fi wire \
    wired wireless with wrong you your access-point dhcp-server dns-server powerline-adapter set-top-box virtual-machine
    """.split(separator: " ").map(String.init))
}
