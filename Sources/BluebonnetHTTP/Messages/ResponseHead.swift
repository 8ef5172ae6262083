// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation
package import FoundationNetworking

/// The final head of a response as it arrived: status line and fields, in order, repeated ones apart. An object,
/// because it is passed on often; it never changes.
package final class ResponseHead: Sendable {
    /// The URL that answered.
    package let url: URL
    package let status: Int
    /// The text behind the status; empty in HTTP/2.
    package let reason: String
    /// `1.0`, `1.1`, `2` or `3`.
    package let httpVersion: String
    package let block: FieldBlock
    /// What the fields say about the body, read once.
    package let framing: Framing

    package init(url: URL, status: Int, reason: String = "", httpVersion: String = "1.1", block: FieldBlock) {
        self.url = url
        self.status = status
        self.reason = reason
        self.httpVersion = httpVersion
        self.block = block
        framing = Framing(block)
    }

    package convenience init(
        url: URL, status: Int, reason: String = "", httpVersion: String = "1.1",
        headers: HeaderFields = [:]
    ) {
        self.init(
            url: url, status: status, reason: reason, httpVersion: httpVersion,
            block: headers.block ?? FieldBlock(headers.fields))
    }

    /// The fields, in order.
    package var headers: HeaderFields { HeaderFields(block) }

    /// What names and values take in memory.
    package var fieldByteCount: Int { block.byteCount }

    /// The values of `Location` with every byte escaped that is not ASCII.
    package var locations: [String] { block.locations }

    /// Whether there is a field with that name, whatever its case.
    package func hasField(_ name: StaticString) -> Bool { block.hasField(name) }

    /// Every value of the fields with that name, whatever its case, in order.
    package func values(for name: String) -> [String] { block.values(for: name) }

    /// The values of the fields with that name, joined by ", "; nil when there is none.
    package func value(for name: String) -> String? {
        let values = values(for: name)
        return values.count < 2 ? values.first : values.joined(separator: ", ")
    }

    /// The members of a field that is a list (RFC 9110, 5.6.1), in lower case, over all its lines.
    package static func list(_ values: [String]) -> [String] {
        guard !values.isEmpty else { return [] }
        return values.flatMap { $0.utf8.split(separator: UInt8(ascii: ",")) }
            .map { Substring(FieldSyntax.trimmed($0)).lowercased() }.filter { !$0.isEmpty }
    }

    /// Foundation's form of the response; repeated fields are joined by ", ".
    package func urlResponse() throws(NetworkingError) -> HTTPURLResponse {
        let response = HTTPURLResponse(
            url: url, statusCode: status, httpVersion: "HTTP/" + httpVersion, headerFields: headers.dictionary)
        guard let response else {
            throw NetworkingError(.badServerResponse, "the response of \(url) has no form in Foundation")
        }
        return response
    }
}

// What the head says about the body: whether there is one, how long it is and how it is coded.
extension ResponseHead {
    /// What the framing fields say.
    package struct Framing: Sendable {
        package fileprivate(set) var contentLength: Int64?
        package fileprivate(set) var lengthFault: String?
        package fileprivate(set) var transferCodings: [String] = []
        package fileprivate(set) var contentCodings: [String] = []
        private var isFramedTwice = false
        /// Names for a body as it is: RFC 9110's, and the one that servers invented, which curl takes for it too.
        private static let identities: Set = ["identity", "none"]

        package init(_ block: FieldBlock) {
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
    package var contentLength: Int64? { framing.contentLength }

    /// Whether the body comes in chunks.
    package var isChunked: Bool { framing.transferCodings.last == "chunked" }

    /// The content codings that change the body, in the order in which the server applied them, in lower case.
    package var contentCodings: [String] { framing.contentCodings }

    /// Whether a response to this method has a body (RFC 9112, 6.3); it may still be empty.
    package func hasBody(for method: String) -> Bool {
        switch method {
        case "HEAD": false
        case "CONNECT" where (200...299).contains(status): false
        default: !(100...199).contains(status) && status != 204 && status != 304
        }
    }

    /// Whether the server closes an HTTP/1 connection behind this response (RFC 9112, 9.3): it says so, or nothing else
    /// tells where the body ends.
    package func closesConnection(after method: String) -> Bool {
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
