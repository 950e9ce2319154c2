import Fixtures
import Glibc
import Testing
import Wire

@testable import lanatomy

@Suite("The breadcrumb")
struct BreadcrumbTests {
  private func write(_ crumb: Breadcrumb, _ place: Int, _ bytes: [UInt8]) {
    crumb.write(
      place,
      Frame(number: 7, time: Timestamp(nanoseconds: 1), interface: 0, link: .ethernet, wireLength: 1500, bytes: bytes.span.bytes))
  }

  @Test("names the decoder and keeps the frame of a run that did not come back")
  func crash() throws {
    let folder = try ScratchFolder()
    let crumb = try #require(Breadcrumb(folder: folder.path, names: ["arp", "mdns"]))
    write(crumb, 1, [1, 2, 3])
    #expect(
      Breadcrumb.read(folder: folder.path) == Breadcrumb.Crash(decoder: "mdns", link: .ethernet, wireLength: 1500, frame: [1, 2, 3]))
    crumb.strike()
    #expect(Breadcrumb.read(folder: folder.path) == nil)
  }

  @Test("of a frame that is too long it keeps the start, and of a file that is not its own it believes nothing")
  func odd() throws {
    let folder = try ScratchFolder()
    #expect(Breadcrumb.read(folder: folder.path) == nil)
    do {
      let crumb = try #require(Breadcrumb(folder: folder.path, names: ["arp"]))
      write(crumb, 0, [UInt8](repeating: 9, count: 20_000))
      #expect(Breadcrumb.read(folder: folder.path)?.frame.count == 9216)
      write(crumb, 5, [1])
    }
    folder.write("decoding", String(repeating: "x", count: 9280))
    #expect(Breadcrumb.read(folder: folder.path) == nil)
    folder.write("decoding", "short")
    #expect(Breadcrumb.read(folder: folder.path) == nil)
    // Somebody's link is not followed.
    folder.write("victim", "untouched")
    unlink(folder.path + "/decoding")
    symlink(folder.path + "/victim", folder.path + "/decoding")
    #expect(Breadcrumb(folder: folder.path, names: ["arp"]) == nil)
    #expect(folder.text("victim") == "untouched")
  }

  @Test("a decoder is left out after its second crash within an hour, until the next version")
  func record() {
    var record = DecoderRecord(text: "")
    record.add("mdns", version: "1.0", second: 1000)
    #expect(record.setAside(version: "1.0").isEmpty)
    record.add("ssdp", version: "1.0", second: 1100)
    record.add("mdns", version: "1.0", second: 5000)
    #expect(record.setAside(version: "1.0").isEmpty)
    record.add("mdns", version: "1.0", second: 8600)
    #expect(record.setAside(version: "1.0") == ["mdns"])
    #expect(DecoderRecord(text: record.text) == record)
    #expect(record.setAside(version: "1.1").isEmpty)
    record.add("ssdp", version: "1.1", second: 9000)
    #expect(record.entries.count == 1)
    #expect(DecoderRecord(text: "nonsense\n1 2\n\u{0} x y\n").entries.isEmpty)
  }
}
