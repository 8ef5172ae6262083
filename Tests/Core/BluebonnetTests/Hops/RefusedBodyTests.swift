// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// Responses with a refused status. The status is the error whatever happens to the body, and the error holds the
    /// part of the body that arrived.
    @Suite struct RefusedBodyTests {
        private static let statuses = [305, 401, 404, 500, 503]
        private static let text = "the reason"

        private static func underlying(_ operation: RequestOperation) -> NetworkingError.Code? {
            (operation.error?.underlying as? NetworkingError)?.code
        }

        private static func options(_ certificate: TestCertificate? = nil) throws -> TransferOptions {
            var options = try TransferOptions.withoutIdleLimit(trusting: certificate)
            options.maximumBodyByteCount = 1 << 20
            return options
        }

        @Test(arguments: UnwantedBodyTests.certificates)
        func endlessBodyIsNotAwaited(certificate: TestCertificate?) async throws {
            let script: TestServer.Script = { request in
                let parts = request.path.split(separator: "/").compactMap { Int($0) }
                return EndlessBody.all[parts[1]].reply(
                    status: parts[0], headers: ["Location": "/end"], text: Self.text)
            }
            try await UnwantedBodyTests.serving(certificate, script) { server, _ in
                let manager = RequestOperationManager.crowded(try Self.options(certificate))
                for turn in Self.turns {
                    let urls = turn.map { server.url("/\($0.status)/\($0.index)") }
                    for (row, operation) in zip(turn, manager.start(urls)) {
                        try await operation.waitUntilEnded()
                        Self.expect(operation, row.status, EndlessBody.all[row.index])
                    }
                }
                #expect(server.requests.count == Self.statuses.count * EndlessBody.all.count)
            }
        }

        /// Each status with each body, in groups so small that a slow machine is never late: a body whose bytes are
        /// late is a silent one.
        private static let turns: [[(status: Int, index: Int)]] =
            [(EndlessBody.Pace.silent, 25), (.dripping, 13), (.flooding, 4)].flatMap { pace, count in
                let indices = EndlessBody.all.indices.filter { EndlessBody.all[$0].pace == pace }
                let rows = statuses.flatMap { status in indices.map { (status: status, index: $0) } }
                return stride(from: 0, to: rows.count, by: count).map { Array(rows[$0..<min($0 + count, rows.count)]) }
            }

        private static func expect(_ operation: RequestOperation, _ status: Int, _ body: EndlessBody) {
            let comment = Comment(rawValue: "\(status) \(body)")
            #expect(operation.code == .unacceptableStatus, comment)
            #expect(operation.statusCode == status, comment)
            #expect(operation.error?.response?.statusCode == status, comment)
            #expect(operation.hasGivenUpBody == (body.pace != .flooding), comment)
            if body.pace == .flooding { #expect(underlying(operation) == .bodyTooLarge, comment) }
            let kept = operation.error?.body ?? Data()
            #expect(kept.starts(with: Data(text.utf8)), comment)
            #expect(kept.dropFirst(text.utf8.count).allSatisfy { $0 == UInt8(ascii: "x") }, comment)
            #expect((kept.count > text.utf8.count) == (body.pace != .silent), comment)
            #expect(kept.count <= 1 << 20, comment)
        }

        /// The body takes longer than a body may be silent, but no pause is that long.
        @Test func steadyBodyIsKeptWhole() async throws {
            let body = Data.patterned(byteCount: 30_000)
            let head = "HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n"
            let chunk = { (bytes: Data) in Data("3e8\r\n".utf8) + bytes + Data("\r\n".utf8) }
            let chunks = stride(from: 0, to: body.count, by: 1000).map { chunk(body[$0..<$0 + 1000]) }
            let drip = Reply.Step.drip(Data(chunks.joined()), chunk: chunks[0].count, every: .milliseconds(60))
            let reply = Reply([.bytes(Data(head.utf8)), drip, .bytes(Data("0\r\n\r\n".utf8))])
            try await TestServer.answering(reply) { server in
                let operation = await HTTPRequestOperation(request: URLRequest(url: server.url())).run()
                #expect(operation.code == .unacceptableStatus)
                #expect(operation.error?.underlying == nil)
                #expect(operation.error?.body == body)
                #expect(operation.summary.timings.total > .seconds(1))
            }
        }

        @Test func steadyEndlessBodyIsGivenUp() async throws {
            let body = EndlessBody(framing: .chunks, pace: .steady)
            try await TestServer.answering(body.reply(status: 500, text: Self.text)) { server in
                let request = URLRequest(url: server.url())
                let operation = await HTTPRequestOperation(request: request, options: try Self.options()).run()
                Self.expect(operation, 500, body)
                #expect(operation.summary.timings.total > .seconds(9))
            }
        }

        // MARK: Broken bodies

        /// A body that cannot be read, and the underlying error of the status.
        struct BrokenBody: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let reply: Reply
            let code: NetworkingError.Code

            init(_ name: String, _ code: NetworkingError.Code, _ headers: WireFields, _ body: String) {
                let lines = headers.fields.map { "\($0.name): \($0.value)\r\n" }.joined()
                reply = Reply.raw("HTTP/1.1 404 Not Found\r\n\(lines)\r\n\(body)").then(.close)
                testDescription = name
                self.code = code
            }

            static let all = [
                BrokenBody("cut in its length", .badServerResponse, ["Content-Length": "100"], text),
                BrokenBody(
                    "cut in its chunks", .badServerResponse, ["Transfer-Encoding": "chunked"], "a\r\n\(text)\r\n"),
                BrokenBody(
                    "no chunk", .badServerResponse, ["Transfer-Encoding": "chunked"], "a\r\n\(text)\r\nzz\r\n"),
                BrokenBody("coding without an end", .cannotDecodeBody, ["Content-Encoding": "gzip"], "\u{1F}"),
                BrokenBody("not in its coding", .cannotDecodeBody, ["Content-Encoding": "gzip"], text),
            ]
        }

        @Test(arguments: BrokenBody.all) func statusRemainsTheErrorOfABrokenBody(body: BrokenBody) async throws {
            let folder = try DownloadFolder()
            defer { folder.remove() }
            try await TestServer.answering(body.reply) { server in
                let download = folder.operation(URLRequest(url: server.url()), .withoutIdleLimit)
                for operation in [HTTPRequestOperation(request: URLRequest(url: server.url())), download] {
                    #expect(await operation.run().code == .unacceptableStatus)
                    #expect(Self.underlying(operation) == body.code)
                    #expect(operation.statusCode == 404)
                    if body.code == .badServerResponse { #expect(operation.error?.body == Data(Self.text.utf8)) }
                }
                #expect(folder.names == [])
                // Nothing refuses the status here, so the result is the body, which is broken.
                #expect(await get(server.url()).code == body.code)
            }
        }

        /// With a body that ends, and with one that does not.
        @Test(arguments: [("br", true), ("x-own", true), ("gzip, br", true), ("br, gzip", true), ("br", false)])
        func bodyInAnUnknownCodingIsKeptUndecoded(coding: String, isWhole: Bool) async throws {
            let fields: WireFields = ["Content-Encoding": coding]
            let endless = EndlessBody(framing: .chunks, pace: .silent)
            let reply =
                isWhole
                ? Reply.response(status: 404, headers: fields, body: Self.text)
                : endless.reply(status: 404, headers: fields, text: Self.text)
            let folder = try DownloadFolder()
            defer { folder.remove() }
            try await TestServer.answering(reply) { server in
                let download = folder.operation(URLRequest(url: server.url()), .withoutIdleLimit)
                for operation in [HTTPRequestOperation(request: URLRequest(url: server.url())), download] {
                    #expect(await operation.run().code == .unacceptableStatus)
                    #expect(Self.underlying(operation) == .cannotDecodeBody)
                    #expect(operation.error?.body == Data(Self.text.utf8))
                }
                #expect(folder.names == [])
            }
        }

        /// A fault in the body of one response does not affect the body of the next one.
        @Test func pauseDiscardsTheCodingOfTheFirstResponse() async throws {
            let first = EndlessBody(framing: .chunks, pace: .silent)
                .reply(status: 404, headers: ["Content-Encoding": "br"], text: Self.text)
            let script: TestServer.Script = { $0.connection == 1 ? first : .response(status: 404, body: "the end") }
            try await TestServer.serving(script: script) { server in
                let operation = HTTPRequestOperation(request: URLRequest(url: server.url()), options: .withoutIdleLimit)
                await Self.pauseInTheBody(operation)
                operation.resume()
                try await operation.waitUntilEnded()
                #expect(operation.code == .unacceptableStatus)
                #expect(operation.error?.underlying == nil)
                #expect(operation.error?.body == Data("the end".utf8))
            }
        }

        /// Starts an operation, and pauses it when a part of the body has arrived.
        private static func pauseInTheBody(_ operation: RequestOperation) async {
            let received = Gate()
            operation.onDownloadProgress = { _, total, _ in if total > 0 { received.open() } }
            operation.start()
            await received.wait()
            operation.pause()
            await networkThreadAnswers()
            #expect(operation.isPaused)
        }

        @Test(arguments: [Reply.Step.reset, .closeWithoutNotice], UnwantedBodyTests.certificates)
        func statusRemainsTheErrorAfterALostConnection(end: Reply.Step, certificate: TestCertificate?) async throws {
            let gate = Gate()
            let begun = Data("HTTP/1.1 500 Error\r\nContent-Length: 100\r\n\r\n\(Self.text)".utf8)
            let script: TestServer.Script = { _ in Reply([.bytes(begun), .wait(until: gate), end]) }
            try await UnwantedBodyTests.serving(certificate, script) { server, options in
                let operation = HTTPRequestOperation(request: URLRequest(url: server.url()), options: options)
                operation.onDownloadProgress = { _, total, _ in if total > 0 { gate.open() } }
                #expect(await operation.run().code == .unacceptableStatus)
                #expect(operation.error?.body == Data(Self.text.utf8))
                #expect(operation.error?.underlying != nil)
            }
        }

        // MARK: Limits, files and decisions

        @Test(arguments: [EndlessBody.Pace.silent, .dripping], [false, true])
        func statusRemainsTheErrorAfterATimeLimit(pace: EndlessBody.Pace, isIdleLimit: Bool) async throws {
            guard pace == .silent || !isIdleLimit else { return }
            let reply = EndlessBody(framing: .chunks, pace: pace).reply(status: 404, text: Self.text)
            try await TestServer.answering(reply) { server in
                let options = TransferOptions {
                    $0.timeouts.idle = isIdleLimit ? .milliseconds(600) : .zero
                    $0.timeouts.total = isIdleLimit ? nil : .milliseconds(600)
                }
                let operation = await HTTPRequestOperation(request: URLRequest(url: server.url()), options: options)
                    .run()
                #expect(operation.code == .unacceptableStatus)
                #expect(operation.statusCode == 404)
                #expect(Self.underlying(operation) == .timedOut)
                #expect(!operation.hasGivenUpBody)
                #expect(operation.error?.body?.starts(with: Data(Self.text.utf8)) == true)
            }
        }

        @Test(arguments: EndlessBody.Pace.brief) func refusedDownloadLeavesNoFile(pace: EndlessBody.Pace) async throws {
            let body = EndlessBody(framing: .chunks, pace: pace)
            let folder = try DownloadFolder()
            defer { folder.remove() }
            try await TestServer.answering(body.reply(status: 404, text: Self.text)) { server in
                let operation = await folder.download(server.url(), try Self.options())
                Self.expect(operation, 404, body)
                #expect(folder.names == [])
            }
        }

        @Test func continuableDownloadIsKept() async throws {
            let folder = try DownloadFolder()
            defer { folder.remove() }
            let file = Representation(body: .patterned(byteCount: 200_000), etag: "\"one\"")
            let half = file.whole.cut(afterByteCount: file.whole.bytes.count - 100_000)
            let refusal = EndlessBody(framing: .chunks, pace: .silent).reply(status: 503, text: Self.text)
            let script: TestServer.Script = { [half, refusal] in
                [half, refusal].indices.contains($0.connection - 1)
                    ? [half, refusal][$0.connection - 1] : file.answer(to: $0)
            }
            try await TestServer.serving(script: script) { server in
                #expect(await folder.download(server.url(), .withoutIdleLimit).code == .badServerResponse)
                let kept = folder.partialContents
                #expect(kept?.isEmpty == false)
                #expect(await folder.download(server.url(), .withoutIdleLimit).hasGivenUpBody)
                #expect(folder.partialContents == kept)
                #expect(await folder.download(server.url(), .withoutIdleLimit).error == nil)
                #expect(folder.contents == file.body)
                #expect(server.requests.last?.headers["Range"] != nil)
            }
        }

        @Test(arguments: ["GET", "POST"]) func bodyIsAwaitedAgainAfterAPause(method: String) async throws {
            let reply = EndlessBody(framing: .chunks, pace: .silent).reply(status: 404, text: Self.text)
            try await TestServer.answering(reply) { server in
                let operation = HTTPRequestOperation(
                    request: URLRequest(method, server.url()), options: .withoutIdleLimit)
                await Self.pauseInTheBody(operation)
                operation.resume()
                try await operation.waitUntilEnded()
                #expect(operation.hasGivenUpBody)
                #expect(operation.error?.body == Data(Self.text.utf8))
                #expect(server.requests.count == (method == "GET" ? 2 : 1))
            }
        }

        @Test func cancelDuringTheBodyIsTheError() async throws {
            let reply = EndlessBody(framing: .chunks, pace: .silent).reply(status: 404, text: Self.text)
            try await TestServer.answering(reply) { server in
                let operation = HTTPRequestOperation(request: URLRequest(url: server.url()), options: .withoutIdleLimit)
                operation.onDownloadProgress = { [weak operation] _, total, _ in if total > 0 { operation?.cancel() } }
                #expect(await operation.run().code == .cancelled)
                #expect(operation.statusCode == 404)
            }
        }
    }
}
