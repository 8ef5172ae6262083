// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Which stored responses a 304, or a 200 to HEAD, is about (RFC 9111, 4.3.4 and 4.3.5).
struct CacheValidation {
    private let tag: EntityTag?
    private let lastModified: String?
    private let length: Int64?

    init(_ response: ResponseHead) {
        tag = EntityTag(response.headers)
        lastModified = response.value(for: "Last-Modified")
        length = response.contentLength
    }

    /// Returns the responses that a 304 confirms.
    ///
    /// A strong tag names all responses with it. A weak validator names the most recent response with it. A 304 without
    /// validator is about the only response in the conditions.
    func confirmed(of validated: [StoredResponse]) -> [StoredResponse] {
        if let tag, tag.isStrong {
            let same = validated.filter { $0.entityTag?.matchesStrongly(tag) ?? false }
            return same.isEmpty ? mostRecent(validated.filter { isNearly($0, tag) }) : same
        }
        if let tag { return mostRecent(validated.filter { $0.entityTag?.matchesWeakly(tag) ?? false }) }
        if let lastModified {
            return mostRecent(validated.filter { $0.lastModified == lastModified })
        }
        return validated.count == 1 ? validated : []
    }

    /// Whether a 304 with a strong tag is about a stored response with a weak form of it, or with no tag and the same
    /// date. Servers weaken the tag of a body that they compress, but not the tag of its 304.
    private func isNearly(_ stored: StoredResponse, _ tag: EntityTag) -> Bool {
        guard let storedTag = stored.entityTag else {
            return lastModified != nil && lastModified == stored.lastModified
        }
        return storedTag.isWeak && storedTag.matchesWeakly(tag)
    }

    private func mostRecent(_ responses: [StoredResponse]) -> [StoredResponse] {
        responses.max { ($0.times.date, $0.receivedAt) < ($1.times.date, $1.receivedAt) }.map { [$0] } ?? []
    }

    /// Returns whether the head of a 200 is about the same body as a stored response: the validators and the length
    /// that it has are the same.
    func describes(_ stored: StoredResponse) -> Bool {
        if let tag, tag != stored.entityTag { return false }
        if let lastModified, lastModified != stored.lastModified { return false }
        guard let length else { return true }
        let storedLength = ResponseHead.Framing(FieldBlock(stored.headers.fields)).contentLength
        return length == storedLength ?? (stored.body.isDecoded ? nil : stored.body.totalByteCount)
    }
}
