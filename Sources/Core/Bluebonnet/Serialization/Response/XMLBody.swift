// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationXML

/// A body that is a well-formed XML document. Parsers and trees can be made from it on any thread.
///
/// Foundation's `XMLParser` and `XMLDocument` must not cross threads, so make them where they are used. External
/// entities are never read: a response cannot make the program open its files or connect to other servers.
public struct XMLBody: Sendable, Hashable {
    /// The document's text, in the encoding that the document declares.
    public let data: Data
    private let optionBits: UInt

    /// Checks that the data is one well-formed document with at most 256 nested elements.
    ///
    /// - Throws: `XMLSyntaxError`.
    public init(checking data: Data, options: XMLNode.Options = []) throws(XMLSyntaxError) {
        try XMLCheck.check(data)
        self.data = data
        optionBits = options.rawValue
    }

    /// Makes a parser that has not started: set its delegate, then call `parse()`.
    public func makeParser() -> XMLParser {
        let parser = XMLParser(data: data)
        parser.shouldResolveExternalEntities = false
        return parser
    }

    /// Makes a tree of the document; each call parses the text again.
    public func makeDocument() throws -> XMLDocument {
        // Without this option, Foundation on Linux inserts the content of local files into the document.
        var options = XMLNode.Options(rawValue: optionBits)
        options.remove(.nodeLoadExternalEntitiesAlways)
        options.insert(.nodeLoadExternalEntitiesNever)
        return try XMLDocument(data: data, options: options)
    }
}

/// The error for data that is not an XML document.
public struct XMLSyntaxError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The reason, as a sentence without a full stop.
    public let reason: String
    /// The line of the error, from 1; 0 if the parser does not report a line.
    public let line: Int

    public var description: String { line > 0 ? "\(reason), on line \(line)" : reason }
}

/// Checks a document in one pass, because Foundation's results are not reliable on Linux: `XMLDocument` repairs damaged
/// text and crashes on empty text, and `XMLParser.parse()` returns true for elements that are never closed.
private final class XMLCheck: NSObject, XMLParserDelegate {
    /// libxml2's limit for trees. Beyond it, `XMLDocument` silently drops deeper elements.
    private static let maximumDepth = 256

    private var depth = 0
    private var rootCount = 0
    private var failure: XMLSyntaxError?

    static func check(_ data: Data) throws(XMLSyntaxError) {
        guard !data.isEmpty else { throw XMLSyntaxError(reason: "it is empty", line: 0) }
        let parser = XMLParser(data: data)
        let check = XMLCheck()
        parser.delegate = check
        let isParsed = parser.parse()
        if let failure = check.failure { throw failure }
        if !isParsed || parser.parserError != nil { throw check.failure(of: parser, parser.parserError) }
        guard check.rootCount == 1, check.depth == 0 else {
            throw XMLSyntaxError(reason: "it is not one complete element", line: parser.lineNumber)
        }
    }

    private func failure(of parser: XMLParser, _ error: (any Error)?) -> XMLSyntaxError {
        let code = (error as NSError?)?.code ?? 0
        return XMLSyntaxError(reason: Self.reasons[code] ?? "libxml2's error \(code)", line: parser.lineNumber)
    }

    /// The most common codes of libxml2 (`xmlParserErrors`).
    private static let reasons = [
        4: "it does not start like a document", 5: "it is truncated or has data after its end",
        26: "an entity is unknown", 41: "an attribute's value is not quoted", 64: "its declaration is not at the start",
        73: "an end tag lacks its >", 76: "an end tag does not match its start tag", 77: "an element is not closed",
        81: "its bytes do not match its encoding", 89: "an entity refers to itself, or elements are nested too deeply",
    ]

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        if depth == 0 { rootCount += 1 }
        depth += 1
        guard depth > Self.maximumDepth, failure == nil else { return }
        failure = XMLSyntaxError(reason: "more than \(Self.maximumDepth) nested elements", line: parser.lineNumber)
        parser.abortParsing()
    }

    func parser(_ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?, qualifiedName: String?) {
        depth -= 1
    }

    func parser(_ parser: XMLParser, parseErrorOccurred parseError: any Error) {
        if failure == nil { failure = failure(of: parser, parseError) }
    }
}
