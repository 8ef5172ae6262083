// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import BluebonnetTesting
import Foundation
import FoundationNetworking
import Testing

// Requests, bodies and downloads of the recipes.
extension PageTests {
    @Test func firstLinesOfRecipesMakeManager() async throws {
        try await Site.serving { site in
            // BLOCK Recipes.md
            // where site.base is URL(string: "https://api.example.com/v1/")!
            let manager = RequestOperationManager(baseURL: site.base)
            // END
            #expect(manager.baseURL == site.base)
        }
    }

    @Test func recipeDecodesUser() async throws {
        try await Site.serving { site in
            let manager = site.manager
            printed.update { $0 = [] }
            // BLOCK Recipes.md
            struct User: Codable, Sendable {
                var name: String
            }
            let user: User = try await manager.get("users/1")
            print(user.name)
            // END
            #expect(printed.value == ["Ada"])
        }
    }

    @Test func recipePostsLiteralAsJSON() async throws {
        try await Site.serving { site in
            let manager = site.manager
            printed.update { $0 = [] }
            // BLOCK Recipes.md
            let created: JSONValue = try await manager.post(
                "users", body: .json(["name": "Ada", "admin": false]))
            print(created["name"]?.string ?? "no name")
            // END
            #expect(printed.value == ["Ada"])
            let sent = try JSONValue(parsing: #require(site.server.requests.first).body)
            #expect(sent["admin"] == false)
        }
    }

    @Test func recipeUploadsFileInForm() async throws {
        try await Site.serving { site in
            let manager = site.manager
            printed.update { $0 = [] }
            // BLOCK Recipes.md
            // where site.file("photo.jpg") is URL(fileURLWithPath: "photo.jpg")
            let photo = site.file("photo.jpg")
            let upload = manager.operation(
                "POST", "photos",
                body: .multipart(["album": "Lisbon"]) { form in
                    try form.append(fileAt: photo, name: "photo")
                })
            upload.onUploadProgress = { _, sent, total in
                print("\(sent) of \(total) bytes")
            }
            try await manager.run(upload)
            // END
            let body = try #require(site.server.requests.first).bodyText
            #expect(body.contains("Lisbon") && body.contains(#"filename="photo.jpg""#))
            await printed.becomes { $0.contains("\(body.utf8.count) of \(body.utf8.count) bytes") }
        }
    }

    @Test func recipeFollowsLinksToLastPage() async throws {
        try await Site.serving { site in
            let manager = site.manager
            printed.update { $0 = [] }
            // BLOCK Recipes.md
            var page = try await manager.get("users", as: [JSONValue].self)
            print(page.value.count)
            while let next = page.links["next"] {
                page = try await manager.get(next, as: [JSONValue].self)
                print(page.value.count)
            }
            // END
            #expect(printed.value == ["1", "1"])
            #expect(site.server.requests.map(\.target) == ["/v1/users", "/v1/users?page=3"])
        }
    }

    @Test func recipeUsesResultOfLogin() async throws {
        try await Site.serving { site in
            let manager = site.manager
            // BLOCK Recipes.md
            let login = manager.post(
                "login", parameters: ["user": "ada", "password": "…"],
                returning: JSONResponseSerializer())
            let orders = manager.call("orders").after(login) { request, login in
                request.setValue(
                    "Bearer \(login["token"]?.string ?? "")",
                    forHTTPHeaderField: "Authorization")
            }.start()
            print(try await orders.value)
            // END
            #expect(site.server.requests.map(\.path) == ["/v1/login", "/v1/orders"])
            #expect(site.server.requests.last?.headers["Authorization"] == "Bearer t-1")
        }
    }

    @Test func recipeReceivesUnchangedResourceOnce() async throws {
        let script: TestServer.Script = { request in
            request.headers["If-None-Match"] == "\"v1\""
                ? .response(status: 304, headers: ["ETag": "\"v1\""])
                : .response(headers: ["ETag": "\"v1\"", "Content-Type": "application/json"], body: "[1]")
        }
        try await Site.scripted(script) { site in
            let manager = site.manager
            printed.update { $0 = [] }
            // BLOCK Recipes.md
            let first = try await manager.get("prices", as: JSONValue.self)
            if let tag = first.headers["ETag"] {
                let second = try await manager.get(
                    "prices", headers: ["If-None-Match": tag],
                    acceptableStatusCodes: [200, 304])
                print(second.statusCode == 304 ? "unchanged" : "changed")
            }
            // END
            #expect(printed.value == ["unchanged"])
        }
    }

    @Test func recipeDownloadsFileWithProgress() async throws {
        try await Site.scripted(TaggedImage.answer) { site in
            let manager = site.manager
            printed.update { $0 = [] }
            // BLOCK Recipes.md
            // where site.file("disk.img") is URL(fileURLWithPath: "disk.img")
            let download = manager.operation("GET", "images/disk.img") {
                $0.outputFile = site.file("disk.img")
            }
            download.onDownloadProgress = { _, received, expected in
                print("\(received) of \(expected) bytes")
            }
            try await manager.run(download)
            // END
            #expect(try Data(contentsOf: site.file("disk.img")) == TaggedImage.body)
            await printed.becomes { $0.contains("200000 of 200000 bytes") }
        }
    }

    @Test func recipeResumesPausedDownload() async throws {
        try await Site.scripted(TaggedImage.slowAnswer) { site in
            let manager = site.manager
            printed.update { $0 = [] }
            // BLOCK Recipes.md
            // where site.file("disk.img") is URL(fileURLWithPath: "disk.img")
            // where .milliseconds(200) is .seconds(1)
            let download = manager.operation("GET", "images/disk.img") {
                $0.outputFile = site.file("disk.img")
            }
            manager.enqueue(download)
            try await Task.sleep(for: .milliseconds(200))
            download.pause()
            try await Task.sleep(for: .milliseconds(200))
            download.resume()
            try await download.waitUntilEnded()
            print(download.error?.message ?? "complete")
            // END
            #expect(printed.value == ["complete"])
            #expect(try Data(contentsOf: site.file("disk.img")) == TaggedImage.body)
        }
    }

    @Test func recipeReadsBodyLineByLine() async throws {
        let script: TestServer.Script = { _ in .chunked(chunks: ["a\nb", "c\n\nd", "e"]) }
        try await Site.scripted(script) { site in
            let manager = site.manager
            printed.update { $0 = [] }
            // BLOCK Recipes.md
            let operation = manager.operation("GET", "events.ndjson")
            let chunks = operation.chunks
            manager.enqueue(operation)
            let lineFeed = UInt8(ascii: "\n")
            var rest = Data()
            for try await chunk in chunks {
                rest += chunk
                let lines = rest.split(
                    separator: lineFeed, omittingEmptySubsequences: false)
                for line in lines.dropLast() {
                    print(String(decoding: line, as: UTF8.self))
                }
                rest = lines.last.map { Data($0) } ?? Data()
            }
            print("after the last line end: \(rest.count) bytes")
            // END
            #expect(printed.value == ["a", "bc", "", "after the last line end: 2 bytes"])
        }
    }
}

// BLOCK Recipes.md
@Suite struct ProfileTests {
    @Test func profileHasTheName() async throws {
        let manager = RequestOperationManager { request in
            request.path == "/me" ? .json(["name": "Ada"]) : .status(404)
        }
        let me: JSONValue = try await manager.get("me")
        #expect(me["name"]?.string == "Ada")
        try manager.expectSent(.get("/me"))
    }
}
// END
