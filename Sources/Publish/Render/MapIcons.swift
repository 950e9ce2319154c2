import Wire

/// Small pictures of what a device is, drawn as lines on a grid of 24 by 24.
enum MapIcons {
  /// The name of the symbol for a device: what it mostly is.
  static func name(_ roles: [Role]) -> String {
    let order: [Role] = [
      .router, .gateway, .powerlineAdapter, .setTopBox, .console, .printer, .phone, .tv, .speaker, .camera, .storage, .iot,
      .virtualMachine, .accessPoint, .switch, .modem, .computer,
    ]
    let role = order.first { roles.contains($0) } ?? .host
    return role == .gateway ? "router" : role.rawValue
  }

  static func name(_ medium: Medium?) -> String {
    switch medium {
    case .ethernet: "cable"
    case .wifi: "radio"
    case .powerline: "bolt"
    case .moca, .coax: "coax"
    case .virtual: "virtual-machine"
    case nil: "unknown"
    }
  }

  static let paths: [String: String] = [
    "internet": "M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18zM3 12h18M12 3c4 3.5 4 14.5 0 18M12 3c-4 3.5-4 14.5 0 18",
    "operator":
      "M12 10L8 21M12 10l4 11M9.5 17h5M12 6.5a1.5 1.5 0 1 0 0 3a1.5 1.5 0 1 0 0-3zM8.5 11.5a5 5 0 0 1 0-7"
      + "M15.5 4.5a5 5 0 0 1 0 7M6 14a8.5 8.5 0 0 1 0-12M18 2a8.5 8.5 0 0 1 0 12",
    "router":
      "M5 13h14a2 2 0 0 1 2 2v3a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-3a2 2 0 0 1 2-2zM7 13V5M17 13V5M7 16.5h.01"
      + "M10.5 16.5h.01M14.5 16.5h3",
    "switch":
      "M3.5 8h17A1.5 1.5 0 0 1 22 9.5v6a1.5 1.5 0 0 1-1.5 1.5h-17A1.5 1.5 0 0 1 2 15.5v-6A1.5 1.5 0 0 1 3.5 8z"
      + "M5.5 14v-2.5H8V14M10.8 14v-2.5h2.4V14M16 14v-2.5h2.5V14",
    "access-point":
      "M12 21v-8M12 9.5a1.5 1.5 0 1 0 0 3a1.5 1.5 0 1 0 0-3zM8.5 14.5a5 5 0 0 1 0-7M15.5 7.5a5 5 0 0 1 0 7"
      + "M5.8 17a8.5 8.5 0 0 1 0-12M18.2 5a8.5 8.5 0 0 1 0 12M8.5 21h7",
    "powerline-adapter":
      "M8 8.5h8a2 2 0 0 1 2 2V19a2 2 0 0 1-2 2H8a2 2 0 0 1-2-2v-8.5a2 2 0 0 1 2-2zM9.5 8.5V3.5"
      + "M14.5 8.5V3.5M12.8 11l-2.6 3.6h3.6L11.2 18.2",
    "set-top-box":
      "M3.5 12h17a1.5 1.5 0 0 1 1.5 1.5v4a1.5 1.5 0 0 1-1.5 1.5h-17A1.5 1.5 0 0 1 2 17.5v-4A1.5 1.5 0 0 1 3.5 12z"
      + "M5.5 15.5h5M17.8 15.5h.01M14.8 15.5h.01M10 3.5v5.4L14.6 6.2z",
    "modem":
      "M5 13h14a2 2 0 0 1 2 2v3a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-3a2 2 0 0 1 2-2zM7 16.5h.01M10.5 16.5h.01"
      + "M14 16.5h.01M4 8c1.3-3.5 2.7-3.5 4 0s2.7 3.5 4 0 2.7-3.5 4 0 2.7 3.5 4 0",
    "console":
      "M7 7.5h10a5 5 0 0 1 5 5.3c0 3-1 4.7-2.6 4.7-1.9 0-2.5-2.5-4.1-2.5H8.7c-1.6 0-2.2 2.5-4.1 2.5C3 17.5 2 15.8 2 12.8a5 5 0 0 1 5-5.3z"
      + "M7.7 9.6v3.8M5.8 11.5h3.8M15.2 10.6h.01M17.6 12.4h.01",
    "printer":
      "M7 9V3.5h10V9"
      + "M7 17H4.5A1.5 1.5 0 0 1 3 15.5v-5A1.5 1.5 0 0 1 4.5 9h15a1.5 1.5 0 0 1 1.5 1.5v5a1.5 1.5 0 0 1-1.5 1.5H17"
      + "M7 14h10v6.5H7zM17.5 11.7h.01",
    "phone": "M9 2.5h6a2 2 0 0 1 2 2v15a2 2 0 0 1-2 2H9a2 2 0 0 1-2-2v-15a2 2 0 0 1 2-2zM10.8 18.6h2.4",
    "computer":
      "M4.5 4h15A1.5 1.5 0 0 1 21 5.5v9a1.5 1.5 0 0 1-1.5 1.5h-15A1.5 1.5 0 0 1 3 14.5v-9A1.5 1.5 0 0 1 4.5 4z"
      + "M8.5 20h7M12 16v4",
    "tv":
      "M3.5 4.5h17A1.5 1.5 0 0 1 22 6v10.5a1.5 1.5 0 0 1-1.5 1.5h-17A1.5 1.5 0 0 1 2 16.5V6a1.5 1.5 0 0 1 1.5-1.5z"
      + "M7 21h10",
    "speaker":
      "M8 2.5h8a2 2 0 0 1 2 2v15a2 2 0 0 1-2 2H8a2 2 0 0 1-2-2v-15a2 2 0 0 1 2-2z"
      + "M12 11a3.5 3.5 0 1 0 0 7a3.5 3.5 0 1 0 0-7zM12 6.7h.01",
    "camera": "M4 7h9a2 2 0 0 1 2 2v6a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2V9a2 2 0 0 1 2-2zM15 11l6.5-3.2v8.4L15 13",
    "storage":
      "M6 3h12a2 2 0 0 1 2 2v14a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2zM4 9h16M4 15h16M16.5 6h.01M16.5 12h.01"
      + "M16.5 18h.01",
    "iot":
      "M9.5 18.5h5M10.5 21.5h3"
      + "M12 2.5a6 6 0 0 0-3.7 10.7c.9.7 1.2 1.4 1.2 2.5h5c0-1.1.3-1.8 1.2-2.5A6 6 0 0 0 12 2.5z",
    "virtual-machine":
      "M5 3h9a2 2 0 0 1 2 2v3h3a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2h-9a2 2 0 0 1-2-2v-3H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2z"
      + "M8 16v-6a2 2 0 0 1 2-2h6",
    "host": "M6 5.5h12a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2v-9a2 2 0 0 1 2-2zM12 10a2 2 0 1 0 0 4a2 2 0 1 0 0-4z",
    "cable": "M4.5 4h15v10.5h-15zM8.5 14.5V19h7v-4.5M8.5 7.5v3M12 7.5v3M15.5 7.5v3",
    "radio": "M3.5 10.2a12.5 12.5 0 0 1 17 0M7 14a7.6 7.6 0 0 1 10 0M12 18.5h.01",
    "bolt": "M13.5 2.5L5.5 13.5h5.5l-1 8 8.5-11.5h-6z",
    "coax": "M12 4a8 8 0 1 0 0 16a8 8 0 1 0 0-16zM12 10a2 2 0 1 0 0 4a2 2 0 1 0 0-4z",
    "unknown":
      "M9 9.2a3 3 0 1 1 4.6 2.5c-1.1.7-1.6 1.3-1.6 2.8M12 18h.01"
      + "M12 2.8a9.2 9.2 0 1 0 0 18.4a9.2 9.2 0 1 0 0-18.4z",
  ]
}
