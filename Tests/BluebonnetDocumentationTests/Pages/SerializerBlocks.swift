// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetImage
import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

extension PageTests {
    @Test func typedCallsRun() async throws {
        try await Site.serving { site in
            let manager = site.manager
            // BLOCK Serializers.md
            struct User: Codable, Sendable { var name: String }

            let user: User = try await manager.get("users/1")
            let made: User = try await manager.post("users", headers: ["X-Trace": "7"], body: .json(User(name: "Ada")))
            let bytes: Data = try await manager.get("users/1/picture")
            let text: String = try await manager.get("robots.txt")
            let page = try await manager.get("users", as: [User].self)  // value, statusCode, headers, timings
            try await manager.delete("users/1")
            // END
            #expect(user.name == "Ada" && made.name == "Ada" && !bytes.isEmpty && text.hasPrefix("User-agent"))
            #expect(page.value.count == 1)
            // BLOCK Serializers.md
            let traced = try await manager.call("users/1").header("X-Trace", "7")
                .timeout(.seconds(5)).priority(.high).value(as: User.self)
            // END
            #expect(traced.name == "Ada" && site.server.history.requests.last?.headers["X-Trace"] == "7")
        }
    }

    @Test func multipartFormRuns() async throws {
        try await Site.serving { site in
            let (url, picture, log) = (site.server.url("/v1/photos"), site.file("photo.jpg"), site.file("photo.jpg"))
            let size: Int64 = 5
            // BLOCK Serializers.md
            let request = try HTTPRequestSerializer().multipartRequest(url: url, parameters: ["album": "Lisbon"]) {
                form in
                try form.append(fileAt: picture, name: "photo")
                try form.append(byteCount: size, name: "log", fileName: "log.txt") { InputStream(url: log) }
            }
            // END
            try await site.manager.run(site.manager.operation(with: request))
            let sent = try #require(site.server.history.requests.first).bodyText
            #expect(sent.contains("Lisbon") && sent.contains("log.txt") && sent.contains("photo.jpg"))
        }
    }

    @Test func customSerializerRuns() async throws {
        try await Site.serving { site in
            let manager = site.manager
            // BLOCK Serializers.md
            struct CSVSerializer: ResponseSerializer {
                var validation = ResponseValidation(acceptableContentTypes: ["text/csv"])

                func value(for response: ResponseHead, body: Data) throws -> [[Substring]] {
                    guard let text = response.text(of: body) else {
                        throw NetworkingError(.cannotParseResponse, "no text")
                    }
                    return text.split(separator: "\n").map { $0.split(separator: ",") }
                }
            }

            let rows = try await manager.get("export.csv", returning: CSVSerializer()).value
            // END
            #expect(rows == [["a", "b"], ["c", "d"]])
        }
    }

    @Test func imageDownloaderRuns() async throws {
        try await Site.serving { site in
            let url = site.server.url("/v1/picture")
            // BLOCK Serializers.md
            let downloader = ImageDownloader()
            let image = try await downloader.image(for: url)  // width, height, RGBA pixels of 8 bits
            // END
            #expect(image.width == 1 && image.height == 1)
        }
    }
}
