internal import CCapNG
internal import CLinux
internal import Glibc

/// Letting go of every right but the one to capture: foreign bytes are read without root, and with nothing a trap could give away.
public enum Privileges {
  /// Whom somebody who was started as root became.
  public struct User: Sendable, Hashable {
    public var name: String
    public var number: UInt32
    public var group: UInt32
  }

  public static var isRoot: Bool { geteuid() == 0 }

  /// The user to become: the named one, or `nobody` where there is none of that name.
  public static func user(named name: String) throws(CaptureError) -> User {
    for candidate in [name, "nobody"] {
      guard let entry = getpwnam(candidate), entry.pointee.pw_uid != 0 else { continue }
      return User(name: candidate, number: entry.pointee.pw_uid, group: entry.pointee.pw_gid)
    }
    throw CaptureError(.noPermission, name, "there is no such user to become", remedy: "make one, or name another: [daemon] user")
  }

  /// Becomes the user, keeping CAP_NET_RAW alone: an interface that comes back must be opened again. Without a user only capabilities are
  /// let go. Must be called before there is a second thread: capabilities belong to threads.
  public static func drop(to user: User?) throws(CaptureError) {
    let capture = UInt32(CAP_NET_RAW)
    let has = geteuid() == 0 || capng_have_capability(CAPNG_PERMITTED, capture) == 1
    // Under the service manager there is nothing to let go, and its filter of system calls forbids even to ask.
    if user == nil, holdsNothing(but: capture) { return try forbidNewOnes() }
    capng_clear(CAPNG_SELECT_BOTH)
    if has {
      for type in [CAPNG_EFFECTIVE, CAPNG_PERMITTED] where capng_update(CAPNG_ADD, type, capture) != 0 { throw refused("capabilities") }
    }
    if let user {
      let flags = capng_flags_t(rawValue: CAPNG_DROP_SUPP_GRP.rawValue | CAPNG_CLEAR_BOUNDING.rawValue)
      guard capng_change_id(Int32(bitPattern: user.number), Int32(bitPattern: user.group), flags) == 0 else { throw refused(user.name) }
      guard setuid(0) != 0, geteuid() == user.number, getegid() == user.group else { throw refused(user.name) }
    } else {
      guard capng_apply(CAPNG_SELECT_CAPS) == 0 else { throw refused("capabilities") }
    }
    try forbidNewOnes()
  }

  private static func holdsNothing(but capability: UInt32) -> Bool {
    (0..<UInt32(64)).allSatisfy { other in
      other == capability
        || (capng_have_capability(CAPNG_PERMITTED, other) != 1 && capng_have_capability(CAPNG_EFFECTIVE, other) != 1)
    }
  }

  private static func forbidNewOnes() throws(CaptureError) {
    guard clinux_no_new_privileges() == 0 else { throw refused("no new privileges") }
  }

  private static func refused(_ subject: String) -> CaptureError {
    CaptureError(.noPermission, subject, "privileges cannot be let go (\(words(for: errno)))")
  }
}
