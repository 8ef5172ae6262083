// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import RealServers
import Testing

/// The result of one run of a program. The program is built with the tests or installed.
struct ProgramRun: Sendable {
    /// The exit status, or 128 plus the number of the signal that killed the program.
    let status: Int32
    let output: String
    let errors: String

    /// Runs a program to its end.
    ///
    /// - Parameters:
    ///   - program: an absolute path, or the name of a program that is built with the tests.
    ///   - environment: variables in addition to this process's variables.
    init(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], in folder: TemporaryFolder
    ) async throws {
        let paths = ["output", "errors"].map { folder.path("\($0)-\(UUID().uuidString)") }
        for path in paths { try Data().write(to: URL(fileURLWithPath: path)) }
        let process = Process()
        process.executableURL = Self.url(of: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: paths[0]))
        process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: paths[1]))
        let end = Observed<Int32?>(nil)
        process.terminationHandler = { process in
            let isSignal = process.terminationReason == .uncaughtSignal
            end.update { $0 = process.terminationStatus + (isSignal ? 128 : 0) }
        }
        try process.run()
        await end.becomes(within: .seconds(200)) { $0 != nil }
        if end.value == nil { kill(process.processIdentifier, SIGKILL) }
        status = end.value ?? -1
        output = (try? String(contentsOfFile: paths[0], encoding: .utf8)) ?? ""
        errors = (try? String(contentsOfFile: paths[1], encoding: .utf8)) ?? ""
        for path in paths { unlink(path) }
    }

    private static func url(of program: String) -> URL {
        if program.hasPrefix("/") { return URL(fileURLWithPath: program) }
        return URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent(program)
    }
}
