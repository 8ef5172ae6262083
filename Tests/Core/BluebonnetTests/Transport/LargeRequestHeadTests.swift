// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

/// A kind of request, by what follows its head.
enum SentBody: CustomTestStringConvertible {
    case none(method: String)
    case data(byteCount: Int)
    case file
    case stream(isDeclared: Bool)

    static let all: [SentBody] = [
        .none(method: "GET"), .none(method: "HEAD"), .none(method: "DELETE"), .none(method: "POST"),
        .data(byteCount: 5), .data(byteCount: 8192), .data(byteCount: 8193), .data(byteCount: 65_535),
        .data(byteCount: 65_536), .file, .stream(isDeclared: true), .stream(isDeclared: false),
    ]

    var testDescription: String {
        switch self {
        case .none(let method): method
        case .data(let byteCount): "POST of \(byteCount) bytes"
        case .file: "POST of a file"
        case .stream(let isDeclared): "POST of a stream, \(isDeclared ? "with" : "without") length"
        }
    }

    /// The bytes of the body.
    var bytes: Data {
        switch self {
        case .none: Data()
        case .data(let byteCount): .patterned(byteCount: byteCount)
        case .file, .stream: .patterned(byteCount: 100_000)
        }
    }

    /// Fields whose values have `byteCount` bytes together: `X-Fill`, and more fields if one field would be longer
    /// than libcurl accepts (`DroppedField`).
    static func fields(byteCount: Int, lineLimit limit: Int = 300_000) -> [String: String] {
        var fields = ["X-Fill": String(repeating: "x", count: min(byteCount, limit))]
        for start in stride(from: limit, to: byteCount, by: limit) {
            fields["X-Fill-\(start)"] = String(repeating: "x", count: min(byteCount - start, limit))
        }
        return fields
    }

    /// An operation whose head contains `fill` bytes of field values.
    func operation(
        to url: URL, fill: Int, lineLimit: Int = 300_000, _ options: TransferOptions, in folder: TemporaryFolder
    ) throws -> RequestOperation {
        var request = URLRequest("POST", url, headers: Self.fields(byteCount: fill, lineLimit: lineLimit))
        if case .none(let method) = self { request.httpMethod = method }
        if case .data = self { request.httpBody = bytes }
        if case .stream(let isDeclared) = self {
            request.httpBodyStream = InputStream(data: bytes)
            if isDeclared { request.setValue("\(bytes.count)", forHTTPHeaderField: "Content-Length") }
        }
        let operation = RequestOperation(request: request, options: options)
        if case .file = self { operation.uploadFile = URL(fileURLWithPath: try folder.write("body", bytes)) }
        return operation
    }
}

extension NetworkTests {
    /// The head of a request can be longer than every buffer that it passes through. If libcurl stalled, these tests
    /// would end at their idle limit.
    @Suite struct LargeRequestHeadTests {
        /// Sizes around the sizes of the buffers, and around twice those sizes: libcurl sends such heads in two
        /// pieces.
        private static let byteCounts = [
            16_383, 16_384, 16_385, 32_767, 32_768, 32_769, 65_536, 65_537, 131_073, 262_143, 262_144, 262_145,
        ]

        /// Sends heads of all sizes, each exactly as long, and expects everything that was sent.
        private func sweep(_ body: SentBody, _ server: TestServer, _ options: TransferOptions) async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let first = try await body.operation(to: server.url(), fill: 1, options, in: folder).run()
            #expect(first.error == nil)
            let least = try #require(server.requests.last?.rawHead.count) - 1
            for byteCount in Self.byteCounts {
                let fill = byteCount - least
                let operation = try await body.operation(to: server.url(), fill: fill, options, in: folder).run()
                #expect(operation.error == nil, "a head of \(byteCount) bytes")
                let request = try #require(server.requests.last)
                #expect(request.rawHead.count == byteCount)
                #expect(request.headers["X-Fill"]?.utf8.count == fill)
                #expect(request.body == body.bytes)
            }
        }

        @Test(arguments: SentBody.all) func headsOfAllSizesArriveOverPlainHTTP(body: SentBody) async throws {
            try await TestServer.answering(.response()) { server in try await sweep(body, server, TransferOptions()) }
        }

        @Test(arguments: SentBody.all) func headsOfAllSizesArriveOverTLS(body: SentBody) async throws {
            var secure = TestServer.Options()
            secure.certificate = .localhost
            try await TestServer.answering(.response(), secure) { server in
                try await sweep(body, server, .trustingTestAuthority)
            }
        }

        private static let roomForLargeHeads =
            "large_client_header_buffers 4 2m; http2_max_field_size 2m; http2_max_header_size 2m;"

        @Test(.enabled(if: NginxServer.isAvailable), arguments: SentBody.all)
        func headsOfAllSizesArriveWhereTheServerOffersHTTP2(body: SentBody) async throws {
            let script: TestServer.Script = { _ in .response() }
            try await HTTP2Fixture.with(directives: Self.roomForLargeHeads, script: script) { fixture in
                for byteCount in Self.byteCounts {
                    let operation = try await body.operation(
                        to: fixture.url("/"), fill: byteCount, fixture.options, in: fixture.folder
                    ).run()
                    #expect(operation.error == nil, "a head of \(byteCount) bytes")
                    let request = try #require(fixture.server.requests.last)
                    #expect(request.headers["X-Fill"]?.utf8.count == byteCount)
                    #expect(request.body == body.bytes)
                }
            }
        }

