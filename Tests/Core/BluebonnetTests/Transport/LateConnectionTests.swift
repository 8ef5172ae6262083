// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// Connections that are not established at once, as on any real network.
    @Suite struct LateConnectionTests {
        /// The socket of an abandoned attempt is closed without a report, and its descriptor is used again.
        @Test(.timeLimit(.minutes(1))) func lateConnectionIsNoticedAfterAbandonedAttempts() async throws {
            let server = try FullServer()
            defer { server.stop() }
            let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
            var impatient = TransferOptions()
            impatient.timeouts.connect = .milliseconds(300)
            for _ in 0..<3 {
                #expect(await get(url, impatient).code == .timedOut)
            }
            var patient = TransferOptions()
            patient.timeouts.connect = .zero  // unlimited: no time limit may find the connection instead of the event
            let late = RequestOperation(request: URLRequest(url: url), options: patient)
            late.start()
            for _ in 0..<20 { await networkThreadAnswers() }  // the first attempt is in progress, without success
            server.serve()
            try await late.waitUntilEnded()
            #expect(late.error == nil, "\(late.error?.message ?? "")")
            #expect(late.responseString == "late")
        }
    }
}
