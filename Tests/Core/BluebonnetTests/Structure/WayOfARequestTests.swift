// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import RealServers
import Testing

/// The page "The way of a request" against a run of the request that it describes.
@Suite(.enabled(if: TestProgram.isDebuggerAvailable), .timeLimit(.minutes(3))) struct WayOfARequestTests {
    /// The files of the page's first table, in its order.
    private static func listedFiles() throws -> [String] {
        let page = try DocumentationTests.page("WayOfARequest.md")
        let table = page.components(separatedBy: "\n## ").first { $0.hasPrefix("The files to read") } ?? ""
        return table.matches(of: /\| `(\w+\.swift)` \|/).map { String($0.output.1) }
    }

    @Test func requestEntersFilesInOrderOfPage() async throws {
        let files = try Self.listedFiles()
        #expect(files.count > 10)
        let script = StyleTests.root.appendingPathComponent("Tests/Core/TraceProbe/trace.py").path
        let reply: TestServer.Script = { _ in
            .response(headers: ["Content-Type": "application/json"], body: "[1, 2]")
        }
        try await TestServer.serving(script: reply) { server in
            let program = TestProgram.built("TraceProbe").with([server.url("/numbers").absoluteString])
            let run = try await TestProgram([TestProgram.debugger, "-batch", "-nx", "-x", script, "--args"])
                .with(program.words).with(environment: ["TRACE_FILES": files.joined(separator: " ")]).run()
            #expect(run.output.contains("\n[1, 2]\n"), "\(run.output.suffix(2_000))")
            let entered = run.output.matches(of: /ENTERED (\S+)/).map { String($0.output.1) }
            #expect(entered == ["TracedRequest.swift"] + files)
        }
    }
}
