// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import Testing

@testable import BluebonnetFleet

/// A server with pages of things, and batches that use them.
enum PipelineFixture {
    /// Returns the lines that texts write.
    static func lines(_ texts: [String]) throws -> [RequestLine] {
        try texts.enumerated().map { number, text in
            try #require(try RequestLineParser().parse(line: Data(text.utf8), number: number + 1)).line
        }
    }

    /// Answers `things` with pages whose items have the ids 100, 101 and so on for the first page, 200 for the second.
    static func answer(_ request: ReceivedRequest, pages: Int, items: Int) -> Reply {
        guard request.path == "/things" else { return .response(body: #"{"path":"\#(request.path)"}"#) }
        let page = Int(request.query?.split(separator: "=").last ?? "") ?? 1
        let list = (0..<items).map { #"{"id":\#(page * 100 + $0)}"# }.joined(separator: ",")
        let link: WireFields = page < pages ? ["Link": "</things?page=\(page + 1)>; rel=next"] : [:]
        return .response(headers: link, body: "[\(list)]")
    }

    static func ids(pages: Int, items: Int) -> [Int] {
        (1...pages).flatMap { page in (0..<items).map { page * 100 + $0 } }
    }
}

extension FleetFixture {
    /// Submits the lines that texts write.
    func submit(_ texts: [String], _ change: (inout FleetSettings) -> Void = { _ in }) async throws {
        try await submit(try PipelineFixture.lines(texts), change)
    }

    /// The ids of the results in the order in which `results` lists them.
    func order() async throws -> [String] {
        var ids: [String] = []
        for try await line in store.fleet.results(of: "n", follows: false) {
            ids.append(try JSONDecoder().decode(ResultLine.self, from: line).id)
        }
        return ids
    }
}
