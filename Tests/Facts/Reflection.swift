import Wire

extension JSON {
  /// Any value of the vocabulary, by reflection: a claim that is new needs no line here.
  ///
  /// A case with values is an object with the case's name as `is` beside them; one without is its name.
  init(reflecting value: Any) {
    switch value {
    case let number as any BinaryInteger: self = .int(Int(clamping: number))
    case let flag as Bool: self = .bool(flag)
    case let text as String: self = .text(text)
    case let text as WireText: self = JSON(text)
    case let rate as Rate: self = .int(rate.bitsPerSecond)
    case let named as any RawRepresentable<String>: self = .text(named.rawValue)
    default: self = JSON(mirroring: value)
    }
  }

  /// Text from the wire as it may be shown, and its bytes where that form has others.
  init(_ text: WireText) {
    self = text.isAltered ? .object([("text", .text(text.display)), ("hex", .text(text.hex))]) : .text(text.display)
  }

  private init(mirroring value: Any) {
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .optional:
      guard let wrapped = mirror.children.first else {
        self = .null
        return
      }
      self.init(reflecting: wrapped.value)
    case .enum:
      guard let payload = mirror.children.first, let name = payload.label else {
        self = .text(String(describing: value))
        return
      }
      self = .object([("is", .text(name))] + JSON.members(ofPayload: payload.value))
    case .collection: self = .list(mirror.children.map { JSON(reflecting: $0.value) })
    default:
      if let described = value as? any CustomStringConvertible {
        self = .text(described.description)
      } else {
        self = .object(mirror.children.map { ($0.label ?? "", JSON(reflecting: $0.value)) })
      }
    }
  }

  /// The associated values of a case: by their labels, those without by their place.
  private static func members(ofPayload payload: Any) -> [(String, JSON)] {
    let mirror = Mirror(reflecting: payload)
    guard mirror.displayStyle == .tuple else { return [("0", JSON(reflecting: payload))] }
    return mirror.children.enumerated().map { at, child in
      (child.label.map { $0.hasPrefix(".") ? String($0.dropFirst()) : $0 } ?? String(at), JSON(reflecting: child.value))
    }
  }
}
