// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The certificates and public keys that a policy pins. It does not know what they are compared with.
///
/// Order is kept, and what is there twice is there once. A set is made whole or not at all: a file that cannot be read
/// or understood is an error, never a set with one pin less. One that is empty is refused by every policy that pins.
public struct PinSet: Sendable, Hashable {
    /// No pins.
    public static let empty = PinSet(certificates: [])

    private let contents: PinContents

    /// Pins certificates: in mode `certificate` themselves, in mode `publicKey` their keys.
    public init(certificates: [ServerCertificate]) {
        self.init(certificates: certificates, keys: [], backupKeys: [])
    }

    /// Pins public keys by their digests, each written as `sha256/` and Base64.
    ///
    /// - Parameters:
    ///   - keys: the keys in use.
    ///   - backupKeys: keys that are kept in reserve, accepted like the others: with one, a key that was lost or stolen
    ///     can be replaced without locking out everybody who has this program.
    /// - Throws: `NetworkingError` with `invalidSecurityPolicy` when one is none, when there are none, or when a backup
    ///   is one of the keys that it is to stand in for.
    public init(keys: [String], backupKeys: [String] = []) throws(NetworkingError) {
        var inUse: [PublicKeyPin] = []
        var backups: [PublicKeyPin] = []
        for text in keys { inUse.append(try PublicKeyPin(text)) }
        for text in backupKeys { backups.append(try PublicKeyPin(text)) }
        guard !inUse.isEmpty else { throw NetworkingError(.invalidSecurityPolicy, "a set of pinned keys is empty") }
        if let twice = backups.first(where: inUse.contains) {
            throw NetworkingError(.invalidSecurityPolicy, "\(twice) cannot be a backup for itself")
        }
        self.init(certificates: [], keys: inUse, backupKeys: backups)
    }

    init(certificates: [ServerCertificate], keys: [PublicKeyPin], backupKeys: [PublicKeyPin]) {
        contents = PinContents(
            certificates: Self.unique(certificates), keys: Self.unique(keys), backupKeys: Self.unique(backupKeys))
    }

    /// The pins of both sets.
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

    /// How many pins there are.
    public var count: Int { certificates.count + keys.count + backupKeys.count }

    /// Whether there are none.
    public var isEmpty: Bool { count == 0 }

    /// Whether a public key is pinned: by its digest, or by a certificate that has it.
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

/// What is in a set, with its hash: connections are looked up by the policy that they were made under, for each
/// request.
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
