/// Names that have broken somebody's output before, and those that could break ours: what T19 of the tests asks for.
///
/// As bytes, because half of them are no text.
package enum HostileNames {
  package static let all: [[UInt8]] = {
    var out: [[UInt8]] = []
    // Every ASCII control and punctuation character: alone, in the middle, at both ends.
    for byte in UInt8(0)...0x7f where !isPlain(byte) {
      let word = Array("box".utf8)
      out += [[byte], word + [byte] + word, [byte] + word, word + [byte], [byte] + word + [byte]]
    }
    // A mark behind it makes one character of both: string functions that look for the first then miss it.
    for mark in ["\u{301}", "\u{338}", "\u{200d}"] {
      for byte in "\"<>&{}\\|,;'`".utf8 { out.append(Array("a".utf8) + [byte] + Array((mark + "b").utf8)) }
    }
    out += brokenUTF8
    // What nobody sees, and what turns the reading direction round.
    let unseen: [UInt32] = [
      0x80, 0x85, 0x9b, 0x9f, 0xa0, 0xad, 0x115f, 0x1160, 0x180e, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202b,
      0x202c,
      0x202d, 0x202e, 0x2060, 0x2061, 0x2062, 0x2063, 0x2064, 0x2066, 0x2067, 0x2068, 0x2069, 0x206a, 0x206f, 0x3164, 0xfe00, 0xfe0f,
      0xfeff,
      0xffa0, 0xfff9, 0xfffb, 0xe000, 0xe0001, 0xe0041, 0xe007f, 0xe0100, 0xf0000, 0x10ffff, 0x378, 0x2fe0,
    ]
    for value in unseen {
      guard let scalar = Unicode.Scalar(value) else { continue }
      out.append(Array(("pay" + String(Character(scalar)) + "pal").utf8))
      out.append(Array(String(Character(scalar)).utf8))
    }
    out.append(Array(("e" + String(repeating: "\u{301}", count: 100)).utf8))
    out += [63, 64, 200, 250].map { Array(String(repeating: "W", count: $0).utf8) }
    out += [63, 120].map { Array(String(repeating: "漢", count: $0 / 3).utf8) }
    // UTF-16 read as bytes, once with an odd length.
    out += [[0x62, 0, 0x6f, 0, 0x78, 0], [0x62, 0, 0x6f, 0, 0x78], [0xff, 0xfe, 0x62, 0]]
    out += texts.map { Array($0.utf8) }
    return out
  }()

  /// Names that are strange and yet somebody's own: they must still show as they are.
  package static let honest = [
    "Björns Küche", "Água-Fria", "Ελένης υπολογιστής", "Кухня Анны", "מחשב של דנה", "حاسوب ليلى", "रसोई का टीवी", "リビングのテレビ", "客厅的电脑", "거실 TV",
    "phòng khách", "Łukasz-PC", "🦊-laptop", "O'Brien's Mac",
  ]

  private static func isPlain(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
  }

  private static let brokenUTF8: [[UInt8]] = [
    [0x80], [0xbf], [0xc0, 0x80], [0xc1, 0xbf], [0xc3], [0xc3, 0x28], [0xe2, 0x82], [0xe2, 0x28, 0xa1], [0xe0, 0x80, 0xbc],
    [0xed, 0xa0, 0x80],
    [0xed, 0xbf, 0xbf], [0xed, 0xa0, 0x80, 0xed, 0xb0, 0x80], [0xf0, 0x28, 0x8c, 0xbc], [0xf0, 0x80, 0x80, 0xbc], [0xf4, 0x90, 0x80, 0x80],
    [0xf5, 0x80, 0x80, 0x80], [0xf8, 0x88, 0x80, 0x80, 0x80], [0xfc, 0x84, 0x80, 0x80, 0x80, 0x80], [0xfe], [0xff],
    [0x61, 0xff, 0x3c, 0x62],
    [0xc0, 0xbc, 0x73, 0x3e], [0x3c, 0xc3, 0x3e], [0x22, 0xe2, 0x82, 0x22], [0xc2], [0xc2, 0x22], [0xe2, 0x80, 0x22, 0x3e],
  ]

  private static let texts = [
    // Terminals: title, clipboard, colour, cursor, hyperlink.
    "\u{1b}]0;pwned\u{7}", "\u{1b}]52;c;aGFsbG8=\u{7}", "\u{1b}[31mred\u{1b}[0m", "\u{1b}[2J\u{1b}[H",
    "\u{1b}]8;;http://x.example\u{7}click\u{1b}]8;;\u{7}",
    "\u{9b}31m", "\u{1b}P$q\u{1b}\\", "\u{8}\u{8}\u{8}root", "\r overwritten", "box\r\nINFO all is well",
    // Pages and pictures.
    "<script>alert(1)</script>", "</script><script>x</script>", "<img src=x onerror=alert(1)>", "\" onload=\"alert(1)",
    "' onload='alert(1)",
    "`onload=alert(1)`", "</text></svg><svg onload=x>", "</title><script>x</script>", "]]>", "<![CDATA[x]]>", "<!--", "-->", "<!DOCTYPE x>",
    "<!ENTITY x SYSTEM \"file:///etc/passwd\">", "<?xml version=\"1.0\"?>", "&lt;b&gt;", "&amp;", "&#60;b&#62;", "&#x0;", "&nbsp;",
    "&bogus;", "& <",
    "javascript:alert(1)", "data:text/html,x", "{{7*7}}", "${7*7}", "#{7*7}", "<%= 7 %>", "{% if %}", "<style>*{display:none}</style>",
    "</style><script>x</script>", "url(javascript:x)", "expression(x)", "<a href=\"//x\">y</a>", "<b\u{338}", "&lt\u{301};",
    // Tables.
    "=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "a,b;c\td", "\"quoted\"", "\"\"", "a\"\"b",
    // Graphs and markup.
    "\"]; evil -> worse; x [label=\"", "a\\", "\\\"", "\\N\\G\\L", "<<b>html</b>>", "x\"->\"y", "// comment", "/* comment */", "# title",
    "subgraph cluster_0 {", "}", "};", "\\n\\l\\r", "a\\\\\"b", "[link](javascript:x)", "**bold**", "| cell |", "```", "graph TD; A-->B",
    "---", "- item",
    "> quote", "![x](y)",
    // Logs.
    "level=error msg=\"forged\"", "x\" user=root msg=\"y", "2026-01-10T08:00:00Z kernel: panic", "name=\"a\" name=\"b\"", "%00", "%0d%0a",
    // Databases and formats.
    "'; DROP TABLE device; --", "1 OR 1=1", "\" OR \"\"=\"", "%s%s%s%n", "%@", "{0}", "$(reboot)", "`reboot`", "; reboot", "| reboot",
    "&& reboot", "$IFS",
    // Paths.
    "../../etc/passwd", "/etc/passwd", "..", ".", "~", "C:\\con", "nul", "a/b", "-rf", "--help", "*", "?",
    // Look-alikes and words that programs read as something else.
    "аpple", "раypal", "Ⓐⓟⓟⓛⓔ", "ｐａｙｐａｌ", "ﬁlter", "İstanbul", "ß", "NULL", "null", "undefined", "NaN", "true", "0", "-1", "1e999",
    "0x1f", "None", " ", "  leading", "trailing  ", "a  b", "\u{3000}wide\u{3000}", "192.168.0.1", "00:11:22:33:44:55", "router",
    "internet",
    "…", "·", "├─ fake", "└─ fake", "(in brackets)", "\u{2424}", "\u{fffd}",
  ]
}
