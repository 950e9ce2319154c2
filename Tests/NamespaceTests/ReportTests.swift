import FoundationEssentials
import Testing

/// What of the report's JSON these tests look at.
private struct Report: Decodable {
  struct Capture: Decodable {
    var frames: Int
    var source: String
    var vantage: String
    var dropped: Int?
  }
  struct Device: Decodable {
    struct Name: Decodable { var name: String }
    var mac: String
    var ipv4: [String]
    var names: [Name]
    var roles: [String]
  }
  struct Subnet: Decodable {
    struct Gateway: Decodable {
      var ip: String
      var device: String?
    }
    struct Server: Decodable { var ip: String }
    var prefix: String
    var prefixSource: String
    var gateways: [Gateway]
    var dhcpServers: [Server]
  }
  var capture: Capture
  var devices: [Device]
  var subnets: [Subnet]
}

/// The real program on a real bridge, with a real dnsmasq and real clients: nothing is played.
@Suite("A report from a live network", .serialized)
struct ReportTests {
  @Test(
    "finds the router and its clients, the mask that DHCP gave and who gave it", .enabled(if: Lab.obstacle == nil, "\(Lab.obstacle ?? "")"))
  func report() throws {
    let lab = Lab()
    for name in ["switch", "router", "pc", "printer"] { lab.add(name) }
    lab.wire("switch", "p0", "router", "eth0", mac: "02:00:5e:10:00:01")
    lab.wire("switch", "p1", "pc", "eth0", mac: "02:00:5e:10:00:0a")
    lab.wire("switch", "p2", "printer", "eth0", mac: "02:00:5e:10:00:0b")
    lab.inside("switch", "ip", "link", "add", "br0", "type", "bridge", "forward_delay", "0", "mcast_snooping", "0")
    for port in ["p0", "p1", "p2"] { lab.inside("switch", "ip", "link", "set", port, "master", "br0") }
    lab.inside("switch", "ip", "link", "set", "br0", "up")
    lab.inside("router", "ip", "addr", "add", "172.20.4.1/22", "dev", "eth0")
    lab.start(
      "router",
      [
        Lab.find("dnsmasq") ?? "dnsmasq", "-k", "--conf-file=/dev/null", "--no-resolv", "--no-hosts", "--user=root", "--pid-file=",
        "--port=0",
        "--interface=eth0", "--except-interface=lo", "--bind-interfaces", "--dhcp-range=172.20.5.10,172.20.5.99,255.255.252.0,1h",
        "--dhcp-option=3,172.20.4.1", "--dhcp-leasefile=\(lab.folder)/leases", "--dhcp-authoritative", "--no-ping",
      ], output: "dnsmasq")
    let listener = lab.start("switch", [Lab.program, "report", "-i", "br0", "--for", "8s", "--json"], output: "report.json")
    _ = pause(1)
    for (name, words) in [("pc", ["-V", "MSFT 5.0", "-x", "hostname:STUDY-PC"]), ("printer", ["-x", "hostname:laserjet"])] {
      lab.start(
        name, [Lab.find("udhcpc") ?? "udhcpc", "-f", "-i", "eth0", "-s", "/bin/true", "-t", "5", "-T", "1"] + words,
        output: "udhcpc-\(name)")
    }
    let status = lab.wait(listener, seconds: 20)
    #expect(status == 0)
    let text = lab.text("report.json")
    let report = try JSONDecoder().decode(Report.self, from: Data(text.utf8))
    #expect(report.capture.source == "live")
    #expect(report.capture.frames > 4)
    #expect(report.capture.vantage == "bridge")
    #expect(report.capture.dropped == 0)
    let subnet = report.subnets.first { $0.prefix == "172.20.4.0/22" }
    #expect(subnet?.prefixSource == "dhcp", "\(report.subnets)")
    #expect(subnet?.gateways.first?.ip == "172.20.4.1")
    #expect(subnet?.gateways.first?.device == "02:00:5e:10:00:01")
    #expect(subnet?.dhcpServers.map(\.ip) == ["172.20.4.1"])
    let pc = report.devices.first { $0.mac == "02:00:5e:10:00:0a" }
    #expect(pc?.names.map(\.name) == ["STUDY-PC"])
    #expect(pc?.ipv4.first?.hasPrefix("172.20.5.") == true)
    #expect(pc?.roles == ["computer"])
    #expect(report.devices.first { $0.mac == "02:00:5e:10:00:0b" }?.names.map(\.name) == ["laserjet"])
    #expect(report.devices.first { $0.mac == "02:00:5e:10:00:01" }?.roles.contains("dhcp-server") == true)
  }
}
