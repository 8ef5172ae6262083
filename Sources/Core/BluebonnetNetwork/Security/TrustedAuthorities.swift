// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// The source of a security policy's certificate authorities. A value type; it locates the files, but does not read
/// them.
public enum TrustedAuthorities: Sendable, Hashable, Codable {
    /// The system's store: the first that exists of `/etc/ssl/certs/ca-certificates.crt` (Debian),
    /// `/etc/pki/tls/certs/ca-bundle.crt` (Fedora) and `/etc/ssl/cert.pem` (Alpine). The variables `SSL_CERT_FILE` and
    /// `SSL_CERT_DIR` are not read: the environment must not decide what a program trusts.
    case system
    /// A file with certificates in PEM, or one certificate in DER.
    case file(String)
    /// All files in a directory that contain certificates, in PEM or DER. Names made by `c_rehash` are not needed.
    case directory(String)
    /// Certificates in PEM, or one certificate in DER.
    case data(Data)
    /// No authority. With `SecurityPolicy.allowInvalidCertificates`, only the pins decide; without it, no server is
    /// trusted.
    case nobody

    /// Compares paths by their bytes.
    public static func == (first: Self, second: Self) -> Bool {
        switch (first, second) {
        case (.system, .system), (.nobody, .nobody): true
        case (.file(let first), .file(let second)): FieldSyntax.isSameText(first, second)
        case (.directory(let first), .directory(let second)): FieldSyntax.isSameText(first, second)
        case (.data(let first), .data(let second)): first == second
        case (.system, _), (.file, _), (.directory, _), (.data, _), (.nobody, _): false
        }
    }

    /// The system's store on Debian, Fedora and Alpine, and on distributions derived from them.
    static let systemFiles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
    ]

    /// Returns the files to read; for the system's store, the first file that exists. Empty for `data`, for `nobody`,
    /// and for a system without a store.
    func files(systemFiles: [String] = TrustedAuthorities.systemFiles) throws(NetworkingError) -> [String] {
        switch self {
        case .system: return systemFiles.first { FileManager.default.fileExists(atPath: $0) }.map { [$0] } ?? []
        case .file(let path): return [path]
        case .directory(let path): return try Self.files(in: path)
        case .data, .nobody: return []
        }
    }

    /// Returns each file once: a directory that `c_rehash` has processed contains several links to each file.
    private static func files(in folder: String) throws(NetworkingError) -> [String] {
        do {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            let paths = names.map { URL(fileURLWithPath: "\(folder)/\($0)").resolvingSymlinksInPath().path }
            return Set(paths).sorted()
        } catch {
            throw NetworkingError(
                .invalidSecurityPolicy, "cannot read the directory of certificate authorities \(folder)",
                underlying: error)
        }
    }
}
