import Model
import Wire

/// What all documents write alike: text from the wire, and the records of a claim.
extension JSONWriter {
  /// Text from the wire, and its exact bytes beside it where they could not be shown.
  mutating func wire(_ key: String, _ text: WireText?) {
    guard let text, !text.isEmpty else { return }
    string(key, text.display)
    if text.isAltered { string(key == "name" || key == "value" ? "raw" : key + "Raw", text.hex) }
  }

  /// - Parameter explains: whether each record says in words what it proves.
  mutating func evidence(_ reasons: [Reason], as key: String = "evidence", explains: Bool = false) {
    array(key) { json in
      for reason in reasons {
        json.object { json in
          json.string("protocol", reason.basis)
          json.string("field", reason.field)
          json.wire("value", reason.value)
          json.int("frame", reason.frame)
          json.string("time", reason.time.map(Clock.utc))
          json.int("weight", reason.weight)
          json.string("kind", reason.kind.rawValue)
          if explains, !reason.why.isEmpty { json.string("why", reason.why) }
        }
      }
    }
  }
}
