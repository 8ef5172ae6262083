// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    @Suite struct SharedIdleTests {
        /// A server that serves requests in sequence makes progress with each of them.
        @Test func idleLimitWaitsWhileTheConnectionServesOtherStreams() async throws {
            let gate = Gate()
            let script: TestServer.Script = { request in
                switch request.path {
                case "/long":
                    Reply([
                        .head(status: 200, fields: [:]),
                        .drip(Data(count: 20), chunk: 1, every: .milliseconds(100)),
                    ])
                case "/late": Reply([.wait(until: gate)] + Reply.response(body: "late").steps)
                default: .response()
                }
            }
            var serverOptions = TestServer.Options()
            (serverOptions.certificate, serverOptions.speaksHTTP2) = (.localhost, true)
            try await TestServer.serving(serverOptions, script: script) { server in
                var options = try TransferOptions.trustingTestAuthority
                options.timeouts.idle = .milliseconds(600)
                #expect(await get(server.url(), options).error == nil)
                let long = RequestOperation(request: URLRequest(url: server.url("/long")), options: options)
                let late = RequestOperation(request: URLRequest(url: server.url("/late")), options: options)
                long.start()
                await server.waitForRequests(count: 2)
                late.start()
                await long.waitAsOwner()
                gate.open()
                await late.waitAsOwner()
                #expect(long.responseData?.count == 20)
                #expect(late.responseString == "late", "\(late.error?.message ?? "")")
                #expect(server.connectionCount == 1)
            }
        }
    }
}
