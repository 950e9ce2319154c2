import Model

/// All variants interleaved: a round runs each once, in random order, and a ratio is a round's figure by the same round's empty loop.
/// Single times vary by two on a busy machine; the median of such pairs does not.
func fileBench(_ path: String, rounds: Int) {
  var times: [Variant: [Double]] = [:]
  var ratios: [Variant: [Double]] = [:]
  var resident: [Variant: Int] = [:]
  var last: [Variant: Variant.Result] = [:]
  for _ in 0..<max(1, rounds) {
    var round: [Variant: Double] = [:]
    for variant in Variant.allCases.shuffled() {
      let result = variant.run(path)
      let each = Double(result.nanoseconds) / Double(max(1, result.packets))
      times[variant, default: []].append(each)
      round[variant] = each
      resident[variant] = max(resident[variant] ?? 0, status("VmRSS"))
      last[variant] = result
    }
    guard let empty = round[.emptyLoop], empty > 0 else { continue }
    for (variant, each) in round { ratios[variant, default: []].append(each / empty) }
  }
  print("name           packets  ns_min  ns_median  ratio_median  ratio_low  ratio_high  resident_kib")
  for variant in Variant.allCases {
    let each = times[variant] ?? []
    let ratio = ratios[variant] ?? []
    print(
      padded(variant.rawValue, 13, left: true), padded("\(last[variant]?.packets ?? 0)", 8), padded(fixed(each.min() ?? 0, 1), 7),
      padded(fixed(each.quantile(0.5), 1), 10), padded(fixed(ratio.quantile(0.5), 2), 13), padded(fixed(ratio.quantile(0.25), 2), 10),
      padded(fixed(ratio.quantile(0.75), 2), 11), padded("\(resident[variant] ?? 0)", 13))
  }
  // A faster run that counted less is no faster.
  for variant in [Variant.full, .fullLibpcap] {
    guard let result = last[variant], let use = result.use else { continue }
    print(
      "\(variant.rawValue) counted packets \(result.packets) bytes \(result.bytes) stations \(use.stations) addresses \(use.addresses)",
      "pairs \(use.pairs) evictions \(use.evictions)")
  }
}

/// The peak of the process itself: a child's `ru_maxrss` would start from its parent's size.
func memoryBench(_ path: String) {
  let result = Variant.full.run(path)
  guard let use = result.use else { return }
  print(
    "packets \(result.packets) ns \(fixed(Double(result.nanoseconds) / Double(max(1, result.packets)), 0)) peak_kib \(status("VmHWM"))",
    "stations \(use.stations) addresses \(use.addresses) pairs \(use.pairs) evictions \(use.evictions)")
}
