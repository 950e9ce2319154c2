import Glibc
import Model
import Synchronization
import Wire

/// Makers' names from Debian's `ieee-data`, where it is installed.
enum Vendors {
  static let folder = "/usr/share/ieee-data"
  static let files = ["oui.csv", "mam.csv", "oui36.csv", "iab.csv"]

  /// Looks up only the makers of these addresses. Missing files mean unknown makers, never an error.
  static func load(for macs: some Sequence<MACAddress>) -> VendorNames {
    var names = VendorNames(for: macs)
    for file in files { if let text = contents("\(folder)/\(file)") { names.read(text) } }
    return names
  }

  /// For a model that judges once: looks all of them up.
  @Sendable static func names(_ macs: [MACAddress]) -> [MACAddress: String] {
    let names = load(for: macs)
    return macs.reduce(into: [:]) { out, mac in out[mac] = names.name(of: mac) }
  }

  private static func contents(_ path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var facts = stat()
    // The registry is four megabytes; sixteen times that is something else.
    guard fstat(descriptor, &facts) == 0, facts.st_size > 0, facts.st_size < 1 << 26 else { return nil }
    return [UInt8](unsafeUninitializedCapacity: Int(facts.st_size)) { buffer, count in
      count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
    }
  }
}

/// The names that were looked up while the daemon runs. The thread that captures asks only for what is known already, since the registry is
/// four megabytes of text; the one that publishes looks up what is new, and the next judgement has it.
final class MakerBook: Sendable {
  private let known = Mutex<[MACAddress: String?]>([:])

  func names(_ macs: [MACAddress]) -> [MACAddress: String] {
    known.withLock { known in macs.reduce(into: [:]) { out, mac in if case .some(let name?) = known[mac] { out[mac] = name } } }
  }

  func unknown(_ macs: [MACAddress]) -> [MACAddress] { known.withLock { known in macs.filter { known[$0] == nil } } }

  /// - Parameter limit: more than that are not remembered: a flood of made-up addresses ends.
  func learn(_ macs: [MACAddress], limit: Int) {
    let names = Vendors.load(for: macs)
    known.withLock { known in
      if known.count + macs.count > limit { known = [:] }
      // Devices of one maker share its name.
      var makers = Set<String>()
      for mac in macs { known[mac] = .some(names.name(of: mac).map { makers.insert($0).memberAfterInsert }) }
    }
  }
}
