// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

// What the head says about the body: whether there is one, how long it is and how it is coded.
extension ResponseHead {
    /// What the framing fields say.
    struct Framing: Sendable {
        fileprivate(set) var contentLength: Int64?
        fileprivate(set) var lengthFault: String?
        fileprivate(set) var transferCodings: [String] = []
        fileprivate(set) var contentCodings: [String] = []
        private var isFramedTwice = false
        /// Names for a body as it is: RFC 9110's, and the one that servers invented, which curl takes for it too.
        private static let identities: Set = ["identity", "none"]

        init(_ block: FieldBlock) {
            let fields = block.framingFields
            contentLength = fields.plainLength
            guard let texts = fields.texts else { return }
            if !texts.lengths.isEmpty { (contentLength, lengthFault) = ResponseHead.length(texts.lengths) }
            let hasLength = fields.plainLength != nil || !texts.lengths.isEmpty
            isFramedTwice = hasLength && !texts.transferCodings.isEmpty
            transferCodings = ResponseHead.list(texts.transferCodings)
            contentCodings = ResponseHead.list(texts.contentCodings).filter { !Self.identities.contains($0) }
        }

        /// What makes the body's end a guess, or nil.
        fileprivate var fault: String? {
            if let lengthFault { return lengthFault }
            return isFramedTwice ? "the response has both Content-Length and Transfer-Encoding" : nil
        }
    }

    /// The body's length on the wire, when `Content-Length` says it.
    var contentLength: Int64? { framing.contentLength }

    /// Whether the body comes in chunks.
    var isChunked: Bool { framing.transferCodings.last == "chunked" }

    /// The content codings that change the body, in the order in which the server applied them, in lower case.
    var contentCodings: [String] { framing.contentCodings }

    /// Whether a response to this method has a body (RFC 9112, 6.3); it may still be empty.
    func hasBody(for method: String) -> Bool {
        switch method {
        case "HEAD": false
        case "CONNECT" where (200...299).contains(status): false
        default: !(100...199).contains(status) && status != 204 && status != 304
        }
    }

    /// Whether the server closes an HTTP/1 connection behind this response (RFC 9112, 9.3): it says so, or nothing else
    /// tells where the body ends.
    func closesConnection(after method: String) -> Bool {
        let options = ResponseHead.list(values(for: "Connection"))
        if options.contains("close") { return true }
        if httpVersion == "1.0" && !options.contains("keep-alive") { return true }
        return hasBody(for: method) && contentLength == nil && !isChunked
    }

    /// Refuses lengths that contradict each other: the end of such a body is a guess.
    func checkFraming() throws(NetworkingError) {
        if let fault = framing.fault { throw NetworkingError(.badServerResponse, fault) }
    }

    /// The one length that the values of `Content-Length` give, or what is wrong with them; equal repetitions are fine.
    fileprivate static func length(_ values: [String]) -> (value: Int64?, fault: String?) {
        var length: Int64?
        let members = values.flatMap { $0.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) }
        for member in members {
            let digits = FieldSyntax.trimmed(member)
            guard FieldSyntax.isNumber(digits), let number = Int64(Substring(digits)) else {
                return (nil, "the response's Content-Length is not a length: \(Substring(member).prefix(80))")
            }
            guard number == length ?? number else {
                return (nil, "the response has two Content-Lengths, \(length ?? 0) and \(number)")
            }
            length = number
        }
        return (length, values.isEmpty || length != nil ? nil : "the response's Content-Length is empty")
    }
}
