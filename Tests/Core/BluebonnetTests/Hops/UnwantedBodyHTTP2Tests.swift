// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// Bodies that are not awaited over HTTP/2. Their streams are reset, and their connection is kept.
    @Suite(.enabled(if: HTTP2Server.isAvailable)) struct UnwantedBodyHTTP2Tests {
        /// After a head, `/held` sends nothing, `/flood` more than is read and no end, `/brief` a small body and its
        /// end.
        private static let kinds = ["held", "flood", "brief"]

        private static func options() throws -> TransferOptions {
            var options = try TransferOptions.withoutIdleLimit(trusting: .localhost)
            options.credential = URLCredential(user: "user", password: "secret", persistence: .none)
            options.maximumBodyByteCount = 100_000
            return options
        }

        /// The numbers of the connections that carried requests.
        private static func connections(_ server: HTTP2Server) -> Set<Int> {
            Set(server.requests.map(\.connection))
        }

        @Test(arguments: kinds) func headIsEnoughAndTheConnectionIsKept(kind: String) async throws {
            try await HTTP2Server.serving { server in
                let options = try Self.options()
                for (number, status) in [301, 302, 303, 307, 308, 401].enumerated() {
                    for (offset, method) in ["GET", "POST"].enumerated() {
                        let operation = await perform(URLRequest(method, server.url("/\(kind)/\(status)")), options)
                        #expect(operation.error == nil, "\(method) \(status)")
                        #expect(operation.responseString == "ok", "\(method) \(status)")
                        #expect(server.requests.count == 4 * number + 2 * (offset + 1))
                    }
                }
                #expect(Self.connections(server).count == 1)
                await closeIdleConnections()
            }
        }

        /// The request's body is being sent. libcurl 7.88 may end its stream short of the declared length, and this
        /// server then ends the connection.
        @Test func headIsEnoughDuringTheUpload() async throws {
            try await HTTP2Server.serving { server in
                for (number, status) in [303, 307, 401].enumerated() {
                    var request = URLRequest("POST", server.url("/at-once/\(status)"))
                    request.httpBody = Data(count: 1_000_000)
                    let operation = await perform(request, try Self.options())
                    #expect(operation.responseString == "ok", "\(status)")
                    #expect(server.requests.count == number + 1)  // the body of the first request never arrived
                    #expect(server.requests.last?.byteCount == (status == 303 ? 0 : 1_000_000), "\(status)")
                }
                await closeIdleConnections()
            }
        }

        @Test(arguments: kinds) func refusedStatusIsTheError(kind: String) async throws {
            try await HTTP2Server.serving { server in
                for status in [404, 500] {
                    let request = URLRequest(url: server.url("/\(kind)/\(status)"))
                    let operation = await HTTPRequestOperation(request: request, options: try Self.options()).run()
                    #expect(operation.code == .unacceptableStatus)
                    #expect(operation.statusCode == status)
                    #expect(operation.hasGivenUpBody == (kind == "held"))
                    let underlying = (operation.error?.underlying as? NetworkingError)?.code
                    #expect(underlying == ["held": .timedOut, "flood": .bodyTooLarge, "brief": nil][kind])
                    #expect(operation.error?.body?.isEmpty == (kind == "held"))
                }
                #expect(await get(server.url("/ok"), try Self.options()).responseString == "ok")
                #expect(Self.connections(server).count == 1)
                await closeIdleConnections()
            }
        }

        /// Other requests on the connection continue while one is abandoned.
        @Test func otherRequestsOfTheConnectionContinue() async throws {
            try await HTTP2Server.serving { server in
                let options = try Self.options()
                let manager = RequestOperationManager.crowded(options)
                #expect(await get(server.url("/first"), options).responseString == "ok")
                let paths = (0..<15).flatMap { ["/held/302/\($0)", "/flood/302/\($0)", "/brief/401/\($0)", "/\($0)"] }
                for operation in manager.start(paths.map { server.url($0) }) {
                    try await operation.waitUntilEnded()
                    #expect(operation.responseString == "ok")
                }
                #expect(server.requests.count == 1 + 7 * 15)
                #expect(Self.connections(server).count == 1)
                await closeIdleConnections()
            }
        }
    }
}
