import Testing

@testable import Publish

@Suite("JSON text")
struct JSONWriterTests {
  @Test("escapes what a string may not hold, and what a page that holds the document may not")
  func escapes() {
    var json = JSONWriter()
    json.object { $0.string("k", "a\"b\\c\n</script>&\u{2028}\u{7f}ä") }
    #expect(json.text == "{\n  \"k\": \"a\\\"b\\\\c\\n\\u003c/script\\u003e\\u0026\\u2028\\u007fä\"\n}")
  }

  @Test("leaves out what is not known")
  func unknown() {
    var json = JSONWriter()
    json.object {
      $0.string("name", nil)
      $0.int("vlan", nil)
      $0.array("devices") { _ in }
    }
    #expect(json.text == "{\n  \"devices\": []\n}")
  }
}
