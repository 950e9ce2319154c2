import Model
import Publish
import Scenarios
import Wire

/// What judging every rule anew and taking a snapshot costs in a network of so many devices, each of which took a lease, told its name and
/// services, loaded two pages and copied a file from its neighbour; and what the text report of it costs.
func snapshotBench(devices: Int, rounds: Int) {
  var pipeline = Pipeline()
  for (place, frame) in film(devices).frames().enumerated() {
    pipeline.process(
      Frame(
        number: place + 1, time: frame.time, interface: 0, link: .ethernet, wireLength: frame.wireLength, bytes: frame.bytes.span.bytes))
  }
  var taken: [Double] = []
  var written: [Double] = []
  var listed = 0
  var bytes = 0
  for _ in 0..<rounds {
    let start = threadTime()
    let snapshot = pipeline.snapshot()
    let middle = threadTime()
    bytes = TextReport(style: TextStyle(version: "")).text(snapshot).utf8.count
    written.append(Double(threadTime() - middle) / 1e6)
    taken.append(Double(middle - start) / 1e6)
    listed = snapshot.hosts.count
  }
  guard listed > devices else { fatalError("only \(listed) of \(devices + 1) devices are listed") }
  let use = pipeline.use
  print(
    "devices \(listed) addresses \(use.addresses) pairs \(use.pairs) frames \(pipeline.counters.frames) snapshot_ms "
      + "\(fixed(taken.quantile(0.5), 2)) text_ms \(fixed(written.quantile(0.5), 2)) text_bytes \(bytes)")
}

private func film(_ devices: Int) -> Scenario {
  let router = Box("router", "02:00:5e:10:00:01", "10.20.0.1", prefixLength: 16)
  let sites = (0..<40).map { Site("www\($0).example.com", "198.51.100.\($0 + 1)") }
  let boxes = (0..<devices).map { n in
    let hex = String(n + 0x1000, radix: 16)
    return Box("device-\(n)", "00:16:3e:00:\(hex.prefix(2)):\(hex.suffix(2))", "10.20.\(n / 200 + 1).\(n % 200 + 2)", prefixLength: 16)
  }
  return Scenario("\(devices) devices", transferLength: 128) {
    for (n, box) in boxes.enumerated() {
      At(Double(n) * 0.5) {
        box.dhcp(from: router)
        box.announces()
        box.mdns([.init("_ipp._tcp", "printer \(n)", port: 631), .init("_ssh._tcp", port: 22)])
        box.web(sites[n % 40], via: router, bytes: 20_000)
        box.web(sites[n * 7 % 40], via: router, bytes: 40_000)
        box.arp(for: boxes[(n + 1) % boxes.count])
        box.copies(10_000, from: boxes[(n + 1) % boxes.count])
      }
    }
  }
}
