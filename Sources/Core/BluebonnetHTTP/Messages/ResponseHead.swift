// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking
internal import Synchronization

/// The head of a response as received: status, header fields and the URL that answered.
///
/// Response serializers receive a head with each body. The object is immutable and cheap to read: header fields become
/// text on access, and Foundation's form of the response, ``urlResponse``, is made on the first access.
///
/// ```swift
/// let head = ResponseHead(url: url, statusCode: 200, headers: ["Content-Type": "text/csv; charset=utf-8"])
/// let rows = try CSVSerializer().value(for: head, body: Data("a,b".utf8))   // a serializer in a test
/// ```
public final class ResponseHead: Sendable {
    /// The URL that answered: the URL of the last request, after redirects.
    public let url: URL
    /// The status code, for instance 200.
    public let statusCode: Int
    /// The text after the status code; empty in HTTP/2.
    public let reasonPhrase: String
    /// The version of HTTP: `1.0`, `1.1`, `2` or `3`.
    public let httpVersion: String
    /// The method of the answered request; nil if it is unknown, as for a response from a cache.
    public let method: String?
    package let block: FieldBlock
    /// The statements of the fields about the body, parsed once.
    package let framing: Framing
    private let foundation = AtomicLazyReference<HTTPURLResponse>()

    package init(
        url: URL, statusCode: Int, reasonPhrase: String, httpVersion: String, block: FieldBlock, method: String?
    ) {
        self.url = url
        self.statusCode = statusCode
        self.reasonPhrase = reasonPhrase
        self.httpVersion = httpVersion
        self.block = block
        self.method = method
        framing = Framing(block)
    }

    /// Makes a head, for instance to test a serializer.
    public convenience init(
        url: URL, statusCode: Int, reasonPhrase: String = "", httpVersion: String = "1.1", headers: HeaderFields = [:],
        method: String? = nil
    ) {
        self.init(
            url: url, statusCode: statusCode, reasonPhrase: reasonPhrase, httpVersion: httpVersion,
            block: headers.block ?? FieldBlock(headers.fields), method: method)
    }

    /// Makes a head from Foundation's form of a response, with the fields sorted by name; nil if that form has no URL.
    public convenience init?(_ response: HTTPURLResponse, method: String? = nil) {
        guard let url = response.url else { return nil }
        let fields = response.allHeaderFields.compactMap { name, value in (name as? String).map { ($0, "\(value)") } }
        self.init(
            url: url, statusCode: response.statusCode, headers: HeaderFields(Dictionary(fields) { first, _ in first }),
            method: method)
    }

    /// The header fields in the order of arrival. Repeated fields stay separate.
    public var headers: HeaderFields { HeaderFields(block) }

    /// Foundation's form of the response, with repeated fields joined; nil if the response has no such form. Made on
    /// the first access, which takes longer than parsing a small body, and then stored.
    public var urlResponse: HTTPURLResponse? {
        if let made = foundation.load() { return made }
        let response = HTTPURLResponse(
            url: url, statusCode: statusCode, httpVersion: "HTTP/" + httpVersion, headerFields: headers.dictionary)
        guard let response else { return nil }
        return foundation.storeIfNil(response)
    }

    /// The values of `Location`, with every non-ASCII byte escaped.
    package var locations: [String] { block.locations }

    /// Returns whether there is a field with that name. Case is ignored.
    package func hasField(_ name: StaticString) -> Bool { block.hasField(name) }

    /// Returns every value of the fields with that name, in order. Case is ignored.
    package func values(for name: String) -> [String] { block.values(for: name) }

    /// Returns the values of the fields with that name, joined by ", "; nil if there is none.
    package func value(for name: String) -> String? { block.value(for: name) }

    /// Returns the members of a list field (RFC 9110, 5.6.1) from all its lines, in lower case.
    package static func list(_ values: [String]) -> [String] {
        guard !values.isEmpty else { return [] }
        return values.flatMap { $0.utf8.split(separator: UInt8(ascii: ",")) }
            .map { String(decoding: FieldSyntax.trimmed($0).map(FieldSyntax.lowercase), as: UTF8.self) }
            .filter { !$0.isEmpty }
    }
}

