// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

private struct User: Codable, Sendable { var name: String }

// The page for programs that used URLSession.
extension PageTests {
    @Test func urlSessionCallsHaveCounterparts() async throws {
        try await Site.serving { site in
            // BLOCK ComingFromURLSession.md
            // where site.base is URL(string: "https://api.example.com/v1/")!
            let manager = RequestOperationManager(
                baseURL: site.base)
            let user: User = try await manager.get("users/1")
            // END
            #expect(user.name == "Ada")
            // BLOCK ComingFromURLSession.md
            let created: User = try await manager.post(
                "users", body: .json(User(name: "Ada")))
            // END
            #expect(created.name == "Ada")
            let post = site.server.history.requests.last
            #expect(post?.method == "POST" && post?.bodyText == #"{"name":"Ada"}"#)
        }
    }

    @Test func urlSessionUploadsAndDownloadsHaveCounterparts() async throws {
        try await Site.serving { site in
            let (manager, video, image) = (site.manager, site.file("photo.jpg"), site.file("disk.img"))
            printed.update { $0 = [] }
            // BLOCK ComingFromURLSession.md
            let upload = manager.operation(
                "PUT", "videos/1", body: .file(video)
            ) { operation in
                operation.onUploadProgress = { _, sent, expected in
                    print(sent, "of", expected)
                }
            }
            try await manager.run(upload)
            // END
            #expect(site.server.history.requests.last?.bodyText == "photo")
            await printed.becomes { $0.last == "5 of 5" }
            // BLOCK ComingFromURLSession.md
            try await manager.download("images/disk.img", to: image)
            // END
            #expect(try Data(contentsOf: image).count == 20_000)
        }
    }

    @Test func urlSessionChallengesAndTasksHaveCounterparts() async throws {
        try await Site.serving { site in
            let (manager, password) = (site.manager, "analytical")
            let request = URLRequest(url: site.base.appendingPathComponent("me"))
            // BLOCK ComingFromURLSession.md
            manager.credential = URLCredential(
                user: "ada", password: password, persistence: .none)
            let secret: JSONValue = try await manager.get("secret")
            // END
            #expect(secret["name"]?.string == "Ada")
            #expect(site.server.history.requests.last?.headers["Authorization"]?.hasPrefix("Basic ") == true)
            printed.update { $0 = [] }
            // BLOCK ComingFromURLSession.md
            let session = SessionManager()
            let task = session.dataTask(with: request) { response, object, error in
                print(response?.statusCode ?? 0, error?.code.rawValue ?? "no error")
            }
            task.resume()
            // END
            await printed.becomes { $0 == ["200 no error"] }
        }
    }
}
