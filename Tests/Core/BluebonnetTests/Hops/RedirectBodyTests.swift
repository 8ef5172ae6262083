// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// Redirects of every method, every status and every kind of body (RFC 9110, 15.4; HTTP-redirect fetch in the
    /// Fetch standard).
    @Suite struct RedirectBodyTests {
        /// Where a body comes from, and whether it can be read a second time.
        enum Source: CaseIterable {
            case none, data, file, replayableStream, declaredStream, streamMadeAnew, streamUsedOnce

            var isStream: Bool { ![.none, .data, .file].contains(self) }
        }

        private static let body = Data("a payload of a few bytes".utf8)
        private static let methods = [
            "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "QUERY", "X-CUSTOM",
        ]
        private static let statuses = [301, 302, 303, 307, 308]

        /// The request that the target must see, according to the standards and not to the code.
        private static func target(of method: String, after status: Int) -> (method: String, keepsBody: Bool) {
            if status == 303, !["GET", "HEAD"].contains(method) { return ("GET", false) }
            if method == "POST", [301, 302].contains(status) { return ("GET", false) }
            return (method, true)
        }

        private static func operation(
            _ method: String, _ url: URL, _ source: Source, _ folder: TemporaryFolder
        ) throws -> RequestOperation {
            var request = URLRequest(method, url)
            if source != .none { request.setValue("text/x-test", forHTTPHeaderField: "Content-Type") }
            switch source {
            case .none, .file: break
            case .data: request.httpBody = body
            case .replayableStream: request.httpBodyStream = ReplayedStream(data: body)
            case .declaredStream:
                request.setValue("\(body.count)", forHTTPHeaderField: "Content-Length")
                request.httpBodyStream = ReplayedStream(data: body)
            case .streamMadeAnew, .streamUsedOnce: request.httpBodyStream = InputStream(data: body)
            }
            let operation = RequestOperation(request: request)
            if source == .streamMadeAnew { operation.onNeedNewBodyStream = { InputStream(data: body) } }
            if source == .file { operation.uploadFile = URL(fileURLWithPath: try folder.write("body", body)) }
            return operation
        }

        @Test(arguments: Source.allCases) func methodAndBodyFollowTheStatus(source: Source) async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let script: TestServer.Script = { request in
                let status = request.query.flatMap { Int($0) } ?? 500
                return request.path == "/start" ? .redirect(to: "/end", status: status) : .response(body: "there")
            }
            // Servers do not agree about a GET or HEAD with a body.
            let methods = source == .none ? Self.methods : Self.methods.filter { !["GET", "HEAD"].contains($0) }
            try await TestServer.serving(script: script) { server in
                for method in methods {
                    for status in Self.statuses {
                        let count = server.requests.count
                        let operation = try Self.operation(method, server.url("/start?\(status)"), source, folder)
                        _ = await operation.run()
                        let seen = Array(server.requests.dropFirst(count))
                        expect(operation, seen, method, status, source)
                    }
                }
            }
        }

        private func expect(
            _ operation: RequestOperation, _ seen: [ReceivedRequest], _ method: String, _ status: Int, _ source: Source
        ) {
            let comment = Comment(rawValue: "\(method) \(status) \(source)")
            let (arrivesAs, keepsBody) = Self.target(of: method, after: status)
            let isSent = source != .none
            #expect(seen.first?.method == method, comment)
            #expect(seen.first?.body == (isSent ? Self.body : Data()), comment)
            if source == .streamUsedOnce && keepsBody {
                #expect(operation.code == .bodyStreamExhausted, comment)
                #expect(seen.count == 1, comment)
                return
            }
            #expect(operation.error == nil, comment)
            #expect(seen.map(\.path) == ["/start", "/end"], comment)
            #expect(seen.last?.method == arrivesAs, comment)
            #expect(seen.last?.body == (isSent && keepsBody ? Self.body : Data()), comment)
            #expect(seen.last?.headers["Content-Type"] == (isSent && keepsBody ? "text/x-test" : nil), comment)
            if !keepsBody {
                #expect(seen.last?.headers["Transfer-Encoding"] == nil, comment)
                #expect([nil, "0"].contains(seen.last?.headers["Content-Length"]), comment)
            }
        }

        @Test(arguments: [300, 304, 305, 306]) func otherStatusIsNotFollowed(status: Int) async throws {
            try await TestServer.answering(.redirect(to: "/end", status: status)) { server in
                let operation = await perform(URLRequest("POST", server.url("/start"), body: "payload"))
                #expect(operation.error == nil)
                #expect(operation.statusCode == status)
                #expect(server.requests.map(\.path) == ["/start"])
            }
        }

        /// A challenge requires the body again, as a redirect does.
        @Test(arguments: Source.allCases, ["Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"n\", qop=\"auth\""])
        func challengeSendsTheBodyAgain(source: Source, challenge: String) async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let script: TestServer.Script = { request in
                request.headers["Authorization"] == nil
                    ? .response(status: 401, headers: ["WWW-Authenticate": challenge], body: "who?")
                    : .response(body: "come in")
            }
            try await TestServer.serving(script: script) { server in
                let operation = try Self.operation("POST", server.url(), source, folder)
                operation.credential = URLCredential(user: "user", password: "secret", persistence: .none)
                _ = await operation.run()
                let sent = source == .none ? Data() : Self.body
                if source == .streamUsedOnce {
                    #expect(operation.code == .bodyStreamExhausted)
                    #expect(server.requests.map(\.body) == [sent])
                } else {
                    #expect(operation.responseString == "come in")
                    #expect(server.requests.map(\.body) == [sent, sent])
                }
            }
        }

        /// The connection turns out to be dead: an idempotent request is sent once more with its whole body; any
        /// other request is not.
        @Test(arguments: Source.allCases, ["PUT", "POST"])
        func deadConnectionResendsOnlyIdempotentRequests(source: Source, method: String) async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let script: TestServer.Script = { request in
                request.connection == 1 && request.numberOnConnection == 2 ? .close : .response(body: "answer")
            }
            try await TestServer.serving(script: script) { server in
                await get(server.url("/warm-up"))
                let operation = try Self.operation(method, server.url("/again"), source, folder)
                _ = await operation.run()
                let sent = source == .none ? Data() : Self.body
                let seen = server.requests.dropFirst().map(\.body)
                if method == "POST" {
                    #expect(operation.code == .connectionLost)
                    #expect(seen == [sent])
                } else if source == .streamUsedOnce {
                    #expect(operation.error != nil)
                    #expect(seen == [sent])
                } else {
                    #expect(operation.error == nil)
                    #expect(seen == [sent, sent])
                }
            }
        }
    }
}
