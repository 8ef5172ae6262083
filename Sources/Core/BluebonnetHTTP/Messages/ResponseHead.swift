// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking
internal import Synchronization

/// The head of a response as it arrived: status, header fields and the URL that answered.
///
/// Response serializers get one with each body. It is an object that never changes, and cheap to ask: a header field
/// becomes text when somebody looks, and Foundation's form of the response, ``urlResponse``, is made when somebody asks
/// for it.
///
/// ```swift
/// let head = ResponseHead(url: url, statusCode: 200, headers: ["Content-Type": "text/csv; charset=utf-8"])
/// let rows = try CSVSerializer().value(for: head, body: Data("a,b".utf8))   // a serializer in a test
/// ```
public final class ResponseHead: Sendable {
    /// The URL that answered: that of the last request, after redirects.
    public let url: URL
    /// The status code, for instance 200.
    public let statusCode: Int
    /// The text behind the status code; empty in HTTP/2.
    public let reasonPhrase: String
    /// The version of HTTP: `1.0`, `1.1`, `2` or `3`.
    public let httpVersion: String
    /// The method of the request that was answered; nil when it is not known, as for a response from a cache.
    public let method: String?
    package let block: FieldBlock
    /// What the fields say about the body, read once.
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

    /// Makes a head, for instance to test a serializer with.
    public convenience init(
        url: URL, statusCode: Int, reasonPhrase: String = "", httpVersion: String = "1.1", headers: HeaderFields = [:],
        method: String? = nil
    ) {
        self.init(
            url: url, statusCode: statusCode, reasonPhrase: reasonPhrase, httpVersion: httpVersion,
            block: headers.block ?? FieldBlock(headers.fields), method: method)
    }

    /// Makes a head from Foundation's form of a response, with the fields sorted by name; nil for one without a URL.
    public convenience init?(_ response: HTTPURLResponse, method: String? = nil) {
        guard let url = response.url else { return nil }
        let fields = response.allHeaderFields.compactMap { name, value in (name as? String).map { ($0, "\(value)") } }
        self.init(
            url: url, statusCode: response.statusCode, headers: HeaderFields(Dictionary(fields) { first, _ in first }),
            method: method)
    }

    /// The header fields in the order of arrival, repeated ones apart.
    public var headers: HeaderFields { HeaderFields(block) }

    /// Foundation's form of the response, with repeated fields joined; nil when it has none. Made when it is first
    /// asked for, which takes longer than parsing a small body, and kept.
    public var urlResponse: HTTPURLResponse? {
        if let made = foundation.load() { return made }
        let response = HTTPURLResponse(
            url: url, statusCode: statusCode, httpVersion: "HTTP/" + httpVersion, headerFields: headers.dictionary)
        guard let response else { return nil }
        return foundation.storeIfNil(response)
    }

    /// The values of `Location` with every byte escaped that is not ASCII.
    package var locations: [String] { block.locations }

    /// Whether there is a field with that name, whatever its case.
    package func hasField(_ name: StaticString) -> Bool { block.hasField(name) }

    /// Every value of the fields with that name, whatever its case, in order.
    package func values(for name: String) -> [String] { block.values(for: name) }

    /// The values of the fields with that name, joined by ", "; nil when there is none.
    package func value(for name: String) -> String? { block.value(for: name) }

    /// The members of a field that is a list (RFC 9110, 5.6.1), in lower case, over all its lines.
    package static func list(_ values: [String]) -> [String] {
        guard !values.isEmpty else { return [] }
        return values.flatMap { $0.utf8.split(separator: UInt8(ascii: ",")) }
            .map { String(decoding: FieldSyntax.trimmed($0).map(FieldSyntax.lowercase), as: UTF8.self) }
            .filter { !$0.isEmpty }
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
        private let isFolded: Bool
        /// Names for a body as it is: RFC 9110's, and the one that servers invented, which curl takes for it too.
        private static let identities: Set = ["identity", "none"]
        /// What servers name in `Content-Encoding` that codes no content: charsets, codings of mail (RFC 2045, 6), and
        /// how a file was once uploaded to Amazon S3.
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

        /// What makes the body's end a guess, or nil.
        fileprivate var fault: String? {
            if let lengthFault { return lengthFault }
            // RFC 9112, 6.1: a server may apply codings that the request named, and no request names any.
            // Beside another name, not each version of libcurl looks for chunks.
            guard transferCodings == ["chunked"] || transferCodings.allSatisfy(Self.identities.contains) else {
                let names = transferCodings.joined(separator: ", ")
                return "the response has a Transfer-Encoding that was not asked for: \(names)"
            }
            if isFolded { return "the response has a folded Content-Length or Transfer-Encoding" }
            return isFramedTwice ? "the response has both Content-Length and Transfer-Encoding" : nil
        }
    }

    /// The length of the body as it is sent, in bytes, before content codings are undone; nil when `Content-Length`
    /// does not say it.
    public var contentLength: Int64? { framing.contentLength }

    /// Whether the body comes in chunks.
    package var isChunked: Bool { framing.transferCodings.last == "chunked" }

    /// The content codings that change the body, in the order in which the server applied them, in lower case.
    package var contentCodings: [String] { framing.contentCodings }

    /// Whether a response to this method has a body (RFC 9112, 6.3); it may still be empty.
    package func hasBody(for method: String) -> Bool {
        switch method {
        case "HEAD": false
        case "CONNECT" where (200...299).contains(statusCode): false
        default: !(100...199).contains(statusCode) && statusCode != 204 && statusCode != 304
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

    /// Whether the end of the body is in doubt although it can be read: HTTP/1.0 knows no `Transfer-Encoding` (RFC
    /// 9112, 6.1).
    package var hasDoubtfulEnd: Bool { httpVersion == "1.0" && !framing.transferCodings.isEmpty }

    /// Refuses framing that can be read in two ways: the end of such a body is a guess.
    func checkFraming() throws(NetworkingError) {
        if let fault = framing.fault { throw NetworkingError(.badServerResponse, fault) }
        if httpVersion == "2" && !framing.transferCodings.isEmpty {
            throw NetworkingError(.badServerResponse, "the response has Transfer-Encoding, which HTTP/2 does not know")
        }
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
