// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation
import Glibc

/// One run of the sample in a separate folder, with the command that was built next to this program.
struct SampleRun {
    /// The folder of the run and its output.
    let folder: URL
    /// The result lines, which exist after the run.
    var results: URL { folder.appendingPathComponent("results.ndjson") }
    /// The number of requests in the sample.
    var lineCount: Int { (try? Self.lines(of: folder.appendingPathComponent("requests.ndjson")).count) ?? 0 }

    /// Copies the sample into a new folder.
    init(sample: URL) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("bluebonnet-demo-\(UUID().uuidString)")
        try FileManager.default.copyItem(at: sample, to: folder)
    }

    /// Removes the folder and its contents.
    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Returns the arguments of the command.
    static func arguments(_ baseURL: String) -> [String] {
        ["run", "requests.ndjson", "--base-url", baseURL, "--results", "results.ndjson", "--progress", "always"]
    }

    /// Runs the command in the folder, with this program's terminal. Returns the exit status.
    func runCommand(baseURL: String) throws -> Int32 {
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let path = program.deletingLastPathComponent().appendingPathComponent("bluebonnet").path
        guard chdir(folder.path) == 0 else { throw POSIXError(.ENOENT) }
        var status: Int32 = 0
        let child = try Self.spawn([path] + Self.arguments(baseURL))
        while waitpid(child, &status, 0) < 0 && errno == EINTR {}
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    }

    /// Starts a program with default signal handling. This process ignores Ctrl-C, and the child must not inherit
    /// that.
    private static func spawn(_ arguments: [String]) throws -> pid_t {
        var attributes = posix_spawnattr_t()
        var signals = sigset_t()
        sigfillset(&signals)
        posix_spawnattr_init(&attributes)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        let words = arguments.map { strdup($0) } + [nil]
        defer {
            posix_spawnattr_destroy(&attributes)
            for word in words { free(word) }
        }
        var child = pid_t()
        let problem = posix_spawn(&child, arguments[0], nil, &attributes, words, environ)
        guard problem == 0 else { throw POSIXError(POSIXErrorCode(rawValue: problem) ?? .ENOENT) }
        return child
    }

    /// Compares the results with the expected ones. Returns a sentence for each difference.
    func check() throws -> [String] {
        let expected = try Self.lines(of: folder.appendingPathComponent("expected-outcomes.ndjson"))
        var actual: [String: JSONValue] = [:]
        for line in try Self.lines(of: results) { actual[line["id"]?.string ?? ""] = line }
        return expected.flatMap { line -> [String] in
            let id = line["id"]?.string ?? ""
            return actual[id].map { $0.differences(from: line, at: id) } ?? ["\(id) has no result"]
        }
    }

    private static func lines(of file: URL) throws -> [JSONValue] {
        try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")).map { try JSONValue(parsing: $0) }
    }
}

extension JSONValue {
    /// Returns the differences from `expected`. Additional members are ignored.
    fileprivate func differences(from expected: JSONValue, at place: String) -> [String] {
        guard case .object(let members) = expected else {
            return self == expected ? [] : ["\(place) is \(self), and should be \(expected)"]
        }
        return members.sorted { $0.key < $1.key }.flatMap { name, value in
            self[name]?.differences(from: value, at: "\(place).\(name)") ?? ["\(place).\(name) is missing"]
        }
    }
}
