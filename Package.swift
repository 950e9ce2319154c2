// swift-tools-version: 6.2
import PackageDescription

/// What every target is built with.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

/// What keeps the daemon small where it runs (P8): relocations in a twentieth of their size, and text laid out so that less of it is resident.
let slim: [LinkerSetting] = [
  .unsafeFlags(
    ["-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs"],
    .when(configuration: .release))
]

let package = Package(
  name: "lanatomy",
  targets: [
    // Libraries of the system, each wrapped in one place of ours.
    .systemLibrary(name: "CPcap", pkgConfig: "libpcap", providers: [.apt(["libpcap-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CMnl", pkgConfig: "libmnl", providers: [.apt(["libmnl-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .systemLibrary(name: "CCapNG", pkgConfig: "libcap-ng", providers: [.apt(["libcap-ng-dev"])]),
    // toml++ (libtomlplusplus-dev), compiled in.
    .target(name: "CTOML"),
    .systemLibrary(name: "CLinux", providers: [.apt(["linux-libc-dev"])]),

    // The rooms, in the order in which data flows.
    .target(name: "Capture", dependencies: ["Wire", "CPcap", "CMnl", "CZlib", "CCapNG", "CLinux"], swiftSettings: strict),
    .target(name: "Wire", swiftSettings: strict + [.strictMemorySafety(), .enableExperimentalFeature("Lifetimes")]),
    .target(name: "Model", dependencies: ["Wire"], swiftSettings: strict + [.strictMemorySafety()]),
    .target(name: "Publish", dependencies: ["Model", "Wire", "CSQLite"], swiftSettings: strict),
    .target(name: "Scenarios", dependencies: ["Wire"], swiftSettings: strict),
    .executableTarget(
      name: "lanatomy", dependencies: ["Capture", "Model", "Publish", "Scenarios", "Wire", "CLinux", "CSystemd", "CTOML"],
      swiftSettings: strict, linkerSettings: slim),

    // Tests, and what only developers run.
    .target(name: "Fixtures", dependencies: ["Model", "Scenarios", "Wire"], path: "Tests/Fixtures", swiftSettings: strict),
    .testTarget(name: "WireTests", dependencies: ["Fixtures", "Scenarios", "Wire"], swiftSettings: strict),
    .testTarget(name: "ModelTests", dependencies: ["Fixtures", "Model", "Scenarios", "Wire"], swiftSettings: strict),
    .testTarget(
      name: "PublishTests", dependencies: ["CSQLite", "Fixtures", "Model", "Publish", "Scenarios", "Wire"], swiftSettings: strict),
    .testTarget(
      name: "lanatomyTests", dependencies: ["lanatomy", "Capture", "Fixtures", "Model", "Publish", "Scenarios", "Wire"],
      swiftSettings: strict),
    .testTarget(name: "NamespaceTests", dependencies: ["lanatomy"], swiftSettings: strict),
    .testTarget(name: "CaptureTests", dependencies: ["Capture", "Wire", "CPcap", "CZlib"], swiftSettings: strict),
    .executableTarget(name: "lanatomy-facts", dependencies: ["Capture", "Wire"], path: "Tests/Facts", swiftSettings: strict),
    // The fuzzer brings its own `main`; without it, `Replay` has one.
    .executableTarget(
      name: "lanatomy-fuzz", dependencies: ["Capture", "Fixtures", "Model", "Publish", "Wire"], path: "Tests/Fuzz", exclude: ["Findings"],
      swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])]),
    // Counts what is allocated in the process that it is linked into.
    .target(name: "CBench", path: "Tests/CBench"),
    .executableTarget(
      name: "lanatomy-bench", dependencies: ["CBench", "CLinux", "CPcap", "Capture", "Fixtures", "Model", "Publish", "Scenarios", "Wire"],
      path: "Tests/Bench",
      swiftSettings: strict),
  ],
  cxxLanguageStandard: .cxx17
)
