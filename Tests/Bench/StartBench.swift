import Glibc

/// From the start of the program to the end of its report on a capture of one frame: more than the first packet takes, and what a user waits.
func startBench(program: String, capture: String) {
  var times: [Double] = []
  for _ in 0..<21 {
    let start = wallTime()
    guard run([program, "report", "-r", capture, "--format", "json"]) == 0 else { fatalError("\(program) does not run") }
    times.append(Double(wallTime() - start) / 1e6)
  }
  print("start_ms min \(fixed(times.min() ?? 0, 1)) median \(fixed(times.quantile(0.5), 1))")
}

private func run(_ arguments: [String]) -> Int32 {
  var process = pid_t()
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
  defer { posix_spawn_file_actions_destroy(&actions) }
  var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
  defer { for word in words { free(word) } }
  guard posix_spawn(&process, arguments[0], &actions, nil, &words, environ) == 0 else { return -1 }
  var state: Int32 = 0
  waitpid(process, &state, 0)
  return state
}
