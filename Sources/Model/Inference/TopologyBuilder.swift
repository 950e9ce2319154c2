import Wire

/// Verdicts become a tree without contradictions: every device hangs on one box, and nothing hangs on itself by a detour.
enum TopologyBuilder {
  /// - Parameter gateways: the roots: a gateway hangs on nothing of the home.
  static func tree(_ attached: [MACAddress: Verdict<MACAddress>], gateways: Set<MACAddress>) -> [MACAddress: Verdict<MACAddress>] {
    var out: [MACAddress: Verdict<MACAddress>] = [:]
    // The surest first; what would close a circle is left out.
    let order = attached.sorted { ($1.value.confidence, $0.key) < ($0.value.confidence, $1.key) }
    for (mac, verdict) in order where !gateways.contains(mac) && verdict.answer != mac {
      var at: MACAddress? = verdict.answer
      var steps = 0
      var isCircle = false
      while let box = at, steps < 64 {
        if box == mac { isCircle = true }
        at = out[box]?.answer
        steps += 1
      }
      if !isCircle, steps < 64 { out[mac] = verdict }
    }
    return out
  }
}
