import Model
import Publish
import Testing
import Wire

@Suite("The board between capture and publishers")
struct BoardTests {
  private func snapshot(_ elapsed: Int64) -> Snapshot {
    var out = Snapshot()
    out.elapsed = elapsed
    return out
  }

  @Test("hands out the newest snapshot once, and says with the last one that it is the last")
  func newest() {
    let board = SnapshotBoard()
    #expect(board.take() == (nil, false))
    board.post(snapshot(1))
    board.post(snapshot(2))
    #expect(board.take() == (snapshot(2), false))
    #expect(board.take() == (nil, false))
    board.post(snapshot(3), isLast: true)
    #expect(board.take() == (snapshot(3), true))
    #expect(board.take() == (nil, true))
  }

  @Test("what a publisher remembers tells the next snapshot from the last as the snapshot itself would")
  func digest() {
    var home = snapshot(1)
    var host = Host(id: MACAddress(bits: 0x0011_3200_0001))
    host.ipv4 = [IPv4Address(0xc0a8_0005)]
    home.hosts = [host]
    let before = Digest(home)
    #expect(Changes(from: before, to: home).isEmpty && before.look == Digest.look(of: home))
    // Traffic alone is no news; a name is none for the log, and is one for the map.
    home.hosts[0].traffic.sentBytes = 100
    #expect(before.look == Digest.look(of: home))
    home.hosts[0].names = [HostName(text: WireText("anna"), source: "dhcp", frame: 1)]
    #expect(Changes(from: before, to: home).isEmpty && before.look != Digest.look(of: home))
    // The addresses of one device are not its neighbour's.
    var other = Host(id: MACAddress(bits: 0x0011_3200_0002))
    other.ipv4 = [IPv4Address(0xc0a8_0006), IPv4Address(0xc0a8_0007)]
    home.hosts.insert(other, at: 0)
    let both = Digest(home)
    home.hosts[1].ipv4 = [IPv4Address(0xc0a8_0009)]
    #expect(Changes(from: both, to: home).all == [.addressChanged(home.hosts[1], from: [IPv4Address(0xc0a8_0005)])])
  }
}
