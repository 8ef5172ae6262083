// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

// The encoded parts of a policy: keys as text, certificates as bytes. Most properties with their default value are
// omitted. An unreadable part is a decoding error; a policy that contradicts itself is detected when it is used.

extension SecurityPolicy: Codable {
    private enum Key: String, CodingKey {
        case pinningMode, pins, allowInvalidCertificates, validatesDomainName, authorities, reportOnlyPins, hosts
    }

    /// Decodes a policy; missing properties have their defaults. Use `validate()` to check whether the policy
    /// contradicts itself.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        self = .default
        try fields.update(&pinningMode, .pinningMode)
        try fields.update(&pins, .pins)
        try fields.update(&allowInvalidCertificates, .allowInvalidCertificates)
        try fields.update(&validatesDomainName, .validatesDomainName)
        try fields.update(&authorities, .authorities)
        reportOnlyPins = try fields.decodeIfPresent(ReportOnlyPins.self, forKey: .reportOnlyPins)
        try fields.update(&hosts, .hosts)
    }

    /// Encodes the properties that decide, even with default values, and the other properties if they are set.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Key.self)
        try fields.encode(pinningMode, forKey: .pinningMode)
        try fields.encode(allowInvalidCertificates, forKey: .allowInvalidCertificates)
        try fields.encode(validatesDomainName, forKey: .validatesDomainName)
        if !pins.isEmpty { try fields.encode(pins, forKey: .pins) }
        if authorities != .system { try fields.encode(authorities, forKey: .authorities) }
        try fields.encodeIfPresent(reportOnlyPins, forKey: .reportOnlyPins)
        if !hosts.isEmpty { try fields.encode(hosts, forKey: .hosts) }
    }
}

extension SecurityPolicyTable: Codable {
    /// Decodes policies by their patterns, and checks both.
    public init(from decoder: any Decoder) throws {
        let policies = try decoder.singleValueContainer().decode([String: SecurityPolicy].self)
        do throws(NetworkingError) { try self.init(policies) } catch { throw error.decodingError(decoder) }
    }

    /// Encodes the policies by their patterns.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(policies)
    }
}

extension PinSet: Codable {
    private enum Key: String, CodingKey { case certificates, keys, backupKeys }

    /// Decodes the pins; missing lists are empty.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        self.init(
            certificates: try fields.decodeIfPresent([ServerCertificate].self, forKey: .certificates) ?? [],
            keys: try fields.decodeIfPresent([PublicKeyPin].self, forKey: .keys) ?? [],
            backupKeys: try fields.decodeIfPresent([PublicKeyPin].self, forKey: .backupKeys) ?? [])
    }

    /// Encodes the lists that are not empty.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Key.self)
        if !certificates.isEmpty { try fields.encode(certificates, forKey: .certificates) }
        if !keys.isEmpty { try fields.encode(keys, forKey: .keys) }
        if !backupKeys.isEmpty { try fields.encode(backupKeys, forKey: .backupKeys) }
    }
}

extension KeyedDecodingContainer {
    /// Replaces a value by the decoded value, if present.
    fileprivate func update<Value: Decodable>(_ value: inout Value, _ key: Key) throws {
        if let decoded = try decodeIfPresent(Value.self, forKey: key) { value = decoded }
    }
}

extension NetworkingError {
    /// Returns the decoding error for a value that an initializer rejects.
    func decodingError(_ decoder: any Decoder) -> DecodingError {
        .dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: message, underlyingError: self))
    }
}
