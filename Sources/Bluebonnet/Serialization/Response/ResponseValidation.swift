// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// Which statuses and content types a response serializer accepts.
public struct ResponseValidation: Sendable, Equatable {
    /// Accepted status codes; nil accepts any. Default 200 to 299.
    public var acceptableStatusCodes: IndexSet? { didSet { statusRange = acceptableStatusCodes?.onlyRange } }
    /// Accepted content types without parameters, compared without regard to case; nil accepts any. Default nil.
    ///
    /// A star stands for any text that is not empty: `image/*`, `application/*+json`.
    public var acceptableContentTypes: Set<String>?
    /// The accepted statuses, where they are one range: asking an `IndexSet` is slow.
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

    /// Whether the status alone is accepted: what decides, before the body arrives, where it goes.
    func accepts(status: Int) -> Bool {
        if let statusRange { return statusRange.contains(status) }
        return acceptableStatusCodes?.contains(status) ?? true
    }

    /// What is wrong with a response, or nil. The status comes first, with the content type as its underlying error
    /// when that is wrong too, as AFNetworking reports it.
    ///
    /// - Parameter bodyIsEmpty: a response without a body needs no content type (204, 205, an answer to HEAD).
    func refusal(status: Int, contentType: @autoclosure () -> String?, bodyIsEmpty: Bool) -> NetworkingError? {
        let typeRefusal =
            acceptableContentTypes == nil ? nil : refusal(contentType: contentType(), bodyIsEmpty: bodyIsEmpty)
        if accepts(status: status) { return typeRefusal }
        return NetworkingError(
            .unacceptableStatus, "the server answered with status \(status)", underlying: typeRefusal)
    }

    private func refusal(contentType: String?, bodyIsEmpty: Bool) -> NetworkingError? {
        guard let acceptableContentTypes else { return nil }
        guard let contentType else {
            return bodyIsEmpty ? nil : NetworkingError(.unacceptableContentType, "the response has no content type")
        }
        let mediaType = ResponseHead.mediaType(of: contentType)
        if acceptableContentTypes.contains(mediaType) { return nil }
        if acceptableContentTypes.contains(where: { Self.matches(mediaType, $0.lowercased()) }) { return nil }
        let wanted = acceptableContentTypes.sorted().joined(separator: ", ")
        return NetworkingError(
            .unacceptableContentType, "the response's content type is \(mediaType), not one of \(wanted)")
    }

    /// Whether a media type is the accepted one, in which one star may stand for any text.
    private static func matches(_ mediaType: String, _ accepted: String) -> Bool {
        guard let star = accepted.firstIndex(of: "*") else { return mediaType == accepted }
        let (start, end) = (accepted[..<star], accepted[star...].dropFirst())
        return mediaType.hasPrefix(start) && mediaType.hasSuffix(end)
            && mediaType.utf8.count > start.utf8.count + end.utf8.count
    }
}

extension IndexSet {
    /// The range, when there is just one.
    fileprivate var onlyRange: Range<Int>? {
        let ranges = rangeView
        return ranges.count == 1 ? ranges.first : nil
    }
}
