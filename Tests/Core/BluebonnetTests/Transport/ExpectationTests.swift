// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// A caller can make the body wait for the server's `100 Continue` (RFC 9110, 10.1.1). The library never does so
    /// itself.
    @Suite struct ExpectationTests {
        /// The source of the body.
        enum Source: CaseIterable { case data, largeData, file, stream }

        /// How a response announces that the server closes its connection.
        enum ClosingManner: CaseIterable {
            case field, version

            var refusal: Reply {
                switch self {
                case .field: .response(status: 417, headers: ["Connection": "close"], body: "refused")
                case .version: .raw("HTTP/1.0 417 Expectation Failed\r\nContent-Length: 7\r\n\r\nrefused")
                }
            }
        }

        private static let expectation = ["Expect": "100-continue"]
        private static let small = Data("payload".utf8)
        private static let large = Data.patterned(byteCount: 100_000)

        private static func operation(
            _ method: String, _ url: URL, _ source: Source, _ folder: TemporaryFolder
        ) throws -> (operation: RequestOperation, body: Data) {
            var request = URLRequest(method, url, headers: ["Expect": "100-continue", "X-Mark": "kept"])
            let body = source == .data ? small : large
            switch source {
            case .data, .largeData: request.httpBody = body
            case .stream: request.httpBodyStream = InputStream(data: body)
            case .file: break
            }
            let operation = RequestOperation(request: request)
            if source == .file { operation.uploadFile = URL(fileURLWithPath: try folder.write("body", body)) }
            return (operation, body)
        }

        /// An operation whose body fills the buffers between client and server.
        private static func hugeOperation(
            _ url: URL, _ source: Source, _ folder: TemporaryFolder
        ) throws -> RequestOperation {
            var request = URLRequest("POST", url, headers: expectation)
            let body = Data(count: 20_000_000)
            if source == .largeData { request.httpBody = body }
            if source == .stream { request.httpBodyStream = InputStream(data: body) }
            let operation = RequestOperation(request: request)
            if source == .file { operation.uploadFile = URL(fileURLWithPath: try folder.write("body", body)) }
            return operation
        }

        private static func serving(
            _ script: @escaping TestServer.Script, _ body: (TestServer) async throws -> Void
        ) async throws {
            var options = TestServer.Options()
            options.refusesExpectations = true
            try await TestServer.serving(options, script: script, body)
        }

        @Test(arguments: [small, large]) func bodyWaitsForTheContinueResponse(body: Data) async throws {
            try await TestServer.answering(.response(body: "received")) { server in
                var request = URLRequest("POST", server.url(), headers: ["Expect": "100-continue"])
                request.httpBody = body
                #expect(await perform(request).responseString == "received")
                request.setValue(nil, forHTTPHeaderField: "Expect")
                #expect(await perform(request).responseString == "received")
                #expect(server.requests.map { $0.headers["Expect"] } == ["100-continue", nil])
                #expect(server.requests.allSatisfy { $0.body.elementsEqual(body) })
                #expect((server.requests.first?.pieceCount ?? 0) > 1)
            }
        }

        @Test func bodyOverHTTP2FollowsWithoutAnExpectation() async throws {
            let script: TestServer.Script = { _ in .response(body: "received") }
            try await HTTP2Fixture.with(script: script) { fixture in
                for body in [Self.small, Self.large] {
                    var request = URLRequest("POST", fixture.url("/"), headers: ["Expect": "100-continue"])
                    request.httpBody = body
                    let operation = await perform(request, fixture.options)
                    #expect(operation.responseString == "received")
                    #expect(operation.httpVersion == "2")
                    #expect(fixture.server.requests.last?.body.elementsEqual(body) == true)
                }
            }
        }

        /// The server has not processed the request, so any method may be sent again. The request must not use the
        /// same connection: there the server may take the next bytes for the body that was promised (RFC 9110,
        /// 10.1.1).
        @Test(arguments: Source.allCases, [false, true]) func requestIsResentWithoutTheRefusedExpectation(
            source: Source, closes: Bool
        ) async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let fields: WireFields = closes ? ["Connection": "close"] : [:]
            let refusal = Reply.response(status: 417, headers: fields, body: "refused")
            let script: TestServer.Script = {
                guard $0.headers["Expect"] != nil else { return .response(body: "received") }
                return closes ? Reply(refusal.steps + [.close]) : refusal
            }
            for method in ["POST", "PUT"] {
                try await Self.serving(script) { server in
                    let (operation, body) = try Self.operation(method, server.url(), source, folder)
                    #expect(await operation.run().error == nil)
                    #expect(operation.responseString == "received")
                    #expect(operation.statusCode == 200)
                    #expect(server.requests.map { $0.headers["Expect"] } == ["100-continue", nil])
                    #expect(server.requests.map { $0.headers["X-Mark"] } == ["kept", "kept"])
                    #expect(server.requests.map(\.body.count) == [0, body.count])
                    #expect(server.requests.last?.body.elementsEqual(body) == true)
                    #expect(server.requests.map(\.connection) == [1, 2])
                    #expect(await get(server.url()).responseString == "received")
                    #expect(server.requests.map(\.connection) == [1, 2, 2])
                    await server.wait { !$0.connections[0].isOpen }
                    #expect(server.history.connections[0].receivedByteCount < 1_000)
                }
            }
        }

        /// The time on the first connection counts too.
        @Test func timingsIncludeTheRefusedAttempt() async throws {
            let script: TestServer.Script = {
                guard $0.headers["Expect"] != nil else { return .response(body: "received") }
                return Reply([.delay(.milliseconds(300))] + Reply.response(status: 417).steps)
            }
            try await Self.serving(script) { server in
                let request = URLRequest("POST", server.url(), headers: Self.expectation, body: "payload")
                let summary = await perform(request).summary
                #expect(summary.timings.firstByte >= .milliseconds(290))
                #expect(summary.timings.total >= summary.timings.firstByte)
                #expect(!summary.isReused)
            }
        }

        @Test(arguments: ["", "refused"]) func secondRefusalIsTheResponse(text: String) async throws {
            let script: TestServer.Script = { _ in .response(status: 417, body: text) }
            try await Self.serving(script) { server in
                let request = URLRequest("POST", server.url(), headers: ["Expect": "100-continue"], body: "payload")
                let operation = await perform(request)
                #expect(operation.error == nil)
                #expect(operation.statusCode == 417)
                #expect(operation.responseString == text)
                #expect(server.requests.map { $0.headers["Expect"] } == ["100-continue", nil])
            }
        }

        @Test(arguments: ["", "refused"]) func refusalOfACompleteRequestIsTheResponse(text: String) async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            var options = TestServer.Options()
            options.sendsContinue = false
            try await TestServer.answering(.response(status: 417, body: text), options) { server in
                var operations = [RequestOperation(request: URLRequest("GET", server.url(), headers: Self.expectation))]
                for source in Source.allCases {
                    operations.append(try Self.operation("POST", server.url(), source, folder).operation)
                }
                for operation in operations {
                    #expect(await operation.run().error == nil)
                    #expect(operation.statusCode == 417)
                    #expect(operation.responseString == text)
                }
                let (small, large) = (Self.small.count, Self.large.count)
                #expect(server.requests.map(\.body.count) == [0, small, large, large, large])
                // A request without a body does not wait, so it asks for nothing.
                let asked = server.requests.map { $0.headers["Expect"] }
                #expect(asked == [nil] + Source.allCases.map { _ in "100-continue" })
            }
        }

        /// libcurl reads the bytes that arrive before the connection ends.
        @Test(arguments: [Source.largeData, .file, .stream], ClosingManner.allCases)
        func
            closingRefusalDuringTheBodyIsTheResponse(source: Source, manner: ClosingManner) async throws
        {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            var options = TestServer.Options()
            options.readsBodies = false
            let begun = Gate()
            let reply = Reply([.wait(until: begun)] + manner.refusal.steps)
            try await TestServer.answering(reply, options) { server in
                let operation = try Self.hugeOperation(server.url(), source, folder)
                operation.onUploadProgress = { _, sent, _ in if sent > 0 { begun.open() } }
                #expect(await operation.run().error == nil)
                #expect(operation.statusCode == 417)
                #expect(operation.responseString == "refused")
                #expect(server.requests.count == 1)
                #expect(await get(server.url()).statusCode == 417)
                #expect(server.connectionCount == 2)
            }
        }

        /// libcurl would discard the response's body and send the request again.
        @Test(arguments: [Source.largeData, .file, .stream]) func refusalDuringTheBodyIsAnError(
            source: Source
        ) async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let begun = Gate()
            var options = TestServer.Options()
            options.readsBodies = false
            let refusal = Reply([.wait(until: begun)] + Reply.response(status: 417, body: "refused").steps)
            try await TestServer.answering(refusal, options) { server in
                let operation = try Self.hugeOperation(server.url(), source, folder)
                operation.onUploadProgress = { _, sent, _ in if sent > 0 { begun.open() } }
                #expect(await operation.run().statusCode == 417)
                #expect(operation.error?.code == .badServerResponse)
                #expect(operation.error?.message.contains("refused the expectation (417)") == true)
                #expect(server.requests.count == 1)
                #expect(server.connectionCount == 1)
                // The connection is closed, and its handle is fit for other requests.
                #expect(await get(server.url()).statusCode == 417)
                #expect(server.connectionCount == 2)
            }
        }
    }
}
