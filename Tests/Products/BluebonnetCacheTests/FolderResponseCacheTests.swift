// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import CacheProbe
import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetCache
@testable import BluebonnetHTTP

@Suite(.timeLimit(.minutes(2))) struct FolderResponseCacheTests {
    private let folder = TemporaryFolder()

    private func opened(byteCapacity: Int = 1 << 24) throws -> FolderResponseCache {
        try FolderResponseCache(at: folder.url, byteCapacity: byteCapacity)
    }

    private func files(_ name: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder.url.appendingPathComponent(name).path)) ?? []
    }

    private func mode(_ path: String) throws -> Int? {
        let path = path.isEmpty ? folder.url.path : folder.url.appendingPathComponent(path).path
        return try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func responseSurvivesItsCache() throws {
        try opened().store("/a", .data(Data("text".utf8)), ["X-A": "1"])
        let again = try opened()
        let entry = try #require(again.entries(for: .of("/a")).first)
        #expect(entry.headers["X-A"] == "1" && again.count == 1)
        #expect(try again.bodies("/a") == ["text"] && again.bodies("/b") == [])
        #expect(try again.bodies("/a", partition: "other") == [])
    }

    @Test func filesAreOnlyForTheirOwner() throws {
        try opened().store("/a", .data(Data("text".utf8)))
        #expect(try mode("") == 0o700 && mode("bodies") == 0o700 && mode("index.sqlite") == 0o600)
        let body = try #require(files("bodies").first)
        #expect(try mode("bodies/" + body) == 0o600)
    }

    @Test func folderWithOtherFilesIsRefusedUnchanged() throws {
        let path = folder.url.appendingPathComponent("project").path
        try FileManager.default.createDirectory(
            atPath: path + "/bodies", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        try Data("mine".utf8).write(to: URL(fileURLWithPath: path + "/main.c"))
        let error = #expect(throws: NetworkingError.self) {
            try FolderResponseCache(at: URL(fileURLWithPath: path, isDirectory: true))
        }
        #expect(error?.code == .cannotOpenFile && error?.message.contains("\"main.c\"") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).sorted() == ["bodies", "main.c"])
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o755)
    }

    @Test func sweepRemovesOnlyFilesOfCaches() async throws {
        let path = folder.url.appendingPathComponent("cache").path
        for name in ["bodies", "incoming"] {
            try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: true)
        }
        let hours = [FileAttributeKey.modificationDate: Date(timeIntervalSinceNow: -7_200)]
        let digest = String(repeating: "a0", count: 32)
        let files = ["bodies/mine.txt", "bodies/\(digest)", "incoming/mine", "incoming/\(UUID().uuidString)"]
        for file in files {
            try Data("x".utf8).write(to: URL(fileURLWithPath: "\(path)/\(file)"))
            try FileManager.default.setAttributes(hours, ofItemAtPath: "\(path)/\(file)")
        }
        let cache = try FolderResponseCache(at: URL(fileURLWithPath: path, isDirectory: true))
        let gone = Set(["bodies/\(digest)", files[3]])
        var kept = Set(files)
        while !kept.isDisjoint(with: gone) {
            try await Task.sleep(for: .milliseconds(5))
            kept = kept.filter { FileManager.default.fileExists(atPath: "\(path)/\($0)") }
        }
        #expect(kept == ["bodies/mine.txt", "incoming/mine"] && cache.count == 0)
    }

    @Test func equalBodiesShareAFile() throws {
        let cache = try opened()
        let first = try cache.store("/a", .data(Data("text".utf8)))
        try cache.store("/b", .data(Data("text".utf8)))
        #expect(files("bodies").count == 1)
        cache.apply([.removeURL(first.url)])
        #expect(try files("bodies").count == 1 && cache.bodies("/b") == ["text"])
        cache.removeAll()
        #expect(files("bodies").isEmpty && cache.byteCount == 0)
    }

    @Test func fileOfTheProgramIsCopied() throws {
        let (cache, file) = (try opened(), folder.url.appendingPathComponent("mine"))
        try Data("text".utf8).write(to: file)
        let digest = MessageDigest.hexadecimalDigest(of: Data("text".utf8))
        try cache.store("/b", .file(file, sha256: String(digest.reversed())))
        #expect(try cache.bodies("/b") == [])
        try cache.store("/a", .file(file, sha256: digest))
        try Data("else".utf8).write(to: file)
        #expect(try cache.bodies("/a") == ["text"])
    }

    @Test func changesAreSeenByOthers() throws {
        let (one, other) = (try opened(), try opened())
        try one.store("/a", .data(Data("text".utf8)), ["X-A": "1"])
        var entry = try #require(other.entries(for: .of("/a")).first)
        entry.response = StoredResponse(
            id: entry.id, key: entry.response.key, statusCode: 200, reasonPhrase: "OK", headers: ["X-A": "2"],
            variance: entry.response.variance, requestedAt: Date(), receivedAt: Date(), body: entry.response.body)
        other.apply([.update(entry)])
        #expect(try one.entries(for: .of("/a")).first?.headers["X-A"] == "2")
        other.apply([.expire(entry.id)])
        #expect(try one.entries(for: .of("/a")).first?.isExpired == true)
        try one.store("/a", .data(Data("next".utf8)), replacing: [entry.id])
        #expect(try other.bodies("/a") == ["next"] && other.count == 1)
    }

    @Test func groupsAndQueriesAreFound() throws {
        let cache = try opened()
        let fields: HeaderFields = ["Cache-Groups": "\"one\"", "No-Vary-Search": "params"]
        let entry = try cache.store("/a?x=1", .data(Data("text".utf8)), fields)
        #expect(try cache.bodies("/a?x=2") == ["text"])
        cache.apply([.removeGroup("one", origin: entry.origin)])
        #expect(cache.count == 0)
    }

    @Test func leastRecentlyUsedResponsesAreRemoved() async throws {
        let cache = try opened(byteCapacity: 40_000)
        for number in 0..<8 {
            try cache.store("/\(number)", .data(Data(repeating: UInt8(number), count: 8_000)))
            try await Task.sleep(for: .milliseconds(2))
        }
        #expect(cache.byteCount <= 40_000 && cache.count == 4 && files("bodies").count == 4)
        #expect(try cache.bodies("/7").count == 1 && cache.bodies("/0").isEmpty)
        try cache.store("/large", .data(Data(count: 20_000)))
        #expect(try cache.bodies("/large").isEmpty)
    }

    @Test func damagedBodyIsNotUsed() throws {
        try opened().store("/a", .data(Data("text".utf8)))
        let name = try #require(files("bodies").first)
        try Data("tExt".utf8).write(to: folder.url.appendingPathComponent("bodies/" + name))
        #expect(try opened().bodies("/a") == [])
    }

    @Test func requestFieldsAreStoredAsDigests() throws {
        let cache = try opened()
        let request: HeaderFields = ["Cookie": "session=very-secret"]
        try cache.store("/a", .data(Data("text".utf8)), ["Vary": "Cookie"], request: request)
        let entry = try #require(opened().entries(for: .of("/a")).first)
        #expect(entry.response.variance.matches(request))
        #expect(!entry.response.variance.matches(["Cookie": "session=other"]))
        for name in ["index.sqlite", "index.sqlite-wal"] {
            let data = (try? Data(contentsOf: folder.url.appendingPathComponent(name))) ?? Data()
            #expect(data.range(of: Data("very-secret".utf8)) == nil)
        }
    }

    @Test func managersAnswerFromTheFolder() async throws {
        let server = try await TestServer.start { request in
            .response(headers: ["Cache-Control": "max-age=60"], body: "body of \(request.target)")
        }
        for _ in 0..<2 {
            var configuration = RequestOperationManager.Configuration()
            configuration.responseCache = try opened()
            let manager = RequestOperationManager(configuration: configuration)
            manager.responseSerializer = HTTPResponseSerializer()
            let response = try await manager.call(server.url("/a").absoluteString).response()
            #expect(response.value == Data("body of /a".utf8))
            let file = folder.url.appendingPathComponent(UUID().uuidString)
            _ = try await manager.call(server.url("/a").absoluteString).download(to: file)
            #expect(try String(contentsOf: file, encoding: .utf8) == "body of /a")
        }
        #expect(server.requests.count == 1)
        await server.stop()
    }
}
