// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetImage
import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

extension PageTests {
    @Test func migrationRuns() async throws {
        try await Site.serving { site in
            let (manager, certificate) = (site.manager, site.file("photo.jpg"))
            let serverCertificate = try TestCertificate.localhost.leafPath
            printed.update { $0 = [] }
            // BLOCK MigratingFromAFNetworking2.md
            // where serverCertificate is "server.cer"
            // A server whose certificate has no subjectAltName: its key decides, and no name is compared.
            manager.securityPolicy = try SecurityPolicy(
                pinningMode: .publicKey, pins: PinSet(certificateFiles: [serverCertificate]),
                allowInvalidCertificates: true, validatesDomainName: false)

            // Any certificate, on a machine for tests.
            manager.securityPolicy = try SecurityPolicy(allowInvalidCertificates: true, validatesDomainName: false)

            // An image, or whatever else the server sends.
            manager.responseSerializer = CompoundResponseSerializer([
                ImageResponseSerializer(), HTTPResponseSerializer(),
            ])

            // A content type that does not depend on the machine's table.
            try await manager.post(
                "certificates",
                body: .multipart { form in
                    try form.append(fileAt: certificate, name: "file", contentType: "application/x-x509-ca-cert")
                })

            // Your own queue for some of a manager's operations.
            let queue = RequestOperationQueue()
            queue.maxConcurrentOperationCount = 1
            queue.addOperation(manager.operation("GET", "items/1"))

            // Dictionaries and arrays, and AFNetworking's error domains.
            manager.responseSerializer = JSONResponseSerializer()
            manager.get("me") { operation, response in
                let members = (response as? JSONValue)?.foundationObject as? [String: Any]
                print(members?["name"] ?? "no name")
            } failure: { operation, error in
                print(error.nsError.domain, error.nsError.code)
            }
            // END
            await printed.becomes { $0 == ["Ada"] }
            await site.server.wait { $0.requests.contains { $0.path == "/v1/items/1" } }
            let form = site.server.history.requests.first { $0.path == "/v1/certificates" }
            #expect(form?.bodyText.contains("application/x-x509-ca-cert") == true)
        }
    }
}
