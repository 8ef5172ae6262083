// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import RealServers

@testable import Bluebonnet

// Hosts whose fault is in their ciphers, groups or versions.
extension BadSSLHost {
    static let ciphers = [
        handshake("cbc", wish: .either, made: "offers ECDHE-RSA-AES128-SHA only"),
        handshake("rc4-md5", wish: .refuse, made: "takes a cipher that was not offered"),
        handshake("rc4", wish: .refuse, made: "takes a cipher that was not offered"),
        handshake("3des", wish: .refuse, made: "takes a cipher that was not offered"),
        handshake("null", wish: .refuse, made: "offers NULL-SHA256 only"),
        BadSSLHost(
            "mozilla-old", wish: .either, made: "offers all that OpenSSL has",
            ServerKind("mozilla-old", openssl: ["-cipher", "ALL:@SECLEVEL=0"], .rsa), remark: "the best of it is chosen"
        ),
        BadSSLHost(
            "mozilla-intermediate", wish: .accept, made: "TLS 1.2 and 1.3 with AEAD ciphers",
            ServerKind("mozilla-intermediate", openssl: ["-cipher", intermediate], .rsa)),
        BadSSLHost(
            "mozilla-modern", wish: .accept, made: "TLS 1.3 only",
            ServerKind("modern", openssl: ["-tls1_3"], .localhost)),
        handshake("static-rsa", wish: .either, made: "offers AES256-GCM-SHA384 only"),
    ]

    private static let intermediate = """
        ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:\
        ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305
        """

    static let groups = [
        BadSSLHost(
            "dh480", wish: .refuse, made: "a group of 480 bits",
            .shortGroup("dh480", bitCount: 480, "modulus too small")),
        BadSSLHost(
            "dh512", wish: .refuse, made: "a group of 512 bits",
            .shortGroup("dh512", bitCount: 512, "dh key too small|unknown security bits")),
        handshake("dh1024", wish: .refuse, made: "a group of 1,024 bits"),
        handshake("dh2048", wish: .either, made: "a group of 2,048 bits"),
        handshake(
            "dh-small-subgroup", wish: .refuse, made: "a generator whose order has 64 bits",
            remark: "OpenSSL does not look for the generator's order; the server has signed the group with its own key"),
        handshake(
            "dh-composite", wish: .refuse, made: "the product of two primes of 1,024 bits",
            remark: "OpenSSL does not test for a prime; the server has signed the group with its own key"),
    ]

    static let versions = [
        handshake("tls-v1-0", wish: .refuse, made: "TLS 1.0 only"),
        handshake("tls-v1-1", wish: .refuse, made: "TLS 1.1 only"),
        handshake("tls-v1-2", wish: .accept, made: "TLS 1.2 only"),
    ]

    /// A host with the server kind of the same name.
    private static func handshake(
        _ name: String, wish: Wish, made: String, remark: String = ""
    ) -> BadSSLHost {
        guard let kind = ServerKind.handshakes.first(where: { $0.name == name }) else {
            preconditionFailure("there is no kind of server by the name of \(name)")
        }
        return BadSSLHost(name, wish: wish, made: made, kind, remark: remark)
    }
}
