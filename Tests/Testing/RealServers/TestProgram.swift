// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Glibc

/// A program that a test runs to its end.
public struct TestProgram: Sendable {
    /// The Python with `cryptography` and `publicsuffixlist` that `Scripts/install-test-tools` makes; nil if it is
    /// missing.
    public static let python = PythonModules.python(with: "cryptography, publicsuffixlist", in: "mitmproxy-venv")
        .map { TestProgram([$0, "-B"]) }

    /// Whether that Python was found. If not, prints so once on standard error.
    public static let isPythonAvailable = Availability.decide(
        "Python", missing: python == nil ? "no Python with cryptography and publicsuffixlist was found" : nil)

    /// The path of gdb.
    public static let debugger = "/usr/bin/gdb"

    /// Whether gdb is installed. Reports once, on standard error, when it is not.
    public static let isDebuggerAvailable = Availability.decide(
        "gdb", missing: FileManager.default.isExecutableFile(atPath: debugger) ? nil : "\(debugger) does not exist")

    public let words: [String]

    /// A program by its name or path, with its first arguments.
    public init(_ words: [String]) {
        self.words = words
    }

    /// A program that was built next to the tests.
    public static func built(_ name: String) -> TestProgram {
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        return TestProgram([own.deletingLastPathComponent().appendingPathComponent(name).path])
    }

    /// The program with additional arguments.
    public func with(_ arguments: [String]) -> TestProgram { TestProgram(words + arguments) }

    /// The program with additional environment variables.
    public func with(environment: [String: String]) -> TestProgram {
        TestProgram(["/usr/bin/env"] + environment.map { "\($0)=\($1)" }.sorted() + words)
    }

    /// The program in a separate mount namespace, where one file replaces another.
    public func with(_ replacement: String, inPlaceOf path: String) -> TestProgram {
        TestProgram(
            Self.unshare + ["sh", "-c", "mount --bind \"$1\" \"$2\" && shift 2 && exec \"$@\"", "sh"]
                + [replacement, path] + words)
    }

    /// Whether files can be replaced for a program. If not, prints so once on standard error.
    public static let canReplaceFiles = Availability.decide(
        "mount namespaces", missing: obstacle, remedy: "They are made by root, or where users may make namespaces.")

    private static let unshare = ["unshare", "--mount"] + (geteuid() == 0 ? [] : ["--map-root-user"])

    private static var obstacle: String? {
        do {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let file = try folder.write("file", "")
            try ChildProcess.run(unshare + ["mount", "--bind", file, file], in: folder)
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Runs the program, and returns its status and its output on both streams. Kills the program if the waiting task
    /// is cancelled.
    public func run() async throws -> (status: Int32, output: String) {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let id = try ChildProcess.spawn(words, outputPath: folder.path("output"))
        let status = await withTaskCancellationHandler {
            await withCheckedContinuation { (done: CheckedContinuation<Int32, Never>) in
                Thread.detachNewThread {
                    var status: Int32 = 0
                    while waitpid(id, &status, 0) < 0 && errno == EINTR {}
                    done.resume(returning: status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F)
                }
            }
        } onCancel: {
            kill(id, SIGKILL)
        }
        return (status, ChildProcess.contents(of: folder.path("output")))
    }
}