// The existence, the length and the coding of the body, as stated by the head.
extension ResponseHead {
    /// The framing of the body, as stated by the fields.
    package struct Framing: Sendable {
        package fileprivate(set) var contentLength: Int64?
        package fileprivate(set) var lengthFault: String?
        package fileprivate(set) var transferCodings: [String] = []
        package fileprivate(set) var contentCodings: [String] = []
        private var isFramedTwice = false
        private let isFolded: Bool
        /// Names for an unchanged body: the name in RFC 9110, and a name that servers invented and that curl accepts
        /// too.
        private static let identities: Set = ["identity", "none"]
        /// Names in `Content-Encoding` that are not content codings: charsets, codings of mail (RFC 2045, 6), and the
        /// form in which a file was uploaded to Amazon S3.
        private static let noContentCodings: Set = [
            "utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "binary", "8bit", "7bit", "aws-chunked",
        ]

        package init(_ block: FieldBlock) {
            let fields = block.framingFields
            contentLength = fields.plainLength
            isFolded = fields.isFolded
            guard let texts = fields.texts else { return }
            if !texts.lengths.isEmpty { (contentLength, lengthFault) = ResponseHead.length(texts.lengths) }
            let hasLength = fields.plainLength != nil || !texts.lengths.isEmpty
            isFramedTwice = hasLength && !texts.transferCodings.isEmpty
            transferCodings = ResponseHead.list(texts.transferCodings)
            contentCodings = ResponseHead.list(texts.contentCodings).filter {
                !Self.identities.contains($0) && !Self.noContentCodings.contains($0)
            }
        }

        /// The reason why the end of the body is uncertain; nil if it is certain.
        fileprivate var fault: String? {
            if let lengthFault { return lengthFault }
            // RFC 9112, 6.1: a server may apply only codings that the request named, and no request names any. If
            // another coding is present, some versions of libcurl do not look for chunks.
            guard transferCodings == ["chunked"] || transferCodings.allSatisfy(Self.identities.contains) else {
                let names = transferCodings.joined(separator: ", ")
                return "the response has an unexpected Transfer-Encoding: \(names)"
            }
            if isFolded { return "the response has a folded Content-Length or Transfer-Encoding" }
            return isFramedTwice ? "the response has both Content-Length and Transfer-Encoding" : nil
        }
    }

    /// The length of the body as transmitted, in bytes, before content codings are decoded; nil if `Content-Length`
    /// does not state it.
    public var contentLength: Int64? { framing.contentLength }

    /// Whether the body comes in chunks.
    package var isChunked: Bool { framing.transferCodings.last == "chunked" }

    /// The content codings that change the body, in the order in which the server applied them, in lower case.
    package var contentCodings: [String] { framing.contentCodings }

    /// Returns whether a response to this method has a body (RFC 9112, 6.3), which may still be empty.
    package func hasBody(for method: String) -> Bool {
        switch method {
        case "HEAD": false
        case "CONNECT" where (200...299).contains(statusCode): false
        default: !(100...199).contains(statusCode) && statusCode != 204 && statusCode != 304
        }
    }

    /// Returns whether the server closes an HTTP/1 connection after this response (RFC 9112, 9.3): the response says
    /// so, or nothing else marks the end of the body.
    package func closesConnection(after method: String) -> Bool {
        let options = ResponseHead.list(values(for: "Connection"))
        if options.contains("close") { return true }
        if httpVersion == "1.0" && !options.contains("keep-alive") { return true }
        return hasBody(for: method) && contentLength == nil && !isChunked
    }

    /// Whether the end of the body is uncertain although the body can be read: HTTP/1.0 does not define
    /// `Transfer-Encoding` (RFC 9112, 6.1).
    package var hasDoubtfulEnd: Bool { httpVersion == "1.0" && !framing.transferCodings.isEmpty }

    /// Refuses framing that can be read in two ways, because the end of such a body is a guess.
    func checkFraming() throws(NetworkingError) {
        if let fault = framing.fault { throw NetworkingError(.badServerResponse, fault) }
        if httpVersion == "2" && !framing.transferCodings.isEmpty {
            throw NetworkingError(.badServerResponse, "the response has Transfer-Encoding, which HTTP/2 does not allow")
        }
    }

    /// Returns the one length in the values of `Content-Length`, or the error in them. Equal repetitions are accepted.
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
