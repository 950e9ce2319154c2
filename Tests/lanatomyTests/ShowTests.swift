import Glibc
import Publish
import Testing
import Wire

@testable import lanatomy

@Suite("show")
struct ShowTests {
  private func show(_ words: String..., in folder: String) -> Int32 {
    run(["show"] + words + ["--state", folder, "--runtime", folder])
  }

  private func folder(_ body: (String) throws -> Void) rethrows {
    var template = Array("/tmp/lanatomy-show-XXXXXX\0".utf8.map { CChar(bitPattern: $0) })
    mkdtemp(&template)
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer {
      for name in ["report.json", "report.txt"] + ["", "-wal", "-shm"].map({ HistorySettings.fileName + $0 }) { unlink(path + "/" + name) }
      rmdir(path)
    }
    try body(path)
  }

  @Test("without a daemon and its files it is unavailable, not empty")
  func nothing() {
    folder { path in
      #expect(show(in: path) == 69)
      #expect(show("--json", in: path) == 69)
      #expect(show("usage", in: path) == 69)
      #expect(show("--at", "2h", in: path) == 69)
      #expect(show("history", "desk", in: path) == 69)
    }
  }

  @Test("a report that nobody renews is not shown as now")
  func stale() {
    folder { path in
      for name in ["report.json", "report.txt"] { close(open(path + "/" + name, O_CREAT | O_WRONLY, 0o600)) }
      #expect(show(in: path) == 0)
      var times = [timeval(tv_sec: 1_000_000_000, tv_usec: 0), timeval(tv_sec: 1_000_000_000, tv_usec: 0)]
      utimes(path + "/report.json", &times)
      #expect(show(in: path) == 69)
    }
  }

  @Test("what does not fit together is a mistake of the one who typed it")
  func usage() {
    folder { path in
      #expect(show("histry", in: path) == 64)
      #expect(show("history", in: path) == 64)
      #expect(show("usage", "more", in: path) == 64)
      #expect(show("--by", "device", in: path) == 64)
      #expect(show("usage", "--by", "colour", in: path) == 64)
      #expect(show("usage", "--since", "yesterday", in: path) == 64)
    }
  }

  @Test("a history without the device says so; one that is no database is a data error")
  func history() {
    folder { path in
      let history = HistoryPublisher(HistorySettings(path: path + "/" + HistorySettings.fileName))
      history.open(at: Timestamp(seconds: 1_768_032_000, nanoseconds: 0))
      try? history.finish(nil, since: nil)
      #expect(show("history", "desk", in: path) == 66)
      #expect(show("usage", in: path) == 0)
      #expect(show("usage", "--format", "csv", "--by", "medium", "--since", "2d", in: path) == 0)
      let file = open(path + "/" + HistorySettings.fileName, O_WRONLY | O_TRUNC)
      write(file, "this is a letter to a friend", 28)
      close(file)
      #expect(show("usage", in: path) == 65)
    }
  }
}
