internal import CPcap
internal import Wire

/// The user's filter, compiled by libpcap, and our cutting filter, which tells the kernel how much of a frame is worth copying.
enum Filter {
  /// What TCP and QUIC keep: every header, and the first bytes of what follows.
  static let kept: UInt32 = 128
  static let whole: UInt32 = 262_144

  /// Compiles an expression. The program must be freed with `pcap_freecode`.
  static func compile(_ expression: String, on handle: OpaquePointer?) throws(CaptureError) -> bpf_program {
    var program = bpf_program()
    guard !expression.utf8.contains(0), pcap_compile(handle, &program, expression, 1, PCAP_NETMASK_UNKNOWN) == 0 else {
      let reason = expression.utf8.contains(0) ? "the filter contains a NUL" : words(from: pcap_geterr(handle))
      throw CaptureError(.usage, "filter '\(expression)'", reason, remedy: "pcap-filter(7) describes the language")
    }
    return program
  }

  private static func line(_ code: Int32, _ k: UInt32, ifTrue: Int = 0, ifFalse: Int = 0) -> bpf_insn {
    bpf_insn(code: UInt16(truncatingIfNeeded: code), jt: UInt8(clamping: ifTrue), jf: UInt8(clamping: ifFalse), k: k)
  }

  /// The cutting filter for Ethernet: 128 bytes of TCP and of UDP port 443, all of everything else. The kernel has taken a VLAN tag off
  /// before.
  ///
  ///     ld len        jgt 128 → next, else all      nothing to cut; and every load below is inside the frame
  ///     ldh [12]      jeq 0x800 → v4      jeq 0x86dd → v6      → all
  ///     v4: ldb [23]  jeq 6 → cut         jne 17 → all         ldx 4*([14]&0xf)
  ///                   ldh [x+14] jeq 443 → cut      ldh [x+16] jeq 443 → cut   → all
  ///     v6: ldb [20]  jeq 6 → cut         → all
  static let cutting: [bpf_insn] = {
    let loadHalf = BPF_LD | BPF_H | BPF_ABS
    let loadByte = BPF_LD | BPF_B | BPF_ABS
    let isEqual = BPF_JMP | BPF_JEQ | BPF_K
    // Places of the labels below.
    let v4 = 5
    let v6 = 13
    let cut = 15
    let all = 16
    func jump(at place: Int, _ code: Int32, _ k: UInt32, to yes: Int, else no: Int) -> bpf_insn {
      line(code, k, ifTrue: yes - place - 1, ifFalse: no - place - 1)
    }
    return [
      line(BPF_LD | BPF_W | BPF_LEN, 0),
      jump(at: 1, BPF_JMP | BPF_JGT | BPF_K, kept, to: 2, else: all),
      line(loadHalf, 12),
      jump(at: 3, isEqual, 0x0800, to: v4, else: 4),
      jump(at: 4, isEqual, 0x86dd, to: v6, else: all),
      line(loadByte, 23),
      jump(at: 6, isEqual, 6, to: cut, else: 7),
      jump(at: 7, isEqual, 17, to: 8, else: all),
      line(BPF_LDX | BPF_B | BPF_MSH, 14),
      line(BPF_LD | BPF_H | BPF_IND, 14),
      jump(at: 10, isEqual, 443, to: cut, else: 11),
      line(BPF_LD | BPF_H | BPF_IND, 16),
      jump(at: 12, isEqual, 443, to: cut, else: all),
      line(loadByte, 20),
      jump(at: 14, isEqual, 6, to: cut, else: all),
      line(BPF_RET | BPF_K, kept),
      line(BPF_RET | BPF_K, whole),
    ]
  }()

  /// The user's program in front of ours: each accepting `ret` of it becomes a jump to our first line.
  static func joined(_ user: [bpf_insn], with ours: [bpf_insn]) -> [bpf_insn] {
    var out = user
    for place in out.indices where Int32(out[place].code) == BPF_RET | BPF_K && out[place].k != 0 {
      out[place] = line(BPF_JMP | BPF_JA, UInt32(clamping: user.count - place - 1))
    }
    return out + ours
  }

  /// The lines of a compiled program.
  static func lines(of program: bpf_program) -> [bpf_insn] {
    Array(UnsafeBufferPointer(start: program.bf_insns, count: Int(program.bf_len)))
  }

  /// Runs a program over one frame: how many bytes it keeps, 0 to leave the frame out.
  static func run(_ program: UnsafePointer<bpf_program>, _ bytes: UnsafeRawPointer, captured: Int, wireLength: Int) -> Int {
    var header = pcap_pkthdr()
    header.caplen = UInt32(clamping: captured)
    header.len = UInt32(clamping: max(wireLength, captured))
    return Int(pcap_offline_filter(program, &header, bytes.assumingMemoryBound(to: UInt8.self)))
  }
}

/// One filter for a file, compiled once for each link type in it.
struct FileFilter: ~Copyable {
  let expression: String
  private var linkTypes: [LinkType] = []
  private var programs: [UnsafeMutablePointer<bpf_program>?] = []
  private var failure: CaptureError?

  init(_ expression: String) {
    self.expression = expression
  }

  deinit {
    for case .some(let program) in programs {
      pcap_freecode(program)
      program.deallocate()
    }
  }

  /// The place of the program for a link type; it is compiled when the type is new. A filter may make no sense for one of several link
  /// types in a file: then no frame of that type passes.
  mutating func place(for link: LinkType) -> Int {
    if let place = linkTypes.firstIndex(of: link) { return place }
    linkTypes.append(link)
    // Large, so that `greater 100000` is not optimised into "never".
    let dead = pcap_open_dead(FileFilter.memoryNumber(of: link), Int32(Filter.whole))
    defer { if let dead { pcap_close(dead) } }
    do throws(CaptureError) {
      let program = UnsafeMutablePointer<bpf_program>.allocate(capacity: 1)
      do throws(CaptureError) {
        program.initialize(to: try Filter.compile(expression, on: dead))
      } catch {
        program.deallocate()
        throw error
      }
      programs.append(program)
    } catch {
      failure = failure ?? error
      programs.append(nil)
    }
    return programs.count - 1
  }

  /// Throws when the filter makes no sense for any link type seen so far.
  func check() throws(CaptureError) {
    if let failure, programs.allSatisfy({ $0 == nil }) { throw failure }
  }

  func passes(_ place: Int, _ bytes: UnsafeRawPointer, captured: Int, wireLength: Int) -> Bool {
    guard place >= 0, place < programs.count, let program = programs[place] else { return false }
    return Filter.run(program, bytes, captured: captured, wireLength: wireLength) != 0
  }

  /// Files and libpcap's memory number some link types differently.
  static func memoryNumber(of link: LinkType) -> Int32 {
    link == .raw ? DLT_RAW : Int32(truncatingIfNeeded: link.rawValue)
  }
}
