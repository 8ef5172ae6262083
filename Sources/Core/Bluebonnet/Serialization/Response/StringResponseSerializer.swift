// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// Decodes the body as text, in the encoding of its byte order mark, else of the response's charset, else in
/// `stringEncoding`.
public struct StringResponseSerializer: ResponseSerializer, Codable {
    public var validation: ResponseValidation
    /// The encoding of a body that specifies none. Default UTF-8.
    public var stringEncoding: String.Encoding {
        get { String.Encoding(rawValue: encodingNumber) }
        set { encodingNumber = newValue.rawValue }
    }
    private var encodingNumber = String.Encoding.utf8.rawValue

    private enum CodingKeys: String, CodingKey {
        case validation
        case encodingNumber = "stringEncoding"
    }

    /// Makes a serializer, by default for any content type with a status from 200 to 299.
    public init(_ validation: ResponseValidation = ResponseValidation()) { self.validation = validation }

    /// - Throws: `NetworkingError` with `cannotParseResponse` if the body is not valid text in that encoding.
    public func value(for response: ResponseHead, body: Data) throws(NetworkingError) -> String {
        if let text = response.text(of: body, fallback: stringEncoding) { return text }
        throw NetworkingError(
            .cannotParseResponse, "the response's body is not text in the encoding \(response.textEncoding)",
            response: response.urlResponse, body: body)
    }
}
