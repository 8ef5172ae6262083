// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct TrustedAuthoritiesTests {
    @Test func systemStoreIsTheFirstExistingKnownFile() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let names = ["debian", "fedora", "alpine"].map(folder.path)
        #expect(try TrustedAuthorities.system.files(systemFiles: names) == [])
        try folder.write("alpine", "")
        #expect(try TrustedAuthorities.system.files(systemFiles: names) == [names[2]])
        try folder.write("fedora", "")
        #expect(try TrustedAuthorities.system.files(systemFiles: names) == [names[1]])
        try folder.write("debian", "")
        #expect(try TrustedAuthorities.system.files(systemFiles: names) == [names[0]])
    }

    @Test func knownStoresAreDebianFedoraAndAlpine() {
        #expect(
            TrustedAuthorities.systemFiles == [
                "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
            ])
    }

    @Test func fileWithSeveralLinksCountsOnce() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write("root.pem", "text")
        for link in ["5ad8a5d6.0", "other.pem"] {
            try FileManager.default.createSymbolicLink(atPath: folder.path(link), withDestinationPath: path)
        }
        let found = try TrustedAuthorities.directory(folder.url.path).files()
        #expect(found == [URL(fileURLWithPath: path).resolvingSymlinksInPath().path])
    }

    @Test func missingDirectoryIsAnInvalidPolicy() {
        let error = #expect(throws: NetworkingError.self) { try TrustedAuthorities.directory("/nowhere").files() }
        #expect(error?.code == .invalidSecurityPolicy)
        #expect(error?.message.contains("/nowhere") == true)
    }
}
