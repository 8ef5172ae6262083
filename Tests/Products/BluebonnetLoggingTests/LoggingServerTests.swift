// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetLogging
import BluebonnetTestServer
import Foundation
import Logging
import Testing

/// Messages of real operations.
@Suite(.timeLimit(.minutes(1)))
struct LoggingServerTests {
    @Test func realOperationsAreLogged() async throws {
        try await TestServer.serving { request in
            request.path == "/missing" ? .response(status: 404) : .response(body: "hello")
        } _: { server in
            let (logger, lines) = RecordingLogHandler.logger()
            let (callLogger, callLines) = RecordingLogHandler.logger()
            let manager = RequestOperationManager(baseURL: server.url("/"))
            manager.eventMonitors = [LoggingMonitor(logger: logger)]
            _ = try await manager.call("hello").logger(callLogger).response()
            await #expect(throws: NetworkingError.self) { _ = try await manager.call("missing").response() }
            await lines.becomes { $0.contains { $0.message == "Request failed" } }
            await callLines.becomes { $0.contains { $0.message == "Request finished" } }

            let (all, ofCall) = (lines.value, callLines.value)
            // Changes of governors belong to the process, and come from other tests too.
            let important = all.filter { $0.level > .debug }.map(\.message)
            #expect(important.filter { $0.hasPrefix("Request") } == ["Request failed"])
            let ofCallsRequest = ofCall.filter { $0["bluebonnet.request.number"] != nil }
            let importantOfCall = ofCall.filter { $0.level > .debug }.map(\.message)
            #expect(!importantOfCall.contains { $0.hasPrefix("Request") })
            #expect(Set(ofCallsRequest.map { $0["bluebonnet.request.number"] }).count == 1)
            #expect(ofCallsRequest.first?.message == "Request queued")
            let failure = try #require(all.first { $0.message == "Request failed" })
            #expect(failure["http.response.status_code"] == "404")
            #expect(failure["url.full"] == server.url("/missing").absoluteString)
        }
    }
}
