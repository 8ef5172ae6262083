// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// Delivers the body unchanged, after checking the status (and the content type, if `validation` lists any).
public struct HTTPResponseSerializer: ResponseSerializer, Codable {
    public var validation: ResponseValidation
    /// The fallback encoding of `RequestOperation.responseString`, for responses that name no known charset. The value
    /// is always the bytes, whatever the encoding. Default UTF-8.
    public var stringEncoding: String.Encoding {
        get { String.Encoding(rawValue: encodingNumber) }
        set { encodingNumber = newValue.rawValue }
    }
    private var encodingNumber = String.Encoding.utf8.rawValue

    private enum CodingKeys: String, CodingKey {
        case validation
        case encodingNumber = "stringEncoding"
    }

    /// Makes a serializer. Without arguments it accepts statuses from 200 to 299 with any content type.
    public init(validation: ResponseValidation = ResponseValidation()) {
        self.validation = validation
    }

    public func value(for response: ResponseHead, body: Data) -> Data { body }

    /// True.
    public var deliversBodyUnchanged: Bool { true }
}
