// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

/// A folder with one download destination and the files next to it.
struct DownloadFolder {
    let folder: TemporaryFolder
    var path: String { folder.path("file") }
    private var partialPath: String { path + ".bluebonnet-partial" }

    init() throws { folder = try TemporaryFolder() }

    func remove() { folder.remove() }

    /// Makes a download to the destination.
    func operation(_ request: URLRequest, _ options: TransferOptions = TransferOptions()) -> HTTPRequestOperation {
        let operation = HTTPRequestOperation(request: request, options: options)
        operation.outputFile = URL(fileURLWithPath: path)
        return operation
    }

    /// Runs a download to its end.
    @discardableResult
    func download(_ url: URL, _ options: TransferOptions = TransferOptions()) async -> HTTPRequestOperation {
        await operation(URLRequest(url: url), options).run()
    }

    /// The destination's contents; nil if the file does not exist.
    var contents: Data? { FileManager.default.contents(atPath: path) }

    /// The data kept of an interrupted download; nil if there is none.
    var partialContents: Data? { FileManager.default.contents(atPath: partialPath) }

    /// The names in the folder.
    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.url.path)) ?? []).sorted()
    }
}

/// A representation on a server that answers range requests. A test can change the representation.
struct Representation: Sendable {
    var body: Data
    var etag: String?

    /// The whole representation.
    var whole: Reply { .response(headers: fields(), body: body) }

    /// The answer to a request, as RFC 9110 specifies it.
    func answer(to request: ReceivedRequest) -> Reply {
        let condition = request.headers["If-Range"]
        guard let offset = Self.offset(of: request), condition == nil || condition == etag else { return whole }
        return offset < body.count ? part(from: offset) : unsatisfied
    }

    /// The rest of the body from an offset.
    func part(from offset: Int) -> Reply {
        let range = "bytes \(offset)-\(body.count - 1)/\(body.count)"
        return .response(status: 206, headers: fields(range), body: body.dropFirst(offset))
    }

    /// The answer for an offset past the end.
    var unsatisfied: Reply { .response(status: 416, headers: fields("bytes */\(body.count)")) }

    /// The offset that a range request names.
    static func offset(of request: ReceivedRequest) -> Int? {
        guard let range = request.headers["Range"], range.hasPrefix("bytes="), range.hasSuffix("-") else { return nil }
        return Int(range.dropFirst(6).dropLast())
    }

    private func fields(_ range: String? = nil) -> WireFields {
        WireFields([("ETag", etag), ("Content-Range", range)].compactMap { name, value in value.map { (name, $0) } })
    }
}
