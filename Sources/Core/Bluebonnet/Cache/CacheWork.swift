// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking

/// The changes of a cache that follow from an operation's transfers. They are carried out before the operation is
/// finished, off the network thread. A value that is passed between threads.
struct CacheWork: Sendable {
    /// A response that is stored once its body is complete.
    struct Storing: Sendable {
        var response: StoredResponse
        let source: CacheBodySource
        let replaced: [Int64]
        /// Whether content codings are removed from the body.
        let isDecoded: Bool
        /// The head as received.
        let head: ResponseHead
    }

    /// The body of a response, when it has arrived.
    enum Arrived: Sendable {
        case data(Data)
        case file(PartialFile, byteCount: Int64)

        var byteCount: Int64 {
            switch self {
            case .data(let data): Int64(data.count)
            case .file(_, let byteCount): byteCount
            }
        }
    }

    let cache: any ResponseCache
    let partition: String
    /// The changes so far.
    var changes: [CacheChange] = []
    /// Other responses of the operation, with complete bodies.
    var others: [(storing: Storing, body: Data)] = []
    /// The result's own response; nil if it is not stored.
    var storing: Storing?
    /// The body of a result that was delivered to a stream.
    var streamed: Data?
    /// The flight that ends with these changes; nil if other requests do not wait for this one.
    var flight: CacheFlights.Number?

    /// The validation in the background that ends with these changes.
    var revalidation: CacheFlights.Key?

    var isEmpty: Bool {
        changes.isEmpty && others.isEmpty && storing == nil && flight == nil && revalidation == nil
    }
    /// Whether the changes are carried out quickly.
    var isQuick: Bool { cache is InMemoryResponseCache }

    /// Carries out the changes.
    ///
    /// - Parameters:
    ///   - body: the body of the result; nil if it is not complete or not accepted.
    ///   - block: the program's block, which may change a response that is stored, or prevent storing.
    /// - Returns: whether other requests that wait may find the response.
    func carryOut(_ body: Arrived?, _ block: ((CachedResponse) -> CachedResponse?)?) -> Bool {
        var all = changes + others.compactMap { change($0.storing, .data($0.body), nil) }
        if let storing, let body, let change = change(storing, body, block) {
            all.append(change)
        }
        if !all.isEmpty { cache.apply(all) }
        return all.contains { change in
            switch change {
            case .store, .update: true
            case .expire, .remove, .removeURL, .removeGroup: false
            }
        }
    }

    /// Returns the change that stores a response; nil if it is not stored.
    private func change(_ storing: Storing, _ body: Arrived, _ block: ((CachedResponse) -> CachedResponse?)?)
        -> CacheChange?
    {
        let ended = storing.response.ended(byteCount: body.byteCount, isWhole: true, isDecoded: storing.isDecoded)
        guard var response = ended, body.byteCount <= Int64(cache.maximumBodyByteCount) else { return nil }
        var content = body
        switch storing.source {
        case .stored: return nil
        case .added(let id, let offset):
            guard case .data(let bytes) = body, let joined = joined(response, with: bytes, to: id, at: offset) else {
                return nil
            }
            content = .data(joined)
        case .network:
            guard let block, response.body.isComplete, case .data(let data) = body else { break }
            guard let given = storing.head.urlResponse, let kept = block(CachedResponse(response: given, data: data))
            else { return nil }
            (response, content) = Self.replaced(response, given, data, by: kept, isDecoded: storing.isDecoded)
        }
        let stored: CacheBody? =
            switch content {
            case .data(let data): .data(data)
            case .file(let file, _):
                // By the descriptor: another file may have the name now.
                if let digest = try? file.digest() { .file(file.openURL, sha256: digest) } else { nil }
            }
        guard let stored else { return nil }
        return .store(CacheEntry(response, partition: partition), body: stored, replacing: storing.replaced)
    }

    private func joined(_ response: StoredResponse, with bytes: Data, to id: Int64, at offset: Int64) -> Data? {
        let key = CacheKeyPair(partition: partition, key: response.key)
        guard let base = cache.entries(for: key).first(where: { $0.id == id }), let data = cache.body(of: base),
            Int64(data.count) == base.response.body.storedByteCount
        else { return nil }
        return response.body.joined(base.response.body, data, with: bytes, at: offset)
    }

    /// Returns what is stored instead of a response that the program's block has changed.
    private static func replaced(
        _ stored: StoredResponse, _ given: HTTPURLResponse, _ data: Data, by kept: CachedResponse, isDecoded: Bool
    ) -> (StoredResponse, Arrived) {
        guard kept.response !== given || kept.data != data else { return (stored, .data(data)) }
        let changed = kept.response !== given ? ResponseHead(kept.response)?.headers : nil
        var headers = changed ?? stored.headers
        if kept.data.count != data.count { headers["Content-Length"] = nil }
        let response = StoredResponse(
            id: 0, key: stored.key, statusCode: kept.response.statusCode, reasonPhrase: stored.reasonPhrase,
            headers: headers, variance: stored.variance, requestedAt: stored.requestedAt,
            receivedAt: stored.receivedAt,
            body: StoredBody(byteCount: Int64(kept.data.count), isDecoded: isDecoded))
        return (response, .data(kept.data))
    }
}
