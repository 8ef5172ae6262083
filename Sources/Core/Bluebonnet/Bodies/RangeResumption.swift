// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Decides how an interrupted transfer continues: a pure value, which knows what arrived and of which representation.
///
/// A continued body is never spliced from two representations: only a strong validator (RFC 9110, 8.8.1) is sent in
/// `If-Range`, and the answer is checked before a byte of it is taken.
struct RangeResumption: Equatable {
    /// The decoded bytes that the sink holds, which are also the bytes that came: only uncoded bodies are continued.
    let offset: Int64
    let validator: StrongValidator
    let totalByteCount: Int64?
    /// Which URL answered with the tag: the same tag of another URL means nothing.
    let responseURLDigest: String
    /// The same without the URL's query; nil when it is not known.
    var responseResourceDigest: String?

    /// What to do with the answer to the range request.
    enum Decision: Equatable {
        /// The answer goes on where the body stopped.
        case append
        /// The answer is the whole body: empty the sink and take it.
        case startOver
        /// The answer fits nothing: empty the sink and ask again without a range.
        case askAgain
        /// The body was complete already.
        case isComplete
        /// Another final answer, which has nothing to do with the body: an error, for instance.
        case unrelated
    }

    /// The fields of the range request (RFC 9110, 14.2 and 13.1.5).
    var headers: [(name: String, value: String)] {
        [("Range", "bytes=\(offset)-"), ("If-Range", validator.fieldValue), ("Accept-Encoding", "identity")]
    }

    func decide(on head: ResponseHead) -> Decision {
        switch head.statusCode {
        case 200: .startOver
        case 206: continues(head) ? .append : .askAgain
        case 416: isAlreadyComplete(head) ? .isComplete : .askAgain
        default: .unrelated
        }
    }

    /// A 206 must start where we are, have our total where both are known, and not name another representation.
    private func continues(_ head: ResponseHead) -> Bool {
        guard case .part(offset, let last, let total)? = head.contentRange, head.contentCodings.isEmpty else {
            return false
        }
        if let total, let totalByteCount, total != totalByteCount { return false }
        guard total != nil || totalByteCount != nil else { return false }  // its end could not be told
        if let length = head.contentLength, length - 1 != last - offset { return false }
        return namesSameRepresentation(head)
    }

    /// A 416 means a complete body only when its total is exactly what we have, and nothing says otherwise.
    private func isAlreadyComplete(_ head: ResponseHead) -> Bool {
        guard case .unsatisfied(offset)? = head.contentRange else { return false }
        return isSameResource(head) && validator.names(head) == true && (totalByteCount ?? offset) == offset
    }

    /// A 206 has to repeat the tag that the whole had, but need not repeat the date, even in answer to `If-Range`
    /// (RFC 9110, 15.3.7): one without the tag is of a server that may not have looked at the condition.
    private func namesSameRepresentation(_ head: ResponseHead) -> Bool {
        guard isSameResource(head) else { return false }
        switch validator {
        case .entityTag: return validator.names(head) == true
        case .lastModified: return validator.names(head) ?? true
        }
    }

    /// The same request may be redirected to a URL with another signature in its query each time. There an entity tag
    /// and the whole length tell that nothing else has changed; a date does not.
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
    /// Goes on behind `offset` bytes of what a record describes.
    init(record: PartialRecord, offset: Int64) {
        self.init(
            offset: offset, validator: record.validator, totalByteCount: record.totalByteCount,
            responseURLDigest: record.responseURLDigest, responseResourceDigest: record.responseResourceDigest)
    }
}
