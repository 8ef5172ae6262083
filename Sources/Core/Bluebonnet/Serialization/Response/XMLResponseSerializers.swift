// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationXML

/// Delivers an XML body as an `XMLBody`, from which the program makes an `XMLParser` that has not started.
///
/// The value is nil if the status (204, 205) allows no body, or if the response announces a body that does not arrive
/// (a response to HEAD). Any other body that is not one well-formed document, including an empty body, is an error.
public struct XMLParserResponseSerializer: ResponseSerializer, Codable {
    public var validation: ResponseValidation

    /// Makes a serializer for `application/xml` and `text/xml` with a status from 200 to 299.
    ///
    /// - Parameter acceptsStructuredSuffix: whether types such as `application/atom+xml` are accepted too.
    public init(acceptsStructuredSuffix: Bool = false) {
        validation = .xml(acceptsStructuredSuffix: acceptsStructuredSuffix)
    }

    public func value(for response: ResponseHead, body: Data) throws(NetworkingError) -> XMLBody? {
        try XMLBody.value(for: response, body: body, options: [])
    }
}

/// Delivers an XML body as an `XMLBody`, from which the program makes an `XMLDocument` with the options given here.
///
/// The value is nil if the status (204, 205) allows no body, or if the response announces a body that does not arrive
/// (a response to HEAD). Any other body that is not one well-formed document, including an empty body, is an error.
public struct XMLDocumentResponseSerializer: ResponseSerializer, Codable {
    public var validation: ResponseValidation
    /// The options for the `XMLDocument` that `makeDocument()` makes. Options for external entities have no effect,
    /// because external entities are never read. Default none.
    public var options: XMLNode.Options {
        get { XMLNode.Options(rawValue: optionBits) }
        set { optionBits = newValue.rawValue }
    }
    private var optionBits: UInt

    private enum CodingKeys: String, CodingKey {
        case validation
        case optionBits = "options"
    }

    /// Makes a serializer for `application/xml` and `text/xml` with a status from 200 to 299.
    ///
    /// - Parameters:
    ///   - options: see ``options``.
    ///   - acceptsStructuredSuffix: whether types such as `application/atom+xml` are accepted too.
    public init(options: XMLNode.Options = [], acceptsStructuredSuffix: Bool = false) {
        validation = .xml(acceptsStructuredSuffix: acceptsStructuredSuffix)
        optionBits = options.rawValue
    }

    public func value(for response: ResponseHead, body: Data) throws(NetworkingError) -> XMLBody? {
        try XMLBody.value(for: response, body: body, options: options)
    }
}

extension ResponseValidation {
    fileprivate static func xml(acceptsStructuredSuffix: Bool) -> ResponseValidation {
        var types: Set<String> = ["application/xml", "text/xml"]
        if acceptsStructuredSuffix { types.insert("application/*+xml") }
        return ResponseValidation(acceptableContentTypes: types)
    }
}

extension XMLBody {
    fileprivate static func value(
        for response: ResponseHead, body: Data, options: XMLNode.Options
    ) throws(NetworkingError) -> XMLBody? {
        if body.isEmpty, response.mayLackBody { return nil }
        do {
            return try XMLBody(checking: body, options: options)
        } catch {
            throw NetworkingError(
                .cannotParseResponse, "the response's body is not XML: \(error)", response: response.urlResponse,
                body: body, underlying: error)
        }
    }
}
