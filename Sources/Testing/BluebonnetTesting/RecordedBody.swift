// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
public import Foundation

/// A body in a recording, in the form that is easiest to read.
///
/// JSON is stored as a value, without white space and the order of members; text as text; other bytes in Base64.
public enum RecordedBody: Sendable, Equatable {
    /// No bytes.
    case empty
    /// A JSON value.
    case json(JSONValue)
    /// Text in UTF-8.
    case text(String)
    /// Any other bytes.
    case data(Data)

    /// Makes the most readable form of a body.
    ///
    /// - Parameters:
    ///   - data: the bytes, without a content coding.
    ///   - type: the value of `Content-Type`. A body of a JSON type is stored as JSON if it is valid. The random
    ///     boundary of `multipart/form-data` is replaced by a fixed one, so that the bodies of two runs are equal.
    public init(_ data: Data, type: String?) {
        let mediaType = type?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased() ?? ""
        let isJSON = mediaType == "application/json" || mediaType.hasSuffix("+json")
        if data.isEmpty {
            self = .empty
        } else if isJSON, let value = try? JSONValue(parsing: data) {
            self = .json(value)
        } else if let text = String(data: data, encoding: .utf8), !text.unicodeScalars.contains(where: \.isUnreadable) {
            self = .text(Self.replacingBoundary(of: text, type: type))
        } else {
            self = .data(data)
        }
    }

    /// The bytes of the body when it is played.
    public var data: Data {
        switch self {
        case .empty: Data()
        case .json(let value): Self.encoded(value)
        case .text(let text): Data(text.utf8)
        case .data(let data): data
        }
    }

    private static func encoded(_ value: JSONValue) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)) ?? Data()
    }

    private static func replacingBoundary(of text: String, type: String?) -> String {
        guard let boundary = boundary(in: type) else { return text }
        return text.replacingOccurrences(of: boundary, with: "boundary")
    }

    /// Returns the boundary in a `Content-Type`; nil without one.
    static func boundary(in type: String?) -> String? {
        guard let type, type.lowercased().hasPrefix("multipart/"), let mark = type.range(of: "boundary=") else {
            return nil
        }
        let value = type[mark.upperBound...].prefix { $0 != ";" }.trimmingCharacters(
            in: CharacterSet(charactersIn: "\" "))
        return value.isEmpty ? nil : value
    }
}

extension Unicode.Scalar {
    fileprivate var isUnreadable: Bool { value < 0x20 && value != 0x09 && value != 0x0A && value != 0x0D }
}

extension RecordedBody: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case json, text
        case data = "base64"
    }

    /// Reads an object with one member: `json`, `text`, or `base64`.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if container.contains(.json) {
            self = .json(try container.decode(JSONValue.self, forKey: .json))
        } else if let text = try container.decodeIfPresent(String.self, forKey: .text) {
            self = .text(text)
        } else if let data = try container.decodeIfPresent(Data.self, forKey: .data) {
            self = .data(data)
        } else {
            self = .empty
        }
    }

    /// Writes an object with one member, or without members for an empty body.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .empty: break
        case .json(let value): try container.encode(value, forKey: .json)
        case .text(let text): try container.encode(text, forKey: .text)
        case .data(let data): try container.encode(data, forKey: .data)
        }
    }
}
