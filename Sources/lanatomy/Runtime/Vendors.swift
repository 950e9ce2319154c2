import Glibc
import Model
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

  /// Names the maker of each device whose address has one.
  static func name(_ snapshot: inout Snapshot) {
    let names = load(for: snapshot.hosts.map(\.id))
    for at in snapshot.hosts.indices where !snapshot.hosts[at].id.isLocal {
      snapshot.hosts[at].vendor = names.name(of: snapshot.hosts[at].id)
    }
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
