// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// A server answers and closes the connection before it has read the body. Its answer counts if it arrived. A
    /// broken pipe causes no harm.
    @Suite struct EarlyAnswerTests {
        /// The source of the uploaded body.
        enum Source: CaseIterable { case data, file, stream }

        private static func operation(
            _ url: URL, _ source: Source, byteCount: Int, _ folder: TemporaryFolder,
            _ options: TransferOptions = TransferOptions { $0.timeouts.idle = .seconds(5) }
        ) throws -> RequestOperation {
            var request = URLRequest("POST", url)
            let body = Data(count: byteCount)
            switch source {
            case .data: request.httpBody = body
            case .stream: request.httpBodyStream = InputStream(data: body)
            case .file: break
            }
            let operation = RequestOperation(request: request, options: options)
            if source == .file { operation.uploadFile = URL(fileURLWithPath: try folder.write("body", body)) }
            return operation
        }

        @Test(arguments: Source.allCases) func earlyRefusalIsReceivedOrTheConnectionIsLost(source: Source)
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
                            // A reset can overtake the answer and discard it.
                            let isHeard = operation.statusCode == 413
                            #expect(isHeard || operation.code == .connectionLost, "\(byteCount) bytes, \(end)")
                            if operation.error == nil { #expect(operation.responseString == "too large") }
                            if case .stall = end { #expect(isHeard, "\(byteCount) bytes") }
                        }
                    }
                }
            }
        }

        @Test(arguments: Source.allCases) func resetWhileSendingLosesTheConnection(source: Source) async throws {
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

        /// nginx answers and ends the stream without reading the rest (RFC 9113, 8.1). The connection stays usable.
        @Test(
            .enabled(if: NginxServer.isAvailable), arguments: Source.allCases,
            [("/denied", 403), ("/accepted", 200)]
        ) func earlyAnswerOverHTTP2IsReceived(source: Source, answer: (path: String, status: Int)) async throws {
            let directives = """
                location /denied { deny all; error_page 403 /page.html; }
                location /accepted { deny all; error_page 403 =200 /page.html; }
                """
            try await HTTP2Fixture.with(directives: directives) { fixture in
                let page = Data.patterned(byteCount: 200_000)
                _ = try fixture.folder.write("page.html", page)
                for byteCount in [1, 100_000, 8_000_000] {
                    let url = fixture.nginx.tlsURL(answer.path)
                    let operation = try Self.operation(
                        url, source, byteCount: byteCount, fixture.folder, fixture.options)
                    #expect(await operation.run().error == nil, "\(byteCount) bytes")
                    #expect(operation.statusCode == answer.status)
                    #expect(operation.httpVersion == "2")
                    #expect(operation.responseData == page)
                }
                #expect(await get(fixture.nginx.tlsURL("/tiny"), fixture.options).responseString == "Hello, world!")
            }
        }

        /// The connection of an unfinished upload is not reused.
        @Test func requestAfterUnfinishedUploadOpensANewConnection() async throws {
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
