// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import RealServers
import Testing

@testable import Bluebonnet
@testable import BluebonnetCache
@testable import BluebonnetHTTP
@testable import BluebonnetNetwork

/// A cache whose folder or disk can no longer be written.
@Suite(.timeLimit(.minutes(1))) struct CacheFailureTests {
    private let folder = TemporaryFolder()
    private let errors = Observed([NetworkingError]())

    private func opened(_ url: URL, byteCapacity: Int = 1 << 24) throws -> FolderResponseCache {
        let cache = try FolderResponseCache(at: url, byteCapacity: byteCapacity)
        cache.onFirstFailure = { [errors] error in errors.append(error) }
        return cache
    }

    private func posixCode(_ error: NetworkingError) -> POSIXErrorCode? { (error.underlying as? POSIXError)?.code }

    @Test func folderThatCannotBeWrittenIsReportedOnce() throws {
        let cache = try opened(folder.url)
        try cache.store("/a", "text")
        let incoming = folder.url.appendingPathComponent("incoming")
        try FileManager.default.removeItem(at: incoming)
        try Data().write(to: incoming)
        for path in ["/b", "/c"] {
            try cache.store(path, "new")
            #expect(try cache.bodies(path) == [])
        }
        let error = try #require(errors.value.first)
        #expect(errors.value.count == 1 && error.code == .cannotWriteFile && posixCode(error) == .ENOTDIR)
        #expect(error.message == "the cache \(folder.url.path) cannot be written: Not a directory")
        #expect(try cache.bodies("/a") == ["text"])
        try FileManager.default.removeItem(at: incoming)
        try FileManager.default.createDirectory(at: incoming, withIntermediateDirectories: false)
        try cache.store("/b", "later")
        #expect(try cache.bodies("/b") == ["later"] && errors.value.count == 1)
    }

    /// The new response is the only one that may answer.
    @Test func responseThatCannotBeStoredReplacesTheOldOne() throws {
        let cache = try opened(folder.url)
        try cache.store("/a", "old")
        let id = try #require(cache.entries(for: .of("/a")).first?.id)
        let incoming = folder.url.appendingPathComponent("incoming")
        try FileManager.default.removeItem(at: incoming)
        try cache.store("/a", "new", replacing: [id])
        #expect(try cache.bodies("/a") == [] && FolderResponseCache(at: folder.url).bodies("/a") == [])
        #expect(errors.value.map(posixCode) == [.ENOENT])
    }

    /// The cache works as it should: these responses are not stored, and nothing is reported.
    @Test func responsesThatAreNotStoredAreNoFailure() throws {
        let cache = try opened(folder.url, byteCapacity: 40_000)
        let own = folder.url.appendingPathComponent("own")
        try Data(count: 20_000).write(to: own)
        let digest = MessageDigest.hexadecimalDigest(of: Data(count: 20_000))
        try cache.store("/large", .data(Data(count: 20_000)))
        try cache.store("/large", .file(own, sha256: digest))
        try Data("text".utf8).write(to: own)
        try cache.store("/other", .file(own, sha256: digest))
        try cache.store("/missing", .file(folder.url.appendingPathComponent("none"), sha256: digest))
        for path in ["/large", "/other", "/missing"] { #expect(try cache.bodies(path) == []) }
        #expect(errors.value.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path + "/incoming") == [])
    }

    // The next tests fill a small mounted file system. Mounting takes root's rights.

    @Test(.enabled(if: SmallFileSystem.isAvailable)) func fullDiskIsReportedOnce() throws {
        let small = try SmallFileSystem()
        defer { small.remove() }
        let url = small.folder.url.appendingPathComponent("cache")
        let cache = try opened(url)
        try cache.store("/first", "text")
        let bodies = (0..<20).map { Data(repeating: UInt8($0), count: 200_000) }
        for (number, body) in bodies.enumerated() { try cache.store("/\(number)", .data(body)) }
        let error = try #require(errors.value.first)
        #expect(errors.value.count == 1 && error.code == .cannotWriteFile && posixCode(error) == .ENOSPC)
        #expect(error.message == "the cache \(url.path) cannot be written: no space is left on the disk")
        var storedCount = 0
        for (number, body) in bodies.enumerated() {
            for entry in cache.entries(for: try .of("/\(number)")) {
                #expect(cache.body(of: entry) == body)
                storedCount += 1
            }
        }
        #expect((1..<20).contains(storedCount))
        #expect(try cache.bodies("/first") == ["text"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: url.path + "/incoming") == [])
        try small.grow(toMebibytes: 8)
        try cache.store("/later", "new")
        #expect(try cache.bodies("/later") == ["new"] && errors.value.count == 1)
    }

    @Test(.enabled(if: SmallFileSystem.isAvailable)) func fullDiskKeepsNoRemovedResponse() throws {
        let small = try SmallFileSystem()
        defer { small.remove() }
        let cache = try opened(small.folder.url.appendingPathComponent("cache"))
        let removed = try (0..<20).map { try cache.store("/\($0)", "text \($0)").url }
        #expect(cache.count == 20, "the disk was full too early")
        try fill(small.folder.url.appendingPathComponent("filler"))
        for url in removed.prefix(10) { cache.apply([.removeURL(url)]) }
        for number in 0..<20 {
            let bodies = try cache.bodies("/\(number)")
            #expect(bodies == (number < 10 ? [] : ["text \(number)"]), "\(number)")
        }
    }

    /// Writes a file until the disk is full.
    private func fill(_ url: URL) throws {
        try Data().write(to: url)
        let file = try FileHandle(forWritingTo: url)
        defer { try? file.close() }
        while (try? file.write(contentsOf: Data(count: 4_096))) != nil {}
    }
}
