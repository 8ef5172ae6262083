// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Bluebonnet
package import BluebonnetHTTP
package import Foundation

/// A response whose body follows from its fields, so that a test recognises a wrong one.
package struct ProbeResponse {
    package let entry: CacheEntry
    package let body: Data

    package init?(_ url: URL, seed: Int, to key: CacheKey) {
        let body = Self.body(url, seed)
        let head = ResponseHead(
            url: url, statusCode: 200,
            headers: ["Cache-Control": "max-age=600", "X-Seed": "\(seed)", "Content-Length": "\(body.count)"])
        let forward = CacheRules().decision(for: CacheRequest(url: url), stored: [], now: Date())
        guard case .forward(let request) = forward else { return nil }
        let update = CacheRules().update(after: head, to: request, requestedAt: Date(), receivedAt: Date())
        guard case .store(let response, _, _)? = update.effects.first,
            let ended = response.ended(byteCount: Int64(body.count), isWhole: true)
        else { return nil }
        (entry, self.body) = (CacheEntry(ended, partition: ""), body)
    }

    /// The body of the response with a seed.
    package static func body(_ url: URL, _ seed: Int) -> Data {
        let line = "\(url.path) \(seed)\n"
        return Data(String(repeating: line, count: 1 + seed % 4_000).utf8)
    }
}
