// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

extension ProcessTests {
    @Suite struct PathTests {
        private static let paths = ["/a/../b", "/./a/%2e%2E/b"]

        @Test(arguments: [([], ["/b", "/b"]), (["--path-as-is"], paths)] as [([String], [String])])
        func dotSegmentsAreSentOnRequest(arguments: [String], targets: [String]) async throws {
            try await CommandFixture.with { fixture in
                let lines = Self.paths.map { #"{"url":"\#(fixture.server.url($0).absoluteString)"}"# }
                let end = try await fixture.run(lines, arguments + ["--concurrency", "1"])
                #expect(end.status == 0)
                #expect(fixture.server.requests.map(\.target) == targets)
            }
        }
    }
}
