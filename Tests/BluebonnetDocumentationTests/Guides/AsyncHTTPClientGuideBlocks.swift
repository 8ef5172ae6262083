// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import Testing

private struct User: Codable, Sendable { var name: String }

// The page for programs that used async-http-client.
extension PageTests {
    @Test func asyncHTTPClientCallsHaveCounterparts() async throws {
        try await Site.serving { site in
            let ada = User(name: "Ada")
            // BLOCK ComingFromAsyncHTTPClient.md
            // where site.base is URL(string: "https://api.example.com/v1/")!
            let manager = RequestOperationManager(
                baseURL: site.base)
            let user: User = try await manager.get("users/1", timeout: .seconds(30))
            // END
            #expect(user.name == "Ada")
            // BLOCK ComingFromAsyncHTTPClient.md
            let created: User = try await manager.post("users", body: .json(ada))
            // END
            #expect(created.name == "Ada")
            #expect(site.server.history.requests.last?.bodyText == #"{"name":"Ada"}"#)
        }
    }

    @Test func asyncHTTPClientStreamsAndFilesHaveCounterparts() async throws {
        try await Site.serving { site in
            let (manager, video, image) = (site.manager, site.file("photo.jpg"), site.file("disk.img"))
            var count = 0
            // BLOCK ComingFromAsyncHTTPClient.md
            let operation = manager.operation("GET", "big.bin")
            let chunks = operation.chunks  // before the operation is enqueued
            manager.enqueue(operation)
            for try await chunk in chunks {
                count += chunk.count
            }
            // END
            #expect(count == 20_000)
            // BLOCK ComingFromAsyncHTTPClient.md
            try await manager.download("images/disk.img", to: image)
            // END
            #expect(try Data(contentsOf: image).count == count)
            // BLOCK ComingFromAsyncHTTPClient.md
            try await manager.put("videos/1", body: .file(video))
            // END
            #expect(site.server.history.requests.last?.bodyText == "photo")
            printed.update { $0 = [] }
            // BLOCK ComingFromAsyncHTTPClient.md
            let summary = await manager.drain(timeout: .seconds(10))
            print(summary.cancelled.count, "requests had to be cancelled")
            // END
            #expect(printed.value == ["0 requests had to be cancelled"])
            let error = await #expect(throws: NetworkingError.self) { try await manager.delete("users/1") }
            #expect(error?.code == .notStarted)
        }
    }
}
