// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// Connections that are not there at once, as on any real network.
    @Suite struct LateConnectionTests {
        /// The socket of an attempt that was given up is closed without a word, and its number comes again.
        @Test(.timeLimit(.minutes(1))) func aConnectionThatComesLateIsNoticedAfterOneThatNeverCame() async throws {
            let server = try FullServer()
            defer { server.stop() }
            let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
            var impatient = TransferOptions()
            impatient.timeouts.connect = .milliseconds(300)
            for _ in 0..<3 {
                #expect(await get(url, impatient).code == .timedOut)
            }
            var patient = TransferOptions()
            patient.timeouts.connect = .zero  // for ever: no time limit looks at the connection in the event's place
            let late = RequestOperation(request: URLRequest(url: url), options: patient)
            late.start()
            for _ in 0..<20 { await networkThreadAnswers() }  // the first attempt is on its way, and comes to nothing
            server.serve()
            try await late.waitUntilEnded()
            #expect(late.error == nil, "\(late.error?.message ?? "")")
            #expect(late.responseString == "late")
        }
    }
}
