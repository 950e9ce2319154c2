import Fixtures
import FoundationEssentials
import Glibc
import Wire

/// Every parser of foreign bytes in one target. The first byte of an input picks the entry, the rest is what the parser gets;
/// `LANATOMY_FUZZ_ENTRY` pins one, and the first byte is then passed over.
///
/// Built with the fuzzer (`scripts/fuzz`) it explores. An ordinary build replays: the corpus, what was ever found, and any file named on
/// the command line.
private let pinned: Int? = getenv("LANATOMY_FUZZ_ENTRY").map { name in
  let name = String(cString: name)
  guard let place = Entry.all.firstIndex(where: { $0.name == name }) else { fatalError("no entry is named \(name); see --list") }
  return place
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
  guard size > 0, let data else { return 0 }
  let entry = Entry.all[pinned ?? Int(data[0]) % Entry.all.count]
  entry.run(UnsafeRawBufferPointer(start: data + 1, count: size - 1))
  return 0
}

#if !FUZZ
  @main struct Replay {
    static func main() {
      let arguments = CommandLine.arguments.dropFirst()
      switch arguments.first {
      case "--list": for entry in Entry.all { print(entry.name) }
      case "--seeds":
        guard arguments.count == 2, let folder = arguments.last else { fatalError("--seeds FOLDER") }
        Seeds.write(to: folder)
      case .some where !arguments.contains { $0.hasPrefix("-") }:
        for path in arguments {
          guard let data = FileManager.default.contents(atPath: path) else { fatalError("cannot read \(path)") }
          replay(Array(data))
          print("\(path): \(data.count) bytes, nothing wrong")
        }
      case nil:
        let seeds = Seeds.all()
        for seed in seeds { replay(seed.input) }
        print("\(seeds.count) inputs, nothing wrong")
      default: print("lanatomy-fuzz [--list | --seeds FOLDER | INPUT...]")
      }
    }

    private static func replay(_ input: [UInt8]) {
      input.withUnsafeBufferPointer { _ = fuzzOne($0.baseAddress, $0.count) }
    }
  }
#endif
