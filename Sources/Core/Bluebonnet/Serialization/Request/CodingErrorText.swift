// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Describes where and why a `Codable` value could not be encoded or decoded. Independent of the format.
package enum CodingErrorText {
    /// Runs an encoder. An encoding error becomes `invalidRequest`, and names the member.
    static func naming<Value>(_ format: String, _ encode: () throws -> Value) throws(NetworkingError) -> Value {
        do {
            return try encode()
        } catch {
            guard case EncodingError.invalidValue(_, let context) = error else {
                throw NetworkingError(
                    .invalidRequest, "the body cannot be encoded as \(format): \(error)", underlying: error)
            }
            let member = "body member \(path(context.codingPath)) cannot be encoded as \(format)"
            throw NetworkingError(.invalidRequest, "\(member): \(context.debugDescription)", underlying: error)
        }
    }

    /// Returns why a decoder rejected a body, as the end of a sentence.
    ///
    /// - Parameter kind: returns the kind of the value at a path; nil if unknown.
    package static func reason(of error: any Error, kind: ([any CodingKey]) -> String? = { _ in nil }) -> String {
        switch error {
        case DecodingError.typeMismatch(let type, let context), DecodingError.valueNotFound(let type, let context):
            guard let expected = name(of: type), let found = kind(context.codingPath),
                found != expected
            else {
                return "\(context.debugDescription) at \(place(context.codingPath))"
            }
            return "expected \(expected) at \(place(context.codingPath)), found \(found)"
        case DecodingError.dataCorrupted(let context):
            return "\(context.debugDescription) at \(place(context.codingPath))"
        case DecodingError.keyNotFound(let key, let context):
            return "\(place(context.codingPath + [key])) is missing"
        default: return "\(error)"
        }
    }

    /// Returns the name of a type in source notation: `[User]`.
    static func shown(_ type: Any.Type) -> String {
        let name = "\(type)"
        guard name.hasPrefix("Array<"), name.hasSuffix(">") else { return name }
        return "[\(name.dropFirst(6).dropLast())]"
    }

    private static func name(of type: Any.Type) -> String? {
        switch type {
        case is String.Type: "a string"
        case is Bool.Type: "a boolean"
        case is any BinaryInteger.Type, is any BinaryFloatingPoint.Type: "a number"
        default:
            if "\(type)".hasPrefix("Array<") {
                "an array"
            } else if "\(type)".hasPrefix("Dictionary<") {
                "an object"
            } else {
                nil
            }
        }
    }

    private static func place(_ keys: [any CodingKey]) -> String {
        keys.isEmpty ? "the top level" : "member " + path(keys)
    }

    /// `user.roles[2]`
    private static func path(_ keys: [any CodingKey]) -> String {
        let steps = keys.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }.joined()
        return steps.hasPrefix(".") ? String(steps.dropFirst()) : steps
    }
}
