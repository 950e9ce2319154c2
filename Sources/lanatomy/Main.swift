/// lanatomy, the program: arguments to command to exit status. The only place where the rooms meet; nothing here is worth reusing.
@main
enum Lanatomy {
  static let version = "0.1.0"

  static func main() {
    // One call and no closure: what is born here belongs to the main actor and must not be called from elsewhere.
    finish(run(Array(CommandLine.arguments.dropFirst())))
  }
}
