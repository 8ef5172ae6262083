// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

extension NetworkTests {
    /// An HTTP/2 server that breaks the rules or does what servers seldom do: row B13 of the reliability rules.
    @Suite(.enabled(if: HTTP2Server.isAvailable)) struct HTTP2FaultTests {
        private struct Row {
            let method: String
            let path: String
            /// Nil if the response must be "ok".
            let code: NetworkingError.Code?
            /// How often the server receives the request.
            let requestCount: Int

            init(_ method: String, _ path: String, _ code: NetworkingError.Code?, _ requestCount: Int = 1) {
                (self.method, self.path, self.code, self.requestCount) = (method, path, code, requestCount)
            }
        }

        private static let rows = [
            Row("GET", "/ok", nil), Row("POST", "/ok", nil), Row("GET", "/early", nil), Row("GET", "/trailers", nil),
            Row("GET", "/pings/10000", nil), Row("GET", "/empty/10000", nil), Row("GET", "/last", nil),
            Row("GET", "/fields/16000", nil), Row("GET", "/fields/48000", nil), Row("GET", "/fields/96000", nil),
            Row("POST", "/fields/120000", nil), Row("GET", "/field/60000", nil),
            // INTERNAL_ERROR, CANCEL, ENHANCE_YOUR_CALM: the server may have processed the request.
            Row("GET", "/reset/2", .badServerResponse), Row("GET", "/reset/8", .badServerResponse),
            Row("POST", "/reset/11", .badServerResponse), Row("GET", "/reset-inside/2", .badServerResponse),
            Row("GET", "/short", .badServerResponse), Row("GET", "/long", .badServerResponse),
            // libcurl ends the connection too. Versions before 8 take the connection for one that had died.
            Row("GET", "/fields/400000", .connectionLost, WordlessEnd.isPresent ? 1 : 2),
            Row("POST", "/fields/400000", .connectionLost),
            // The request was refused or not processed. It is sent again if that is safe regardless of what the
            // server did with it.
            Row("GET", "/refused/1", nil, 2), Row("GET", "/refused/4", nil, 5),
            Row("GET", "/refused/1000", .connectionLost, 6), Row("POST", "/refused/1", .connectionLost),
            Row("GET", "/goaway/1", nil, 2), Row("GET", "/goaway/3", nil, 4),
            Row("POST", "/goaway/1", .connectionLost),
            Row("GET", "/notice/1", nil, 2), Row("GET", "/notice/1000", .connectionLost, 2),
            Row("POST", "/notice/1", .connectionLost),
            Row("GET", "/end/1", nil, 2), Row("GET", "/end/1000", .connectionLost, 2),
            Row("POST", "/end/1", .connectionLost),
        ]

        /// Each request runs on a connection that has already answered.
        @Test func requestsEndAsListedInTheTable() async throws {
            try await HTTP2Server.serving { server in
                let options = try TransferOptions.trustingTestAuthority
                for row in Self.rows {
                    #expect(await get(server.url("/first"), options).responseString == "ok")
                    let operation = await perform(URLRequest(row.method, server.url(row.path)), options)
                    let requests = server.requests.filter { $0.method == row.method && $0.path == row.path }
                    #expect(operation.code == row.code, "\(row)")
                    #expect(requests.count == row.requestCount, "\(row)")
                    if row.code == nil { #expect(operation.responseString == "ok", "\(row)") }
                    #expect(await get(server.url("/next"), options).responseString == "ok", "\(row)")
                }
                await closeIdleConnections()
            }
        }

        @Test func requestsWaitForTheServersStreamLimit() async throws {
            try await HTTP2Server.serving(streamLimit: 1) { server in
                let operations = try Self.manager().get((0..<40).map { server.url("/\($0)").absoluteString })
                for operation in operations {
                    try await operation.waitUntilEnded()
                    #expect(operation.responseString == "ok")
                }
                #expect(server.requests.count == operations.count)
                await closeIdleConnections()
            }
        }

        @Test func bodyWaitsForTheServersWindow() async throws {
            try await HTTP2Server.serving(isWindowClosed: true) { server in
                let options = try TransferOptions.trustingTestAuthority
                var request = URLRequest("POST", server.url("/ok"))
                request.httpBody = Data.patterned(byteCount: 50_000)
                let operation = await perform(request, options)
                #expect(operation.error == nil)
                #expect(operation.responseString == "ok")
                #expect(server.requests.map(\.byteCount) == [50_000])
                await closeIdleConnections()
            }
        }

        /// Half of the requests are refused once, while the server answers others on the same connection.
        @Test func refusedRequestsAreSentAgain() async throws {
            try await HTTP2Server.serving { server in
                let paths = (0..<100).map { $0 % 2 == 0 ? "/refused/1/\($0)" : "/\($0)" }
                let operations = try Self.manager().get(paths.map { server.url($0).absoluteString })
                for operation in operations {
                    try await operation.waitUntilEnded()
                    #expect(operation.error == nil)
                    #expect(operation.responseString == "ok")
                }
                #expect(server.requests.count == 150)
                await closeIdleConnections()
            }
        }

        private static func manager() throws -> RequestOperationManager {
            var configuration = RequestOperationManager.Configuration()
            configuration.transferOptions = try .trustingTestAuthority
            configuration.maximumConcurrentTransferCountPerOrigin = 64
            let manager = RequestOperationManager(configuration: configuration)
            manager.responseSerializer = HTTPResponseSerializer()
            return manager
        }
    }
}

extension RequestOperationManager {
    fileprivate func get(_ urls: [String]) -> [HTTPRequestOperation] { urls.map { started("GET", $0) } }
}
