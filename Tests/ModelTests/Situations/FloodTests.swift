import Fixtures
import Model
import Scenarios
import Testing
import Wire

@Suite("Invented subnets")
struct FloodTests {
  @Test("are bounded and counted, and the home's own stays")
  func leases() {
    let router = Box("gateway", "3c:37:86:20:00:40", "192.168.0.1")
    let pc = Box("study", "60:a4:4c:20:00:0a", "192.168.0.12", vendorClass: "MSFT 5.0")
    let nas = Box("archive", "bc:5f:f4:20:00:0b", "192.168.0.10")
    let forger = Box("", "02:00:5e:20:00:99", "192.168.0.99")
    let seen = look(
      Scenario("leases of nobody", seen: .mirror) {
        pc.dhcp(from: router)
        pc.announces()
        nas.dhcp(from: router)
        nas.announces()
        for n in 0..<200 {
          At(10 + Double(n)) {
            Box("", "02:00:5e:21:00:\(n < 16 ? "0" : "")\(String(n, radix: 16))", "10.\(n).7.9")
              .dhcp(from: forger, Box.Scope(gateway: "10.\(n).7.1", server: "10.\(n).7.1"))
          }
        }
      })
    #expect(seen.subnets.count == 64)
    #expect(seen.health.subnetsUnlisted == 137)
    #expect(seen.subnet("192.168.0.0/24")?.hosts.count ?? 0 >= 2)
  }
}
