// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

// Pins out of files. Reading them may block: make the set before the operations that use it.
extension PinSet {
    /// Pins the certificates in the bytes: one as DER, or any number as PEM.
    ///
    /// - Throws: `NetworkingError` with `invalidSecurityPolicy` when there is none, or anything that is none.
    public init(certificateData data: Data) throws(NetworkingError) {
        try self.init(certificates: Self.certificates(in: data, "the certificate data"))
    }

    /// Pins the certificates in files, each DER or PEM.
    ///
    /// - Throws: `NetworkingError` with `invalidSecurityPolicy` that names the file that cannot be read or understood.
    public init(certificateFiles paths: [String]) throws(NetworkingError) {
        guard !paths.isEmpty else {
            throw NetworkingError(.invalidSecurityPolicy, "no file of pinned certificates was named")
        }
        var found: [ServerCertificate] = []
        for path in paths {
            guard let data = FileManager.default.contents(atPath: path) else {
                throw NetworkingError(.invalidSecurityPolicy, "cannot read the pinned certificates in \(path)")
            }
            found += try Self.certificates(in: data, path)
        }
        self.init(certificates: found)
    }

    /// Pins the certificates in every file of a folder that ends in `.cer`, `.crt`, `.der` or `.pem`; folders in it are
    /// left alone.
    ///
    /// - Throws: `NetworkingError` with `invalidSecurityPolicy` when the folder cannot be read, has no such file, or
    ///   has one that cannot be understood.
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

    /// Pins the certificates among a bundle's resources, as `init(certificatesInDirectory:)` does.
    ///
    /// - Parameter subdirectory: the folder of the resources to look in; nil is the topmost.
    public init(certificatesInBundle bundle: Bundle, subdirectory: String? = nil) throws(NetworkingError) {
        let top = bundle.resourceURL?.path ?? bundle.bundlePath
        try self.init(certificatesInDirectory: subdirectory.map { top + "/" + $0 } ?? top)
    }

    private static let endings = ["cer", "crt", "der", "pem"]

    private static func isCertificateFile(_ name: String) -> Bool {
        !name.hasPrefix(".") && endings.contains { name.lowercased().hasSuffix("." + $0) }
    }

    private static func certificates(in data: Data, _ source: String) throws(NetworkingError) -> [ServerCertificate] {
        var certificates: [ServerCertificate] = []
        for bytes in try blocks(in: data, source) {
            guard let certificate = try? ServerCertificate(der: bytes) else {
                throw NetworkingError(
                    .invalidSecurityPolicy, "\(source) holds something that is no certificate, in DER or PEM")
            }
            certificates.append(certificate)
        }
        guard !certificates.isEmpty else {
            throw NetworkingError(.invalidSecurityPolicy, "\(source) holds no certificate")
        }
        return certificates
    }

    private static func blocks(in data: Data, _ source: String) throws(NetworkingError) -> [Data] {
        guard PEMText.isPEM(data) else { return [data] }
        do throws(PEMFault) {
            return try PEMText(data).certificates()
        } catch {
            throw NetworkingError(.invalidSecurityPolicy, "\(source) is no list of certificates: \(error.words)")
        }
    }
}
