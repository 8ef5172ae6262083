// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import COpenSSL
internal import Foundation

/// The authorities that connections are checked with: an `X509_STORE` that is made once, off the network thread, and
/// shared by all connections, because reading the system's takes milliseconds. Any thread.
final class TrustStore: Sendable {
    private typealias Source = (name: String, data: Data)

    /// OpenSSL counts its references and locks it.
    nonisolated(unsafe) let store: OpaquePointer  // safe: nothing changes the store after `init`
    /// Tells stores apart by what is in them.
    let digest: String

    /// Reads the authorities; may block.
    ///
    /// - Parameter isRequired: false takes a system without a store for one that trusts nobody.
    /// - Throws: `invalidSecurityPolicy` when a source cannot be read, holds no certificate, or a broken one.
    convenience init(_ authorities: TrustedAuthorities, isRequired: Bool = true) throws(NetworkingError) {
        try self.init(Self.sources(of: authorities, isRequired: isRequired))
    }

    private init(_ sources: [Source]) throws(NetworkingError) {
        guard let store = X509_STORE_new() else { throw Self.noMemory }
        self.store = store
        // As libcurl has it: an authority in the store is trusted also when it is not a root.
        X509_STORE_set_flags(store, UInt(X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_PARTIAL_CHAIN))
        let digest = MessageDigest(.sha256)
        for source in sources { source.data.withUnsafeBytes { digest.update($0) } }
        self.digest = digest.finish()
        for source in sources { try add(source.data, from: source.name) }
    }

    deinit { usingOpenSSL { X509_STORE_free(store) } }

    private func add(_ data: Data, from name: String) throws(NetworkingError) {
        guard let certificates = CertificateBytes.certificates(in: data) else {
            throw NetworkingError(
                .invalidSecurityPolicy, "\(name) holds a broken certificate, so none of it is trusted")
        }
        guard !certificates.isEmpty else { throw Self.none(in: name) }
        // A store without one of its authorities would be kept, and refuse that one's servers for good.
        var isComplete = true
        for certificate in certificates {
            isComplete = X509_STORE_add_cert(store, certificate) == 1 && isComplete
            X509_free(certificate)
        }
        if !isComplete { throw Self.noMemory }
    }

    private static func sources(of authorities: TrustedAuthorities, isRequired: Bool) throws(NetworkingError)
        -> [Source]
    {
        switch authorities {
        case .nobody: return []
        case .data(let data): return [("the certificate authorities given as data", data)]
        case .file(let path): return [(path, try contents(of: path))]
        case .system:
            if let path = try authorities.files().first { return [(path, try contents(of: path))] }
            if isRequired { throw noSystemStore }
            return []
        case .directory(let folder):
            let sources = try authorities.files().compactMap { path in contents(ofFileInFolder: path).map { (path, $0) }
            }
            guard !sources.isEmpty else { throw none(in: "the directory \(folder)") }
            return sources
        }
    }

    private static var noSystemStore: NetworkingError {
        NetworkingError(
            .invalidSecurityPolicy,
            "no system store of certificate authorities: none of "
                + TrustedAuthorities.systemFiles.joined(separator: ", ") + " exists; install ca-certificates, or name "
                + "the authorities to trust")
    }

    private static var noMemory: NetworkingError {
        NetworkingError(.invalidSecurityPolicy, "the certificate authorities do not fit into memory")
    }

    private static func none(in name: String) -> NetworkingError {
        NetworkingError(
            .invalidSecurityPolicy, "\(name) holds no certificate, so nobody would be trusted: give PEM or DER")
    }

    static func contents(of path: String) throws(NetworkingError) -> Data {
        do {
            return try Data(contentsOf: FilePath.url(path))
        } catch {
            throw NetworkingError(
                .invalidSecurityPolicy, "cannot read the certificate authorities in \(path)", underlying: error)
        }
    }

    /// Only what is or wants to be certificates: a directory also has a README, or keys.
    private static func contents(ofFileInFolder path: String) -> Data? {
        guard let data = try? Data(contentsOf: FilePath.url(path)) else { return nil }
        let isPEM = data.range(of: Data("CERTIFICATE-----".utf8)) != nil
        return isPEM || CertificateBytes.looksLikeDER(data) ? data : nil
    }
}
