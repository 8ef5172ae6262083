// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// The certificate and the private key by which a client identifies itself to a server that asks for them.
///
/// The value names the sources of certificate and key. The library reads and checks them before it opens a connection,
/// and again when a file has changed. The key appears in no description, log or archive.
public struct ClientIdentity: Sendable, Hashable {
    /// The source of one of the parts.
    package enum Source: Sendable, Hashable {
        case file(String)
        case data(Data)

        package static func == (first: Self, second: Self) -> Bool {
            switch (first, second) {
            case (.file(let first), .file(let second)): FieldSyntax.isSameText(first, second)
            case (.data(let first), .data(let second)): first == second
            case (.file, _), (.data, _): false
            }
        }

        /// The name for messages.
        var name: String {
            switch self {
            case .file(let path): path
            case .data: "the data given"
            }
        }
    }

    /// The format of the identity.
    package enum Form: Sendable, Hashable {
        /// PEM or DER. A nil key means that the certificate's source also contains the key.
        case parts(certificate: Source, key: Source?)
        case pkcs12(Source)
    }

    package let form: Form
    package let password: String?

    /// Returns an identity from files in PEM or DER. The certificate's file may also contain the chain up to the root,
    /// after the certificate, and the key; `key` is then nil.
    public static func files(certificate: String, key: String? = nil, password: String? = nil) -> ClientIdentity {
        ClientIdentity(form: .parts(certificate: .file(certificate), key: key.map(Source.file)), password: password)
    }

    /// Returns an identity from certificates and a key in memory, in PEM or DER.
    public static func data(certificate: Data, key: Data? = nil, password: String? = nil) -> ClientIdentity {
        ClientIdentity(form: .parts(certificate: .data(certificate), key: key.map(Source.data)), password: password)
    }

    /// Returns an identity from a PKCS#12 file (RFC 7292, often `.p12` or `.pfx`) with certificate, chain and key.
    public static func pkcs12(file: String, password: String) -> ClientIdentity {
        ClientIdentity(form: .pkcs12(.file(file)), password: password)
    }

    /// Returns an identity from PKCS#12 data in memory.
    public static func pkcs12(data: Data, password: String) -> ClientIdentity {
        ClientIdentity(form: .pkcs12(.data(data)), password: password)
    }

    /// Compares paths and passwords byte by byte.
    public static func == (first: Self, second: Self) -> Bool {
        first.form == second.form && first.password.map(ByteString.init) == second.password.map(ByteString.init)
    }

    /// The files to read.
    var files: [String] {
        sources.compactMap { source in
            if case .file(let path) = source { return path }
            return nil
        }
    }

    private var sources: [Source] {
        switch form {
        case .parts(let certificate, let key): [certificate] + (key.map { [$0] } ?? [])
        case .pkcs12(let source): [source]
        }
    }
}

/// Shows only the sources, neither keys nor passwords.
extension ClientIdentity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "client identity in \(sources.map(\.name).joined(separator: " and "))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
