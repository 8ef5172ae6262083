// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// The statuses and content types that a response serializer accepts.
public struct ResponseValidation: Sendable, Equatable {
    /// Accepted status codes; nil accepts any. Default 200 to 299.
    public var acceptableStatusCodes: IndexSet? { didSet { statusRange = acceptableStatusCodes?.onlyRange } }
    /// Accepted content types without parameters, compared without regard to case; nil accepts any. Default nil.
    ///
    /// A star matches any text that is not empty: `image/*`, `application/*+json`.
    public var acceptableContentTypes: Set<String>?
    /// The accepted statuses if they are a single range. Stored, because a query of an `IndexSet` is slow.
    private var statusRange: Range<Int>?

    /// Accepts the given statuses and content types; the default is any content type with a status from 200 to 299.
    public init(
        acceptableStatusCodes: IndexSet? = IndexSet(integersIn: 200...299),
        acceptableContentTypes: Set<String>? = nil
    ) {
        self.acceptableStatusCodes = acceptableStatusCodes
        self.acceptableContentTypes = acceptableContentTypes
        statusRange = acceptableStatusCodes?.onlyRange
    }

    /// Whether the status alone is accepted. Decides the destination of the body before the body arrives.
    func accepts(status: Int) -> Bool {
        if let statusRange { return statusRange.contains(status) }
        return acceptableStatusCodes?.contains(status) ?? true
    }

    /// Checks a response as the library does before it calls a serializer: for a serializer that tries others, or for a
    /// test.
    ///
    /// The content type of a response without a body does not count: a response with status 204, 205 or 304, or a
    /// response that announces a body that does not arrive, such as a response to HEAD.
    /// - Throws: `NetworkingError` with `unacceptableStatus` or `unacceptableContentType`, with the response and the
    ///   body. If both are wrong, the error is for the status, and the content type is its `underlying`.
    public func validate(_ response: ResponseHead, body: Data) throws(NetworkingError) {
        let refusal = refusal(
            status: response.statusCode, contentType: response.contentType, bodyIsEmpty: body.isEmpty,
            hasNoBody: body.isEmpty && response.mayLackBody)
        guard var refusal else { return }
        (refusal.response, refusal.body) = (response.urlResponse, body)
        throw refusal
    }

    /// Returns the error of a response; nil if the response is accepted. An error for the status comes first, with a
    /// wrong content type as its underlying error, as AFNetworking reports it.
    ///
    /// - Parameters:
    ///   - bodyIsEmpty: an empty body needs no content type; a content type that is present has to be accepted.
    ///   - hasNoBody: whether the response has no body by its method or status, or the body is not read as a value. The
    ///     content type then does not count.
    func refusal(
        status: Int, contentType: @autoclosure () -> String?, bodyIsEmpty: Bool, hasNoBody: Bool = false
    ) -> NetworkingError? {
        let typeRefusal =
            acceptableContentTypes == nil || hasNoBody
            ? nil : refusal(contentType: contentType(), bodyIsEmpty: bodyIsEmpty)
        if accepts(status: status) { return typeRefusal }
        return NetworkingError(
            .unacceptableStatus, "the server answered with status \(status)", underlying: typeRefusal)
    }

    private func refusal(contentType: String?, bodyIsEmpty: Bool) -> NetworkingError? {
        guard let acceptableContentTypes else { return nil }
        guard let contentType else {
            return bodyIsEmpty ? nil : NetworkingError(.unacceptableContentType, "the response has no content type")
        }
        // Fast path: nearly every server sends the type exactly as it is accepted, without parameters.
        if acceptableContentTypes.contains(contentType), !contentType.hasByte(UInt8(ascii: ";")) { return nil }
        if Self.hasSeveralTypes(contentType) {
            let text = "the response has several content types, so none applies: \(contentType)"
            return NetworkingError(.unacceptableContentType, text)
        }
        let mediaType = ResponseHead.mediaType(of: contentType)
        if acceptableContentTypes.contains(mediaType) { return nil }
        if acceptableContentTypes.contains(where: { Self.matches(mediaType, $0.lowercased()) }) { return nil }
        let wanted = acceptableContentTypes.sorted().joined(separator: ", ")
        return NetworkingError(
            .unacceptableContentType, "the response's content type is \(mediaType), not one of \(wanted)")
    }

    /// Whether a media type matches the accepted type, in which one star may match any text.
    private static func matches(_ mediaType: String, _ accepted: String) -> Bool {
        guard let star = accepted.firstIndex(of: "*") else { return mediaType == accepted }
        let (start, end) = (accepted[..<star], accepted[star...].dropFirst())
        return mediaType.hasPrefix(start) && mediaType.hasSuffix(end)
            && mediaType.utf8.count > start.utf8.count + end.utf8.count
    }

    /// Whether several `Content-Type` fields were combined into one (RFC 9110, 5.3): a comma occurs outside of quotes.
    private static func hasSeveralTypes(_ field: String) -> Bool {
        guard field.utf8.contains(UInt8(ascii: ",")) else { return false }
        let pieces = field.split(separator: "\"", omittingEmptySubsequences: false)
        return pieces.enumerated().contains { $0.offset.isMultiple(of: 2) && $0.element.contains(",") }
    }
}

extension IndexSet {
    /// Every status code of HTTP, 100 to 999: for calls that check the status themselves.
    public static let anyStatus = IndexSet(integersIn: 100...999)

    /// The range, if the set is a single range.
    fileprivate var onlyRange: Range<Int>? {
        let ranges = rangeView
        return ranges.count == 1 ? ranges.first : nil
    }
}
