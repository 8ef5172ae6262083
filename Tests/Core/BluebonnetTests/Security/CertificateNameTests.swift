// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// Certificate names made to deceive or to exhaust: the rest of row D6 of the reliability rules.
    @Suite struct CertificateNameTests {
        /// The result of a GET from a server with this certificate.
        private func outcome(_ certificate: TestCertificate, host: String, resolving name: String? = nil) async throws
            -> RequestOperation
        {
            let server = try await TestServer.start(tls: certificate) { _ in .response(body: "secret") }
            var options = try TransferOptions.trustingTestAuthority
            options.addressOverrides = [name ?? host: "127.0.0.1"]
            let url = try #require(URL(string: "https://\(host):\(server.port)/"))
            let operation = await get(url, options)
            #expect(server.requests.count == (operation.error == nil ? 1 : 0))
            await server.stop()
            return operation
        }

        @Test func nameDoesNotEndAtANUL() async throws {
            let certificate = try ServerCertificate(der: TestCertificate.nulInName.der)
            #expect(certificate.dnsNames == ["good.example\0.evil.example"])
            for host in ["good.example", "evil.example", "x.evil.example"] {
                #expect(try await outcome(.nulInName, host: host).code == .serverNotTrusted, "\(host)")
            }
        }

        @Test(arguments: ["bücher.example", "BÜCHER.example", "xn--bcher-kva.example"])
        func internationalNameIsComparedInItsASCIIForm(host: String) async throws {
            let ascii = "xn--bcher-kva.example"
            #expect(try await outcome(.internationalName, host: host, resolving: ascii).responseString == "secret")
            // RFC 5280, 7.2: a name in UTF-8 is not a name.
            #expect(try await outcome(.nameInUTF8, host: host, resolving: ascii).code == .serverNotTrusted)
            #expect(try await outcome(.localhost, host: host, resolving: ascii).code == .serverNotTrusted)
        }

        @Test func internationalNameOfAnotherHostIsNotMatched() async throws {
            for (host, ascii) in [
                ("bücher.example.test", "xn--bcher-kva.example.test"), ("bucher.example", "bucher.example"),
            ] {
                let operation = try await outcome(.internationalName, host: host, resolving: ascii)
                #expect(operation.code == .serverNotTrusted, "\(host)")
            }
        }

        @Test func allOfTenThousandNamesAreSearched() async throws {
            #expect(try ServerCertificate(der: TestCertificate.tenThousandNames.der).dnsNames.count == 10_000)
            for host in ["n9999.t", "n0000.t"] {
                #expect(try await outcome(.tenThousandNames, host: host).responseString == "secret", "\(host)")
            }
            let refused = try await outcome(.tenThousandNames, host: "n10000.t")
            #expect(refused.code == .serverNotTrusted)
            #expect(refused.error?.message.contains("does not name it") == true)
        }

        /// OpenSSL accepts 100 kB of certificates (SSL_CTX_set_max_cert_list(3)).
        @Test func oversizedCertificateIsRefused() async throws {
            #expect(try TestCertificate.tenThousandLongNames.der.count > 102_400)
            let operation = try await outcome(.tenThousandLongNames, host: "many-9999.example.test")
            #expect(operation.code == .secureConnectionFailed)
            #expect(operation.error?.message.contains("excessive message size") == true)
        }

        @Test(arguments: [
            "x.example.test", "a.b.example.test", "f.example.test", "foo.example.test", "of.example.test",
            "fog.example.test", "xn--abc.example.test", "x.test", "test",
        ])
        func misplacedWildcardMatchesNothing(host: String) async throws {
            #expect(try await outcome(.wrongWildcards, host: host).code == .serverNotTrusted)
        }
    }
}
