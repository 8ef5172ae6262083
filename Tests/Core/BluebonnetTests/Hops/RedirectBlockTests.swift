// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    @Suite struct RedirectBlockTests {
        /// `/a` redirects to `/b`, which redirects to `/c`.
        private static let chain: TestServer.Script = { request in
            switch request.path {
            case "/a": .redirect(to: "/b")
            case "/b": .redirect(to: "/c")
            default: .response(body: "at " + request.path)
            }
        }

        private func run(
            _ request: URLRequest, _ options: TransferOptions = TransferOptions(),
            _ block: @escaping RequestOperation.RedirectBlock
        ) async -> RequestOperation {
            let operation = RequestOperation(request: request, options: options)
            operation.onRedirect = block
            return await operation.run()
        }

        @Test func blockSeesEachHopOffTheNetworkThread() async throws {
            try await TestServer.serving(script: Self.chain) { server in
                let hops = Observed([String]())
                let operation = await run(URLRequest(url: server.url("/a"))) { operation, proposed, response in
                    #expect(!NetworkThread.isCurrent)
                    #expect(operation.isExecuting)
                    hops.append("\(response.statusCode) \(response.url?.path ?? "") \(proposed.url?.path ?? "")")
                    return proposed
                }
                #expect(operation.responseString == "at /c")
                #expect(hops.value == ["302 /a /b", "302 /b /c"])
                #expect(operation.summary.redirectCount == 2)
            }
        }

        @Test func nilAcceptsTheRedirectAsTheResponse() async throws {
            let body = String(repeating: "moved ", count: 50_000)  // more than fits into one read
            let reply = Reply.response(status: 302, headers: ["Location": "/b"], body: body)
            try await TestServer.answering(reply) { server in
                let operation = await run(URLRequest(url: server.url("/a"))) { _, _, _ in nil }
                #expect(operation.error == nil)
                #expect(operation.statusCode == 302)
                #expect(operation.responseString == body)
                #expect(server.requests.count == 1)
            }
        }

        @Test func refusedRedirectIsAnUnacceptableStatusForASerializer() async throws {
            try await TestServer.serving(script: Self.chain) { server in
                let operation = HTTPRequestOperation(request: URLRequest(url: server.url("/a")))
                operation.onRedirect = { _, _, _ in nil }
                #expect(await operation.run().code == .unacceptableStatus)
                #expect(operation.statusCode == 302)
            }
        }

        @Test func blockMaySendAnotherRequestInstead() async throws {
            try await TestServer.serving(script: Self.chain) { server in
                let operation = await run(URLRequest(url: server.url("/a"))) { _, proposed, _ in
                    var request = proposed
                    request.url = server.url("/elsewhere")
                    request.httpMethod = "POST"
                    request.httpBody = Data("new body".utf8)
                    request.setValue("yes", forHTTPHeaderField: "X-Added")
                    return request
                }
                #expect(operation.responseString == "at /elsewhere")
                let last = try #require(server.requests.last)
                #expect(last.method == "POST")
                #expect(last.bodyText == "new body")
                #expect(last.headers["X-Added"] == "yes")
                #expect(operation.request?.url?.path == "/elsewhere")
            }
        }

        @Test func fieldRemovedByTheBlockIsNotSent() async throws {
            try await TestServer.serving(script: Self.chain) { server in
                let request = URLRequest("GET", server.url("/b"), headers: ["X-Kept": "1", "X-Dropped": "2"])
                let operation = await run(request) { _, proposed, _ in
                    var request = proposed
                    request.setValue(nil, forHTTPHeaderField: "X-Dropped")
                    return request
                }
                #expect(operation.error == nil)
                #expect(server.requests.last?.headers["X-Kept"] == "1")
                #expect(server.requests.last?.headers["X-Dropped"] == nil)
            }
        }

        @Test func fieldsOfTheOriginDoNotFollowAChangedURL() async throws {
            try await TestServer.answering(.response(body: "other")) { other in
                try await TestServer.serving(script: Self.chain) { server in
                    let headers = ["Authorization": "Bearer secret", "X-Api-Key": "key", "Accept": "text/plain"]
                    let operation = await run(URLRequest("GET", server.url("/b"), headers: headers)) {
                        _, proposed, _ in
                        var request = proposed
                        request.url = other.url("/c")
                        request.setValue("mine", forHTTPHeaderField: "X-Set")
                        return request
                    }
                    #expect(operation.error == nil)
                    let seen = try #require(other.requests.first)
                    #expect(seen.headers["Authorization"] == nil)
                    #expect(seen.headers["X-Api-Key"] == nil)
                    #expect(seen.headers["Accept"] == "text/plain")
                    #expect(seen.headers["X-Set"] == "mine")
                }
            }
        }

        @Test(arguments: [
            ("ftp://127.0.0.1/", NetworkingError.Code.badURL), ("http:///nowhere", .badURL),
        ])
        func invalidRequestFromTheBlockIsAnError(url: String, code: NetworkingError.Code) async throws {
            try await TestServer.serving(script: Self.chain) { server in
                let operation = await run(URLRequest(url: server.url("/a"))) { _, proposed, _ in
                    var request = proposed
                    request.url = URL(string: url)
                    return request
                }
                #expect(operation.code == code)
                #expect(server.requests.count == 1)
            }
        }

        @Test func blockCannotExceedTheRedirectLimit() async throws {
            let count = Observed([Int]())
            let script: TestServer.Script = { _ in
                count.append(1)
                return .redirect(to: "/\(count.value.count)")
            }
            try await TestServer.serving(script: script) { server in
                let options = TransferOptions { $0.maximumRedirectCount = 3 }
                let operation = await run(URLRequest(url: server.url("/0")), options) { _, proposed, _ in proposed }
                #expect(operation.code == .tooManyRedirects)
                #expect(server.requests.count == 4)
            }
        }

        @Test func cancellingWhileTheBlockDecidesEndsTheOperation() async throws {
            try await TestServer.serving(script: Self.chain) { server in
                let (asked, decided) = (Gate(), Gate())
                let operation = RequestOperation(request: URLRequest(url: server.url("/a")))
                operation.onRedirect = { _, proposed, _ in
                    asked.open()
                    await decided.wait()
                    return proposed
                }
                operation.start()
                await asked.wait()
                operation.cancel()
                try await operation.waitUntilEnded()
                #expect(operation.code == .cancelled)
                decided.open()
                await networkThreadAnswers()
                #expect(server.requests.count == 1)
            }
        }

        @Test(arguments: ["GET", "POST"])
        func operationPausedDuringTheBlockContinuesAfterResume(method: String) async throws {
            try await TestServer.serving(script: Self.chain) { server in
                let (asked, decided, answered) = (Gate(), Gate(), Gate())
                let operation = RequestOperation(request: URLRequest(method, server.url("/b"), body: nil))
                operation.onRedirect = { _, proposed, _ in
                    asked.open()
                    await decided.wait()
                    answered.open()
                    return proposed
                }
                operation.start()
                await asked.wait()
                operation.pause()
                decided.open()
                await answered.wait()
                await networkThreadAnswers()
                #expect(operation.isPaused)
                operation.resume()
                try await operation.waitUntilEnded()
                #expect(operation.error == nil)
                #expect(operation.responseString == "at /c")
            }
        }
    }
}
