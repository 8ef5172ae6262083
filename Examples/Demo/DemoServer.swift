// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import FlyingFox
import FlyingSocks
import Foundation

/// A small web shop on a free port of 127.0.0.1, as a server for the examples.
struct DemoServer: Sendable {
    /// The URL of the server: `http://127.0.0.1:PORT/`.
    let url: String
    private let server: HTTPServer

    /// Starts the server, which runs as long as the process.
    static func start() async throws -> DemoServer {
        let server = HTTPServer(address: try .inet(ip4: "127.0.0.1", port: 0), timeout: 60, logger: .disabled)
        for route in routes { await server.appendRoute(HTTPRoute(route.pattern), handler: route.handler) }
        Task { try await server.run() }
        try await server.waitUntilListening()
        guard case .ip4(_, let port)? = await server.listeningAddress else { throw SocketError.unsupportedAddress }
        return DemoServer(url: "http://127.0.0.1:\(port)/", server: server)
    }

    /// A pattern of requests, and the handler that answers them.
    struct Route: Sendable {
        let pattern: String
        let handler: @Sendable (FlyingFox.HTTPRequest) async throws -> HTTPResponse

        init(_ pattern: String, _ handler: @escaping @Sendable (FlyingFox.HTTPRequest) async throws -> HTTPResponse) {
            (self.pattern, self.handler) = (pattern, handler)
        }
    }

    private static let routes =
        shop + pages + jobs() + accounts + readings() + [
            Route("GET /numbers") { Numbers.response(to: $0) },
            Route("POST /upload") { request in
                let body = try await request.bodyData
                let lineCount = body.count { $0 == UInt8(ascii: "\n") }
                return .json(#"{"bytes":\#(body.count),"lines":\#(lineCount)}"#)
            },
            Route("POST /echo") { request in
                let body = String(decoding: try await request.bodyData, as: UTF8.self)
                let type = request.headers[.contentType] ?? ""
                return .json(["type": type, "body": body])
            },
        ]
}

// MARK: - The shop

extension DemoServer {
    private static let shop = [
        Route("GET /items/:number") { request in
            guard let number = Int(request.path.dropFirst("/items/".count)) else { return .missing }
            return (1...100).contains(number) ? .json(#"{"item":\#(number),"price":\#(number * 5)}"#) : .missing
        },
        Route("GET /search") { request in
            let pairs = request.query.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
            return .json(["found": pairs])
        },
        Route("GET /catalogue") { _ in
            HTTPResponse(
                statusCode: .ok, headers: [.contentType: "text/plain", .contentEncoding: "gzip"],
                body: Catalogue.compressed)
        },
        Route("GET /moved/:count") { request in
            let count = Int(request.path.dropFirst("/moved/".count)) ?? 0
            return .redirect(to: count > 1 ? "/moved/\(count - 1)" : "/items/1")
        },
    ]
}

extension HTTPResponse {
    /// Returns a JSON text.
    static func json(_ text: String, status: HTTPStatusCode = .ok) -> HTTPResponse {
        HTTPResponse(statusCode: status, headers: [.contentType: "application/json"], body: Data(text.utf8))
    }

    /// Returns a JSON object of strings.
    static func json(_ members: [String: String]) -> HTTPResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return json(String(decoding: (try? encoder.encode(members)) ?? Data(), as: UTF8.self))
    }

    /// The response for a resource that does not exist.
    static var missing: HTTPResponse { .json(#"{"error":"there is no such thing"}"#, status: .notFound) }

    /// Returns a redirect.
    static func redirect(to path: String) -> HTTPResponse {
        let headers: HTTPHeaders = [.location: path]
        return HTTPResponse(statusCode: .found, headers: headers)
    }
}

extension HTTPHeader {
    static let ifRange = HTTPHeader("If-Range")
}
