// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import COpenSSL
internal import Foundation

/// OpenSSL's objects for a client's identity, before the library has checked that they belong together. `free()`
/// releases them.
struct IdentityParts {
    /// The certificates, the client's first; never empty.
    let certificates: [OpaquePointer]
    let key: OpaquePointer

    /// - Throws: `invalidSecurityPolicy` if a part cannot be read.
    init(_ identity: ClientIdentity) throws(NetworkingError) {
        switch identity.form {
        case .parts(let certificate, let key):
            try self.init(certificate: certificate, key: key ?? certificate, password: identity.password)
        case .pkcs12(let source):
            try self.init(pkcs12: try Self.read(source), named: source.name, password: identity.password ?? "")
        }
    }

    func free() {
        for certificate in certificates { X509_free(certificate) }
        EVP_PKEY_free(key)
    }

    private static func read(_ source: ClientIdentity.Source) throws(NetworkingError) -> Data {
        switch source {
        case .data(let data): return data
        case .file(let path):
            do {
                return try Data(contentsOf: FilePath.url(path))
            } catch {
                throw NetworkingError(
                    .invalidSecurityPolicy, "cannot read the client identity in \(path)", underlying: error)
            }
        }
    }

    private static func refusal(_ sentence: String) -> NetworkingError {
        NetworkingError(.invalidSecurityPolicy, sentence, underlying: OpenSSLError.last)
    }
}

// MARK: - Separate certificate and key

extension IdentityParts {
    private init(
        certificate: ClientIdentity.Source, key keySource: ClientIdentity.Source, password: String?
    ) throws(NetworkingError) {
        guard let certificates = CertificateBytes.certificates(in: try Self.read(certificate)), !certificates.isEmpty
        else {
            throw Self.refusal(
                "\(certificate.name) contains no client certificate: \(Self.advice(try Self.read(certificate)))")
        }
        do throws(NetworkingError) {
            key = try Self.key(in: try Self.read(keySource), named: keySource.name, password: password)
            self.certificates = certificates
        } catch {
            for certificate in certificates { X509_free(certificate) }
            throw error
        }
    }

    private static func key(in data: Data, named name: String, password: String?) throws(NetworkingError)
        -> OpaquePointer
    {
        OpenSSLError.clear()
        let isEncrypted = isEncrypted(data)
        guard !isEncrypted || password != nil else {
            throw refusal(
                "the client's key in \(name) is encrypted, but no password is set: set it in a program, or decrypt "
                    + "the key for a request line (openssl pkey -in KEY -out PLAIN)")
        }
        let read = PEMText.isPEM(data) ? PEM_read_bio_PrivateKey : isEncrypted ? d2i_PKCS8PrivateKey_bio : readDER
        // A password, even an empty one, keeps OpenSSL from asking for one on the terminal.
        let key = (password ?? "").withCString { text in
            CertificateBytes.reading(data) { bio in read(bio, nil, nil, UnsafeMutableRawPointer(mutating: text)) }
        }
        guard let key else {
            throw refusal(
                isEncrypted
                    ? "the password does not decrypt the client's key in \(name)"
                    : "\(name) contains no private key: use PEM or DER")
        }
        return key
    }

    /// Returns advice for a file that contains no certificate in PEM or DER.
    private static func advice(_ data: Data) -> String {
        let bundle = CertificateBytes.reading(data) { d2i_PKCS12_bio($0, nil) }
        defer {
            PKCS12_free(bundle)
            OpenSSLError.clear()
        }
        guard bundle != nil else { return "use PEM or DER" }
        return "it is PKCS#12, which a program can load with its password; for a request line convert it to PEM "
            + "(openssl pkcs12 -in FILE -nodes -out FILE.pem)"
    }

    private static let readDER:
        @Sendable (
            OpaquePointer?, UnsafeMutablePointer<OpaquePointer?>?, pem_password_cb?, UnsafeMutableRawPointer?
        ) -> OpaquePointer? = { bio, _, _, _ in d2i_PrivateKey_bio(bio, nil) }

    /// Returns whether a key is encrypted. Encrypted PEM contains a marker (RFC 7468, 11, and the older "Proc-Type:
    /// 4,ENCRYPTED"); DER is parsed.
    private static func isEncrypted(_ data: Data) -> Bool {
        if PEMText.isPEM(data) { return data.range(of: Data("ENCRYPTED".utf8)) != nil }
        let envelope = CertificateBytes.reading(data) { d2i_PKCS8_bio($0, nil) }
        defer {
            X509_SIG_free(envelope)
            OpenSSLError.clear()
        }
        return envelope != nil
    }
}

// MARK: - PKCS#12

extension IdentityParts {
    private init(pkcs12 data: Data, named name: String, password: String) throws(NetworkingError) {
        OpenSSLError.clear()
        guard let bundle = CertificateBytes.reading(data, { d2i_PKCS12_bio($0, nil) }) else {
            throw Self.refusal("\(name) is not PKCS#12")
        }
        defer { PKCS12_free(bundle) }
        guard PKCS12_verify_mac(bundle, password, -1) == 1 else {
            throw Self.refusal("the password does not decrypt the client identity in \(name)")
        }
        var (key, certificate, others): (OpaquePointer?, OpaquePointer?, OpaquePointer?)
        guard PKCS12_parse(bundle, password, &key, &certificate, &others) == 1 else {
            throw Self.refusal(
                "the client identity in \(name) cannot be decrypted; if it uses old algorithms, create it again "
                    + "with current ones")
        }
        let chain = (0..<max(0, OPENSSL_sk_num(others))).compactMap { index in
            OPENSSL_sk_value(others, index).map { OpaquePointer($0) }
        }
        OPENSSL_sk_free(others)
        guard let key, let certificate else {
            for part in [certificate].compactMap({ $0 }) + chain { X509_free(part) }
            EVP_PKEY_free(key)
            throw Self.refusal("\(name) contains no client certificate with its key")
        }
        self.key = key
        certificates = [certificate] + chain
    }
}
