// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TestServer
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// A server that answers, and goes, before it has read the body: its answer counts when it came; a broken pipe
    /// harms no one.
    @Suite struct EarlyAnswerTests {
        /// How the upload is given.
        enum Source: CaseIterable { case data, file, stream }

        private static func operation(
            _ url: URL, _ source: Source, byteCount: Int, _ folder: TemporaryFolder
        ) throws -> RequestOperation {
            var request = URLRequest("POST", url)
            let body = Data(count: byteCount)
            switch source {
            case .data: request.httpBody = body
            case .stream: request.httpBodyStream = InputStream(data: body)
            case .file: break
            }
            let operation = RequestOperation(
                request: request, options: TransferOptions { $0.idleTimeout = .seconds(5) })
            if source == .file { operation.uploadFile = URL(fileURLWithPath: try folder.write("body", body)) }
            return operation
        }

        @Test(arguments: Source.allCases) func aRefusalInTheMiddleIsHeardOrLostAndNothingElse(source: Source)
            async throws
        {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            var options = TestServer.Options()
            options.readsBodies = false
            let refusal = Reply.response(status: 413, headers: ["Connection": "close"], body: "too large")
            for end in [Reply.Step.reset, .close, .stall] {
                try await TestServer.answering(refusal.then(end), options) { server in
                    for byteCount in [1, 1000, 100_000, 8_000_000] {
                        for _ in 0..<5 {
                            let operation = try await Self.operation(server.url(), source, byteCount: byteCount, folder)
                                .run()
                            // A reset may overtake the answer, and takes it away.
                            let isHeard = operation.statusCode == 413
                            #expect(isHeard || operation.code == .connectionLost, "\(byteCount) bytes, \(end)")
                            if operation.error == nil { #expect(operation.responseString == "too large") }
                            if case .stall = end { #expect(isHeard, "\(byteCount) bytes") }
                        }
                    }
                }
            }
        }

        @Test(arguments: Source.allCases) func aConnectionThatIsResetWhileSendingIsLost(source: Source) async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            var options = TestServer.Options()
            options.readsBodies = false
            try await TestServer.answering(.reset, options) { server in
                for byteCount in [1, 100_000, 8_000_000] {
                    let operation = try await Self.operation(server.url(), source, byteCount: byteCount, folder).run()
                    #expect(operation.code == .connectionLost)
                    #expect(operation.statusCode == nil)
                }
            }
            try await TestServer.answering(.response(body: "answer")) { server in
                #expect(await get(server.url()).responseString == "answer")
            }
        }

        /// The connection of an upload that was not finished is not used again.
        @Test func theNextRequestHasAConnectionOfItsOwn() async throws {
            var options = TestServer.Options()
            options.readsBodies = false
            try await TestServer.answering(.response(status: 413, body: "too large"), options) { server in
                for number in 1...3 {
                    let operation = await perform(
                        URLRequest("POST", server.url(), body: String(repeating: "x", count: 4_000_000)))
                    #expect(operation.statusCode == 413)
                    #expect(server.connectionCount == number)
                }
            }
        }
    }
}
