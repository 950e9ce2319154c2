import Fixtures
import Model
import Scenarios
import Testing
import Wire

@testable import Publish

/// Houses of any size: a router, two adapters, and devices on cable, radio and powerline.
enum BigHouse {
  static func scenario(_ count: Int, without missing: Set<Int> = []) -> Scenario {
    let router = Box("gateway", "00:1d:d1:5a:20:10", "10.20.0.1", prefixLength: 22, ssid: "house", bssid: "00:1d:d1:5a:20:12")
    let adapters = (0..<2).map { Box("", "f4:06:8d:21:40:0\($0)", link: .powerline) }
    let words = ["laptop", "phone", "kitchen-speaker", "tv", "printer", "camera-at-the-front-door", "desk", "bulb"]
    // Who hangs on which adapter goes by a device's own number, so that one that is missing changes nothing for the others.
    let numbers = (0..<count).filter { !missing.contains($0) }
    let devices = numbers.map { at -> Box in
      let mac = "3c:a6:f6:00:\(hex(at / 256)):\(hex(at % 256))"
      let ip = "10.20.\((at + 10) / 250).\((at + 10) % 250 + 1)"
      let name = "\(words[at % words.count])-\(at)"
      return switch at % 5 {
      case 0, 1: Box(name, mac, ip, prefixLength: 22, link: .wifi, behind: router)
      case 2: Box(name, mac, ip, prefixLength: 22, behind: adapters[at % 2])
      default: Box(name, mac, ip, prefixLength: 22)
      }
    }
    let pc = Box("study-pc", "60:a4:4c:31:07:9a", "10.20.3.200", prefixLength: 22)
    let onAir = devices.filter(\.isWireless)
    return Scenario("house of \(count)") {
      At(0) { pc.dhcp(from: router) }
      for device in devices { At(1) { device.dhcp(from: router) } }
      At(400) { pc.maps(onAir.map { ($0, Box.onAir(router)) }) }
      At(410) {
        pc.readsPowerline(
          adapters.enumerated().map { at, adapter in (adapter, zip(numbers, devices).filter { $0.0 % 5 == 2 && $0.0 % 2 == at }.map(\.1)) })
      }
    }
  }

  private static func hex(_ n: Int) -> String { (n < 16 ? "0" : "") + String(n, radix: 16) }
}

@Suite("The layout of the map")
struct MapLayoutTests {
  private func layout(_ snapshot: Snapshot) -> MapLayout { MapLayout(MapTree(snapshot), top: 128, leastWidth: 760) }

  @Test("draws every device once, in homes of every size", arguments: [0, 1, 7, 40, 120, 300])
  func complete(count: Int) {
    let snapshot = BigHouse.scenario(count).snapshot()
    let cards = layout(snapshot).cards.filter { $0.style != .guest }
    #expect(cards.map(\.host.id).sorted() == snapshot.hosts.map(\.id))
  }

  @Test("lets nothing overlap and nothing leave the page", arguments: [1, 7, 40, 120, 300])
  func apart(count: Int) {
    let map = layout(BigHouse.scenario(count).snapshot())
    var boxes = map.cards.map(\.rect)
    boxes += map.captions.map { MapLayout.Rect(x: $0.x, y: $0.y, width: $0.width, height: MapLayout.captionHeight) }
    for (at, box) in boxes.enumerated() {
      #expect(box.x >= 0 && box.right <= map.width && box.y >= 0 && box.bottom <= map.height)
      for other in boxes.dropFirst(at + 1) {
        let isApart = box.right <= other.x || other.right <= box.x || box.bottom <= other.y || other.bottom <= box.y
        #expect(isApart)
      }
    }
    for (at, zone) in map.zones.enumerated() {
      for other in map.zones.dropFirst(at + 1) {
        #expect(zone.rect.right < other.rect.x || zone.rect.bottom < other.rect.y || other.rect.right < zone.rect.x)
      }
    }
    for group in map.groups { #expect(map.zones.contains { $0.rect.x < group.rect.x && group.rect.right < $0.rect.right }) }
  }

  @Test("keeps its shape with hundreds of devices: no strip, no tower", arguments: [40, 120, 300])
  func shape(count: Int) {
    let map = layout(BigHouse.scenario(count).snapshot())
    let ratio = Double(map.width) / Double(map.height)
    #expect(ratio > 0.7 && ratio < 2.6, "\(map.width) × \(map.height)")
  }

  @Test("is the same for the same network")
  func same() {
    let snapshot = BigHouse.scenario(40).snapshot()
    #expect(SVGMap(version: "1").text(snapshot) == SVGMap(version: "1").text(snapshot))
    #expect(layout(snapshot).cards.map(\.rect) == layout(BigHouse.scenario(40).snapshot()).cards.map(\.rect))
  }

  @Test("leaves everybody where he was when a device comes or goes that stands last, and the other groups when one does in the middle")
  func stable() {
    let before = places(BigHouse.scenario(41))
    let last = places(BigHouse.scenario(41, without: [40]))
    #expect(last.allSatisfy { before[$0.key] == $0.value })
    let middle = places(BigHouse.scenario(41, without: [20]))
    let moved = middle.filter { before[$0.key] != $0.value }.keys
    // Only those that stand behind it in its own group, and nobody else.
    let snapshot = BigHouse.scenario(41, without: [20]).snapshot()
    let behind = snapshot.hosts.filter { $0.medium?.answer == .wifi && $0.id > mac("3c:a6:f6:00:00:14") }.map(\.id)
    #expect(!moved.isEmpty && Set(moved).isSubset(of: behind), "\(moved.count) moved")
  }

  private func places(_ scenario: Scenario) -> [MACAddress: MapLayout.Rect] {
    let cards = layout(scenario.snapshot()).cards.filter { $0.style != .guest }
    return Dictionary(cards.map { ($0.host.id, $0.rect) }, uniquingKeysWith: { a, _ in a })
  }

  @Test("cuts text to its room by widths that no usual font exceeds")
  func text() {
    #expect(MapText.fit("short", 60, .name) == "short")
    let long = MapText.fit("a name that never ends, whoever gave it to his box", 120, .name)
    #expect(long.hasSuffix("…") && MapText.width(long, .name) <= 120)
    #expect(MapText.width("居間のテレビ", .name) >= 72)
    #expect(MapText.join(["router", "NAT", "access point"], 70, .small) == "router · NAT")
  }
}
