// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation

/// A folder and a server for one test of the command. Both are removed when the test ends.
struct CommandFixture: Sendable {
    let folder: TemporaryFolder
    let server: TestServer

    /// Calls `body` with a server that answers by `script`.
    static func with(
        _ script: @escaping TestServer.Script = { _ in .response(body: "hello") },
        _ body: (CommandFixture) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await TestServer.serving(script: script) { server in
            try await body(CommandFixture(folder: folder, server: server))
        }
    }

    /// Starts `bluebonnet run` with the server as base URL. The command prints no summary, so that tests see messages
    /// only, unless the test asks for progress or passes its own standard error.
    func start(
        _ arguments: [String] = [], input: Int32? = nil, output: Int32? = nil, errors: Int32? = nil
    ) throws -> CommandProcess {
        let isQuiet = errors == nil && !arguments.contains("--progress")
        let all = ["run", "--base-url", server.url("/").absoluteString] + (isQuiet ? ["--quiet"] : []) + arguments
        return try CommandProcess(all, input: input, output: output, errors: errors, in: folder)
    }

    /// Runs lines from a file to the end.
    func run(_ lines: [String], _ arguments: [String] = []) async throws -> CommandProcess.End {
        try await start([file(lines)] + arguments).end()
    }

    /// Starts another program that runs `bluebonnet run` with the server as base URL.
    func start(by program: [String], _ arguments: [String], errors: Int32? = nil) throws -> CommandProcess {
        let command = [CommandProcess.path(of: "bluebonnet"), "run", "--base-url", server.url("/").absoluteString]
        return try CommandProcess(
            Array(program.dropFirst()) + command + arguments, program: program[0], errors: errors, in: folder)
    }

    /// Writes request lines to a file and returns its path.
    func file(_ lines: [String]) throws -> String {
        try folder.write("lines-\(UUID().uuidString).ndjson", lines.map { $0 + "\n" }.joined())
    }

    /// Opens a file as the input of a process.
    func open(_ path: String) throws -> FileHandle {
        try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    }
}
