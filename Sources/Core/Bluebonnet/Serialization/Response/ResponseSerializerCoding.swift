// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

// Response serializers are `Codable` with all their options, as AFNetworking archived them with NSCoding.
// `DecodableResponseSerializer` is not: its type and its decoder cannot be encoded. This file has the conformances that
// the compiler cannot synthesize.

extension ResponseValidation: Codable {
    private enum CodingKeys: CodingKey {
        case acceptableStatusCodes, acceptableContentTypes
    }

    /// Makes a validation as it was encoded; a missing key accepts anything.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            acceptableStatusCodes: try container.decodeIfPresent(IndexSet.self, forKey: .acceptableStatusCodes),
            acceptableContentTypes: try container.decodeIfPresent(Set<String>.self, forKey: .acceptableContentTypes))
    }

    /// Encodes the statuses and the content types.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(acceptableStatusCodes, forKey: .acceptableStatusCodes)
        try container.encodeIfPresent(acceptableContentTypes?.sorted(), forKey: .acceptableContentTypes)
    }
}

extension CompoundResponseSerializer: Codable {
    /// Makes a serializer from the encoded serializers, in their order.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let members = try container.decode([SerializerRecord].self)
        guard !members.isEmpty else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "a compound serializer needs at least one serializer")
        }
        self.init(members.map(\.serializer))
    }

    /// Encodes the serializers with their options.
    ///
    /// - Throws: `EncodingError`, naming the type of a member that is a `DecodableResponseSerializer` or not a type of
    ///   the library.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for serializer in serializers {
            do {
                try container.encode(SerializerRecord(serializer))
            } catch let unknown as SerializerRecord.Unknown {
                let context = EncodingError.Context(
                    codingPath: container.codingPath, debugDescription: "\(unknown.type) cannot be encoded")
                throw EncodingError.invalidValue(serializer, context)
            }
        }
    }
}

/// A serializer of the library with all its options, by kind.
enum SerializerRecord: Codable, Sendable {
    case http(HTTPResponseSerializer)
    case string(StringResponseSerializer)
    case json(JSONResponseSerializer)
    case propertyList(PropertyListResponseSerializer)
    case xmlParser(XMLParserResponseSerializer)
    case xmlDocument(XMLDocumentResponseSerializer)
    case compound(CompoundResponseSerializer)

    /// The error for a serializer that cannot be recorded.
    struct Unknown: Error {
        /// The serializer's type, for a message.
        let type: String
    }

    /// - Throws: the type of a serializer, or of a member of a compound, that cannot be recorded.
    init(_ serializer: any ResponseSerializer) throws(Unknown) {
        switch serializer {
        case let serializer as HTTPResponseSerializer: self = .http(serializer)
        case let serializer as StringResponseSerializer: self = .string(serializer)
        case let serializer as JSONResponseSerializer: self = .json(serializer)
        case let serializer as PropertyListResponseSerializer: self = .propertyList(serializer)
        case let serializer as XMLParserResponseSerializer: self = .xmlParser(serializer)
        case let serializer as XMLDocumentResponseSerializer: self = .xmlDocument(serializer)
        case let serializer as CompoundResponseSerializer:
            for member in serializer.serializers { _ = try SerializerRecord(member) }
            self = .compound(serializer)
        default: throw Unknown(type: "\(type(of: serializer))")
        }
    }

    var serializer: any ResponseSerializer {
        switch self {
        case .http(let serializer): serializer
        case .string(let serializer): serializer
        case .json(let serializer): serializer
        case .propertyList(let serializer): serializer
        case .xmlParser(let serializer): serializer
        case .xmlDocument(let serializer): serializer
        case .compound(let serializer): serializer
        }
    }
}
