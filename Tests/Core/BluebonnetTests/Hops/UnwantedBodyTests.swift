// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// The body of a redirect, or of an answered challenge, is never delivered and is not awaited. The head decides
    /// what follows, however the body is framed and whether it ends or not.
    @Suite struct UnwantedBodyTests {
        private static let statuses = [301, 302, 303, 307, 308]
        static let certificates: [TestCertificate?] = [nil, .localhost]

        /// Redirects `/STATUS/BODY` to `/end`, with that body from the table.
        static let redirects: TestServer.Script = { request in
            let parts = request.path.split(separator: "/").compactMap { Int($0) }
            guard parts.count == 2 else { return .response(body: "there") }
            return EndlessBody.all[parts[1]].reply(status: parts[0], headers: ["Location": "/end"], text: "moved")
        }

        static func serving(
            _ certificate: TestCertificate?, _ script: @escaping TestServer.Script,
            _ body: (TestServer, TransferOptions) async throws -> Void
        ) async throws {
            var options = TestServer.Options()
            options.certificate = certificate
            try await TestServer.serving(options, script: script) { server in
                try await body(server, .withoutIdleLimit(trusting: certificate))
            }
            await closeIdleConnections()
        }

        @Test(arguments: certificates) func redirectIsFollowedWithoutWaitingForItsBody(certificate: TestCertificate?)
            async throws
        {
            try await Self.serving(certificate, Self.redirects) { server, options in
                let manager = RequestOperationManager.crowded(options)
                let paths = Self.statuses.flatMap { status in
                    EndlessBody.all.indices.map { "/\(status)/\($0)" }
                }
                let operations = manager.start(paths.map { server.url($0) })
                for (path, operation) in zip(paths, operations) {
                    try await operation.waitUntilEnded()
                    #expect(operation.error == nil, "\(path)")
                    #expect(operation.responseString == "there", "\(path)")
                    #expect(operation.summary.redirectCount == 1, "\(path)")
                }
                #expect(server.requests.count == 2 * paths.count)
            }
        }

        /// A body that breaks off is not delivered either.
        @Test(arguments: [Reply.Step.close, .reset, .closeWithoutNotice], certificates)
        func redirectIsFollowedWhenItsBodyBreaksOff(end: Reply.Step, certificate: TestCertificate?) async throws {
            let framings: [EndlessBody.Framing] = [.chunks, .length]
            for framing in framings {
                let gate = Gate()
                let body = EndlessBody(framing: framing, pace: .silent)
                let begun = body.reply(status: 302, headers: ["Location": "/end"], text: "moved").bytes
                let script: TestServer.Script = { request in
                    guard request.path == "/start" else { return .response(body: "there") }
                    return Reply([.bytes(begun), .wait(until: gate), end])
                }
                try await Self.serving(certificate, script) { server, options in
                    let operation = RequestOperation(request: URLRequest(url: server.url("/start")), options: options)
                    operation.onRedirect = { _, proposed, _ in
                        gate.open()  // the head has arrived: the end cannot overtake it
                        return proposed
                    }
                    #expect(await operation.run().responseString == "there", "\(framing)")
                    #expect(operation.error == nil, "\(framing)")
                }
            }
        }

        // MARK: Reuse of the connection

        /// Bodies up to the limit that come with their head: the connection is reused.
        @Test(arguments: certificates) func connectionIsKeptIfTheBodyEndsSoon(certificate: TestCertificate?)
            async throws
        {
            let headers: WireFields = ["Location": "/end"]
            var replies = [0, 1, 500, 16_384, 65_536].map {
                Reply.response(status: 302, headers: headers, body: Data(count: $0))
            }
            replies.append(.chunked(status: 302, headers: headers, chunks: ["moved", " there"]))
            for reply in replies {
                let whole = Reply.raw(reply.bytes)  // in one piece: the server makes no pause in between
                let script: TestServer.Script = { $0.path == "/start" ? whole : .response(body: "there") }
                try await Self.serving(certificate, script) { server, options in
                    for _ in 0..<3 {
                        #expect(await get(server.url("/start"), options).responseString == "there")
                    }
                    #expect(server.connectionCount == 1, "\(whole.bytes.count) bytes")
                    #expect(server.requests.count == 6)
                }
            }
        }

        @Test(arguments: certificates) func connectionIsClosedIfTheBodyIsLarge(certificate: TestCertificate?)
            async throws
        {
            let reply = Reply.response(status: 302, headers: ["Location": "/end"], body: Data(count: 65_537))
            let script: TestServer.Script = { $0.path == "/start" ? reply : .response(body: "there") }
            try await Self.serving(certificate, script) { server, options in
                #expect(await get(server.url("/start"), options).responseString == "there")
                #expect(server.requests.map(\.connection) == [1, 2])
            }
        }

        // MARK: Challenges, and answers to range requests

        @Test(arguments: ["Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"n\", qop=\"auth\""], certificates)
        func challengeIsAnsweredWithoutWaitingForItsBody(challenge: String, certificate: TestCertificate?)
            async throws
        {
            let script: TestServer.Script = { request in
                guard request.headers["Authorization"] == nil, let index = Int(request.path.dropFirst()) else {
                    return .response(body: "come in")
                }
                return EndlessBody.all[index].reply(
                    status: 401, headers: ["WWW-Authenticate": challenge], text: "who?")
            }
            try await Self.serving(certificate, script) { server, options in
                var options = options
                options.credential = URLCredential(user: "user", password: "secret", persistence: .none)
                let manager = RequestOperationManager.crowded(options)
                let operations = manager.start(EndlessBody.all.indices.map { server.url("/\($0)") })
                for (body, operation) in zip(EndlessBody.all, operations) {
                    try await operation.waitUntilEnded()
                    #expect(operation.error == nil, "\(body)")
                    #expect(operation.responseString == "come in", "\(body)")
                }
                #expect(server.requests.count == 2 * operations.count)
            }
        }

        /// The response to a request for the rest of a body. The body of this response does not end.
        enum RangeAnswer: CaseIterable {
            /// Nothing is left: the body was complete.
            case nothingMore
            /// A part of another representation: the whole is requested again.
            case otherPart
        }

        @Test(arguments: RangeAnswer.allCases, EndlessBody.Framing.allCases)
        func rangeResponseIsAcceptedAtItsHead(answer: RangeAnswer, framing: EndlessBody.Framing) async throws {
            let text = "a body that is all there"
            let file = Representation(body: Data(text.utf8), etag: "\"one\"")
            let begun = Reply.chunked(headers: ["ETag": "\"one\""], chunks: [text])
            let script: TestServer.Script = { request in
                if request.connection == 1 { return begun.cut(afterByteCount: begun.bytes.count - 5, then: .stall) }
                guard let offset = Representation.offset(of: request) else { return file.whole }
                let body = EndlessBody(framing: framing, pace: .silent)
                switch answer {
                case .nothingMore:
                    return body.reply(status: 416, headers: ["ETag": "\"one\"", "Content-Range": "bytes */\(offset)"])
                case .otherPart:
                    return body.reply(status: 206, headers: ["ETag": "\"two\"", "Content-Range": "bytes 0-1/9"])
                }
            }
            try await TestServer.serving(script: script) { server in
                let received = Gate()
                let operation = RequestOperation(
                    request: URLRequest(url: server.url()), options: .withoutIdleLimit)
                operation.onDownloadProgress = { _, total, _ in if total == text.utf8.count { received.open() } }
                operation.start()
                await received.wait()
                operation.pause()
                await server.waitForConnectionsToClose()
                operation.resume()
                try await operation.waitUntilEnded()
                #expect(operation.error == nil)
                #expect(operation.responseString == text)
                #expect(server.requests.count == (answer == .nothingMore ? 2 : 3))
            }
        }

        // MARK: Uploads

        private static let bodiesBeforeTheUpload = [
            EndlessBody(framing: .connectionEnd, pace: .silent), EndlessBody(framing: .chunks, pace: .silent),
            EndlessBody(framing: .length, pace: .dripping), EndlessBody(framing: .chunks, pace: .flooding),
        ]

        /// The head arrives while the request's body is being sent, to a server that reads none of it.
        @Test(arguments: bodiesBeforeTheUpload, [303, 307])
        func redirectIsFollowedDuringTheUpload(body: EndlessBody, status: Int) async throws {
            let upload = Data(count: 20_000_000)  // more than sockets hold
            try await TestServer.answering(.response(body: "there")) { other in
                let redirect = body.reply(status: status, headers: ["Location": other.url("/end").absoluteString])
                var options = TestServer.Options()
                options.readsBodies = false
                try await TestServer.answering(redirect, options) { server in
                    for isStream in [false, true] {
                        var request = URLRequest("POST", server.url("/start"))
                        request.httpBody = isStream ? nil : upload
                        let operation = RequestOperation(request: request, options: .withoutIdleLimit)
                        if isStream {
                            operation.inputStream = InputStream(data: upload)
                            operation.onNeedNewBodyStream = { InputStream(data: upload) }
                        }
                        #expect(await operation.run().error == nil)
                        #expect(operation.responseString == "there")
                        #expect(other.requests.last?.method == (status == 303 ? "GET" : "POST"))
                        #expect(other.requests.last?.body.count == (status == 303 ? 0 : upload.count))
                    }
                }
            }
        }
    }
}
