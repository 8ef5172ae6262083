// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// The certificates and public keys that a policy pins.
///
/// A set keeps the order of its pins and contains each pin once. A file that cannot be read or parsed is an error; it
/// is never skipped. Every policy that pins rejects an empty set.
public struct PinSet: Sendable, Hashable {
    /// The empty set.
    public static let empty = PinSet(certificates: [])

    private let contents: PinContents

    /// Pins certificates: the certificates themselves in mode `certificate`, their keys in mode `publicKey`.
    public init(certificates: [ServerCertificate]) {
        self.init(certificates: certificates, keys: [], backupKeys: [])
    }

    /// Pins public keys by their digests, each written as `sha256/` and Base64.
    ///
    /// - Parameters:
    ///   - keys: the keys in use.
    ///   - backupKeys: reserve keys, accepted like the others. With a backup, a lost or stolen key can be replaced
    ///     without locking out installed programs.
    /// - Throws: `NetworkingError` with `invalidSecurityPolicy` if a text is not a pin, if there are no keys, or if a
    ///   backup is also a key in use.
    public init(keys: [String], backupKeys: [String] = []) throws(NetworkingError) {
        var inUse: [PublicKeyPin] = []
        var backups: [PublicKeyPin] = []
        for text in keys { inUse.append(try PublicKeyPin(text)) }
        for text in backupKeys { backups.append(try PublicKeyPin(text)) }
        guard !inUse.isEmpty else { throw NetworkingError(.invalidSecurityPolicy, "a set of pinned keys is empty") }
        if let twice = backups.first(where: inUse.contains) {
            throw NetworkingError(.invalidSecurityPolicy, "\(twice) cannot be its own backup")
        }
        self.init(certificates: [], keys: inUse, backupKeys: backups)
    }

    package init(certificates: [ServerCertificate], keys: [PublicKeyPin], backupKeys: [PublicKeyPin]) {
        contents = PinContents(
            certificates: Self.unique(certificates), keys: Self.unique(keys), backupKeys: Self.unique(backupKeys))
    }

    /// Returns a set with the pins of both sets.
    public func union(_ other: PinSet) -> PinSet {
        PinSet(
            certificates: certificates + other.certificates, keys: keys + other.keys,
            backupKeys: backupKeys + other.backupKeys)
    }

    /// The pinned certificates.
    public var certificates: [ServerCertificate] { contents.certificates }

    /// The keys that were pinned by their digests.
    public var keys: [PublicKeyPin] { contents.keys }

    /// The keys that were pinned as backups.
    public var backupKeys: [PublicKeyPin] { contents.backupKeys }

    /// The number of pins.
    public var count: Int { certificates.count + keys.count + backupKeys.count }

    /// Whether the set is empty.
    public var isEmpty: Bool { count == 0 }

    /// Whether a public key is pinned, by its digest or by a certificate with that key.
    func pins(keyOf certificate: ServerCertificate) -> Bool { contents.allKeys.contains(certificate.publicKeyPin) }

    private static func unique<Element: Hashable>(_ elements: [Element]) -> [Element] {
        var seen = Set<Element>()
        return elements.filter { seen.insert($0).inserted }
    }

    public static func == (one: PinSet, other: PinSet) -> Bool {
        one.contents === other.contents || one.contents.hasSame(as: other.contents)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(contents.hash) }
}

/// The contents of a set, with their hash: each request looks up connections by the policy that they were made with.
private final class PinContents: Sendable {
    let certificates: [ServerCertificate]
    let keys: [PublicKeyPin]
    let backupKeys: [PublicKeyPin]
    let allKeys: Set<PublicKeyPin>
    let hash: Int

    init(certificates: [ServerCertificate], keys: [PublicKeyPin], backupKeys: [PublicKeyPin]) {
        self.certificates = certificates
        self.keys = keys
        self.backupKeys = backupKeys
        allKeys = Set(certificates.map(\.publicKeyPin) + keys + backupKeys)
        var hasher = Hasher()
        hasher.combine(certificates)
        hasher.combine(keys)
        hasher.combine(backupKeys)
        hash = hasher.finalize()
    }

    func hasSame(as other: PinContents) -> Bool {
        hash == other.hash && certificates == other.certificates && keys == other.keys
            && backupKeys == other.backupKeys
    }
}

// Pins from files. Reading files may block: make the set before the operations that use it.
extension PinSet {
    /// Pins the certificates in the bytes: one as DER, or any number as PEM.
    ///
    /// - Throws: `NetworkingError` with `invalidSecurityPolicy` if the bytes contain no certificate, or anything other
    ///   than certificates.
    public init(certificateData data: Data) throws(NetworkingError) {
        try self.init(certificates: ServerCertificate.certificates(in: data, "the certificate data"))
    }

    /// Pins the certificates in files, each DER or PEM.
    ///
    /// - Throws: `NetworkingError` with `invalidSecurityPolicy`, which names the file that cannot be read or parsed.
    public init(certificateFiles paths: [String]) throws(NetworkingError) {
        guard !paths.isEmpty else {
            throw NetworkingError(.invalidSecurityPolicy, "no file of pinned certificates was given")
        }
        var found: [ServerCertificate] = []
        for path in paths {
            guard let data = FileManager.default.contents(atPath: path) else {
                throw NetworkingError(.invalidSecurityPolicy, "cannot read the pinned certificates in \(path)")
            }
            found += try ServerCertificate.certificates(in: data, path)
        }
        self.init(certificates: found)
    }

    /// Pins the certificates in every file of a folder that ends in `.cer`, `.crt`, `.der` or `.pem`; subfolders are
    /// ignored.
    ///
    /// - Throws: `NetworkingError` with `invalidSecurityPolicy` if the folder cannot be read, has no such file, or has
    ///   a file that cannot be parsed.
    public init(certificatesInDirectory path: String) throws(NetworkingError) {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw NetworkingError(.invalidSecurityPolicy, "cannot read the folder of pinned certificates \(path)")
        }
        let files = names.filter(Self.isCertificateFile).sorted()
        guard !files.isEmpty else {
            throw NetworkingError(
                .invalidSecurityPolicy,
                "the folder \(path) has no file that ends in \(Self.endings.map { "." + $0 }.joined(separator: ", "))")
        }
        try self.init(certificateFiles: files.map { path + "/" + $0 })
    }

    /// Pins the certificates among a bundle's resources; see `init(certificatesInDirectory:)`.
    ///
    /// - Parameters:
    ///   - bundle: the bundle.
    ///   - subdirectory: the folder of the resources to search; nil is the top folder.
    public init(certificatesInBundle bundle: Bundle, subdirectory: String? = nil) throws(NetworkingError) {
        let top = bundle.resourceURL?.path ?? bundle.bundlePath
        try self.init(certificatesInDirectory: subdirectory.map { top + "/" + $0 } ?? top)
    }

    private static let endings = ["cer", "crt", "der", "pem"]

    private static func isCertificateFile(_ name: String) -> Bool {
        !name.hasPrefix(".") && endings.contains { name.lowercased().hasSuffix("." + $0) }
    }
}
