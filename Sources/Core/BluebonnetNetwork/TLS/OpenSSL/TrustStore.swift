// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import COpenSSL
internal import Foundation

/// The certificate authorities that connections are verified with. The `X509_STORE` is made once, off the network
/// thread, and shared by all connections, because reading the system's authorities takes milliseconds. Any thread.
final class TrustStore: Sendable {
    private typealias Source = (name: String, data: Data)

    /// OpenSSL counts the references of the store and locks it.
    nonisolated(unsafe) let store: OpaquePointer  // safe: nothing changes the store after `init`
    /// Identifies the contents of the store.
    let digest: String

    /// Reads the authorities. May block.
    ///
    /// - Parameter isRequired: if false, a system without a store of authorities counts as trusting no server.
    /// - Throws: `invalidSecurityPolicy` if a source cannot be read, contains no certificate, or contains an invalid
    ///   one.
    convenience init(_ authorities: TrustedAuthorities, isRequired: Bool = true) throws(NetworkingError) {
        try self.init(Self.sources(of: authorities, isRequired: isRequired))
    }

    private init(_ sources: [Source]) throws(NetworkingError) {
        guard let store = X509_STORE_new() else { throw Self.noMemory }
        self.store = store
        // As in libcurl, an authority in the store is trusted even if it is not a root.
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
                .invalidSecurityPolicy, "\(name) contains a malformed certificate, so none of it is trusted")
        }
        guard !certificates.isEmpty else { throw Self.none(in: name) }
        // An incomplete store would be cached, and would refuse the servers of the missing authority permanently.
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
        NetworkingError(.invalidSecurityPolicy, "not enough memory for the certificate authorities")
    }

    private static func none(in name: String) -> NetworkingError {
        NetworkingError(
            .invalidSecurityPolicy, "\(name) contains no certificate, so no server would be trusted: use PEM or DER")
    }

    static func contents(of path: String) throws(NetworkingError) -> Data {
        do {
            return try Data(contentsOf: FilePath.url(path))
        } catch {
            throw NetworkingError(
                .invalidSecurityPolicy, "cannot read the certificate authorities in \(path)", underlying: error)
        }
    }

    /// Returns the contents of a file that contains, or claims to contain, certificates: a directory may also contain
    /// a README or keys.
    private static func contents(ofFileInFolder path: String) -> Data? {
        guard let data = try? Data(contentsOf: FilePath.url(path)) else { return nil }
        let isPEM = data.range(of: Data("CERTIFICATE-----".utf8)) != nil
        return isPEM || CertificateBytes.looksLikeDER(data) ? data : nil
    }
}
