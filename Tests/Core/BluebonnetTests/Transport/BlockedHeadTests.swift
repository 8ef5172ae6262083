// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

extension NetworkTests {
    /// A request's head can be longer than a socket accepts at once.
    @Suite struct BlockedHeadTests {
        /// Sizes for heads without a body and with a small body that libcurl has copied.
        private static let fills = [900_000, 400_000, 300_000]

        private static func isDropped(_ fill: Int) -> Bool { DroppedField.isPresent && fill > DroppedField.byteLimit }
        private static let headEnd = Data("\r\n\r\n".utf8)

        private static func kinds(_ isIncluded: (SentBody) -> Bool) -> [SentBody] { SentBody.all.filter(isIncluded) }

        private static let withKnownLength = kinds {
            if case .stream(isDeclared: false) = $0 { false } else { true }
        }

        private func started(
            _ body: SentBody, fill: Int, _ folder: TemporaryFolder
        ) throws -> (operation: RequestOperation, reader: LateReader) {
            let reader = try LateReader(path: folder.path("socket"))
            let options = TransferOptions { $0.unixSocketPath = reader.path }
            let url = try #require(URL(string: "http://localhost/"))
            let operation = try body.operation(to: url, fill: fill, options, in: folder)
            operation.start()
            return (operation, reader)
        }

        @Test(arguments: withKnownLength, fills) func restOfTheHeadFollows(body: SentBody, fill: Int) async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let (operation, reader) = try started(body, fill: fill, folder)
            #expect(await reader.fills() < fill)
            let bodyByteCount = body.bytes.count
            let received = await reader.read { [headEnd = Self.headEnd] in
                guard let end = $0.range(of: headEnd) else { return false }
                return $0.count >= end.upperBound + bodyByteCount
            }
            let head = try #require(received.range(of: Self.headEnd))
            #expect(head.lowerBound > fill)
            #expect(received[head.upperBound...] == body.bytes)
            reader.answer()
            await operation.ends()
            #expect(operation.error == nil)
        }

        /// The server pauses reading after the first bytes, and a Unix socket has no space for the rest.
        @Test(arguments: withKnownLength, fills)
        func restOfTheHeadFollowsOverTLS(body: SentBody, fill: Int) async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            var server = TestServer.Options()
            server.certificate = .localhost
            server.unixSocketPath = folder.path("socket")
            server.readingPause = .milliseconds(200)
            var options = try TransferOptions.trustingTestAuthority
            options.unixSocketPath = server.unixSocketPath
            try await TestServer.answering(.response(), server) { [options] server in
                let url = try #require(URL(string: "https://localhost/"))
                let operation = try await body.operation(to: url, fill: fill, options, in: folder).run()
                #expect(operation.error == nil)
                let request = try #require(server.requests.last)
                #expect(SentBody.fields(byteCount: fill).allSatisfy { request.headers[$0.key] == $0.value })
                #expect(request.body == body.bytes)
            }
        }

        @Test(arguments: SentBody.all) func lineThatLibcurlDropsIsRefused(body: SentBody) async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let fill = 400_000
            try await TestServer.answering(.response()) { server in
                let operation = try await body.operation(
                    to: server.url(), fill: fill, lineLimit: .max, TransferOptions(), in: folder
                ).run()
                let request = server.requests.last
                #expect((operation.code == .invalidRequest) == Self.isDropped(fill))
                #expect((request == nil) == Self.isDropped(fill))
                #expect(request.map { $0.headers["X-Fill"]?.utf8.count == fill } ?? true)
            }
        }

        /// libcurl 7.88 would send the body without its chunked framing.
        @Test(arguments: fills) func bodyWithoutLengthDoesNotFollowASplitHead(fill: Int) async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let body = SentBody.stream(isDeclared: false)
            let (operation, reader) = try started(body, fill: fill, folder)
            #expect(await reader.fills() < fill)
            let received = await reader.read { _ in false }
            await operation.ends()
            #expect(operation.code == .invalidRequest)
            #expect(operation.error?.message.contains("the head of the request to localhost is too long") == true)
            #expect(received.range(of: body.bytes.prefix(16)) == nil)
        }
    }
}
