// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
public import HTTPTypes

extension HeaderFields {
    /// Makes the fields of a message of swift-http-types, in their order. Their strategies for the compression of
    /// HTTP/2 are not kept: libcurl decides.
    public init(_ fields: HTTPFields) {
        self.init(fields.map { Field(name: $0.name.rawName, value: $0.value) })
    }
}

extension HTTPFields {
    /// Makes fields of swift-http-types, in their order and with white space around values removed (RFC 9110, 5.5).
    ///
    /// - Throws: `invalidRequest` for a name that is no token, and for a value with a control character, which
    ///   `HTTPField` would replace.
    public init(_ fields: HeaderFields) throws(NetworkingError) {
        self.init()
        reserveCapacity(fields.count)
        for field in fields { append(try HTTPField(field)) }
    }
}

extension HTTPField {
    fileprivate init(_ field: HeaderFields.Field) throws(NetworkingError) {
        guard let name = Name(field.name) else {
            throw NetworkingError(.invalidRequest, "a name of a header field is not a valid token")
        }
        let value = field.value.trimmed
        guard Self.isValidValue(value) else {
            throw NetworkingError(.invalidRequest, "the value of header \(field.name) contains a control character")
        }
        self.init(name: name, value: value)
    }
}

extension String {
    /// The text without spaces and tabs around it.
    fileprivate var trimmed: String {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        let rest = drop(while: isSpace)
        guard let last = rest.lastIndex(where: { !isSpace($0) }) else { return "" }
        return String(rest[...last])
    }
}
