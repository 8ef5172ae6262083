// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import Testing

/// The counterpart of the documentation's code: a server with the resources that the pages name, and a folder for
/// files.
struct Site: Sendable {
    let server: TestServer
    let folder: TemporaryFolder

    /// Replaces https://api.example.com/v1/.
    var base: URL { server.url("/v1/") }

    func path(_ name: String) -> String { folder.path(name) }
    func file(_ name: String) -> URL { folder.url.appendingPathComponent(name) }

    /// A manager with this site's base URL.
    var manager: RequestOperationManager { RequestOperationManager(baseURL: base) }

    /// Runs documentation code with its own site.
    static func serving(tls: TestCertificate? = nil, _ body: (Site) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write("photo.jpg", "photo")
        let server = try await TestServer.start(tls: tls, answer)
        do {
            try await body(Site(server: server, folder: folder))
            await server.stop()
        } catch {
            await server.stop()
            throw error
        }
    }

    /// A GIF of one pixel.
    private static let pixel = Data(base64Encoded: "R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw==") ?? Data()

    private static func answer(_ request: ReceivedRequest) -> Reply {
        let user = #"{"name":"Ada"}"#
        switch (request.method, request.path) {
        case ("DELETE", _): return .response(status: 204)
        case (_, "/v1/users/1"), (_, "/v1/me"), ("POST", "/v1/users"): return json(user)
        case (_, "/v1/users") where request.target.hasSuffix("page=3"): return json("[\(user)]")
        case (_, "/v1/users"):
            return .response(
                headers: ["Link": "</v1/users?page=3>; rel=next", "Content-Type": "application/json"], body: "[\(user)]"
            )
        case (_, "/v1/login"): return json(#"{"token":"t-1"}"#)
        case (_, "/v1/robots.txt"): return .response(headers: ["Content-Type": "text/plain"], body: "User-agent: *")
        case (_, "/v1/export.csv"): return .response(headers: ["Content-Type": "text/csv"], body: "a,b\nc,d")
        case (_, "/v1/picture"), (_, "/v1/users/1/picture"):
            return .response(headers: ["Content-Type": "image/gif"], body: pixel)
        case (_, "/v1/images/disk.img"), (_, "/v1/big.bin"):
            return .response(
                headers: ["Content-Type": "application/octet-stream"], body: String(repeating: "disk", count: 5000))
        case (_, "/v1/articles/7"): return .response(status: 404, body: "no such article")
        case (_, "/v1/articles/8"): return .response(status: 500)
        case (_, "/v1/old"): return .redirect(to: "/v1/me")
        case (_, "/v1/secret"):
            guard request.headers["Authorization"] == nil else { return json(user) }
            return .response(status: 401, headers: ["WWW-Authenticate": #"Basic realm="r""#])
        default: return json("{}")
        }
    }

    private static func json(_ text: String) -> Reply {
        .response(headers: ["Content-Type": "application/json"], body: text)
    }
}

/// Tests of the code on pages. They run one after the other, because some of the code changes process-wide state.
@Suite(.serialized, .timeLimit(.minutes(2))) struct PageTests {}

/// The lines that the documentation's code prints.
let printed = Observed([String]())

/// Replaces Swift's `print` for the documentation's code.
func print(_ items: Any..., separator: String = " ", terminator: String = "\n") {
    printed.append(items.map { String(describing: $0) }.joined(separator: separator))
}
