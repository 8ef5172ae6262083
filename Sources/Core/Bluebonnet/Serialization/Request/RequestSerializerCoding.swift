// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking

// Request serializers are `Codable`, so that a program can store them, as AFNetworking archived them with NSCoding. All
// options are encoded, including credentials in the headers: protect the encoded data accordingly.

extension HTTPRequestSerializer: Codable {
    private enum CodingKeys: CodingKey {
        case headers, methodsEncodingParametersInURL, querySerialization, stringEncoding, properties
    }

    /// Makes a serializer with every encoded option.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        headers = try container.decode(HeaderFields.self, forKey: .headers)
        methodsEncodingParametersInURL = try container.decode(Set<String>.self, forKey: .methodsEncodingParametersInURL)
        querySerialization = try container.decode(QuerySerialization.self, forKey: .querySerialization)
        stringEncoding = String.Encoding(rawValue: try container.decode(UInt.self, forKey: .stringEncoding))
        properties = try container.decode(RequestProperties.self, forKey: .properties)
    }

    /// Encodes every option.
    ///
    /// - Throws: `EncodingError`, naming `querySerialization`, if that is a custom function.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(headers, forKey: .headers)
        try container.encode(methodsEncodingParametersInURL.sorted(), forKey: .methodsEncodingParametersInURL)
        try container.encode(querySerialization, forKey: .querySerialization)
        try container.encode(stringEncoding.rawValue, forKey: .stringEncoding)
        try container.encode(properties, forKey: .properties)
    }
}

extension QuerySerialization: Codable {
    private static let standardName = "standard"

    /// Decodes `standard`, the only case that can be encoded.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard try container.decode(String.self) == Self.standardName else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "unknown query serialization; only standard can be decoded")
        }
        self = .standard
    }

    /// - Throws: `EncodingError` for `custom`: a function cannot be encoded.
    public func encode(to encoder: any Encoder) throws {
        guard case .standard = self else {
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription: "a custom query serialization cannot be "
                        + "encoded: set it to standard before, and to the function afterwards"))
        }
        var container = encoder.singleValueContainer()
        try container.encode(Self.standardName)
    }
}

extension RequestProperties: Codable {
    private enum CodingKeys: CodingKey {
        case cachePolicy, handlesCookies, allowsCellularAccess, networkServiceType
    }

    /// Makes properties as they were encoded; missing properties are nil.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        handlesCookies = try container.decodeIfPresent(Bool.self, forKey: .handlesCookies)
        allowsCellularAccess = try container.decodeIfPresent(Bool.self, forKey: .allowsCellularAccess)
        cachePolicy = try container.value(of: URLRequest.CachePolicy.self, forKey: .cachePolicy)
        networkServiceType = try container.value(of: URLRequest.NetworkServiceType.self, forKey: .networkServiceType)
    }

    /// Encodes the properties that are not nil.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(cachePolicy?.rawValue, forKey: .cachePolicy)
        try container.encodeIfPresent(handlesCookies, forKey: .handlesCookies)
        try container.encodeIfPresent(allowsCellularAccess, forKey: .allowsCellularAccess)
        try container.encodeIfPresent(networkServiceType?.rawValue, forKey: .networkServiceType)
    }
}

extension KeyedDecodingContainer {
    /// Returns a value by its number; nil if the key is missing. Throws if no value has the number.
    fileprivate func value<Value: RawRepresentable<UInt>>(of type: Value.Type, forKey key: Key) throws -> Value? {
        guard let number = try decodeIfPresent(UInt.self, forKey: key) else { return nil }
        guard let value = Value(rawValue: number) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "\(type) has no value \(number)")
        }
        return value
    }
}

/// A request serializer of the library with all its options, by kind.
enum RequestSerializerRecord: Codable, Sendable {
    case http(HTTPRequestSerializer)
    case json(JSONRequestSerializer)
    case propertyList(PropertyListRequestSerializer)

    /// Returns nil for a type that is not part of the library.
    init?(_ serializer: any RequestSerializer) {
        switch serializer {
        case let serializer as HTTPRequestSerializer: self = .http(serializer)
        case let serializer as JSONRequestSerializer: self = .json(serializer)
        case let serializer as PropertyListRequestSerializer: self = .propertyList(serializer)
        default: return nil
        }
    }

    var serializer: any RequestSerializer {
        switch self {
        case .http(let serializer): serializer
        case .json(let serializer): serializer
        case .propertyList(let serializer): serializer
        }
    }
}