        /// nginx reports the protocol of each request.
        @Test(.enabled(if: NginxServer.isAvailable), arguments: [HTTPProtocolVersion.negotiated, .http2])
        func oversizedHTTP2HeadIsSentOverHTTP1(version: HTTPProtocolVersion) async throws {
            try await HTTP2Fixture.with(directives: Self.roomForLargeHeads) { fixture in
                var options = fixture.options
                options.httpVersion = version
                let rows = [(100, "h2"), (63_000, "h2"), (65_536, "http/1.1"), (100, "h2"), (250_000, "http/1.1")]
                for (fill, version) in rows {
                    let body = SentBody.none(method: "GET")
                    let operation = try await body.operation(
                        to: fixture.nginx.tlsURL("/tls"), fill: fill, options, in: fixture.folder
                    ).run()
                    #expect(operation.responseString?.split(separator: "\n").contains(Substring(version)) == true)
                }
            }
        }

        @Test func oversizedHeadIsRefusedWithHTTP2PriorKnowledge() async throws {
            let options = TransferOptions { $0.httpVersion = .http2PriorKnowledge }
            try await TestServer.answering(.response()) { server in
                let fields = ["X-Fill": String(repeating: "x", count: 65_536)]
                let operation = await perform(URLRequest("GET", server.url(), headers: fields), options)
                #expect(operation.code == .invalidRequest)
                #expect(operation.error?.message.hasPrefix("the request's head is too large for HTTP/2: ") == true)
                #expect(server.connectionCount == 0)
            }
        }

        /// Sizes around the largest head that HTTP/2 carries, with and without fields that libcurl adds.
        @Test(.enabled(if: HTTP2FrameServer.isAvailable), arguments: [0, 3000])
        func headsArriveOrAreRefusedWithHTTP2PriorKnowledge(userInfoByteCount: Int) async throws {
            let options = TransferOptions {
                $0.httpVersion = .http2PriorKnowledge
                $0.timeouts.idle = .seconds(10)
            }
            try await HTTP2FrameServer.serving { server in
                var text = server.url("empty-200", isSecure: false).absoluteString
                if userInfoByteCount > 0 {
                    text.replace("//", with: "//" + String(repeating: "u", count: userInfoByteCount) + "@")
                }
                let url = try #require(URL(string: text))
                var arrived: [Int] = []
                for fill in stride(from: 60_000 - 2 * userInfoByteCount, through: 65_600, by: 200) {
                    let fields = ["X-Fill": String(repeating: "x", count: fill)]
                    let operation = await perform(URLRequest("GET", url, headers: fields), options)
                    if operation.error == nil { arrived.append(fill) }
                    #expect(operation.error == nil || operation.code == .invalidRequest, "\(fill) bytes")
                }
                let largest = try #require(arrived.max())
                #expect(largest < 65_536 - userInfoByteCount)
                #expect(largest > 64_000 - 4 * userInfoByteCount)
                #expect(arrived == Array(stride(from: arrived[0], through: largest, by: 200)))
            }
        }

        /// An "@" in a query does not mark user information, which would need space for a field.
        @Test(.enabled(if: NginxServer.isAvailable)) func longURLWithAtSignIsSentOverHTTP2() async throws {
            try await HTTP2Fixture.with(directives: Self.roomForLargeHeads) { fixture in
                let url = fixture.nginx.tlsURL("/tls?mail=a@b&" + String(repeating: "q", count: 30_000))
                let operation = await get(url, fixture.options)
                #expect(operation.responseString?.split(separator: "\n").contains("h2") == true)
            }
        }

        @Test(arguments: [false, true]) func longURLArrives(isSecure: Bool) async throws {
            var options = TestServer.Options()
            options.certificate = isSecure ? .localhost : nil
            let trusting = try TransferOptions.trustingTestAuthority
            try await TestServer.answering(.response(), options) { server in
                for byteCount in [5_000, 16_000, 33_000, 70_000, 140_000, 300_000] {
                    let target = "/path?" + String(repeating: "q", count: byteCount)
                    #expect(await get(server.url(target), trusting).error == nil)
                    #expect(server.requests.last?.target == target)
                }
            }
        }

        @Test(arguments: [SentBody.none(method: "GET"), .data(byteCount: 5), .data(byteCount: 60_000), .file])
        func headLimitIsOneMebibyte(body: SentBody) async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            var secure = TestServer.Options()
            secure.certificate = .localhost
            try await TestServer.answering(.response(), secure) { server in
                let options = try TransferOptions.trustingTestAuthority
                let url = server.url()
                let largest = try await body.operation(to: url, fill: (1 << 20) - 1024, options, in: folder).run()
                #expect(largest.error == nil)
                #expect(server.requests.last?.body == body.bytes)
                let larger = try await body.operation(to: url, fill: 1 << 20, options, in: folder).run()
                #expect(larger.code == .invalidRequest)
                #expect(larger.error?.message.hasPrefix("the request's head is too large for HTTP/1.1: ") == true)
                #expect(server.requests.count == 1)
            }
        }

        /// A handle that was set up for one size of head gets a head of another size.
        @Test func headsOfDifferentSizesShareAConnection() async throws {
            var secure = TestServer.Options()
            secure.certificate = .localhost
            let options = try TransferOptions.trustingTestAuthority
            try await TestServer.answering(.response(), secure) { server in
                let byteCounts = [10, 40_000, 10, 200_000, 40_000, 20_000, 290_000, 10]
                for byteCount in byteCounts {
                    let fields = ["X-Fill": String(repeating: "x", count: byteCount)]
                    let request = URLRequest("GET", server.url(), headers: fields)
                    #expect(await perform(request, options).error == nil)
                }
                #expect(server.requests.map { $0.headers["X-Fill"]?.utf8.count } == byteCounts)
                #expect(server.connectionCount == 1)
            }
        }
    }
}
