import Fixtures
import Glibc

/// The program that our graphs are for, where it is installed.
enum Graphviz {
  static var isHere: Bool { access("/usr/bin/dot", X_OK) == 0 }

  static func reads(_ graph: String) throws -> Bool {
    let folder = try ScratchFolder()
    folder.write("graph.dot", graph)
    // `-Tcanon` reads and checks all, and lays nothing out: half a thousand devices take dot a while.
    let command = ["/bin/sh", "-c", "cd '\(folder.path)' && /usr/bin/dot -Tcanon -o /dev/null graph.dot 2> complaints"]
    var list: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
    defer { for case .some(let text) in list { free(text) } }
    list.append(nil)
    var pid = pid_t()
    var environment: [UnsafeMutablePointer<CChar>?] = [nil]
    guard let program = list.first ?? nil, posix_spawn(&pid, program, nil, nil, list, &environment) == 0 else { return false }
    var status: Int32 = 0
    waitpid(pid, &status, 0)
    return status == 0 && folder.text("complaints").isEmpty
  }
}
