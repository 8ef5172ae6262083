// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Decides how an interrupted transfer continues. A pure value, which contains how many bytes have arrived and of which
/// representation.
///
/// A continued body is never combined from two representations: only a strong validator (RFC 9110, 8.8.1) is sent in
/// `If-Range`, and the response is checked before any of its bytes are used.
package struct RangeResumption: Equatable {
    /// The number of bytes in the sink. Only uncoded bodies are continued, so this is also the number of received
    /// bytes.
    let offset: Int64
    let validator: StrongValidator
    package let totalByteCount: Int64?
    /// The digest of the URL that answered. The same entity tag of another URL means nothing.
    let responseURLDigest: String
    /// The digest of that URL without its query; nil if it is not known.
    var responseResourceDigest: String?

    /// How to use the response to the range request.
    package enum Decision: Equatable {
        /// The response continues where the body stopped.
        case append
        /// The response is the whole body: truncate the sink and use the response.
        case startOver
        /// The response does not match: truncate the sink and send the request again without a range.
        case askAgain
        /// The body was already complete.
        case isComplete
        /// Another final response that is unrelated to the body, such as an error.
        case unrelated
    }

    /// The fields of the range request (RFC 9110, 14.2 and 13.1.5).
    package var headers: [(name: String, value: String)] {
        [("Range", "bytes=\(offset)-"), ("If-Range", validator.fieldValue), ("Accept-Encoding", "identity")]
    }

    package func decide(on head: ResponseHead) -> Decision {
        switch head.statusCode {
        case 200: .startOver
        case 206: continues(head) ? .append : .askAgain
        case 416: isAlreadyComplete(head) ? .isComplete : .askAgain
        default: .unrelated
        }
    }

    /// Whether a 206 starts at the offset, has the same total where both are known, and names no other representation.
    private func continues(_ head: ResponseHead) -> Bool {
        guard case .part(offset, let last, let total)? = head.contentRange, head.contentCodings.isEmpty else {
            return false
        }
        if let total, let totalByteCount, total != totalByteCount { return false }
        guard total != nil || totalByteCount != nil else { return false }  // the end would not be known
        if let length = head.contentLength, length - 1 != last - offset { return false }
        return namesSameRepresentation(head)
    }

    /// Whether a 416 means that the body is complete: only if its total is exactly the offset, and nothing contradicts
    /// that.
    private func isAlreadyComplete(_ head: ResponseHead) -> Bool {
        guard case .unsatisfied(offset)? = head.contentRange else { return false }
        return isSameResource(head) && validator.names(head) == true && (totalByteCount ?? offset) == offset
    }

    /// A 206 must repeat the entity tag of the whole representation, but need not repeat the date, even in response to
    /// `If-Range` (RFC 9110, 15.3.7). A 206 without the tag may come from a server that has ignored the condition.
    private func namesSameRepresentation(_ head: ResponseHead) -> Bool {
        guard isSameResource(head) else { return false }
        switch validator {
        case .entityTag: return validator.names(head) == true
        case .lastModified: return validator.names(head) ?? true
        }
    }

    /// The same request may be redirected to a URL with a different signature in its query each time. An entity tag and
    /// the total length then show that nothing else has changed; a date does not.
    private func isSameResource(_ head: ResponseHead) -> Bool {
        if PartialRecord.digest(of: head.url) == responseURLDigest { return true }
        guard case .entityTag = validator, let total = totalByteCount, let responseResourceDigest else { return false }
        switch head.contentRange {
        case .part(_, _, total?)?, .unsatisfied(total)?: break
        default: return false
        }
        return PartialRecord.resourceDigest(of: head.url) == responseResourceDigest
    }
}

extension RangeResumption {
    /// Continues after `offset` bytes of the representation that a record describes.
    package init(record: PartialRecord, offset: Int64) {
        self.init(
            offset: offset, validator: record.validator, totalByteCount: record.totalByteCount,
            responseURLDigest: record.responseURLDigest, responseResourceDigest: record.responseResourceDigest)
    }
}
