import Glibc

/// Measures the budgets (`scripts/bench` runs all of it and puts them in a table):
///
///     lanatomy-bench file CAPTURE [ROUNDS]     our readers and pipeline against an empty libpcap loop, interleaved
///     lanatomy-bench memory CAPTURE            resident memory and time of one run, with rows and evictions
///     lanatomy-bench discovery [CAPTURE]       what a message costs that says nothing new
///     lanatomy-bench worst                     what the worst frame of each dissector costs
///     lanatomy-bench allocations CAPTURE       calls of the allocator for each frame after a warm-up
///     lanatomy-bench snapshot DEVICES          judging, a snapshot and its text report in a network of so many devices
///     lanatomy-bench once VARIANT CAPTURE      one pass of one variant, for an instruction counter
///     lanatomy-bench start PROGRAM CAPTURE     start of the program to the end of its report on a capture
///     lanatomy-bench send IFACE CAPTURE RATE SECONDS         the frames of a capture at a pace, for scripts/bench-live
///     lanatomy-bench listen IFACE SECONDS      an empty libpcap loop on an interface, for scripts/bench-live
///     lanatomy-bench bulk CAPTURE OUT          the frames of a capture that no dissector sees
///     lanatomy-bench capture lan|flood FRAMES SNAPLEN OUT    a capture of our own making
@main
struct Main {
  static func main() { exit(command(Array(CommandLine.arguments.dropFirst()))) }
}

/// The entry point's own closures would belong to the main actor and check that at each frame; those of an ordinary function do not.
private func command(_ arguments: [String]) -> Int32 {
  func argument(_ at: Int) -> String { arguments.count > at ? arguments[at] : "" }
  switch (argument(0), arguments.count) {
  case ("file", 2...3): fileBench(argument(1), rounds: Int(argument(2)) ?? 9)
  case ("memory", 2): memoryBench(argument(1))
  case ("discovery", 1...2): discoveryBench(arguments.count > 1 ? argument(1) : nil)
  case ("worst", 1): worstBench()
  case ("allocations", 2): allocationBench(argument(1))
  case ("snapshot", 2):
    guard let devices = Int(argument(1)), 2...20_000 ~= devices else { return usage() }
    snapshotBench(devices: devices, rounds: 11)
  case ("once", 3):
    guard let variant = Variant(rawValue: argument(1)) else { return usage() }
    _ = variant.run(argument(2))
  case ("start", 3): startBench(program: argument(1), capture: argument(2))
  case ("send", 5):
    guard let rate = Int(argument(3)), let seconds = Int(argument(4)) else { return usage() }
    sendBench(argument(1), argument(2), rate: rate, seconds: seconds)
  case ("listen", 3): listenBench(argument(1), seconds: Int(argument(2)) ?? 3)
  case ("bulk", 3): writeBulk(from: argument(1), to: argument(2))
  case ("capture", 5):
    guard let frames = Int(argument(2)), let snapLength = Int(argument(3)) else { return usage() }
    writeCapture(argument(1), frames: frames, snapLength: snapLength, to: argument(4))
  default: return usage()
  }
  return 0
}

private func usage() -> Int32 {
  print("lanatomy-bench file|memory|discovery|worst|allocations|snapshot|once|start|send|listen|bulk|capture …; see Tests/Bench/Main.swift")
  return 64
}
