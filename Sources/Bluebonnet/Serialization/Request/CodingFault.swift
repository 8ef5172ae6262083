// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Says where a `Codable` value could not be encoded or decoded, as a path and a reason; it knows no format.
enum CodingFault {
    /// Runs an encoder; its error becomes `invalidRequest`, naming the member.
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

    /// What is wrong with a body that a decoder refused, as the end of a sentence.
    static func reason(of error: any Error) -> String {
        switch error {
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            "\(member(context.codingPath)): \(context.debugDescription)"
        case DecodingError.keyNotFound(let key, let context):
            "\(member(context.codingPath + [key])) is missing"
        default: "\(error)"
        }
    }

    private static func member(_ keys: [any CodingKey]) -> String {
        keys.isEmpty ? "the whole" : "member " + path(keys)
    }

    /// `user.roles[2]`
    private static func path(_ keys: [any CodingKey]) -> String {
        let steps = keys.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }.joined()
        return steps.hasPrefix(".") ? String(steps.dropFirst()) : steps
    }
}
