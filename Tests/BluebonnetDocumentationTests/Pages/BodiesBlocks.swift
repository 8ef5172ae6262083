// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

/// Consumes the pieces of a body.
private struct ByteCounter {
    private(set) var count = 0
    mutating func update(_ chunk: Data) { count += chunk.count }
}

/// Stores passwords.
private actor Keychain {
    func credential(for host: String) -> URLCredential {
        URLCredential(user: "ada", password: host, persistence: .none)
    }
}

extension PageTests {
    @Test func bodyStreamRuns() async throws {
        try await Site.serving { site in
            let (manager, url, path) = (site.manager, site.server.url("/v1/upload"), site.path("photo.jpg"))
            // BLOCK BodiesAndDecisions.md
            var request = URLRequest(url: url)
            request.httpMethod = "PUT"
            request.httpBodyStream = InputStream(fileAtPath: path)
            let operation = manager.operation(with: request)
            operation.onNeedNewBodyStream = { InputStream(fileAtPath: path) }
            // END
            try await manager.run(operation)
            #expect(site.server.history.requests.map(\.bodyText) == ["photo"])
        }
    }

    @Test func chunksRun() async throws {
        try await Site.serving { site in
            let (manager, url) = (site.manager, site.server.url("/v1/big.bin"))
            var digest = ByteCounter()
            // BLOCK BodiesAndDecisions.md
            let operation = HTTPRequestOperation(request: URLRequest(url: url))
            let chunks = operation.chunks
            manager.operationQueue.addOperation(operation)
            for try await chunk in chunks { digest.update(chunk) }
            // END
            #expect(digest.count == 20_000)
        }
    }

    @Test func decisionsRun() async throws {
        try await Site.serving { site in
            let keychain = Keychain()
            for (path, status) in [("old", 200), ("secret", 200)] {
                let operation = site.manager.operation("GET", path)
                // BLOCK BodiesAndDecisions.md
                operation.onRedirect = { _, proposed, response in
                    proposed.url?.host == "login.example.com" ? nil : proposed
                }
                operation.onChallenge = { _, challenge in
                    guard challenge.previousFailureCount == 0 else { return .performDefault }
                    return .useCredential(await keychain.credential(for: challenge.host))
                }
                // END
                try await site.manager.run(operation)
                #expect(operation.statusCode == status)
            }
        }
    }

    @Test func dependenciesRun() async throws {
        try await Site.serving { site in
            let (manager, account) = (site.manager, ["user": "ada"])
            let parts = ["a", "b"].map { manager.get("parts/\($0)", returning: HTTPResponseSerializer()) }
            // BLOCK DependenciesAndBatches.md
            let login = manager.post("login", parameters: account, returning: JSONResponseSerializer())
            let profile = manager.call("me").after(login) { request, login in
                request.setValue("Bearer \(login["token"]?.string ?? "")", forHTTPHeaderField: "Authorization")
            }.start()
            let name = try await profile.value["name"]
            // END
            #expect(name?.string == "Ada")
            // BLOCK DependenciesAndBatches.md
            let page = manager.call("page").after(profile, parts.all) {
                request, profile, parts in
                request.setValue("\(parts.count)", forHTTPHeaderField: "X-Part-Count")
            }.start(returning: HTTPResponseSerializer())
            // END
            _ = try await page.value
            let sent = site.server.history.requests.first { $0.path == "/v1/page" }
            #expect(sent?.headers["X-Part-Count"] == "2")
        }
    }

    @Test func graphRuns() async throws {
        try await Site.serving { site in
            let operation = site.manager.operation("GET", "me")
            let batch = Batch(of: [operation])
            _ = await site.manager.run(batch)
            // BLOCK DependenciesAndBatches.md
            // where site.path("batch.dot") is "batch.dot"
            try batch.graph().graphviz.write(toFile: site.path("batch.dot"), atomically: true, encoding: .utf8)
            // END
            #expect(try String(contentsOfFile: site.path("batch.dot"), encoding: .utf8).hasPrefix("digraph"))
        }
    }
}
