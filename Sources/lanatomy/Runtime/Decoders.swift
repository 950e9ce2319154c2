import Wire

/// The decoders that the daemon runs. A trial build has one more, which ends the process on a magic frame (UDP port 22222): so it can be
/// shown that a bug in a decoder costs a restart or two, and then that decoder alone (`scripts/trial-decoder-crash`).
enum Decoders {
  #if TRAPPING_DECODER
    static let all =
      Dissector.all + [
        Dissector("trial", standard: "none", keys: [.udp(Port(22222))]) { (_, _, _) throws(WireFault) in preconditionFailure("as asked") }
      ]
  #else
    static let all = Dissector.all
  #endif
}
