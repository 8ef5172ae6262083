// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetCache
@testable import BluebonnetHTTP

extension CacheKeyPair {
    /// The place of the responses for a path of the tests' origin.
    static func of(_ path: String, partition: String = "") throws -> CacheKeyPair {
        CacheKeyPair(partition: partition, key: CacheKey(try #require(URL(string: "http://folder.test\(path)"))))
    }
}

extension FolderResponseCache {
    /// Stores a response to a GET.
    @discardableResult
    func store(
        _ path: String, _ body: CacheBody, _ headers: HeaderFields = [:], request: HeaderFields = [:],
        partition: String = "", replacing replaced: [Int64] = []
    ) throws -> CacheEntry {
        let response = StoredResponse(
            id: 0, key: try CacheKeyPair.of(path).key, statusCode: 200, reasonPhrase: "OK", headers: headers,
            variance: try #require(CacheVariance(response: headers, request: request)), requestedAt: Date(),
            receivedAt: Date(), body: StoredBody(byteCount: 4))
        let entry = CacheEntry(response, partition: partition)
        apply([.store(entry, body: body, replacing: replaced)])
        return entry
    }

    /// Stores a text as the response to a GET.
    @discardableResult
    func store(_ path: String, _ text: String, replacing replaced: [Int64] = []) throws -> CacheEntry {
        try store(path, .data(Data(text.utf8)), replacing: replaced)
    }

    /// The bodies of the responses for a path.
    func bodies(_ path: String, partition: String = "") throws -> [String] {
        entries(for: try .of(path, partition: partition)).compactMap { entry in
            body(of: entry).map { String(decoding: $0, as: UTF8.self) }
        }
    }
}

/// A folder that exists as long as its object.
final class TemporaryFolder: Sendable {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("bluebonnet-cache-\(UUID().uuidString)")

    deinit { try? FileManager.default.removeItem(at: url) }
}
