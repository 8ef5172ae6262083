// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import Testing

@testable import BluebonnetBatch

/// Time limits of single lines.
@Suite(.timeLimit(.minutes(1))) struct LineLimitTests {
    @Test(arguments: [
        (#""idleTimeout":0.25"#, "(idle limit: 0.25 seconds)"), (#""timeout":0.5"#, "(total limit: 0.5 seconds)"),
    ])
    func errorNamesTheLimitOfTheLine(field: String, words: String) async throws {
        let server = try await TestServer.start { _ in Reply([.stall]) }
        let results = Observed<[ResultLine]>([])
        var settings = RequestLineRunner.Settings()
        settings.baseURL = server.url("/")
        settings.transferOptions.timeouts.idle = .seconds(90)
        let lines = try RequestLineParser().parse(file: Data(#"{"id":"a","url":"x",\#(field)}"#.utf8))
        let runner = RequestLineRunner(settings: settings) { results.append($0) }
        for node in try RequestLineGraph(lines).nodesInDependencyOrder { runner.add(node) }
        await runner.waitUntilFinished()
        await server.stop()
        let error = try #require(results.value.first?.error)
        #expect(error.code == .timedOut && error.message.hasSuffix(words), "\(error.message)")
    }
}
