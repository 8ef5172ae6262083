// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import Testing

private struct User: Codable, Sendable { var name: String }

// The pages for programs and scripts that used requests, httpx or curl.
extension PageTests {
    @Test func requestsSessionHasCounterpart() async throws {
        try await Site.serving { site in
            // BLOCK ComingFromRequestsAndHTTPX.md
            // where site.base is URL(string: "https://api.example.com/v1/")!
            let manager = RequestOperationManager(
                baseURL: site.base)
            manager.headers["X-Client"] = "demo"
            let users: [User] = try await manager.get(
                "users", parameters: ["page": 2], timeout: .seconds(30))
            // END
            #expect(users.map(\.name) == ["Ada"])
            let sent = site.server.history.requests.last
            #expect(sent?.target == "/v1/users?page=2" && sent?.headers["X-Client"] == "demo")
            printed.update { $0 = [] }
            // BLOCK ComingFromCurl.md
            let operation = manager.operation("GET", "users/1")
            print(operation.curlCommand() ?? "the request is not made yet")
            // END
            let command = try #require(printed.value.first)
            #expect(command.hasPrefix("curl ") && command.hasSuffix("/v1/users/1"))
        }
    }

    @Test func requestsBodiesHaveCounterparts() async throws {
        try await Site.serving { site in
            let (manager, photo, movie) = (site.manager, site.file("photo.jpg"), site.file("photo.jpg"))
            // BLOCK ComingFromRequestsAndHTTPX.md
            try await manager.post(
                "users", body: .json(["name": "Ada", "admin": false]))
            try await manager.post("users", body: .form(["name": "Ada"]))
            try await manager.post(
                "photos",
                body: .multipart { form in
                    try form.append(fileAt: photo, name: "photo")
                })
            try await manager.put("videos/1", body: .file(movie))
            // END
            let sent = site.server.history.requests
            #expect(sent.map(\.method) == ["POST", "POST", "POST", "PUT"])
            #expect(try JSONValue(parsing: sent[0].body)["admin"]?.bool == false)
            #expect(sent[1].bodyText == "name=Ada")
            #expect(sent[2].bodyText.contains("photo.jpg"))
            #expect(sent[3].bodyText == "photo")
        }
    }

    @Test func requestsResponsesAndExceptionsHaveCounterparts() async throws {
        try await Site.serving { site in
            let manager = site.manager
            printed.update { $0 = [] }
            // BLOCK ComingFromRequestsAndHTTPX.md
            let response = try await manager.get("me", as: JSONValue.self)
            print(
                response.statusCode, response.headers["Content-Type"] ?? "none",
                response.timings.total)
            print(response.value["name"]?.string ?? "no name")
            // END
            #expect(printed.value.first?.hasPrefix("200 application/json ") == true)
            #expect(printed.value.last == "Ada")
            // BLOCK ComingFromRequestsAndHTTPX.md
            let article = try await manager.get(
                "articles/7", acceptableStatusCodes: .anyStatus)
            if article.statusCode == 404 { print("no such article") }
            // END
            #expect(printed.value.last == "no such article")
            // BLOCK ComingFromRequestsAndHTTPX.md
            do throws(NetworkingError) {
                try await manager.get("articles/8", timeout: .seconds(30))
            } catch {
                print(error.code == .timedOut ? "too slow" : error.message)
                print(error.statusCode ?? 0, error.body?.count ?? 0)
            }
            // END
            #expect(printed.value.last == "500 0")
        }
    }

    @Test func httpxStreamsRetriesAndLimitsHaveCounterparts() async throws {
        try await Site.serving { site in
            let (manager, paths) = (site.manager, ["items/a", "items/b", "articles/8"])
            var count = 0
            // BLOCK ComingFromRequestsAndHTTPX.md
            let operation = manager.operation("GET", "big.bin")
            let chunks = operation.chunks  // before the operation is enqueued
            manager.enqueue(operation)
            for try await chunk in chunks {
                count += chunk.count
            }
            // END
            #expect(count == 20_000)
            // BLOCK ComingFromRequestsAndHTTPX.md
            manager.retryPolicy = .standard
            // END
            #expect(manager.transferOptions.retryPolicy?.maximumAttemptCount == 3)
            printed.update { $0 = [] }
            // BLOCK ComingFromRequestsAndHTTPX.md
            // where site.base is URL(string: "https://api.example.com/v1/")!
            var configuration = RequestOperationManager.Configuration()
            configuration.maximumConcurrentTransferCount = 20
            let crawler = RequestOperationManager(
                baseURL: site.base,
                configuration: configuration)
            let batch = Batch(of: paths.map { crawler.operation("GET", $0) })
            let outcome = await crawler.run(batch)
            print(outcome.counts.successCount, "of", outcome.results.count)
            // END
            #expect(printed.value == ["2 of 3"])
        }
    }
}
