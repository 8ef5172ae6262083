// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import NIOSSL

extension TestCertificate {
    /// Returns the configuration of a NIO server that presents this certificate.
    func serverConfiguration(_ options: TestServer.Options) throws -> TLSConfiguration {
        let chain = try NIOSSLCertificate.fromPEMFile(certificatePath)
        let key = try NIOSSLPrivateKey(file: keyPath, format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.applicationProtocols = options.speaksHTTP2 ? ["h2", "http/1.1"] : ["http/1.1"]
        configuration.minimumTLSVersion = options.tlsVersion?.nioVersion ?? .tlsv12
        configuration.maximumTLSVersion = options.tlsVersion?.nioVersion
        if options.requiresClientCertificate {
            configuration.certificateVerification = .noHostnameVerification
            configuration.trustRoots = .file(try TestCertificate.localhost.caPath)
        }
        return configuration
    }
}

extension TestServer.TLSVersion {
    /// The version as NIO's value.
    fileprivate var nioVersion: TLSVersion {
        switch self {
        case .v10: .tlsv1
        case .v11: .tlsv11
        case .v12: .tlsv12
        case .v13: .tlsv13
        }
    }
}
