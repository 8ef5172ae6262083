// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
import Foundation
import Processes

/// Provides the `bluebonnet` command in its release form: the given one, or a build of this repository.
final class ReleaseCommand {
    private var known: String?

    init(path: String?) {
        known = path
    }

    /// Returns the path of the command. The first call builds the command, which takes minutes without an earlier
    /// build.
    func path() throws -> String {
        if let known { return known }
        guard let swift = Spawning.find("swift") else { throw BenchmarkError("swift is not on the path") }
        let root = BuildSubject.root
        let words = [
            swift, "build", "-c", "release", "--package-path", root, "--scratch-path", "\(root)/.build-release",
            "--static-swift-stdlib", "--product", "bluebonnet",
        ]
        print("building the bluebonnet command")
        let outcome = try ChildProcess(words: words, limit: .seconds(1800)).run()
        guard outcome.status == 0 else {
            throw BenchmarkError("bluebonnet was not built: \(String(decoding: outcome.output, as: UTF8.self))")
        }
        let path = "\(root)/.build-release/release/bluebonnet"
        known = path
        return path
    }
}
