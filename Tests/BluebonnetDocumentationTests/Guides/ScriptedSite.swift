// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation

extension Site {
    /// Runs documentation code with a server that follows a script, and a folder for files.
    static func scripted(
        _ script: @escaping TestServer.Script, options: TestServer.Options = TestServer.Options(),
        _ body: (Site) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await TestServer.serving(options, script: script) { server in
            try await body(Site(server: server, folder: folder))
        }
    }
}

/// A body with an entity tag, whose server sends ranges of it.
enum TaggedImage {
    static let body = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) })

    /// Returns the whole body, or the rest from an offset.
    static func answer(_ request: ReceivedRequest) -> Reply {
        let fields = [("ETag", "\"v1\""), ("Content-Type", "application/octet-stream")]
        guard let range = request.headers["Range"], let offset = Int(range.dropFirst("bytes=".count).dropLast()) else {
            return .response(headers: WireFields(fields), body: body)
        }
        let place = [("Content-Range", "bytes \(offset)-\(body.count - 1)/\(body.count)")]
        return .response(status: 206, headers: WireFields(fields + place), body: Data(body[offset...]))
    }

    /// Returns the body of which the first connection sends the second half two seconds later.
    static func slowAnswer(_ request: ReceivedRequest) -> Reply {
        let reply = answer(request)
        guard request.connection == 1 else { return reply }
        let half = reply.bytes.count / 2
        return .steps([
            .bytes(reply.bytes.prefix(half)), .delay(.seconds(2)), .bytes(Data(reply.bytes.dropFirst(half))),
        ])
    }
}
