// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import TestServer
import Testing

extension ProcessTests {
    @Suite struct ExampleTests {
        @Test func theDemonstrationWithoutASampleExplainsItself() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let end = try await CommandProcess([], program: "Demo", in: folder).end()
            #expect(end.status == 2)
            #expect(end.output.hasPrefix("usage: Demo"))
        }
    }
}
