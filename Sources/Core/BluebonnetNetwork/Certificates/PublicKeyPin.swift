// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// The SHA-256 digest of a certificate's public key (SubjectPublicKeyInfo, RFC 7469, 2.4). Pins are compared by this
/// digest.
public struct PublicKeyPin: Sendable, Hashable {
    /// The digest, 32 bytes.
    public let digest: Data

    private static let prefix = "sha256/"

    /// Parses `sha256/` and the digest in Base64.
    ///
    /// - Throws: `NetworkingError` with `invalidSecurityPolicy` if the text has another form.
    public init(_ text: String) throws(NetworkingError) {
        // Foundation also accepts sloppy Base64, so only the form that Foundation itself writes is accepted.
        guard text.hasPrefix(Self.prefix), let digest = Data(base64Encoded: String(text.dropFirst(Self.prefix.count))),
            digest.count == 32, Self.prefix + digest.base64EncodedString() == text
        else {
            throw NetworkingError(
                .invalidSecurityPolicy,
                "\"\(text)\" is not a pinned key: write sha256/ and the Base64 of the 32-byte digest")
        }
        self.digest = digest
    }

    /// Makes the pin of a public key in DER (SubjectPublicKeyInfo).
    package init(publicKeyDER: Data) {
        digest = MessageDigest.bytes(of: publicKeyDER)
    }
}

extension PublicKeyPin: CustomStringConvertible {
    /// `sha256/` and the digest in Base64.
    public var description: String { Self.prefix + digest.base64EncodedString() }
}

extension PublicKeyPin: Codable {
    /// Decodes the text of a pin.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        do throws(NetworkingError) { try self.init(text) } catch {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: error.message)
        }
    }

    /// Encodes the text of the pin.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
