// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet

extension NetworkTests {
    @Suite struct LongHeaderLineTests {
        @Test(arguments: [false, true]) func errorNamesALineBeyondLibcurlsLimit(isLater: Bool) async throws {
            let field = ("X-Long", String(repeating: "x", count: 110_000))
            let fields = WireFields(isLater ? [("X-First", "1"), field] : [field])
            try await TestServer.answering(.response(headers: fields, body: "ok")) { server in
                let operation = await get(server.url())
                #expect(operation.code == .headersTooLarge)
                let message = try #require(operation.error?.message)
                #expect(message.contains("a line is longer than 102400 bytes"), "\(message)")
            }
        }

        @Test func lineBelowLibcurlsLimitIsDelivered() async throws {
            let value = String(repeating: "x", count: 100_000)
            try await TestServer.answering(.response(headers: ["X-Long": value], body: "ok")) { server in
                let operation = await get(server.url())
                #expect(operation.error == nil)
                #expect(operation.responseHeaders["X-Long"] == value)
            }
        }
    }
}
