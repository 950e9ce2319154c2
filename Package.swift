// swift-tools-version: 6.2
import PackageDescription

/// What every target is built with; `Docs/decisions` says why where it is not obvious.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "lanatomy",
  targets: [
    .target(
      name: "Wire",
      swiftSettings: strict + [.strictMemorySafety(), .enableExperimentalFeature("Lifetimes")]),
    .target(name: "Model", dependencies: ["Wire"], swiftSettings: strict + [.strictMemorySafety()]),
    .target(name: "Publish", dependencies: ["Model", "Wire"], swiftSettings: strict),
    .target(name: "Fixtures", dependencies: ["Wire"], path: "Tests/Fixtures", swiftSettings: strict),
    .testTarget(name: "WireTests", dependencies: ["Fixtures", "Wire"], swiftSettings: strict),
  ]
)
