// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet
@testable import BluebonnetBatch

extension NetworkTests {
    /// A caller's fields for a multipart body, set in each of the possible ways.
    @Suite struct MultipartTypeTests {
        enum Way: CaseIterable, Sendable {
            case serializer, call, requestLine

            /// Runs a POST of a form with one field and this header.
            func run(_ url: URL, _ name: String, _ value: String) async throws -> RequestOperation {
                switch self {
                case .serializer:
                    var serializer = HTTPRequestSerializer()
                    serializer.headers[name] = value
                    return await perform(
                        try serializer.multipartRequest(url: url) { try $0.append("value", name: "field") })
                case .call:
                    return await RequestOperationManager().operation(
                        "POST", url.absoluteString, headers: [name: value],
                        body: .multipart { try $0.append("value", name: "field") }
                    ).run()
                case .requestLine:
                    var line = RequestLine(method: "POST", url: url.absoluteString)
                    line.headers[name] = value
                    line.body = .multipart([RequestLine.Part(name: "field", content: .value("value"))])
                    let request = line
                    let recipe = RequestPlan.Recipe { plan in
                        try request.complete(&plan, baseURL: nil, options: TransferOptions())
                    }
                    return await RequestOperationManager().operation(recipe: recipe, HTTPResponseSerializer()).run()
                }
            }
        }

        @Test(
            arguments: Way.allCases,
            [
                ("multipart/mixed", "multipart/mixed; boundary=B"),
                ("multipart/form-data", "multipart/form-data; boundary=B"),
                (
                    "Multipart/Related; type=\"a;b/c\"; start=x",
                    "Multipart/Related; type=\"a;b/c\"; start=x; boundary=B"
                ),
                ("multipart/mixed; boundary=mine; charset=utf-8", "multipart/mixed; charset=utf-8; boundary=B"),
                ("multipart/x ;BOUNDARY = \"a;\\\"b\" ;c=d", "multipart/x; c=d; boundary=B"),
            ])
        func callerMultipartTypeIsKeptWithTheBoundary(way: Way, pair: (String, String)) async throws {
            try await TestServer.answering(.response()) { server in
                #expect(try await way.run(server.url(), "Content-Type", pair.0).error == nil)
                let request = try #require(server.requests.first)
                let boundary = try #require(request.bodyText.wholeMatch(of: /--(Boundary-[0-9A-F]+)\r\n(?s:.*)/)?.1)
                let expected = pair.1.replacingOccurrences(of: "boundary=B", with: "boundary=" + boundary)
                #expect(request.headers.values(named: "Content-Type") == [expected])
                #expect(request.bodyText.hasSuffix("--\(boundary)--\r\n"))
            }
        }

        @Test(
            arguments: Way.allCases,
            [
                "application/json", "text/plain", "application/x-www-form-urlencoded", "multipart", "multipart/",
                "multipart/a/b", "multipartx/form-data", "x", "\"multipart/form-data\"",
            ])
        func nonMultipartTypeIsRefused(way: Way, type: String) async throws {
            try await TestServer.answering(.response()) { server in
                let error = await Result.of { try await way.run(server.url(), "Content-Type", type) }
                #expect(error?.code == .invalidRequest)
                #expect(error?.message.contains(type.replacingOccurrences(of: "\"", with: "")) == true)
                #expect(error?.message.contains("Content-Type") == true)
                #expect(server.connectionCount == 0)
            }
        }

        @Test(arguments: Way.allCases) func typeWithAnOpenQuoteIsRefused(way: Way) async throws {
            try await TestServer.answering(.response()) { server in
                let type = "multipart/mixed; start=\"a"
                let error = await Result.of { try await way.run(server.url(), "Content-Type", type) }
                #expect(error?.code == .invalidRequest)
                #expect(error?.message.contains("with closed quotes") == true)
                #expect(server.connectionCount == 0)
            }
        }

        @Test(arguments: Way.allCases)
        func wrongContentLengthIsRefused(way: Way) async throws {
            try await TestServer.answering(.response()) { server in
                let error = await Result.of { try await way.run(server.url(), "Content-Length", "7") }
                #expect(error?.code == .invalidRequest)
                #expect(error?.message.contains("Content-Length is 7") == true)
                #expect(server.connectionCount == 0)
            }
        }
    }
}

extension Result where Success == RequestOperation, Failure == any Error {
    /// The error of an operation, or of the attempt to make it.
    fileprivate static func of(_ run: () async throws -> RequestOperation) async -> NetworkingError? {
        do { return try await run().error } catch { return error as? NetworkingError }
    }
}
