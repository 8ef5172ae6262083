// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// Attempts over real connections. The waits are short, and the budgets of the origins are not used.
    @Suite struct RetryServerTests {
        static let options = TransferOptions {
            $0.retryPolicy = .standard
            $0.retryPolicy?.initialBackoff = .milliseconds(2)
            $0.retryPolicy?.usesBudget = false
        }

        /// Answers the first requests with `first`, all others with "fine".
        private static func script(_ first: [Reply]) -> TestServer.Script {
            let count = Observed(0)
            return { _ in
                let number = count.update { count in
                    count += 1
                    return count
                }
                return number <= first.count ? first[number - 1] : .response(body: "fine")
            }
        }

        @Test func getIsRetriedAfterErrorAndTruncatedBody() async throws {
            let faults: [Reply] = [
                .response(status: 503, body: "busy"), .response(body: "fine").cut(afterByteCount: 40),
            ]
            try await TestServer.serving(script: Self.script(faults)) { server in
                let operation = HTTPRequestOperation(request: URLRequest(url: server.url("/")), options: Self.options)
                _ = await operation.run()
                #expect(operation.error == nil && operation.responseString == "fine")
                #expect(operation.retries.map(\.code) == [.unacceptableStatus, .badServerResponse])
                #expect(server.requests.count == 3)
            }
        }

        @Test(arguments: [Reply.reset, .close, .response(status: 503), .response(body: "fine").cut(afterByteCount: 40)])
        func postReadByServerIsSentOnce(reply: Reply) async throws {
            try await TestServer.serving(script: Self.script([reply])) { server in
                let request = URLRequest("POST", server.url("/"), body: "x")
                let operation = HTTPRequestOperation(request: request, options: Self.options)
                _ = await operation.run()
                #expect(operation.error?.message.contains("POST is not retried") == true)
                #expect(server.requests.count == 1)
            }
        }

        @Test func unconnectedPostIsRetried() async throws {
            let url = try #require(URL(string: "http://127.0.0.1:1/"))
            let operation = HTTPRequestOperation(request: URLRequest("POST", url, body: "x"), options: Self.options)
            _ = await operation.run()
            #expect(operation.code == .cannotConnect)
            #expect(operation.retries.map(\.code) == [.cannotConnect, .cannotConnect])
        }

        @Test func postWithKeyIsRetriedWithTheSameKey() async throws {
            try await TestServer.serving(script: Self.script([.reset, .response(status: 500)])) { server in
                let request = URLRequest("POST", server.url("/"), body: "x")
                let operation = HTTPRequestOperation(request: request, options: Self.options)
                operation.idempotencyKey = .automatic
                _ = await operation.run()
                #expect(operation.responseString == "fine")
                let keys = server.requests.map { $0.headers["Idempotency-Key"] }
                #expect(keys.count == 3 && Set(keys) == [operation.idempotencyKey?.value])
                #expect(server.requests.allSatisfy { $0.bodyText == "x" })
            }
        }

        @Test(arguments: [false, true]) func retryNeedsNewBodyStream(canBeMade: Bool) async throws {
            try await TestServer.serving(script: Self.script([.response(status: 503)])) { server in
                var request = URLRequest("PUT", server.url("/"))
                request.httpBodyStream = InputStream(data: Data("streamed".utf8))
                let operation = HTTPRequestOperation(request: request, options: Self.options)
                if canBeMade { operation.onNeedNewBodyStream = { InputStream(data: Data("streamed".utf8)) } }
                _ = await operation.run()
                #expect(server.requests.count == (canBeMade ? 2 : 1))
                #expect(server.requests.allSatisfy { $0.bodyText == "streamed" })
                #expect(operation.code == (canBeMade ? nil : .unacceptableStatus))
                #expect(canBeMade || operation.error?.message.contains("body stream cannot be created again") == true)
            }
        }

        @Test func fileUploadIsResentWhole() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let body = Data.patterned(byteCount: 300_000)
            try folder.write("upload", body)
            try await TestServer.serving(script: Self.script([.response(status: 503)])) { server in
                let operation = HTTPRequestOperation(
                    request: URLRequest("PUT", server.url("/")), options: Self.options)
                operation.uploadFile = URL(fileURLWithPath: folder.path("upload"))
                _ = await operation.run()
                #expect(operation.error == nil && server.requests.map(\.body) == [body, body])
            }
        }

        @Test func interruptedDownloadContinuesWithRange() async throws {
            let folder = try DownloadFolder()
            defer { folder.remove() }
            let file = Representation(body: .patterned(byteCount: 200_000), etag: "\"one\"")
            let count = Observed(0)
            let script: TestServer.Script = { request in
                let number = count.update { count in
                    count += 1
                    return count
                }
                switch number {
                case 1: return file.whole.cut(afterByteCount: file.whole.bytes.count - 100_000)
                case 2: return .response(status: 503, body: "busy")
                default: return file.answer(to: request)
                }
            }
            try await TestServer.serving(script: script) { server in
                let operation = await folder.download(server.url("/file"), Self.options)
                #expect(operation.error == nil)
                #expect(folder.contents == file.body && folder.names == ["file"])
                #expect(server.requests.map(Representation.offset) == [nil, 100_000, 100_000])
            }
        }

        @Test func failedDownloadKeepsPartialFile() async throws {
            let folder = try DownloadFolder()
            defer { folder.remove() }
            let file = Representation(body: .patterned(byteCount: 200_000), etag: "\"one\"")
            let cut = file.whole.cut(afterByteCount: file.whole.bytes.count - 100_000)
            let busy = Reply.response(status: 503, body: "busy")
            try await TestServer.serving(script: Self.script([cut, busy, busy])) { server in
                let operation = await folder.download(server.url("/file"), Self.options)
                #expect(operation.code == .unacceptableStatus && operation.error?.body == Data("busy".utf8))
                #expect(folder.partialContents == file.body.prefix(100_000))
            }
        }
    }

    @Suite(.enabled(if: HTTP2Server.isAvailable)) struct RetryHTTP2Tests {
        /// The server's log decides: refused requests are sent again, and requests that the server may have processed
        /// are not.
        @Test(arguments: [
            ("/refused/1", 2, true), ("/refused/2", 3, true), ("/refused/9", 3, false), ("/goaway/1", 2, true),
            ("/end/1", 1, false), ("/notice/1", 1, false), ("/reset/2", 1, false), ("/reset/8", 1, false),
        ])
        func postIsRetriedOnlyIfServerRefusedItsStream(path: String, count: Int, succeeds: Bool) async throws {
            try await HTTP2Server.serving { server in
                var options = try TransferOptions.trustingTestAuthority
                options.retryPolicy = RetryServerTests.options.retryPolicy
                #expect(await get(server.url("/first"), options).responseString == "ok")
                let operation = HTTPRequestOperation(
                    request: URLRequest("POST", server.url(path), body: "x"), options: options)
                _ = await operation.run()
                #expect((operation.error == nil) == succeeds, "\(operation.error.map { "\($0)" } ?? "")")
                #expect(server.requests.count { $0.method == "POST" } == count)
                await closeIdleConnections()
            }
        }
    }

    @Suite(.enabled(if: NginxServer.isAvailable)) struct RetryNginxTests {
        @Test func rateLimitedRequestsEventuallySucceed() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try folder.write("file", "fine")
            let nginx = try await NginxServer.start(documentRoot: folder.url)
            let manager = RequestOperationManager()
            manager.responseSerializer = HTTPResponseSerializer()
            manager.retryPolicy = RetryServerTests.options.retryPolicy
            manager.retryPolicy?.maximumAttemptCount = 40
            manager.retryPolicy?.initialBackoff = .milliseconds(20)
            manager.retryPolicy?.maximumBackoff = .milliseconds(500)
            let operations = (0..<60).map { number in
                manager.started(number % 2 == 0 ? "GET" : "HEAD", nginx.url("/limited/file").absoluteString)
            }
            for operation in operations { await operation.ends() }
            #expect(operations.allSatisfy { $0.error == nil })
            let retries = operations.flatMap(\.retries)
            #expect(!retries.isEmpty && retries.allSatisfy { $0.statusCode == 429 && $0.waitRule == .backoff })
            await closeIdleConnections()
            await nginx.stop()
        }
    }
}
