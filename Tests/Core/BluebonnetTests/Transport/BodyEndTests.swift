// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// A body that ended early is never a success.
    @Suite struct BodyEndTests {
        /// The result of one request whose reply is cut after `byteCount` bytes.
        struct CutReply {
            let byteCount: Int
            let operation: RequestOperation
            var isSuccess: Bool { operation.error == nil }
        }

        /// Requests the reply once for each offset at which it can be cut, and once whole.
        private func sweep(
            _ reply: Reply, tls: TestCertificate? = nil, end: Reply.Step = .close, method: String = "GET"
        ) async throws -> [CutReply] {
            let server = try await TestServer.start(tls: tls) { request in
                reply.cut(afterByteCount: Int(request.path.dropFirst()) ?? 0, then: end)
            }
            let options = try tls.map { _ in try TransferOptions.trustingTestAuthority } ?? TransferOptions()
            var results: [CutReply] = []
            for byteCount in 0...reply.bytes.count {
                let operation = await perform(URLRequest(method, server.url("/\(byteCount)")), options)
                results.append(CutReply(byteCount: byteCount, operation: operation))
            }
            #expect(server.requests.count == results.count)
            await server.stop()
            return results
        }

        /// Expects that only the whole reply succeeds, and that only sent bytes are delivered.
        private func expectSuccessOnlyAtTheEnd(_ results: [CutReply], body: Data) throws {
            for result in results.dropLast() {
                #expect(!result.isSuccess, "a success after \(result.byteCount) bytes")
                #expect(body.starts(with: result.operation.responseData ?? Data()))
            }
            let whole = try #require(results.last)
            #expect(whole.operation.error == nil)
            for result in results where result.isSuccess { #expect(result.operation.responseData == body) }
        }

        static let text = Data("Fifteen bytes!\n".utf8)
        static let fixedLength = Reply.response(headers: ["Connection": "close"], body: text)
        static let chunked = Reply.chunked(
            headers: ["Connection": "close"], chunks: ["Fifteen", " bytes!\n"], trailers: ["X-Trailer": "1"])

        @Test func truncatedFixedLengthReplyFails() async throws {
            try expectSuccessOnlyAtTheEnd(try await sweep(Self.fixedLength), body: Self.text)
        }

        @Test func resetReplyFails() async throws {
            for result in try await sweep(Self.fixedLength, end: .reset).dropLast() {
                #expect(!result.isSuccess, "a success after \(result.byteCount) bytes")
            }
        }

        @Test func receivedPartOfTheBodyIsReported() async throws {
            let headByteCount = Self.fixedLength.bytes.count - Self.text.count
            let statusLineByteCount = "HTTP/1.1 200 OK\r\n".utf8.count
            for result in try await sweep(Self.fixedLength).dropLast() {
                let arrived = max(0, result.byteCount - headByteCount)
                let hasBegun = result.byteCount >= statusLineByteCount
                #expect(result.operation.receivedByteCount == Int64(arrived))
                #expect(result.operation.code == (hasBegun ? .badServerResponse : .connectionLost))
                #expect(result.operation.statusCode == (result.byteCount < headByteCount ? nil : 200))
            }
        }

        @Test func truncatedChunkedReplyFails() async throws {
            try expectSuccessOnlyAtTheEnd(try await sweep(Self.chunked), body: Self.text)
        }

        @Test func truncatedGzippedReplyFails() async throws {
            let headers: WireFields = ["Connection": "close", "Content-Encoding": "gzip"]
            let body = Data(CodedBody.gzip)
            let text = Data(CodedBody.text.utf8)
            let framed = Reply.response(headers: headers, body: body)
            try expectSuccessOnlyAtTheEnd(try await sweep(framed), body: text)
            let unframed = Reply.response(headers: headers, body: body, addsContentLength: false)
            try expectSuccessOnlyAtTheEnd(try await sweep(unframed), body: text)
            let chunked = Reply.chunked(headers: headers, chunks: [body])
            try expectSuccessOnlyAtTheEnd(try await sweep(chunked), body: text)
        }

        @Test func replyToHEADIsCompleteWithItsHead() async throws {
            let results = try await sweep(.response(headers: ["Content-Length": "1000"]), method: "HEAD")
            try expectSuccessOnlyAtTheEnd(results, body: Data())
        }

        @Test func truncatedReplyOverTLSFails() async throws {
            for end in [Reply.Step.close, .closeWithoutNotice] {
                let results = try await sweep(Self.fixedLength, tls: .localhost, end: end)
                try expectSuccessOnlyAtTheEnd(results, body: Self.text)
            }
        }

        @Test(arguments: [TestServer.TLSVersion.v12, .v13], ["HTTP/1.1", "HTTP/1.0"])
        func unframedBodyOverTLSNeedsACloseNotice(tls: TestServer.TLSVersion, version: String) async throws {
            var options = TestServer.Options()
            (options.certificate, options.tlsVersion) = (.localhost, tls)
            let reply = Reply.raw("\(version) 200 OK\r\n\r\nwhole")
            let script: TestServer.Script = { reply.then($0.path == "/notice" ? .close : .closeWithoutNotice) }
            try await TestServer.serving(options, script: script) { server in
                for _ in 0..<3 {
                    let noticed = await get(server.url("/notice"), try .trustingTestAuthority)
                    #expect(noticed.error == nil)
                    #expect(noticed.responseString == "whole")
                    let broken = await get(server.url("/broken"), try .trustingTestAuthority)
                    #expect(broken.code == .badServerResponse)
                    #expect(broken.responseString == "whole")
                }
            }
        }

        /// A new connection can get the memory of a closed connection before the library asks for the closed
        /// connection's notice.
        @Test func closeNoticesAreRecognizedOnManyConnections() async throws {
            var options = TestServer.Options()
            options.certificate = .localhost
            let script: TestServer.Script = { _ in Reply.raw("HTTP/1.1 200 OK\r\n\r\nwhole").then(.close) }
            try await TestServer.serving(options, script: script) { server in
                var configuration = RequestOperationManager.Configuration()
                configuration.maximumConcurrentTransferCount = 32
                configuration.maximumConcurrentTransferCountPerOrigin = 32
                let manager = RequestOperationManager(configuration: configuration)
                manager.securityPolicy = try SecurityPolicy(authorities: .file(TestCertificate.localhost.caPath))
                manager.responseSerializer = HTTPResponseSerializer()
                let operations = (0..<400).map { manager.operation(with: URLRequest(url: server.url("/\($0)"))) }
                manager.operationQueue.addOperations(operations)
                for operation in operations { try await operation.waitUntilEnded() }
                #expect(operations.compactMap(\.error).isEmpty)
                #expect(operations.allSatisfy { $0.responseString == "whole" })
            }
        }

        @Test func truncatedGzipDataCannotBeDecoded() async throws {
            let script: TestServer.Script = { request in
                let byteCount = Int(request.path.dropFirst()) ?? 0
                return .response(headers: ["Content-Encoding": "gzip"], body: Data(CodedBody.gzip.prefix(byteCount)))
            }
            try await TestServer.serving(script: script) { server in
                for byteCount in 1..<CodedBody.gzip.count {
                    #expect(await get(server.url("/\(byteCount)")).code == .cannotDecodeBody, "\(byteCount) bytes")
                }
                #expect(await get(server.url("/\(CodedBody.gzip.count)")).responseString == CodedBody.text)
            }
        }
    }
}
